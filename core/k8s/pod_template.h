#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// A pod spec of another object that a controller merges into a pod.
struct Base {
  const Object* object = nullptr;
  PodSpec pod;
};

/// Something that a pod depends on and the run does not hold.
struct Unknown {
  enum class Kind : unsigned char {
    named,         ///< the manifest names it
    chosen,        ///< the controller chooses it, or has it in its configuration
    image,         ///< the same of an image alone, which decides nothing else
    circumstance,  ///< nothing is merged from it: the deployment mode
  };
  std::string what;  ///< "ServingRuntime 'vllm'"
  Kind kind = Kind::circumstance;

  friend bool operator==(const Unknown&, const Unknown&) = default;
};

/// A pod that some controller will create, or a part of one that others build on.
struct PodTemplate {
  std::string component;  ///< "predictor", "worker", …; empty where there is only one
  /// The effective pod: what reaches the API server once the controller has merged everything. Its
  /// values know where they are written (yaml::Node::span), whatever object that is in.
  PodSpec pod;
  /// The same before admission webhooks change the pods: what the controller writes into its
  /// Deployment, Knative Service, … .
  PodSpec in_template;
  PodSpec own;                          ///< as the object alone describes it
  const yaml::Node* written = nullptr;  ///< the mapping where the pod's own fields stand
  bool fragment = false;  ///< no pod by itself: a runtime, a ServerConfig, merged into others' pods

  std::string name{};  ///< of the Deployment, StatefulSet, … and so the beginning of the pod's
  const yaml::Node* labels = &yaml::missing_node();       ///< of the pod
  const yaml::Node* annotations = &yaml::missing_node();  ///< of the pod
  /// How many there are at least; nothing where a controller decides (a DaemonSet).
  std::optional<std::int64_t> replicas{};
  /// Why no such pod is ever created; empty if it is.
  std::string never_created{};

  std::vector<Base> bases{};  ///< what is merged beneath `own`, the weakest first
  std::vector<Unknown> unknown{};

  /// Whether something that the manifest names is unknown, so that the pod may hold more.
  bool is_incomplete() const { return lacks(Unknown::Kind::named); }
  /// Whether anything of that kind is unknown.
  bool lacks(Unknown::Kind kind) const;
};

/// A pod that is all its object's own: nothing is merged into it.
PodTemplate plain_pod(std::string component, const yaml::Node& spec, const yaml::Node& written);
/// A part of pods of others.
PodTemplate fragment_of_pods(std::string component, const yaml::Node& spec,
                             const yaml::Node& written);

}  // namespace cnsched::k8s
