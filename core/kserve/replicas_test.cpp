#include "core/kserve/replicas.h"
#include "testdata/support.h"

namespace cnsched::kserve::replicas_test {

std::optional<std::int64_t> replicas(const std::string& minimum, DeploymentMode mode,
                                     const std::string& annotations = "{}",
                                     const std::string& canary = "[]",
                                     const std::optional<Version>& release = {}) {
  const Parsed parsed(manifest("InferenceService", "name: a, annotations: " + annotations,
                               "{predictor: {" + minimum + "}, canary: " + canary + "}"));
  return replicas_of(parsed.object(), parsed.object().spec()["predictor"], mode, release);
}

std::optional<std::int64_t> canaries(const std::string& minimum, const std::string& canary) {
  const Parsed parsed(manifest("InferenceService", "name: a",
                               "{predictor: {" + minimum + "}, canary: [" + canary + "]}"));
  return canary_replicas(parsed.object(), *parsed.object().spec()["canary"].items()[0],
                         DeploymentMode::standard);
}

TEST_CASE("defaults to one replica, and raises 0 to 1 for HPA") {
  using enum DeploymentMode;
  CHECK(replicas("", standard) == 1);
  CHECK(replicas("minReplicas: 3", standard) == 3);
  CHECK(replicas("minReplicas: 0", standard) == 1);
  CHECK(replicas("minReplicas: 0", standard, "{serving.kserve.io/autoscalerClass: hpa}") == 1);
  CHECK(replicas("minReplicas: 0", standard, "{serving.kserve.io/autoscalerClass: keda}") == 0);
  CHECK(replicas("minReplicas: 0", standard, "{serving.kserve.io/autoscalerClass: none}") == 0);
  CHECK(replicas("annotations: {serving.kserve.io/autoscalerClass: keda}, minReplicas: 0",
                 standard) == 0);
  CHECK(replicas("annotations: {serving.kserve.io/autoscalerClass: hpa}, minReplicas: 0", standard,
                 "{serving.kserve.io/autoscalerClass: keda}") == 1);
  CHECK(replicas("minReplicas: 0", knative) == 0);
  CHECK(replicas("minReplicas: -1", knative) == 0);
  const std::string external = "{serving.kserve.io/autoscalerClass: external}";
  CHECK(replicas("minReplicas: 3", standard, external) == 1);
  CHECK(replicas("minReplicas: 3", knative, external) == 3);
}

TEST_CASE("treats the replicas for minReplicas 0 as unknown if the mode is unknown") {
  constexpr DeploymentMode unknown = DeploymentMode::unknown;
  CHECK_FALSE(replicas("minReplicas: 0", unknown));
  CHECK(replicas("minReplicas: 0", unknown, "{serving.kserve.io/autoscalerClass: keda}") == 0);
  CHECK(replicas("minReplicas: 2", unknown) == 2);
}

TEST_CASE("creates no pods with the annotation stop, whatever its letter case") {
  const auto stopped = [](const std::string& value) {
    const Parsed parsed("metadata: {annotations: {serving.kserve.io/stop: '" + value + "'}}");
    k8s::Object object;
    object.root = &parsed.root();
    return is_stopped(object);
  };
  CHECK(stopped("true"));
  CHECK(stopped("True"));
  CHECK_FALSE(stopped("false"));
  CHECK_FALSE(stopped("yes"));
}

TEST_CASE("gives a canary its share, rounded up, or its own number") {
  CHECK(canaries("minReplicas: 10", "{trafficPercent: 25, predictor: {}}") == 3);
  CHECK(canaries("", "{trafficPercent: 1, predictor: {}}") == 1);
  CHECK(canaries("minReplicas: 10", "{trafficPercent: 25, predictor: {minReplicas: 5}}") == 5);
}

TEST_CASE("KServe 0.20 subtracts the canaries from the stable predictor's replicas") {
  const auto stable = [](const std::string& minimum, const std::optional<Version>& release) {
    return replicas(minimum, DeploymentMode::standard, "{}",
                    "[{trafficPercent: 25, predictor: {}}]", release);
  };
  CHECK(stable("minReplicas: 10", Version{0, 20, 0}) == 7);
  CHECK(stable("minReplicas: 1", Version{0, 20, 0}) == 1);
  CHECK(stable("", Version{0, 20, 0}) == 1);
  CHECK(stable("minReplicas: 10", Version{0, 21, 0}) == 10);
  CHECK(stable("minReplicas: 10", std::nullopt) == 10);
}

}  // namespace cnsched::kserve::replicas_test
