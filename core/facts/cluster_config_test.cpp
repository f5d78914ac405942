#include "core/facts/cluster_config.h"
#include "core/yaml/shape.h"
#include "testdata/support.h"

namespace cnsched::facts::cluster_config_test {

/// A `cluster:` section as read, with the errors that were reported.
struct Read {
  explicit Read(std::string text) : parsed(std::move(text)) {
    REQUIRE(parsed.document.problems.empty());
    yaml::StrictReader reader(parsed.file, errors);
    yaml::check_shape(parsed.root(), "cluster", cluster_shape(), reader);
    config = read_cluster_config(parsed.root());
  }

  Parsed parsed;
  std::vector<Error> errors;
  ClusterConfig config;
};

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
  CHECK((*config.knative_features).under("multi-container").text() == "disabled");
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

TEST_CASE("rejects mistakes in a configuration, with their positions") {
  check_cases("core/facts/cluster_config.cases", [](std::string_view text) {
    const std::string errors =
        joined(Read(fmt::format("{}\n", text)).errors, &Error::message, "\n");
    return errors.empty() ? "none" : errors;
  });
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

}  // namespace cnsched::facts::cluster_config_test
