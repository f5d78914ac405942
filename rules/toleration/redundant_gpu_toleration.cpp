#include <algorithm>
#include <map>
#include <vector>

#include "rules/engine/changes.h"
#include "rules/kserve/tolerations.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_redundant_gpu_toleration = {
    .id = "redundant-gpu-toleration",
    .severity = Severity::info,
    .depends_on_run = true,
    .summary = "a toleration that this cluster's admission adds anyway",
    .why =
        "Whoever removes this toleration to keep the pod off those nodes changes nothing: the "
        "admission plugin ExtendedResourceToleration gives every pod a toleration named after "
        "each extended resource that its containers ask for, with operator Exists and effect "
        "NoSchedule. GKE, EKS and AKS run it; Kubernetes by itself does not, so the rule speaks "
        "only where the configuration (extendedResourceToleration) or the API server's own pod "
        "says that the plugin is on.\n\n"
        "A toleration of the same key without an effect is not redundant, for it covers NoExecute "
        "as well, and neither is the toleration of nvidia.com/gpu for a pod that asks for a MIG "
        "slice, which is another resource.",
    .bad = R"(
apiVersion: v1
kind: Pod
metadata:
  name: kube-apiserver-control-plane
  namespace: kube-system
  labels: {component: kube-apiserver}
spec:
  containers:
  - name: kube-apiserver
    image: registry.k8s.io/kube-apiserver:v1.34.0
    command:
    - kube-apiserver
    - --enable-admission-plugins=NodeRestriction,ExtendedResourceToleration
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: v1
kind: Pod
metadata:
  name: kube-apiserver-control-plane
  namespace: kube-system
  labels: {component: kube-apiserver}
spec:
  containers:
  - name: kube-apiserver
    image: registry.k8s.io/kube-apiserver:v1.34.0
    command:
    - kube-apiserver
    - --enable-admission-plugins=NodeRestriction,ExtendedResourceToleration
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/"
        "#extendedresourcetoleration",
    .check = check,
    .fix = Safety::safe,
};

/// Without the list of this object, what is merged beneath it would bring its own.
static bool hides_other_tolerations(const Workload& workload) {
  return workload.is_incomplete() || std::ranges::any_of(workload.bases, [](const k8s::Base& base) {
           return !base.pod["tolerations"].is_empty();
         });
}

namespace {

/// A toleration that admission adds anyway, and the request for which it does.
struct Redundant {
  k8s::Toleration toleration;
  const yaml::Node* request = nullptr;
};

}  // namespace

static std::vector<Redundant> redundant_of(const Workload& workload) {
  std::map<std::string_view, const yaml::Node*> asked;  // by the name of the resource
  for (const k8s::Toleration& added : added_by_admission(workload.pod)) {
    asked.try_emplace(added.key, added.node);
  }
  std::vector<Redundant> redundant;
  for (const k8s::Toleration& t : workload.own.tolerations()) {
    const bool is_added = t.effect == k8s::kNoSchedule && (t.op == "Exists" || t.op == "Equal");
    const auto request = asked.find(t.key);
    if (is_added && request != asked.end()) redundant.push_back({t, request->second});
  }
  return redundant;
}

static void check(const Workload& workload, Report& report) {
  if (report.facts().extended_resource_toleration != true) return;
  if (workload.object->kind == "DaemonSet" || hides_other_tolerations(workload)) return;
  const std::vector<Redundant> redundant = redundant_of(workload);
  const yaml::Node& list = workload.own["tolerations"];
  const bool all = redundant.size() == list.items().size();
  // Without any list, that of a runtime which is not known would come to light.
  const bool is_doubtful = all && workload.lacks(k8s::Unknown::Kind::chosen);
  for (const auto& [toleration, request] : redundant) {
    report
        .add((*toleration.node)["key"],
             "this toleration of '{}' is redundant: the cluster's admission "
             "(ExtendedResourceToleration) adds it",
             toleration.key)
        .note(*request, "this request is enough")
        .help("remove it, or keep it for clusters without ExtendedResourceToleration")
        .fix(is_doubtful ? Safety::unsafe : Safety::safe, "remove it",
             {to_erase_item(*toleration.node)});
  }
}

}  // namespace cnsched::rules
