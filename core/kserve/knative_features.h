#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::kserve {

/// What a flag in Knative's config-features says.
enum class FlagState : unsigned char { disabled, allowed, enabled };

/// A feature flag of Knative Serving that gates fields of the pod spec.
/// Source: knative/serving pkg/apis/config/features.go, pkg/apis/serving/fieldmask.go; the recorded
/// answers of Knative's own validator.
struct Feature {
  std::string_view flag;
  FlagState by_default = FlagState::disabled;
  bool allowed_suffices = true;  ///< `allowed` lets the field through, or it takes `enabled`
};

std::span<const Feature> features();
/// The feature of that flag; the flag must be one of the table.
const Feature& find_feature(std::string_view flag);

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

/// What `feature` is in a cluster with these maps.
struct FeatureVerdict {
  enum class Kind : unsigned char {
    unknown,  ///< no map at all
    accepts,  ///< a map lets the field through (or the default does)
    refuses,  ///< every map that is known keeps the flag off
  };
  Kind kind = Kind::unknown;
  FlagState state = FlagState::disabled;  ///< if it refuses
  const yaml::Node* said = nullptr;  ///< the value that refuses, or the map that lacks the flag
};

/// Any map that lets the field through is enough: runs over several clusters' manifests must not
/// raise false alarms.
FeatureVerdict verdict_on(const Feature& feature, const std::vector<FeatureMap>& maps);

/// A field of a pod spec that Knative refuses unless a flag is set.
struct GatedField {
  std::string field;  ///< as Knative names it: "nodeSelector", "volumes[].hostPath"
  const Feature* feature = nullptr;
  const yaml::Node* node = nullptr;  ///< the value
};

/// Every gated field that the pod spec sets, in the order of the flags. Empty lists and maps are
/// left out: KServe drops them on the way (but not `affinity: {}`, which Knative refuses as well).
std::vector<GatedField> gated_fields(const yaml::Node& pod_spec);

}  // namespace cnsched::kserve
