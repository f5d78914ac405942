// Every controller knows its model server by a name of its own. What is written under another name
// becomes a container beside it. Containers that may well use the device themselves are left alone:
// those with a command, arguments or ports, and what the manifest has no say in.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/accelerators/device_access.h"
#include "core/kserve/containers.h"
#include "core/kserve/runtime.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_accelerator_on_wrong_container = {
    .id = "accelerator-on-wrong-container",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "an accelerator on a container that does not run the model",
    .why =
        "The model server gets no device, and falls back to the CPU or crashes: the device "
        "plugin hands devices only to containers that ask for them. A container whose name "
        "the controller does not expect overrides nothing, it runs beside the model server.\n\n"
        "The expected name is 'kserve-container' (written as predictor.model) in an "
        "InferenceService, 'main' in an LLMInferenceService, and the name of the graph's unit "
        "in a SeldonDeployment.",
    .bad = R"(
model:
  modelFormat: {name: huggingface}
containers:
- name: huggingface
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
model:
  modelFormat: {name: huggingface}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kserve.github.io/website/docs/concepts/resources/servingruntime",
    .check = check,
};

using accelerators::accelerator_asked_by;
using k8s::Container;
using yaml::Node;

/// Whether the container looks like a program of its own rather than like an override.
static bool stands_by_itself(const Container& container) {
  const Node& node = *container.node;
  return node["image"] && (node["command"] || node["args"] || node["ports"]);
}

/// Seldon's own helpers never compute.
static bool is_helper_of_seldon(std::string_view kind, std::string_view container) {
  if (kind == "SeldonDeployment") return container == "seldon-container-engine";
  return (kind == "Server" || kind == "ServerConfig") &&
         (container == "agent" || container == "rclone");
}

namespace {

/// An accelerator on a container that looks like an override of the model server.
struct Stray {
  std::string_view container;
  const Node* name = nullptr;    ///< of the container
  const Node* amount = nullptr;  ///< of the accelerator; its key is the accelerator's name

  std::string_view accelerator() const { return amount->key()->text(); }
};

}  // namespace

/// The containers of a pod spec that ask for an accelerator and are not `expected` to.
template <typename Expected>
static std::vector<Stray> strays_in(const Node& pod, Expected expected) {
  std::vector<Stray> strays;
  for (const Container& container : k8s::PodSpec(pod).containers()) {
    if (expected(container)) continue;
    const Node* amount = accelerator_asked_by(container);
    if (amount == nullptr) continue;
    strays.push_back({container.name(), &(*container.node)["name"], amount});
  }
  return strays;
}

// InferenceService: the block (`model`, `triton`, …) is the model server's container.

static void check_inference_service(const Workload& workload, Report& report) {
  const Node& block = kserve::framework_block(*workload.written);
  if (!block) return;  // a custom predictor: its containers are its own business
  const Node& server = k8s::item_called(workload.pod["containers"], kserve::kServingContainer);
  if (!server || accelerators::reaches_device(Container{&server})) return;
  const auto expected = [](const Container& container) {
    return container.name() == kserve::kTransformerContainer || stands_by_itself(container);
  };
  for (const Stray& stray : strays_in(*workload.written, expected)) {
    report
        .add_at_key(*stray.amount,
                    "'{}' goes to the extra container '{}', and the model server, which '{}' "
                    "describes, gets none",
                    stray.accelerator(), stray.container, block.key()->text())
        .note(*block.key(), "the model server is described here")
        .help("move the resources into '{}'", block.key()->text());
  }
}

// LLMInferenceService: KServe's presets bring a container `main`, whatever else is written.

static bool serves_model(std::string_view component) {
  constexpr auto kComponents =
      std::to_array<std::string_view>({"template", "worker", "prefill", "prefill worker"});
  return std::ranges::find(kComponents, component) != kComponents.end();
}

/// The manifest says itself what `main` is.
static void report_beside_main(const Stray& stray, Report& report) {
  report
      .add_at_key(*stray.amount, "'{}' goes to '{}', and the model server, 'main', gets none",
                  stray.accelerator(), stray.container)
      .help("move the resources to 'main'");
}

/// The manifest means another container to be the model server.
static void report_instead_of_main(const Stray& stray, Report& report) {
  report
      .add_at_key(*stray.amount,
                  "'{}' goes to '{}', but KServe adds the model server beside it, as a container "
                  "'main', which gets none",
                  stray.accelerator(), stray.container)
      .note(*stray.name, "the container is named here")
      .help("rename the container to 'main'");
}

static void check_llm_inference_service(const Workload& workload, Report& report) {
  if (!serves_model(workload.component)) return;
  if (workload.object->annotations()["serving.kserve.io/exp-dra-device-class"]) return;
  const Node& main = k8s::item_called(workload.pod["containers"], "main");
  if (main && accelerators::reaches_device(Container{&main})) return;
  const bool is_written = bool(k8s::item_called(workload.own["containers"], "main"));
  // Without a word on `main` a server of its own is as misplaced as an override.
  const auto expected = [&](const Container& container) {
    return container.name() == "main" || (is_written && stands_by_itself(container));
  };
  for (const Stray& stray : strays_in(workload.own.node(), expected)) {
    is_written ? report_beside_main(stray, report) : report_instead_of_main(stray, report);
  }
}

// SeldonDeployment: a container is known by the name of the graph's unit.

