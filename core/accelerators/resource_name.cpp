#include "core/accelerators/resource_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_resources.h"

namespace cnsched::accelerators {

namespace {

/// Names that plugins advertise; misspellings of them are reported.
constexpr auto kAdvertised = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/gpumem", "nvidia.com/gpucores",
     "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "npu.intel.com/accel",
     "habana.ai/gaudi", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
     "aws.amazon.com/neurondevice", "google.com/tpu", "vpc.amazonaws.com/efa"});

/// Names of other plugins that look like misspellings.
constexpr auto kNeighbours =
    std::to_array<std::string_view>({"nvidia.com/vgpu", "nvidia.com/pgpu", "nvidia.com/cgpu"});

/// Names that users write and that no plugin advertises.
constexpr auto kMisnamed = std::to_array<MisnamedResource>({
    {"nvidia/gpu", "nvidia.com/gpu"},
    {"amd/gpu", "amd.com/gpu"},
    {"google/tpu", "google.com/tpu"},
    // KServe lists it as an accelerator, but Intel's plugins advertise names with gpu.intel.com.
    {"intel.com/gpu", "gpu.intel.com/i915", true},
    {"intel/gpu", "gpu.intel.com/i915", true},
    {"alpha.kubernetes.io/nvidia-gpu", "nvidia.com/gpu"},
});

/// Names without a vendor, and what they probably mean.
constexpr auto kBare = std::to_array<MisnamedResource>({
    {"gpu", "nvidia.com/gpu"},
    {"gpus", "nvidia.com/gpu"},
    {"nvidia.com.gpu", "nvidia.com/gpu"},
    {"nvidia-gpu", "nvidia.com/gpu"},
    {"nvidia", "nvidia.com/gpu"},
    {"amd.com.gpu", "amd.com/gpu"},
    {"tpu", "google.com/tpu"},
    {"google.com.tpu", "google.com/tpu"},
    {"neuron", "aws.amazon.com/neuron"},
    {"gaudi", "habana.ai/gaudi"},
    {"habana.ai.gaudi", "habana.ai/gaudi"},
});

template <std::size_t N>
MisnamedResource find_row(const std::array<MisnamedResource, N>& rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &MisnamedResource::name);
  return row == rows.end() ? MisnamedResource() : *row;
}

NameProblem not_advertised(std::string_view instead, bool is_guess = false) {
  return {"no device plugin advertises it", std::string(instead), is_guess};
}

/// A name without a domain must be one of Kubernetes' own.
std::optional<NameProblem> problem_of_bare(std::string_view name) {
  static const std::vector<std::string_view> kStandard = {"cpu", "memory", "ephemeral-storage"};
  if (is_one_of(name, kStandard) || name.starts_with("hugepages-")) {
    return std::nullopt;
  }
  std::string_view instead = find_row(kBare, name).instead;
  // With three letters, one changed letter may be another device: npu.
  if (instead.empty() && name.size() > 3) instead = nearest(name, kStandard).value_or("");
  return NameProblem{
      .reason =
          "only cpu, memory, ephemeral-storage and hugepages-* have no domain; others need one, as "
          "in 'nvidia.com/gpu'",
      .replacement = std::string(instead),
      .rejected = true};
}

/// Problems that make the name invalid.
std::optional<NameProblem> problem_of_form(std::string_view name) {
  constexpr std::string_view kQuota = "requests.";
  if (name.starts_with(kQuota)) {
    return NameProblem{.reason = "the prefix 'requests.' is for quotas only",
                       .replacement = std::string(name.substr(kQuota.size())),
                       .rejected = true};
  }
  const auto problem = k8s::label_key_problem(name);
  if (!problem) return std::nullopt;
  std::string instead(name);
  // The plugin replaces '+' in variants of a profile when it advertises them.
  std::ranges::replace(instead, '+', '.');
  const bool is_valid = instead != name && !k8s::label_key_problem(instead);
  return NameProblem{.reason = fmt::format("it {}", *problem),
                     .replacement = is_valid ? instead : std::string(),
                     .rejected = true};
}

