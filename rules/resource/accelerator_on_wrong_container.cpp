// Each controller identifies the model server by a container name. A container with another name
// runs beside the model server. Containers that may use the device themselves are not reported.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/accelerators/resource_name.h"
#include "core/kserve/containers.h"
#include "core/kserve/runtime.h"
#include "core/seldon/predictor.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_on_wrong_container {

using accelerators::first_accelerator_amount;
using k8s::Container;
using seldon::Unit;
using yaml::Node;

/// Whether the container is a complete program rather than an override.
static bool is_complete_program(const Container& container) {
  const Node& node = *container.node;
  return node["image"] && (node["command"] || node["args"] || node["ports"]);
}

/// Seldon's helper containers never use a device.
static bool is_seldon_helper(std::string_view kind, std::string_view container) {
  if (kind == "SeldonDeployment") return container == "seldon-container-engine";
  return (kind == "Server" || kind == "ServerConfig") &&
         (container == "agent" || container == "rclone");
}

namespace {

/// An accelerator on a container that looks like an override of the model server.
struct MisplacedDevice {
  std::string_view container;
  const Node* name = nullptr;    ///< of the container
  const Node* amount = nullptr;  ///< of the accelerator; its key is the accelerator's name

  std::string_view accelerator() const { return amount->key()->text(); }
};

}  // namespace

/// The containers of a pod spec that request an accelerator and are not `expected` to.
template <typename Expected>
static std::vector<MisplacedDevice> misplaced_devices_in(const Node& pod, Expected expected) {
  std::vector<MisplacedDevice> misplaced;
  for (const Container& container : k8s::PodSpec(pod).containers()) {
    if (expected(container)) continue;
    const Node* amount = first_accelerator_amount(container);
    if (amount == nullptr) continue;
    misplaced.push_back({container.name(), &(*container.node)["name"], amount});
  }
  return misplaced;
}

// InferenceService: the block (`model`, `triton`, …) is the model server's container.

static void check_inference_service(const Workload& workload, Findings& findings) {
  const Node& block = kserve::framework_block(*workload.written);
  if (!block) return;  // a custom predictor: any of its containers may be the model server
  const Node& server = k8s::item_named(workload.pod["containers"], kserve::kServingContainer);
  if (!server || accelerators::has_device_access(Container{&server})) return;
  const auto expected = [](const Container& container) {
    return container.name() == kserve::kTransformerContainer || is_complete_program(container);
  };
  for (const MisplacedDevice& device : misplaced_devices_in(*workload.written, expected)) {
    findings
        .add_at_key(*device.amount,
                    "'{}' is allocated to the additional container '{}': the model server in '{}' "
                    "gets none",
                    device.accelerator(), device.container, block.key()->text())
        .note(*block.key(), "this block is the model server's container")
        .help("move the resources to '{}'", block.key()->text());
  }
}

// LLMInferenceService: KServe's presets always add a container `main`.

static bool serves_model(std::string_view component) {
  constexpr auto kComponents =
      std::to_array<std::string_view>({"template", "worker", "prefill", "prefill worker"});
  return std::ranges::find(kComponents, component) != kComponents.end();
}

/// For a manifest that contains a container `main`.
static void report_beside_main(const MisplacedDevice& device, Findings& findings) {
  findings
      .add_at_key(*device.amount,
                  "'{}' is allocated to container '{}': the model server 'main' gets none",
                  device.accelerator(), device.container)
      .help("move the resources to 'main'");
}

/// For a manifest whose model server has another name.
static void report_instead_of_main(const MisplacedDevice& device, Findings& findings) {
  findings
      .add_at_key(*device.amount,
                  "'{}' is allocated to container '{}': KServe adds the model server as a "
                  "container 'main', which gets none",
                  device.accelerator(), device.container)
      .note(*device.name, "the name of the container")
      .help("rename the container to 'main'");
}

static void check_llm_inference_service(const Workload& workload, Findings& findings) {
  if (!serves_model(workload.component)) return;
  if (workload.object->annotations()["serving.kserve.io/exp-dra-device-class"]) return;
  const Node& main = k8s::item_named(workload.pod["containers"], "main");
  if (main && accelerators::has_device_access(Container{&main})) return;
  const bool is_written = bool(k8s::item_named(workload.own["containers"], "main"));
  // Without `main` in the manifest, a complete program is as misplaced as an override.
  const auto expected = [&](const Container& container) {
    return container.name() == "main" || (is_written && is_complete_program(container));
  };
  for (const MisplacedDevice& device : misplaced_devices_in(workload.own.node(), expected)) {
    is_written ? report_beside_main(device, findings) : report_instead_of_main(device, findings);
  }
}

// SeldonDeployment: a container overrides the unit of the graph that has its name.

/// The predictor that a pod belongs to, or a missing node.
static const Node& predictor_around(const Node& written) {
  for (const Node* node = &written; node != nullptr; node = node->parent()) {
    if ((*node)["graph"].is_mapping()) return *node;
  }
  return yaml::missing_node();
}

