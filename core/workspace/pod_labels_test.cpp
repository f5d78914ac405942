#include "core/workspace/pod_labels.h"
#include "testdata/support.h"

namespace cnsched::pod_labels_test {

/// The pods of a run over one text.
struct Run {
  explicit Run(const std::string& manifests) : workspace(workspace_of({{"in.yaml", manifests}})) {}

  const Workload& pod(std::size_t index = 0) const {
    return scope_of(*workspace).workloads()[index];
  }
  bool misses(const std::string& expression, std::size_t index = 0) const {
    const Parsed selector("matchExpressions: [" + expression + "]");
    return certainly_lacks(k8s::label_selector_in(selector.root()).at(0), pod(index));
  }
  bool may_hold(const std::string& selector) const {
    PodsByLabel pods;
    for (const Workload& workload : scope_of(*workspace).workloads()) pods.add(workload);
    const Parsed parsed(selector);
    return pods.may_hold(k8s::label_selector_in(parsed.root()));
  }

  std::unique_ptr<Workspace> workspace;
};

std::string service(const std::string& annotations = "{}") {
  return inference_service("containers: [{image: registry.example.com/server:1}]",
                           "name: llama, labels: {team: '${TEAM}'}, annotations: " + annotations);
}

const std::string kRaw = "{serving.kserve.io/deploymentMode: RawDeployment}";

TEST_CASE("reports a requirement that the pod's known labels do not meet") {
  const Run run(service(kRaw));
  CHECK(run.misses("{key: app, operator: In, values: [llama]}"));
  CHECK_FALSE(run.misses("{key: app, operator: In, values: [isvc.llama-predictor]}"));
  CHECK(run.misses("{key: component, operator: DoesNotExist}"));
  CHECK(run.misses("{key: other, operator: Exists}"));
  CHECK_FALSE(run.misses("{key: other, operator: NotIn, values: [a]}"));
}

TEST_CASE("reports no requirement on unknown labels") {
  const Run run(service(kRaw));
  CHECK_FALSE(run.misses("{key: pod-template-hash, operator: Exists}"));
  CHECK_FALSE(run.misses("{key: app, operator: In, values: ['${APP}']}"));
  CHECK_FALSE(run.misses("{key: team, operator: In, values: [search]}"));
  CHECK_FALSE(run.misses("{key: app, operator: Gt, values: ['3']}"));
}

TEST_CASE("allows KServe's and Knative's label app while the mode is unknown") {
  const Run run(service());
  CHECK_FALSE(run.misses("{key: app, operator: In, values: [isvc.llama-predictor]}"));
  CHECK_FALSE(run.misses("{key: app, operator: In, values: [llama-predictor-00001]}"));
  CHECK_FALSE(run.misses("{key: app, operator: Exists}"));
  CHECK(run.misses("{key: app, operator: In, values: [llama]}"));
}

TEST_CASE("labels pods with their owner") {
  CHECK(identifying_label(Run(service(kRaw)).pod())->key == "serving.kserve.io/inferenceservice");
  const Run server(
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: gpu}\n"
      "spec: {serverConfig: triton}\n");
  CHECK(identifying_label(server.pod())->value == "gpu");
  const Run deployment(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: "
      "{metadata: {labels: {app: b}}, spec: {containers: [{name: c, image: d}]}}}\n");
  CHECK(identifying_label(deployment.pod())->value == "b");
}

TEST_CASE("finds pods by their labels") {
  const Run run(service(kRaw));
  CHECK(run.may_hold("matchLabels: {app: isvc.llama-predictor, component: predictor}"));
  CHECK_FALSE(run.may_hold("matchLabels: {app: isvc.llama-predictor, component: explainer}"));
  CHECK_FALSE(run.may_hold("matchLabels: {app: llama}"));
  CHECK(run.may_hold(
      "matchExpressions: [{key: component, operator: In, values: [explainer, predictor]}]"));
}

TEST_CASE("lets a selector without values select unknown pods") {
  CHECK(Run(service(kRaw)).may_hold("matchExpressions: [{key: other, operator: Exists}]"));
}

}  // namespace cnsched::pod_labels_test
