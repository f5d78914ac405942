#include "core/kserve/containers.h"

#include <fmt/format.h>
#include <algorithm>

#include "core/k8s/pod_spec.h"
#include "core/kserve/fields.h"
#include "core/kserve/go_template.h"
#include "core/kserve/runtime.h"
#include "core/kserve/shipped_runtimes.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::item_named;
using yaml::Node;

/// Adds the transformer in the predictor's pod, then the runtime's other containers, then the
/// predictor's.
void add_beside_model(const Node& runtime, const Node& predictor, const k8s::Object& object,
                      Arena& arena, std::vector<const Node*>& containers) {
  const Node& base = item_named(runtime, kTransformerContainer);
  const Node& own = item_named(predictor, kTransformerContainer);
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

const Node& with_default_resources(const Node& container, const ControllerContext& context) {
  Arena& arena = context.arena;
  const Node* resources = &container["resources"];
  const auto fill = [&](yaml::Key list, yaml::Key name, std::string_view setting,
                        std::string_view shipped) {
    const Node& amounts = resources->under(list.text());
    if (amounts.under(name.text())) return;
    const Node& amount = context.config.find_or(
        fmt::format("inferenceService/resource/{}", setting), shipped, arena);
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

const Node& explainer_container(const Node& block, const ControllerContext& context) {
  Arena& arena = context.arena;
  const Node& container = as_container(block, arena);
  if (container["image"]) return container;
  const Node& written = block["runtimeVersion"];
  const Node& version =
      written ? written
              : context.config.find_or("explainers/art/defaultImageVersion", "latest", arena);
  const Node& image = context.config.find_or("explainers/art/image", "kserve/art-explainer", arena);
  if (!image) return container;
  return yaml::with(arena, container, "image"_key,
                    yaml::string_like(arena, written ? written : image,
                                      fmt::format("{}:{}", image.text(), version.text())));
}

Containers model_containers(const k8s::Object& runtime, const Node& predictor, const Node& block,
                            const k8s::Object& object, const ControllerContext& context) {
  Arena& arena = context.arena;
  const Node& listed = runtime.spec()["containers"];
  const Node& base = item_named(listed, kServingContainer);
  Containers containers;
  if (!base) {
    containers.error = fmt::format("{} '{}' has no container named '{}'", runtime.kind,
                                   runtime.name, kServingContainer);
    return containers;
  }
  const Node& model = with_placeholders_filled(
      merge_container(base, as_container(block, arena), arena), object, arena);
  containers.items = {
      &with_image_tag(model, block["runtimeVersion"], runtime, context.version, arena)};
  add_beside_model(listed, predictor["containers"], object, arena, containers.items);
  return containers;
}

Containers worker_containers(const k8s::Object& runtime, const Node& worker, Arena& arena) {
  const Node& base = item_named(runtime.spec()["workerSpec"]["containers"], kWorkerContainer);
  if (!base) {
    return {{},
            fmt::format("{} '{}' has no container named '{}' in its workerSpec", runtime.kind,
                        runtime.name, kWorkerContainer)};
  }
  return {{&merge_container(base, worker["containers"].at(0), arena)}, {}};
}

Containers custom_containers(const Node& listed, std::string_view component,
                             const ControllerContext& context) {
  if (listed.items().empty()) {
    const std::string_view article = component == "explainer" ? "an" : "a";
    return {{},
            fmt::format("KServe creates no pod for {} {} without containers", article, component)};
  }
  Containers containers{{listed.items().begin(), listed.items().end()}, {}};
  const Node*& first = containers.items.front();
  const std::string_view name = (*first)["name"].text();
  const bool renamed = component != "predictor" || listed.items().size() == 1 || name.empty();
  if (renamed && name != kServingContainer) {
    const Node& old = (*first)["name"];
    first = &yaml::with(context.arena, *first, "name"_key,
                        yaml::string_like(context.arena, old ? old : *first, kServingContainer));
  }
  first = &with_default_resources(*first, context);
  if (renamed || name == kServingContainer) return containers;
  // The controller copies the container of that name, at any index, over the first one and its
  // defaults.
  const Node& serving = item_named(listed, kServingContainer);
  if (serving) {
    first = &serving;
  } else {
    containers.error =
        fmt::format("of several containers one has to be called '{}'", kServingContainer);
  }
  return containers;
}

const Node& environment(const Node& container, std::string_view name) {
  return k8s::item_named(container["env"], name)["value"];
}

const Node& with_environment(const Node& container, std::string_view name, std::string_view value,
                             const Node& cause, Arena& arena) {
  const Node& list = container["env"];
  const Node& old = k8s::item_named(list, name);
  const Node& text = yaml::string_like(arena, cause, value);
  if (!old) {
    const Node& variable = yaml::mapping_like(
        arena, cause,
        {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, cause, name)),
         yaml::entry_of(arena, "value"_key, text)});
    return yaml::with(arena, container, "env"_key, yaml::with_item(arena, list, variable));
  }
  std::vector<const Node*> items(list.items().begin(), list.items().end());
  *std::ranges::find(items, &old) = &yaml::with(arena, old, "value"_key, text);
  return yaml::with(arena, container, "env"_key, yaml::sequence_like(arena, list, items));
}

}  // namespace cnsched::kserve
