#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/truth.h"
#include "core/k8s/object.h"
#include "core/kserve/knative_flags.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

/// One source of Knative's feature flags: a ConfigMap, a KnativeServing, cnsched's configuration.
struct FeatureMap {
  const yaml::Node* flags = nullptr;  ///< flag: state; null if the map has no `data`
  const yaml::Node* place = nullptr;  ///< the location to report for a flag that is not set
  /// A kustomize patch: its flags override those of other maps, and other flags are unknown to it.
  bool is_patch = false;

  /// The value of `flag`, or a missing node.
  const yaml::Node& operator[](std::string_view flag) const;
};

/// The feature maps in an object: ConfigMap `config-features`, or KnativeServing's spec.config. The
/// operator prefers `config-features` to `features`.
std::vector<FeatureMap> feature_maps_in(const k8s::Object& object);

/// Whether Knative accepts the fields that a flag gates, in a cluster with these maps.
struct FlagVerdict {
  Truth accepts = Truth::unknown;         ///< not known if there is no map
  FlagState state = FlagState::disabled;  ///< if it does not
  const yaml::Node* node = nullptr;  ///< the value that decides, or the map that lacks the flag
};

/// Accepts the fields if any map allows them: manifests of several clusters must not cause false
/// alarms.
FlagVerdict verdict_on(const KnativeFlag& flag, const std::vector<FeatureMap>& maps);

/// A field of a pod spec that Knative rejects unless a flag is set.
struct GatedField {
  std::string field;  ///< as Knative names it: "nodeSelector", "volumes[].hostPath"
  const KnativeFlag* flag = nullptr;
  const yaml::Node* node = nullptr;  ///< the value
};

/// Every gated field that the pod spec sets, in the order of the flags, without empty lists and
/// maps: KServe omits them from the Knative Service (but not `affinity: {}`, which Knative
/// rejects).
std::vector<GatedField> gated_fields(const yaml::Node& pod_spec);

/// Whether the object is for Open Data Hub or OpenShift AI: their dashboard sets the label, and
/// only OpenShift Serverless reads the annotation.
bool is_of_open_data_hub(const k8s::Object& object);

/// A gated field that Knative rejects, or whose flag is unknown.
struct UnacceptedField {
  GatedField gated;
  FlagVerdict verdict;
};

/// The gated fields of the pod spec that Knative rejects or may reject. `open_data_hub`: the object
/// is for a cluster whose operator enables some flags (KnativeFlag::open_data_hub).
std::vector<UnacceptedField> unaccepted_fields(const yaml::Node& pod_spec,
                                               const std::vector<FeatureMap>& maps,
                                               bool open_data_hub);

/// The fields of `pod` that Knative's schema does not have, in the pod's order. The API server
/// silently drops them from a Knative Service [N11, N12]. Source: knative/serving
/// config/core/300-resources/service.yaml (1.6 and later).
std::vector<const yaml::Node*> fields_dropped_by_knative(const yaml::Node& pod);

/// The same for the fields of a container and for `claims` of its resources.
std::vector<const yaml::Node*> container_fields_dropped_by_knative(const yaml::Node& container);

/// Whether a dropped field affects on which nodes the pod fits.
bool decides_placement(std::string_view dropped_field);

/// The pod spec without the fields that Knative drops.
const yaml::Node& kept_by_knative(const yaml::Node& pod, Arena& arena);

/// Adds the labels that Knative sets on the pods of a service's first revision.
void add_knative_labels(yaml::Overlay& labels, std::string_view service, Arena& arena);

}  // namespace cnsched::kserve
