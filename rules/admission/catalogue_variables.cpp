#include "rules/admission/catalogue_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <span>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/resource_name.h"
#include "core/k8s/label.h"
#include "core/kserve/fields.h"
#include "core/kserve/knative_flags.h"
#include "core/seldon/shipped.h"

namespace cnsched::rules {

namespace {

std::string cel_list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// `entries` have the form "'key': value".
std::string cel_map(const std::vector<std::string>& entries) {
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// The names in rows of the catalogue that are whole names, or that are prefixes.
template <typename Row>
std::string names_in(std::span<const Row> rows, std::string_view Row::*name, bool prefixes) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.is_prefix == prefixes) names.push_back(row.*name);
  }
  return cel_strings(names);
}

using accelerators::NodeLabel;
using accelerators::Resource;

/// The whole keys as "{'nvidia.com': ['gpu.count', …], …}".
std::string labels_by_domain(std::span<const NodeLabel> labels) {
  std::map<std::string_view, std::vector<std::string_view>> names;
  for (const NodeLabel& label : labels) {
    if (label.is_prefix) continue;
    const std::size_t slash = label.key.find('/');
    names[label.key.substr(0, slash)].push_back(label.key.substr(slash + 1));
  }
  std::vector<std::string> items;
  for (const auto& [domain, own] : names) {
    items.push_back(fmt::format("{}: {}", cel_string(domain), cel_strings(own)));
  }
  return cel_map(items);
}

/// "[['amd.com/gpu', 'AMD'], …]", for each row of the catalogue; only if `all` those of NVIDIA.
/// Longer names first, so that the first row that a name begins with is the right one. A row is
/// left out if the one that follows for its names has the same vendor.
template <typename Row>
std::string vendors_by(std::span<const Row> rows, std::string_view Row::*name, bool all = false) {
  std::vector<Row> sorted(rows.begin(), rows.end());
  std::erase_if(sorted,
                [&](const Row& row) { return !all && row.vendor == accelerators::Vendor::nvidia; });
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&](const Row& row) { return (row.*name).size(); });
  const auto is_implied = [&](const Row& row) {
    const auto shorter = std::ranges::find_if(sorted, [&](const Row& other) {
      return (other.*name).size() < (row.*name).size() && (row.*name).starts_with(other.*name);
    });
    return shorter != sorted.end() && shorter->vendor == row.vendor;
  };
  std::vector<std::string> items;
  for (const Row& row : sorted) {
    if (is_implied(row)) continue;
    items.push_back(fmt::format("[{}, {}]", cel_string(row.*name),
                                cel_string(accelerators::name_of(row.vendor))));
  }
  return cel_list(items);
}

std::string device_plugins() {
  std::vector<std::string> items;
  for (const accelerators::DevicePlugin& plugin : accelerators::plugins()) {
    items.push_back(fmt::format("{}: {{'fact': {}, 'name': {}, 'resource': {}, 'taint': {}}}",
                                cel_string(accelerators::name_of(plugin.vendor)),
                                cel_string(plugin_fact_name(plugin.vendor)),
                                cel_string(plugin.name), cel_string(plugin.resource),
                                cel_string(plugin.tolerated_taint)));
  }
  return cel_map(items);
}

/// Labels that all nodes, or all nodes with accelerators, have. rules/kserve/pins.h.
std::string implied_labels() {
  std::vector<std::string_view> keys = {"kubernetes.io/os", "beta.kubernetes.io/os"};
  for (const NodeLabel& label : accelerators::labels()) {
    if (label.meaning == accelerators::LabelMeaning::present) keys.push_back(label.key);
  }
  return cel_strings(keys);
}

/// "{'triton': ['triton', …], …}"
std::string shipped_capabilities() {
  std::vector<std::string> items;
  for (const std::string_view server : seldon::kShippedServers) {
    items.push_back(fmt::format("{}: {}", cel_string(server),
                                cel_strings(seldon::shipped_capabilities(server))));
  }
  return cel_map(items);
}

/// The flags that gate fields of pods, or volumes, with their properties as words.
std::string gated_by(bool volumes) {
  std::vector<std::string> items;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    const bool is_pointer = flag.gate == kserve::Gate::pointer;
    const bool is_volume = flag.gate == kserve::Gate::volume;
    if (volumes ? !is_volume : !is_pointer && flag.gate != kserve::Gate::pod_field) continue;
    items.push_back(fmt::format("[{}, {}, '{}{}{}{}']", cel_string(flag.field),
                                cel_string(flag.key), is_pointer ? "pointer " : "",
                                flag.allowed_suffices ? "" : "strict ",
                                flag.open_data_hub ? "odh " : "",
                                flag.by_default == kserve::FlagState::enabled ? "on" : ""));
  }
  return cel_list(items);
}

