#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/arena.h"
#include "core/seldon/graph.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// One of a predictor's componentSpecs: one Deployment.
struct Component {
  const yaml::Node* node = nullptr;           ///< missing if the operator creates it
  std::vector<const yaml::Node*> containers;  ///< of the manifest and of prepackaged servers
  std::vector<const yaml::Node*> added;       ///< by the operator: "tfserving", the orchestrator
  bool takes_orchestrator = false;
  bool has_tensorflow_serving = false;
  bool has_orchestrator = false;  ///< in the manifest
  /// Containers with an image from the operator's configuration.
  std::vector<std::string_view> images_unknown;
};

/// A predictor of a SeldonDeployment after the operator has completed it.
struct Predictor {
  const yaml::Node* node = nullptr;
  std::vector<Unit> units;
  std::unordered_map<std::string_view, const Unit*> unit_of_name;
  std::vector<Component> components;
  bool has_orchestrator = true;        ///< in some pod
  bool separate_orchestrator = false;  ///< in a separate pod
  /// Why no pod of the SeldonDeployment is created; empty if the predictor is valid.
  std::string error;
};

Predictor complete_predictor(Arena& arena, const yaml::Node& predictor,
                             const yaml::Node& deployment_spec);

inline constexpr std::string_view kOrchestrator = "seldon-container-engine";
/// The orchestrator's container, with only the fields that affect placement.
const yaml::Node& orchestrator(Arena& arena, const yaml::Node& predictor);

}  // namespace cnsched::seldon
