#include "core/k8s/limit_range.h"
#include "testdata/scenario.h"

namespace cnsched::sim::limit_range_test {

std::string limit_range(const std::string& items, const std::string& ns = "ml") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: LimitRange, metadata: {{name: limits, namespace: {}}}, spec: "
      "{{limits: [{}]}}}}\n",
      ns, items);
}

std::string with(const std::string& resources) {
  return test::pod(
      fmt::format("containers: [{{name: c, image: i, resources: {{{}}}}}]", resources));
}

/// The pod's requests with a LimitRange: "cpu 500m, memory 1Gi".
std::string requests(const std::string& items, const std::string& pod) {
  const Scenario scenario(node("a") + limit_range(items), pod);
  std::string text;
  for (const k8s::Request& request : scenario.pod().requests) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", request.name,
                        k8s::shown_amount(request.name, request.amount));
  }
  return text;
}

/// Why the LimitRange rejects the pod.
std::string rejection(const std::string& items, const std::string& pod) {
  const Scenario scenario(node("a") + limit_range(items), pod);
  return scenario.pod().not_created.reason;
}

constexpr const char* kDefaults =
    "{type: Container, default: {cpu: 2, memory: 1Gi}, defaultRequest: {cpu: 500m}}";

TEST_CASE("a LimitRange sets requests that containers leave out, before scheduling") {
  CHECK(requests(kDefaults, with("")) == "cpu 500m, memory 1Gi");
  CHECK(requests(kDefaults, with("requests: {cpu: 1}")) == "cpu 1, memory 1Gi");
  // The API server has copied the limit before LimitRanger runs.
  CHECK(requests(kDefaults, with("limits: {cpu: 1}")) == "cpu 1, memory 1Gi");
  CHECK(requests(kDefaults, test::pod("initContainers: [{name: i}], containers: [{name: c, "
                                      "resources: {requests: {cpu: 100m}}}]")) ==
        "cpu 500m, memory 1Gi");
  CHECK(requests("{type: Pod, max: {cpu: 4}}", with("limits: {cpu: 1}")) == "cpu 1");
}

TEST_CASE("defaults come from max, default and min in this order") {
  CHECK(requests("{type: Container, max: {cpu: 3}}", with("")) == "cpu 3");
  CHECK(requests("{type: Container, min: {cpu: 1}}", with("")) == "cpu 1");
  CHECK(requests("{type: Container, min: {cpu: 1}, default: {cpu: 2}}", with("")) == "cpu 2");
  CHECK(requests("{type: Container, default: {cpu: 2}}, {type: Container, default: {cpu: 3}}",
                 with("")) == "cpu 3");
}

TEST_CASE("resources of the pod itself are not changed by defaults of containers") {
  CHECK(requests(kDefaults, test::pod("resources: {limits: {cpu: 3}}, containers: [{name: c}]")) ==
        "cpu 3, memory 1Gi");
  CHECK(requests(kDefaults,
                 test::pod("resources: {limits: {cpu: 3}}, containers: [{name: c, resources: "
                           "{requests: {cpu: 1}}}, {name: d}]")) == "cpu 1, memory 2Gi");
}

TEST_CASE("a LimitRange of another namespace does not apply") {
  const Scenario scenario(node("a") + limit_range(kDefaults, "other"), with(""));
  CHECK(scenario.pod().requests.empty());
  CHECK(scenario.on("a") == "ok");
}

TEST_CASE("NodeResourcesFit sees the defaults") {
  const Scenario scenario(node("a") + limit_range("{type: Container, default: {cpu: 64}}"),
                          with(""));
  CHECK(scenario.event() == "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_CASE("a LimitRange rejects pods in the words of the API server") {
  const std::string range =
      "{type: Container, min: {cpu: 200m}, max: {cpu: 2}, maxLimitRequestRatio: {cpu: 4}}";
  CHECK(rejection(range, with("limits: {cpu: 4}")) ==
        "maximum cpu usage per Container is 2, but limit is 4");
  CHECK(rejection(range, with("requests: {cpu: 100m}, limits: {cpu: 400m}")) ==
        "minimum cpu usage per Container is 200m, but request is 100m");
  CHECK(rejection(range, with("requests: {cpu: 100m}, limits: {cpu: 2}")) ==
        "[minimum cpu usage per Container is 200m, but request is 100m, cpu max limit to request "
        "ratio per Container is 4, but provided ratio is 20.000000]");
  CHECK(rejection(range, with("requests: {cpu: 500m}")) == "");
  CHECK(rejection("{type: Pod, max: {memory: 1Gi}}", with("limits: {cpu: 1}")) ==
        "maximum memory usage per Pod is 1Gi.  No limit is specified");
  CHECK(rejection("{type: Pod, min: {memory: 1Gi}}", with("limits: {cpu: 1}")) ==
        "minimum memory usage per Pod is 1Gi.  No request is specified");
  CHECK(rejection("{type: Pod, max: {cpu: 3}}",
                  test::pod("containers: [{name: a, resources: {limits: {cpu: 2}}}, {name: b, "
                            "resources: {limits: {cpu: 2}}}]")) ==
        "maximum cpu usage per Pod is 3, but limit is 4");
  CHECK(rejection("{type: Pod, maxLimitRequestRatio: {cpu: 2}}", with("")) ==
        "cpu max limit to request ratio per Pod is 2, but no request is specified or request is 0");
  CHECK(rejection("{type: PersistentVolumeClaim, max: {storage: 1Gi}}", with("")) == "");
}

TEST_CASE("a default limit below the request makes the pod invalid") {
  const Scenario scenario(node("a") + limit_range("{type: Container, default: {cpu: 1}}"),
                          with("requests: {cpu: 2}"));
  CHECK(scenario.event() ==
        "Pod \"new\" is invalid: spec.containers[0].resources.requests: Invalid value: \"2\": must "
        "be less than or equal to cpu limit of 1");
  CHECK(scenario.pod().not_created.in_pod->text() == "2");
}

TEST_CASE("a pod that a LimitRange rejects has no node") {
  const Scenario scenario(node("a") + limit_range("{type: Container, max: {cpu: 2}}"),
                          with("limits: {cpu: 4}"));
  CHECK(scenario.diagnosis().fits_nowhere());
  CHECK(scenario.event() ==
        "pods \"new\" is forbidden: maximum cpu usage per Container is 2, but limit is 4");
  CHECK(scenario.explained("a") == "the API server does not create the pod");
}

TEST_CASE("a pod without a namespace is in the only one that has policies") {
  const std::string unnamed = test::pod("containers: [{name: c}]", "", "");
  const Scenario one(node("a") + limit_range(kDefaults), unnamed);
  CHECK(one.pod().requests.size() == 2);
  CHECK(one.pod().policy.is_assumed);
  const Scenario two(node("a") + limit_range(kDefaults) + limit_range(kDefaults, "other"), unnamed);
  CHECK(two.pod().requests.empty());
  CHECK(two.on("a") ==
        "? the namespace of the pod (the manifest names none, --namespace does; LimitRange "
        "'ml/limits' and "
        "LimitRange 'other/limits' may each apply) is not known");
}

}  // namespace cnsched::sim::limit_range_test
