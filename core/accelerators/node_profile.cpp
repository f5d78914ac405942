// Each platform identifies accelerators in its own way: by a label that the platform or a labeller
// sets, by a label that the owner of the nodes sets, or, without such a label, by the machine type.
#include "core/accelerators/node_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/card.h"
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

/// The platform on which the labels with a prefix are set.
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

/// The names by current drivers. Names by old drivers begin with the model.
std::vector<std::string> current_names(const Card& card, Naming naming) {
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

/// The names by which records of machines list it. A name without size covers all sizes.
std::vector<std::string_view> whole_names(const Accelerator& a) {
  if (!a.has_open_size()) return {a.whole};
  std::vector<std::string_view> names;
  for (const CardSize& size : a.card->model->sizes) {
    names.push_back(any_card({a.card->model, size.gigabytes}, "")->product.name);
  }
  return names;
}

std::vector<Machine> machines_with(Platform platform, const Accelerator& a) {
  std::vector<Machine> found;
  const auto provider = provider_of(platform);
  if (!provider) return found;
  const auto names = whole_names(a);
  std::ranges::copy_if(records().machines, std::back_inserter(found), [&](const Machine& machine) {
    return machine.provider == *provider && is_one_of(machine.accelerator, names);
  });
  const bool same_as_card = found.empty() && a.exact_name != nullptr;
  return same_as_card ? machines_with(platform, *any_card(*a.card, "")) : found;
}

/// How many slices a device has; 1 for a whole device.
unsigned slices_per_device(const Accelerator& a) {
  return a.mig_profile.empty() ? 1 : find_mig_profile(*a.card, a.mig_profile)->per_card;
}

/// The machines with at least `count` of it.
std::vector<Machine> machines_with(Platform platform, const Accelerator& a, std::int64_t count) {
  auto found = machines_with(platform, a);
  std::erase_if(found, [&](const Machine& machine) {
    return std::int64_t{machine.devices} * slices_per_device(a) < count;
  });
  return found;
}

/// The size of a card; null if it is not known, or for a device.
const CardSize* size_of(const Accelerator& a) {
  return a.card ? a.card->model->find_size(a.card->gigabytes) : nullptr;
}

struct Maximum {
  std::int64_t count = 0;
  std::string machine;
};

std::optional<Maximum> maximum_on(Platform platform, const Accelerator& a) {
  const CardSize* size = size_of(a);
  if (platform == Platform::gke && size != nullptr && size->most_on_n1 != 0) {
    return Maximum{size->most_on_n1, "an N1 machine"};
  }
  const auto all = machines_with(platform, a);
  const auto largest = std::ranges::max_element(all, {}, &Machine::devices);
  if (largest == all.end()) return std::nullopt;
  return Maximum{std::int64_t{largest->devices} * slices_per_device(a), std::string(largest->type)};
}

bool is_autoscaled(const Accelerator& a) {
  const CardSize* size = size_of(a);
  return size != nullptr && !size->autoscaler.empty() && size->autoscaler == a.product.name;
}

bool is_tpu_of_one_host(const Device& device) {
  const auto& hosts = records().tpu_hosts;
  return std::ranges::find(hosts, device.name, &TpuHost::device) != hosts.end();
}

bool is_named_by_gke(const Accelerator& a) {
  return std::ranges::any_of(records().card_names, [&](const CardName& name) {
    return name.naming == Naming::gke && name.value == a.whole;
  });
}

std::string no(Platform platform, std::string_view requested) {
  return fmt::format("{} has no '{}'", title_of(platform), requested);
}

std::optional<std::string> reason_unavailable_on_gke(const Accelerator& a,
                                                     std::string_view requested) {
  if (a.device != nullptr) {
    if (!is_labelled_on(Platform::gke, *a.device)) return no(Platform::gke, requested);
    if (is_tpu_of_one_host(*a.device)) return std::nullopt;
    return fmt::format(
        "GKE has '{}' only in slices of several hosts, which a single pod cannot use", requested);
  }
  if (!is_named_by_gke(a)) return no(Platform::gke, requested);
  if (a.mig_profile.empty() || find_mig_profile(*a.card, a.mig_profile)->on_gke)
    return std::nullopt;
  return fmt::format("GKE has no '{0}': it does not offer MIG profile {2} of {1}", requested,
                     a.whole, a.mig_profile);
}

std::optional<std::string> reason_unavailable_on_karpenter(const Accelerator& a,
                                                           std::string_view requested) {
  if (!a.mig_profile.empty()) {
    return fmt::format("Karpenter launches no node for '{}': it does not support resource {}{}",
                       requested, kMigResource, a.mig_profile);
  }
  if (a.device == nullptr) {
    return karpenter_name(*a.card) ? std::nullopt
                                   : std::optional(no(Platform::karpenter, requested));
  }
  if (!is_labelled_on(Platform::karpenter, *a.device)) return no(Platform::karpenter, requested);
  if (a.device->vendor != Vendor::other) return std::nullopt;
  return fmt::format("Karpenter launches no node for '{}': it does not support resource {}",
                     requested, a.device->resource);
}

std::optional<std::string> reason_unavailable_on_operator(const Accelerator& a,
                                                          std::string_view requested) {
  if (a.card) {
    if (!current_names(*a.card, Naming::feature_discovery).empty()) return std::nullopt;
    return fmt::format("the name of '{}' in GPU feature discovery is not known", requested);
  }
  const Device& device = *a.device;
  if (device.vendor == Vendor::habana || is_labelled_on(Platform::gpu_operator, device)) {
    return std::nullopt;
  }
  if (device.vendor == Vendor::aws || device.vendor == Vendor::google) {
    return fmt::format("'{}' exists only in the cloud of its vendor", requested);
  }
  return fmt::format("the label of '{}' is not known", requested);
}

NodeProfile make_profile(std::string_view resource, std::vector<LabelDemand> demands,
                         LabelDemand elsewhere) {
  return {std::string(resource), std::move(demands), std::move(elsewhere), {}, std::nullopt};
}

NodeProfile profile_by_owner_label(std::string_view resource, std::string_view key,
                                   std::string value) {
  NodeProfile made = make_profile(resource, {in(key, {value})}, none_of(key));
  made.owner_labels = {{std::string(key), std::move(value)}};
  return made;
}

std::vector<std::string> types_of(const std::vector<Machine>& all) {
  std::vector<std::string> types;
  for (const Machine& machine : all) types.emplace_back(machine.type);
  return types;
}

/// On any machine type with at least `count`: the owner of the nodes may have chosen a larger one.
NodeProfile profile_by_machine_type(Platform platform, const Accelerator& a,
                                    std::string_view resource, std::int64_t count) {
  return make_profile(
      resource, {in(kMachineType, types_of(machines_with(platform, a, count)))},
      {std::string(kMachineType), Operator::not_in, types_of(machines_with(platform, a))});
}

Result<NodeProfile> tpu_profile(const Device& device, std::string_view requested,
                                std::int64_t count) {
  std::vector<std::string> counts;
  for (const TpuHost& host : records().tpu_hosts) {
    if (host.device != device.name) continue;
    if (host.chips == count) {
      return make_profile(device.resource,
                          {in(device.label_key, {std::string(device.label_value)}),
                           in(kGkeTopology, {std::string(host.topology)})},
                          none_of(device.label_key));
    }
    counts.push_back(std::to_string(host.chips));
  }
  return Error{
      fmt::format("a pod gets all chips of a host, and a host on GKE has {} of '{}', not {}",
                  join_words(counts, "or"), requested, count)};
}

Result<NodeProfile> gke_profile(const Accelerator& a, std::string_view requested,
                                std::string_view resource, std::int64_t count) {
  if (a.device != nullptr) return tpu_profile(*a.device, requested, count);
  NodeProfile made = make_profile(resource, {in(kGke, {a.whole})}, none_of(kGke));
  if (!a.mig_profile.empty())
    made.demands.push_back(in(kGkePartition, {std::string(a.mig_profile)}));
  return made;
}

/// Neuron's scheduler extension gives a pod of Trainium only some numbers of devices.
std::optional<std::string> count_problem(const Accelerator& a, std::string_view requested,
                                         std::int64_t count) {
  if (a.device == nullptr || a.device->counts.empty()) return std::nullopt;
  std::vector<std::string> counts;
  for (const unsigned possible : a.device->counts) {
    if (possible == count) return std::nullopt;
    counts.push_back(std::to_string(possible));
  }
  return fmt::format("Neuron's scheduler gives a pod {} of '{}', not {}", join_words(counts, "or"),
                     requested, count);
}

NodeProfile eks_profile(const Accelerator& a, std::string_view resource, std::int64_t count) {
  if (is_autoscaled(a)) return profile_by_owner_label(resource, kAutoscaler, a.product.name);
  return profile_by_machine_type(Platform::eks, a, resource, count);
}

NodeProfile karpenter_profile(const Accelerator& a, std::string_view resource) {
  if (a.device != nullptr) {
    return make_profile(resource, {in(a.device->label_key, {std::string(a.device->label_value)})},
                        none_of(a.device->label_key));
  }
  NodeProfile made = make_profile(resource, {in(kKarpenterGpu, {*karpenter_name(*a.card)})},
                                  none_of(kKarpenterGpu));
  if (!a.has_open_size() && current_names(*a.card, Naming::karpenter).empty()) {
    made.demands.push_back(
        in(kKarpenterMemory, {std::to_string(*mebibytes_of(*a.card, Naming::karpenter))}));
  }
  return made;
}

NodeProfile aks_profile(const Accelerator& a, std::string_view resource, std::int64_t count) {
  NodeProfile made = profile_by_machine_type(Platform::aks, a, resource, count);
  // AKS labels no nodes with accelerators of other vendors.
  if (a.product.vendor == Vendor::nvidia) made.elsewhere = none_of(kAks);
  return made;
}

/// With the single strategy the product names the slice, unless that makes the value too long.
std::vector<std::string> discovered_names(const Accelerator& a, bool mixed) {
  auto names = a.exact_name != nullptr ? std::vector<std::string>{std::string(a.exact_name->value)}
                                       : current_names(*a.card, Naming::feature_discovery);
  if (a.mig_profile.empty() || mixed) return names;
  for (std::string& name : names) name += fmt::format("-MIG-{}", a.mig_profile);
  std::erase_if(names,
                [](const std::string& name) { return bool(k8s::label_value_problem(name)); });
  return names;
}

NodeProfile operator_profile(const Accelerator& a, std::string_view resource, bool mixed) {
  if (a.device != nullptr) {
    if (a.device->label_key.empty()) return profile_by_owner_label(resource, kOwn, a.product.name);
    return make_profile(resource, {in(a.device->label_key, {std::string(a.device->label_value)})},
                        none_of(a.device->label_key));
  }
  NodeProfile made =
      make_profile(resource, {in(kDiscovered, discovered_names(a, mixed))}, none_of(kDiscovered));
  // The GPU operator has a configuration of this name for each profile.
  if (!a.mig_profile.empty()) {
    made.owner_labels = {{std::string(kMigConfig), fmt::format("all-{}", a.mig_profile)}};
  }
  return made;
}

/// With the mixed strategy the resource names the slices, and a node may have several kinds.
NodeProfile generic_profile(const Accelerator& a, std::string_view resource, bool mixed) {
  return profile_by_owner_label(resource, kOwn, mixed ? a.whole : a.product.name);
}

std::string resource_of(const Accelerator& a, bool mixed) {
  if (a.device != nullptr) return std::string(a.device->resource);
  if (!mixed) return std::string(find_plugin(Vendor::nvidia)->resource);
  return fmt::format("{}{}", kMigResource, a.mig_profile);
}

/// Whether each kind of slice is a separate resource.
bool is_mixed(Platform platform, const Accelerator& a, std::optional<MigStrategy> strategy) {
  if (a.mig_profile.empty() || platform == Platform::gke) return false;
  const auto usual = platform == Platform::gpu_operator ? MigStrategy::single : MigStrategy::mixed;
  return strategy.value_or(usual) == MigStrategy::mixed;
}

/// Why the platform does not support the strategy.
std::optional<std::string> problem_of_strategy(Platform platform, MigStrategy strategy) {
  const bool by_machine = platform == Platform::eks || platform == Platform::aks;
  if (platform == Platform::gke && strategy == MigStrategy::mixed) {
    return "GKE advertises MIG slices as nvidia.com/gpu and does not support the mixed strategy";
  }
  if (!by_machine || strategy == MigStrategy::mixed) return std::nullopt;
  return fmt::format(
      "with the single strategy no label on nodes of {} distinguishes slices from whole cards",
      title_of(platform));
}

std::optional<std::string> problem_of(Platform platform, const Accelerator& a,
                                      std::string_view requested, std::int64_t count,
                                      std::optional<MigStrategy> strategy) {
  if (!a.mig_profile.empty() && strategy) {
    if (auto problem = problem_of_strategy(platform, *strategy)) return problem;
  }
  const auto most = maximum_on(platform, a);
  if (!most || count <= most->count) return count_problem(a, requested, count);
  return fmt::format("{} has at most {} of '{}' in one machine ({}), not {}", title_of(platform),
                     most->count, requested, most->machine, count);
}

Result<NodeProfile> profile_on(Platform platform, const Accelerator& a, std::string_view requested,
                               std::int64_t count, bool mixed) {
  const std::string resource = resource_of(a, mixed);
  switch (platform) {
    case Platform::gke:
      return gke_profile(a, requested, resource, count);
    case Platform::eks:
      return eks_profile(a, resource, count);
    case Platform::karpenter:
      return karpenter_profile(a, resource);
    case Platform::aks:
      return aks_profile(a, resource, count);
    case Platform::gpu_operator:
      return operator_profile(a, resource, mixed);
    case Platform::generic:
      break;
  }
  return generic_profile(a, resource, mixed);
}

}  // namespace

