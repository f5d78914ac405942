// A placement combines the node profiles of all requested accelerators. That works only if one set
// of demands on labels matches the nodes of all of them and no others.
//
// A name may cover several sizes of a card. Karpenter has such names itself; on other platforms the
// name is enough if the platform has one size only.
#include "core/accelerators/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "core/accelerators/node_profile.h"
#include "core/accelerators/product.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

using Operator = LabelDemand::Operator;

constexpr std::string_view kDiscoveredMemory = "nvidia.com/gpu.memory";

struct PlatformText {
  std::string_view name;
  std::string_view description;
};

constexpr auto kTexts = std::to_array<PlatformText>({
    {"gke", "Google Kubernetes Engine: GKE labels and taints the nodes itself"},
    {"eks",
     "Amazon EKS with node groups: their owner labels and taints the nodes; cards without a usual "
     "label are identified by the machine type"},
    {"karpenter",
     "Amazon EKS with Karpenter: Karpenter labels the nodes, and taints them as the NodePool "
     "specifies"},
    {"aks",
     "Azure Kubernetes Service: cards are identified by the machine type; the owner taints the "
     "nodes"},
    {"gpu-operator",
     "own hardware with NVIDIA's GPU operator, or the plugin and labeller of AMD "
     "or Intel: these label the nodes, the owner taints them"},
    {"generic", "any cluster whose owner labels the nodes 'accelerator: NAME'"},
});

constexpr auto kPlatforms =
    std::to_array<Platform>({Platform::gke, Platform::eks, Platform::karpenter, Platform::aks,
                             Platform::gpu_operator, Platform::generic});

using Accelerators = std::vector<const Accelerator*>;

/// The distance of `other` from the requested accelerator: by vendor, then model, then generation,
/// then size.
auto distance(const Accelerator& requested, const Accelerator& other) {
  const bool cards = requested.card && other.card;
  const unsigned a = cards ? requested.card->gigabytes : 0;
  const unsigned b = cards ? other.card->gigabytes : 0;
  const bool model = cards && requested.card->model == other.card->model;
  const bool family = cards && requested.card->model->family == other.card->model->family;
  return std::tuple(requested.product.vendor != other.product.vendor, !model, !family,
                    a > b ? a - b : b - a);
}

/// What the platform has instead, the nearest first; for a slice only slices, if it has any.
Accelerators alternatives(Platform platform, const Accelerator& requested, bool slices) {
  Accelerators found;
  for (const Accelerator& a : all_accelerators()) {
    if (a.exact_name != nullptr || a.mig_profile.empty() == slices) continue;
    if (a.has_open_size() && platform != Platform::karpenter) continue;
    if (reason_unavailable(platform, a, a.product.name)) continue;
    found.push_back(&a);
  }
  if (found.empty() && slices) return alternatives(platform, requested, false);
  std::ranges::stable_sort(found, [&](const Accelerator* a, const Accelerator* b) {
    return distance(requested, *a) < distance(requested, *b);
  });
  return found;
}

std::string names_of_alternatives(Platform platform, const Accelerator& requested) {
  constexpr std::size_t kMaxNames = 8;
  const auto all = alternatives(platform, requested, !requested.mig_profile.empty());
  std::vector<std::string> names;
  for (const Accelerator* a : all) names.push_back(a->product.name);
  return join_words(names, "and", kMaxNames);
}

/// The accelerators that the name may mean, one for each size.
Result<Accelerators> meanings(Platform platform, std::string_view requested) {
  const auto found = find_accelerator(requested);
  const bool is_open = found && (*found)->has_open_size() && platform != Platform::karpenter;
  if (found && !is_open) return Accelerators{&as_named_on(platform, **found)};
  auto sizes = sizes_of(requested);
  if (sizes.empty()) return found.error();
  return sizes;
}

Accelerators available(Platform platform, Accelerators all, std::string_view requested) {
  std::erase_if(
      all, [&](const Accelerator* a) { return bool(reason_unavailable(platform, *a, requested)); });
  return all;
}

std::string open_size(Platform platform, std::string_view requested, const Accelerators& sizes) {
  return fmt::format("'{}' exists in several sizes; on {} choose {}", requested, title_of(platform),
                     choice_of(sizes));
}

/// Why the platform has nothing of this name; nothing if it does.
std::optional<std::string> reason_name_unavailable(Platform platform, std::string_view requested) {
  const auto all = meanings(platform, requested);
  if (!all) return all.error().message;
  const auto found = available(platform, *all, requested);
  if (found.size() > 1) return open_size(platform, requested, found);
  return found.empty() ? reason_unavailable(platform, *all->front(), requested) : std::nullopt;
}

