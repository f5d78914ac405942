#include <algorithm>
#include <span>
#include <string>

#include "core/k8s/label.h"
#include "core/k8s/pod_resources.h"
#include "core/k8s/quantity.h"
#include "core/kserve/fields.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_pod_level_accelerator = {
    .id = "pod-level-accelerator",
    .severity = Severity::error,
    .summary = "an accelerator in the resources of the pod instead of a container's",
    .why =
        "The API server refuses every pod with 'Unsupported value: \"nvidia.com/gpu\": "
        "supported values: \"cpu\", \"hugepages-\", \"memory\"', even for an amount of 0: the "
        "`resources` of a pod (spec.predictor.resources, template.resources, …) are not those "
        "of its container, although only the indentation differs. KServe does not check: it "
        "accepts the service, which never gets a pod. In serverless (Knative) mode Knative "
        "silently drops the field, and the model server starts without a device.\n\n"
        "A warning where the amount is 0 and the mode unknown; silent where it is 0 and "
        "Knative drops it.",
    .bad = R"(
model:
  modelFormat: {name: huggingface}
  storageUri: hf://example/llama-8b
resources:
  limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
model:
  modelFormat: {name: huggingface}
  storageUri: hf://example/llama-8b
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
        "#pod-level-resource-specification",
    .check = check,
    .fix = Safety::unsafe,
};

using k8s::ResourceAmount;
using kserve::DeploymentMode;
using yaml::Node;

/// Seldon's Server, SeldonRuntime and SeldonDeployment have no such field: it is unknown there.
static bool has_resources_of_pods(const k8s::Object& object) {
  if (object.group() == "machinelearning.seldon.io") return false;
  return object.group() != "mlops.seldon.io" || object.kind.ends_with("Config");
}

static std::string_view consequence(DeploymentMode mode) {
  switch (mode) {
    case DeploymentMode::knative:
      return "Knative silently drops it, and the pod gets none";
    case DeploymentMode::unknown:
      return "the API server refuses the pod, or, in serverless (Knative) mode, Knative silently "
             "drops it";
    case DeploymentMode::standard:
    case DeploymentMode::model_mesh:
      return "the API server refuses the pod";
  }
  return {};
}

using Amounts = std::vector<ResourceAmount>;

constexpr std::size_t kMost = 10;  ///< amounts that are noted, or mended

namespace {

/// The place whose resources are the model server's.
struct Home {
  std::string name;
  const Node* node = nullptr;  ///< null if there are several
};

}  // namespace

static Home home_of(const Workload& workload) {
  for (const std::string_view key : kserve::framework_keys()) {
    const Node& block = (*workload.written)[key];
    if (kserve::is_kserve_group(workload.object->group()) && block.is_mapping()) {
      return {fmt::format("'{}'", key), &block};
    }
  }
  const auto containers = workload.own.containers();
  if (containers.size() == 1 && !containers.front().name().empty()) {
    return {fmt::format("container '{}'", containers.front().name()), containers.front().node};
  }
  return {"the container that uses it"};
}

static bool is_among(const Node& node, const Amounts& amounts) {
  return std::ranges::find(amounts, &node, &ResourceAmount::node) != amounts.end();
}

/// Whether nothing else is in the mapping, lists in it included.
static bool holds_only(const Node& mapping, const Amounts& amounts) {
  return std::ranges::all_of(mapping.entries(), [&](const yaml::Entry& entry) {
    const Node& value = *entry.value;
    return value.is_mapping() ? holds_only(value, amounts) : is_among(value, amounts);
  });
}

/// What cannot stay, and what holds nothing else.
static void remove(const Node& resources, const Amounts& refused, const std::string& title,
                   Report::Finding& finding) {
  std::vector<yaml::Change> changes;
  if (holds_only(resources, refused)) {
    changes.push_back(yaml::to_erase(resources));
  } else {
    for (const yaml::Entry& list : resources.entries()) {
      if (holds_only(*list.value, refused)) changes.push_back(yaml::to_erase(*list.value));
    }
    for (const ResourceAmount& amount : refused) {
      if (!holds_only(*amount.node->parent(), refused))
        changes.push_back(yaml::to_erase(*amount.node));
    }
  }
  finding.fix(Safety::unsafe, title, std::move(changes));
}

