#include "core/k8s/workloads.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::k8s {

namespace {

/// The nodeName of the only pod that the object makes, or "none".
std::string node_name_of(const std::string& text) {
  const test::Parsed parsed(text);
  const auto objects = objects_in(parsed.document);
  REQUIRE(objects.size() == 1);
  const auto pods = pod_templates(objects.front());
  if (pods.empty()) return "none";
  REQUIRE(pods.size() == 1);
  CHECK(pods.front().component.empty());
  CHECK_FALSE(pods.front().fragment);
  CHECK(pods.front().written == &pods.front().pod.node());
  return std::string(pods.front().pod["nodeName"].scalar());
}

std::string object(const std::string& api_version, const std::string& kind,
                   const std::string& spec) {
  return "{apiVersion: " + api_version + ", kind: " + kind + ", spec: " + spec + "}";
}

}  // namespace

TEST_CASE("each core kind keeps its pod where Kubernetes has it") {
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

TEST_CASE("kinds of other groups make no core pods") {
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

}  // namespace cnsched::k8s