/// The predictor that a pod belongs to, or a missing node.
static const Node& predictor_around(const Node& written) {
  for (const Node* node = &written; node != nullptr; node = node->parent()) {
    if ((*node)["graph"].is_mapping()) return *node;
  }
  return yaml::missing_node();
}

/// Aliases make a graph endless, and no manifest for people has more.
static constexpr std::size_t kMostUnits = 100;

static std::vector<const Node*> units_of(const Node& graph) {
  std::vector<const Node*> units = {&graph};
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const Node* child : (*units[i])["children"].items()) {
      if (units.size() == kMostUnits) return units;
      units.push_back(child);
    }
  }
  return units;
}

static std::string_view name_of(const Node& unit) { return unit["name"].text(); }

/// The first unit with a prepackaged server that no container is named after, so that Seldon adds
/// one; null if there is none. A predictor may have several pods.
static const Node* unit_without_container(const Node& predictor,
                                          const std::vector<const Node*>& units) {
  const auto& components = predictor["componentSpecs"].items();
  if (components.size() > kMostUnits) return nullptr;
  std::unordered_set<std::string_view> names;
  for (const Node* component : components) {
    for (const Node* container : (*component)["spec"]["containers"].items()) {
      names.insert(name_of(*container));
    }
  }
  const auto found = std::ranges::find_if(units, [&](const Node* unit) {
    return (*unit)["implementation"].text().ends_with("_SERVER") && !names.contains(name_of(*unit));
  });
  return found == units.end() ? nullptr : *found;
}

/// TensorFlow Serving speaks one protocol. For the others the unit's container is a proxy.
static void check_proxy(const Node& unit, const Workload& workload, Report& report) {
  constexpr std::string_view kServer = "tfserving";
  const Node& protocol = workload.object->spec()["protocol"];
  if (unit["implementation"].text() != "TENSORFLOW_SERVER" || protocol.text() == "tensorflow")
    return;
  const Node& proxy = k8s::item_called(workload.own["containers"], name_of(unit));
  const Node& server = k8s::item_called(workload.own["containers"], kServer);
  if (!proxy || accelerators::reaches_device(Container{&server})) return;
  const Node* amount = accelerator_asked_by(Container{&proxy});
  if (amount == nullptr) return;
  report
      .add_at_key(*amount,
                  "'{}' goes to '{}', which only passes requests on: TensorFlow runs in '{}', "
                  "which gets none",
                  amount->key()->text(), name_of(unit), kServer)
      .note(unit["implementation"],
            "Seldon puts a proxy in front of this, unless 'protocol' is 'tensorflow'")
      .help("rename the container to '{}', or set 'protocol: tensorflow'", kServer);
}

static void check_seldon_deployment(const Workload& workload, Report& report) {
  const Node& predictor = predictor_around(*workload.written);
  if (!predictor) return;
  const std::vector<const Node*> units = units_of(predictor["graph"]);
  for (const Node* unit : units) check_proxy(*unit, workload, report);

  const auto expected = [&](const Container& container) {
    const std::string_view name = container.name();
    return stands_by_itself(container) || name == "tfserving" ||
           is_helper_of_seldon(workload.object->kind, name) ||
           std::ranges::find(units, name, [](const Node* unit) { return name_of(*unit); }) !=
               units.end();
  };
  const std::vector<Stray> strays = strays_in(workload.own.node(), expected);
  const Node* server = strays.empty() ? nullptr : unit_without_container(predictor, units);
  if (server == nullptr) return;
  for (const Stray& stray : strays) {
    report
        .add_at_key(*stray.amount,
                    "'{}' goes to '{}', but Seldon adds the model server beside it, as a container "
                    "'{}', which gets none",
                    stray.accelerator(), stray.container, name_of(*server))
        .note((*server)["name"], "the unit is named here")
        .help("rename the container to '{}'", name_of(*server));
  }
}

/// Whether a container that is no helper asks for an accelerator.
static bool has_device_elsewhere(const Workload& workload) {
  return std::ranges::any_of(workload.pod.containers(), [&](const Container& container) {
    return !is_helper_of_seldon(workload.object->kind, container.name()) &&
           accelerator_asked_by(container) != nullptr;
  });
}

static void check_helpers(const Workload& workload, Report& report) {
  for (const Container& container : workload.own.containers()) {
    if (!is_helper_of_seldon(workload.object->kind, container.name())) continue;
    const Node* amount = accelerator_asked_by(container);
    if (amount == nullptr) continue;
    report
        .add_at_key(*amount, "'{}' goes to '{}', which runs no model: the device stays idle",
                    amount->key()->text(), container.name())
        .help("{}", has_device_elsewhere(workload)
                        ? "remove it: the model server asks for a device already"
                        : "move the resources to the container of the model server");
  }
}

static void check(const Workload& workload, Report& report) {
  if (!workload.is_serving() || !workload.never_created.empty()) return;
  check_helpers(workload, report);
  if (workload.fragment || workload.is_incomplete()) return;
  if (!workload.pod["runtimeClassName"].is_empty() || !workload.pod["resourceClaims"].is_empty())
    return;
  const std::string_view kind = workload.object->kind;
  if (kind == "InferenceService") check_inference_service(workload, report);
  if (kind == "LLMInferenceService") check_llm_inference_service(workload, report);
  if (kind == "SeldonDeployment") check_seldon_deployment(workload, report);
}

}  // namespace cnsched::rules
