// Two kinds of model servers distribute one model over GPUs. KServe passes the parallelism of an
// LLMInferenceService to vLLM without comparing it with the requested GPUs, and overwrites the
// requested GPUs of a multi-node InferenceService.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/kserve/containers.h"
#include "core/kserve/llm_configs.h"
#include "core/kserve/pods.h"
#include "core/yaml/scalar.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::parallelism_gpus {

using k8s::Container;
using kserve::VllmGpus;
using yaml::Node;

/// Resources of which one device is one rank of vLLM. A device of aws.amazon.com/neuron has two
/// cores; TPUs and Intel's tiles count differently.
constexpr auto kRanks = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi", "aws.amazon.com/neuroncore"});

/// The amount of the only accelerator that the container requests; nothing if it requests none or
/// several, or if one device is not one rank.
static std::optional<k8s::ResourceAmount> gpus_of(const Container& container) {
  std::optional<k8s::ResourceAmount> found;
  for (const k8s::ResourceAmount& amount : container.amounts()) {
    const bool counts = accelerators::is_accelerator(amount.name) &&
                        !accelerators::is_auxiliary_resource(amount.name) && amount.is_requested();
    if (!counts || (found && found->name == amount.name)) continue;
    if (found) return std::nullopt;
    found = amount;
  }
  const bool is_rank = found && is_one_of(found->name, kRanks);
  return is_rank ? found : std::nullopt;
}

static std::optional<std::int64_t> amount_in(const Node& node) {
  const auto quantity = Quantity::parse(node.text());
  if (!quantity || !quantity->is_integer()) return std::nullopt;
  return quantity->value();
}

// LLMInferenceService.

static std::string product_of(const VllmGpus& needed) {
  const Node& tensor = *needed.tensor;
  const Node& local = *needed.data_local;
  if (!local) return fmt::format("tensor: {}", tensor.text());
  if (!tensor) return fmt::format("dataLocal: {}", local.text());
  return fmt::format("tensor: {}' × 'dataLocal: {}", tensor.text(), local.text());
}

static bool mentions_parallelism(std::string_view text) {
  constexpr auto kFlags = std::to_array<std::string_view>(
      {"tensor-parallel", "tensor_parallel", "data-parallel", "data_parallel", "pipeline-parallel",
       "pipeline_parallel", "-tp", "-dp", "-pp"});
  return std::ranges::any_of(
      kFlags, [&](std::string_view flag) { return text.find(flag) != std::string_view::npos; });
}

/// Whether the arguments, or the variable that the presets append to them, set another parallelism
/// than the spec. Repeating its `tensor` changes nothing.
static bool overrides_parallelism(const Node& container, std::string_view tensor) {
  const auto args = container["args"].items();
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view word = args[i]->text();
    if (!mentions_parallelism(word)) continue;
    const bool apart = word == "--tensor-parallel-size" || word == "-tp";
    if (!apart && word != fmt::format("--tensor-parallel-size={}", tensor)) return true;
    if (apart && (i + 1 == args.size() || args[i + 1]->text() != tensor)) return true;
  }
  return mentions_parallelism(
      k8s::item_named(container["env"], "VLLM_ADDITIONAL_ARGS")["value"].text());
}

/// Whether the container has a command of its own, which may start any program.
static bool has_own_command(const Workload& workload) {
  const auto starts = [](const k8s::PodSpec& pod) {
    const Node& main = k8s::item_named(pod["containers"], "main");
    return !main["command"].is_empty();
  };
  return starts(workload.own) || std::ranges::any_of(workload.bases, [&](const k8s::Base& base) {
           return !base.object->name.starts_with("kserve-config-llm-") && starts(base.pod);
         });
}

/// The help. Few nodes have more than eight devices, so a pod that needs more has to become
/// smaller.
static std::string advice_on_pod(std::int64_t asked, const VllmGpus& needed) {
  constexpr std::int64_t kMaxOnNode = 8;
  if (needed.count <= kMaxOnNode || asked > kMaxOnNode || !*needed.data_local) {
    return fmt::format("request {} here, or change the parallelism", needed.count);
  }
  const std::int64_t tensor = amount_in(*needed.tensor).value_or(1);
  if (asked % tensor != 0) return "lower 'dataLocal': few nodes have more than 8 accelerators";
  return fmt::format("write 'dataLocal: {}': few nodes have more than 8 accelerators",
                     asked / tensor);
}

static void report_pod(const k8s::ResourceAmount& gpus, std::int64_t asked, const VllmGpus& needed,
                       Findings& findings) {
  const bool few = asked < needed.count;
  auto finding = findings.add(
      *gpus.node, "container 'main' requests {} of '{}', but '{}' needs {} in each pod: {}", asked,
      gpus.name, product_of(needed), needed.count,
      few                          ? "vLLM does not start"
      : needed.pipeline != nullptr ? "the rest stays idle, as vLLM gets no 'pipeline' on one node"
                                   : "the rest stays idle");
  for (const Node* setting : {needed.tensor, needed.data_local}) {
    if (*setting) finding.note(*setting, "KServe passes this to vLLM");
  }
  finding.help("{}", advice_on_pod(asked, needed));
}