/// The accelerator of this name on the platform. Fails with the reason and the nearest
/// alternatives.
Result<const Accelerator*> find_on(Platform platform, std::string_view requested) {
  const auto all = meanings(platform, requested);
  if (!all) return all.error();
  const auto found = available(platform, *all, requested);
  if (found.size() == 1) return found.front();
  const std::string why = *reason_name_unavailable(platform, requested);
  if (!found.empty()) return Error{why};
  const std::string_view title = title_of(platform);
  return Error{fmt::format("{}; {} has {}", why, why.starts_with(title) ? "it" : title,
                           names_of_alternatives(platform, *all->front()))};
}

/// One of the requested accelerators.
struct Part {
  const Accelerator* accelerator;
  std::string requested;  ///< the name in the request
  NodeProfile profile;
};

Result<Part> part_of(Platform platform, const std::string& requested,
                     const PlacementRequest& request) {
  const auto found = find_on(platform, requested);
  if (!found) return found.error();
  auto profile = node_profile(platform, **found, requested, request.count, request.mig_strategy);
  if (!profile) return profile.error();
  return Part{*found, requested, *std::move(profile)};
}

LabelDemand* demand_on(NodeProfile& profile, std::string_view key) {
  const auto found = std::ranges::find(profile.demands, key, &LabelDemand::key);
  return found == profile.demands.end() ? nullptr : &*found;
}

/// Karpenter has one name for several sizes of a card. If one part also demands memory, all parts
/// must, because their demands are combined.
void add_memory_demands(std::vector<Part>& parts) {
  const auto has_memory = [](Part& part) {
    return demand_on(part.profile, kKarpenterMemory) != nullptr;
  };
  if (std::ranges::none_of(parts, has_memory)) return;
  for (Part& part : parts) {
    if (has_memory(part) || !part.accelerator->card) continue;
    const auto size = mebibytes_of(*part.accelerator->card, Naming::karpenter);
    if (!size) continue;
    part.profile.demands.push_back(
        {std::string(kKarpenterMemory), Operator::in, {std::to_string(*size)}});
  }
}

void add_new(std::vector<std::string>& values, const std::vector<std::string>& more) {
  for (const std::string& value : more) {
    if (!is_one_of(value, values)) values.push_back(value);
  }
}

/// Whether both have demands on the same labels.
bool same_keys(const NodeProfile& a, const NodeProfile& b) {
  return std::ranges::equal(a.demands, b.demands, {}, &LabelDemand::key, &LabelDemand::key);
}

bool accepts(const std::vector<LabelDemand>& demands, const NodeProfile& profile) {
  return std::ranges::all_of(profile.demands, [&](const LabelDemand& of_profile) {
    const auto demand = std::ranges::find(demands, of_profile.key, &LabelDemand::key);
    return demand == demands.end() ||
           std::ranges::any_of(of_profile.values,
                               [&](const auto& value) { return is_one_of(value, demand->values); });
  });
}

/// A card that matches the combined demands although it was not requested, because they allow every
/// pair of a listed name and a listed memory size; null if there is none.
const Accelerator* find_unrequested_match(const std::vector<LabelDemand>& demands,
                                          const std::vector<Part>& parts) {
  for (const Accelerator& a : all_accelerators()) {
    if (a.exact_name != nullptr || a.has_open_size() || !a.card) continue;
    if (reason_unavailable(Platform::karpenter, a, a.product.name)) continue;
    const auto profile = node_profile(Platform::karpenter, a, a.product.name, 1, std::nullopt);
    std::vector<Part> one = {parts.front(), Part{&a, a.product.name, *profile}};
    add_memory_demands(one);
    const bool is_requested = std::ranges::any_of(
        parts, [&](const Part& part) { return part.accelerator->product.name == a.product.name; });
    if (!is_requested && accepts(demands, one.back().profile)) return &a;
  }
  return nullptr;
}

/// Why two accelerators cannot be alternatives in one pod.
std::optional<std::string> conflict_between(const Part& first, const Part& other) {
  const auto say = [&](std::string_view why) {
    return fmt::format("'{}' and '{}' are {}", first.requested, other.requested, why);
  };
  if (first.profile.resource != other.profile.resource)
    return say("requested by different resources");
  if (!same_keys(first.profile, other.profile)) return say("identified by different labels");
  return std::nullopt;
}

