#include "core/kserve/scale_to_zero.h"
#include "testdata/support.h"

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