/// All of the resources, for they are the container's; what the container has is not replaced.
static void move(const Node& resources, const Amounts& refused, const Node& container,
                 const std::string& title, Report::Finding& finding) {
  if (yaml::has_room_for(resources, container, "/resources")) {
    finding.fix(Safety::unsafe, title, {yaml::to_move(resources, container, "/resources")});
    return;
  }
  std::vector<yaml::Change> changes;
  for (const ResourceAmount& amount : refused) {
    const std::string way = fmt::format("/resources/{}/{}", amount.node->parent()->key()->text(),
                                        yaml::pointer_step(amount.name));
    if (!yaml::has_room_for(*amount.node, container, way)) return;
    changes.push_back(yaml::to_move(*amount.node, container, way));
  }
  finding.fix(Safety::unsafe, title, std::move(changes));
}

static std::string title_of_move(const Home& home) {
  return fmt::format("move it into the 'resources' of {}", home.name);
}

/// By a container.
static bool is_asked_for(const ResourceAmount& amount, const Workload& workload) {
  return workload.own.wants([&](std::string_view name) { return name == amount.name; });
}

/// As much of it: else which amount was meant is not known.
static bool is_repeated(const ResourceAmount& amount, const Workload& workload) {
  const auto wanted = k8s::Quantity::parse(amount.node->text());
  const auto is_same = [&](const ResourceAmount& other) {
    const auto asked = k8s::Quantity::parse(other.node->text());
    return other.name == amount.name && wanted && asked && *wanted == *asked;
  };
  return std::ranges::any_of(workload.own.all_containers(), [&](const k8s::Container& container) {
    return std::ranges::any_of(container.amounts(), is_same);
  });
}

static std::string advice_for(const Workload& workload, const ResourceAmount& amount, bool wanted) {
  if (!wanted) return "remove it: a pod that does not ask for a device gets none";
  if (is_asked_for(amount, workload)) return "remove it: a container asks for it already";
  return title_of_move(home_of(workload));
}

static void advise(const Workload& workload, const Amounts& refused, bool wanted,
                   Report::Finding& finding) {
  const std::string advice = advice_for(workload, refused.front(), wanted);
  finding.help("{}", advice);
  const Node& resources = workload.own["resources"];
  const bool in_place = std::ranges::all_of(refused, [&](const ResourceAmount& amount) {
    const Node* list = amount.node->parent();
    return amount.node->key() != nullptr && list != nullptr && list->key() != nullptr &&
           list->parent() != nullptr && list->parent()->span == resources.span;
  });
  if (!in_place || refused.size() > kMost) return;
  const bool is_needless = std::ranges::all_of(refused, [&](const ResourceAmount& amount) {
    return !amount.is_wanted() || is_repeated(amount, workload);
  });
  if (is_needless) return remove(resources, refused, advice, finding);
  const Home home = home_of(workload);
  if (home.node != nullptr) move(resources, refused, *home.node, title_of_move(home), finding);
}

static void check(const Workload& workload, Report& report) {
  if (!workload.never_created.empty() || !has_resources_of_pods(*workload.object)) return;
  auto refused = k8s::refused_at_pod_level(workload.own);
  std::erase_if(refused,
                [](const ResourceAmount& amount) { return k8s::is_placeholder(amount.name); });
  const bool wanted = std::ranges::any_of(refused, &ResourceAmount::is_wanted);
  const DeploymentMode mode = workload.mode.mode;
  if (refused.empty() || (!wanted && mode == DeploymentMode::knative)) return;

  const ResourceAmount& first = refused.front();
  auto finding = report.add_at_key(*first.node,
                                   "'{}' cannot be asked for by the pod as a whole, only by a "
                                   "container: {}",
                                   first.name, consequence(mode));
  if (!wanted && mode == DeploymentMode::unknown) finding.severity(Severity::warning);
  for (const ResourceAmount& other :
       std::span(refused).subspan(1, std::min(refused.size() - 1, kMost))) {
    const yaml::Node& place = other.node->key() != nullptr ? *other.node->key() : *other.node;
    finding.note(place, "{}", other.name == first.name ? "and here" : "nor can this");
  }
  advise(workload, refused, wanted, finding);
}

}  // namespace cnsched::rules
