#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/kserve/fields.h"
#include "rules/kserve/layers.h"
#include "rules/kserve/tolerations.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_runtime_toleration_replaced = {
    .id = "runtime-toleration-replaced",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "the tolerations of a service replace all of its runtime's",
    .why =
        "The pod no longer tolerates the taints of the nodes that the runtime was written for, "
        "and stays Pending where it needs them, with 'untolerated taint'. KServe merges the pod "
        "of a service over that of its runtime, and lists of tolerations have no merge key: as "
        "soon as the service writes one toleration, the runtime's list is gone as a whole. The "
        "same holds for the workers of a predictor over several nodes, for a canary over its "
        "stable predictor, and for an LLMInferenceService over its baseRefs.\n\n"
        "Silent where the new list tolerates the same taints, or admission "
        "(ExtendedResourceToleration) is known to add the toleration. A warning, for the nodes "
        "that are meant may have no such taint.",
    .bad = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - name: huggingface
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
    resources:
      limits: {nvidia.com/gpu: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    tolerations:
    - {key: dedicated, value: llama, effect: NoSchedule}
    model:
      modelFormat: {name: huggingface}
      runtime: vllm
)",
    .good = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - name: huggingface
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
    resources:
      limits: {nvidia.com/gpu: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    - {key: dedicated, value: llama, effect: NoSchedule}
    model:
      modelFormat: {name: huggingface}
      runtime: vllm
)",
    .source = "https://kserve.github.io/website/docs/concepts/resources/servingruntime",
    .check = check,
};

using k8s::Toleration;

namespace {

/// What admission surely adds, or may.
struct Admission {
  std::vector<Toleration> added;
  bool known = false;
};

}  // namespace

static Admission admission_of(const Workload& workload, const Report& report) {
  const auto& plugin = report.facts().extended_resource_toleration;
  if (plugin == false) return {{}, true};
  return {added_by_admission(workload.pod), plugin.has_value()};
}

/// A pod that asks for no accelerator and may go anywhere does not miss the nodes that have one.
static bool is_missed(const MissingToleration& lost, const Workload& workload) {
  return !accelerators::is_accelerator(lost.toleration.key) || workload.is_led_somewhere() ||
         workload.pod.wants(accelerators::is_accelerator);
}

static void report_lost(const Layer& winner, const Layer& loser,
                        const std::vector<MissingToleration>& lost, bool may_be_added,
                        Report& report) {
  constexpr std::size_t kMost = 10;
  const MissingToleration& first = lost.front();
  auto finding = report.add_at_key(
      winner.pod["tolerations"],
      "this list replaces that of {} as a whole: the toleration of '{}' is lost, and the pod stays "
      "Pending where it needs nodes with that taint{}",
      loser.name, taint_text(first),
      may_be_added ? ", unless admission (ExtendedResourceToleration) adds it" : "");
  for (const MissingToleration& other : std::span(lost).first(std::min(lost.size(), kMost))) {
    finding.note(*other.toleration.node, "this toleration is lost");
  }
  finding.help("repeat here the tolerations that the pod still needs, such as {}",
               toleration_text(first.toleration));
}

static void check(const Workload& workload, Report& report) {
  if (workload.fragment || !workload.never_created.empty()) return;
  if (!kserve::is_kserve_group(workload.object->group())) return;
  const std::vector<Layer> layers = layers_of(workload);
  const auto writes = [](const Layer& layer) { return !layer.pod["tolerations"].items().empty(); };
  const auto winner = std::find_if(layers.rbegin(), layers.rend(), writes);
  // A list that a canary has from the stable predictor is reported there.
  if (winner == layers.rend() || winner->is_stable_predictor) return;
  const std::vector<Toleration> kept = winner->pod.tolerations();
  if (std::ranges::any_of(kept, [](const Toleration& t) { return k8s::is_placeholder(t.key); })) {
    return;
  }
  const Admission admission = admission_of(workload, report);
  std::vector<Toleration> with_admission = kept;
  with_admission.insert(with_admission.end(), admission.added.begin(), admission.added.end());
  for (auto loser = std::next(winner); loser != layers.rend(); ++loser) {
    const auto& list = admission.known ? with_admission : kept;
    std::vector<MissingToleration> lost = missing_tolerations(loser->pod.tolerations(), list);
    std::erase_if(lost, [&](const MissingToleration& m) { return !is_missed(m, workload); });
    if (lost.empty()) continue;
    const bool may_be_added =
        missing_tolerations({lost.front().toleration}, with_admission).empty();
    report_lost(*winner, *loser, lost, may_be_added, report);
  }
}

}  // namespace cnsched::rules
