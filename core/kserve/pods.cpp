#include "core/kserve/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/pod_spec.h"
#include "core/kserve/containers.h"
#include "core/kserve/fields.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

std::vector<k8s::PodTemplate> running_pods(const AdmittedService& service,
                                           const ControllerContext& context) {
  const k8s::Object& object = service.written;
  if (object.kind == "InferenceService") return inference_service_pods(service, context);
  if (object.kind == "InferenceGraph") return inference_graph_pods(object, context);
  if (object.kind == "LLMInferenceService") return llm_inference_service_pods(service, context);
  return {};
}

using yaml::Node;

/// The GPUs of the head and of each worker, and the number of nodes.
struct Counts {
  std::int64_t nodes = 1;
  std::int64_t head = 0;
  std::int64_t worker = 0;
};

/// Resource names that KServe counts as GPUs: its own list and the configured one.
std::vector<std::string> counted_types(const ControllerContext& context) {
  std::vector<std::string> types(kCountedGpus.begin(), kCountedGpus.end());
  for (std::size_t i = 0; i < 100; ++i) {
    const Node& type = context.config.find(fmt::format("multiNode/customGPUResourceTypeList/{}", i),
                                           context.arena);
    if (!type) break;
    types.emplace_back(type.text());
  }
  return types;
}

/// The resource names that a container may use for its GPUs: the counted ones and the annotation's.
/// KServe does not count the latter, so a model that requests nothing else gets one GPU per pod.
std::vector<std::string> written_types(std::vector<std::string> types, const Node& listed) {
  if (!listed.is_scalar()) return types;
  const yaml::Embedded json(listed.text());
  for (const Node* type : json.root().items()) types.emplace_back(type->text());
  return types;
}

const Node& first_container(const Node& pod) { return pod["containers"].at(0); }

/// The amount in a list of resources; 0 if there is none or if it is not a quantity.
std::int64_t amount_of(const Node& amounts, std::string_view type) {
  constexpr std::int64_t kMaxGpus = 1'000'000;
  const auto quantity = Quantity::parse(amounts.under(type).text());
  return quantity ? std::clamp<std::int64_t>(quantity->value(), 0, kMaxGpus) : 0;
}

/// The request of the pod's first container; KServe ignores limits without requests.
std::int64_t requested_gpus(const Node& pod, const std::vector<std::string>& types) {
  const Node& requests = first_container(pod)["resources"]["requests"];
  for (const std::string& type : types) {
    if (requests.under(type)) return amount_of(requests, type);
  }
  return 0;
}

std::int64_t nodes_for(std::int64_t total, std::int64_t each) {
  return each == 0 ? 1 : (total + each - 1) / each;
}

/// Ray: the total is divided among nodes by the requests of head and worker.
Counts share_by_ray(std::int64_t total, std::int64_t head, std::int64_t worker) {
  if (worker > 0) {
    Counts counts{nodes_for(total, worker), head, worker};
    if (head == 0) counts.head = total - worker * (counts.nodes - 1);
    if (head > 0 && nodes_for(total, head) == 1) counts.nodes = 1;
    if (counts.nodes == 1) return {1, total, 0};
    return counts;
  }
  if (head > 0) return {total > head ? total - head + 1 : 1, head, 1};
  return {total, 1, 1};
}

/// The resource name of a container's GPUs: the first that it limits or requests.
std::string gpu_type_of(const Node& container, const std::vector<std::string>& types) {
  const Node& resources = container["resources"];
  for (const std::string& type : types) {
    if (amount_of(resources["limits"], type) > 0) return type;
    if (amount_of(resources["requests"], type) > 0) return type;
  }
  return types.front();
}

