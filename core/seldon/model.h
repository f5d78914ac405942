#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// A tag that a Server has to be capable of before a Model is loaded there.
struct RequiredTag {
  enum class From : unsigned char { requirements, model_type, explainer };
  std::string_view tag;  ///< without blanks around it; may be empty, and is required too
  const yaml::Node* node = nullptr;  ///< what asks for it
  From from = From::requirements;
};

/// The capability that the server of every explainer has to have.
inline constexpr std::string_view kExplainerTag = "alibi-explain";

/// All that a Model requires: `requirements`, `modelType` as one more, and the tag of explainers.
/// Placeholders are among them [S46]. Source: seldon-core v2
/// operator/apis/mlops/v1alpha1/model_types.go, scheduler/pkg/scheduler/filters/explainer.go.
std::vector<RequiredTag> required_tags(const yaml::Node& model_spec);

/// Whether a Server may have a capability like this at all: agents split their list at commas.
bool can_be_offered(std::string_view tag);

/// The name of the Server that the Model is pinned to; missing if it is not. An empty one is a name
/// that no Server has.
const yaml::Node& pin_of(const yaml::Node& model_spec);

/// The least number of replicas that the Model is loaded with, and where that is written.
struct ReplicasNeeded {
  std::int64_t count = 1;
  const yaml::Node* written = nullptr;
};
/// Nothing where the operator would refuse the numbers, or they are still to be filled in.
std::optional<ReplicasNeeded> replicas_needed(const yaml::Node& model_spec);

}  // namespace cnsched::seldon