std::vector<std::string> mig_resources() {
  std::vector<std::string> names;
  for (const std::string_view profile : mig_profiles()) {
    names.push_back(fmt::format("{}{}", kMigResource, profile));
  }
  return names;
}

std::optional<NameProblem> problem_of_mig(std::string_view name) {
  const std::string_view profile = name.substr(kMigResource.size());
  if (!mig_profile_in(profile).empty()) {
    const auto problem = mig_profile_problem(profile);
    return problem ? std::optional(NameProblem{*problem, ""}) : std::nullopt;
  }
  const std::vector<std::string> names = mig_resources();
  const std::string_view corrected = corrected_spelling(name, {names.begin(), names.end()});
  return corrected.empty() ? std::nullopt : std::optional(not_advertised(corrected));
}

}  // namespace

std::optional<NameProblem> resource_name_problem(std::string_view name) {
  if (k8s::is_placeholder(name)) return std::nullopt;
  if (name.find('/') == std::string_view::npos) return problem_of_bare(name);
  if (auto problem = problem_of_form(name)) return problem;
  if (name.starts_with(kMigResource)) return problem_of_mig(name);
  if (const MisnamedResource row = find_row(kMisnamed, name); !row.instead.empty()) {
    return not_advertised(row.instead, row.is_guess);
  }
  if (is_one_of(name, kNeighbours)) return std::nullopt;
  const std::string_view corrected =
      corrected_spelling(name, {kAdvertised.begin(), kAdvertised.end()});
  return corrected.empty() ? std::nullopt : std::optional(not_advertised(corrected));
}

std::span<const std::string_view> advertised_names() { return kAdvertised; }

std::span<const MisnamedResource> misnamed_resources() { return kMisnamed; }

bool requests_unobtainable(const k8s::PodSpec& pod) {
  const auto is_wanted = [](const k8s::ResourceAmount& amount) { return amount.is_requested(); };
  if (std::ranges::any_of(k8s::rejected_at_pod_level(pod), is_wanted)) return true;
  return pod.requests_resource([](std::string_view name) {
    const auto problem = resource_name_problem(name);
    return problem && problem->replacement.find('/') != std::string::npos;
  });
}

std::vector<DeviceRequest> device_requests(const k8s::PodSpec& pod) {
  std::vector<DeviceRequest> devices;
  std::unordered_set<std::string_view> names;
  const auto add = [&](const k8s::Container& container) {
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      if (!is_accelerator(amount.name) || !amount.is_requested()) continue;
      if (names.insert(amount.name).second) devices.push_back({amount.name, 0, amount.node});
    }
  };
  for (const k8s::Container& container : pod.containers()) add(container);
  for (const k8s::Container& container : pod.init_containers()) add(container);
  if (devices.empty()) return devices;
  constexpr std::int64_t kMaxUnits = 1'000'000;  // no node has more devices
  const std::vector<k8s::ResourceTotal> totals = k8s::total_requests(pod);
  for (DeviceRequest& device : devices) {
    const auto total = std::ranges::find(totals, device.name, &k8s::ResourceTotal::name);
    if (total == totals.end()) continue;
    device.amount = std::clamp<std::int64_t>(total->quantity.value(), 0, kMaxUnits);
  }
  return devices;
}

const yaml::Node* first_accelerator_amount(const k8s::Container& container) {
  for (const k8s::ResourceAmount& amount : container.amounts()) {
    if (is_accelerator(amount.name) && amount.is_known_positive()) return amount.node;
  }
  return nullptr;
}

bool sees_devices_without_request(const k8s::Container& container) {
  return bool(k8s::item_named((*container.node)["env"], "NVIDIA_VISIBLE_DEVICES"));
}

bool has_device_access(const k8s::Container& container) {
  return container.requests_resource(k8s::is_extended_resource) ||
         !(*container.node)["resources"]["claims"].is_empty() ||
         sees_devices_without_request(container);
}

}  // namespace cnsched::accelerators
