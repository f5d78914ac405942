#include "core/kserve/pods.h"

#include <fmt/format.h>

#include <array>

#include "core/kserve/fields.h"
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
    const Node& name = yaml::string_like(arena, *block.key, kServingContainer);
    entries.push_back({.key = &yaml::string_like(arena, *block.key, "name"), .value = &name});
  }
  return yaml::mapping_like(arena, block, entries);
}

/// A component's pod fields, with `block` (if it exists) as the first of its containers.
PodTemplate component_pod(std::string component, const Node& written, const Node& block,
                          Arena& arena) {
  std::vector<Entry> entries = yaml::pick(written, pod_fields());
  if (block) {
    const Node& listed = written["containers"];
    std::vector<const Node*> containers = {&as_container(block, arena)};
    containers.insert(containers.end(), listed.items.begin(), listed.items.end());
    std::erase_if(entries, [](const Entry& e) { return e.key->text == "containers"; });
    const Node& place = listed ? listed : block;
    entries.push_back({.key = &yaml::string_like(arena, *place.key, "containers"),
                       .value = &yaml::sequence_like(arena, place, containers)});
  }
  return {.component = std::move(component),
          .spec = &yaml::mapping_like(arena, written, entries),
          .written = &written};
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

std::vector<PodTemplate> inference_service(const k8s::Object& object, Arena& arena) {
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

/// The router of an InferenceGraph: flat fields, and the resources of its one container.
std::vector<PodTemplate> inference_graph(const k8s::Object& object, Arena& arena) {
  static constexpr auto kFields = std::to_array<std::string_view>(
      {"nodeSelector", "affinity", "tolerations", "nodeName", "serviceAccountName"});
  const Node& spec = object.spec();
  if (!spec.is_mapping()) return {};
  std::vector<Entry> entries = yaml::pick(spec, kFields);
  if (const Node& resources = spec["resources"]) {
    const Node& container =
        yaml::mapping_like(arena, resources,
                           {{.key = &yaml::string_like(arena, *resources.key, "name"),
                             .value = &yaml::string_like(arena, *resources.key, "router")},
                            {.key = resources.key, .value = &resources}});
    entries.push_back({.key = &yaml::string_like(arena, *resources.key, "containers"),
                       .value = &yaml::sequence_like(arena, resources, {&container})});
  }
  return {
      {.component = "router", .spec = &yaml::mapping_like(arena, spec, entries), .written = &spec}};
}

std::vector<PodTemplate> serving_runtime(const k8s::Object& object, Arena& arena) {
  std::vector<PodTemplate> pods;
  const auto add = [&](std::string component, const Node& written) {
    if (!written.is_mapping()) return;
    const auto entries = yaml::pick(written, runtime_pod_fields());
    pods.push_back({.component = std::move(component),
                    .spec = &yaml::mapping_like(arena, written, entries),
                    .written = &written,
                    .fragment = true});
  };
  add("", object.spec());
  add("worker", object.spec()["workerSpec"]);
  return pods;
}

/// LLMInferenceService and its Config: core pod specs at six places.
std::vector<PodTemplate> llm_inference_service(const k8s::Object& object, bool fragment) {
  std::vector<PodTemplate> pods;
  const auto add = [&](std::string component, const Node& spec) {
    if (!spec.is_mapping()) return;
    pods.push_back(
        {.component = std::move(component), .spec = &spec, .written = &spec, .fragment = fragment});
  };
  const Node& spec = object.spec();
  const Node& scheduler = spec["router"]["scheduler"];
  add("template", spec["template"]);
  add("worker", spec["worker"]);
  add("prefill", spec["prefill"]["template"]);
  add("prefill worker", spec["prefill"]["worker"]);
  add("scheduler", scheduler["template"]);
  add("tokenizer", scheduler["tokenizer"]["template"]);
  return pods;
}

}  // namespace

std::vector<PodTemplate> pod_templates(const k8s::Object& object, Arena& arena) {
  if (!is_kserve_group(object.group())) return {};
  if (object.kind == "InferenceService") return inference_service(object, arena);
  if (object.kind == "InferenceGraph") return inference_graph(object, arena);
  if (object.kind == "ServingRuntime" || object.kind == "ClusterServingRuntime") {
    return serving_runtime(object, arena);
  }
  if (object.kind == "LLMInferenceService") return llm_inference_service(object, false);
  if (object.kind == "LLMInferenceServiceConfig") return llm_inference_service(object, true);
  return {};
}

}  // namespace cnsched::kserve
