#include "core/seldon/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/seldon/server_capacity.h"
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

}  // namespace cnsched::seldon
