#include "core/kserve/inference_graph.h"

#include <array>

#include "core/yaml/tree.h"

namespace cnsched::kserve {

std::vector<k8s::PodTemplate> inference_graph_pods(const k8s::Object& object,
                                                   const Surroundings& around) {
  static constexpr auto kFields = std::to_array<std::string_view>(
      {"nodeSelector", "affinity", "tolerations", "nodeName", "serviceAccountName"});
  const yaml::Node& spec = object.spec();
  if (!spec.is_mapping()) return {};
  Arena& arena = around.arena;
  std::vector<yaml::Entry> entries = yaml::pick(spec, kFields);
  if (const yaml::Node& resources = spec["resources"]) {
    const yaml::Node& container = yaml::mapping_like(
        arena, resources,
        {yaml::entry_of(arena, "name", yaml::string_like(arena, *resources.key, "router")),
         {.key = resources.key, .value = &resources}});
    entries.push_back(
        yaml::entry_of(arena, "containers", yaml::sequence_like(arena, resources, {&container})));
  }
  return {k8s::plain_pod("router", yaml::mapping_like(arena, spec, entries), spec)};
}

}  // namespace cnsched::kserve
