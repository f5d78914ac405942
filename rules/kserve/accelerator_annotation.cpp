#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/accelerators/resource_name.h"
#include "core/k8s/label.h"
#include "rules/resource/origin.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule kserve_accelerator_annotation = {
    .id = "accelerator-annotation",
    .severity = Severity::warning,
    .summary = "an annotation for GKE accelerators that has no effect, or overrides labels",
    .why =
        "An annotation without effect leaves the pod to any node. KServe's pod webhook turns "
        "serving.kserve.io/gke-accelerator into the node selector "
        "cloud.google.com/gke-accelerator, over whatever is written there, but only in pods of "
        "which a container (init containers do not count) has nvidia.com/gpu under its limits. A "
        "request without a limit, a MIG slice or another vendor's accelerator is not enough.\n\n"
        "The webhook sees no pods of an InferenceGraph or of an LLMInferenceService, and reads "
        "annotations of the InferenceService and of its components only, no labels. "
        "serving.kubeflow.org/gke-accelerator is KFServing's old key, which nothing reads any "
        "more. Silent about limits while the runtime, which may bring them, is not known.",
    .bad = R"(
annotations:
  serving.kserve.io/gke-accelerator: nvidia-tesla-t4
containers:
- name: kserve-container
  image: registry.example.com/whisper:3
)",
    .good = R"(
annotations:
  serving.kserve.io/gke-accelerator: nvidia-tesla-t4
containers:
- name: kserve-container
  image: registry.example.com/whisper:3
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://github.com/kserve/kserve/blob/master/pkg/webhook/admission/pod/"
        "accelerator_injector.go",
    .check = check,
};

using yaml::Node;

constexpr std::string_view kKey = "serving.kserve.io/gke-accelerator";
constexpr std::string_view kOldKey = "serving.kubeflow.org/gke-accelerator";
constexpr std::string_view kLabel = "cloud.google.com/gke-accelerator";

/// Whether the webhook acts on the pod. KServe looks for the key under limits, not at the amount.
static bool is_limited(const Workload& workload) {
  return std::ranges::any_of(workload.pod.containers(), [](const k8s::Container& container) {
    return bool((*container.node)["resources"]["limits"]["nvidia.com/gpu"]);
  });
}

/// Whether it is too early to say that no GPU is limited: something is not known, or the GPU is
/// asked for by a wrong name or in a wrong place, which is the mistake then.
static bool may_be_limited(const Workload& workload) {
  return is_limited(workload) || workload.is_incomplete() ||
         workload.lacks(k8s::Unknown::Kind::chosen) || accelerators::asks_in_vain(workload.own) ||
         accelerators::asks_in_vain(workload.pod);
}

static void check_override(const Workload& workload, const Node& value, Report& report) {
  const Node& written = workload.in_template["nodeSelector"][kLabel];
  if (!written.is_scalar() || written.text() == value.text()) return;
  if (k8s::is_placeholder(written.text()) || k8s::is_placeholder(value.text())) return;
  report
      .add(value, "KServe puts '{}' into the node selector in place of '{}'", value.text(),
           written.text())
      .note(written, "this is never used")
      .help("keep one of the two");
}

/// The annotations of the object's pods. One that serves any of them is no mistake.
static void check_pods(const k8s::Object& object, Report& report) {
  std::unordered_set<const Node*> useful;
  const auto pods = report.run().workloads_of(object);
  for (const Workload* workload : pods) {
    const Node& value = (*workload->annotations)[kKey];
    if (may_be_limited(*workload) || !workload->never_created.empty()) useful.insert(&value);
    if (value.is_scalar() && is_limited(*workload)) check_override(*workload, value, report);
  }
  for (const Workload* workload : pods) {
    const Node& value = (*workload->annotations)[kKey];
    // A runtime's serves other services as well.
    if (!value.is_scalar() || setter_of(value, report) != &object) continue;
    if (!useful.insert(&value).second) continue;
    report
        .add_at_key(value,
                    "the annotation has no effect: no container of the pod has 'nvidia.com/gpu' "
                    "under its limits")
        .help(
            "add nvidia.com/gpu to the limits of the container that uses the GPU, or select the "
            "nodes by nodeSelector");
  }
}

/// The annotation where KServe does not look for it.
static void report_place(const Node& value, std::string_view place, std::string_view help,
                         Report& report) {
  if (!value.is_scalar()) return;
  report.add_at_key(value, "KServe does not read '{}' {}", value.key()->text(), place)
      .help("{}", help);
}

static void check_old_key(const Node& annotations, Report& report) {
  const Node& value = annotations[kOldKey];
  if (!value.is_scalar()) return;
  report.add_at_key(value, "nothing reads '{}' any more, so the pod runs on any node", kOldKey)
      .help("write '{}'", kKey);
}

static void check(const k8s::Object& object, Report& report) {
  if (object.group() != "serving.kserve.io") return;  // KFServing still read the old key
  constexpr std::string_view kMove = "put it into the annotations of the InferenceService";
  const std::string select = fmt::format("select the nodes by nodeSelector, with '{}'", kLabel);
  const bool is_service = object.kind == "InferenceService";
  const bool is_runtime = object.kind.ends_with("ServingRuntime");
  report_place(object.labels()[kKey], "from labels", kMove, report);
  check_old_key(object.annotations(), report);
  if (is_runtime) {
    check_old_key(object.spec()["annotations"], report);
    report_place(object.annotations()[kKey], "from the metadata of a runtime",
                 "put it into spec.annotations, which become those of the pods", report);
  } else if (!is_service) {
    report_place(object.annotations()[kKey], fmt::format("from a resource of kind {}", object.kind),
                 select, report);
  } else {
    for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
      check_old_key(object.spec()[component]["annotations"], report);
      report_place(object.spec()[component]["labels"][kKey], "from labels", kMove, report);
    }
    check_pods(object, report);
  }
}

}  // namespace cnsched::rules