/// The demands that the nodes of any of the accelerators meet.
Result<std::vector<LabelDemand>> joined(const std::vector<Part>& parts) {
  std::vector<LabelDemand> demands = parts.front().profile.demands;
  for (const Part& part : parts) {
    if (const auto why = conflict_between(parts.front(), part)) return Error{*why};
    for (std::size_t i = 0; i < demands.size(); ++i) {
      add_new(demands[i].values, part.profile.demands[i].values);
    }
  }
  const auto has_choice = [](const LabelDemand& demand) { return demand.values.size() > 1; };
  if (parts.size() < 2 || std::ranges::count_if(demands, has_choice) < 2) return demands;
  const bool by_karpenter = demands.back().key == kKarpenterGpu;
  const Accelerator* unrequested = by_karpenter ? find_unrequested_match(demands, parts) : nullptr;
  if (by_karpenter && unrequested == nullptr) return demands;
  return Error{fmt::format(
      "'{}' and '{}' are identified by two labels each, so each needs its own term, and cnsched "
      "writes one term{}",
      parts.front().requested, parts.back().requested,
      unrequested == nullptr ? ""
                             : fmt::format(", which also matches {}", unrequested->product.name))};
}

std::optional<std::string_view> memory_label(Platform platform, const Accelerator& a) {
  if (platform == Platform::gpu_operator && a.card) return kDiscoveredMemory;
  const bool is_labelled = a.card || a.device->karpenter_mib != 0;
  if (platform == Platform::karpenter && is_labelled) return kKarpenterMemory;
  return std::nullopt;
}

/// The value of the memory label, if it is known.
std::optional<unsigned> exact_memory(Platform platform, const Accelerator& a) {
  if (!a.card) return a.device->karpenter_mib;
  const bool by_karpenter = platform == Platform::karpenter;
  return mebibytes_of(*a.card, by_karpenter ? Naming::karpenter : Naming::feature_discovery);
}

std::optional<std::string> too_small(Platform platform, const Part& part, std::int64_t minimum) {
  const Accelerator& a = *part.accelerator;
  const auto exact = exact_memory(platform, a);
  const auto has =
      static_cast<std::int64_t>(exact ? std::uint64_t{*exact} : mebibytes_at_most(*a.card));
  if (has > minimum) return std::nullopt;
  return fmt::format("'{}' has {}{} MiB of memory, not more than {}", part.requested,
                     exact ? "" : "at most ", has, minimum);
}

/// Why the platform cannot select by memory.
std::optional<std::string> memory_problem(Platform platform, const Part& part,
                                          std::int64_t minimum) {
  if (!part.accelerator->mig_profile.empty()) {
    return fmt::format(
        "the MIG profile of '{}' determines its memory; choose another profile instead",
        part.requested);
  }
  if (memory_label(platform, *part.accelerator)) return too_small(platform, part, minimum);
  if (platform == Platform::gpu_operator || platform == Platform::karpenter) {
    return fmt::format("no label on nodes with '{}' has the memory of their cards as a number",
                       part.requested);
  }
  return fmt::format("no label on the nodes of {} has the memory of their cards",
                     title_of(platform));
}

Result<std::vector<LabelDemand>> demands_of(Platform platform, const std::vector<Part>& parts,
                                            std::optional<std::int64_t> more_than) {
  auto demands = joined(parts);
  if (!demands || !more_than) return demands;
  for (const Part& part : parts) {
    if (const auto why = memory_problem(platform, part, *more_than)) {
      return Error{*why};
    }
  }
  std::vector<LabelDemand> all = *std::move(demands);
  const std::string_view key = *memory_label(platform, *parts.front().accelerator);
  // Otherwise exact sizes are demanded already, and all of them are larger.
  if (std::ranges::find(all, key, &LabelDemand::key) == all.end()) {
    all.push_back({std::string(key), Operator::greater_than, {std::to_string(*more_than)}});
  }
  return all;
}

NodeTaint taint_of(Platform platform, const Accelerator& a) {
  constexpr auto kValues =
      std::to_array<std::string_view>({"present", "true", "true", "gpu", "present", "present"});
  const std::string_view resource =
      a.device != nullptr ? a.device->resource : find_plugin(Vendor::nvidia)->tolerated_taint;
  NodeTaint taint;
  // As in the examples of Microsoft's pages.
  taint.key = platform == Platform::aks ? "sku" : std::string(resource);
  taint.value = kValues[static_cast<std::size_t>(platform)];
  return taint;
}

