#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/seldon/operator_config.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

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
