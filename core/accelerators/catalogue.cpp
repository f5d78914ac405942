#include "core/accelerators/catalogue.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/accelerators/records.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

constexpr std::string_view kNameTable =
#include "core/accelerators/names.table"
    ;

/// The two lists of names.table.
struct Catalogue {
  std::vector<Resource> resources;
  std::vector<NodeLabel> labels;
};

Catalogue read_catalogue() {
  constexpr auto kMeanings =
      std::to_array<std::string_view>({"present", "product", "count", "memory", "detail"});
  Catalogue read;
  for (const std::string_view line : rows_of(kNameTable)) {
    const auto words = split(line, ' ');
    const bool is_prefix = words[0].ends_with('*');
    const std::string_view name = words[0].substr(0, words[0].size() - (is_prefix ? 1 : 0));
    const Vendor vendor = vendor_named(words[1]).value();
    if (words.size() == 2) {
      read.resources.push_back({name, vendor, is_prefix});
      continue;
    }
    const auto meaning = std::ranges::find(kMeanings, words[2]) - kMeanings.begin();
    const std::string_view set_by(words[3].begin(), line.end());
    read.labels.push_back({name, vendor, set_by, static_cast<LabelMeaning>(meaning), is_prefix});
  }
  return read;
}

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = read_catalogue();
  return kCatalogue;
}

constexpr auto kPlugins = std::to_array<DevicePlugin>({
    {Vendor::nvidia, "the NVIDIA device plugin", "nvidia.com/gpu", "nvidia.com/gpu"},
    {Vendor::amd, "the AMD device plugin", "amd.com/gpu", ""},
    {Vendor::aws, "the Neuron device plugin", "aws.amazon.com/neuron", "aws.amazon.com/neuron"},
    {Vendor::intel, "the Intel GPU plugin", "gpu.intel.com/i915", ""},
});

/// The vendor of a plugin by a word in the name of its image. The last match counts, because forks
/// of NVIDIA's plugin keep its name.
struct PluginImage {
  std::string_view word;
  Vendor vendor;
};

constexpr auto kPluginImages = std::to_array<PluginImage>({
    {"k8s-device-plugin", Vendor::nvidia},
    {"nvidia", Vendor::nvidia},
    {"rocm", Vendor::amd},
    {"amdgpu", Vendor::amd},
    {"neuron", Vendor::aws},
    {"intel-gpu", Vendor::intel},
});

/// Amazon's families, whole ("g6f" of g6f.large), of which no record has a machine type, and the
/// categories that Karpenter sorts families into.
constexpr auto kAmazonFamilies = std::to_array<VendorPrefix>({{"g", Vendor::nvidia},
                                                              {"g6f", Vendor::nvidia},
                                                              {"gr6f", Vendor::nvidia},
                                                              {"p", Vendor::nvidia},
                                                              {"inf", Vendor::aws},
                                                              {"trn", Vendor::aws},
                                                              {"trn2u", Vendor::aws}});

/// Azure's machine types by their beginning; the more specific one comes first.
constexpr auto kAzureFamilies =
    std::to_array<VendorPrefix>({{"Standard_NC", Vendor::nvidia},
                                 {"Standard_ND96is_MI300X", Vendor::amd},
                                 {"Standard_ND96isr_MI300X", Vendor::amd},
                                 {"Standard_ND", Vendor::nvidia}});

/// Beginnings of label values that name a vendor.
constexpr auto kVendorPrefixes = std::to_array<VendorPrefix>({
    {"amd", Vendor::amd},
    {"radeon", Vendor::amd},
    {"intel", Vendor::intel},
    {"habana", Vendor::habana},
    {"gaudi", Vendor::habana},
    {"qualcomm", Vendor::other},
});

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view Row::*name, std::string_view text) {
  const auto row = std::ranges::find_if(rows, [&](const Row& r) {
    return r.is_prefix ? text.starts_with(r.*name) : text == r.*name;
  });
  return row == rows.end() ? nullptr : &*row;
}

const Vendor* find_family(std::span<const VendorPrefix> families, std::string_view text) {
  const auto family = std::ranges::find_if(
      families, [&](const VendorPrefix& f) { return text.starts_with(f.prefix); });
  return family == families.end() ? nullptr : &family->vendor;
}

std::string_view amazon_family(std::string_view type) { return type.substr(0, type.find('.')); }