std::optional<std::string> karpenter_name(const Card& card) {
  for (const Card& named : {card, Card{card.model, 0}}) {
    auto names = current_names(named, Naming::karpenter);
    if (names.empty()) continue;
    const bool is_certain = named == card || mebibytes_of(card, Naming::karpenter);
    if (is_certain) return std::move(names.front());
  }
  return std::nullopt;
}

std::string_view title_of(Platform platform) {
  constexpr auto kTitles = std::to_array<std::string_view>(
      {"GKE", "EKS", "Karpenter", "AKS", "gpu-operator", "a generic cluster"});
  return kTitles[static_cast<std::size_t>(platform)];
}

const Accelerator& as_named_on(Platform platform, const Accelerator& a) {
  if (a.exact_name == nullptr) return a;
  const auto writer = a.exact_name->naming == Naming::gke ? Platform::gke : Platform::gpu_operator;
  return platform == writer ? a : *any_card(*a.card, a.mig_profile);
}

std::optional<std::string> reason_unavailable(Platform platform, const Accelerator& accelerator,
                                              std::string_view requested) {
  const Accelerator& a = as_named_on(platform, accelerator);
  switch (platform) {
    case Platform::gke:
      return reason_unavailable_on_gke(a, requested);
    case Platform::karpenter:
      return reason_unavailable_on_karpenter(a, requested);
    case Platform::gpu_operator:
      return reason_unavailable_on_operator(a, requested);
    case Platform::eks:
    case Platform::aks: {
      const bool has = (platform == Platform::eks && is_autoscaled(a)) || maximum_on(platform, a);
      return has ? std::nullopt : std::optional(no(platform, requested));
    }
    case Platform::generic:
      break;
  }
  return std::nullopt;
}

Result<NodeProfile> node_profile(Platform platform, const Accelerator& a,
                                 std::string_view requested, std::int64_t count,
                                 std::optional<MigStrategy> strategy) {
  if (const auto problem = problem_of(platform, a, requested, count, strategy))
    return Error{*problem};
  auto made = profile_on(platform, a, requested, count, is_mixed(platform, a, strategy));
  if (!made || platform == Platform::gke) return made;
  NodeProfile with_machine = *std::move(made);
  const auto all = machines_with(platform, a, count);
  const auto smallest = std::ranges::min_element(all, {}, &Machine::devices);
  if (smallest != all.end()) with_machine.machine_type = std::string(smallest->type);
  return with_machine;
}

}  // namespace cnsched::accelerators
