#include "core/workloads/cluster_config.h"

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/quantity.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/scalar.h"

namespace cnsched {

namespace {

using yaml::Node;
using yaml::StrictReader;

/// The entries of a mapping whose keys are free; reports anything else, and what is set twice.
/// Missing and null are empty.
std::span<const yaml::Entry> read_entries(const Node& node, std::string_view name,
                                          StrictReader& reader) {
  if (node && !node.is_null() && !node.is_mapping()) {
    reader.error(node, "'{}' has to be a mapping, not {}", name, describe(node));
  }
  for (const yaml::Entry& entry : node.entries) {
    if (entry.overridden) {
      reader.error(*entry.key, "'{}' is set twice in '{}'", entry.key->text, name);
    }
  }
  return node.entries;
}

std::optional<Version> read_version(const Node& node, std::string_view name, StrictReader& reader) {
  if (!node) return std::nullopt;
  // 1.30 unquoted is the number 1.3: only a string says what is meant.
  const auto text = reader.string(node, name);
  if (!text) return std::nullopt;
  const auto version = Version::parse(*text);
  if (!version) reader.error(node, "'{}' is no version such as \"1.34\"", *text);
  return version;
}

const Node& read_mode(const Node& node, StrictReader& reader) {
  const auto text = reader.string(node, "defaultDeploymentMode");
  if (!text || kserve::find_mode_name(*text) != nullptr) return node;
  std::vector<std::string_view> names;
  for (const kserve::ModeName& mode : kserve::mode_names()) names.push_back(mode.name);
  reader.error(node, "'{}' is no deployment mode{}", *text, did_you_mean(*text, names));
  return yaml::missing_node();
}

const Node& read_features(const Node& node, StrictReader& reader) {
  std::vector<std::string_view> flags;
  for (const kserve::Feature& feature : kserve::features()) flags.push_back(feature.flag);
  for (const yaml::Entry& entry : read_entries(node, "knativeFeatures", reader)) {
    const std::string_view flag = entry.key->text;
    if (std::ranges::find(flags, flag) == flags.end()) {
      reader.error(*entry.key, "unknown flag '{}'{}", flag, did_you_mean(flag, flags));
    }
    const std::string state = lower(entry.value->scalar());
    if (state != "enabled" && state != "allowed" && state != "disabled") {
      reader.error(*entry.value, "a flag is enabled, allowed or disabled");
    }
  }
  return node;
}

std::optional<bool> read_switch(const Node& node, std::string_view name, StrictReader& reader) {
  if (!node || node.is_null()) return std::nullopt;
  const auto value = yaml::boolean_of(node.scalar());
  if (!value) reader.error(node, "'{}' is true (on) or false (off)", name);
  return value;
}

/// The strings of a toleration or taint.
void check_strings(const Node& item, StrictReader& reader) {
  for (const std::string_view field : {"key", "operator", "value", "effect"}) {
    reader.string(item[field], field);
  }
}

void check_tolerations(const Node& list, StrictReader& reader) {
  for (const Node* item : reader.list(list, "tolerations")) {
    reader.mapping(*item, "tolerations[]",
                   {"key", "operator", "value", "effect", "tolerationSeconds"});
    check_strings(*item, reader);
  }
}

std::vector<k8s::Label> read_labels(const Node& node, StrictReader& reader) {
  for (const yaml::Entry& label : read_entries(node, "labels", reader)) {
    reader.string(*label.value, label.key->text);
  }
  return k8s::labels_in(node);
}

std::vector<k8s::Taint> read_taints(const Node& node, StrictReader& reader) {
  for (const Node* taint : reader.list(node, "taints")) {
    reader.mapping(*taint, "taints[]", {"key", "value", "effect"});
    check_strings(*taint, reader);
    if (taint->is_mapping() && !k8s::is_taint_effect((*taint)["effect"].scalar())) {
      reader.error(*taint, "a taint's effect is NoSchedule, PreferNoSchedule or NoExecute");
    }
  }
  return k8s::taints_in(node);
}

/// An accelerator among the allocatable resources proves that the device plugin runs.
void read_allocatable(const Node& node, NodePool& pool, StrictReader& reader) {
  for (const yaml::Entry& entry : read_entries(node, "allocatable", reader)) {
    const auto amount = k8s::Quantity::parse(entry.value->scalar());
    if (!amount) {
      reader.error(*entry.value, "{}", amount.error().message);
      continue;
    }
    const auto* resource = accelerators::find_resource(entry.key->text);
    if (resource == nullptr || amount->is_zero()) continue;
    pool.vendor = &resource->vendor;
    pool.evidence = entry.value;
    pool.advertises = true;
  }
}

std::vector<NodePool> read_pools(const Node& node, StrictReader& reader) {
  std::vector<NodePool> pools;
  for (const Node* item : reader.list(node, "nodePools")) {
    const bool readable =
        reader.mapping(*item, "nodePools[]", {"name", "labels", "taints", "allocatable"});
    if (!readable && !item->is_null()) continue;
    NodePool pool;
    pool.name = reader.string((*item)["name"], "name").value_or("");
    if (pool.name.empty()) reader.error(*item, "a node pool needs a name");
    pool.labels = read_labels((*item)["labels"], reader);
    pool.taints = read_taints((*item)["taints"], reader);
    read_allocatable((*item)["allocatable"], pool, reader);
    find_accelerator(pool);
    pools.push_back(std::move(pool));
  }
  return pools;
}

}  // namespace

ClusterConfig read_cluster_config(const Node& section, StrictReader& reader) {
  ClusterConfig config;
  if (!reader.mapping(
          section, "cluster",
          {"kubernetes", "kserve", "knative", "seldon", "defaultDeploymentMode", "knativeFeatures",
           "extendedResourceToleration", "devicePlugin", "nodePools"})) {
    return config;
  }
  config.kubernetes = read_version(section["kubernetes"], "kubernetes", reader);
  config.kserve = read_version(section["kserve"], "kserve", reader);
  config.knative = read_version(section["knative"], "knative", reader);
  config.seldon = read_version(section["seldon"], "seldon", reader);
  config.default_deployment_mode = &read_mode(section["defaultDeploymentMode"], reader);
  config.knative_features = &read_features(section["knativeFeatures"], reader);
  config.extended_resource_toleration =
      read_switch(section["extendedResourceToleration"], "extendedResourceToleration", reader);
  if (reader.mapping(section["devicePlugin"], "devicePlugin", {"tolerations"})) {
    config.device_plugin = &section["devicePlugin"];
    check_tolerations((*config.device_plugin)["tolerations"], reader);
  }
  config.node_pools = read_pools(section["nodePools"], reader);
  return config;
}

}  // namespace cnsched
