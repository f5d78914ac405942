#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

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

}  // namespace cnsched::rules
