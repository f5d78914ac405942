#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/controller_config.h"

namespace cnsched::seldon {

/// What the operator of Seldon Core 1 takes from its ConfigMap `seldon-config` [S62]. An image is a
/// missing node if it is unknown or not set. Source: seldon-core v1
/// operator/apis/machinelearning.seldon.io/v1/prepack.go,
/// operator/controllers/{model_initializer_injector,seldondeployment_explainers}.go.
class OperatorConfig {
 public:
  OperatorConfig(const k8s::ControllerConfig& config, Arena& arena)
      : config_(config), arena_(arena) {}

  /// Whether the prepackaged servers are known; an image that is missing is then not set.
  bool has_servers() const { return config_.has("predictor_servers"); }
  bool has_server(std::string_view implementation) const;
  const yaml::Node& server_image(std::string_view implementation, std::string_view protocol) const;

  /// Whether the images of explainers are known.
  bool has_explainers() const { return config_.has("explainer"); }
  const yaml::Node& explainer_image(std::string_view protocol) const;

  /// The image of init containers that download models.
  const yaml::Node& initializer_image() const;
  const yaml::Node& initializer_resources(const yaml::Node& like) const;

  /// The image of the orchestrator. The ConfigMap does not contain it: in each release it has the
  /// registry and the tag of the servers that Seldon builds. Missing if they differ [S63].
  const yaml::Node& orchestrator_image() const;

 private:
  const yaml::Node& image_for(std::string_view implementation, std::string_view protocol) const;

  const k8s::ControllerConfig& config_;
  Arena& arena_;
};

/// Whether it is the Open Inference Protocol, which has two names.
bool is_open_inference(std::string_view protocol);

}  // namespace cnsched::seldon