/// Up to KServe 0.19, the presets without workers do not pass `tensor` on.
static void report_unused_tensor(const Node& tensor, std::int64_t asked, const Version& release,
                                 Findings& findings) {
  findings
      .add(tensor,
           "KServe {} does not pass 'tensor: {}' to vLLM: it uses one of the {} accelerators of "
           "the pod, and the rest stays idle",
           to_string(release), tensor.text(), asked)
      .help("upgrade KServe to 0.20, or pass '--tensor-parallel-size={}' to vLLM", tensor.text());
}

static void check_llm(const Workload& workload, Findings& findings) {
  if (!is_one_of(workload.component, {"template", "worker", "prefill", "prefill worker"})) return;
  if (workload.is_incomplete() || !workload.pod["resourceClaims"].is_empty()) return;
  const Node& main = k8s::item_named(workload.pod["containers"], "main");
  const auto gpus = gpus_of({&main});
  if (!gpus || has_own_command(workload)) return;
  const auto asked = amount_in(*gpus->node);
  Arena arena;
  const kserve::LlmSpec spec = kserve::llm_spec(
      *workload.object, findings.scope().controller_context(*workload.object, arena));
  const bool prefill = workload.component.starts_with("prefill");
  const Node& settings = prefill ? (*spec.merged)["prefill"] : *spec.merged;
  const std::optional<Version>& release = findings.facts().releases().kserve;
  const auto needed = kserve::vllm_gpus_per_pod(settings, release);
  if (!asked || !needed) return;
  // Without the preset's, any other tensor parallelism counts.
  const std::string_view tensor = needed->passes_tensor ? needed->tensor->text() : "";
  if (overrides_parallelism(main, tensor) || *asked == needed->count) return;
  if (needed->passes_tensor) {
    report_pod(*gpus, *asked, *needed, findings);
  } else {
    report_unused_tensor(*needed->tensor, *asked, *release, findings);
  }
}

// InferenceService over several nodes.

static std::string_view text_of_key(const Node& value) {
  return value.key() == nullptr ? std::string_view() : value.key()->text();
}

/// Whether KServe has replaced the written amount by one that it made.
static bool is_overwritten(const yaml::Entry& amount) {
  const Node& value = *amount.value;
  return value.made && text_of_key(value) == amount.key->text();
}

/// The amount as written in the manifest.
static std::string_view written_at(const Node& amount, const Findings& findings) {
  const std::string_view text = findings.scope().file_of(amount.span).text(amount.span);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// The other object that sets the pod's requests, or null if the pod's own object does.
static const k8s::Object* requester_of(const Node& request, const Workload& workload,
                                       const Findings& findings) {
  const k8s::Object* requester = setter_of(request, findings);
  return requester == workload.object ? nullptr : requester;
}

/// Reports a number of GPUs that KServe computes and that differs from the manifest.
static void check_computed(const Workload& workload, std::string_view name, Findings& findings) {
  const Node& resources = k8s::item_named(workload.pod["containers"], name)["resources"];
  for (const yaml::Entry& limit : resources["limits"].entries()) {
    if (!is_overwritten(limit)) continue;
    const std::string_view type = limit.key->text();
    const Node& request = resources["requests"].under(type);
    const bool alone = text_of_key(request) != type;
    // KServe adapts a runtime's number to the parallelism of the service. For a type that KServe
    // does not count, the correct number is not known.
    const bool own = findings.scope().object_around(limit.value->span) == workload.object;
    const bool counts = is_one_of(type, kserve::kCountedGpus);
    if (!counts || (!own && !alone)) continue;
    // KServe then counts the runtime's requests, not the service's limits.
    const k8s::Object* other = alone || !own ? nullptr : requester_of(request, workload, findings);
    auto finding = findings.add(
        *limit.value, "KServe sets '{}' of container '{}' to {} instead of {}: {}", type, name,
        limit.value->text(), written_at(*limit.value, findings),
        alone || other != nullptr
            ? "it counts requests, and these are only in limits"
            : "it computes the number from tensorParallelSize and pipelineParallelSize");
    if (other != nullptr) finding.note(request, "{} requests this", named(*other));
    if (alone || other != nullptr) {
      finding.help("write the same number in requests too");
    } else {
      finding.help("write {} here, or change the parallelism", limit.value->text());
    }
  }
}

static void check_too_few(const Workload& head, Findings& findings) {
  if (!head.why_never_created().starts_with(kserve::kTooFewGpus)) return;
  auto finding =
      findings.add_at_key((*head.written)["workerSpec"],
                          "KServe creates neither head nor workers: {}", head.why_never_created());
  if (head.mode.mode == kserve::DeploymentMode::standard) finding.severity(Severity::error);
  finding.help("request as many GPUs in total as tensorParallelSize times pipelineParallelSize");
}

static void check_service(const Workload& workload, Findings& findings) {
  const bool worker = workload.component == "worker";
  if (!worker && !(*workload.written)["workerSpec"].is_mapping()) return;
  check_computed(workload, worker ? kserve::kWorkerContainer : kserve::kServingContainer, findings);
  if (!worker) check_too_few(workload, findings);
}

static void check(const Workload& workload, Findings& findings) {
  if (workload.object->kind == "LLMInferenceService") check_llm(workload, findings);
  if (workload.object->kind == "InferenceService") check_service(workload, findings);
}

extern constinit const Rule rule = {
    .id = "parallelism-gpus",
    .severity = Severity::warning,
    .of = Domain::kserve | Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::parallelism_gpus
