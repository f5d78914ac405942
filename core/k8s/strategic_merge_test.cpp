#include "core/k8s/schema/schema.h"
#include "core/k8s/struct_merge.h"
#include "testdata/support.h"

namespace cnsched::k8s::strategic_merge_test {

std::string merged(const std::string& base, const std::string& patch,
                   std::string_view type = "PodSpec") {
  const Parsed parsed_base(base);
  const Parsed parsed_patch(patch);
  Arena arena;
  return compact(strategic_merge(arena, parsed_base.root(), parsed_patch.root(), type));
}

/// The names of a list after the merge.
std::string order(const std::string& base, const std::string& patch) {
  const Parsed parsed_base("volumes: " + base);
  const Parsed parsed_patch("volumes: " + patch);
  Arena arena;
  const yaml::Node& result =
      strategic_merge(arena, parsed_base.root(), parsed_patch.root(), "PodSpec");
  std::string names;
  for (const yaml::Node* item : result["volumes"].items()) names += (*item)["name"].text();
  return names;
}

std::string named(std::string_view names) {
  std::string list;
  for (const char name : names) list += fmt::format("{{name: {}}}, ", name);
  return "[" + list + "]";
}

TEST_CASE("mappings merge, lists without a key are replaced, the patch wins") {
  CHECK(merged("{nodeSelector: {a: 1, b: 2}, hostname: x}", "{nodeSelector: {b: 3, c: 4}}") ==
        R"({"hostname":"x","nodeSelector":{"a":1,"b":3,"c":4}})");
  CHECK(merged("tolerations: [{key: a}, {key: b}]", "tolerations: [{key: c}]") ==
        R"({"tolerations":[{"key":"c"}]})");
  CHECK(merged("affinity: {nodeAffinity: {x: [1]}}", "affinity: {nodeAffinity: {x: [2]}, p: {}}") ==
        R"({"affinity":{"nodeAffinity":{"x":[2]},"p":{}}})");
}

TEST_CASE("a keyed list has the order that Kubernetes produces") {
  // The patch's items keep their order. An item that only the base has comes before the first item
  // of the patch that follows it in the base, else at the end.
  CHECK(order(named("abc"), named("b")) == "abc");
  CHECK(order(named("abc"), named("ca")) == "bca");
  CHECK(order(named("ab"), named("x")) == "xab");
  CHECK(order(named("abcd"), named("xcy")) == "xabcyd");
  CHECK(order(named("ab"), named("ba")) == "ba");
  CHECK(order("[]", named("ab")) == "ab");
}

TEST_CASE("lists merge by the key of their Go type") {
  CHECK(merged("ports: [{containerPort: 80, name: a}]", "ports: [{containerPort: 80, hostPort: 1}]",
               "Container") == R"({"ports":[{"containerPort":80,"hostPort":1,"name":"a"}]})");
  CHECK(merged("volumeMounts: [{mountPath: /a, name: x}]",
               "volumeMounts: [{mountPath: /a, name: w}]",
               "Container") == R"({"volumeMounts":[{"mountPath":"/a","name":"w"}]})");
  CHECK(merged("resources: {claims: [{name: a}]}", "resources: {claims: [{name: b}]}",
               "Container") == R"({"resources":{"claims":[{"name":"b"}]}})");
  CHECK(merged("containers: [{name: a, env: [{name: X, value: 1}]}]",
               "containers: [{name: a, env: [{name: Z, value: 2}]}]") ==
        R"({"containers":[{"env":[{"name":"Z","value":2},{"name":"X","value":1}],"name":"a"}]})");
}

TEST_CASE("the lists of a pod that merge by a key are those with a patchMergeKey upstream [P56]") {
  const auto merges_by = [](std::string_view type) {
    std::string all;
    for (const schema::Field& field : schema::type_named(type)->fields()) {
      if (field.type->form != schema::Form::list || field.keys.empty()) continue;
      const std::string list = fmt::format("{}: [{{{}: 1}}]", field.name, field.keys.front());
      const std::string both = fmt::format("{}: [{{{}: 2}}]", field.name, field.keys.front());
      const bool is_merged = merged(list, both, type) != merged("{}", both, type);
      if (is_merged) all += fmt::format("{} {}, ", field.name, field.keys.front());
    }
    return all;
  };
  CHECK(merges_by("PodSpec") ==
        "containers name, ephemeralContainers name, hostAliases ip, imagePullSecrets name, "
        "initContainers name, resourceClaims name, schedulingGates name, "
        "topologySpreadConstraints topologyKey, volumes name, ");
  CHECK(merges_by("Container") ==
        "env name, ports containerPort, volumeDevices devicePath, volumeMounts mountPath, ");
  CHECK(merges_by("ResourceRequirements") == "");
}

TEST_CASE("values that Go omits from the patch change nothing") {
  const std::string base = "{hostname: a, hostNetwork: true, tolerations: [{key: a}]}";
  const std::string same = merged(base, "{}");
  CHECK(merged(base, "{hostname: '', hostNetwork: false, tolerations: []}") == same);
  CHECK(merged(base, "{hostname: null, hostNetwork: null, tolerations: null}") == same);
  CHECK(merged("tty: true", "tty: false", "Container") == R"({"tty":true})");
}

TEST_CASE("empty values that Go keeps in the patch count") {
  // Pointers keep their zero, maps their empty values, and an empty struct exists.
  CHECK(merged("automountServiceAccountToken: true", "automountServiceAccountToken: false") ==
        R"({"automountServiceAccountToken":false})");
  CHECK(merged("terminationGracePeriodSeconds: 5", "terminationGracePeriodSeconds: 0") ==
        R"({"terminationGracePeriodSeconds":0})");
  CHECK(merged("nodeSelector: {a: b}", "nodeSelector: {a: ''}") == R"({"nodeSelector":{"a":""}})");
  CHECK(merged("{}", "volumes: [{name: a, emptyDir: {}}]") ==
        R"({"volumes":[{"emptyDir":{},"name":"a"}]})");
}

TEST_CASE("items with one name in the patch merge, later ones win") {
  CHECK(merged("env: [{name: A, value: x}]", "env: [{name: A, value: y}, {name: A, value: z}]",
               "Container") == R"({"env":[{"name":"A","value":"z"}]})");
  CHECK(merged("{}", "env: [{value: x}, {value: z}]", "Container") ==
        R"({"env":[{"value":"x"},{"value":"z"}]})");
}

TEST_CASE("every leaf of the result is a node of either side") {
  const Parsed base("nodeSelector: {a: one, b: two}");
  const Parsed patch("nodeSelector: {b: three}");
  Arena arena;
  const yaml::Node& result =
      strategic_merge(arena, base.root(), patch.root(), "PodSpec")["nodeSelector"];
  CHECK(&result.under("a") == &base.root()["nodeSelector"].under("a"));
  CHECK(&result.under("b") == &patch.root()["nodeSelector"].under("b"));
}

TEST_CASE("either side may be missing, or of another kind than its type") {
  const Parsed pod("hostname: a");
  Arena arena;
  const yaml::Node& missing = yaml::missing_node();
  CHECK(compact(strategic_merge(arena, pod.root(), missing, "PodSpec")) == R"({"hostname":"a"})");
  CHECK(compact(strategic_merge(arena, missing, pod.root(), "PodSpec")) == R"({"hostname":"a"})");
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
  const Parsed parsed_base(base);
  const Parsed parsed_patch(patch);
  Arena arena;
  const yaml::Node& env =
      strategic_merge(arena, parsed_base.root(), parsed_patch.root(), "Container")["env"];
  CHECK(env.items().size() == kMany + 1);
}

TEST_CASE("aliases of a long list are merged within the budget") {
  std::string text = "x: &x {name: a, env: [";
  for (int i = 0; i < 1000; ++i) text += fmt::format("{{name: E{}, value: v}}, ", i);
  text += "]}\ncontainers: [";
  for (int i = 0; i < 100; ++i) text += "*x, ";
  const Parsed parsed(text + "]\n");
  Arena arena;
  const yaml::Node& root = parsed.root();
  const yaml::Node& result = strategic_merge(arena, root, root, "PodSpec");
  CHECK(result["containers"].at(0)["env"].items().size() == 1000);
}

bool contains(const std::string& text) { return contains_patch_directive(Parsed(text).root()); }

TEST_CASE("finds a patch directive at any depth") {
  CHECK(contains("{kind: Pod, $patch: delete}"));
  CHECK(contains("spec: {tolerations: [{$patch: replace}]}"));
  CHECK(contains("spec: {strategy: {$retainKeys: [type]}}"));
  CHECK(contains("spec: {$setElementOrder/containers: [{name: a}]}"));
  CHECK(contains("metadata: {$deleteFromPrimitiveList/finalizers: [a]}"));
  CHECK(contains("a: &a {$patch: delete}\nb: *a\n"));
}

TEST_CASE("does not mistake similar keys for patch directives") {
  CHECK_FALSE(contains("spec: {containers: [{name: $patch, args: ['$patch: delete']}]}"));
  CHECK_FALSE(contains("metadata: {annotations: {$patches: a, patch: b, $setElementOrder: c}}"));
  CHECK_FALSE(contains("data: {patch.yaml: '{$patch: delete}'}"));
  CHECK_FALSE(contains(""));
}

}  // namespace cnsched::k8s::strategic_merge_test
