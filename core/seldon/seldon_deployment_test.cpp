#include "core/seldon/pods.h"
#include "core/seldon/predictor.h"
#include "testdata/support.h"

namespace cnsched::seldon::seldon_deployment_test {

/// The pods of a SeldonDeployment "iris" with that spec.
struct Pods {
  explicit Pods(const std::string& spec)
      : parsed(manifest("SeldonDeployment", "name: iris", spec)),
        pods(seldon_deployment_pods(parsed.object(), k8s::ControllerConfig(), arena)) {}

  Arena arena;
  Parsed parsed;
  std::vector<k8s::PodTemplate> pods;
};

/// The names of a pod's containers: "name name …".
std::string containers_of(const k8s::PodTemplate& pod) {
  return joined(pod.pod.containers(), &k8s::Container::name);
}

std::string predictor(const std::string& fields) { return "{predictors: [{name: p, " + fields; }

const std::string kUnit = "graph: {name: a}, componentSpecs: [{spec: {containers: [{name: a}]}";

TEST_CASE("takes replicas from component, predictor or deployment, else 1") {
  const std::string component = kUnit + ", ";
  CHECK(Pods("{replicas: 4, predictors: [{name: p, replicas: 3, " + component + "replicas: 2}]}]}")
            .pods.front()
            .replicas == 2);
  CHECK(Pods("{replicas: 4, predictors: [{name: p, replicas: 3, " + kUnit + "}]}]}")
            .pods.front()
            .replicas == 3);
  CHECK(Pods("{replicas: 4, predictors: [{name: p, " + kUnit + "}]}]}").pods.front().replicas == 4);
  CHECK(Pods(predictor(kUnit + "}]}]}")).pods.front().replicas == 1);
}

TEST_CASE("takes the replicas from a scaler's minimum") {
  const std::string component = kUnit + ", replicas: 5, ";
  CHECK(Pods(predictor(component + "hpaSpec: {minReplicas: 2}}]}]}")).pods.front().replicas == 2);
  CHECK(Pods(predictor(component + "hpaSpec: {maxReplicas: 9}}]}]}")).pods.front().replicas == 1);
  CHECK(Pods(predictor(component + "kedaSpec: {minReplicaCount: 3}}]}]}")).pods.front().replicas ==
        3);
  CHECK(Pods(predictor(component + "kedaSpec: {triggers: []}}]}]}")).pods.front().replicas == 0);
}

TEST_CASE("takes the explainer's replicas, 0 if the predictor has 0") {
  const std::string explained =
      kUnit + "}], explainer: {type: AnchorTabular, replicas: 2}, replicas: ";
  CHECK(Pods(predictor(explained + "3}]}")).pods.back().replicas == 2);
  CHECK(Pods(predictor(explained + "0}]}")).pods.back().replicas == 0);
}

TEST_CASE("adds the orchestrator to the first unit with a container in the first component") {
  const Pods both(
      predictor("graph: {name: a, children: [{name: b}]}, componentSpecs: "
                "[{spec: {containers: [{name: b}]}}, {spec: {containers: [{name: a}]}}]}]}"));
  REQUIRE(both.pods.size() == 2);
  CHECK(containers_of(both.pods[0]) == "b seldon-container-engine");
  CHECK(containers_of(both.pods[1]) == "a");

  const Pods prepackaged(predictor(
      "graph: {name: a, implementation: SKLEARN_SERVER, children: [{name: b}]}, componentSpecs: "
      "[{spec: {containers: [{name: b}]}}, {spec: {containers: [{name: a}]}}]}]}"));
  CHECK(containers_of(prepackaged.pods[0]) == "b seldon-container-engine");
  CHECK(containers_of(prepackaged.pods[1]) == "a");
}

TEST_CASE("adds no second orchestrator") {
  const Pods own(
      predictor("graph: {name: a}, componentSpecs: [{spec: {containers: "
                "[{name: a}, {name: seldon-container-engine, image: x}]}}]}]}"));
  CHECK(containers_of(own.pods.front()) == "a seldon-container-engine");
  CHECK(own.pods.front().unknown.empty());
}

TEST_CASE("never creates any pod of a deployment that the operator rejects") {
  const Pods pods("{predictors: [{name: good, " + kUnit + "}]}, {name: bad, graph: {name: b}, " +
                  "componentSpecs: [{spec: {containers: [{name: other}]}}]}]}");
  REQUIRE(pods.pods.size() == 2);
  for (const k8s::PodTemplate& pod : pods.pods) {
    CHECK(pod.why_never_created() == "no container has the name 'b' of the graph's unit");
  }
  CHECK(Pods(predictor("graph: {name: a}, componentSpecs: [{spec: {containers: []}}, "
                       "{spec: {containers: [{name: a}]}}]}]}"))
            .pods.back()
            .why_never_created() ==
        "no unit of the graph has its container in componentSpecs[0], where "
        "the orchestrator belongs");
}

TEST_CASE("never creates a pod with the volume of a claim twice") {
  const std::string two =
      "graph: {name: a, modelUri: 'pvc://a', children: [{name: b, modelUri: 'pvc://b'}]}, "
      "componentSpecs: [{spec: {containers: [{name: a}, {name: b}]";
  CHECK(Pods(predictor(two + "}}]}]}")).pods.front().never_created);
  const Pods written(predictor(two + ", initContainers: [{name: a-model-initializer}]}}]}]}"));
  CHECK_FALSE(written.pods.front().never_created);
}

TEST_CASE("requires no container for built-in routers and combiners") {
  const Pods pods(
      predictor("graph: {name: r, implementation: RANDOM_ABTEST, children: [{name: a}]}"
                ", componentSpecs: [{spec: {containers: [{name: a}]}}]}]}"));
  CHECK_FALSE(pods.pods.front().never_created);
  CHECK(containers_of(pods.pods.front()) == "a seldon-container-engine");
}

TEST_CASE("finds units in the order of the text, in bounded time") {
  const Parsed parsed("{name: a, children: [{name: b, children: [{name: c}]}, null, {name: d}]}");
  std::string names;
  for (const Unit& unit : units_of(parsed.root())) names += unit.name();
  CHECK(names == "abcd");

  std::string text = "u0: &u0 {name: u}\n";
  for (int i = 1; i < 11; ++i) {
    const std::string below = "*u" + std::to_string(i - 1);
    text += "u" + std::to_string(i) + ": &u" + std::to_string(i) + " {children: [" + below + ", " +
            below + ", " + below + "]}\n";
  }
  const Parsed bomb(text);
  REQUIRE(bomb.document.problems.empty());
  CHECK(units_of(bomb.root().under("u10")).size() == 10'000);
}

}  // namespace cnsched::seldon::seldon_deployment_test
