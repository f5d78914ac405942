#include <algorithm>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/kserve/replicas.h"
#include "core/yaml/scalar.h"
#include "rules/common/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules::raw_scale_to_zero {

using kserve::DeploymentMode;
using yaml::Node;

static bool is_graph(const Workload& workload) { return workload.object->kind == "InferenceGraph"; }

/// The cost of the running pod, as the end of a message.
static std::string_view cost_of(const Workload& workload) {
  return workload.pod.requests_resource(accelerators::is_accelerator) ? " and keeps its accelerator"
                                                                      : "";
}

static void report_hpa(const Workload& workload, const Node& least, Findings& findings) {
  auto finding =
      findings.add(least,
                   "without Knative the autoscaler raises 'minReplicas: 0' to 1: one pod "
                   "always runs{}",
                   cost_of(workload));
  note_deployment_mode(workload, finding);
  if (is_graph(workload)) {
    finding.help(
        "use serverless (Knative) mode, or write 'minReplicas: 1': an InferenceGraph has no "
        "metrics for KEDA");
  } else {
    finding.help(
        "use serverless (Knative) mode, or KEDA: set 'serving.kserve.io/autoscalerClass: keda', "
        "maxReplicas, and an External metric in autoScaling.metrics");
  }
}

/// Whether all metrics are CPU or memory of a running pod.
static bool has_only_resource_metrics(const Node& metrics) {
  return !metrics.items().empty() && std::ranges::all_of(metrics.items(), [](const Node* metric) {
    const std::string_view name = (*metric)["resource"]["name"].text();
    return (*metric)["type"].text() == "Resource" && (name == "cpu" || name == "memory");
  });
}

static void report_keda(const Node& component, const Node& least, Findings& findings) {
  const Node& most = component["maxReplicas"];
  const Node& metrics = component["autoScaling"]["metrics"];
  if (most.is_empty() || yaml::integer_of(most) == 0) {
    findings
        .add(least,
             "'minReplicas: 0' without maxReplicas sets KEDA's maximum to 0: the model never runs")
        .severity(Severity::error)
        .help("also set maxReplicas to at least 1");
  } else if (component["autoScaling"].is_scalar()) {
    return;  // a placeholder
  } else if (metrics.is_empty()) {
    findings
        .add(least, "KEDA has no metric to scale by: it never starts a pod from 'minReplicas: 0'")
        .severity(Severity::error)
        .help("add an External metric to autoScaling.metrics, or write 'minReplicas: 1'");
  } else if (has_only_resource_metrics(metrics)) {
    findings
        .add(least,
             "KEDA rejects 'minReplicas: 0' if all metrics are CPU or memory: a pod that does not "
             "run uses neither")
        .severity(Severity::error)
        .note(*metrics.key(), "all these metrics come from the pod itself")
        .help("add an External metric, or write 'minReplicas: 1'");
  }
}

static void report_keda_graph(const Node& least, Findings& findings) {
  findings
      .add(least,
           "KEDA has no metric to scale an InferenceGraph by: it never starts a pod from "
           "'minReplicas: 0'")
      .severity(Severity::error)
      .help("write 'minReplicas: 1': an InferenceGraph has no autoScaling.metrics");
}

static void check(const Workload& workload, Findings& findings) {
  const k8s::Object& object = *workload.object;
  if (object.kind != "InferenceService" && !is_graph(workload)) return;
  if (workload.mode.mode != DeploymentMode::standard || kserve::is_stopped(object)) return;
  // Canaries get a share of the stable predictor's pods; the number of workers follows from the
  // GPUs.
  if (workload.component.starts_with("canary") || workload.component == "worker") return;
  const Node& least = (*workload.written)["minReplicas"];
  if (yaml::integer_of(least) != 0) return;
  // The component's annotations count too.
  const std::string_view scaler = workload.annotations->under(kserve::kAutoscalerClass).text();
  if (scaler.empty() || scaler == "hpa") report_hpa(workload, least, findings);
  if (scaler != "keda") return;
  if (is_graph(workload)) return report_keda_graph(least, findings);
  report_keda(*workload.written, least, findings);
}

extern constinit const Rule rule = {
    .id = "raw-scale-to-zero",
    .severity = Severity::warning,
    .of = Domain::kserve | Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::raw_scale_to_zero
