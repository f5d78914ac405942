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

constexpr auto kResources = std::to_array<Resource>({
    // NVIDIA/k8s-device-plugin, with MIG and shared variants; HAMi's slices beside them
    {"nvidia.com/gpu", Vendor::nvidia},
    {"nvidia.com/gpu.shared", Vendor::nvidia},
    {"nvidia.com/mig-", Vendor::nvidia, true},
    {"nvidia.com/gpumem", Vendor::nvidia, true},
    {"nvidia.com/gpucores", Vendor::nvidia},
    {"nvidia.com/priority", Vendor::nvidia},
    {"nvidia.com/pgpu", Vendor::nvidia},
    {"volcano.sh/vgpu-", Vendor::nvidia, true},
    {"volcano.sh/gpu-", Vendor::nvidia, true},
    {"aliyun.com/gpu-", Vendor::nvidia, true},
    {"tencent.com/vcuda-", Vendor::nvidia, true},
    // ROCm/k8s-device-plugin; the partitions of mixed naming
    {"amd.com/gpu", Vendor::amd},
    {"amd.com/spx_", Vendor::amd, true},
    {"amd.com/dpx_", Vendor::amd, true},
    {"amd.com/qpx_", Vendor::amd, true},
    {"amd.com/tpx_", Vendor::amd, true},
    {"amd.com/cpx_", Vendor::amd, true},
    // intel/intel-device-plugins-for-kubernetes. No plugin advertises intel.com/gpu, but KServe
    // lists it, and a container that requests it needs an accelerator.
    {"gpu.intel.com/i915", Vendor::intel, true},
    {"gpu.intel.com/xe", Vendor::intel, true},
    {"gpu.intel.com/monitoring", Vendor::intel},
    {"npu.intel.com/accel", Vendor::intel},
    {"intel.com/gpu", Vendor::intel},
    {"habana.ai/gaudi", Vendor::habana},
    // aws-neuron/neuron-helm-charts
    {"aws.amazon.com/neuron", Vendor::aws, true},
    {"google.com/tpu", Vendor::google},
    {"cloud-tpus.google.com/", Vendor::google, true},
    {"ibm.com/spyre_", Vendor::other, true},
    {"ibm.com/aiu_", Vendor::other, true},
    {"huawei.com/Ascend", Vendor::other, true},
    {"cambricon.com/", Vendor::other, true},
    {"hygon.com/dcu", Vendor::other, true},
    {"metax-tech.com/", Vendor::other, true},
    {"mthreads.com/vgpu", Vendor::other},
    {"iluvatar.ai/", Vendor::other, true},
    {"kunlunxin.com/xpu", Vendor::other},
    {"enflame.com/", Vendor::other, true},
    {"vastaitech.com/va", Vendor::other},
    {"birentech.com/gpu", Vendor::other},
    {"furiosa.ai/", Vendor::other, true},
    {"rebellions.ai/", Vendor::other, true},
    {"qualcomm.com/qaic", Vendor::other},
});

constexpr std::string_view kFeatureDiscovery = "GPU feature discovery";

