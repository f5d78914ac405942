#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/controller_config.h"
#include "core/yaml/node.h"

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

/// A model that the operator of Seldon Core 1 downloads for a container.
struct ModelSource {
  const yaml::Node* uri = &yaml::missing_node();    ///< `modelUri`
  const yaml::Node* image = &yaml::missing_node();  ///< `storageInitializerImage`
  std::string_view container;

  bool is_claim() const;
};

/// The name of the init container that downloads the model of `container`.
std::string initializer_name(std::string_view container);

/// `pod` with that init container for each model, its volumes and their mounts. If the pod already
/// has an init container of that name, only the mount is added [S64]. Source: seldon-core v1
/// operator/controllers/model_initializer_injector.go.
const yaml::Node& with_models(const yaml::Node& pod, std::span<const ModelSource> models,
                              const OperatorConfig& config, Arena& arena);

}  // namespace cnsched::seldon
