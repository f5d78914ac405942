#include "core/seldon/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/seldon/agent.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

std::vector<RequiredTag> required_tags(const yaml::Node& model_spec) {
  std::vector<RequiredTag> tags;
  const auto add = [&](const yaml::Node& node, RequiredTag::From from) {
    if (node.is_scalar()) tags.push_back({trim(node.text()), &node, from});
  };
  for (const yaml::Node* item : model_spec["requirements"].items()) {
    add(*item, RequiredTag::From::requirements);
  }
  add(model_spec["modelType"], RequiredTag::From::model_type);
  const yaml::Node& explainer = model_spec["explainer"];
  if (explainer.is_mapping()) {
    tags.push_back({kExplainerTag, &explainer, RequiredTag::From::explainer});
  }
  return tags;
}

bool can_be_capability(std::string_view tag) {
  return !tag.empty() && tag.find(',') == std::string_view::npos;
}

const yaml::Node& pin_of(const yaml::Node& model_spec) {
  const yaml::Node& server = model_spec["server"];
  return server.is_scalar() ? server : yaml::missing_node();
}

std::optional<ReplicasNeeded> replicas_needed(const yaml::Node& spec) {
  for (const std::string_view field : {"replicas", "minReplicas", "maxReplicas"}) {
    if (!spec[field].is_empty() && !yaml::integer_of(spec[field])) return std::nullopt;
  }
  const Scaling scaling = server_scaling(spec);
  if (!scaling.error.empty()) return std::nullopt;
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  return least > 0 ? ReplicasNeeded{least, &spec["minReplicas"]}
                   : ReplicasNeeded{scaling.replicas, &spec["replicas"]};
}

Scaling server_scaling(const yaml::Node& spec) {
  const auto written = yaml::integer_of(spec["replicas"]);
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  const std::int64_t most = yaml::integer_of(spec["maxReplicas"]).value_or(0);
  const std::int64_t replicas = written.value_or(least > 0 ? least : 1);
  const auto invalid = [&](const std::string& why) {
    return Scaling{replicas, "scaling spec is invalid: " + why};
  };
  if (least > 0 && replicas < least) {
    return invalid(
        fmt::format("number of replicas {} must be >= min replicas {}", replicas, least));
  }
  if (least > 0 && most > 0 && least > most) {
    return invalid(
        fmt::format("min number of replicas {} must be <= max number of replicas {}", least, most));
  }
  if (most > 0 && replicas > most) {
    return invalid(fmt::format("number of replicas {} must be <= max replicas {}", replicas, most));
  }
  return {replicas, {}};
}

namespace {

/// A component of a SeldonRuntime that shares its work out by Models or Pipelines.
struct LimitedComponent {
  std::string_view name;
  std::string_view kind;
  std::string_view variable;  ///< that replaces the largest number of consumers; may be empty
};

constexpr auto kLimited = std::to_array<LimitedComponent>(
    {{"seldon-dataflow-engine", "Pipeline", ""},
     {"seldon-pipelinegateway", "Pipeline", "PIPELINEGATEWAY_MAX_NUM_CONSUMERS"},
     {"seldon-modelgateway", "Model", "MODELGATEWAY_MAX_NUM_CONSUMERS"}});

const LimitedComponent* find_limited(std::string_view name) {
  const auto* found = std::ranges::find(kLimited, name, &LimitedComponent::name);
  return found == kLimited.end() ? nullptr : found;
}

/// The variable of the first container, if it is a number, else the default.
std::int64_t most_consumers(std::string_view variable, const yaml::Node& pod_spec) {
  constexpr std::int64_t kDefault = 100;
  const yaml::Node& variables = pod_spec["containers"].at(0)["env"];
  const std::string_view text = k8s::item_named(variables, variable)["value"].text();
  const auto number = whole_number<std::int64_t>(text);
  return number && *number > 0 ? *number : kDefault;
}

}  // namespace

std::string_view limiting_kind(std::string_view component) {
  const LimitedComponent* limited = find_limited(component);
  return limited == nullptr ? std::string_view() : limited->kind;
}

std::int64_t most_replicas(std::string_view component, std::int64_t count,
                           const yaml::Node& pod_spec, const yaml::Node& pipelines) {
  if (count == 0) return 1;
  const std::int64_t written = yaml::integer_of(pipelines["maxShardCountMultiplier"]).value_or(0);
  const std::int64_t shards =
      pipelines.is_mapping() ? std::clamp<std::int64_t>(written, 0, INT32_MAX) : 1;
  const std::string_view variable = find_limited(component)->variable;
  return shards * std::min(count, most_consumers(variable, pod_spec));
}

namespace {

using yaml::Node;

/// Limits long texts that aliases repeat; no server has as many capabilities.
constexpr std::size_t kLongestList = 100'000;

std::string joined(const Node& list) {
  std::string text;
  for (std::size_t i = 0; i < list.items().size() && text.size() < kLongestList; ++i) {
    if (i > 0) text += ',';
    text += list.items()[i]->text().substr(0, kLongestList);
  }
  return text;
}

/// Rewrites the variable. The total length of new values is limited.
class Rewriter {
 public:
  Rewriter(Arena& arena, const Node& replacing, const Node& extra)
      : arena_(arena),
        source_(replacing.items().empty() ? extra : replacing),
        extends_(replacing.items().empty()),
        text_(joined(source_)),
        whole_(yaml::string_like(arena, source_, text_)) {}

  const Node& containers(const Node& list) {
    std::vector<const Node*> changed;
    for (const Node* container : list.items()) changed.push_back(&this->container(*container));
    return yaml::sequence_like(arena_, list, changed);
  }

 private:
  const Node& container(const Node& node) {
    const Node& list = node["env"];
    std::vector<const Node*> changed;
    bool any = false;
    for (const Node* variable : list.items()) {
      const Node& now = this->variable(*variable);
      any = any || &now != variable;
      changed.push_back(&now);
    }
    return any ? yaml::with(arena_, node, "env"_key, yaml::sequence_like(arena_, list, changed))
               : node;
  }

  /// Like the operator, drops valueFrom.
  const Node& variable(const Node& node) {
    const Node& name = node["name"];
    if (name.text() != kCapabilitiesVariable) return node;
    return yaml::mapping_like(arena_, node,
                              {yaml::entry_of(arena_, "name"_key, name),
                               yaml::entry_of(arena_, "value"_key, value(node["value"].text()))});
  }

  const Node& value(std::string_view before) {
    if (!extends_ || before.size() + text_.size() > remaining_) return whole_;
    remaining_ -= before.size() + text_.size();
    return yaml::string_like(arena_, source_, std::string(before) + "," + text_);
  }

  Arena& arena_;
  const Node& source_;
  bool extends_;
  std::string text_;
  const Node& whole_;
  std::size_t remaining_ = 10 * kLongestList;
};

}  // namespace

const Node& with_capabilities(Arena& arena, const Node& containers, const Node& server_spec) {
  const Node& replacing = server_spec["capabilities"];
  const Node& extra = server_spec["extraCapabilities"];
  if (containers.items().empty() || (replacing.items().empty() && extra.items().empty())) {
    return containers;
  }
  return Rewriter(arena, replacing, extra).containers(containers);
}

}  // namespace cnsched::seldon
