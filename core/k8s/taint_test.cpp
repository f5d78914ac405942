#include "core/k8s/taint.h"
#include "testdata/support.h"

namespace cnsched::k8s::taint_test {

/// Whether a toleration written as YAML tolerates the taint written as YAML.
bool tolerates(const std::string& toleration, const std::string& taint) {
  const Parsed tolerations("[" + toleration + "]");
  const Parsed taints("[" + taint + "]");
  REQUIRE(tolerations_in(tolerations.root()).size() == 1);
  REQUIRE(taints_in(taints.root()).size() == 1);
  return tolerations_in(tolerations.root()).front().tolerates(taints_in(taints.root()).front());
}

/// The first effect for which the tolerations do not cover `other`, or "".
std::string uncovered(const std::string& other, const std::string& tolerations) {
  const Parsed one("[" + other + "]");
  const Parsed list("[" + tolerations + "]");
  const TolerationSet set(tolerations_in(list.root()));
  return std::string(set.uncovered_effect(tolerations_in(one.root()).front()).value_or(""));
}

constexpr const char* kPresent = "{key: nvidia.com/gpu, value: present, effect: NoSchedule}";
constexpr const char* kNoValue = "{key: nvidia.com/gpu, effect: NoSchedule}";
constexpr const char* kEvicting = "{key: nvidia.com/gpu, value: present, effect: NoExecute}";

TEST_CASE("Exists tolerates every value of its key, and no other key") {
  const char* exists = "{key: nvidia.com/gpu, operator: Exists}";
  CHECK(tolerates(exists, kPresent));
  CHECK(tolerates(exists, kNoValue));
  CHECK(tolerates(exists, kEvicting));
  CHECK_FALSE(tolerates(exists, "{key: nvidia.com/gpu.shared, effect: NoSchedule}"));
  CHECK_FALSE(tolerates(exists, "{key: NVIDIA.com/gpu, effect: NoSchedule}"));
}

TEST_CASE("an omitted operator is Equal, so without a value only the empty one is tolerated") {
  const char* bare = "{key: nvidia.com/gpu, effect: NoSchedule}";
  CHECK(tolerates(bare, kNoValue));
  CHECK(tolerates(bare, R"({key: nvidia.com/gpu, value: "", effect: NoSchedule})"));
  CHECK_FALSE(tolerates(bare, kPresent));
  CHECK(tolerates(R"({key: nvidia.com/gpu, operator: "", value: present})", kPresent));
}

TEST_CASE("Equal compares values byte for byte") {
  CHECK(tolerates("{key: nvidia.com/gpu, operator: Equal, value: present}", kPresent));
  CHECK_FALSE(tolerates("{key: nvidia.com/gpu, operator: Equal, value: Present}", kPresent));
  CHECK_FALSE(tolerates(R"({key: nvidia.com/gpu, operator: Equal, value: "true"})", kPresent));
}

TEST_CASE("a toleration without effect covers all effects, one with an effect only that one") {
  CHECK(tolerates("{key: nvidia.com/gpu, operator: Exists}", kEvicting));
  CHECK_FALSE(tolerates("{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}", kEvicting));
  CHECK_FALSE(tolerates("{key: nvidia.com/gpu, operator: Exists, effect: NoExecute}", kPresent));
}

TEST_CASE("Exists without a key tolerates everything of its effect") {
  CHECK(tolerates("{operator: Exists}", kPresent));
  CHECK(tolerates("{operator: Exists}", kEvicting));
  CHECK_FALSE(tolerates("{operator: Exists, effect: NoSchedule}", kEvicting));
}

TEST_CASE("unknown and gated operators tolerate nothing") {
  for (const std::string op : {"exists", "equal", "In", "Lt", "Gt"}) {
    CAPTURE(op);
    CHECK_FALSE(tolerates("{key: nvidia.com/gpu, operator: " + op + ", value: present}", kPresent));
  }
}

TEST_CASE("one of several tolerations is enough") {
  const Parsed list("[{key: sku, operator: Exists}, {key: nvidia.com/gpu, value: present}]");
  const Parsed taints(std::string("[") + kPresent + "]");
  const Taint taint = taints_in(taints.root()).front();
  CHECK(tolerated(taint, tolerations_in(list.root())));
  CHECK_FALSE(tolerated(taint, {}));
}

TEST_CASE("the spellings of other APIs become Kubernetes' effects") {
  const Parsed list(
      "[{effect: NO_SCHEDULE}, {effect: no-execute}, {effect: PREFER_NO_SCHEDULE},"
      " {effect: NoSchedule}, {effect: noschedule}]");
  const auto taints = taints_in(list.root());
  REQUIRE(taints.size() == 5);
  CHECK(taints[0].effect == kNoSchedule);
  CHECK(taints[1].effect == kNoExecute);
  CHECK(taints[2].effect == kPreferNoSchedule);
  CHECK(taints[3].effect == kNoSchedule);
  CHECK_FALSE(is_taint_effect(taints[4].effect));
}

TEST_CASE("PreferNoSchedule repels no pod") {
  const Parsed list(
      "[{key: a, effect: PreferNoSchedule}, {key: a, effect: NoSchedule},"
      " {key: a, effect: NoExecute}, {key: a}]");
  const auto taints = taints_in(list.root());
  REQUIRE(taints.size() == 4);
  CHECK_FALSE(taints[0].repels());
  CHECK(taints[1].repels());
  CHECK(taints[2].repels());
  CHECK_FALSE(taints[3].repels());
}

TEST_CASE("a node that is not a list of mappings has no taints and no tolerations") {
  for (const std::string text : {"nvidia.com/gpu", "{key: a}", "[a, null, [b]]", "null"}) {
    const Parsed parsed(text);
    CAPTURE(text);
    CHECK(taints_in(parsed.root()).empty());
    CHECK(tolerations_in(parsed.root()).empty());
  }
}

TEST_CASE("a toleration is covered by a wider one with the same key") {
  const char* exists = "{key: gpu, operator: Exists, effect: NoSchedule}";
  const char* equal = "{key: gpu, operator: Equal, value: a, effect: NoSchedule}";
  CHECK(uncovered(equal, exists) == "");
  CHECK(uncovered(equal, equal) == "");
  CHECK(uncovered(equal, "{key: gpu, value: a}") == "");
  CHECK(uncovered(equal, "{key: gpu, value: b}") == "NoSchedule");
  CHECK(uncovered(exists, equal) == "NoSchedule");
  CHECK(uncovered(exists, "") == "NoSchedule");
  CHECK(uncovered(exists, "{key: cpu, operator: Exists}") == "NoSchedule");
}

TEST_CASE("Exists without a key covers every key, and only itself covers it") {
  const char* all = "{operator: Exists}";
  CHECK(uncovered("{key: gpu, value: a, effect: NoExecute}", all) == "");
  CHECK(uncovered(all, "{key: gpu, operator: Exists}") == "NoSchedule");
  CHECK(uncovered(all, all) == "");
}

TEST_CASE("two tolerations of one effect each cover one without effect") {
  const char* any = "{key: gpu, operator: Exists}";
  const std::string schedule = "{key: gpu, operator: Exists, effect: NoSchedule}";
  const std::string execute = "{key: gpu, operator: Exists, effect: NoExecute}";
  CHECK(uncovered(any, schedule + ", " + execute) == "");
  CHECK(uncovered(any, schedule) == "NoExecute");
  CHECK(uncovered(any, execute) == "NoSchedule");
  CHECK(uncovered("{key: gpu, operator: Exists, effect: PreferNoSchedule}", "") == "");
}

TEST_CASE("unlimited toleration is not covered by a limited one") {
  const char* ever = "{key: gpu, operator: Exists, effect: NoExecute}";
  const char* minute = "{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 60}";
  const char* none = "{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: -1}";
  CHECK(uncovered(ever, minute) == "NoExecute");
  CHECK(uncovered(minute, ever) == "");
  CHECK(uncovered(minute, none) == "NoExecute");
  CHECK(uncovered("{key: gpu, operator: Exists, effect: NoSchedule}",
                  "{key: gpu, operator: Exists, tolerationSeconds: 60}") == "");
}

}  // namespace cnsched::k8s::taint_test

