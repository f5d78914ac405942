#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/struct_merge.h"
#include "core/seldon/operator_config.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// A unit of the graph of a SeldonDeployment's predictor. A unit and its container have the same
/// name.
struct Unit {
  const yaml::Node* node = nullptr;

  std::string_view name() const { return (*node)["name"].text(); }
  std::string_view implementation() const { return (*node)["implementation"].text(); }
  /// Whether a configured server image runs it (SKLEARN_SERVER, TRITON_SERVER, a user's own) [S54].
  /// Source: seldon-core v1 operator/apis/machinelearning.seldon.io/v1/prepack.go, IsPrepack.
  bool is_prepackaged() const;
  /// Whether the manifest must have a container for it.
  bool is_custom() const;
  /// "seldon.io/model" for a model, …; empty if the operator sets no label for the unit.
  std::string_view label() const;
  /// Whether the operator labels the pod by the type of this unit.
  bool has_type() const;
};

/// The units in the order of the text, parents first. At most ten thousand, because aliases can
/// multiply them.
std::vector<Unit> units_of(const yaml::Node& graph);

/// One of a predictor's componentSpecs: one Deployment.
struct Component {
  const yaml::Node* node = nullptr;           ///< missing if the operator creates it
  std::vector<const yaml::Node*> containers;  ///< of the manifest and of prepackaged servers
  std::vector<const yaml::Node*> added;       ///< by the operator: "tfserving", the orchestrator
  bool takes_orchestrator = false;
  bool has_orchestrator = false;        ///< in the manifest
  const yaml::Node* proxied = nullptr;  ///< the first unit that its container "tfserving" serves
  /// Containers whose image is in the operator's configuration, which is unknown.
  std::vector<std::string> images_unknown;
  const yaml::Node* service_account = &yaml::missing_node();  ///< of a prepackaged server
  std::vector<ModelSource> models;                            ///< at most one for each container
  std::unordered_set<std::string_view> loading;               ///< the containers with a model
  k8s::NameIndex init_containers;                             ///< of the manifest
  std::size_t claims = 0;        ///< volumes of claims that the operator adds
  bool has_certificate = false;  ///< mounts `ssl.certSecretName`
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
                             const yaml::Node& deployment_spec, const OperatorConfig& config);

inline constexpr std::string_view kOrchestrator = "seldon-container-engine";
inline constexpr std::string_view kTensorflowServing = "tfserving";
/// The orchestrator's container, with only the fields that affect placement.
const yaml::Node& orchestrator(Arena& arena, const yaml::Node& predictor,
                               const OperatorConfig& config);

}  // namespace cnsched::seldon
