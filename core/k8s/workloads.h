#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// A pod spec of another object that a controller merges into a pod.
struct Base {
  const Object* object = nullptr;
  PodSpec pod;
};

/// A fact that the pod depends on and that the input does not contain.
struct Unknown {
  enum class Kind : unsigned char {
    named,     ///< an object that the manifest names: the pod may have more fields
    chosen,    ///< an object or a setting that the controller chooses: likewise
    image,     ///< the image of a container, and nothing else
    mode,      ///< the deployment mode, which here decides labels, sidecars and replicas only
    creation,  ///< whether the pod is created, or gets all of its scheduling fields
  };
  /// The fact that would make it known.
  enum class Fact : unsigned char {
    object,  ///< the object that `what` names
    patched_object,
    deployment_mode,
    knative_features,
    runtimes,
    llm_configs,
    seldon_config,
    runtime_class,
    admission_plugin,
    hardware_profile,
  };
  std::string what;  ///< "ServingRuntime 'vllm'", "whether Knative accepts 'nodeSelector' (…)"
  Kind kind = Kind::mode;
  Fact fact = Fact::object;

  /// Whether the pod may have fields that are not known.
  bool adds_fields() const { return kind != Kind::mode && kind != Kind::creation; }
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

/// Why the pod is never created.
struct NeverCreated {
  /// What prevents it, and when.
  enum class By : unsigned char {
    controller,       ///< the controller creates none when it reconciles the object
    object_webhook,   ///< the controller's webhook rejects the object when it is applied
    knative_webhook,  ///< Knative's webhook rejects the Knative Service when KServe creates it
    api_server,       ///< the API server rejects what the controller creates
    /// The controller rejects the object, from which it could build the pod.
    controller_check,
    intent,  ///< the object wants none
  };
  std::string reason;
  By by = By::controller;
  const yaml::Node* at = nullptr;  ///< the value that prevents it; null: none in particular
  bool is_doubtful = false;        ///< the object may lack something because it is a patch
};

/// A pod that a controller creates, or a part that is merged into pods of other objects. Its
/// stages:
///
///   written ──bases──► own ──controller──► created ──webhooks──► pod ──admission──► admitted
///   the pod's fields   with what its       in the Deployment,    what reaches the   after the
///   in the manifest    runtime adds        Revision, …           API server         plugins
///
/// The workspace alone decides the first four. AdmittedPod (core/workspace) is the last one, made
/// of facts about the cluster.
struct PodTemplate {
  std::string component;  ///< "predictor", "worker", …; empty if there is only one
  /// The effective pod: what reaches the API server, admission webhooks of the controller included.
  /// The span of each value (yaml::Node::span) is where it is written, in any object.
  PodSpec pod;
  /// The pod as the controller creates it, in its Deployment, Knative Service, …: before admission.
  PodSpec created;
  PodSpec own;                          ///< as the object alone describes it
  const yaml::Node* written = nullptr;  ///< the mapping of the pod's own fields
  bool fragment = false;                ///< a part of other pods: a runtime, a ServerConfig

  std::string name{};  ///< of the Deployment, StatefulSet, …: the prefix of the pod's name
  const yaml::Node* labels = &yaml::missing_node();       ///< of the pod
  const yaml::Node* annotations = &yaml::missing_node();  ///< of the pod
  /// volumeClaimTemplates of its StatefulSet.
  const yaml::Node* claim_templates = &yaml::missing_node();
  /// The minimal number of pods; nothing if a controller decides (a DaemonSet).
  std::optional<std::int64_t> replicas{};
  std::optional<NeverCreated> never_created{};  ///< nothing: the pod is created, as far as known

  std::vector<Base> bases{};  ///< base layers of `own`, lowest precedence first
  std::vector<Unknown> unknown{};

  /// Whether the controller would build the pod, though it or a webhook may reject the object or
  /// what the controller creates from it.
  bool is_built() const;
  /// Whether the pod is never created although the object wants it.
  bool is_failure() const;
  /// Whether the controller's webhook rejects the object.
  bool is_rejected() const;
  /// The reason of `never_created`; empty if there is none.
  std::string_view why_never_created() const;
  /// Whether an object that the manifest names is unknown, so that the pod may have more fields.
  bool is_incomplete() const { return has_unknown(Unknown::Kind::named); }
  /// Whether anything of that kind is unknown.
  bool has_unknown(Unknown::Kind kind) const;
};

/// A pod that nothing is merged into.
PodTemplate plain_pod(std::string component, const yaml::Node& spec, const yaml::Node& written);
/// A part that is merged into pods of other objects.
PodTemplate pod_fragment(std::string component, const yaml::Node& spec, const yaml::Node& written);

/// The pod spec of a core workload kind (Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, Job,
/// CronJob); nothing for any other object or without a pod spec.
std::vector<PodTemplate> pod_templates(const Object& object);

/// Limits of a pod. Only aliases can exceed them.
inline constexpr std::size_t kPodValues = 1'000'000;
inline constexpr std::size_t kPodDepth = 200;

struct PodObjectOptions {
  std::string_view name;  ///< metadata.name
  /// Whether containers without an image get a placeholder for it.
  bool placeholder_images = false;
  bool configured_images = false;  ///< whether that of a `configured_image` stays
};

/// The v1/Pod that a controller creates for `pod`, a pod of `object`: fields ordered for
/// readers, quantities in canonical form, each value a new node in `arena` with its position in the
/// manifest. A Pod of a manifest keeps its metadata. Subtracts the number of values from
/// `values_left`, a budget that the caller shares among pods. Fails with "has more than …" if the
/// pod is too large.
Result<const yaml::Node*> pod_object(Arena& arena, const PodTemplate& pod, const Object& object,
                                     const PodObjectOptions& options, std::size_t& values_left);

/// Whether the value is a placeholder for an unknown image.
bool is_placeholder_image(const yaml::Node& node);

/// A placeholder for the image of a container that a controller adds, which the ConfigMap of the
/// controller states.
const yaml::Node& configured_image();
bool is_configured_image(const yaml::Node& node);

}  // namespace cnsched::k8s
