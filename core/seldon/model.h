#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
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

/// The initial number of pods of a Server.
struct Scaling {
  std::int64_t replicas = 1;
  /// The operator's error for invalid numbers; empty if they are valid.
  std::string error;
};

/// Of `replicas`, `minReplicas` and `maxReplicas` in a Server's spec [S36]. Source: seldon-core v2
/// operator/internal/utils.go, GetValidatedScalingSpec.
Scaling server_scaling(const yaml::Node& spec);

/// The kind of the objects that limit the replicas of a SeldonRuntime's component: "Model" or
/// "Pipeline"; empty if nothing does [S66]. Source: seldon-core v2
/// operator/controllers/reconcilers/seldon/runtime_reconciler.go.
std::string_view limiting_kind(std::string_view component);

/// The most replicas that the operator gives such a component in a namespace with `count` objects
/// of the kind. `pod_spec` is the component's, `pipelines` is `config.scalingConfig.pipelines`.
std::int64_t most_replicas(std::string_view component, std::int64_t count,
                           const yaml::Node& pod_spec, const yaml::Node& pipelines);

/// `containers` with SELDON_SERVER_CAPABILITIES as set by a Server's spec. `capabilities` replaces
/// each occurrence of the variable in every container; without it, `extraCapabilities` is appended.
/// Nothing changes if no container has the variable [S28, S29, S30, S31]. Source: seldon-core v2
/// operator/controllers/reconcilers/server/server_reconciler.go, updateCapabilities.
const yaml::Node& with_capabilities(Arena& arena, const yaml::Node& containers,
                                    const yaml::Node& server_spec);

}  // namespace cnsched::seldon
