#include "core/k8s/strategic_merge.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::k8s {

namespace {

std::string merged(const std::string& base, const std::string& patch,
                   MergeType type = MergeType::pod_spec) {
  const test::Parsed below(base);
  const test::Parsed above(patch);
  Arena arena;
  return test::compact(strategic_merge(arena, below.root(), above.root(), type));
}

/// The names of a list after the merge.
std::string order(const std::string& base, const std::string& patch) {
  const test::Parsed below("volumes: " + base);
  const test::Parsed above("volumes: " + patch);
  Arena arena;
  const yaml::Node& result =
      strategic_merge(arena, below.root(), above.root(), MergeType::pod_spec);
  std::string names;
  for (const yaml::Node* item : result["volumes"].items()) names += (*item)["name"].text();
  return names;
}

std::string named(std::string_view names) {
  std::string list;
  for (const char name : names) list += fmt::format("{{name: {}}}, ", name);
  return "[" + list + "]";
}

}  // namespace

TEST_CASE("mappings merge, other lists are replaced, the patch wins") {
  CHECK(merged("{nodeSelector: {a: 1, b: 2}, hostname: x}", "{nodeSelector: {b: 3, c: 4}}") ==
        R"({"hostname":"x","nodeSelector":{"a":1,"b":3,"c":4}})");
  CHECK(merged("tolerations: [{key: a}, {key: b}]", "tolerations: [{key: c}]") ==
        R"({"tolerations":[{"key":"c"}]})");
  CHECK(merged("affinity: {nodeAffinity: {x: [1]}}", "affinity: {nodeAffinity: {x: [2]}, p: {}}") ==
        R"({"affinity":{"nodeAffinity":{"x":[2]},"p":{}}})");
}

TEST_CASE("a keyed list keeps the order that Kubernetes gives it") {
  // The patch's items in the patch's order; the base's own in front of the first item of the patch
  // that stands behind them in the base, else at the end.
  CHECK(order(named("abc"), named("b")) == "abc");
  CHECK(order(named("abc"), named("ca")) == "bca");
  CHECK(order(named("ab"), named("x")) == "xab");
  CHECK(order(named("abcd"), named("xcy")) == "xabcyd");
  CHECK(order(named("ab"), named("ba")) == "ba");
  CHECK(order("[]", named("ab")) == "ab");
}

TEST_CASE("lists merge by the key of their Go type") {
  CHECK(merged("ports: [{containerPort: 80, name: a}]", "ports: [{containerPort: 80, hostPort: 1}]",
               MergeType::container) ==
        R"({"ports":[{"containerPort":80,"hostPort":1,"name":"a"}]})");
  CHECK(merged("volumeMounts: [{mountPath: /a, name: x}]",
               "volumeMounts: [{mountPath: /a, name: w}]",
               MergeType::container) == R"({"volumeMounts":[{"mountPath":"/a","name":"w"}]})");
  CHECK(merged("resources: {claims: [{name: a}]}", "resources: {claims: [{name: b}]}",
               MergeType::container) == R"({"resources":{"claims":[{"name":"b"}]}})");
  CHECK(merged("containers: [{name: a, env: [{name: X, value: 1}]}]",
               "containers: [{name: a, env: [{name: Z, value: 2}]}]") ==
        R"({"containers":[{"env":[{"name":"Z","value":2},{"name":"X","value":1}],"name":"a"}]})");
}

TEST_CASE("what Go leaves out of the patch changes nothing") {
  const std::string base = "{hostname: a, hostNetwork: true, tolerations: [{key: a}]}";
  const std::string same = merged(base, "{}");
  CHECK(merged(base, "{hostname: '', hostNetwork: false, tolerations: []}") == same);
  CHECK(merged(base, "{hostname: null, hostNetwork: null, tolerations: null}") == same);
  CHECK(merged("tty: true", "tty: false", MergeType::container) == R"({"tty":true})");
}

TEST_CASE("what Go keeps in the patch counts, be it empty") {
  // Pointers keep their zero, maps their empty values, and an empty struct exists.
  CHECK(merged("automountServiceAccountToken: true", "automountServiceAccountToken: false") ==
        R"({"automountServiceAccountToken":false})");
  CHECK(merged("terminationGracePeriodSeconds: 5", "terminationGracePeriodSeconds: 0") ==
        R"({"terminationGracePeriodSeconds":0})");
  CHECK(merged("nodeSelector: {a: b}", "nodeSelector: {a: ''}") == R"({"nodeSelector":{"a":""}})");
  CHECK(merged("{}", "volumes: [{name: a, emptyDir: {}}]") ==
        R"({"volumes":[{"emptyDir":{},"name":"a"}]})");
}

TEST_CASE("items of one name in the patch merge into each other, later ones on top") {
  CHECK(merged("env: [{name: A, value: x}]", "env: [{name: A, value: y}, {name: A, value: z}]",
               MergeType::container) == R"({"env":[{"name":"A","value":"z"}]})");
  CHECK(merged("{}", "env: [{value: x}, {value: z}]", MergeType::container) ==
        R"({"env":[{"value":"x"},{"value":"z"}]})");
}

TEST_CASE("every leaf of the result is the node of the side that has it") {
  const test::Parsed base("nodeSelector: {a: one, b: two}");
  const test::Parsed patch("nodeSelector: {b: three}");
  Arena arena;
  const yaml::Node& result =
      strategic_merge(arena, base.root(), patch.root(), MergeType::pod_spec)["nodeSelector"];
  CHECK(&result["a"] == &base.root()["nodeSelector"]["a"]);
  CHECK(&result["b"] == &patch.root()["nodeSelector"]["b"]);
}

TEST_CASE("either side may be missing, or of another kind than its type has") {
  const test::Parsed pod("hostname: a");
  Arena arena;
  const yaml::Node& missing = yaml::missing_node();
  CHECK(test::compact(strategic_merge(arena, pod.root(), missing, MergeType::pod_spec)) ==
        R"({"hostname":"a"})");
  CHECK(test::compact(strategic_merge(arena, missing, pod.root(), MergeType::pod_spec)) ==
        R"({"hostname":"a"})");
  CHECK(merged("{containers: a, volumes: {b: c}}", "{containers: [{name: d}], volumes: e}") ==
        R"({"containers":[{"name":"d"}],"volumes":"e"})");
}

TEST_CASE("lists of 20,000 entries merge by hashing") {
  std::string base = "env:\n";
  std::string patch = base;
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) {
    base += fmt::format("- {{name: E{}}}\n", i);
    patch += fmt::format("- {{name: E{}, value: x}}\n", kMany - i);
  }
  const test::Parsed below(base);
  const test::Parsed above(patch);
  Arena arena;
  const yaml::Node& env =
      strategic_merge(arena, below.root(), above.root(), MergeType::container)["env"];
  CHECK(env.items().size() == kMany + 1);
}

TEST_CASE("aliases that repeat a long list many times are not merged again and again") {
  std::string text = "x: &x {name: a, env: [";
  for (int i = 0; i < 1000; ++i) text += fmt::format("{{name: E{}, value: v}}, ", i);
  text += "]}\ncontainers: [";
  for (int i = 0; i < 100; ++i) text += "*x, ";
  const test::Parsed parsed(text + "]\n");
  Arena arena;
  const yaml::Node& root = parsed.root();
  const yaml::Node& result = strategic_merge(arena, root, root, MergeType::pod_spec);
  CHECK(result["containers"].at(0)["env"].items().size() == 1000);
}

}  // namespace cnsched::k8s
