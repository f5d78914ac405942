#include "core/k8s/scheduling_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cnsched::k8s {

namespace {

using enum SchedulingKind;

constexpr std::array<SchedulingKindRow, kSchedulingKinds> kRows{{
    {namespace_, "", "Namespace", "namespaces"},
    {priority_class, "scheduling.k8s.io", "PriorityClass", "priorityclasses"},
    {limit_range, "", "LimitRange", "limitranges"},
    {resource_quota, "", "ResourceQuota", "resourcequotas"},
    {disruption_budget, "policy", "PodDisruptionBudget", "poddisruptionbudgets"},
    {volume, "", "PersistentVolume", "persistentvolumes"},
    {volume_claim, "", "PersistentVolumeClaim", "persistentvolumeclaims"},
    {storage_class, "storage.k8s.io", "StorageClass", "storageclasses"},
    {storage_capacity, "storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities"},
    {volume_attachment, "storage.k8s.io", "VolumeAttachment", "volumeattachments"},
    {csi_driver, "storage.k8s.io", "CSIDriver", "csidrivers"},
    {csi_node, "storage.k8s.io", "CSINode", "csinodes"},
    {device_class, "resource.k8s.io", "DeviceClass", "deviceclasses"},
    {device_claim, "resource.k8s.io", "ResourceClaim", "resourceclaims"},
    {device_claim_template, "resource.k8s.io", "ResourceClaimTemplate", "resourceclaimtemplates"},
    {resource_slice, "resource.k8s.io", "ResourceSlice", "resourceslices"},
    {pod_group, "scheduling.k8s.io", "PodGroup", "podgroups"},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  }
  return true;
}
static_assert(are_in_order());

const SchedulingKindRow* find_row(std::string_view group, std::string_view kind) {
  const auto* row = std::ranges::find_if(kRows, [&](const SchedulingKindRow& each) {
    return each.name == kind && each.group == group;
  });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

std::string SchedulingKindRow::full_name() const {
  return group.empty() ? std::string(plural) : fmt::format("{}.{}", plural, group);
}

const SchedulingKindRow& row_of(SchedulingKind kind) {
  return kRows[static_cast<std::size_t>(kind)];
}

std::optional<SchedulingKind> scheduling_kind_of(const Object& object) {
  const SchedulingKindRow* row = find_row(object.group(), object.kind);
  return row == nullptr ? std::nullopt : std::optional(row->kind);
}

bool is_scheduling_kind(std::string_view group, std::string_view kind) {
  return find_row(group, kind) != nullptr;
}

}  // namespace cnsched::k8s
