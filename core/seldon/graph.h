#pragma once

#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// A unit of the graph of a SeldonDeployment's predictor. Units and containers go by the same
/// names.
struct Unit {
  const yaml::Node* node = nullptr;

  std::string_view name() const { return (*node)["name"].text(); }
  std::string_view implementation() const { return (*node)["implementation"].text(); }
  /// Served by an image that Seldon knows (SKLEARN_SERVER, TRITON_SERVER, one of the user's own)
  /// [S54]. Source: seldon-core v1 operator/apis/machinelearning.seldon.io/v1/prepack.go,
  /// IsPrepack.
  bool is_prepackaged() const;
  /// Has to have a container in the manifest.
  bool is_custom() const;
  /// "seldon.io/model" for a model, …; empty for a unit that the operator labels with none.
  std::string_view label() const;
  /// Whether the operator labels the pod at all after what this unit is.
  bool has_type() const;
};

/// The units in the order of the text, parents first. Aliases make graphs endless: no more than ten
/// thousand.
std::vector<Unit> units_of(const yaml::Node& graph);

}  // namespace cnsched::seldon
