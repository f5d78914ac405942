#include "core/workloads/cluster_config.h"

#include <fmt/format.h>

#include <span>

#include "core/base/text.h"
#include "core/k8s/quantity.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/scalar.h"

namespace cnsched {

namespace {

using yaml::Node;
using yaml::Shape;
using Type = yaml::Shape::Type;

const Shape kText{};

std::string mistake_of_version(std::string_view text) {
  if (Version::parse(text)) return {};
  return fmt::format("'{}' is not a version such as \"1.34\"", text);
}

std::string mistake_of_quantity(std::string_view text) {
  const auto amount = k8s::Quantity::parse(text);
  return amount ? "" : amount.error().message;
}

Shape version_shape() {
  return {.pattern = R"(^v?[0-9]+(\.[0-9]+){0,2}$)", .mistake = mistake_of_version};
}

Shape mode_shape() {
  Shape shape{.what = "deployment mode"};
  for (const kserve::ModeName& mode : kserve::mode_names()) shape.words.push_back(mode.name);
  return shape;
}

Shape features_shape() {
  Shape shape{.type = Type::map,
              .what = "feature flag of Knative",
              .parts = {{.any_case = true,
                         .what = "state of a flag",
                         .words = {"enabled", "allowed", "disabled"}}}};
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    if (flag.gate != kserve::Gate::none) shape.words.push_back(flag.key);
  }
  return shape;
}

Shape tolerations_shape() {
  return {.type = Type::list,
          .parts = {{.type = Type::record,
                     .fields = {{"key", "The taint's key; without it, every taint.", "", kText},
                                {"operator", "`Equal`, the default, or `Exists`.", "", kText},
                                {"value", "The taint's value, for `Equal`.", "", kText},
                                {"effect", "The taint's effect; without it, every one.", "", kText},
                                {"tolerationSeconds",
                                 "For how long, if the effect is `NoExecute`.",
                                 "",
                                 {.type = Type::integer}}}}}};
}

Shape taints_shape() {
  return {
      .type = Type::list,
      .parts = {{.type = Type::record,
                 .fields = {{"key", "The taint's key.", "", kText},
                            {"value", "The taint's value.", "", kText},
                            {"effect",
                             "What happens to pods that do not tolerate it.",
                             "",
                             {.what = "effect of a taint",
                              .words = {k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute}},
                             true}}}}};
}

Shape allocatable_shape() {
  return {.type = Type::map,
          .parts = {{.type = Type::amount,
                     .pattern = R"(^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+))"
                                R"(([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$)",
                     .mistake = mistake_of_quantity}}};
}

Shape pools_shape() {
  return {
      .type = Type::list,
      .parts = {
          {.type = Type::record,
           .fields = {{"name", "What findings call it.", "", {.filled = true}, true},
                      {"labels",
                       "Those of its nodes. Without a prefix: those that are not named here they "
                       "do not have.",
                       "",
                       {.type = Type::map, .parts = {kText}}},
                      {"taints", "Those of its nodes.", "", taints_shape()},
                      {"allocatable",
                       "What a node offers. An accelerator here proves that its device "
                       "plugin runs.",
                       "", allocatable_shape()}}}}};
}

Shape device_plugin_shape() {
  return {
      .type = Type::record,
      .fields = {{"tolerations", "Its tolerations. Without any it stays away from tainted nodes.",
                  "\n- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}\n"
                  "- {key: dedicated, operator: Exists}",
                  tolerations_shape()}}};
}

std::optional<Version> read_version(const Node& node) { return Version::parse(node.text()); }

std::optional<bool> read_boolean(const Node& node) {
  return node.is_scalar() ? yaml::boolean_of(node.text()) : std::nullopt;
}

/// An accelerator among the allocatable resources proves that the device plugin runs.
void read_allocatable(const Node& node, NodePool& pool) {
  pool.allocatable = &node;
  for (const yaml::Entry& entry : node.entries()) {
    const auto amount = k8s::Quantity::parse(entry.value->text());
    const auto* resource = accelerators::find_resource(entry.key->text());
    if (resource == nullptr || !amount || amount->is_zero()) continue;
    pool.vendor = &resource->vendor;
    pool.evidence = entry.value;
    pool.advertises = true;
  }
}

std::vector<NodePool> read_pools(const Node& node) {
  std::vector<NodePool> pools;
  for (const Node* item : node.items()) {
    NodePool pool;
    pool.name = (*item)["name"].text();
    pool.labels = k8s::labels_in((*item)["labels"]);
    pool.taints = k8s::taints_in((*item)["taints"]);
    read_allocatable((*item)["allocatable"], pool);
    find_accelerator(pool);
    pools.push_back(std::move(pool));
  }
  return pools;
}

Shape section_shape() {
  return {
      .type = Type::record,
      .fields = {
          {"kubernetes", "The release of Kubernetes.", "\"1.34\"", version_shape()},
          {"kserve",
           "The release of KServe: its mode names and merging differ from one to another.",
           "\"0.15\"", version_shape()},
          {"knative", "The release of Knative Serving: it decides which flags there are.",
           "\"1.18\"", version_shape()},
          {"seldon", "The release of Seldon Core.", "\"2.10\"", version_shape()},
          {"defaultDeploymentMode",
           "The mode of an InferenceService that names none, from `inferenceservice-config`.",
           "RawDeployment", mode_shape()},
          {"knativeFeatures",
           "Knative's `config-features`: a flag that is not named has its default. `enabled`, "
           "`allowed` or `disabled`.",
           "\nkubernetes.podspec-nodeselector: enabled\nkubernetes.podspec-tolerations: enabled",
           features_shape()},
          {"extendedResourceToleration",
           "Whether the admission plugin adds tolerations to pods that ask for accelerators.",
           "true",
           {.type = Type::boolean}},
          {"runtimesComplete",
           "Whether the linted files and those of `--cluster` have every ServingRuntime and "
           "ClusterServingRuntime of the cluster, so that others do not exist.",
           "true",
           {.type = Type::boolean}},
          {"devicePlugin", "The device plugin that makes accelerators known to their nodes.", "",
           device_plugin_shape()},
          {"nodePools", "Nodes that no manifest describes.",
           "\n- name: gpu\n  labels: {pool: inference}\n"
           "  taints: [{key: dedicated, value: inference, effect: NoSchedule}]\n"
           "  allocatable: {nvidia.com/gpu: 1}",
           pools_shape()},
          {"files",
           "What `--cluster` would read, for the manifests that this configuration holds for: "
           "Nodes, ConfigMaps and runtimes as `kubectl get -o yaml` prints them. Relative to this "
           "file.",
           "\n- cluster/nodes.yaml",
           {.type = Type::list, .parts = {{.filled = true}}}}}};
}

}  // namespace