namespace cnsched::k8s::managed_taint_test {

TEST_CASE("recognizes taints that reflect a node's state") {
  CHECK(is_node_state_taint("node.kubernetes.io/unschedulable"));
  CHECK(is_node_state_taint("node.cloudprovider.kubernetes.io/uninitialized"));
  CHECK(is_node_state_taint("karpenter.sh/disrupted"));
  CHECK(is_node_state_taint("node.cilium.io/agent-not-ready"));
  CHECK(is_node_state_taint("ToBeDeletedByClusterAutoscaler"));
  CHECK_FALSE(is_node_state_taint("node-role.kubernetes.io/control-plane"));
  CHECK_FALSE(is_node_state_taint("kubernetes.io/arch"));
  CHECK_FALSE(is_node_state_taint("nvidia.com/gpu"));
}

TEST_CASE("recognizes taints that a controller sets") {
  CHECK(is_managed_taint("node.kubernetes.io/not-ready"));
  CHECK(is_managed_taint("node-role.kubernetes.io/master"));
  CHECK(is_managed_taint("kubernetes.io/arch"));
  CHECK(is_managed_taint("kaito.sh/workspace"));
  CHECK(is_managed_taint("CriticalAddonsOnly"));
  CHECK_FALSE(is_managed_taint("node-role.kubernetes.io/gpu"));
  CHECK_FALSE(is_managed_taint("dedicated"));
}

TEST_CASE("recognizes taints that AKS sets") {
  CHECK(is_set_by_aks("kubernetes.azure.com/scalesetpriority"));
  CHECK_FALSE(is_set_by_aks("sku"));
}

TEST_CASE("recognizes both control-plane taints") {
  CHECK(is_control_plane_taint("node-role.kubernetes.io/control-plane"));
  CHECK(is_control_plane_taint("node-role.kubernetes.io/master"));
  CHECK_FALSE(is_control_plane_taint("node-role.kubernetes.io/gpu"));
}

}  // namespace cnsched::k8s::managed_taint_test
