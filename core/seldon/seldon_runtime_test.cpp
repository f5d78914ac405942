#include "core/seldon/seldon_runtime.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "testdata/support.h"

namespace cnsched::seldon {

namespace {

const std::string kConfig = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonConfig
metadata: {name: default, namespace: seldon-mesh}
spec:
  components:
  - {name: envoy, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - {name: hodometer, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - {name: scheduler, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - null
)";

const std::string kRuntime = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonRuntime
metadata: {name: seldon, namespace: models}
spec:
  seldonConfig: default
  overrides:
  - {name: envoy, replicas: 2}
  - {name: hodometer, disable: true, replicas: 3}
  - {name: gone, podSpec: {nodeSelector: {pool: system}}}
)";

/// The pods of a run's SeldonRuntime by component.
std::map<std::string, const Workload*> pods_in(const Workspace& workspace) {
  std::map<std::string, const Workload*> pods;
  for (const Workload& workload : workspace.workloads()) {
    if (workload.object->kind == "SeldonRuntime") pods[workload.component] = &workload;
  }
  return pods;
}

}  // namespace

TEST_CASE("replicas of a component are its override's or one, whatever the component says") {
  const auto run = test::workspace_of({{"c.yaml", kConfig}, {"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 4);
  CHECK(pods.at("component envoy")->replicas == 2);
  CHECK(pods.at("component scheduler")->replicas == 1);
  CHECK(pods.at("component hodometer")->replicas == 0);
  CHECK(pods.at("component hodometer")->never_created == "the override disables it");
  CHECK(pods.at("override gone")->never_created ==
        "SeldonConfig 'default' has no component of that name");
}

TEST_CASE("a component that nothing overrides is written at the runtime's spec") {
  const auto run = test::workspace_of({{"c.yaml", kConfig}, {"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  const Workload& scheduler = *pods.at("component scheduler");
  CHECK(scheduler.written == &scheduler.object->spec());
  CHECK(scheduler.own.node().is_missing());
  CHECK(scheduler.bases.front().object->kind == "SeldonConfig");
  const Workload& envoy = *pods.at("component envoy");
  CHECK(envoy.written == &envoy.object->spec()["overrides"].at(0));
}

TEST_CASE("without the SeldonConfig an override has the component's name and is incomplete") {
  const auto run = test::workspace_of({{"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 1);
  const Workload& pod = *pods.at("component gone");
  CHECK(pod.is_incomplete());
  CHECK(pod.unknown.front().what == "SeldonConfig 'default'");
  CHECK(pod.never_created.empty());
}

TEST_CASE("a SeldonRuntime that names no SeldonConfig gets no pods") {
  std::string text = kRuntime;
  text.erase(text.find("  seldonConfig: default\n"), 24);
  const auto run = test::workspace_of({{"c.yaml", kConfig}, {"r.yaml", text}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 1);
  CHECK(pods.at("component gone")->never_created == "'seldonConfig' is missing");
}

}  // namespace cnsched::seldon
