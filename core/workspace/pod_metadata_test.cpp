#include "core/workspace/pod_metadata.h"

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

namespace cnsched::pod_names_test {

std::string named(const std::string& metadata) {
  return manifest("Deployment", metadata, "{template: {spec: {}}}");
}

std::vector<std::string> names_in(std::vector<MemoryFile> files) {
  const auto workspace = workspace_of(std::move(files));
  std::vector<const Workload*> pods;
  for (const Workload& workload : scope_of(*workspace).workloads()) pods.push_back(&workload);
  return pod_names(pods, *workspace);
}

using Names = std::vector<std::string>;

TEST_CASE("names a pod after its controller, uniquely in its namespace") {
  CHECK(names_in({{"a.yaml", named("name: a") + named("name: b")}}) == Names{"a", "b"});
  CHECK(names_in({{"a.yaml", named("name: a") + named("name: a") + named("name: a-2") +
                                 named("name: a")}}) == Names{"a", "a-2", "a-2-2", "a-3"});
  CHECK(names_in({{"a.yaml", named("name: a, namespace: n") + named("name: a") +
                                 named("name: a, namespace: n")}}) == Names{"a", "a", "a-2"});
}

TEST_CASE("numbers pods independently of the order of the files") {
  const MemoryFile one{"1.yaml", named("name: a")};
  const MemoryFile two{"2.yaml", named("name: a")};
  CHECK(names_in({one, two}) == Names{"a", "a-2"});
  CHECK(names_in({two, one}) == Names{"a-2", "a"});
}

TEST_CASE("makes a valid name for an object without one") {
  CHECK(names_in({{"a.yaml", named("") + named("name: '${NAME}-X'") +
                                 named("generateName: a-")}}) == Names{"unnamed", "name-x", "a"});
}

TEST_CASE("turns any text into a DNS-1123 subdomain") {
  CHECK(dns_subdomain("llama-predictor") == "llama-predictor");
  CHECK(dns_subdomain("a.b") == "a.b");
  CHECK(dns_subdomain("Llama_3 8B") == "llama-3-8b");
  CHECK(dns_subdomain("{{ .Name }}") == "name");
  CHECK(dns_subdomain("a..b.-c") == "a.b.c");
  CHECK(dns_subdomain("-a-") == "a");
  CHECK(dns_subdomain("a--b") == "a--b");
  CHECK(dns_subdomain("é") == "unnamed");
  CHECK(dns_subdomain("") == "unnamed");
  CHECK(dns_subdomain(std::string(300, 'a')) == std::string(253, 'a'));
  CHECK(dns_subdomain(std::string(252, 'a') + "--b") == std::string(252, 'a'));
}

TEST_CASE("shortens a name to append a number") {
  const std::string longest = "name: " + std::string(253, 'a');
  const Names names = names_in({{"a.yaml", named(longest) + named(longest)}});
  REQUIRE(names.size() == 2);
  CHECK(names[0] == std::string(253, 'a'));
  CHECK(names[1] == std::string(245, 'a') + "-2");
}

}  // namespace cnsched::pod_names_test
