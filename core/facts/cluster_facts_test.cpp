#include "core/facts/cluster_facts.h"
#include "core/yaml/shape.h"
#include "testdata/support.h"

namespace cnsched::cluster_facts_test {

using kserve::DeploymentMode;

/// The facts of the objects of a List, and all that they view.
struct Facts {
  explicit Facts(const std::vector<std::string>& items)
      : parsed("kind: List\nitems: [" + joined(items, std::identity(), ", ") + "]\n") {
    REQUIRE(parsed.document.problems.empty());
    std::vector<const k8s::Object*> all;
    for (const k8s::Object& object : parsed.objects) all.push_back(&object);
    facts = facts_in(all);
  }

  Parsed parsed;
  ClusterFacts facts;
};

std::string default_mode(const std::string& mode,
                         const std::string& name = "inferenceservice-config") {
  return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name +
         "},"
         " data: {deploy: '{\"defaultDeploymentMode\": \"" +
         mode + "\"}'}}";
}

std::string plugin(const std::string& image, const std::string& tolerations) {
  return fmt::format(
      "{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: plugin}}, spec: {{template: "
      "{{spec: {{volumes: [{{hostPath: {{path: /var/lib/kubelet/device-plugins/}}}}], containers: "
      "[{{image: '{}'}}]{}}}}}}}}}",
      image, tolerations.empty() ? "" : ", tolerations: " + tolerations);
}

std::string policy(const std::string& daemonsets) {
  return "{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: p}, spec: "
         "{daemonsets: " +
         daemonsets + "}}";
}

/// A configuration's `cluster:` section and the facts that it makes of others.
struct Configured {
  Configured(std::string text, const ClusterFacts& found) : parsed(std::move(text)) {
    std::vector<Error> errors;
    yaml::StrictReader reader(parsed.file, errors);
    yaml::check_shape(parsed.root(), "cluster", cluster_shape(), reader);
    config = read_cluster_config(parsed.root());
    REQUIRE(errors.empty());
    facts = with_config(found, config);
  }

  Parsed parsed;
  ClusterConfig config;
  ClusterFacts facts;
};

TEST_CASE("knows nothing of a cluster without facts") {
  const Facts none({"{apiVersion: v1, kind: Pod}"});
  CHECK_FALSE(none.facts.releases().kserve);
  CHECK(none.facts.default_mode.mode == DeploymentMode::unknown);
  CHECK(none.facts.knative_features.empty());
  CHECK_FALSE(none.facts.extended_resource_toleration);
  CHECK(none.facts.plugins.empty());
  CHECK(none.facts.pools.empty());
}

TEST_CASE("reads the default mode from inferenceservice-config only") {
  CHECK(Facts({default_mode("RawDeployment")}).facts.default_mode.mode == DeploymentMode::standard);
  CHECK(Facts({default_mode("Knative", "other")}).facts.default_mode.mode ==
        DeploymentMode::unknown);
}

TEST_CASE("treats differing defaults of several clusters as unknown") {
  CHECK(Facts({default_mode("Knative"), default_mode("Serverless")}).facts.default_mode.mode ==
        DeploymentMode::knative);
  CHECK(Facts({default_mode("Knative"), default_mode("Standard"), default_mode("Knative")})
            .facts.default_mode.mode == DeploymentMode::unknown);
}

TEST_CASE("feature maps and node pools of all objects are collected") {
  const Facts found({
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: config-features}, data: {}}",
      "{apiVersion: operator.knative.dev/v1beta1, kind: KnativeServing,"
      " spec: {config: {features: {multi-container: enabled}}}}",
      "{apiVersion: v1, kind: Node, metadata: {name: a}}",
      "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: b}}",
  });
  CHECK(found.facts.knative_features.size() == 2);
  REQUIRE(found.facts.pools.size() == 2);
  CHECK(found.facts.pools[0].name == "a");
  CHECK(found.facts.pools[1].name == "b");
}

TEST_CASE("recognises a device plugin by the image of its DaemonSet") {
  struct Row {
    std::string image;
    accelerators::Vendor vendor;
  };
  for (const auto& [image, vendor] : {
           Row{"nvcr.io/nvidia/k8s-device-plugin:v0.17.0", accelerators::Vendor::nvidia},
           Row{"docker.io/rocm/k8s-device-plugin", accelerators::Vendor::amd},
           Row{"public.ecr.aws/neuron/neuron-device-plugin:2.22.4.0", accelerators::Vendor::aws},
           Row{"intel/intel-gpu-plugin:0.32.0", accelerators::Vendor::intel},
       }) {
    CAPTURE(image);
    const Facts found({plugin(image, "[{key: sku, operator: Exists}]")});
    REQUIRE(found.facts.plugins.size() == 1);
    const PluginFact& fact = found.facts.plugins.front();
    CHECK(fact.vendor == vendor);
    CHECK(fact.what == "DaemonSet 'plugin'");
    REQUIRE(fact.tolerations.size() == 1);
    CHECK(fact.tolerations.front().key == "sku");
    CHECK(found.parsed.at(fact.where->span) == "[{key: sku, operator: Exists}]");
  }
  CHECK(Facts({plugin("nginx", "")}).facts.plugins.empty());
}

