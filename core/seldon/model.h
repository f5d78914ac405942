#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// A capability that a Server must have to load a Model.
struct RequiredTag {
  enum class From : unsigned char { requirements, model_type, explainer };
  std::string_view tag;              ///< trimmed; an empty tag is also required
  const yaml::Node* node = nullptr;  ///< the field that requires it
  From from = From::requirements;
};

/// The capability that the server of an explainer must have.
inline constexpr std::string_view kExplainerTag = "alibi-explain";

/// All tags that a Model requires: `requirements`, `modelType`, and the tag of explainers,
/// including placeholders [S46]. Source: seldon-core v2
/// operator/apis/mlops/v1alpha1/model_types.go, scheduler/pkg/scheduler/filters/explainer.go.
std::vector<RequiredTag> required_tags(const yaml::Node& model_spec);

/// Whether a Server can have this tag as a capability. Agents split their list at commas.
bool can_be_capability(std::string_view tag);

/// The name of the Server to which the Model is pinned; missing if it is not pinned. An empty name
/// matches no Server.
const yaml::Node& pin_of(const yaml::Node& model_spec);

/// The minimum number of replicas of the Model, and the field that sets it.
struct ReplicasNeeded {
  std::int64_t count = 1;
  const yaml::Node* written = nullptr;
};
/// Nothing if the operator rejects the numbers or one is a placeholder.
std::optional<ReplicasNeeded> replicas_needed(const yaml::Node& model_spec);

}  // namespace cnsched::seldon
