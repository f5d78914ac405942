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
  CHECK(stable("minReplicas: 10", kHeadRelease) == 10);
  CHECK(stable("minReplicas: 10", std::nullopt) == 7);
}

}  // namespace cnsched::kserve::replicas_test

namespace cnsched::kserve::scale_to_zero_test {

/// An InferenceService as parsed.
struct Read : Parsed {
  explicit Read(const std::string& annotations, const std::string& predictor = "")
      : Parsed(inference_service(predictor, "name: a, annotations: {" + annotations + "}")) {}
  const yaml::Node& predictor() const { return object().spec()["predictor"]; }
};

bool can_be_zero(const std::string& annotations, const std::string& predictor,
                 DeploymentMode mode) {
  const Read read(annotations, predictor);
  return static_cast<bool>(zero_min_replicas_of(read.object(), read.predictor(), mode));
}

TEST_CASE("recognises scaling to zero by Knative and KEDA, not by HPA") {
  using enum DeploymentMode;
  CHECK(can_be_zero("", "minReplicas: 0", knative));
  CHECK(can_be_zero("", "minReplicas: 0", unknown));
  CHECK_FALSE(can_be_zero("", "minReplicas: 1", knative));
  CHECK_FALSE(can_be_zero("", "", knative));
  CHECK_FALSE(can_be_zero("", "minReplicas: 0", standard));
  CHECK(can_be_zero("serving.kserve.io/autoscalerClass: keda", "minReplicas: 0", standard));
  CHECK_FALSE(can_be_zero("serving.kserve.io/autoscalerClass: none", "minReplicas: 0", standard));
  CHECK(can_be_zero("", "annotations: {serving.kserve.io/autoscalerClass: keda}, minReplicas: 0",
                    standard));
  CHECK_FALSE(can_be_zero("", "minReplicas: 0", model_mesh));
}

TEST_CASE("recognises KEDA's idleReplicaCount 0 of an LLMInferenceService") {
  const auto idle = [](const std::string& scaling) {
    const Parsed read(llm_service("{scaling: " + scaling + "}"));
    return static_cast<bool>(zero_idle_replicas_of(read.object()));
  };
  CHECK(idle("{keda: {idleReplicaCount: 0}}"));
  CHECK(idle("{wva: {keda: {idleReplicaCount: 0}}}"));
  CHECK_FALSE(idle("{keda: {idleReplicaCount: 1}}"));
  CHECK_FALSE(idle("{wva: {hpa: {}}}"));
}

TEST_CASE("prefers Knative's annotations of the component to the object's") {
  const std::string hpa = "autoscaling.knative.dev/class: hpa.autoscaling.knative.dev";
  const std::string kpa = "autoscaling.knative.dev/class: kpa.autoscaling.knative.dev";
  const Read above(hpa);
  CHECK(hpa_class_of(above.object(), above.predictor()));
  const Read below(hpa, "annotations: {" + kpa + "}");
  CHECK_FALSE(hpa_class_of(below.object(), below.predictor()));
}

TEST_CASE("recognises annotations that keep an idle pod for long") {
  const auto long_retentions = [](const std::string& annotation) {
    const Read read("autoscaling.knative.dev/" + annotation);
    return long_retentions_of(read.object(), read.predictor()).size();
  };
  CHECK(long_retentions("scale-to-zero-pod-retention-period: 1h") == 1);
  CHECK(long_retentions("scale-down-delay: 15m") == 0);
  CHECK(long_retentions("window: 16m") == 1);
  CHECK(long_retentions("window: soon") == 0);
}

TEST_CASE("finds the KnativeServing that disables scaling to zero") {
  const auto is_off = [](const std::string& config) {
    const Parsed read(manifest("KnativeServing", "name: a", "{config: " + config + "}"));
    return static_cast<bool>(disabled_scale_to_zero_in(read.object()));
  };
  CHECK(is_off("{autoscaler: {enable-scale-to-zero: 'false'}}"));
  CHECK(is_off("{config-autoscaler: {enable-scale-to-zero: 'false'}}"));
  CHECK_FALSE(is_off("{autoscaler: {enable-scale-to-zero: 'true'}}"));
  CHECK_FALSE(is_off("{}"));
}

TEST_CASE("parses Go durations") {
  CHECK(seconds_of_duration("90s") == 90);
  CHECK(seconds_of_duration("1h30m") == 5400);
  CHECK(seconds_of_duration("500ms") == 0);
  CHECK(seconds_of_duration("") == std::nullopt);
  CHECK(seconds_of_duration("15") == std::nullopt);
  CHECK(seconds_of_duration("-5m") == std::nullopt);
  CHECK(seconds_of_duration("99999999999999999999h") == std::nullopt);
  CHECK(seconds_of_duration("999999999h") == std::nullopt);
}

}  // namespace cnsched::kserve::scale_to_zero_test
