#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/object.h"
#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The annotation that names the HardwareProfile of a service [K90].
inline constexpr std::string_view kProfileAnnotation = "opendatahub.io/hardware-profile-name";
/// The label that puts an object into a LocalQueue of Kueue's [K77].
inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

/// The HardwareProfile that annotations of an object name [K90].
struct ProfileReference {
  const yaml::Node* name = &yaml::missing_node();  ///< missing: the object names none
  k8s::Namespace ns;
  bool has_own_namespace = false;  ///< whether an annotation states `ns`
};
ProfileReference profile_reference(const k8s::Object& object);

/// The contents of a HardwareProfile, in the form of either group [K91].
struct HardwareProfile {
  const k8s::Object* object = nullptr;
  const yaml::Node* identifiers = &yaml::missing_node();
  const yaml::Node* queue = &yaml::missing_node();      ///< the name of a LocalQueue
  const yaml::Node* placement = &yaml::missing_node();  ///< holds `nodeSelector`, `tolerations`
};
bool is_hardware_profile(const k8s::Object& object);
/// Whether the webhook reads the annotations of objects of that kind [K90].
bool reads_hardware_profiles(const k8s::Object& object);
/// Whether the workspace has a profile of that name, of either group.
bool contains_profile(const k8s::ObjectIndex& objects, const k8s::ObjectIndex::Of& ns,
                      std::string_view name);
/// That profile, the dashboard's only if the other group has none [K91]; null if there is none or
/// if it is ambiguous.
const k8s::Object* find_profile(const k8s::ObjectIndex& objects, const k8s::ObjectIndex::Of& ns,
                                std::string_view name, const k8s::Object& referrer);
/// The profile that was merged into the pod; null if there is none.
const k8s::Object* profile_of(const k8s::PodTemplate& pod);
/// `object` is a HardwareProfile.
HardwareProfile read_profile(const k8s::Object& object);

/// An InferenceService, LLMInferenceService or InferenceGraph as KServe reads it.
struct AdmittedService {
  const k8s::Object& written;
  k8s::Object object;  ///< `written`, and what the webhook of Open Data Hub adds
  /// The HardwareProfile that the webhook merged; null: none, or it is unknown.
  const k8s::Object* profile = nullptr;
  std::string rejection{};  ///< why the webhook rejects the object; empty if it does not
  /// What is not known about the pods that the profile changes.
  std::optional<k8s::Unknown> unknown{};
};

/// Merges the HardwareProfile that the object names, as the webhook of the Open Data Hub release
/// does when the object is created [K90, K92, K93]. A release that is not known is taken for the
/// newest. Source: opendatahub-io/opendatahub-operator
/// internal/webhook/hardwareprofile/mutating.go; since 3.5 opendatahub-io/odh-model-controller
/// internal/webhook/serving/hardwareprofile.
AdmittedService with_hardware_profile(const k8s::Object& object, const ControllerContext& context);

/// Adds to `pod`, one that the profile changes, the profile as a base and what is not known.
void add_profile(const AdmittedService& service, k8s::PodTemplate& pod);

/// Whether a container list lacks `main`, so that the webhook merges nothing into the
/// LLMInferenceService [K94].
bool lacks_main_container(const k8s::Object& service);

}  // namespace cnsched::kserve
