#include <algorithm>
#include <span>
#include <string>

#include "core/k8s/label.h"
#include "core/k8s/pod_resources.h"
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
};

using k8s::ResourceAmount;
using kserve::DeploymentMode;

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

/// The place whose resources are the model server's.
static std::string home_of(const Workload& workload) {
  for (const std::string_view key : kserve::framework_keys()) {
    if (kserve::is_kserve_group(workload.object->group()) &&
        (*workload.written)[key].is_mapping()) {
      return fmt::format("'{}'", key);
    }
  }
  const auto containers = workload.own.containers();
  if (containers.size() == 1 && !containers.front().name().empty()) {
    return fmt::format("container '{}'", containers.front().name());
  }
  return "the container that uses it";
}

static void advise(const Workload& workload, const ResourceAmount& amount, bool wanted,
                   Report::Finding& finding) {
  const auto is_it = [&](std::string_view name) { return name == amount.name; };
  if (!wanted) {
    finding.help("remove it: a pod that does not ask for a device gets none");
  } else if (workload.own.wants(is_it)) {
    finding.help("remove it: a container asks for it already");
  } else {
    finding.help("move it into the 'resources' of {}", home_of(workload));
  }
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
  constexpr std::size_t kMost = 10;
  for (const ResourceAmount& other :
       std::span(refused).subspan(1, std::min(refused.size() - 1, kMost))) {
    const yaml::Node& place = other.node->key != nullptr ? *other.node->key : *other.node;
    finding.note(place, "{}", other.name == first.name ? "and here" : "nor can this");
  }
  advise(workload, first, wanted, finding);
}

}  // namespace cnsched::rules
