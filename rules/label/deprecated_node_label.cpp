
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/k8s/node_label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule label_deprecated_node_label = {
    .id = "deprecated-node-label",
    .severity = Severity::warning,
    .summary = "a node label that Kubernetes or AKS has deprecated",
    .why =
        "When a platform drops the old labels, nothing matches them any more and every new pod "
        "stays Pending. Today nodes still carry beta.kubernetes.io/arch, os and instance-type and "
        "failure-domain.beta.kubernetes.io/zone and region beside the labels that replaced them "
        "years ago, so the pods run; node-role.kubernetes.io/master is gone from new nodes "
        "already. The API server warns of these labels in Pods and built-in workloads only, never "
        "in an InferenceService or a Seldon Server, so their authors do not hear of it.\n\n"
        "AKS has deprecated labels of its own (agentpool, accelerator: nvidia); they are reported "
        "where the pod, or the nodes of the linted files and those given by --cluster, show that "
        "it is AKS, unless a node of another platform carries them. The rule is silent where an "
        "affinity names the new label as an alternative.",
    .bad = R"(
nodeSelector:
  beta.kubernetes.io/instance-type: g5.xlarge
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
nodeSelector:
  node.kubernetes.io/instance-type: g5.xlarge
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/reference/labels-annotations-taints/",
    .check = check,
    .fix = Safety::safe,
};

using k8s::DeprecatedNodeLabel;
using yaml::Node;

namespace {

/// A place that names a node label.
struct Use {
  const Node* name;
  bool excludes = false;             ///< nodes with the label: NotIn, DoesNotExist
  std::string_view only_value = {};  ///< that is asked for, if it is one
};
using Uses = std::vector<Use>;

}  // namespace

static Uses uses_in(const std::vector<k8s::NodeSelectorTerm>& terms) {
  Uses uses;
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& r : term.expressions) {
      const bool is_one = r.op == "In" && r.values.size() == 1;
      uses.push_back({&(*r.node)["key"], r.op == "NotIn" || r.op == "DoesNotExist",
                      is_one ? r.values.front()->text() : std::string_view()});
    }
  }
  return uses;
}

/// Of spread constraints, or of terms of pod (anti-)affinity, which may stand in `wrapper`.
static void add_topology_keys(Uses& uses, const Node& list, std::string_view wrapper = {}) {
  for (const Node* item : list.items()) {
    const Node& term = wrapper.empty() ? *item : (*item)[wrapper];
    uses.push_back({.name = &term["topologyKey"]});
  }
}

/// What has to hold in any case, but for nodeSelector.
static Uses required_topology(const k8s::PodSpec& pod) {
  Uses uses;
  add_topology_keys(uses, pod["topologySpreadConstraints"]);
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    add_topology_keys(uses,
                      pod["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"]);
  }
  return uses;
}

static Uses preferred_topology(const k8s::PodSpec& pod) {
  Uses uses;
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    add_topology_keys(uses,
                      pod["affinity"][kind]["preferredDuringSchedulingIgnoredDuringExecution"],
                      "podAffinityTerm");
  }
  return uses;
}

static bool is_azures(std::string_view key, std::string_view value) {
  return key.starts_with("kubernetes.azure.com/") ||
         (key == "node.kubernetes.io/instance-type" && value.starts_with("Standard_"));
}

static bool is_azures(const k8s::Label& label) { return is_azures(label.key, label.value); }

/// Whether the pod, or the nodes of the run, are meant for AKS.
static bool is_on_aks(const k8s::PodSpec& pod, const std::vector<NodePool>& pools) {
  if (std::ranges::any_of(pod.node_selector(), [](const auto& label) { return is_azures(label); }))
    return true;
  for (const auto& terms : {pod.required_terms(), pod.preferred_terms()}) {
    for (const k8s::NodeSelectorTerm& term : terms) {
      for (const k8s::Requirement& r : term.expressions) {
        if (is_azures(r.key, r.values.empty() ? "" : r.values.front()->text())) return true;
      }
    }
  }
  // Its documentation taints nodes with GPUs so.
  const auto azure_taint = [](const k8s::Toleration& t) {
    return is_azures(t.key, "") || (t.key == "sku" && t.value == "gpu");
  };
  if (std::ranges::any_of(pod.tolerations(), azure_taint)) return true;
  return std::ranges::any_of(pools, [](const NodePool& pool) {
    return std::ranges::any_of(pool.labels, [](const auto& label) { return is_azures(label); });
  });
}

namespace {

/// The deprecated labels of one pod.
class Finder {
 public:
  Finder(const Workload& workload, Report& report)
      : pod_(workload.own), pools_(report.facts().pools), report_(report) {}

