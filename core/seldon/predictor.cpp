#include "core/seldon/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

bool is_true(const Node& annotation) { return lower(annotation.text()) == "true"; }

/// A container of the manifest or of a prepackaged server.
struct Place {
  std::size_t component = 0;
  std::size_t container = 0;
};

/// Follows the operator's steps: first the webhook, then the controller.
class Completer {
 public:
  Completer(Arena& arena, const Node& predictor, const Node& spec, const OperatorConfig& config)
      : arena_(arena), spec_(spec), config_(config) {
    result_.node = &predictor;
    result_.units = units_of(predictor["graph"]);
    for (const Unit& unit : result_.units) result_.unit_of_name.emplace(unit.name(), &unit);
    for (const Node* node : predictor["componentSpecs"].items()) {
      const auto containers = (*node)["spec"]["containers"].items();
      Component& component = result_.components.emplace_back();
      component.node = node;
      component.containers = {containers.begin(), containers.end()};
      for (const Node* container : (*node)["spec"]["initContainers"].items()) {
        component.init_containers.add((*container)["name"].text());
      }
    }
    for (std::size_t i = 0; i < result_.components.size(); ++i) index(i);
  }

  Predictor complete() {
    for (const Unit& unit : result_.units) {
      if (component_of(unit) == nullptr) add_container_of(unit);
    }
    for (const Unit& unit : result_.units) {
      Component* component = component_of(unit);
      if (component == nullptr || result_.unit_of_name.at(unit.name()) != &unit) continue;
      if (unit.is_prepackaged()) {
        complete_server(unit, *component);
      } else {
        add_model(unit, unit.name(), *component);
      }
    }
    for (Component& component : result_.components) {
      if (component.proxied != nullptr) complete_tensorflow_serving(component);
    }
    place_orchestrator();
    return std::move(result_);
  }

 private:
  void index(std::size_t place) {
    Component& component = result_.components[place];
    for (std::size_t i = 0; i < component.containers.size(); ++i) {
      const std::string_view name = (*component.containers[i])["name"].text();
      first_with_.emplace(name, Place{place, i});
      last_with_.insert_or_assign(name, place);
      if (name == kOrchestrator) component.has_orchestrator = true;
    }
  }

  Component* component_of(const Unit& unit) {
    const auto found = first_with_.find(unit.name());
    return found == first_with_.end() ? nullptr : &result_.components[found->second.component];
  }

  std::string_view protocol() const { return spec_["protocol"].text(); }

  void reject(std::string reason) {
    if (result_.error.empty()) result_.error = std::move(reason);
  }

  void add_container_of(const Unit& unit) {
    if (unit.is_custom()) {
      reject(fmt::format("no container has the name '{}' of the graph's unit", unit.name()));
    }
    if (!unit.is_prepackaged()) return;
    if (result_.components.empty()) result_.components.push_back({.node = &yaml::missing_node()});
    const Node& name = (*unit.node)["name"];
    Component& first = result_.components.front();
    first.containers.push_back(
        &yaml::mapping_like(arena_, *unit.node, {yaml::entry_of(arena_, "name"_key, name)}));
    first_with_.emplace(unit.name(), Place{0, first.containers.size() - 1});
    last_with_.emplace(unit.name(), 0);
  }

  /// What the controller adds for a prepackaged server [S62].
  void complete_server(const Unit& unit, Component& component) {
    const std::string_view implementation = unit.implementation();
    if (config_.has_servers() && !config_.has_server(implementation)) {
      reject(fmt::format("ConfigMap 'seldon-config' has no server '{}'", implementation));
    }
    if (const Node& account = (*unit.node)["serviceAccountName"]; !account.text().empty()) {
      component.service_account = &account;
    }
    const Node*& container = component.containers[first_with_.at(unit.name()).container];
    if (replaces_ports(implementation) && (*container)["ports"]) {
      container = &yaml::without(arena_, *container, "ports");
    }
    const bool proxy = implementation == "TENSORFLOW_SERVER" && protocol() != "tensorflow";
    if (proxy || (*container)["image"].text().empty()) {
      set_image(container, config_.server_image(implementation, protocol()), component);
    }
    if (proxy && component.proxied == nullptr) component.proxied = unit.node;
    if (loads_itself(implementation)) return;
    add_model(unit, proxy ? kTensorflowServing : unit.name(), component);
  }

  /// Whether the operator overwrites the container's ports.
  bool replaces_ports(std::string_view implementation) const {
    if (implementation == "TENSORFLOW_SERVER") return false;
    return implementation == "TRITON_SERVER" || is_open_inference(protocol());
  }

  /// Whether the server reads the model's address itself.
  bool loads_itself(std::string_view implementation) const {
    return implementation == "TRITON_SERVER" &&
           is_true(spec_["annotations"]["seldon.io/no-storage-initializer"]);
  }

  void set_image(const Node*& container, const Node& image, Component& component) {
    const std::string_view name = (*container)["name"].text();
    if (image) {
      container = &yaml::with(arena_, *container, "image"_key, image);
      return;
    }
    if ((*container)["image"]) container = &yaml::without(arena_, *container, "image");
    if (!config_.has_servers()) component.images_unknown.emplace_back(name);
  }

  /// Unless the protocol is TensorFlow's, the unit's container is only a proxy [S55].
  void complete_tensorflow_serving(Component& component) {
    const Node& image = config_.server_image("TENSORFLOW_SERVER", "tensorflow");
    const auto written = std::ranges::find_if(component.containers, [](const Node* container) {
      return (*container)["name"].text() == kTensorflowServing;
    });
    if (written == component.containers.end()) {
      const Node& name = yaml::string_like(arena_, *component.proxied, kTensorflowServing);
      component.added.push_back(&yaml::mapping_like(arena_, *component.proxied,
                                                    {yaml::entry_of(arena_, "name"_key, name)}));
      set_image(component.added.back(), image, component);
    } else if ((**written)["image"].text().empty()) {
      set_image(*written, image, component);
    }
  }

