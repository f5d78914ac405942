#include "core/seldon/pod_merge.h"

#include <fmt/format.h>

#include <vector>

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
  k8s::NameIndex in_config;
  for (const Node* container : config.items()) in_config.add(name_of(container));
  k8s::NameIndex in_override;
  std::vector<const Node*> merged;
  for (const Node* container : override.items()) {
    in_override.add(name_of(container));
    const std::size_t base = in_config.find(name_of(container));
    merged.push_back(base == k8s::NameIndex::kNone
                         ? container
                         : &k8s::mergo_merge(arena, *config.items()[base], *container, "Container",
                                             k8s::Lists::append));
  }
  for (const Node* container : config.items()) {
    if (in_override.find(name_of(container)) == k8s::NameIndex::kNone) merged.push_back(container);
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

namespace {

using yaml::Node;

const Node& claim_volume(Arena& arena, const Node& claim_template, std::string_view set) {
  const Node& name = claim_template["name"];
  const Node& claim = yaml::string_like(arena, name, fmt::format("{}-{}-0", name.text(), set));
  const Node& source =
      yaml::mapping_like(arena, name, {yaml::entry_of(arena, "claimName"_key, claim)});
  return yaml::mapping_like(arena, claim_template,
                            {yaml::entry_of(arena, "name"_key, name),
                             yaml::entry_of(arena, "persistentVolumeClaim"_key, source)});
}

}  // namespace

const Node& with_claims(Arena& arena, const Node& pod_spec, const Node& claim_templates,
                        std::string_view set) {
  std::vector<const Node*> volumes;
  k8s::NameIndex claimed;
  for (const Node* item : claim_templates.items()) {
    const std::string_view name = (*item)["name"].text();
    if (name.empty() || claimed.find(name) != k8s::NameIndex::kNone) continue;
    claimed.add(name);
    volumes.push_back(&claim_volume(arena, *item, set));
  }
  if (volumes.empty()) return pod_spec;
  const Node& others = pod_spec["volumes"];
  for (const Node* volume : others.items()) {
    const bool replaced = claimed.find((*volume)["name"].text()) != k8s::NameIndex::kNone;
    if (!replaced) volumes.push_back(volume);
  }
  const Node& like = others ? others : claim_templates;
  return yaml::with(arena, pod_spec, "volumes"_key, yaml::sequence_like(arena, like, volumes));
}

void set_identity(MetadataMap& labels, const Node& name) {
  labels.set("statefulset.kubernetes.io/pod-name"_key, fmt::format("{}-0", name.text()), name);
  labels.set_constant("apps.kubernetes.io/pod-index"_key, "0");
}

}  // namespace cnsched::seldon