  void find() {
    for (const k8s::Label& label : pod_.node_selector()) {
      const DeprecatedNodeLabel* old = reported(label.key, label.value);
      if (old == nullptr) continue;
      const Node& current = pod_["nodeSelector"][old->current];
      auto finding = report(*label.node->key(), *old, false, !old->current.empty() && current);
      mend(finding, *label.node, *old, current);
    }
    for (const Use& use : required_topology(pod_)) check(use);
    check_alternatives(uses_in(pod_.required_terms()));
    check_alternatives(uses_in(pod_.preferred_terms()));
    check_alternatives(preferred_topology(pod_));
  }

 private:
  /// One that stands beside its successor is there for old and new nodes alike.
  void check_alternatives(const Uses& uses) {
    std::unordered_set<std::string_view> names;
    for (const Use& use : uses) names.insert(use.name->text());
    for (const Use& use : uses) {
      const auto* old = k8s::find_deprecated_node_label(use.name->text());
      if (old != nullptr && !names.contains(old->current)) check(use);
    }
  }

  void check(const Use& use) {
    const DeprecatedNodeLabel* old = reported(use.name->text(), use.only_value);
    if (old == nullptr) return;
    auto finding = report(*use.name, *old, use.excludes, false);
    if (old->current.empty()) return;
    finding.fix(safety_of(*old), fmt::format("write '{}'", old->current),
                {yaml::to_set(*use.name, report_.make_string(old->current))});
  }

  /// A label of a nodeSelector, where `current` may be asked for as well.
  static void mend(Report::Finding& finding, const Node& label, const DeprecatedNodeLabel& old,
                   const Node& current) {
    if (old.current.empty()) return;
    if (!current) {
      finding.fix(safety_of(old), fmt::format("write '{}'", old.current),
                  {yaml::to_rename(label, old.current)});
    } else if (current.text() == label.text()) {
      finding.fix(Safety::safe, fmt::format("remove it: '{}' is asked for already", old.current),
                  {yaml::to_erase(label)});
    }
  }

  /// Nodes that carry both names have one value under them.
  static Safety safety_of(const DeprecatedNodeLabel& old) {
    return old.beside_current ? Safety::safe : Safety::unsafe;
  }

  const DeprecatedNodeLabel* reported(std::string_view key, std::string_view value) {
    const DeprecatedNodeLabel* old = k8s::find_deprecated_node_label(key);
    if (old == nullptr || old->owner == DeprecatedNodeLabel::Owner::kubernetes) return old;
    // AKS's own has no other value; the name is one that people give to labels of theirs.
    if (key == "accelerator" && value != "nvidia") return nullptr;
    if (is_label_of_others(key)) return nullptr;
    if (!on_aks_) on_aks_ = is_on_aks(pod_, pools_);
    return *on_aks_ ? old : nullptr;
  }

  /// Whether a node that is plainly not of AKS carries the label.
  bool is_label_of_others(std::string_view key) const {
    return std::ranges::any_of(pools_, [&](const NodePool& pool) {
      return std::ranges::find(pool.labels, key, &k8s::Label::key) != pool.labels.end() &&
             std::ranges::none_of(pool.labels, [](const auto& label) { return is_azures(label); });
    });
  }

  Report::Finding report(const Node& at, const DeprecatedNodeLabel& old, bool excludes,
                         bool current_too) {
    const bool aks = old.owner == DeprecatedNodeLabel::Owner::aks;
    auto finding =
        old.current.empty()
            ? report_.add(at, "AKS has deprecated node label '{}', and nothing takes its place",
                          old.key)
        : old.beside_current
            ? report_.add(at,
                          "node label '{}' is deprecated{}: nodes carry '{}' with the same value, "
                          "and may lose this one",
                          old.key, aks ? " by AKS" : "", old.current)
            : report_.add(at, "node label '{}' is deprecated, and new nodes carry only '{}': {}",
                          old.key, old.current,
                          excludes ? "this excludes none of them" : "none of them matches");
    if (old.current.empty()) {
      finding.help("select the nodes by 'kubernetes.azure.com/agentpool', or a label of your own");
    } else if (current_too) {
      finding.help("remove it: '{}' is asked for already", old.current);
    } else {
      finding.help("write '{}'", old.current);
    }
    return finding;
  }

  k8s::PodSpec pod_;
  const std::vector<NodePool>& pools_;
  Report& report_;
  std::optional<bool> on_aks_;
};

}  // namespace

static void check(const Workload& workload, Report& report) {
  if (workload.takes_placement_advice()) Finder(workload, report).find();
}

}  // namespace cnsched::rules
