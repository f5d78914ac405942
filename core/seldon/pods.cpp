#include "core/seldon/pods.h"

#include <fmt/format.h>

namespace cnsched::seldon {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// `label` and the name of a list's item, or its index where it has none.
std::string item_name(std::string_view label, const Node& item, std::size_t index) {
  const std::string_view name = item["name"].scalar();
  return name.empty() ? fmt::format("{}[{}]", label, index) : fmt::format("{} {}", label, name);
}

void add(std::vector<PodTemplate>& pods, std::string component, const Node& spec, bool fragment) {
  if (!spec.is_mapping()) return;
  pods.push_back(k8s::plain_pod(std::move(component), spec, spec));
  pods.back().fragment = fragment;
}

std::vector<PodTemplate> items_with_pod_spec(const Node& list, std::string_view label) {
  std::vector<PodTemplate> pods;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& item = *list.items[i];
    add(pods, item_name(label, item, i), item["podSpec"], true);
  }
  return pods;
}

std::vector<PodTemplate> seldon_deployment(const Node& spec) {
  std::vector<PodTemplate> pods;
  const Node& predictors = spec["predictors"];
  for (std::size_t i = 0; i < predictors.items.size(); ++i) {
    const Node& predictor = *predictors.items[i];
    const std::string name = item_name("predictor", predictor, i);
    const Node& components = predictor["componentSpecs"];
    for (std::size_t j = 0; j < components.items.size(); ++j) {
      const std::string component =
          components.items.size() == 1 ? name : fmt::format("{}, componentSpecs[{}]", name, j);
      add(pods, component, (*components.items[j])["spec"], false);
    }
  }
  return pods;
}

}  // namespace

std::vector<PodTemplate> pod_templates(const k8s::Object& object, const k8s::Objects& objects,
                                       Arena& arena) {
  (void)objects;
  (void)arena;
  const Node& spec = object.spec();
  if (object.group() == "machinelearning.seldon.io") {
    return object.kind == "SeldonDeployment" ? seldon_deployment(spec) : std::vector<PodTemplate>();
  }
  if (object.group() != "mlops.seldon.io") return {};
  if (object.kind == "SeldonConfig") return items_with_pod_spec(spec["components"], "component");
  if (object.kind == "SeldonRuntime") return items_with_pod_spec(spec["overrides"], "override");
  std::vector<PodTemplate> pods;
  if (object.kind == "Server") add(pods, "", spec["podSpec"], false);
  if (object.kind == "ServerConfig") add(pods, "", spec["podSpec"], true);
  return pods;
}

}  // namespace cnsched::seldon
