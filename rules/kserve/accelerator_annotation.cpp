#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/accelerators/resource_name.h"
#include "core/k8s/label.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_annotation {

using yaml::Node;

constexpr std::string_view kKey = "serving.kserve.io/gke-accelerator";
constexpr std::string_view kOldKey = "serving.kubeflow.org/gke-accelerator";
constexpr std::string_view kLabel = "cloud.google.com/gke-accelerator";

/// Whether the webhook changes the pod. KServe looks for the key in the limits and ignores the
/// amount.
static bool is_limited(const Workload& workload) {
  return std::ranges::any_of(workload.pod.containers(), [](const k8s::Container& container) {
    return bool((*container.node)["resources"]["limits"]["nvidia.com/gpu"]);
  });
}

/// Whether a limit may exist: part of the pod is unknown, or the GPU is requested by a wrong name
/// or in a wrong place, which other rules report.
static bool may_be_limited(const Workload& workload) {
  return is_limited(workload) || workload.is_incomplete() ||
         workload.has_unknown(k8s::Unknown::Kind::chosen) ||
         accelerators::requests_unobtainable(workload.own) ||
         accelerators::requests_unobtainable(workload.pod);
}

static void check_override(const Workload& workload, const Node& value, Findings& findings) {
  const Node& written = workload.created["nodeSelector"].under(kLabel);
  if (!written.is_scalar() || written.text() == value.text()) return;
  if (k8s::is_placeholder(written.text()) || k8s::is_placeholder(value.text())) return;
  findings
      .add(value, "KServe sets the node selector to '{}', which replaces '{}'", value.text(),
           written.text())
      .note(written, "KServe replaces this value")
      .help("remove one of the two");
}

/// Checks the annotations of the object's pods. One that takes effect in any of them is not a
/// mistake.
static void check_pods(const k8s::Object& object, Findings& findings) {
  std::unordered_set<const Node*> useful;
  const auto pods = findings.scope().workloads_of(object);
  for (const Workload* workload : pods) {
    const Node& value = (*workload->annotations).under(kKey);
    if (may_be_limited(*workload) || !workload->is_built()) useful.insert(&value);
    if (value.is_scalar() && is_limited(*workload)) check_override(*workload, value, findings);
  }
  for (const Workload* workload : pods) {
    const Node& value = (*workload->annotations).under(kKey);
    // Other services may use the annotation of a runtime.
    if (!value.is_scalar() || setter_of(value, findings) != &object) continue;
    if (!useful.insert(&value).second) continue;
    findings
        .add_at_key(value,
                    "annotation '{}' has no effect: no container of the pod has 'nvidia.com/gpu' "
                    "in its limits",
                    kKey)
        .help(
            "add 'nvidia.com/gpu' to the limits of the container that uses the GPU, or select the "
            "nodes with nodeSelector");
  }
}

/// Reports the annotation at a place where KServe does not read it.
static void report_place(const Node& value, std::string_view place, std::string_view help,
                         Findings& findings) {
  if (!value.is_scalar()) return;
  findings.add_at_key(value, "KServe does not read '{}' {}", value.key()->text(), place)
      .help("{}", help);
}

static void check_old_key(const Node& annotations, Findings& findings) {
  const Node& value = annotations.under(kOldKey);
  if (!value.is_scalar()) return;
  findings
      .add_at_key(value,
                  "KServe does not read '{}', KFServing's old key: the pod may run on any node",
                  kOldKey)
      .help("write '{}'", kKey);
}

static void check(const k8s::Object& object, Findings& findings) {
  constexpr std::string_view kMove = "move it to the annotations of the InferenceService";
  const std::string select = fmt::format("select the nodes with '{}' in nodeSelector", kLabel);
  const bool is_service = object.kind == "InferenceService";
  const bool is_runtime = object.kind.ends_with("ServingRuntime");
  report_place(object.labels().under(kKey), "from labels", kMove, findings);
  check_old_key(object.annotations(), findings);
  if (is_runtime) {
    check_old_key(object.spec()["annotations"], findings);
    report_place(object.annotations().under(kKey), "from the metadata of a runtime",
                 "move it to spec.annotations, which KServe copies to the pods", findings);
  } else if (!is_service) {
    report_place(object.annotations().under(kKey),
                 fmt::format("from a resource of kind {}", object.kind), select, findings);
  } else {
    for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
      check_old_key(object.spec().under(component)["annotations"], findings);
      report_place(object.spec().under(component)["labels"].under(kKey), "from labels", kMove,
                   findings);
    }
    check_pods(object, findings);
  }
}

extern constinit const Rule rule = {
    .id = "accelerator-annotation",
    .severity = Severity::warning,
    .of = Domain::kserve,  // KFServing reads the old key
    .check = check,
};

}  // namespace cnsched::rules::accelerator_annotation
