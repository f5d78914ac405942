#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/kserve/knative_flags.h"

namespace cnsched::kserve {

/// One place that sets Knative's features: a ConfigMap, a KnativeServing, our configuration.
struct FeatureMap {
  const yaml::Node* flags = nullptr;  ///< flag: state; null where a shipped map holds none
  const yaml::Node* place = nullptr;  ///< what to point at for a flag that is not set

  /// The value of `flag`, or a missing node.
  const yaml::Node& operator[](std::string_view flag) const;
};

/// The feature maps that an object holds: ConfigMap `config-features`, or KnativeServing's
/// spec.config. Of `features` and `config-features` the operator reads the latter.
std::vector<FeatureMap> feature_maps_in(const k8s::Object& object);

/// Whether Knative accepts the fields that a flag gates, in a cluster with these maps.
struct FlagVerdict {
  enum class Kind : unsigned char {
    unknown,  ///< there is no map
    accepts,  ///< a map admits the fields, or the default does
    rejects,  ///< no map admits them
  };
  Kind kind = Kind::unknown;
  FlagState state = FlagState::disabled;  ///< if it rejects
  const yaml::Node* said = nullptr;  ///< the value that rejects, or the map that lacks the flag
};

/// One map that admits the fields is enough: a run over the manifests of several clusters must not
/// raise false alarms.
FlagVerdict verdict_on(const KnativeFlag& flag, const std::vector<FeatureMap>& maps);

/// A field of a pod spec that Knative rejects unless a flag is set.
struct GatedField {
  std::string field;  ///< as Knative names it: "nodeSelector", "volumes[].hostPath"
  const KnativeFlag* flag = nullptr;
  const yaml::Node* node = nullptr;  ///< the value
};

/// Every gated field that the pod spec sets, in the order of the flags. Empty lists and maps are
/// left out: KServe drops them on the way (but not `affinity: {}`, which Knative rejects as well).
std::vector<GatedField> gated_fields(const yaml::Node& pod_spec);

/// Whether the object is one of Open Data Hub's or OpenShift AI's: their dashboard sets the label,
/// and OpenShift Serverless alone reads the annotation.
bool is_of_open_data_hub(const k8s::Object& object);

/// A gated field that Knative rejects, or whose flag is unknown.
struct UnacceptedField {
  GatedField gated;
  FlagVerdict verdict;
};

/// The gated fields of the pod spec that Knative does not surely accept. `open_data_hub`: the
/// object is meant for a cluster whose operator enables some flags (KnativeFlag::open_data_hub).
std::vector<UnacceptedField> unaccepted_fields(const yaml::Node& pod_spec,
                                               const std::vector<FeatureMap>& maps,
                                               bool open_data_hub);

}  // namespace cnsched::kserve
