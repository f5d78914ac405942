// In-tree volumes as kube-scheduler 1.36 counts and places them: as those of the CSI drivers that
// replace their plugins. Sources: k8s.io/csi-translation-lib translate.go and plugins/*.go;
// pkg/scheduler/framework/plugins/volumebinding/binder.go, isCSIMigrationOnForPlugin.

#include "core/sim/csi_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/sim/attachments.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

struct MigratedPlugin {
  std::string_view name;
  std::string_view source;  ///< the field of the volume
  std::string_view driver;
  std::string_view zone_key;  ///< the driver's topology key, if zones are translated
};
constexpr auto kMigrated = std::to_array<MigratedPlugin>({
    {"kubernetes.io/aws-ebs", "awsElasticBlockStore", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone"},
    {"kubernetes.io/gce-pd", "gcePersistentDisk", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {"kubernetes.io/azure-disk", "azureDisk", "disk.csi.azure.com", ""},
    {"kubernetes.io/cinder", "cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {"kubernetes.io/portworx-volume", "portworxVolume", "pxd.portworx.com", ""},
});
constexpr auto kNotMigrated =
    std::to_array<std::string_view>({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"});

const MigratedPlugin* migration_of(const Node& source) {
  const auto found = std::ranges::find_if(kMigrated, [&](const MigratedPlugin& plugin) {
    return source.under(plugin.source).is_mapping();
  });
  return found == kMigrated.end() ? nullptr : &*found;
}

/// "vol-1" of "aws://zone/vol-1".
Result<std::string> ebs_volume_id(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  constexpr std::string_view kPrefix = "vol-";
  if (!id.starts_with(kScheme)) return std::string(id);
  std::string_view path = id.substr(kScheme.size());
  path.remove_prefix(std::min(path.find('/'), path.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with(kPrefix) || path.find('/') != std::string_view::npos) {
    return Error{
        fmt::format("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS "
                    "volume ({})",
                    printable(id))};
  }
  return std::string(path);
}

Result<std::string> gce_region_of(const std::vector<std::string_view>& zones) {
  std::set<std::string> regions;
  for (const std::string_view zone : zones) {
    const std::vector<std::string_view> parts = split(zone, '-');
    if (parts.size() != 3) {
      return Error{
          fmt::format("zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: "
                      "{}",
                      printable(zone))};
    }
    regions.insert(fmt::format("{}-{}", parts[0], parts[1]));
  }
  if (regions.size() == 1) return *regions.begin();
  std::string all;
  for (const std::string& region : regions) {
    all += fmt::format("{}{}:{{}}", all.empty() ? "" : " ", printable(region));
  }
  return Error{fmt::format("multiple or no regions gotten from zones, got: map[{}]", all)};
}

/// The handle of a GCE disk. Only a PersistentVolume has labels.
Result<std::string> gce_handle(std::string_view disk, const Node& labels) {
  std::string_view label = labels.under(kBetaZone).text();
  if (label.empty()) label = labels.under(kZone).text();
  const std::vector<std::string_view> zones = zones_in(label);
  if (zones.size() == 1) {
    return fmt::format("projects/UNSPECIFIED/zones/{}/disks/{}",
                       label.empty() ? "UNSPECIFIED" : label, disk);
  }
  const auto region = gce_region_of(zones);
  if (!region) {
    return Error{"failed to get region from zones: " + region.error().message};
  }
  return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", *region, disk);
}

/// The API server sets the kind "Shared" if a manifest leaves it out.
Result<std::string> azure_handle(const Node& disk) {
  const std::string_view written = disk["kind"].text();
  const std::string_view kind = written.empty() ? "Shared" : written;
  if (!equals_ignoring_case(kind, "managed")) {
    return Error{fmt::format("kind({}) is not supported in csi migration", printable(kind))};
  }
  return std::string(disk["diskURI"].text());
}

Result<std::string> handle_of(const MigratedPlugin& plugin, const Node& disk, const Node& labels) {
  if (plugin.source == "awsElasticBlockStore") return ebs_volume_id(disk["volumeID"].text());
  if (plugin.source == "gcePersistentDisk") return gce_handle(disk["pdName"].text(), labels);
  if (plugin.source == "azureDisk") return azure_handle(disk);
  return std::string(disk["volumeID"].text());
}

Result<CsiVolume> translated(const Node& source, const Node& labels) {
  const MigratedPlugin* plugin = migration_of(source);
  if (plugin == nullptr) return CsiVolume{};
  auto handle = handle_of(*plugin, source.under(plugin->source), labels);
  if (!handle) return handle.error();
  return CsiVolume{plugin->driver, *std::move(handle)};
}

bool has_requirement_on(std::string_view key, const std::vector<k8s::NodeSelectorTerm>& terms) {
  return std::ranges::any_of(terms, [&](const k8s::NodeSelectorTerm& term) {
    return std::ranges::find(term.expressions, key, &k8s::Requirement::key) !=
           term.expressions.end();
  });
}

bool has_values_of(std::string_view key, const std::vector<k8s::NodeSelectorTerm>& terms) {
  return std::ranges::any_of(terms, [&](const k8s::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.expressions, [&](const k8s::Requirement& r) {
      return r.key == key && !r.values.empty();
    });
  });
}

void replace_key(std::string_view from, std::string_view to,
                 std::vector<k8s::NodeSelectorTerm>& terms) {
  for (k8s::NodeSelectorTerm& term : terms) {
    for (k8s::Requirement& r : term.expressions) {
      if (r.key == from) r.key = to;
    }
  }
}

/// Whether the volume's zones are in the labels of releases before 1.17: getTopologyLabel.
bool has_beta_labels(const std::vector<k8s::NodeSelectorTerm>& terms, const Node& labels) {
  if (has_requirement_on(kZone, terms)) return false;
  if (has_requirement_on(kBetaZone, terms)) return true;
  return !labels.under(kZone) && labels.under(kBetaZone);
}

}  // namespace

std::vector<std::string_view> zones_in(std::string_view label) {
  constexpr std::string_view kSeparator = "__";
  std::vector<std::string_view> zones;
  for (std::size_t end = 0; (end = label.find(kSeparator)) != std::string_view::npos;) {
    zones.push_back(label.substr(0, end));
    label.remove_prefix(end + kSeparator.size());
  }
  zones.push_back(label);
  return zones;
}

std::string_view driver_of_plugin(std::string_view plugin) {
  const auto found = std::ranges::find(kMigrated, plugin, &MigratedPlugin::name);
  return found == kMigrated.end() ? std::string_view() : found->driver;
}

bool is_in_tree_plugin(std::string_view plugin) {
  return !driver_of_plugin(plugin).empty() ||
         std::ranges::find(kNotMigrated, plugin) != kNotMigrated.end();
}

std::string_view plugin_of(const Node& source) {
  const MigratedPlugin* plugin = migration_of(source);
  return plugin == nullptr ? std::string_view() : plugin->name;
}

Result<CsiVolume> csi_volume_of(const k8s::Object& volume) {
  const Node& csi = volume.spec()["csi"];
  if (csi.is_mapping()) {
    return CsiVolume{csi["driver"].text(), std::string(csi["volumeHandle"].text())};
  }
  return translated(volume.spec(), volume.labels());
}

Result<CsiVolume> csi_volume_of_disk(const Node& volume) {
  return translated(volume, yaml::missing_node());
}

/// Source: plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI.
TranslatedAffinity::TranslatedAffinity(const k8s::Object& volume)
    : is_required_(!volume.spec()["nodeAffinity"]["required"].is_empty()),
      terms_(k8s::terms_in(volume.spec()["nodeAffinity"]["required"])) {
  const MigratedPlugin* plugin = migration_of(volume.spec());
  if (plugin == nullptr || plugin->zone_key.empty()) return;
  const bool is_beta = has_beta_labels(terms_, volume.labels());
  const std::string_view zone_key = is_beta ? kBetaZone : kZone;
  if (has_values_of(zone_key, terms_)) {
    replace_key(zone_key, plugin->zone_key, terms_);
  } else if (const Node& label = volume.labels().under(zone_key)) {
    add_zones(label.text(), plugin->zone_key);
  }
  if (is_beta && has_values_of(kBetaRegion, terms_)) replace_key(kBetaRegion, kRegion, terms_);
}

void TranslatedAffinity::add_zones(std::string_view zones, std::string_view driver_key) {
  k8s::Requirement r{.key = driver_key, .op = "In"};
  for (const std::string_view zone : zones_in(zones)) {
    const std::string_view name = trim(zone);
    if (name.empty()) continue;
    Node& value = values_.emplace_back();
    value.kind = Node::Kind::scalar;
    value.set_text(name);
    r.values.push_back(&value);
  }
  if (r.values.empty()) return;
  is_required_ = true;
  if (terms_.empty()) terms_.emplace_back();
  for (k8s::NodeSelectorTerm& term : terms_) term.expressions.push_back(r);
}

}  // namespace cnsched::sim
