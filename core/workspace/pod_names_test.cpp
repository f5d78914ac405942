#include "core/workspace/pod_names.h"
#include "testdata/support.h"

namespace cnsched::pod_names_test {

std::string named(const std::string& metadata) {
  return manifest("Deployment", metadata, "{template: {spec: {}}}");
}

std::vector<std::string> names_in(std::vector<MemoryFile> files) {
  const auto workspace = workspace_of(std::move(files));
  std::vector<const Workload*> pods;
  for (const Workload& workload : scope_of(*workspace).workloads()) pods.push_back(&workload);
  return pod_names(pods, *workspace);
}

using Names = std::vector<std::string>;

TEST_CASE("names a pod after its controller, uniquely in its namespace") {
  CHECK(names_in({{"a.yaml", named("name: a") + named("name: b")}}) == Names{"a", "b"});
  CHECK(names_in({{"a.yaml", named("name: a") + named("name: a") + named("name: a-2") +
                                 named("name: a")}}) == Names{"a", "a-2", "a-2-2", "a-3"});
  CHECK(names_in({{"a.yaml", named("name: a, namespace: n") + named("name: a") +
                                 named("name: a, namespace: n")}}) == Names{"a", "a", "a-2"});
}

TEST_CASE("numbers pods independently of the order of the files") {
  const MemoryFile one{"1.yaml", named("name: a")};
  const MemoryFile two{"2.yaml", named("name: a")};
  CHECK(names_in({one, two}) == Names{"a", "a-2"});
  CHECK(names_in({two, one}) == Names{"a-2", "a"});
}

TEST_CASE("makes a valid name for an object without one") {
  CHECK(names_in({{"a.yaml", named("") + named("name: '${NAME}-X'") +
                                 named("generateName: a-")}}) == Names{"unnamed", "name-x", "a"});
}

TEST_CASE("turns any text into a DNS-1123 subdomain") {
  CHECK(dns_subdomain("llama-predictor") == "llama-predictor");
  CHECK(dns_subdomain("a.b") == "a.b");
  CHECK(dns_subdomain("Llama_3 8B") == "llama-3-8b");
  CHECK(dns_subdomain("{{ .Name }}") == "name");
  CHECK(dns_subdomain("a..b.-c") == "a.b.c");
  CHECK(dns_subdomain("-a-") == "a");
  CHECK(dns_subdomain("a--b") == "a--b");
  CHECK(dns_subdomain("é") == "unnamed");
  CHECK(dns_subdomain("") == "unnamed");
  CHECK(dns_subdomain(std::string(300, 'a')) == std::string(253, 'a'));
  CHECK(dns_subdomain(std::string(252, 'a') + "--b") == std::string(252, 'a'));
}

TEST_CASE("shortens a name to append a number") {
  const std::string longest = "name: " + std::string(253, 'a');
  const Names names = names_in({{"a.yaml", named(longest) + named(longest)}});
  REQUIRE(names.size() == 2);
  CHECK(names[0] == std::string(253, 'a'));
  CHECK(names[1] == std::string(245, 'a') + "-2");
}

}  // namespace cnsched::pod_names_test
