#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/schema.h"

namespace cnsched::k8s {

/// A kind in a version of the groups of KServe, Seldon and Knative's operator, as their CRDs define
/// it [K78, S61, N19].
struct ApiKind {
  std::string_view api_version;  ///< "serving.kserve.io/v1beta1"
  std::string_view kind;

  std::string_view group() const { return group_of(api_version); }
};

/// All of them. Of one kind, the version to prefer comes first.
std::span<const ApiKind> api_kinds();

/// Whether the group is one of these.
bool is_api_group(std::string_view group);

/// The kind in that version, or null. The kind of a list (InferenceServiceList) is its items' kind.
const ApiKind* find_api_kind(std::string_view api_version, std::string_view kind);

/// The known kind that `kind` misspells, in that group or else in another one; or null.
const ApiKind* near_api_kind(std::string_view group, std::string_view kind);

/// The known kind that was intended, if `api_version` misspells its group or has none; or null. The
/// groups of other projects, such as ome.io, differ more.
const ApiKind* kind_in_misspelt_group(std::string_view api_version, std::string_view kind);

/// The newest release of the group's project that the list of kinds is taken from: "KServe 0.20".
std::string_view newest_release(std::string_view group);

/// The versions of a kind that the object defines if it is a CustomResourceDefinition of one of the
/// groups or kinds above. Their types read the object's tree, which must outlive them.
std::vector<schema::Definition> definitions_in(const Object& object);
/// The kinds of Kubernetes that an OpenAPI document (`kubectl get --raw /openapi/v2`) defines and
/// the tables have.
std::vector<schema::Definition> definitions_in_open_api(const yaml::Node& root);

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

}  // namespace cnsched::k8s