/// The beginnings of machine types: Amazon's families with their '.', Google's with their '-'.
std::map<std::string, Vendor> machine_prefixes() {
  std::map<std::string, Vendor> prefixes;
  for (const Machine& m : records().machines) {
    if (m.vendor == Vendor::other) continue;
    const bool has_family = m.provider == Provider::amazon || m.provider == Provider::google;
    const std::size_t end = m.type.find(m.provider == Provider::amazon ? '.' : '-');
    prefixes.try_emplace(std::string(has_family ? m.type.substr(0, end + 1) : m.type), m.vendor);
  }
  for (const VendorPrefix& family : kAmazonFamilies) {
    prefixes.try_emplace(std::string(family.prefix) + '.', family.vendor);
  }
  for (const VendorPrefix& family : kAzureFamilies) {
    prefixes.try_emplace(std::string(family.prefix), family.vendor);
  }
  return prefixes;
}

}  // namespace

std::string_view name_of(Vendor vendor) {
  constexpr auto kVendorNames = std::to_array<std::string_view>(
      {"NVIDIA", "AMD", "Intel", "Intel Gaudi", "AWS Neuron", "Google TPU", "another vendor"});
  return kVendorNames[static_cast<std::size_t>(vendor)];
}

std::optional<Vendor> vendor_named(std::string_view word) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"nvidia", "amd", "intel", "habana", "aws", "google", "other"});
  const auto* found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Vendor>(found - kWords.begin());
}

const Resource* find_resource(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return nullptr;  // such as cpu
  return find_row<Resource>(catalogue().resources, &Resource::name, name);
}

bool is_auxiliary_resource(std::string_view name) {
  return is_resource_of_scheduler(name) || name.starts_with("gpu.intel.com/monitoring") ||
         name.ends_with("_monitoring");
}

bool is_resource_of_scheduler(std::string_view name) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"nvidia.com/gpumem", "nvidia.com/gpucores", "nvidia.com/priority", "volcano.sh/",
       "aliyun.com/", "tencent.com/"});
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(kPrefixes, begins)) return true;
  // HAMi has many names for parts of devices: dcumem, Ascend910B-memory, vCore.
  const Resource* resource = find_resource(name);
  if (resource == nullptr || resource->vendor != Vendor::other) return false;
  const std::string part = lower(name.substr(name.find('/')));
  return part.find("mem") != std::string::npos || part.find("core") != std::string::npos;
}

std::span<const Resource> resources() { return catalogue().resources; }

std::span<const NodeLabel> labels() { return catalogue().labels; }

const NodeLabel* find_label(std::string_view key) {
  return find_row<NodeLabel>(catalogue().labels, &NodeLabel::key, key);
}

const Vendor* vendor_from_label(std::string_view key, std::string_view value) {
  const NodeLabel* label = find_label(key);
  if (label == nullptr || value == "false" || value == "0" || value == "none") return nullptr;
  const Vendor* named = find_family(kVendorPrefixes, value);
  return named != nullptr ? named : &label->vendor;
}

bool indicates_accelerator(std::string_view key, std::string_view value) {
  return vendor_from_label(key, value) != nullptr;
}

std::span<const VendorPrefix> vendors_in_label_values() { return kVendorPrefixes; }

std::span<const VendorPrefix> machine_vendors() {
  static const std::map<std::string, Vendor> kPrefixes = machine_prefixes();
  static const std::vector<VendorPrefix> kSorted = [] {
    std::vector<VendorPrefix> all;
    for (const auto& [prefix, vendor] : kPrefixes) all.push_back({prefix, vendor});
    return all;
  }();
  return kSorted;
}

std::span<const DevicePlugin> plugins() { return kPlugins; }

const DevicePlugin* find_plugin(Vendor vendor) {
  const auto* plugin = std::ranges::find(kPlugins, vendor, &DevicePlugin::vendor);
  return plugin == kPlugins.end() ? nullptr : plugin;
}

const DevicePlugin* find_plugin_by_image(std::string_view image) {
  const DevicePlugin* found = nullptr;
  for (const PluginImage& row : kPluginImages) {
    if (image.find(row.word) != std::string_view::npos) found = find_plugin(row.vendor);
  }
  return found;
}

const Vendor* vendor_of_instance_type(std::string_view type) {
  const std::string_view family = amazon_family(type);
  const auto& machines = records().machines;
  const auto machine = std::ranges::find_if(machines, [&](const Machine& m) {
    if (m.vendor == Vendor::other) return false;
    if (m.provider == Provider::amazon) return amazon_family(m.type) == family;
    // Google's families end at the first hyphen.
    if (m.provider == Provider::google)
      return type.starts_with(m.type.substr(0, m.type.find('-') + 1));
    return m.type == type;
  });
  if (machine != machines.end()) return &machine->vendor;
  const auto* amazon = std::ranges::find(kAmazonFamilies, family, &VendorPrefix::prefix);
  if (amazon != kAmazonFamilies.end()) return &amazon->vendor;
  return find_family(kAzureFamilies, type);
}

}  // namespace cnsched::accelerators
