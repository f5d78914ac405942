#include "core/kserve/inference_service.h"

#include <fmt/format.h>

#include "core/kserve/fields.h"
#include "core/kserve/pods.h"
#include "core/kserve/runtime.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Entry;
using yaml::Node;

/// The framework block of a predictor, or a missing node.
const Node& framework_block(const Node& predictor) {
  for (const std::string_view key : framework_keys()) {
    if (const Node& block = predictor[key]; block.is_mapping()) return block;
  }
  return yaml::missing_node();
}

/// `model`, `triton` or `art` as the container that it becomes.
const Node& as_container(const Node& block, Arena& arena) {
  std::vector<Entry> entries = yaml::pick(block, container_fields());
  if (!block["name"]) {
    entries.push_back(
        yaml::entry_of(arena, "name", yaml::string_like(arena, *block.key, kServingContainer)));
  }
  return yaml::mapping_like(arena, block, entries);
}

/// A component's pod fields, with `block` (if it exists) as the first of its containers.
PodTemplate component_pod(std::string component, const Node& written, const Node& block,
                          Arena& arena) {
  const Node* spec = &yaml::mapping_like(arena, written, yaml::pick(written, pod_fields()));
  if (block) {
    const Node& listed = written["containers"];
    std::vector<const Node*> containers = {&as_container(block, arena)};
    containers.insert(containers.end(), listed.items.begin(), listed.items.end());
    const Node& place = listed ? listed : block;
    spec = &yaml::with(arena, *spec, "containers", yaml::sequence_like(arena, place, containers));
  }
  return k8s::plain_pod(std::move(component), *spec, written);
}

void add_predictor(const std::string& name, const Node& predictor, Arena& arena,
                   std::vector<PodTemplate>& pods) {
  if (!predictor.is_mapping()) return;
  pods.push_back(component_pod(name, predictor, framework_block(predictor), arena));
  const Node& worker = predictor["workerSpec"];
  if (!worker.is_mapping()) return;
  pods.push_back(component_pod(name == "predictor" ? "worker" : name + " worker", worker,
                               yaml::missing_node(), arena));
}

}  // namespace

std::vector<PodTemplate> inference_service_pods(const k8s::Object& object,
                                                const Surroundings& around) {
  Arena& arena = around.arena;
  std::vector<PodTemplate> pods;
  const Node& spec = object.spec();
  add_predictor("predictor", spec["predictor"], arena, pods);
  if (const Node& transformer = spec["transformer"]; transformer.is_mapping()) {
    pods.push_back(component_pod("transformer", transformer, yaml::missing_node(), arena));
  }
  if (const Node& explainer = spec["explainer"]; explainer.is_mapping()) {
    const Node& art = explainer["art"];
    pods.push_back(component_pod("explainer", explainer,
                                 art.is_mapping() ? art : yaml::missing_node(), arena));
  }
  const auto canaries = spec["canary"].items;
  for (std::size_t i = 0; i < canaries.size(); ++i) {
    add_predictor(fmt::format("canary[{}]", i), (*canaries[i])["predictor"], arena, pods);
  }
  return pods;
}

}  // namespace cnsched::kserve
