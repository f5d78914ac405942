// Each platform tells accelerators in its own way: by a label that it or a labeller puts on nodes,
// by one that the owner has to put there, or, where there is no such label, by the machine type.
#include "core/accelerators/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/instance_type.h"
#include "core/accelerators/mig.h"
#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched::accelerators {

namespace {

using Operator = LabelDemand::Operator;

constexpr std::string_view kDiscovered = "nvidia.com/gpu.product";
constexpr std::string_view kGke = "cloud.google.com/gke-accelerator";
constexpr std::string_view kGkePartition = "cloud.google.com/gke-gpu-partition-size";
constexpr std::string_view kGkeTopology = "cloud.google.com/gke-tpu-topology";
constexpr std::string_view kAutoscaler = "k8s.amazonaws.com/accelerator";
constexpr std::string_view kAks = "kubernetes.azure.com/accelerator";
constexpr std::string_view kMigConfig = "nvidia.com/mig.config";
constexpr std::string_view kMachineType = "node.kubernetes.io/instance-type";
constexpr std::string_view kOwn = "accelerator";

/// The cards that the cluster autoscaler knows on AWS, which it calls as we do. Source:
/// kubernetes/autoscaler cluster-autoscaler/cloudprovider/aws.
constexpr auto kAutoscaled = std::to_array<std::string_view>(
    {"nvidia-tesla-k80", "nvidia-tesla-p100", "nvidia-tesla-v100", "nvidia-tesla-t4",
     "nvidia-tesla-a100", "nvidia-a10g", "nvidia-l4", "nvidia-l40s"});

struct Attached {
  std::string_view accelerator;
  unsigned most = 0;
};

/// Cards that Google attaches to N1 machines of any size, and how many. Source: Google's page on
/// GPUs for N1 machines.
constexpr auto kAttached = std::to_array<Attached>({{"nvidia-tesla-k80", 8},
                                                    {"nvidia-tesla-p100", 4},
                                                    {"nvidia-tesla-v100", 8},
                                                    {"nvidia-tesla-p4", 4},
                                                    {"nvidia-tesla-t4", 4}});

struct Uncut {
  std::string_view accelerator;
  std::string_view profile;  ///< empty: none
};

/// What GKE does not cut of cards that others cut. Source:
/// GoogleCloudPlatform/container-engine-accelerators partition_gpu.go.
constexpr auto kUncutOnGke = std::to_array<Uncut>({{"nvidia-tesla-a100", "1g.10gb"},
                                                   {"nvidia-a100-80gb", "1g.20gb"},
                                                   {"nvidia-gb200", "3g.95gb"},
                                                   {"nvidia-gb200", "4g.95gb"},
                                                   {"nvidia-gb200", "7g.189gb"},
                                                   {"nvidia-gb300", ""}});

/// Where the label of a device is written.
struct Labeller {
  std::string_view prefix;
  Platform platform;
};
constexpr auto kLabellers = std::to_array<Labeller>({{"amd.com/", Platform::gpu_operator},
                                                     {"gpu.intel.com/", Platform::gpu_operator},
                                                     {"cloud.google.com/", Platform::gke},
                                                     {"karpenter.k8s.aws/", Platform::karpenter}});

LabelDemand in(std::string_view key, std::vector<std::string> values) {
  return {std::string(key), Operator::in, std::move(values)};
}

LabelDemand none_of(std::string_view key) {
  return {std::string(key), Operator::does_not_exist, {}};
}

bool is_labelled_on(Platform platform, const Device& device) {
  return std::ranges::any_of(kLabellers, [&](const Labeller& labeller) {
    return labeller.platform == platform && device.label_key.starts_with(labeller.prefix);
  });
}

/// As current drivers spell it: older ones began with the model.
std::vector<std::string> names_on(const Card& card, Naming naming) {
  std::vector<std::string> names;
  for (const CardName* name : spellings_of(card, naming)) {
    const bool of_old_driver =
        naming == Naming::feature_discovery && name->value.starts_with(card.model->name);
    if (!of_old_driver) names.emplace_back(name->value);
  }
  return names;
}

std::optional<Provider> provider_of(Platform platform) {
  switch (platform) {
    case Platform::gke:
      return Provider::google;
    case Platform::eks:
    case Platform::karpenter:
      return Provider::amazon;
    case Platform::aks:
      return Provider::azure;
    case Platform::gpu_operator:
    case Platform::generic:
      break;
  }
  return std::nullopt;
}

/// What machines may carry of it. A name that leaves the size open is that of cards of any size.
std::vector<std::string_view> whole_names(const Accelerator& a) {
  if (!a.is_open()) return {a.whole};
  std::vector<std::string_view> names;
  for (const unsigned gigabytes : a.card->model->gigabytes) {
    names.push_back(portable({a.card->model, gigabytes}, "")->product.name);
  }
  return names;
}

std::vector<Machine> machines_with(Platform platform, const Accelerator& a) {
  std::vector<Machine> found;
  const auto provider = provider_of(platform);
  if (!provider) return found;
  const auto names = whole_names(a);
  std::ranges::copy_if(machines(*provider), std::back_inserter(found), [&](const Machine& machine) {
    return std::ranges::find(names, machine.accelerator) != names.end();
  });
  const bool same_as_card = found.empty() && a.spelled != nullptr;
  return same_as_card ? machines_with(platform, *portable(*a.card, "")) : found;
}

/// How many of it a whole one gives.
unsigned per_device(const Accelerator& a) {
  return a.profile.empty() ? 1 : mig_slices_of(*a.card, a.profile);
}

/// The machines that have at least so many of it.
std::vector<Machine> machines_with(Platform platform, const Accelerator& a, std::int64_t count) {
  auto found = machines_with(platform, a);
  std::erase_if(found, [&](const Machine& machine) {
    return std::int64_t{machine.devices} * per_device(a) < count;
  });
  return found;
}

struct Most {
  std::int64_t count = 0;
  std::string machine;
};

std::optional<Most> most_of(Platform platform, const Accelerator& a) {
  const auto* attached = std::ranges::find(kAttached, a.whole, &Attached::accelerator);
  if (platform == Platform::gke && attached != kAttached.end()) {
    return Most{attached->most, "an N1 machine"};
  }
  const auto all = machines_with(platform, a);
  const auto largest = std::ranges::max_element(all, {}, &Machine::devices);
  if (largest == all.end()) return std::nullopt;
  return Most{std::int64_t{largest->devices} * per_device(a), std::string(largest->type)};
}

bool is_cut_on_gke(const Accelerator& a) {
  return std::ranges::none_of(kUncutOnGke, [&](const Uncut& uncut) {
    return uncut.accelerator == a.whole && (uncut.profile.empty() || uncut.profile == a.profile);
  });
}

bool is_autoscaled(const Accelerator& a) {
  return std::ranges::find(kAutoscaled, a.product.name) != kAutoscaled.end();
}

bool is_tpu_of_one_host(const Device& device) {
  const auto hosts = tpu_hosts();
  return std::ranges::find(hosts, device.name, &TpuHost::device) != hosts.end();
}

bool is_named_by_gke(const Accelerator& a) {
  return std::ranges::any_of(card_names(), [&](const CardName& name) {
    return name.naming == Naming::gke && name.value == a.whole;
  });
}

/// What Karpenter calls the card: that may leave the size open.
std::optional<std::string> karpenter_name(const Card& card) {
  for (const Card& meant : {card, Card{card.model, 0}}) {
    auto names = names_on(meant, Naming::karpenter);
    if (names.empty()) continue;
    const bool told = meant == card || mebibytes_of(card, Naming::karpenter);
    if (told) return std::move(names.front());
  }
  return std::nullopt;
}

std::string no(Platform platform, std::string_view called) {
  return fmt::format("{} has no '{}'", title_of(platform), called);
}

std::optional<std::string> lack_on_gke(const Accelerator& a, std::string_view called) {
  if (a.device != nullptr) {
    if (!is_labelled_on(Platform::gke, *a.device)) return no(Platform::gke, called);
    if (is_tpu_of_one_host(*a.device)) return std::nullopt;
    return fmt::format("GKE has '{}' only in slices of several hosts, which no single pod can have",
                       called);
  }
  if (!is_named_by_gke(a)) return no(Platform::gke, called);
  if (a.profile.empty() || is_cut_on_gke(a)) return std::nullopt;
  return fmt::format("GKE has no '{}': it cuts no {} into slices of {}", called, a.whole,
                     a.profile);
}

std::optional<std::string> lack_on_karpenter(const Accelerator& a, std::string_view called) {
  if (!a.profile.empty()) {
    return fmt::format("Karpenter launches no node for '{}', whose resource {}{} it does not know",
                       called, kMigResource, a.profile);
  }
  if (a.device == nullptr) {
    return karpenter_name(*a.card) ? std::nullopt : std::optional(no(Platform::karpenter, called));
  }
  if (!is_labelled_on(Platform::karpenter, *a.device)) return no(Platform::karpenter, called);
  if (a.device->vendor != Vendor::other) return std::nullopt;
  return fmt::format("Karpenter launches no node for '{}', whose resource {} it does not know",
                     called, a.device->resource);
}

std::optional<std::string> lack_on_own_hardware(const Accelerator& a, std::string_view called) {
  if (a.card) {
    if (!names_on(*a.card, Naming::feature_discovery).empty()) return std::nullopt;
    return fmt::format("it is not known what GPU feature discovery calls '{}'", called);
  }
  const Device& device = *a.device;
  if (device.vendor == Vendor::habana || is_labelled_on(Platform::gpu_operator, device)) {
    return std::nullopt;
  }
  if (device.vendor == Vendor::aws || device.vendor == Vendor::google) {
    return fmt::format("'{}' is found in its maker's cloud alone", called);
  }
  return fmt::format("it is not known what its labeller calls '{}'", called);
}

Site site(std::string_view resource, std::vector<LabelDemand> demands, LabelDemand elsewhere) {
  return {std::string(resource), std::move(demands), std::move(elsewhere), {}, std::nullopt};
}

Site site_by_owner(std::string_view resource, std::string_view key, std::string value) {
  Site made = site(resource, {in(key, {value})}, none_of(key));
  made.by_owner = {{std::string(key), std::move(value)}};
  return made;
}

std::vector<std::string> types_of(const std::vector<Machine>& all) {
  std::vector<std::string> types;
  for (const Machine& machine : all) types.emplace_back(machine.type);
  return types;
}

/// On whatever machine that has so many: its owner may have chosen one that is larger otherwise.
Site site_by_machine(Platform platform, const Accelerator& a, std::string_view resource,
                     std::int64_t count) {
  return site(resource, {in(kMachineType, types_of(machines_with(platform, a, count)))},
              {std::string(kMachineType), Operator::not_in, types_of(machines_with(platform, a))});
}

Result<Site> site_of_tpu(const Device& device, std::string_view called, std::int64_t count) {
  std::vector<std::string> counts;
  for (const TpuHost& host : tpu_hosts()) {
    if (host.device != device.name) continue;
    if (host.chips == count) {
      return site(device.resource,
                  {in(device.label_key, {std::string(device.label_value)}),
                   in(kGkeTopology, {std::string(host.topology)})},
                  none_of(device.label_key));
    }
    counts.push_back(std::to_string(host.chips));
  }
  return Error{
      fmt::format("a pod gets all chips of a host, and hosts on GKE have {} of '{}', not {}",
                  join_words(counts, "or"), called, count)};
}

Result<Site> site_on_gke(const Accelerator& a, std::string_view called, std::string_view resource,
                         std::int64_t count) {
  if (a.device != nullptr) return site_of_tpu(*a.device, called, count);
  Site made = site(resource, {in(kGke, {a.whole})}, none_of(kGke));
  if (!a.profile.empty()) made.demands.push_back(in(kGkePartition, {std::string(a.profile)}));
  return made;
}

/// Inferentia comes by any number. Source: Neuron's page on its scheduler extension.
std::optional<std::string> wrong_part(const Accelerator& a, std::string_view called,
                                      std::int64_t count) {
  constexpr auto kParts = std::to_array<std::int64_t>({1, 4, 8, 16});
  const bool is_in_parts = a.device != nullptr && a.device->name == "aws-trainium";
  if (!is_in_parts || std::ranges::find(kParts, count) != kParts.end()) return std::nullopt;
  return fmt::format("Neuron's scheduler gives a pod 1, 4, 8 or 16 of '{}', not {}", called, count);
}

Site site_on_eks(const Accelerator& a, std::string_view resource, std::int64_t count) {
  if (is_autoscaled(a)) return site_by_owner(resource, kAutoscaler, a.product.name);
  return site_by_machine(Platform::eks, a, resource, count);
}

Site site_on_karpenter(const Accelerator& a, std::string_view resource) {
  if (a.device != nullptr) {
    return site(resource, {in(a.device->label_key, {std::string(a.device->label_value)})},
                none_of(a.device->label_key));
  }
  Site made =
      site(resource, {in(kKarpenterGpu, {*karpenter_name(*a.card)})}, none_of(kKarpenterGpu));
  if (!a.is_open() && names_on(*a.card, Naming::karpenter).empty()) {
    made.demands.push_back(
        in(kKarpenterMemory, {std::to_string(*mebibytes_of(*a.card, Naming::karpenter))}));
  }
  return made;
}

Site site_on_aks(const Accelerator& a, std::string_view resource, std::int64_t count) {
  Site made = site_by_machine(Platform::aks, a, resource, count);
  // AKS tells no node of other vendors by a label.
  if (a.product.vendor == Vendor::nvidia) made.elsewhere = none_of(kAks);
  return made;
}

/// With the single strategy the product tells the slice. The longest names have no room for it.
std::vector<std::string> discovered_names(const Accelerator& a, bool mixed) {
  auto names = a.spelled != nullptr ? std::vector<std::string>{std::string(a.spelled->value)}
                                    : names_on(*a.card, Naming::feature_discovery);
  if (a.profile.empty() || mixed) return names;
  for (std::string& name : names) name += fmt::format("-MIG-{}", a.profile);
  std::erase_if(names,
                [](const std::string& name) { return bool(k8s::label_value_problem(name)); });
  return names;
}

Site site_on_own_hardware(const Accelerator& a, std::string_view resource, bool mixed) {
  if (a.device != nullptr) {
    if (a.device->label_key.empty()) return site_by_owner(resource, kOwn, a.product.name);
    return site(resource, {in(a.device->label_key, {std::string(a.device->label_value)})},
                none_of(a.device->label_key));
  }
  Site made = site(resource, {in(kDiscovered, discovered_names(a, mixed))}, none_of(kDiscovered));
  // The operator has a configuration of this name for each profile.
  if (!a.profile.empty()) {
    made.by_owner = {{std::string(kMigConfig), fmt::format("all-{}", a.profile)}};
  }
  return made;
}

/// With the mixed strategy the resource tells the slices, and a node has several kinds of them.
Site site_anywhere(const Accelerator& a, std::string_view resource, bool mixed) {
  return site_by_owner(resource, kOwn, mixed ? a.whole : a.product.name);
}

std::string resource_of(const Accelerator& a, bool mixed) {
  if (a.device != nullptr) return std::string(a.device->resource);
  if (!mixed) return std::string(find_plugin(Vendor::nvidia)->resource);
  return fmt::format("{}{}", kMigResource, a.profile);
}

/// Whether slices are resources of their own.
bool is_mixed(Platform platform, const Accelerator& a, std::optional<MigStrategy> strategy) {
  if (a.profile.empty() || platform == Platform::gke) return false;
  const auto usual = platform == Platform::gpu_operator ? MigStrategy::single : MigStrategy::mixed;
  return strategy.value_or(usual) == MigStrategy::mixed;
}

/// Why slices are not to be had there in that way.
std::optional<std::string> problem_of_strategy(Platform platform, MigStrategy strategy) {
  const bool by_machine = platform == Platform::eks || platform == Platform::aks;
  if (platform == Platform::gke && strategy == MigStrategy::mixed) {
    return "GKE advertises slices as nvidia.com/gpu; it knows no mixed strategy";
  }
  if (!by_machine || strategy == MigStrategy::mixed) return std::nullopt;
  return fmt::format("by the single strategy nothing on nodes of {} tells slices from whole cards",
                     title_of(platform));
}

std::optional<std::string> problem_of(Platform platform, const Accelerator& a,
                                      std::string_view called, std::int64_t count,
                                      std::optional<MigStrategy> strategy) {
  if (!a.profile.empty() && strategy) {
    if (auto problem = problem_of_strategy(platform, *strategy)) return problem;
  }
  const auto most = most_of(platform, a);
  if (!most || count <= most->count) return wrong_part(a, called, count);
  return fmt::format("{} has at most {} of '{}' in one machine ({}), not {}", title_of(platform),
                     most->count, called, most->machine, count);
}

Result<Site> site_with(Platform platform, const Accelerator& a, std::string_view called,
                       std::int64_t count, bool mixed) {
  const std::string resource = resource_of(a, mixed);
  switch (platform) {
    case Platform::gke:
      return site_on_gke(a, called, resource, count);
    case Platform::eks:
      return site_on_eks(a, resource, count);
    case Platform::karpenter:
      return site_on_karpenter(a, resource);
    case Platform::aks:
      return site_on_aks(a, resource, count);
    case Platform::gpu_operator:
      return site_on_own_hardware(a, resource, mixed);
    case Platform::generic:
      break;
  }
  return site_anywhere(a, resource, mixed);
}

}  // namespace

