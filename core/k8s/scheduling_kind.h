#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// The kinds that kube-scheduler, or the admission of pods, reads besides Nodes, Pods and
/// RuntimeClasses. cnsched reads them as facts about the cluster and checks none of them.
enum class SchedulingKind : std::uint8_t {
  namespace_,
  priority_class,
  limit_range,
  resource_quota,
  disruption_budget,
  volume,
  volume_claim,
  storage_class,
  storage_capacity,
  volume_attachment,
  csi_driver,
  csi_node,
  device_class,
  device_claim,
  device_claim_template,
  resource_slice,
  pod_group,
};
inline constexpr std::size_t kSchedulingKinds = 17;

struct SchedulingKindRow {
  SchedulingKind kind = SchedulingKind::namespace_;
  std::string_view group;
  std::string_view name;    ///< the API's name of the kind: "PersistentVolume"
  std::string_view plural;  ///< "persistentvolumes", as kubectl names it

  /// With the group: "deviceclasses.resource.k8s.io".
  std::string full_name() const;
};
const SchedulingKindRow& row_of(SchedulingKind kind);
/// Nothing if the object is of another kind.
std::optional<SchedulingKind> scheduling_kind_of(const Object& object);
bool is_scheduling_kind(std::string_view group, std::string_view kind);

}  // namespace cnsched::k8s
