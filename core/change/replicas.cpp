// Workload::replicas is the minimum. What scales it up is written beside it: in the component of
// an InferenceService, in an hpaSpec or kedaSpec of Seldon Core, in `scaling` of an
// LLMInferenceService. The fields are searched from the pod's own fields outwards.
#include "core/change/replicas.h"

#include <algorithm>
#include <array>

#include "core/yaml/scalar.h"

namespace cnsched::change {

namespace {

using yaml::Node;

/// Above any real cluster, and small enough for sums.
constexpr std::int64_t kMaxCount = 1'000'000;

struct Field {
  std::string_view holder;  ///< empty: the mapping itself
  std::string_view name;
};

constexpr auto kMinFields = std::to_array<Field>({{"hpaSpec", "minReplicas"},
                                                  {"kedaSpec", "minReplicaCount"},
                                                  {"scaling", "minReplicas"},
                                                  {"", "minReplicas"},
                                                  {"", "replicas"},
                                                  {"", "parallelism"}});
constexpr auto kMaxFields = std::to_array<Field>({{"hpaSpec", "maxReplicas"},
                                                  {"kedaSpec", "maxReplicaCount"},
                                                  {"scaling", "maxReplicas"},
                                                  {"", "maxReplicas"}});

const Node* find_number(const Node& mapping, std::span<const Field> fields) {
  for (const auto& [holder, name] : fields) {
    const Node& found = holder.empty() ? mapping[name] : mapping[holder][name];
    if (yaml::integer_of(found)) return &found;
  }
  return nullptr;
}

/// Of the innermost mapping around the pod's fields that has one.
const Node* number_around(const Workload& workload, std::span<const Field> fields) {
  const Node* at = workload.written;
  for (; at != nullptr; at = at->parent()) {
    if (!at->is_mapping()) continue;
    if (const Node* found = find_number(*at, fields)) return found;
    if (at == workload.object->root) return nullptr;
  }
  return find_number(workload.object->spec(), fields);
}

}  // namespace

Replicas replicas_of(const sim::Simulated& pod) {
  const Workload& workload = *pod.workload;
  Replicas result;
  result.is_known = workload.replicas.has_value();
  result.min = result.max = std::clamp<std::int64_t>(workload.replicas.value_or(1), 0, kMaxCount);
  if (workload.object->kind == "DaemonSet") {
    const bool has_nodes = pod.diagnosis && pod.cluster->size() > 0;
    if (has_nodes) {
      const auto nodes = static_cast<std::int64_t>(pod.diagnosis->feasible().count());
      result.min = result.max = nodes;
    }
    return result;
  }
  if (workload.object->kind == "Pod") return result;
  result.min_node = number_around(workload, kMinFields);
  result.max_node = number_around(workload, kMaxFields);
  if (result.max_node == nullptr) return result;
  const std::int64_t most = std::min(*yaml::integer_of(*result.max_node), kMaxCount);
  // A replica of a group has several workers.
  const std::int64_t least = result.min_node == nullptr
                                 ? 1
                                 : std::max<std::int64_t>(*yaml::integer_of(*result.min_node), 1);
  const bool is_worker = workload.component.ends_with("worker");
  result.max = std::max(result.min, is_worker ? result.min / least * most : most);
  if (result.max == result.min) result.max_node = nullptr;
  return result;
}

}  // namespace cnsched::change