TEST_CASE("feature discovery has the plugin's image, but does not register with the kubelet") {
  const Facts found(
      {"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: gpu-feature-discovery}, spec: "
       "{template: {spec: {containers: [{image: nvcr.io/nvidia/k8s-device-plugin:v0.17.0}]}}}}"});
  CHECK(found.facts.plugins.empty());
}

TEST_CASE("a plugin without tolerations points at its name") {
  const Facts found({plugin("nvidia/k8s-device-plugin", "")});
  REQUIRE(found.facts.plugins.size() == 1);
  CHECK(found.facts.plugins.front().tolerations.empty());
  CHECK(found.parsed.at(found.facts.plugins.front().where->span) == "plugin");
}

TEST_CASE("a ClusterPolicy's tolerations replace the GPU operator's own") {
  const Facts stock({policy("{}")});
  REQUIRE(stock.facts.plugins.size() == 1);
  REQUIRE(stock.facts.plugins.front().tolerations.size() == 1);
  CHECK(stock.facts.plugins.front().tolerations.front().key == "nvidia.com/gpu");
  CHECK(stock.facts.plugins.front().tolerations.front().effect == k8s::kNoSchedule);

  const Facts custom({policy("{tolerations: [{key: sku, operator: Exists}]}")});
  REQUIRE(custom.facts.plugins.front().tolerations.size() == 1);
  CHECK(custom.facts.plugins.front().tolerations.front().key == "sku");

  const Facts empty({policy("{tolerations: []}")});
  CHECK(empty.facts.plugins.front().tolerations.front().key == "nvidia.com/gpu");
}

TEST_CASE("lets the configuration override facts and add pools") {
  const Facts found({default_mode("Knative"), plugin("nvidia/k8s-device-plugin", ""),
                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: config-features}}",
                     "{apiVersion: v1, kind: Node, metadata: {name: a}}"});
  const Configured configured(
      "defaultDeploymentMode: Standard\nextendedResourceToleration: on\n"
      "knativeFeatures: {multi-container: disabled}\n"
      "devicePlugin: {tolerations: [{operator: Exists}]}\nnodePools: [{name: b}]\n",
      found.facts);
  const ClusterFacts& facts = configured.facts;
  CHECK(facts.default_mode.mode == DeploymentMode::standard);
  CHECK(facts.extended_resource_toleration == true);
  REQUIRE(facts.knative_features.size() == 1);
  CHECK(facts.knative_features.front()["multi-container"].text() == "disabled");
  REQUIRE(facts.plugins.size() == 1);
  CHECK(facts.plugins.front().what == "the device plugin of the configuration");
  REQUIRE(facts.pools.size() == 2);
  CHECK(facts.pools[1].name == "b");
}

TEST_CASE("changes nothing for an empty configuration") {
  const Facts found({default_mode("Knative"), plugin("nvidia/k8s-device-plugin", ""),
                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: config-features}}"});
  const Configured configured("{}", found.facts);
  CHECK(configured.facts.default_mode.mode == DeploymentMode::knative);
  CHECK(configured.facts.knative_features.size() == 1);
  CHECK(configured.facts.plugins.front().what == "DaemonSet 'plugin'");
  CHECK(configured.facts.pools.empty());
}

TEST_CASE("reads ExtendedResourceToleration from the API server's pod") {
  const auto api_server = [](const std::string& argument) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: kube-apiserver-a, labels: {component: "
           "kube-apiserver}}, spec: {containers: [{command: [kube-apiserver, '" +
           argument + "']}]}}";
  };
  const std::string on =
      api_server("--enable-admission-plugins=NodeRestriction,ExtendedResourceToleration");
  const std::string off = api_server("--enable-admission-plugins=NodeRestriction");
  CHECK(Facts({on}).facts.extended_resource_toleration == true);
  CHECK(Facts({on, on}).facts.extended_resource_toleration == true);
  CHECK(Facts({off}).facts.extended_resource_toleration == false);
  CHECK(Facts({on, off, on}).facts.extended_resource_toleration == std::nullopt);
  CHECK(Facts({api_server("--openshift-config=/etc/config.yaml")})
            .facts.extended_resource_toleration == std::nullopt);
}

TEST_CASE("lets the configuration override the admission plugins") {
  ClusterFacts found;
  found.extended_resource_toleration = true;
  ClusterConfig config;
  CHECK(with_config(found, config).extended_resource_toleration == true);
  config.extended_resource_toleration = false;
  CHECK(with_config(found, config).extended_resource_toleration == false);
}

}  // namespace cnsched::cluster_facts_test
