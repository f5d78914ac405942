#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/accelerators/clash.h"
#include "core/kserve/fields.h"
#include "core/workloads/pool_evidence.h"
#include "rules/kserve/layers.h"

namespace cnsched::rules {

/// Whose each label and expression is, by where it is written: of what two layers write, the
/// stronger one's, as in the merged pod.
class Authors {
 public:
  explicit Authors(const std::vector<Layer>& layers) : own_(layers.size() - 1) {
    for (std::size_t side = 0; side < layers.size(); ++side) {
      for (const k8s::Label& label : layers[side].pod.node_selector()) add(*label.node, side);
      for (const k8s::NodeSelectorTerm& term : layers[side].pod.required_terms()) {
        for (const k8s::Requirement& r : term.expressions) add(*r.node, side);
      }
    }
  }

  /// What no layer writes comes from the object itself: a label that an annotation gave rise to.
  std::size_t operator()(const yaml::Node& node) const {
    const auto found = side_of_.find({node.span.file, node.span.begin});
    return found == side_of_.end() ? own_ : found->second;
  }

 private:
  void add(const yaml::Node& node, std::size_t side) {
    side_of_.insert_or_assign({node.span.file, node.span.begin}, side);
  }

  std::map<std::pair<FileId, std::uint32_t>, std::size_t> side_of_;
  std::size_t own_;
};

/// Why no node meets what the layers of one of KServe's pods demand together, if none of `pools`
/// does.
inline std::optional<accelerators::Clash> clash_between_layers(const Workload& workload,
                                                               const std::vector<Layer>& layers,
                                                               const std::vector<NodePool>& pools) {
  if (workload.fragment || workload.bases.empty() || !workload.never_created.empty() ||
      !kserve::is_kserve_group(workload.object->group())) {
    return std::nullopt;
  }
  const Authors author_of(layers);
  return accelerators::clash_between_sides(workload.pod, std::cref(author_of), evidence_in(pools));
}

}  // namespace cnsched::rules
