#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/truth.h"
#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

/// The value of a flag in Knative's config-features.
enum class FlagState : unsigned char { disabled, allowed, enabled };

/// What a flag gates.
enum class Gate : unsigned char {
  none,       ///< no field of the pod spec
  pod_field,  ///< a field of the pod spec; KServe omits it if it is empty
  pointer,    ///< a field of the pod spec that is a pointer in Go: {}, "" and false reach Knative
  volume,     ///< a kind of volume
  other,      ///< fields of containers, or fields in combination (knative_features.cpp)
};

/// A key of Knative Serving's config-features, and its properties [N3, N4]. Source: knative/serving
/// pkg/apis/config/features.go at each tag, pkg/apis/serving/fieldmask.go; the recorded answers of
/// Knative's own validator.
struct KnativeFlag {
  std::string_view key;
  Version since;  ///< the first release that reads it
  Gate gate = Gate::none;
  std::string_view field = {};  ///< the gated field, for pod_field, pointer and volume
  FlagState by_default = FlagState::disabled;
  bool allowed_suffices = true;  ///< `allowed` allows the field; otherwise only `enabled` does
  bool tri_state = true;         ///< enabled, allowed, disabled; otherwise it has its own values
  bool is_removed = false;       ///< later releases do not read it
  /// The KnativeServing of Open Data Hub's operator enables it [N10]. Source: its template in
  /// opendatahub-io/opendatahub-operator, from commit 7110484ae until it dropped serverless mode.
  bool open_data_hub = false;
};

std::span<const KnativeFlag> knative_flags();
/// The flag with exactly this key, or null.
const KnativeFlag* find_knative_flag(std::string_view key);
/// The flag that a misspelled `key` is intended to be. Tolerates differences in case, separators,
/// prefixes and one or two letters. Null if there is none; `key` may be a flag of a newer Knative.
const KnativeFlag* intended_knative_flag(std::string_view key);

/// The values of the flag that Knative reads; see `reads_value`.
std::span<const std::string_view> values_of(const KnativeFlag& flag);
/// Whether `value` is one that Knative reads. Compares without case and does not trim.
bool reads_value(const KnativeFlag& flag, std::string_view value);
/// Whether `value` is `allowed` where Knative requires `enabled`.
bool is_too_weak(const KnativeFlag& flag, std::string_view value);

/// A line of `_example` that differs from what Knative ships.
struct ExampleFlag {
  std::string_view line;  ///< trimmed
  const KnativeFlag* flag = nullptr;
  std::string_view value;
};

/// The lines under `_example`, which Knative does not read, that enable a flag; one for each flag.
std::vector<ExampleFlag> example_flags(std::string_view example);

/// One source of Knative's feature flags: a ConfigMap, a KnativeServing, cnsched's configuration.
struct FeatureMap {
  const yaml::Node* flags = nullptr;  ///< flag: state; null if the map has no `data`
  const yaml::Node* place = nullptr;  ///< the location to report for a flag that is not set
  /// A kustomize patch: its flags override those of other maps, and other flags are unknown to it.
  bool is_patch = false;

  friend bool operator==(const FeatureMap&, const FeatureMap&) = default;
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
