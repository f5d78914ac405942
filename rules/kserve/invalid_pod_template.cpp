#include "core/workloads/patch.h"
#include "core/workloads/template_check.h"
#include "rules/resource/origin.h"
#include "rules/resource/rejection.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_invalid_pod_template = {
    .id = "invalid-pod-template",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "the API server rejects the pods that KServe makes of several objects",
    .details =
        "The rule checks pods after KServe has merged them: names of containers and volumes that "
        "are repeated or invalid, volumes of two types, containers of an InferenceService without "
        "an image, and placeholders that KServe does not substitute.",
    .why =
        "The object is accepted and stays not ready: KServe cannot create the Deployment. Each "
        "object is valid alone. Only what KServe makes of an InferenceService and its "
        "ServingRuntime is invalid.",
    .limits =
        "The rule does not check pods whose runtime is unknown. Other rules report resources, "
        "labels "
        "and tolerations, and what a Server and its ServerConfig have in common.",
    .bad = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - {name: vLLM, autoSelect: true}
  volumes:
  - name: cache
    emptyDir: {}
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: Standard
spec:
  predictor:
    model:
      modelFormat: {name: vLLM}
      runtime: vllm
    volumes:
    - name: cache
      persistentVolumeClaim: {claimName: cache}
)",
    .good = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - {name: vLLM, autoSelect: true}
  volumes:
  - name: cache
    emptyDir: {}
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: Standard
spec:
  predictor:
    model:
      modelFormat: {name: vLLM}
      runtime: vllm
    volumes:
    - name: claim
      persistentVolumeClaim: {claimName: cache}
)",
    .source = "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/",
    .check = check,
    .not_exported = "it checks pods that KServe makes of several objects",
};

/// Where to report the problem: in the pod's own object if it has a part in it.
static const yaml::Node& place_of(const k8s::TemplateProblem& problem, const Workload& workload,
                                  const Report& report) {
  const auto is_own = [&](const yaml::Node* node) {
    return node != nullptr && setter_of(*node, report) == workload.object;
  };
  if (is_own(problem.where) || !is_own(problem.other)) return *problem.where;
  return *problem.other;
}

static void check(const Workload& workload, Report& report) {
  if (is_patch(workload, report.scope())) return;
  for (const k8s::TemplateProblem& problem : template_problems(workload)) {
    const yaml::Node& place = place_of(problem, workload, report);
    const bool is_shared = setter_of(place, report) != workload.object;
    const yaml::Node& name = (*workload.object)["metadata"]["name"];
    auto finding = report.add(is_shared && name ? name : place, "{}: {}", problem.what,
                              rejection_of(workload));
    finding.help("{}", problem.help);
    for (const yaml::Node* node : {problem.where, problem.other}) {
      if (node == nullptr || node == &place || setter_of(*node, report) == nullptr) continue;
      finding.note(*node, "{} has this", named(*setter_of(*node, report)));
    }
    if (is_shared && setter_of(place, report) != nullptr) {
      finding.note(place, "{} has this", named(*setter_of(place, report)));
    }
  }
}

}  // namespace cnsched::rules
