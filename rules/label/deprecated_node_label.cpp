
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::deprecated_node_label {

using k8s::DeprecatedNodeLabel;
using yaml::Node;

namespace {

/// A reference to a node label.
struct Use {
  const Node* name;
  bool excludes = false;             ///< it excludes nodes with the label: NotIn, DoesNotExist
  std::string_view only_value = {};  ///< the requested value, if there is exactly one
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

/// Adds the topology keys of spread constraints, or of pod (anti-)affinity terms in `wrapper`.
static void add_topology_keys(Uses& uses, const Node& list, std::string_view wrapper = {}) {
  for (const Node* item : list.items()) {
    const Node& term = wrapper.empty() ? *item : item->under(wrapper);
    uses.push_back({.name = &term["topologyKey"]});
  }
}

/// The topology keys of required constraints.
static Uses required_topology(const k8s::PodSpec& pod) {
  Uses uses;
  add_topology_keys(uses, pod["topologySpreadConstraints"]);
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    add_topology_keys(
        uses, pod["affinity"].under(kind)["requiredDuringSchedulingIgnoredDuringExecution"]);
  }
  return uses;
}

static Uses preferred_topology(const k8s::PodSpec& pod) {
  Uses uses;
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    add_topology_keys(
        uses, pod["affinity"].under(kind)["preferredDuringSchedulingIgnoredDuringExecution"],
        "podAffinityTerm");
  }
  return uses;
}

static bool is_azure_label(std::string_view key, std::string_view value) {
  return key.starts_with("kubernetes.azure.com/") ||
         (key == "node.kubernetes.io/instance-type" && value.starts_with("Standard_"));
}

static bool is_azure_label(const k8s::Label& label) {
  return is_azure_label(label.key, label.value);
}

/// Whether the pod or the known nodes show that the platform is AKS.
static bool is_on_aks(const k8s::PodSpec& pod, const std::vector<facts::NodePool>& pools) {
  if (std::ranges::any_of(pod.node_selector(),
                          [](const auto& label) { return is_azure_label(label); }))
    return true;
  for (const auto& terms : {pod.required_terms(), pod.preferred_terms()}) {
    for (const k8s::NodeSelectorTerm& term : terms) {
      for (const k8s::Requirement& r : term.expressions) {
        if (is_azure_label(r.key, r.values.empty() ? "" : r.values.front()->text())) return true;
      }
    }
  }
  // The taint that AKS's documentation uses for GPU nodes.
  const auto azure_taint = [](const k8s::Toleration& t) {
    return is_azure_label(t.key, "") || (t.key == "sku" && t.value == "gpu");
  };
  if (std::ranges::any_of(pod.tolerations(), azure_taint)) return true;
  return std::ranges::any_of(pools, [](const facts::NodePool& pool) {
    return std::ranges::any_of(pool.labels,
                               [](const auto& label) { return is_azure_label(label); });
  });
}

namespace {

/// The deprecated labels of one pod.
class Finder {
 public:
  Finder(const Workload& workload, Findings& findings)
      : pod_(workload.own), pools_(findings.facts().pools), findings_(findings) {}

  void find() {
    for (const k8s::Label& label : pod_.node_selector()) {
      const DeprecatedNodeLabel* old = reported(label.key, label.value);
      if (old == nullptr) continue;
      const Node& current = pod_["nodeSelector"].under(old->current);
      auto finding = report(*label.node->key(), *old, false, !old->current.empty() && current);
      add_fix(finding, *label.node, *old, current);
    }
    for (const Use& use : required_topology(pod_)) check(use);
    check_alternatives(uses_in(pod_.required_terms()));
    check_alternatives(uses_in(pod_.preferred_terms()));
    check_alternatives(preferred_topology(pod_));
  }

 private:
  /// A label beside its replacement matches old and new nodes.
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
                {yaml::to_set(*use.name, findings_.make_string(old->current))});
  }

  /// For a label of a nodeSelector; `current` is the entry of its replacement, if it is written.
  static void add_fix(Findings::Finding& finding, const Node& label, const DeprecatedNodeLabel& old,
                      const Node& current) {
    if (old.current.empty()) return;
    if (!current) {
      finding.fix(safety_of(old), fmt::format("write '{}'", old.current),
                  {yaml::to_rename(label, old.current)});
    } else if (current.text() == label.text()) {
      finding.fix(Safety::safe, fmt::format("remove it: the pod already selects '{}'", old.current),
                  {yaml::to_erase(label)});
    }
  }

  /// Safe if nodes have both labels, with the same value.
  static Safety safety_of(const DeprecatedNodeLabel& old) {
    return old.beside_current ? Safety::safe : Safety::unsafe;
  }

  const DeprecatedNodeLabel* reported(std::string_view key, std::string_view value) {
    const DeprecatedNodeLabel* old = k8s::find_deprecated_node_label(key);
    if (old == nullptr || old->owner == DeprecatedNodeLabel::Owner::kubernetes) return old;
    // AKS sets only this value; other values are labels of the user.
    if (key == "accelerator" && value != "nvidia") return nullptr;
    if (is_label_of_others(key)) return nullptr;
    if (!on_aks_) on_aks_ = is_on_aks(pod_, pools_);
    return *on_aks_ ? old : nullptr;
  }

  /// Whether a node of another platform has the label.
  bool is_label_of_others(std::string_view key) const {
    return std::ranges::any_of(pools_, [&](const facts::NodePool& pool) {
      return std::ranges::find(pool.labels, key, &k8s::Label::key) != pool.labels.end() &&
             std::ranges::none_of(pool.labels,
                                  [](const auto& label) { return is_azure_label(label); });
    });
  }

  Findings::Finding report(const Node& at, const DeprecatedNodeLabel& old, bool excludes,
                           bool current_too) {
    const bool aks = old.owner == DeprecatedNodeLabel::Owner::aks;
    auto finding =
        old.current.empty()
            ? findings_.add(at, "node label '{}' is deprecated by AKS, without a replacement",
                            old.key)
        : old.beside_current
            ? findings_.add(at,
                            "node label '{}' is deprecated{}: nodes have '{}' with the same value, "
                            "and may lose this label",
                            old.key, aks ? " by AKS" : "", old.current)
            : findings_.add(at, "node label '{}' is deprecated: new nodes have only '{}', {}",
                            old.key, old.current,
                            excludes ? "so this excludes none of them" : "so none of them matches");
    if (old.current.empty()) {
      finding.help(
          "select the nodes by 'kubernetes.azure.com/agentpool' or by a label of your own");
    } else if (current_too) {
      finding.help("remove it: the pod already selects '{}'", old.current);
    } else {
      finding.help("write '{}'", old.current);
    }
    return finding;
  }

  k8s::PodSpec pod_;
  const std::vector<facts::NodePool>& pools_;
  Findings& findings_;
  std::optional<bool> on_aks_;
};

}  // namespace

static void check(const Workload& workload, Findings& findings) {
  Finder(workload, findings).find();
}

extern constinit const Rule rule = {
    .id = "deprecated-node-label",
    .severity = Severity::warning,
    .of = Domain::placed,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::deprecated_node_label
