#include "core/seldon/pod_merge.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::seldon::pod_merge_test {

std::string merged(const std::string& config, const std::string& override) {
  const Parsed below(config);
  const Parsed above(override);
  Arena arena;
  return yaml::to_flow(merge_containers(arena, below.root(), above.root()), false);
}

TEST_CASE("merges containers with the same name, then adds the config's others") {
  CHECK(merged("[{name: a, image: v1}, {name: b}]", "[{name: b, image: v2}, {name: c}]") ==
        "[{name: b, image: v2}, {name: c}, {name: a, image: v1}]");
}

TEST_CASE("keeps a null container") {
  CHECK(merged("[{name: a}]", "[null]") == "[null, {name: a}]");
  const Parsed config("[{name: a}]");
  const Parsed override("[null]");
  Arena arena;
  CHECK(merge_containers(arena, config.root(), override.root()).items()[0]->is_null());
}

}  // namespace cnsched::seldon::pod_merge_test