std::string_view title_of(Platform platform) {
  constexpr auto kTitles = std::to_array<std::string_view>(
      {"GKE", "EKS", "Karpenter", "AKS", "gpu-operator", "a generic cluster"});
  return kTitles[static_cast<std::size_t>(platform)];
}

const Accelerator& as_known_on(Platform platform, const Accelerator& a) {
  if (a.spelled == nullptr) return a;
  const auto writer = a.spelled->naming == Naming::gke ? Platform::gke : Platform::gpu_operator;
  return platform == writer ? a : *portable(*a.card, a.profile);
}

std::optional<std::string> lack_of(Platform platform, const Accelerator& accelerator,
                                   std::string_view called) {
  const Accelerator& a = as_known_on(platform, accelerator);
  switch (platform) {
    case Platform::gke:
      return lack_on_gke(a, called);
    case Platform::karpenter:
      return lack_on_karpenter(a, called);
    case Platform::gpu_operator:
      return lack_on_own_hardware(a, called);
    case Platform::eks:
    case Platform::aks: {
      const bool has = (platform == Platform::eks && is_autoscaled(a)) || most_of(platform, a);
      return has ? std::nullopt : std::optional(no(platform, called));
    }
    case Platform::generic:
      break;
  }
  return std::nullopt;
}

Result<Site> site_of(Platform platform, const Accelerator& a, std::string_view called,
                     std::int64_t count, std::optional<MigStrategy> strategy) {
  if (const auto problem = problem_of(platform, a, called, count, strategy)) return Error{*problem};
  auto made = site_with(platform, a, called, count, is_mixed(platform, a, strategy));
  if (!made || platform == Platform::gke) return made;
  Site with_machine = *std::move(made);
  const auto all = machines_with(platform, a, count);
  const auto smallest = std::ranges::min_element(all, {}, &Machine::devices);
  if (smallest != all.end()) with_machine.machine_type = std::string(smallest->type);
  return with_machine;
}

}  // namespace cnsched::accelerators
