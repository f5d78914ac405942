#include "core/accelerators/conflict.h"
#include "testdata/support.h"

namespace cnsched::accelerators::conflict_test {

/// The pod with this nodeSelector and these required terms.
Parsed pod_with(const std::string& selector, const std::string& terms) {
  return Parsed(fmt::format(
      "{{nodeSelector: {}, affinity: {{nodeAffinity: "
      "{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {}}}}}}}}}",
      selector, terms));
}

/// The conflict between two authors as "label / other label". Quoted labels and all expressions
/// belong to one author, plain labels to the other.
std::string between_authors(const std::string& selector, const std::string& terms = "[]") {
  const Parsed pod = pod_with(selector, terms);
  const auto author_of = [](const yaml::Node& node) -> std::size_t {
    return node.is_mapping() || node.quoted ? 1 : 0;
  };
  const auto found = conflict_between_authors(k8s::PodSpec(pod.root()), author_of);
  if (!found) return "";
  const std::string pair =
      fmt::format("{} / {}", found->labels.front().key, found->labels.back().key);
  if (!found->difference) return pair;
  const Difference& difference = *found->difference;
  return fmt::format("{}: {} {} or {}", pair, name_of(difference.trait), difference.first,
                     difference.last);
}

/// The conflicts within a pod as "key / key; key / key", and ": never" if no node is left.
std::string within_pod(const std::string& selector, const std::string& terms = "[]",
                       DemandKind kind = DemandKind::labels) {
  const Parsed pod = pod_with(selector, terms);
  const SelectorConflicts all = selector_conflicts(k8s::PodSpec(pod.root()), kind);
  std::string text;
  for (const Conflict& one : all.found) {
    text += text.empty() ? "" : "; ";
    for (const k8s::Requirement& r : one.labels) {
      text += fmt::format("{}{}", &r == one.labels.data() ? "" : " / ", r.key);
    }
    if (one.difference) {
      text += fmt::format(" ({} or {})", one.difference->first, one.difference->last);
    }
  }
  return text + (all.leaves_no_node ? ": never" : "");
}

/// The conflicts over accelerators as "label without device;" or "label or other label;".
std::string over_accelerators(const std::string& text) {
  const Parsed pod(text);
  std::string all;
  for (const Conflict& conflict : accelerator_conflicts(k8s::PodSpec(pod.root()))) {
    all += fmt::format("{}{};", conflict.labels.back().key,
                       conflict.device ? fmt::format(" without {}", conflict.device->name)
                       : conflict.labels.size() > 1
                           ? fmt::format(" or {}", conflict.labels.front().key)
                           : "");
  }
  return all;
}

std::string terms(const std::string& expressions) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [" +
         expressions + "]}}}\n";
}

const std::string kGpu = "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]\n";
const std::string kAmd =
    "{matchExpressions: [{key: amd.com/gpu.family, operator: In, values: [AI]}]}";
const std::string kNvidia =
    "{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4]}]}";

TEST_CASE("labels of two authors conflict if they name different cards") {
  CHECK(between_authors(
            "{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: 'Tesla-T4'}") ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: card L4 or T4");
  CHECK(between_authors(
            "{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: 'NVIDIA-L4'}")
            .empty());
}

TEST_CASE("labels of two authors conflict if they name different vendors or memory sizes") {
  CHECK(between_authors("{nvidia.com/gpu.present: a, amd.com/gpu.family: 'AI'}") ==
        "nvidia.com/gpu.present / amd.com/gpu.family: vendor NVIDIA or AMD");
  CHECK(between_authors("{cloud.google.com/gke-accelerator: nvidia-a100-80gb, "
                        "nvidia.com/gpu.product: 'NVIDIA-A100-SXM4-40GB'}") ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: "
        "card A100 with 80 GB or A100 with 40 GB");
  CHECK(between_authors("{nvidia.com/gpu.present: a, intel.feature.node.kubernetes.io/gpu: 'true'}")
            .empty());
}

TEST_CASE("an expression conflicts if none of its values names the same card") {
  const auto product = [](const std::string& values) {
    return "[{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: " + values +
           "}]}]";
  };
  const char* gke = "{cloud.google.com/gke-accelerator: nvidia-l4}";
  CHECK(between_authors(gke, product("[Tesla-T4, NVIDIA-A10]")) ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: card L4 or T4 or A10");
  CHECK(between_authors(gke, product("[Tesla-T4, NVIDIA-L4]")).empty());
  CHECK(between_authors(gke, product("[Tesla-T4, my-own-card]")).empty());
}

TEST_CASE("ignores a conflict within the demands of one author") {
  CHECK(between_authors(
            "{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: Tesla-T4}")
            .empty());
}

TEST_CASE("finds a label of the other author among labels of one value") {
  CHECK(between_authors("{eks.amazonaws.com/nodegroup: 'a', karpenter.k8s.aws/instance-family: g5, "
                        "cloud.google.com/gke-nodepool: 'b'}") ==
        "karpenter.k8s.aws/instance-family / cloud.google.com/gke-nodepool: cloud provider EKS or "
        "GKE");
}

TEST_CASE("a selector conflicts with the affinity only if it conflicts with every term") {
  const char* other = "{matchExpressions: [{key: pool, operator: In, values: [b]}]}";
  const char* same = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";
  const char* field = "{matchFields: [{key: metadata.name, operator: In, values: [n]}]}";
  CHECK(between_authors("{pool: a}", fmt::format("[{}]", other)) == "pool / pool");
  CHECK(between_authors("{pool: a}", fmt::format("[{0}, {0}]", other)) == "pool / pool");
  CHECK(between_authors("{pool: a}", fmt::format("[{}, {}]", other, same)).empty());
  CHECK(between_authors("{pool: a}", fmt::format("[{}, {}]", other, field)).empty());
  CHECK(between_authors("{pool: a}", fmt::format("[{}, {{}}]", other)) == "pool / pool");
  CHECK(between_authors("{pool: a}", "[{}]").empty());
}

TEST_CASE("a deprecated label conflicts with its successor") {
  CHECK(between_authors("{beta.kubernetes.io/arch: amd64, kubernetes.io/arch: 'arm64'}") ==
        "beta.kubernetes.io/arch / kubernetes.io/arch");
}

TEST_CASE("a term applies together with the selector") {
  const char* other = "{matchExpressions: [{key: pool, operator: In, values: [b]}]}";
  const char* same = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";
  CHECK(within_pod("{pool: a}", fmt::format("[{}]", other)) == "pool / pool: never");
  CHECK(within_pod("{pool: a}", fmt::format("[{}, {}]", other, same)) == "pool / pool");
  CHECK(within_pod("{pool: a}", fmt::format("[{}, {{}}]", other)) == "pool / pool: never");
  CHECK(within_pod("{pool: a}", fmt::format("[{}]", same)).empty());
  CHECK(within_pod("{pool: a}", "[{}]").empty());
}

TEST_CASE("labels conflict if they name different cards or vendors") {
  CHECK(within_pod("{cloud.google.com/gke-accelerator: nvidia-l4, "
                   "nvidia.com/gpu.product: Tesla-T4}") ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product (L4 or T4): never");
  CHECK(within_pod("{nvidia.com/gpu.present: 'true', amd.com/gpu.family: AI}") ==
        "nvidia.com/gpu.present / amd.com/gpu.family (NVIDIA or AMD): never");
  CHECK(within_pod("{cloud.google.com/gke-accelerator: nvidia-l4, "
                   "nvidia.com/gpu.product: NVIDIA-L4}")
            .empty());
  CHECK(within_pod("{nvidia.com/gpu.product: Tesla-T4}",
                   "[{matchExpressions: [{key: gpu.nvidia.com/class, operator: In, values: "
                   "[A40, RTX_A6000]}]}]") ==
        "nvidia.com/gpu.product / gpu.nvidia.com/class (T4 or A40 or A6000): never");
}

TEST_CASE("reports labels of two clouds as a separate subject") {
  const char* both =
      "{cloud.google.com/gke-accelerator: nvidia-l4, karpenter.k8s.aws/instance-gpu-name: t4}";
  CHECK(within_pod(both).empty());
  CHECK(within_pod(both, "[]", DemandKind::clouds) ==
        "cloud.google.com/gke-accelerator / karpenter.k8s.aws/instance-gpu-name (GKE or EKS): "
        "never");
  CHECK(within_pod("{pool: a, beta.kubernetes.io/arch: amd64, kubernetes.io/arch: arm64}", "[]",
                   DemandKind::clouds)
            .empty());
  CHECK(within_pod("{}",
                   "[{matchExpressions: [{key: eks.amazonaws.com/nodegroup, operator: Exists}]},"
                   " {matchExpressions: [{key: kubernetes.azure.com/agentpool, operator: "
                   "Exists}]}]",
                   DemandKind::clouds)
            .empty());
}

TEST_CASE("a node has one name") {
  CHECK(within_pod("{}",
                   "[{matchFields: [{key: metadata.name, operator: In, values: [a]}, "
                   "{key: metadata.name, operator: In, values: [b]}]}]") ==
        "metadata.name / metadata.name: never");
  // A label may have the name of the field.
  CHECK(within_pod("{metadata.name: a}",
                   "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]")
            .empty());
}

TEST_CASE("ignores extremely long lists") {
  std::string values;
  for (int i = 0; i < 1000; ++i) values += "b,";
  std::string expressions;
  for (int i = 0; i < 400; ++i) {
    expressions += i == 0 ? "&e {key: pool, operator: In, values: [" + values + "]}," : "*e,";
  }
  CHECK(within_pod("{pool: a}", "[{matchExpressions: [" + expressions + "]}]").empty());
}

TEST_CASE("reports a conflict only if every term has one") {
  CHECK(over_accelerators(kGpu + terms(kAmd)) == "amd.com/gpu.family without nvidia.com/gpu;");
  CHECK(over_accelerators(kGpu + terms(kAmd + ", " + kNvidia)) == "");
  CHECK(over_accelerators(kGpu + terms(kAmd + ", {}")) ==
        "amd.com/gpu.family without nvidia.com/gpu;");
  CHECK(over_accelerators(kGpu + terms("")) == "");
}

TEST_CASE("reports one conflict between labels and one with a device") {
  const std::string selector =
      "nodeSelector: {nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.family: hopper}\n";
  CHECK(over_accelerators(selector + "containers: [{resources: {limits: {amd.com/gpu: 1}}}]\n") ==
        "nvidia.com/gpu.family or nvidia.com/gpu.product;"
        "nvidia.com/gpu.product without amd.com/gpu;");
}

TEST_CASE("leaves labels of two cards to selector_conflicts, but compares a family with a card") {
  CHECK(over_accelerators("nodeSelector: {nvidia.com/gpu.product: Tesla-T4, "
                          "cloud.google.com/gke-accelerator: nvidia-l4}\n") == "");
  CHECK(over_accelerators("nodeSelector: {nvidia.com/gpu.product: Tesla-T4, "
                          "nvidia.com/gpu.family: hopper}\n") != "");
}

TEST_CASE("handles a selector of 20,000 labels") {
  std::string selector = "nodeSelector:\n";
  for (int i = 0; i < 20'000; ++i) selector += fmt::format("  amd.com/gpu.x{}: a\n", i);
  CHECK(over_accelerators(selector + kGpu) == "amd.com/gpu.x0 without nvidia.com/gpu;");
}

/// Requirements written as YAML; their nodes live as long as this does.
struct Requirements {
  explicit Requirements(const std::string& text)
      : list("[" + text + "]"), all(k8s::requirements_in(list.root())) {}
  Parsed list;
  std::vector<k8s::Requirement> all;
};

std::string in(const std::string& key, const std::string& values) {
  return "{key: " + key + ", operator: In, values: [" + values + "]}";
}

std::string between(const std::string& a, const std::string& b) {
  const Requirements both(a + ", " + b);
  const auto conflict = conflict_between_labels(both.all[0], both.all[1]);
  const auto reversed = conflict_between_labels(both.all[1], both.all[0]);
  CHECK(conflict.has_value() == reversed.has_value());
  return conflict ? conflict->reason : "";
}

std::string with(const std::string& label, std::string_view resource, std::int64_t amount = 1) {
  const Requirements one(label);
  const auto conflict = conflict_with_device(one.all[0], {resource, amount});
  return conflict ? conflict->reason : "";
}

const std::string kProduct = "nvidia.com/gpu.product";
const std::string kGke = "cloud.google.com/gke-accelerator";

TEST_CASE("does not compare labels that differ in card, vendor or cloud") {
  CHECK(between(in(kProduct, "NVIDIA-A100-SXM4-40GB"), in(kGke, "nvidia-a100-80gb")) == "");
  CHECK(between(in(kProduct, "Tesla-T4"), in("amd.com/gpu.family", "AI")) == "");
  CHECK(between(in(kGke, "nvidia-l4"), in("karpenter.k8s.aws/instance-gpu-name", "t4")) == "");
}

TEST_CASE("compares memory with the largest allowed card") {
  const auto memory = [](const std::string& expression, const std::string& products) {
    return between("{key: nvidia.com/gpu.memory, " + expression + "}", in(kProduct, products));
  };
  CHECK(memory("operator: Gt, values: ['40000']", "Tesla-T4") != "");
  CHECK(memory("operator: Gt, values: ['40000']", "Tesla-T4, NVIDIA-L40S") == "");
  CHECK(memory("operator: Gt, values: ['79000']", "NVIDIA-H100-80GB-HBM3") == "");
  CHECK(memory("operator: In, values: ['15360']", "Tesla-T4") == "");
  CHECK(memory("operator: In, values: ['81920']", "Tesla-T4") != "");
  for (const char* odd : {"'9223372036854775807'", "'-1'", "80Gi", "", "'1', '2'"}) {
    INFO(odd);
    CHECK(memory(std::string("operator: Gt, values: [") + odd + "]", "Tesla-T4") == "");
  }
}

TEST_CASE("a family or partition that the card does not have is a conflict") {
  CHECK(between(in("nvidia.com/gpu.family", "hopper"), in(kProduct, "NVIDIA-L4")) != "");
  CHECK(between(in("nvidia.com/gpu.family", "hopper, ada-lovelace"), in(kProduct, "NVIDIA-L4")) ==
        "");
  const std::string partition = "cloud.google.com/gke-gpu-partition-size";
  CHECK(between(in(partition, "1g.5gb"), in(kGke, "nvidia-a100-80gb")) ==
        "A100 with 80 GB has no MIG profile 1g.5gb");
  CHECK(between(in(partition, "1g.10gb"), in(kGke, "nvidia-a100-80gb")) == "");
}

TEST_CASE("a device of another vendor is a conflict") {
  CHECK(with(in(kProduct, "NVIDIA-L4"), "amd.com/gpu") == "they have NVIDIA accelerators");
  CHECK(with(in(kProduct, "NVIDIA-L4"), "nvidia.com/gpu") == "");
  CHECK(with(in(kProduct, "NVIDIA-L4"), "gpu.intel.com/i915") == "");
  CHECK(with(in("node.kubernetes.io/instance-type", "inf2.xlarge"), "nvidia.com/gpu") != "");
  CHECK(with(in("eks.amazonaws.com/instance-family", "inf2"), "nvidia.com/gpu") != "");
  CHECK(with(in("eks.amazonaws.com/instance-category", "g"), "amd.com/gpu") == "");
  CHECK(with(in("node.kubernetes.io/instance-type", "inf2.xlarge, x9.large"), "nvidia.com/gpu") ==
        "");
  CHECK(with(in("cloud.google.com/gke-tpu-topology", "2x4"), "nvidia.com/gpu") ==
        "they have Google TPU accelerators");
}

TEST_CASE(
    "a slice that the card does not have, or that the nodes offer as whole cards, is a conflict") {
  CHECK(with(in(kProduct, "NVIDIA-H100-80GB-HBM3"), "nvidia.com/mig-1g.5gb") != "");
  CHECK(with(in(kProduct, "NVIDIA-H100-80GB-HBM3"), "nvidia.com/mig-1g.10gb") == "");
  CHECK(with(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"), "nvidia.com/mig-1g.5gb") != "");
  CHECK(with(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"), "nvidia.com/gpu") == "");
  const Requirements gke(in("cloud.google.com/gke-spot", "'true'"));
  CHECK(conflict_with_gke(gke.all[0], {"nvidia.com/mig-1g.5gb", 1}));
  CHECK_FALSE(conflict_with_gke(gke.all[0], {"nvidia.com/gpu", 1}));
}

TEST_CASE("requesting more devices than a node has is a conflict unless they are shared") {
  const std::string count = in("nvidia.com/gpu.count", "'1', '2'");
  CHECK(with(count, "nvidia.com/gpu", 4) == "they have 2 each");
  CHECK(with(count, "nvidia.com/gpu", 2) == "");
  CHECK(with(count, "amd.com/gpu", 1) == "they have NVIDIA accelerators");
  CHECK(with(in("nvidia.com/gpu.count", "many"), "nvidia.com/gpu", 4) == "");
  CHECK(with("{key: nvidia.com/gpu.count, operator: Lt, values: ['4']}", "nvidia.com/gpu", 8) ==
        "they have 3 each");
  CHECK(with(in("node.kubernetes.io/instance-type", "g5.xlarge"), "nvidia.com/gpu", 2) != "");
  const Requirements whole(in(kProduct, "Tesla-T4") + ", " + in(kProduct, "Tesla-T4-SHARED"));
  CHECK(excludes_sharing(whole.all[0]));
  CHECK_FALSE(excludes_sharing(whole.all[1]));
}

TEST_CASE("a product with a slice that its card does not have is a conflict") {
  const Requirements products(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-3g.71gb") + ", " +
                              in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb-SHARED") + ", " +
                              in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-INVALID"));
  CHECK(conflict_of_label(products.all[0]));
  CHECK_FALSE(conflict_of_label(products.all[1]));
  CHECK_FALSE(conflict_of_label(products.all[2]));
}

}  // namespace cnsched::accelerators::conflict_test