static std::string_view name_of(const Node& unit) { return unit["name"].text(); }

/// The first unit with a prepackaged server and without a container of its name, for which Seldon
/// adds one; null if there is none. A predictor may have several pods.
static const Node* unit_without_container(const Node& predictor, const std::vector<Unit>& units) {
  constexpr std::size_t kMaxComponents = 100;  // aliases can make many
  const auto& components = predictor["componentSpecs"].items();
  if (components.size() > kMaxComponents) return nullptr;
  std::unordered_set<std::string_view> names;
  for (const Node* component : components) {
    for (const Node* container : (*component)["spec"]["containers"].items()) {
      names.insert(name_of(*container));
    }
  }
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) {
    return unit.is_prepackaged() && !names.contains(unit.name());
  });
  return found == units.end() ? nullptr : found->node;
}

/// TensorFlow Serving has one protocol. For others the unit's container is a proxy.
static void check_proxy(const Unit& unit, const Workload& workload, Findings& findings) {
  constexpr std::string_view kServer = "tfserving";
  const Node& protocol = workload.object->spec()["protocol"];
  if (unit.implementation() != "TENSORFLOW_SERVER" || protocol.text() == "tensorflow") return;
  const Node& proxy = k8s::item_named(workload.own["containers"], unit.name());
  const Node& server = k8s::item_named(workload.own["containers"], kServer);
  if (!proxy || accelerators::has_device_access(Container{&server})) return;
  const Node* amount = first_accelerator_amount(Container{&proxy});
  if (amount == nullptr) return;
  findings
      .add_at_key(*amount,
                  "'{}' is allocated to container '{}', which is a proxy: TensorFlow runs in '{}', "
                  "which gets none",
                  amount->key()->text(), unit.name(), kServer)
      .note((*unit.node)["implementation"],
            "Seldon adds a proxy for this server unless 'protocol' is 'tensorflow'")
      .help("rename the container to '{}', or set 'protocol: tensorflow'", kServer);
}

static void check_seldon_deployment(const Workload& workload, Findings& findings) {
  const Node& predictor = predictor_around(*workload.written);
  if (!predictor) return;
  const std::vector<Unit> units = seldon::units_of(predictor["graph"]);
  std::unordered_set<std::string_view> names;
  for (const Unit& unit : units) {
    names.insert(unit.name());
    check_proxy(unit, workload, findings);
  }

  const auto expected = [&](const Container& container) {
    const std::string_view name = container.name();
    return is_complete_program(container) || name == "tfserving" ||
           is_seldon_helper(workload.object->kind, name) || names.contains(name);
  };
  const std::vector<MisplacedDevice> misplaced =
      misplaced_devices_in(workload.own.node(), expected);
  const Node* server = misplaced.empty() ? nullptr : unit_without_container(predictor, units);
  if (server == nullptr) return;
  for (const MisplacedDevice& device : misplaced) {
    findings
        .add_at_key(*device.amount,
                    "'{}' is allocated to container '{}': Seldon adds the model server as a "
                    "container '{}', which gets none",
                    device.accelerator(), device.container, name_of(*server))
        .note((*server)["name"], "the name of the unit")
        .help("rename the container to '{}'", name_of(*server));
  }
}

/// Whether a container other than a helper requests an accelerator.
static bool has_device_elsewhere(const Workload& workload) {
  return std::ranges::any_of(workload.pod.containers(), [&](const Container& container) {
    return !is_seldon_helper(workload.object->kind, container.name()) &&
           first_accelerator_amount(container) != nullptr;
  });
}

static void check_helpers(const Workload& workload, Findings& findings) {
  for (const Container& container : workload.own.containers()) {
    if (!is_seldon_helper(workload.object->kind, container.name())) continue;
    const Node* amount = first_accelerator_amount(container);
    if (amount == nullptr) continue;
    findings
        .add_at_key(
            *amount,
            "'{}' is allocated to container '{}', which runs no model: the device stays idle",
            amount->key()->text(), container.name())
        .help("{}", has_device_elsewhere(workload)
                        ? "remove it: the model server already requests a device"
                        : "move the resources to the container of the model server");
  }
}

static void check(const Workload& workload, Findings& findings) {
  check_helpers(workload, findings);
  if (workload.fragment || workload.is_incomplete()) return;
  if (!workload.pod["runtimeClassName"].is_empty() || !workload.pod["resourceClaims"].is_empty())
    return;
  const std::string_view kind = workload.object->kind;
  if (kind == "InferenceService") check_inference_service(workload, findings);
  if (kind == "LLMInferenceService") check_llm_inference_service(workload, findings);
  if (kind == "SeldonDeployment") check_seldon_deployment(workload, findings);
}

extern constinit const Rule rule = {
    .id = "accelerator-on-wrong-container",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .decided_by_subject = true,
    .of = Domain::built | Domain::serving,
    .check = check,
};

}  // namespace cnsched::rules::accelerator_on_wrong_container
