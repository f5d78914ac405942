#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/accelerators/conflict.h"
#include "core/facts/known_pools.h"
#include "core/kserve/fields.h"
#include "core/workspace/workload.h"

namespace cnsched::rules {

/// One of the pod specs that KServe merges into a pod.
struct Layer {
  k8s::PodSpec pod;
  const k8s::Object* object = nullptr;
  bool is_stable_predictor = false;  ///< base layer of a canary of the same object

  /// In messages: "ServingRuntime 'vllm'".
  std::string name() const {
    return is_stable_predictor ? "the stable predictor"
                               : fmt::format("{} '{}'", object->kind, object->name);
  }
};

/// The layers of the pod, the weakest first; the last is the object's own.
inline std::vector<Layer> layers_of(const Workload& workload) {
  std::vector<Layer> layers;
  for (const k8s::Base& base : workload.bases) {
    layers.push_back({base.pod, base.object, base.object == workload.object});
  }
  layers.push_back({workload.own, workload.object, false});
  return layers;
}

/// The position of the layer of each label and expression. One that two layers write belongs to the
/// stronger layer, as in the merged pod.
class Authors {
 public:
  explicit Authors(const std::vector<Layer>& layers) : own_(layers.size() - 1) {
    for (std::size_t side = 0; side < layers.size(); ++side) {
      for (const k8s::Requirement& r : layers[side].pod.required_labels()) add(*r.node, side);
    }
  }

  /// A node that no layer has belongs to the object itself: a label that is made from an
  /// annotation.
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

/// Why no node satisfies what two layers of a KServe pod require together; nothing if one of
/// `pools` satisfies it.
inline std::optional<accelerators::Conflict> conflict_between_layers(
    const Workload& workload, const std::vector<Layer>& layers,
    const std::vector<facts::NodePool>& pools) {
  if (workload.fragment || workload.bases.empty() || !workload.is_built() ||
      !kserve::is_kserve_group(workload.object->group())) {
    return std::nullopt;
  }
  const Authors author_of(layers);
  return accelerators::conflict_between_authors(workload.pod, std::cref(author_of),
                                                known_nodes(pools));
}

}  // namespace cnsched::rules
