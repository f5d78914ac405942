#include "core/seldon/stateful_set.h"

#include <fmt/format.h>

#include <vector>

#include "core/k8s/places.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

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
  k8s::Places claimed;
  for (const Node* item : claim_templates.items()) {
    const std::string_view name = (*item)["name"].text();
    if (name.empty() || claimed.find(name) != k8s::Places::kNone) continue;
    claimed.add(name);
    volumes.push_back(&claim_volume(arena, *item, set));
  }
  if (volumes.empty()) return pod_spec;
  const Node& others = pod_spec["volumes"];
  for (const Node* volume : others.items()) {
    const bool replaced = claimed.find((*volume)["name"].text()) != k8s::Places::kNone;
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