constexpr auto kLabels = std::to_array<NodeLabel>({
    // NVIDIA/gpu-operator; its users set the configurations
    {"nvidia.com/gpu.present", Vendor::nvidia, "the GPU operator", LabelMeaning::present},
    {"nvidia.com/gpu.deploy.", Vendor::nvidia, "the GPU operator", LabelMeaning::detail, true},
    {"nvidia.com/gpu.workload.config", Vendor::nvidia, "the cluster's admin", LabelMeaning::detail},
    {"nvidia.com/device-plugin.config", Vendor::nvidia, "the cluster's admin",
     LabelMeaning::detail},
    {"nvidia.com/mig.config", Vendor::nvidia, "the cluster's admin", LabelMeaning::detail, true},
    // NVIDIA/k8s-device-plugin, gpu-feature-discovery
    {"nvidia.com/gpu.product", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::product},
    {"nvidia.com/gpu.count", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::count},
    {"nvidia.com/gpu.memory", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::memory},
    {"nvidia.com/gpu.family", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::product},
    {"nvidia.com/gpu.compute.", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail, true},
    {"nvidia.com/gpu.replicas", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::count},
    {"nvidia.com/gpu.machine", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/gpu.mode", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/gpu.sharing-strategy", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/gpu.clique", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/gfd.timestamp", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/mps.capable", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::present},
    {"nvidia.com/vgpu.", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail, true},
    {"nvidia.com/mig.capable", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::present},
    {"nvidia.com/mig.strategy", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail},
    {"nvidia.com/mig-", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail, true},
    {"nvidia.com/cuda.", Vendor::nvidia, kFeatureDiscovery, LabelMeaning::detail, true},
    {"feature.node.kubernetes.io/pci-10de.present", Vendor::nvidia, "node feature discovery",
     LabelMeaning::present},
    {"feature.node.kubernetes.io/pci-0302_10de.present", Vendor::nvidia, "node feature discovery",
     LabelMeaning::present},
    {"feature.node.kubernetes.io/pci-0300_10de.present", Vendor::nvidia, "node feature discovery",
     LabelMeaning::present},
    // GKE
    {"cloud.google.com/gke-accelerator", Vendor::nvidia, "GKE", LabelMeaning::product},
    {"cloud.google.com/gke-accelerator-count", Vendor::nvidia, "GKE", LabelMeaning::count},
    {"cloud.google.com/gke-gpu-partition-size", Vendor::nvidia, "GKE", LabelMeaning::detail},
    {"cloud.google.com/gke-gpu-sharing-strategy", Vendor::nvidia, "GKE", LabelMeaning::detail},
    {"cloud.google.com/gke-max-shared-clients-per-gpu", Vendor::nvidia, "GKE", LabelMeaning::count},
    {"cloud.google.com/gke-gpu-driver-version", Vendor::nvidia, "GKE", LabelMeaning::detail},
    {"cloud.google.com/gke-gpu", Vendor::nvidia, "GKE", LabelMeaning::present},
    {"cloud.google.com/gke-tpu-accelerator", Vendor::google, "GKE", LabelMeaning::product},
    {"cloud.google.com/gke-tpu-topology", Vendor::google, "GKE", LabelMeaning::detail},
    // EKS: a convention of the cluster autoscaler, Karpenter, EKS Auto Mode
    {"k8s.amazonaws.com/accelerator", Vendor::nvidia, "the node group's author",
     LabelMeaning::product},
    {"karpenter.k8s.aws/instance-gpu-name", Vendor::nvidia, "Karpenter", LabelMeaning::product},
    {"karpenter.k8s.aws/instance-gpu-count", Vendor::nvidia, "Karpenter", LabelMeaning::count},
    {"karpenter.k8s.aws/instance-gpu-memory", Vendor::nvidia, "Karpenter", LabelMeaning::memory},
    {"karpenter.k8s.aws/instance-gpu-manufacturer", Vendor::nvidia, "Karpenter",
     LabelMeaning::detail},
    {"karpenter.k8s.aws/instance-accelerator-", Vendor::aws, "Karpenter", LabelMeaning::detail,
     true},
    {"eks.amazonaws.com/instance-gpu-name", Vendor::nvidia, "EKS Auto Mode", LabelMeaning::product},
    {"eks.amazonaws.com/instance-gpu-count", Vendor::nvidia, "EKS Auto Mode", LabelMeaning::count},
    {"eks.amazonaws.com/instance-gpu-memory", Vendor::nvidia, "EKS Auto Mode",
     LabelMeaning::memory},
    {"eks.amazonaws.com/instance-gpu-manufacturer", Vendor::nvidia, "EKS Auto Mode",
     LabelMeaning::detail},
    {"eks.amazonaws.com/instance-accelerator-", Vendor::aws, "EKS Auto Mode", LabelMeaning::detail,
     true},
    // AKS: the vendor, no model
    {"kubernetes.azure.com/accelerator", Vendor::nvidia, "AKS", LabelMeaning::detail},
    // CoreWeave
    {"gpu.nvidia.com/class", Vendor::nvidia, "CoreWeave", LabelMeaning::product},
    {"gpu.nvidia.com/model", Vendor::nvidia, "CoreWeave", LabelMeaning::product},
    {"gpu.nvidia.com/count", Vendor::nvidia, "CoreWeave", LabelMeaning::count},
    {"gpu.nvidia.com/vram", Vendor::nvidia, "CoreWeave", LabelMeaning::memory},
    // ROCm/k8s-device-plugin, the labeller; ROCm/gpu-operator
    {"amd.com/gpu.", Vendor::amd, "AMD's node labeller", LabelMeaning::detail, true},
    {"beta.amd.com/gpu.", Vendor::amd, "AMD's node labeller", LabelMeaning::detail, true},
    {"feature.node.kubernetes.io/amd-gpu", Vendor::amd, "AMD's GPU operator",
     LabelMeaning::present},
    // intel/intel-device-plugins-for-kubernetes
    {"intel.feature.node.kubernetes.io/gpu", Vendor::intel, "Intel's plugins",
     LabelMeaning::present},
    {"intel.feature.node.kubernetes.io/npu", Vendor::intel, "Intel's plugins",
     LabelMeaning::present},
    {"gpu.intel.com/", Vendor::intel, "Intel's plugins", LabelMeaning::detail, true},
});

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
constexpr auto kNames = std::to_array<VendorPrefix>({
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

const Resource* find_resource(std::string_view name) {
  return find_row<Resource>(kResources, &Resource::name, name);
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

std::span<const Resource> resources() { return kResources; }

std::span<const NodeLabel> labels() { return kLabels; }

const NodeLabel* find_label(std::string_view key) {
  return find_row<NodeLabel>(kLabels, &NodeLabel::key, key);
}

const Vendor* vendor_from_label(std::string_view key, std::string_view value) {
  const NodeLabel* label = find_label(key);
  if (label == nullptr || value == "false" || value == "0" || value == "none") return nullptr;
  const Vendor* named = find_family(kNames, value);
  return named != nullptr ? named : &label->vendor;
}

bool indicates_accelerator(std::string_view key, std::string_view value) {
  return vendor_from_label(key, value) != nullptr;
}

std::span<const VendorPrefix> vendors_in_label_values() { return kNames; }

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
