#include "core/facts/cluster_config.h"

#include <fmt/format.h>

#include <span>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/scalar.h"

namespace cnsched::facts {

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
  const auto amount = Quantity::parse(text);
  return amount ? "" : amount.error().message;
}

Shape version_shape() {
  return {.pattern = R"(^v?[0-9]+(\.[0-9]+){0,2}$)", .mistake = mistake_of_version};
}

/// One release, or a list of those to judge by.
template <Project project>
Shape releases_shape() {
  Shape release{.pattern = project == Project::kserve ? R"(^(head|v?[0-9]+(\.[0-9]+){0,2})$)"
                                                      : R"(^v?[0-9]+(\.[0-9]+){0,2}$)",
                .mistake = [](std::string_view text) { return mistake_of_release(project, text); }};
  Shape list{.type = Type::list, .parts = {release}};
  return {.type = Type::either, .parts = {std::move(release), std::move(list)}};
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
  return {
      .type = Type::list,
      .parts = {
          {.type = Type::record,
           .fields = {
               {"key", "The taint's key. Without it, the toleration matches every key.", "", kText},
               {"operator", "`Equal`, the default, or `Exists`.", "", kText},
               {"value", "The taint's value, for operator `Equal`.", "", kText},
               {"effect", "The taint's effect. Without it, the toleration matches every effect.",
                "", kText},
               {"tolerationSeconds",
                "How many seconds the pod stays on the node, if the effect is `NoExecute`.",
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
                             "What happens to pods that do not tolerate the taint.",
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
           .fields = {{"name", "The name that findings use.", "", {.filled = true}, true},
                      {"labels",
                       "The labels of its nodes. The nodes have no other label without a prefix.",
                       "",
                       {.type = Type::map, .parts = {kText}}},
                      {"taints", "The taints of its nodes.", "", taints_shape()},
                      {"allocatable",
                       "The allocatable resources of a node. If an accelerator is listed, its "
                       "device plugin runs.",
                       "", allocatable_shape()},
                      {"maxNodes",
                       "How many nodes the pool can have. Without it, an autoscaler may add any "
                       "number.",
                       "",
                       {.type = Type::integer}}}}}};
}

Shape device_plugin_shape() {
  return {.type = Type::record,
          .fields = {{"tolerations",
                      "The plugin's tolerations. Without one, it does not run on tainted nodes.",
                      "\n- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}\n"
                      "- {key: dedicated, operator: Exists}",
                      tolerations_shape()}}};
}

std::optional<Version> read_version(const Node& node) { return Version::parse(node.text()); }

void read_releases(const Node& node, std::vector<StatedRelease>& releases) {
  for (const Node* item : node.items()) read_releases(*item, releases);
  if (const auto version = k8s::schema::release_named(node.text()); version && node.is_scalar()) {
    releases.push_back({.version = *version, .place = &node});
  }
}

std::optional<bool> read_boolean(const Node& node) {
  return node.is_scalar() ? yaml::boolean_of(node.text()) : std::nullopt;
}

/// An accelerator among the allocatable resources proves that the device plugin runs.
void read_allocatable(const Node& node, NodePool& pool) {
  pool.allocatable = &node;
  for (const yaml::Entry& entry : node.entries()) {
    const auto amount = Quantity::parse(entry.value->text());
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
    pool.scaling.max_nodes = k8s::parse_int64((*item)["maxNodes"].text());
    pools.push_back(std::move(pool));
  }
  return pools;
}

Shape section_shape() {
  return {
      .type = Type::record,
      .fields = {
          {"kubernetes",
           "The release of Kubernetes, or a list of releases: manifests are judged by each.",
           "\"1.34\"", releases_shape<Project::kubernetes>()},
          {"kserve",
           "The release of KServe, or a list of releases. Fields, names of modes and the way "
           "objects are merged depend on it. `head` is its branch master, soon after 0.20.",
           "\"0.15\"", releases_shape<Project::kserve>()},
          {"knative", "The release of Knative Serving. Which flags exist depends on it.",
           "\"1.18\"", version_shape()},
          {"seldon", "The release of Seldon Core, or a list of releases.", "\"2.10\"",
           releases_shape<Project::seldon>()},
          {"openDataHub",
           "The release of Open Data Hub. How its webhook merges a HardwareProfile into a service "
           "depends on it.",
           "\"3.5\"", version_shape()},
          {"defaultDeploymentMode",
           "The mode of an InferenceService that sets none, from `inferenceservice-config`.",
           "RawDeployment", mode_shape()},
          {"knativeFeatures",
           "The flags of Knative's `config-features`: `enabled`, `allowed` or `disabled`. A flag "
           "that is not listed has its default.",
           "\nkubernetes.podspec-nodeselector: enabled\nkubernetes.podspec-tolerations: enabled",
           features_shape()},
          {"extendedResourceToleration",
           "Whether the admission plugin adds tolerations to pods that request accelerators.",
           "true",
           {.type = Type::boolean}},
          {"runtimesComplete",
           "Whether the linted files and the `--cluster` files have every ServingRuntime and "
           "ClusterServingRuntime of the cluster.",
           "true",
           {.type = Type::boolean}},
          {"kserveWebhooks",
           "Whether KServe's webhooks run. They complete InferenceServices before the API server "
           "checks the schema, and reject more. Without webhooks, what the schema rejects is an "
           "error.",
           "true",
           {.type = Type::boolean}},
          {"devicePlugin", "The device plugin that advertises the accelerators of the nodes.", "",
           device_plugin_shape()},
          {"nodePools", "Nodes that are in no manifest.",
           "\n- name: gpu\n  labels: {pool: inference}\n"
           "  taints: [{key: dedicated, value: inference, effect: NoSchedule}]\n"
           "  allocatable: {nvidia.com/gpu: 1}",
           pools_shape()},
          {"files",
           "Files that are read like `--cluster` files, for the manifests that this configuration "
           "applies "
           "to: Nodes, ConfigMaps and runtimes as `kubectl get -o yaml` prints them. Paths are "
           "relative to this file.",
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
  for (const Project project : k8s::schema::kProjects) {
    read_releases(section.under(key_of(project)), config.releases.of(project));
  }
  config.knative = read_version(section["knative"]);
  config.open_data_hub = read_version(section["openDataHub"]);
  config.default_deployment_mode = &section["defaultDeploymentMode"];
  config.knative_features = &section["knativeFeatures"];
  config.extended_resource_toleration = read_boolean(section["extendedResourceToleration"]);
  config.runtimes_complete = read_boolean(section["runtimesComplete"]);
  config.kserve_webhooks = read_boolean(section["kserveWebhooks"]);
  if (section["devicePlugin"].is_mapping()) config.device_plugin = &section["devicePlugin"];
  config.node_pools = read_pools(section["nodePools"]);
  return config;
}

}  // namespace cnsched::facts