/// The length of names whose misspellings are found.
constexpr int kMaxPosition = 32;

std::string text_labels() {
  std::vector<std::string> items;
  for (const accelerators::LabelExample& row : accelerators::labels_without_numbers()) {
    items.push_back(fmt::format("{}: {}", cel_string(row.label), cel_string(row.value)));
  }
  return cel_map(items);
}

std::string misnamed_resources() {
  std::vector<std::string> items;
  for (const accelerators::MisnamedResource& row : accelerators::misnamed_resources()) {
    items.push_back(fmt::format("{}: {}", cel_string(row.name), cel_string(row.instead)));
  }
  return cel_map(items);
}

std::string clouds() {
  std::vector<std::string> items;
  for (const accelerators::Cloud& cloud : accelerators::clouds()) {
    items.push_back(fmt::format("[{}, {}]", cel_string(cloud.prefix), cel_string(cloud.name)));
  }
  return cel_list(items);
}

/// The deprecated labels as {key: [current, owner, whether new nodes have both]}; only with
/// `renamed`, as {key: current}, those that mean the same as the current one.
std::string deprecated_labels(bool renamed) {
  using Owner = k8s::DeprecatedNodeLabel::Owner;
  std::vector<std::string> items;
  for (const k8s::DeprecatedNodeLabel& label : k8s::deprecated_node_labels()) {
    const std::string key = cel_string(label.key);
    const std::string current = cel_string(label.current);
    if (!renamed) {
      items.push_back(fmt::format("{}: [{}, '{}', '{}']", key, current,
                                  label.owner == Owner::aks ? "aks" : "",
                                  label.beside_current ? "both" : ""));
    } else if (k8s::current_node_label(label.key) != label.key) {
      items.push_back(fmt::format("{}: {}", key, current));
    }
  }
  return cel_map(items);
}

std::vector<CelVariable> make_variables() {
  const auto resources = accelerators::resources();
  const auto labels = accelerators::labels();
  std::vector<std::string_view> blocks(kserve::framework_keys().begin(),
                                       kserve::framework_keys().end());
  blocks.emplace_back("art");  // of an explainer
  return {
      {"isServing",
       "request.kind.group.endsWith('.kserve.io') || "
       "request.kind.group.endsWith('.seldon.io')"},
      {"serverBlocks", cel_strings(blocks)},
      {"acceleratorResources", names_in(resources, &Resource::name, false)},
      {"acceleratorResourcePrefixes", names_in(resources, &Resource::name, true)},
      {"acceleratorLabels", labels_by_domain(labels)},
      {"acceleratorLabelPrefixes", names_in(labels, &NodeLabel::key, true)},
      {"labelVendors", vendors_by(labels, &NodeLabel::key)},
      {"resourceVendors", vendors_by(resources, &Resource::name)},
      {"valueVendors",
       vendors_by(accelerators::vendors_in_label_values(), &accelerators::VendorPrefix::prefix)},
      {"machineVendors",
       vendors_by(accelerators::machine_vendors(), &accelerators::VendorPrefix::prefix, true)},
      {"devicePlugins", device_plugins()},
      {"gatedFields", gated_by(false)},
      {"gatedVolumes", gated_by(true)},
      {"textLabels", text_labels()},
      {"advertisedResources", cel_strings(accelerators::advertised_names())},
      {"misnamedResources", misnamed_resources()},
      {"clouds", clouds()},
      {"deprecatedLabels", deprecated_labels(false)},
      {"renamedLabels", deprecated_labels(true)},
      {"positions", fmt::format("[{}]", fmt::join(std::views::iota(0, kMaxPosition), ", "))},
      {"impliedLabels", implied_labels()},
      {"shippedCapabilities", shipped_capabilities()},
      {"modes",
       "{'Serverless': 'knative', 'Knative': 'knative', 'RawDeployment': 'standard', "
       "'Standard': 'standard', 'ModelMesh': 'modelmesh'}"},
  };
}

}  // namespace

const std::vector<CelVariable>& catalogue_variables() {
  static const std::vector<CelVariable> kVariables = make_variables();
  return kVariables;
}

}  // namespace cnsched::rules
