#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/facts/pool_fit.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::rules {

/// The labels that every node of the pod has: those of nodeSelector, and of a single required term.
inline std::vector<k8s::Label> labels_of_nodes(const k8s::PodSpec& pod) {
  std::vector<k8s::Label> labels = pod.node_selector();
  const auto terms = pod.required_terms();
  if (terms.size() != 1) return labels;
  for (const k8s::Requirement& r : terms.front().expressions) {
    if (r.op != "In" || r.values.size() != 1) continue;
    labels.push_back({r.key, r.values.front()->text(), r.values.front()});
  }
  return labels;
}

/// Pods that always run, by the labels of the nodes that they select.
class PermanentPods {
 public:
  explicit PermanentPods(const ClusterScope& scope) {
    for (const Workload& workload : scope.workloads()) {
      if (is_permanent(workload)) all_.push_back(&workload);
    }
    std::ranges::stable_sort(all_, {}, [](const Workload* w) {
      return std::tuple(w->object->name, w->object->kind, w->object->ns,
                        std::string_view(w->component));
    });
    for (const Workload* workload : all_) {
      const bool uses_device =
          workload->is_incomplete() || workload->pod.requests_resource(k8s::is_extended_resource);
      if (!uses_device) without_device_.push_back(workload);
      for (const k8s::Label& label : labels_of_nodes(workload->pod)) {
        pinned_[{label.key, label.value}].push_back({workload, label.node});
      }
    }
  }

  /// A pod, and the value of the label that selects its nodes.
  struct Pinned {
    const Workload* workload = nullptr;
    const yaml::Node* pin = nullptr;
  };

  /// Sorted by name.
  const std::vector<Pinned>& pinned_to(const k8s::Label& label) const {
    static const std::vector<Pinned> kNone;
    const auto found = pinned_.find({label.key, label.value});
    return found == pinned_.end() ? kNone : found->second;
  }
  /// The first few pods, by name, that request no accelerator and may run on the pool.
  const std::vector<const Workload*>& unpinned_pods_on(const facts::NodePool& pool) {
    constexpr std::size_t kMaxPods = 3;
    constexpr std::size_t kMaxPools = 256;  // each is compared with every pod
    const auto [found, is_new] = unpinned_.try_emplace(&pool);
    if (!is_new || unpinned_.size() > kMaxPools) return found->second;
    for (const Workload* workload : without_device_) {
      if (found->second.size() == kMaxPods) break;
      if (may_run_on(*workload, pool)) found->second.push_back(workload);
    }
    return found->second;
  }

 private:
  /// Jobs and pods that are not restarted end, and an autoscaler ignores DaemonSets.
  static bool is_permanent(const Workload& workload) {
    constexpr auto kTemporary = std::to_array<std::string_view>({"DaemonSet", "Job", "CronJob"});
    const std::string_view restart = workload.pod["restartPolicy"].text();
    if (workload.object->kind == "Pod" && !restart.empty() && restart != "Always") return false;
    return !workload.fragment && workload.is_built() && workload.replicas.value_or(0) > 0 &&
           std::ranges::find(kTemporary, workload.object->kind) == kTemporary.end();
  }
  static bool may_run_on(const Workload& workload, const facts::NodePool& pool) {
    return repelling_taints(pool, workload.pod.tolerations()).empty() &&
           facts::NodeDemands(workload.pod).fit(pool) == facts::Fit::yes;
  }

  using Pair = std::pair<std::string_view, std::string_view>;
  std::vector<const Workload*> all_;
  std::vector<const Workload*> without_device_;
  std::map<Pair, std::vector<Pinned>> pinned_;
  std::map<const facts::NodePool*, std::vector<const Workload*>> unpinned_;
};

/// Whether `text` contains the word without a letter next to it.
inline bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// Whether a label that an accelerator pod selects marks nodes with accelerators, not a zone, an
/// architecture or a team.
inline bool marks_accelerators(const k8s::Label& label, const facts::KnownPools& pools) {
  if (label.key == "kubernetes.io/hostname") return true;
  if (accelerators::indicates_accelerator(label.key, label.value)) return true;
  if (label.key.ends_with("kubernetes.io/instance-type")) {
    return accelerators::vendor_of_instance_type(label.value) != nullptr;
  }
  const auto labelled = pools.labelled(label);
  if (!labelled.empty()) {
    return std::ranges::all_of(labelled,
                               [](const facts::NodePool* p) { return p->vendor != nullptr; });
  }
  constexpr auto kDenials = std::to_array<std::string_view>({"false", "no", "none", "0"});
  if (std::ranges::find(kDenials, label.value) != kDenials.end()) return false;
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"cluster", "cluster-name", "environment", "env", "region", "zone", "tenant", "namespace"});
  const std::string key = lower(label.key);
  const std::string_view name = std::string_view(key).substr(key.rfind('/') + 1);
  if (std::ranges::find(kOthers, name) != kOthers.end()) return false;
  const std::string text = key + " " + lower(label.value);
  return has_word(text, "gpu") && text.find("no-gpu") == std::string::npos &&
         text.find("non-gpu") == std::string::npos;
}

}  // namespace cnsched::rules
