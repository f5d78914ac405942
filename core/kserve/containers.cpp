#include "core/kserve/containers.h"

#include <fmt/format.h>

#include "core/k8s/pod_spec.h"
#include "core/kserve/fields.h"
#include "core/kserve/image_tag.h"
#include "core/kserve/placeholders.h"
#include "core/kserve/runtime_merge.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::item_called;
using yaml::Node;

/// The transformer that sits in the predictor's pod, then the runtime's other containers, then the
/// predictor's.
void add_beside_model(const Node& runtime, const Node& predictor, const k8s::Object& object,
                      Arena& arena, std::vector<const Node*>& containers) {
  const Node& base = item_called(runtime, kTransformerContainer);
  const Node& own = item_called(predictor, kTransformerContainer);
  if (base || own) {
    const Node& merged = base && own ? merge_container(base, own, arena) : base ? base : own;
    containers.push_back(&with_placeholders_filled(merged, object, arena));
  }
  for (const Node* container : runtime.items()) {
    const std::string_view name = (*container)["name"].text();
    if (name != kServingContainer && name != kTransformerContainer) containers.push_back(container);
  }
  for (const Node* container : predictor.items()) {
    if ((*container)["name"].text() != kTransformerContainer) containers.push_back(container);
  }
}

const Node& with_default_resources(const Node& container, const Surroundings& around) {
  Arena& arena = around.arena;
  const Node* resources = &container["resources"];
  const auto fill = [&](yaml::Key list, yaml::Key name, std::string_view setting,
                        std::string_view shipped) {
    const Node& amounts = (*resources)[list.text()];
    if (amounts[name.text()]) return;
    const Node& amount =
        around.config.find_or(fmt::format("inferenceService/resource/{}", setting), shipped, arena);
    if (!amount) return;
    resources = &yaml::with(arena, *resources, list, yaml::with(arena, amounts, name, amount));
  };
  fill("limits"_key, "cpu"_key, "cpuLimit", "1");
  fill("limits"_key, "memory"_key, "memoryLimit", "2Gi");
  fill("requests"_key, "cpu"_key, "cpuRequest", "1");
  fill("requests"_key, "memory"_key, "memoryRequest", "2Gi");
  if (resources == &container["resources"]) return container;
  return yaml::with(arena, container, "resources"_key, *resources);
}

}  // namespace

const Node& as_container(const Node& block, Arena& arena) {
  std::vector<yaml::Entry> entries = yaml::pick(block, container_fields());
  if (block["name"].text().empty()) {
    yaml::set(arena, entries, "name"_key,
              yaml::string_like(arena, *block.key(), kServingContainer));
  }
  return yaml::mapping_like(arena, block, entries);
}

const Node& explainer_container(const Node& block, const Surroundings& around) {
  Arena& arena = around.arena;
  const Node& container = as_container(block, arena);
  if (container["image"]) return container;
  const Node& written = block["runtimeVersion"];
  const Node& version =
      written ? written
              : around.config.find_or("explainers/art/defaultImageVersion", "latest", arena);
  const Node& image = around.config.find_or("explainers/art/image", "kserve/art-explainer", arena);
  if (!image) return container;
  return yaml::with(arena, container, "image"_key,
                    yaml::string_like(arena, written ? written : image,
                                      fmt::format("{}:{}", image.text(), version.text())));
}

Containers model_containers(const k8s::Object& runtime, const Node& predictor, const Node& block,
                            const k8s::Object& object, Arena& arena) {
  const Node& listed = runtime.spec()["containers"];
  const Node& base = item_called(listed, kServingContainer);
  Containers containers;
  if (!base) {
    containers.refused = fmt::format("{} '{}' has no container called '{}'", runtime.kind,
                                     runtime.name, kServingContainer);
    return containers;
  }
  const Node& model = with_placeholders_filled(
      merge_container(base, as_container(block, arena), arena), object, arena);
  containers.items = {&with_image_tag(model, block["runtimeVersion"], runtime, arena)};
  add_beside_model(listed, predictor["containers"], object, arena, containers.items);
  return containers;
}

Containers worker_containers(const k8s::Object& runtime, const Node& worker, Arena& arena) {
  const Node& base = item_called(runtime.spec()["workerSpec"]["containers"], kWorkerContainer);
  if (!base) {
    return {{},
            fmt::format("{} '{}' has no container called '{}' in its workerSpec", runtime.kind,
                        runtime.name, kWorkerContainer)};
  }
  return {{&merge_container(base, worker["containers"].at(0), arena)}, {}};
}

Containers custom_containers(const Node& listed, std::string_view component,
                             const Surroundings& around) {
  if (listed.items().empty()) {
    const std::string_view article = component == "explainer" ? "an" : "a";
    return {{}, fmt::format("KServe refuses {} {} without a container", article, component)};
  }
  Containers containers{{listed.items().begin(), listed.items().end()}, {}};
  const Node*& first = containers.items.front();
  const std::string_view name = (*first)["name"].text();
  const bool renamed = component != "predictor" || listed.items().size() == 1 || name.empty();
  if (renamed && name != kServingContainer) {
    const Node& old = (*first)["name"];
    first = &yaml::with(around.arena, *first, "name"_key,
                        yaml::string_like(around.arena, old ? old : *first, kServingContainer));
  }
  first = &with_default_resources(*first, around);
  if (renamed || name == kServingContainer) return containers;
  // The controller takes the container of that name, wherever it stands, and writes it over the
  // first, defaults and all.
  const Node& serving = item_called(listed, kServingContainer);
  if (serving) {
    first = &serving;
  } else {
    containers.refused =
        fmt::format("of several containers one has to be called '{}'", kServingContainer);
  }
  return containers;
}

}  // namespace cnsched::kserve
