#pragma once

#include <string_view>
#include <vector>

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

}  // namespace cnsched::seldon
