#include "core/seldon/pod_merge.h"

#include <vector>

#include "core/k8s/places.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/struct_merge.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

/// The fields of a pod spec that the API server keeps for a CRD's type.
const Node& stored(Arena& arena, const Node& pod_spec, std::string_view type) {
  if (!pod_spec.is_mapping()) return yaml::missing_node();
  const auto fields = k8s::schema::field_names(type, type);
  return yaml::mapping_like(arena, pod_spec, yaml::pick(pod_spec, fields));
}

std::string_view name_of(const Node* container) { return (*container)["name"].text(); }

}  // namespace

const Node& merge_containers(Arena& arena, const Node& config, const Node& override) {
  if (override.items().empty()) return config;
  k8s::Places in_config;
  for (const Node* container : config.items()) in_config.add(name_of(container));
  k8s::Places in_override;
  std::vector<const Node*> merged;
  for (const Node* container : override.items()) {
    in_override.add(name_of(container));
    const std::size_t base = in_config.find(name_of(container));
    merged.push_back(base == k8s::Places::kNone
                         ? container
                         : &k8s::mergo_merge(arena, *config.items()[base], *container, "Container",
                                             k8s::Lists::append));
  }
  for (const Node* container : config.items()) {
    if (in_override.find(name_of(container)) == k8s::Places::kNone) merged.push_back(container);
  }
  return yaml::sequence_like(arena, override, merged);
}

const Node& merge_pod_specs(Arena& arena, const Node& config, const Node& override) {
  if (!config.is_mapping()) return override;
  if (!override.is_mapping()) return config;
  const Node& containers = merge_containers(arena, config["containers"], override["containers"]);
  const Node& merged = k8s::mergo_merge(arena, config, override, "PodSpec", k8s::Lists::append);
  return containers ? yaml::with(arena, merged, "containers"_key, containers) : merged;
}

const Node& stored_override(Arena& arena, const Node& pod_spec) {
  return stored(arena, pod_spec, "SeldonPodSpec");
}

const Node& stored_config(Arena& arena, const Node& pod_spec) {
  return stored(arena, pod_spec, "SeldonConfigPodSpec");
}

}  // namespace cnsched::seldon