  void add_model(const Unit& unit, std::string_view container, Component& component) {
    const ModelSource model{.uri = &(*unit.node)["modelUri"],
                            .image = &(*unit.node)["storageInitializerImage"],
                            .container = container};
    if (model.uri->text().empty() || !component.loading.insert(container).second) return;
    component.models.push_back(model);
    std::string name = initializer_name(container);
    if (component.init_containers.find(name) != k8s::NameIndex::kNone) return;
    if (model.is_claim()) ++component.claims;
    if (model.image->text().empty() && !config_.initializer_image()) {
      component.images_unknown.push_back(std::move(name));
    }
  }

  void place_orchestrator() {
    if (is_true((*result_.node)["annotations"]["seldon.io/no-engine"])) {
      result_.has_orchestrator = false;
      return;
    }
    if (!result_.units.empty()) {
      if (Component* root = component_of(result_.units.front())) root->has_certificate = true;
    }
    if (is_true(spec_["annotations"]["seldon.io/engine-separate-pod"])) {
      result_.separate_orchestrator = true;
    } else if (Component* component = component_of_orchestrator()) {
      if (component->has_orchestrator) return;
      component->added.push_back(&orchestrator(arena_, *result_.node, config_));
      component->takes_orchestrator = true;
      if (!config_.orchestrator_image()) component->images_unknown.emplace_back(kOrchestrator);
    } else if (!result_.units.empty()) {
      reject(
          "no unit of the graph has its container in componentSpecs[0], where the orchestrator "
          "belongs");
    }
  }

  /// The component of the first unit that the webhook finds in the first component, else null
  /// [S56].
  Component* component_of_orchestrator() {
    for (const Unit& unit : result_.units) {
      const auto first = first_with_.find(unit.name());
      if (first == first_with_.end()) continue;
      const std::size_t last = last_with_.at(unit.name());
      const std::size_t counts = unit.is_prepackaged() ? first->second.component : last;
      if (counts == 0) return &result_.components[last];
    }
    return nullptr;
  }

  Arena& arena_;
  const Node& spec_;
  const OperatorConfig& config_;
  Predictor result_;
  std::unordered_map<std::string_view, Place> first_with_;
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

Predictor complete_predictor(Arena& arena, const Node& predictor, const Node& deployment_spec,
                             const OperatorConfig& config) {
  return Completer(arena, predictor, deployment_spec, config).complete();
}

const Node& orchestrator(Arena& arena, const Node& predictor, const OperatorConfig& config) {
  const Node& written = predictor["svcOrchSpec"]["resources"];
  const Node& resources = written.is_mapping() ? written : default_resources(arena);
  std::vector<yaml::Entry> entries = {
      yaml::entry_of(arena, "name"_key, yaml::string_like(arena, yaml::nowhere(), kOrchestrator))};
  if (const Node& image = config.orchestrator_image()) {
    entries.push_back(yaml::entry_of(arena, "image"_key, image));
  }
  entries.push_back(yaml::entry_of(arena, "resources"_key, resources));
  return yaml::mapping_like(arena, yaml::nowhere(), entries);
}

namespace {

constexpr std::string_view kUnknown = "UNKNOWN_IMPLEMENTATION";

bool is_built_in(std::string_view implementation) {
  return is_one_of(implementation,
                   {"SIMPLE_MODEL", "SIMPLE_ROUTER", "RANDOM_ABTEST", "AVERAGE_COMBINER"});
}

}  // namespace

bool Unit::is_prepackaged() const {
  const std::string_view value = implementation();
  return !value.empty() && value != kUnknown && !is_built_in(value);
}

bool Unit::is_custom() const { return implementation().empty() || implementation() == kUnknown; }

bool Unit::has_type() const {
  if (is_prepackaged() || !(*node)["type"].text().empty()) return true;
  return implementation().empty() && !(*node)["methods"];
}

std::string_view Unit::label() const {
  constexpr auto kLabels = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"ROUTER", "seldon.io/router"},
       {"COMBINER", "seldon.io/combiner"},
       {"MODEL", "seldon.io/model"},
       {"TRANSFORMER", "seldon.io/transformer"},
       {"OUTPUT_TRANSFORMER", "seldon.io/output-transformer"}});
  const std::string_view type = (*node)["type"].text();
  if (is_prepackaged() || (type.empty() && has_type())) return "seldon.io/model";
  const auto* found = std::ranges::find(kLabels, type, [](const auto& row) { return row.first; });
  return found == kLabels.end() ? std::string_view() : found->second;
}

std::vector<Unit> units_of(const yaml::Node& graph) {
  constexpr std::size_t kMaxUnits = 10'000;
  std::vector<Unit> units;
  std::vector<const yaml::Node*> pending = {&graph};
  while (!pending.empty() && units.size() < kMaxUnits) {
    const yaml::Node& unit = *pending.back();
    pending.pop_back();
    if (!unit.is_mapping()) continue;
    units.push_back({&unit});
    const auto children = unit["children"].items();
    const auto some =
        children.first(pending.size() < kMaxUnits ? std::min(children.size(), kMaxUnits) : 0);
    pending.insert(pending.end(), some.rbegin(), some.rend());
  }
  return units;
}

}  // namespace cnsched::seldon