const Shape& cluster_shape() {
  static const Shape shape = section_shape();
  return shape;
}

std::string deployment_snippet() {
  std::string snippet = "cluster:";
  for (const yaml::Field& field : cluster_shape().fields) {
    if (field.name != "defaultDeploymentMode" && field.name != "knativeFeatures") continue;
    const std::vector<std::string_view> lines = split(field.example, '\n');
    snippet +=
        fmt::format("\n  {}:{}{}", field.name, lines.front().empty() ? "" : " ", lines.front());
    for (const std::string_view line : std::span(lines).subspan(1)) {
      snippet += fmt::format("\n    {}", line);
    }
  }
  return snippet;
}

ClusterConfig read_cluster_config(const Node& section) {
  ClusterConfig config;
  config.kubernetes = read_version(section["kubernetes"]);
  config.kserve = read_version(section["kserve"]);
  config.knative = read_version(section["knative"]);
  config.seldon = read_version(section["seldon"]);
  config.default_deployment_mode = &section["defaultDeploymentMode"];
  config.knative_features = &section["knativeFeatures"];
  config.extended_resource_toleration = read_boolean(section["extendedResourceToleration"]);
  config.runtimes_complete = read_boolean(section["runtimesComplete"]);
  if (section["devicePlugin"].is_mapping()) config.device_plugin = &section["devicePlugin"];
  config.node_pools = read_pools(section["nodePools"]);
  return config;
}

}  // namespace cnsched
