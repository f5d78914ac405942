#include "core/facts/cluster_config.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/yaml/shape.h"
#include "testdata/support.h"

namespace cnsched::facts {

namespace {

/// A `cluster:` section as read, with the errors that were reported.
struct Read {
  explicit Read(std::string text) : parsed(std::move(text)) {
    REQUIRE(parsed.document.problems.empty());
    yaml::StrictReader reader(parsed.file, errors);
    yaml::check_shape(parsed.root(), "cluster", cluster_shape(), reader);
    config = read_cluster_config(parsed.root());
  }

  test::Parsed parsed;
  std::vector<Error> errors;
  ClusterConfig config;
};

/// The errors, one per line.
std::string errors_in(const std::string& text) {
  std::string lines;
  for (const Error& error : Read(text).errors) {
    lines += (lines.empty() ? "" : "\n") + error.message;
  }
  return lines;
}

}  // namespace

TEST_CASE("reads facts about the cluster from a configuration") {
  const Read read(
      "kubernetes: \"1.34\"\nkserve: \"0.15\"\nknative: v1.18.1\nseldon: \"2.10\"\n"
      "defaultDeploymentMode: RawDeployment\n"
      "knativeFeatures: {kubernetes.podspec-nodeselector: Enabled, multi-container: disabled}\n"
      "extendedResourceToleration: off\nruntimesComplete: yes\nkserveWebhooks: false\n"
      "devicePlugin: {tolerations: [{key: sku, operator: Exists, effect: NoSchedule}]}\n"
      "nodePools:\n- name: gpu\n  labels: {team: ml}\n"
      "  taints: [{key: sku, value: gpu, effect: NoSchedule}]\n"
      "  allocatable: {cpu: 8, nvidia.com/gpu: 1}\n");
  CHECK(read.errors.empty());
  const ClusterConfig& config = read.config;
  CHECK(config.releases.kubernetes.front().version == Version{1, 34, 0});
  REQUIRE(config.releases.kserve.size() == 1);
  CHECK(config.releases.kserve.front().version == Version{0, 15, 0});
  CHECK(config.knative == Version{1, 18, 1});
  CHECK(config.releases.seldon.front().version == Version{2, 10, 0});
  CHECK(config.default_deployment_mode->text() == "RawDeployment");
  CHECK((*config.knative_features)["multi-container"].text() == "disabled");
  CHECK(config.extended_resource_toleration == false);
  CHECK(config.runtimes_complete == true);
  CHECK(config.kserve_webhooks == false);
  CHECK((*config.device_plugin)["tolerations"].items().size() == 1);
  REQUIRE(config.node_pools.size() == 1);
  const NodePool& pool = config.node_pools.front();
  CHECK(pool.name == "gpu");
  CHECK(pool.object == nullptr);
  CHECK(pool.labels.size() == 1);
  CHECK(pool.taints.size() == 1);
  CHECK(pool.advertises);
  CHECK(*pool.vendor == accelerators::Vendor::nvidia);
}

TEST_CASE("treats missing and empty keys as unknown") {
  for (const std::string text :
       {"{}", "null",
        "kubernetes:\nkserve:\nknative:\nseldon:\ndefaultDeploymentMode:\nknativeFeatures:\n"
        "extendedResourceToleration:\ndevicePlugin:\nnodePools:\n"}) {
    CAPTURE(text);
    const Read read(text);
    CHECK(read.errors.empty());
    CHECK(read.config.releases.kserve.empty());
    CHECK_FALSE(read.config.extended_resource_toleration);
    CHECK(read.config.default_deployment_mode->text().empty());
    CHECK(read.config.node_pools.empty());
  }
}

TEST_CASE("rejects an unquoted version, because a number loses its zero") {
  CHECK(errors_in("kubernetes: 1.30\n") ==
        "test.yaml:1:13: 'kubernetes' must be a string, not a number; quote it");
  CHECK(errors_in("kserve: 1\n") ==
        "test.yaml:1:9: 'kserve' must be a string, not an integer; quote it");
  CHECK(errors_in("kubernetes: '1.30'\n").empty());
  CHECK(errors_in("kubernetes: latest\n") ==
        "test.yaml:1:13: 'latest' is not a release such as \"1.34\"");
}

TEST_CASE("rejects an unknown key at every level, with its position and a suggestion") {
  CHECK(errors_in("kserv: '0.15'\n") ==
        "test.yaml:1:1: unknown key 'kserv' in 'cluster', did you mean 'kserve'?");
  CHECK(errors_in("devicePlugin: {toleration: []}\n") ==
        "test.yaml:1:16: unknown key 'toleration' in 'devicePlugin', did you mean 'tolerations'?");
  CHECK(errors_in("devicePlugin: {tolerations: [{keys: a}]}\n") ==
        "test.yaml:1:31: unknown key 'keys' in 'tolerations[]', did you mean 'key'?");
  CHECK(errors_in("nodePools: [{name: a, label: {}}]\n") ==
        "test.yaml:1:23: unknown key 'label' in 'nodePools[]', did you mean 'labels'?");
  CHECK(errors_in("nodePools: [{name: a, taints: [{effekt: x, effect: NoSchedule}]}]\n") ==
        "test.yaml:1:33: unknown key 'effekt' in 'taints[]', did you mean 'effect'?");
  CHECK(errors_in("knativeFeatures: {kubernetes.podspec-nodeSelectors: enabled}\n") ==
        "test.yaml:1:19: 'kubernetes.podspec-nodeSelectors' is not a valid feature flag of "
        "Knative, did you "
        "mean 'kubernetes.podspec-nodeselector'?");
}

TEST_CASE("rejects a wrong type at every level, with its position") {
  CHECK(errors_in("[]") == "test.yaml:1:1: 'cluster' must be a mapping, not a list");
  CHECK(errors_in("defaultDeploymentMode: true\n") ==
        "test.yaml:1:24: 'true' is not a valid deployment mode");
  CHECK(errors_in("knativeFeatures: enabled\n") ==
        "test.yaml:1:18: 'knativeFeatures' must be a mapping, not a string");
  CHECK(errors_in("extendedResourceToleration: sometimes\n") ==
        "test.yaml:1:29: 'extendedResourceToleration' must be true (on) or false (off)");
  CHECK(errors_in("extendedResourceToleration: [true]\n") ==
        "test.yaml:1:29: 'extendedResourceToleration' must be true (on) or false (off)");
  CHECK(errors_in("devicePlugin: [a]\n") ==
        "test.yaml:1:15: 'devicePlugin' must be a mapping, not a list");
  CHECK(errors_in("devicePlugin: {tolerations: {key: a}}\n") ==
        "test.yaml:1:29: 'tolerations' must be a list, not a mapping");
  CHECK(errors_in("devicePlugin: {tolerations: [{key: sku, value: true}]}\n") ==
        "test.yaml:1:48: 'value' must be a string, not a boolean; quote it");
  CHECK(errors_in("nodePools: {name: a}\n") ==
        "test.yaml:1:12: 'nodePools' must be a list, not a mapping");
  CHECK(errors_in("nodePools: [a]\n") ==
        "test.yaml:1:13: 'nodePools[]' must be a mapping, not a string");
  CHECK(errors_in("nodePools: [{name: a, labels: [b]}]\n") ==
        "test.yaml:1:31: 'labels' must be a mapping, not a list");
  CHECK(errors_in("nodePools: [{name: a, labels: {gpu: true}}]\n") ==
        "test.yaml:1:37: 'gpu' must be a string, not a boolean; quote it");
  CHECK(errors_in("nodePools: [{name: a, taints: x}]\n") ==
        "test.yaml:1:31: 'taints' must be a list, not a string");
  CHECK(errors_in("nodePools: [{name: a, taints: [{key: a, value: 1, effect: NoExecute}]}]\n") ==
        "test.yaml:1:48: 'value' must be a string, not an integer; quote it");
  CHECK(errors_in("nodePools: [{name: a, allocatable: 8}]\n") ==
        "test.yaml:1:36: 'allocatable' must be a mapping, not an integer");
}

TEST_CASE("rejects a value that Kubernetes does not accept, with its position") {
  CHECK(errors_in("defaultDeploymentMode: rawDeployment\n") ==
        "test.yaml:1:24: 'rawDeployment' is not a valid deployment mode, did you mean "
        "'RawDeployment'?");
  CHECK(errors_in("knativeFeatures: {multi-container: true}\n") ==
        "test.yaml:1:36: 'true' is not a valid state of a flag: use enabled, allowed or disabled");
  CHECK(
      errors_in("nodePools: [{name: a, taints: [{key: a, effect: noschedule}]}]\n") ==
      "test.yaml:1:49: 'noschedule' is not a valid effect of a taint, did you mean 'NoSchedule'?");
  CHECK(errors_in("nodePools: [{name: a, allocatable: {memory: 16GB}}]\n") ==
        "test.yaml:1:45: '16GB' has unknown suffix 'GB', did you mean 'Gi' or 'G'?");
}

TEST_CASE("a node pool needs a name") {
  CHECK(errors_in("nodePools: [{labels: {a: b}}]\n") ==
        "test.yaml:1:13: 'nodePools[]' requires 'name'");
  CHECK(errors_in("nodePools: [{name: ''}]\n") == "test.yaml:1:20: 'name' must not be empty");
  CHECK(errors_in("nodePools: [null]\n") == "test.yaml:1:13: 'nodePools[]' must not be empty");
}

TEST_CASE("rejects a key that is set twice, with its position") {
  CHECK(errors_in("kserve: '0.15'\nkserve: '0.16'\n") ==
        "test.yaml:1:1: 'kserve' is set twice in 'cluster'");
  CHECK(errors_in("nodePools: [{name: a, labels: {b: c, b: d}}]\n") ==
        "test.yaml:1:32: 'b' is set twice in 'labels'");
  CHECK(errors_in("knativeFeatures: {multi-container: enabled, multi-container: disabled}\n") ==
        "test.yaml:1:19: 'multi-container' is set twice in 'knativeFeatures'");
}

TEST_CASE("reports all errors together") {
  CHECK(errors_in("kubernetes: 1.30\nkserv: x\nnodePools: 1\n") ==
        "test.yaml:2:1: unknown key 'kserv' in 'cluster', did you mean 'kserve'?\n"
        "test.yaml:1:13: 'kubernetes' must be a string, not a number; quote it\n"
        "test.yaml:3:12: 'nodePools' must be a list, not an integer");
}

TEST_CASE("recognises a pool's accelerators by label or taint") {
  const Read read(
      "nodePools:\n- {name: a, labels: {nvidia.com/gpu.product: Tesla-T4}}\n"
      "- {name: b, taints: [{key: amd.com/gpu, effect: NoSchedule}]}\n- {name: c}\n");
  REQUIRE(read.config.node_pools.size() == 3);
  CHECK(*read.config.node_pools[0].vendor == accelerators::Vendor::nvidia);
  CHECK_FALSE(read.config.node_pools[0].advertises);
  CHECK(*read.config.node_pools[1].vendor == accelerators::Vendor::amd);
  CHECK(read.config.node_pools[2].vendor == nullptr);
}

}  // namespace cnsched::facts