/// `pod` with `count` GPUs in the requests and limits of the named container. The counts have the
/// span of the value in the manifest, else of `cause`.
const Node& with_gpus(const Node& pod, std::string_view name, std::int64_t count,
                      const std::vector<std::string>& types, const Node& cause, Arena& arena) {
  const Node& container = k8s::item_named(pod["containers"], name);
  if (!container) return pod;
  const std::string type = gpu_type_of(container, types);
  const Node* resources = &container["resources"];
  for (const yaml::Key list : {yaml::Key("limits"_key), yaml::Key("requests"_key)}) {
    const Node& amounts = resources->under(list.text());
    const Node& written = amounts.under(type);
    if (written && amount_of(amounts, type) == count) continue;
    const Node& like = written ? written : cause;
    resources =
        &yaml::with(arena, *resources, list,
                    yaml::with(arena, amounts, type, yaml::integer_like(arena, like, count)));
  }
  const Node& changed = yaml::with(arena, container, "resources"_key, *resources);
  std::vector<const Node*> containers(pod["containers"].items().begin(),
                                      pod["containers"].items().end());
  *std::ranges::find(containers, &container) = &changed;
  return yaml::with(arena, pod, "containers"_key,
                    yaml::sequence_like(arena, pod["containers"], containers));
}

/// A degree of parallelism of the InferenceService, else of the runtime.
const Node& degree(const Node& worker_spec, const k8s::Object& runtime, std::string_view field) {
  const Node& own = worker_spec.under(field);
  return own ? own : runtime.spec()["workerSpec"].under(field);
}

std::int64_t degree_or(const Node& written, std::int64_t unset) {
  constexpr std::int64_t kMaxSize = 100'000;
  return std::clamp<std::int64_t>(yaml::integer_of(written).value_or(unset), 1, kMaxSize);
}

}  // namespace

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object,
                                            const ControllerContext& context) {
  if (!is_kserve_group(object.group())) return {};
  if (object.kind == "ServingRuntime" || object.kind == "ClusterServingRuntime") {
    return runtime_fragments(object, context.arena);
  }
  if (object.kind == "LLMInferenceServiceConfig") return llm_inference_service_fragments(object);
  const AdmittedService service = with_hardware_profile(object, context);
  std::vector<k8s::PodTemplate> pods = running_pods(service, context);
  for (k8s::PodTemplate& pod : pods) {
    if (service.rejection.empty()) continue;
    pod.never_created = k8s::NeverCreated{service.rejection, k8s::NeverCreated::By::object_webhook};
  }
  if (!is_stopped(object)) return pods;
  for (k8s::PodTemplate& pod : pods) {
    pod.never_created = k8s::NeverCreated{"its annotation serving.kserve.io/stop is true",
                                          k8s::NeverCreated::By::intent};
    pod.replicas = 0;
  }
  return pods;
}

MultiNode distribute_gpus(const Node& head, const Node& worker, const Node& worker_spec,
                          const k8s::Object& runtime, const Node& gpu_types,
                          const ControllerContext& context) {
  const bool old = !is_at_least(context.version, {0, 16, 0});
  const Node& tensor_node = degree(worker_spec, runtime, "tensorParallelSize");
  const Node& pipeline_node = degree(worker_spec, runtime, "pipelineParallelSize");
  const std::int64_t tensor = degree_or(tensor_node, 1);
  const std::int64_t pipeline = degree_or(pipeline_node, old ? 2 : 1);
  const std::vector<std::string> counted = counted_types(context);

  const bool by_processes =
      runtime.spec()["annotations"]["multinode/executor-backend"].text() == "mp";
  const std::int64_t total = tensor * pipeline;
  const Counts counts = by_processes ? Counts{pipeline, tensor, tensor}
                                     : share_by_ray(total, requested_gpus(head, counted),
                                                    requested_gpus(worker, counted));
  const std::int64_t workers = counts.nodes - 1;
  if (!by_processes && total > counts.head + counts.worker * workers) {
    return {&head, &worker, workers,
            fmt::format("{} {} GPUs, but head and workers have {} + {}", kTooFewGpus, total,
                        counts.head, counts.worker * workers)};
  }
  const std::vector<std::string> types = written_types(counted, gpu_types);
  const Node& cause = tensor_node     ? tensor_node
                      : pipeline_node ? pipeline_node
                                      : *worker_spec.key();
  return {&with_gpus(head, kServingContainer, counts.head, types, cause, context.arena),
          &with_gpus(worker, kWorkerContainer, counts.worker, types, cause, context.arena),
          workers,
          {}};
}

}  // namespace cnsched::kserve
