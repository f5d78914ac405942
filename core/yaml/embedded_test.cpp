#include "core/yaml/embedded.h"

#include <doctest/doctest.h>

namespace cnsched::yaml {

TEST_CASE("JSON that a string holds is read like any document") {
  const Embedded json(R"({"resource": {"cpuLimit": "1"}, "types": ["a", "b"]})");
  CHECK(json.root()["resource"]["cpuLimit"].text() == "1");
  CHECK(json.root()["types"].at(1).text() == "b");
}

TEST_CASE("a string that holds no document gives a missing node") {
  CHECK(Embedded("{").root().is_missing());
}

}  // namespace cnsched::yaml
