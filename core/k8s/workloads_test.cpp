#include "core/k8s/workloads.h"
#include "testdata/support.h"

namespace cnsched::k8s::workloads_test {

/// The nodeName of the only pod that the object creates, or "none".
std::string node_name_of(const std::string& text) {
  const Parsed parsed(text);
  const auto pods = pod_templates(parsed.object());
  if (pods.empty()) return "none";
  REQUIRE(pods.size() == 1);
  CHECK(pods.front().component.empty());
  CHECK_FALSE(pods.front().fragment);
  CHECK(pods.front().written == &pods.front().pod.node());
  return std::string(pods.front().pod["nodeName"].text());
}

std::string object(const std::string& api_version, const std::string& kind,
                   const std::string& spec) {
  return "{apiVersion: " + api_version + ", kind: " + kind + ", spec: " + spec + "}";
}

TEST_CASE("finds the pod spec of each core kind") {
  const std::string in_template = "{template: {spec: {nodeName: n}}}";
  CHECK(node_name_of(object("v1", "Pod", "{nodeName: n}")) == "n");
  for (const std::string kind : {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}) {
    CAPTURE(kind);
    CHECK(node_name_of(object("apps/v1", kind, in_template)) == "n");
  }
  CHECK(node_name_of(object("extensions/v1beta1", "Deployment", in_template)) == "n");
  CHECK(node_name_of(object("batch/v1", "Job", in_template)) == "n");
  CHECK(node_name_of(object("batch/v1", "CronJob", "{jobTemplate: {spec: " + in_template + "}}")) ==
        "n");
}

TEST_CASE("kinds of other groups have no core pods") {
  const std::string in_template = "{template: {spec: {nodeName: n}}}";
  CHECK(node_name_of(object("example.com/v1", "Pod", "{nodeName: n}")) == "none");
  CHECK(node_name_of(object("example.com/v1", "Deployment", in_template)) == "none");
  CHECK(node_name_of(object("serving.kserve.io/v1beta1", "InferenceService", in_template)) ==
        "none");
  CHECK(node_name_of(object("batch/v1", "Workflow", in_template)) == "none");
}

TEST_CASE("without a pod spec there is no pod") {
  CHECK(node_name_of("{apiVersion: v1, kind: Pod}") == "none");
  CHECK(node_name_of(object("v1", "Pod", "[nodeName]")) == "none");
  CHECK(node_name_of(object("apps/v1", "Deployment", "{template: {}}")) == "none");
  CHECK(node_name_of(object("apps/v1", "Deployment", "{template: {spec: null}}")) == "none");
}

TEST_CASE("a pod of a core kind has the template's metadata and its controller's name") {
  const Parsed parsed(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: {not: these}}, spec: "
      "{template: {metadata: {labels: {a: b}, annotations: {c: d}}, spec: {}}}}");
  const PodTemplate pod = pod_templates(parsed.object()).front();
  CHECK(pod.name == "d");
  CHECK((*pod.labels)["a"].text() == "b");
  CHECK((*pod.annotations)["c"].text() == "d");
}

TEST_CASE("a core kind creates one pod by default") {
  const auto replicas = [](const std::string& api, const std::string& kind,
                           const std::string& field) {
    const std::string spec = kind == "Pod" ? "{}" : "{" + field + "template: {spec: {}}}";
    const Parsed parsed(object(api, kind, spec));
    return pod_templates(parsed.object()).front().replicas;
  };
  CHECK(replicas("v1", "Pod", "") == 1);
  CHECK(replicas("apps/v1", "Deployment", "") == 1);
  CHECK(replicas("apps/v1", "StatefulSet", "replicas: 3, ") == 3);
  CHECK(replicas("apps/v1", "ReplicaSet", "replicas: 0, ") == 0);
  CHECK(replicas("apps/v1", "Deployment", "replicas: null, ") == 1);
  CHECK(replicas("apps/v1", "Deployment", "replicas: many, ") == std::nullopt);
  CHECK(replicas("apps/v1", "DaemonSet", "replicas: 3, ") == std::nullopt);
  CHECK(replicas("batch/v1", "Job", "parallelism: 4, ") == 4);
  CHECK(replicas("batch/v1", "Job", "replicas: 4, ") == 1);
  CHECK(replicas("batch/v1", "Job", "suspend: true, ") == 0);
}

}  // namespace cnsched::k8s::workloads_test
