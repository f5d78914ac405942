#include "core/seldon/predictor.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

constexpr std::string_view kTensorflowServing = "tfserving";

bool is_true(const Node& annotation) { return lower(annotation.text()) == "true"; }

/// Follows the operator's steps: first the webhook, then the controller.
class Completer {
 public:
  Completer(Arena& arena, const Node& predictor, const Node& spec) : arena_(arena), spec_(spec) {
    result_.node = &predictor;
    result_.units = units_of(predictor["graph"]);
    for (const Unit& unit : result_.units) result_.unit_of_name.emplace(unit.name(), &unit);
    for (const Node* component : predictor["componentSpecs"].items()) {
      const auto containers = (*component)["spec"]["containers"].items();
      result_.components.push_back(
          {.node = component, .containers = {containers.begin(), containers.end()}});
    }
    for (std::size_t i = 0; i < result_.components.size(); ++i) index(i);
  }

  Predictor complete() {
    for (const Unit& unit : result_.units) {
      if (component_of(unit) == nullptr) add_container_of(unit);
      if (unit.implementation() == "TENSORFLOW_SERVER") add_tensorflow_serving(unit);
    }
    place_orchestrator();
    for (Component& component : result_.components) note_images(component);
    return std::move(result_);
  }

 private:
  void index(std::size_t place) {
    Component& component = result_.components[place];
    for (const Node* container : component.containers) {
      const std::string_view name = (*container)["name"].text();
      first_with_.emplace(name, place);
      last_with_.insert_or_assign(name, place);
      if (name == kTensorflowServing) component.has_tensorflow_serving = true;
      if (name == kOrchestrator) component.has_orchestrator = true;
    }
  }

  Component* component_of(const Unit& unit) {
    const auto found = first_with_.find(unit.name());
    return found == first_with_.end() ? nullptr : &result_.components[found->second];
  }

  void add_container_of(const Unit& unit) {
    if (unit.is_custom() && result_.error.empty()) {
      result_.error =
          fmt::format("no container has the name '{}' of the graph's unit", unit.name());
    }
    if (!unit.is_prepackaged()) return;
    if (result_.components.empty()) result_.components.push_back({.node = &yaml::missing_node()});
    const Node& name = (*unit.node)["name"];
    Component& first = result_.components.front();
    first.containers.push_back(
        &yaml::mapping_like(arena_, *unit.node, {yaml::entry_of(arena_, "name"_key, name)}));
    first_with_.emplace(unit.name(), 0);
    last_with_.emplace(unit.name(), 0);
  }

  /// Unless the protocol is TensorFlow's, the unit's container is only a proxy.
  void add_tensorflow_serving(const Unit& unit) {
    Component* component = component_of(unit);
    if (component == nullptr || spec_["protocol"].text() == "tensorflow") return;
    if (std::exchange(component->has_tensorflow_serving, true)) return;
    const Node& name = yaml::string_like(arena_, *unit.node, kTensorflowServing);
    component->added.push_back(
        &yaml::mapping_like(arena_, *unit.node, {yaml::entry_of(arena_, "name"_key, name)}));
  }

  void place_orchestrator() {
    if (is_true((*result_.node)["annotations"]["seldon.io/no-engine"])) {
      result_.has_orchestrator = false;
    } else if (is_true(spec_["annotations"]["seldon.io/engine-separate-pod"])) {
      result_.separate_orchestrator = true;
    } else if (Component* component = component_of_orchestrator()) {
      if (component->has_orchestrator) return;
      component->added.push_back(&orchestrator(arena_, *result_.node));
      component->takes_orchestrator = true;
    } else if (!result_.units.empty() && result_.error.empty()) {
      result_.error =
          "no unit of the graph has its container in componentSpecs[0], where the "
          "orchestrator belongs";
    }
  }

  /// The component of the first unit that the webhook finds in the first component, else null.
  Component* component_of_orchestrator() {
    for (const Unit& unit : result_.units) {
      const auto first = first_with_.find(unit.name());
      if (first == first_with_.end()) continue;
      if (first->second != 0 && !unit.is_prepackaged()) continue;
      return &result_.components[last_with_.at(unit.name())];
    }
    return nullptr;
  }

  void note_images(Component& component) const {
    for (const Node* container : component.containers) {
      const auto unit = result_.unit_of_name.find((*container)["name"].text());
      if (unit == result_.unit_of_name.end() || !unit->second->is_prepackaged()) continue;
      if (!(*container)["image"]) component.images_unknown.push_back((*container)["name"].text());
    }
    for (const Node* container : component.added) {
      component.images_unknown.push_back((*container)["name"].text());
    }
  }

  Arena& arena_;
  const Node& spec_;
  Predictor result_;
  std::unordered_map<std::string_view, std::size_t> first_with_;
  std::unordered_map<std::string_view, std::size_t> last_with_;
};

/// The operator's defaults, which its environment variables can change [S56]. Source: seldon-core
/// v1 operator/constants/constants.go, DefaultExecutor*.
const Node& default_resources(Arena& arena) {
  const auto constant = [&](yaml::Key key, std::string_view value) {
    return yaml::entry_of(arena, key, yaml::string_like(arena, yaml::nowhere(), value));
  };
  const Node& amounts = yaml::mapping_like(
      arena, yaml::nowhere(), {constant("cpu"_key, "500m"), constant("memory"_key, "512Mi")});
  return yaml::mapping_like(arena, yaml::nowhere(),
                            {yaml::entry_of(arena, "requests"_key, amounts),
                             yaml::entry_of(arena, "limits"_key, amounts)});
}

}  // namespace

Predictor complete_predictor(Arena& arena, const Node& predictor, const Node& deployment_spec) {
  return Completer(arena, predictor, deployment_spec).complete();
}

const Node& orchestrator(Arena& arena, const Node& predictor) {
  const Node& written = predictor["svcOrchSpec"]["resources"];
  const Node& resources = written.is_mapping() ? written : default_resources(arena);
  return yaml::mapping_like(
      arena, yaml::nowhere(),
      {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, yaml::nowhere(), kOrchestrator)),
       yaml::entry_of(arena, "resources"_key, resources)});
}

}  // namespace cnsched::seldon