/// Whether the platform enables ExtendedResourceToleration: pods tolerate the taint whose key is
/// the resource that they request.
bool tolerates_resources(Platform platform) {
  return platform != Platform::gpu_operator && platform != Platform::generic;
}

/// The value is needed only where the key may have other uses.
NodeToleration toleration_of(Platform platform, const NodeTaint& taint) {
  return {taint.key, platform == Platform::aks ? taint.value : ""};
}

/// GKE taints its Arm machines as well.
bool is_on_arm_at_gke(const Accelerator& a) { return a.card && a.card->model->arm_on_gke; }

/// Accelerators of one resource have one taint.
void set_taint(Placement& placement, Platform platform, const std::vector<Part>& parts) {
  placement.taint = taint_of(platform, *parts.front().accelerator);
  placement.tolerated_by_admission =
      tolerates_resources(platform) && placement.taint.key == placement.resource;
  if (!placement.tolerated_by_admission) {
    placement.tolerations.push_back(toleration_of(platform, placement.taint));
  }
  const bool on_arm = std::ranges::any_of(
      parts, [](const Part& part) { return is_on_arm_at_gke(*part.accelerator); });
  if (platform == Platform::gke && on_arm) {
    placement.tolerations.push_back({"kubernetes.io/arch", "arm64"});
  }
  placement.plugin_tolerations = {{placement.taint.key, ""}};
}

/// The strategy needs at least one slice in the request.
std::optional<std::string> problem_of_strategy(const std::vector<Part>& parts) {
  const auto is_whole = [](const Part& part) { return part.accelerator->mig_profile.empty(); };
  if (!std::ranges::all_of(parts, is_whole)) return std::nullopt;
  const Part& first = parts.front();
  return fmt::format("'{}' is a whole {}; a MIG strategy applies to slices only", first.requested,
                     first.accelerator->card ? "card" : "device");
}

Placement made_of(Platform platform, const std::vector<Part>& parts,
                  std::vector<LabelDemand> demands) {
  Placement placement;
  const Part& first = parts.front();
  placement.vendor = first.accelerator->product.vendor;
  placement.resource = first.profile.resource;
  std::ranges::sort(demands, {}, &LabelDemand::key);
  placement.demands = std::move(demands);
  LabelDemand elsewhere = first.profile.elsewhere;
  for (const Part& part : parts) {
    placement.accelerators.push_back(part.accelerator->product.name);
    add_new(elsewhere.values, part.profile.elsewhere.values);
  }
  placement.elsewhere = {std::move(elsewhere)};
  placement.owner_labels = first.profile.owner_labels;
  placement.machine_type = first.profile.machine_type;
  set_taint(placement, platform, parts);
  return placement;
}

}  // namespace

std::string_view name_of(Platform platform) {
  return kTexts[static_cast<std::size_t>(platform)].name;
}

std::string_view describe(Platform platform) {
  return kTexts[static_cast<std::size_t>(platform)].description;
}

std::span<const Platform> platforms() { return kPlatforms; }

std::optional<Platform> platform_named(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kPlatforms, [&](Platform platform) { return name_of(platform) == name; });
  return found == kPlatforms.end() ? std::nullopt : std::optional(*found);
}

Result<Placement> place(Platform platform, const PlacementRequest& request) {
  if (request.accelerators.empty() || request.count < 1) {
    throw std::logic_error("place: no accelerator is requested");
  }
  std::vector<Part> parts;
  for (const std::string& name : request.accelerators) {
    auto part = part_of(platform, name, request);
    if (!part) return part.error();
    const bool again = std::ranges::any_of(
        parts, [&](const Part& other) { return other.accelerator == part->accelerator; });
    if (!again) parts.push_back(*std::move(part));
  }
  if (request.mig_strategy) {
    if (const auto why = problem_of_strategy(parts)) return Error{*why};
  }
  add_memory_demands(parts);
  for (Part& part : parts) std::ranges::sort(part.profile.demands, {}, &LabelDemand::key);
  auto demands = demands_of(platform, parts, request.more_than_mebibytes);
  if (!demands) return demands.error();
  return made_of(platform, parts, *std::move(demands));
}

std::optional<std::string> reason_unavailable(Platform platform, const Product& product) {
  return reason_name_unavailable(platform, product.name);
}

}  // namespace cnsched::accelerators
