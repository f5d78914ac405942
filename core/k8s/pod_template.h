#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// A pod spec of another object that a controller merges into a pod.
struct Base {
  const Object* object = nullptr;
  PodSpec pod;
};

/// A fact that the pod depends on and that no input states.
struct Unknown {
  enum class Kind : unsigned char {
    named,     ///< an object that the manifest names: the pod may have more fields
    chosen,    ///< an object or a setting that the controller chooses: the same
    image,     ///< the image of a container, and nothing else
    mode,      ///< the deployment mode, which here decides labels, sidecars and replicas only
    creation,  ///< whether the pod is created at all, or with all the fields that place it
  };
  std::string what;  ///< "ServingRuntime 'vllm'", "whether Knative accepts 'nodeSelector' (…)"
  Kind kind = Kind::mode;

  /// Whether the pod may have fields that are not known.
  bool adds_fields() const { return kind != Kind::mode && kind != Kind::creation; }
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

/// Why no such pod ever exists.
struct NeverCreated {
  /// Who prevents it, and when.
  enum class By : unsigned char {
    controller,       ///< the controller creates none when it reconciles the object
    object_webhook,   ///< the controller's webhook rejects the object when it is applied
    knative_webhook,  ///< Knative's webhook rejects the Knative Service when KServe creates it
  };
  std::string reason;
  By by = By::controller;
};

/// A pod that some controller will create, or a part of one that others build on. From `written`
/// to `pod` it has every stage of the pod; nothing outside the workspace completes it.
struct PodTemplate {
  std::string component;  ///< "predictor", "worker", …; empty where there is only one
  /// The effective pod: what reaches the API server, admission webhooks of the controller included.
  /// Its values know where they are written (yaml::Node::span), whatever object that is in.
  PodSpec pod;
  /// The pod as the controller creates it, in its Deployment, Knative Service, …: before admission.
  PodSpec created;
  PodSpec own;                          ///< as the object alone describes it
  const yaml::Node* written = nullptr;  ///< the mapping where the pod's own fields stand
  bool fragment = false;  ///< no pod by itself: a runtime, a ServerConfig, merged into others' pods

  std::string name{};  ///< of the Deployment, StatefulSet, … and so the beginning of the pod's
  const yaml::Node* labels = &yaml::missing_node();       ///< of the pod
  const yaml::Node* annotations = &yaml::missing_node();  ///< of the pod
  /// The minimal number of pods; nothing where a controller decides (a DaemonSet).
  std::optional<std::int64_t> replicas{};
  std::optional<NeverCreated> never_created{};  ///< nothing: the pod is created, as far as is known

  std::vector<Base> bases{};  ///< what is merged under `own`, the weakest first
  std::vector<Unknown> unknown{};

  /// Whether the controller builds the pod; Knative may still reject what it builds.
  bool is_built() const;
  /// The reason of `never_created`; empty if there is none.
  std::string_view why_never_created() const;
  /// Whether an object that the manifest names is unknown, so that the pod may have more fields.
  bool is_incomplete() const { return lacks(Unknown::Kind::named); }
  /// Whether anything of that kind is unknown.
  bool lacks(Unknown::Kind kind) const;
};

/// A pod that nothing is merged into.
PodTemplate plain_pod(std::string component, const yaml::Node& spec, const yaml::Node& written);
/// A part that is merged into pods of other objects.
PodTemplate fragment_of_pods(std::string component, const yaml::Node& spec,
                             const yaml::Node& written);

}  // namespace cnsched::k8s
