// What a pod has to say is put together from where the platform has each accelerator (site.h), as
// long as one set of demands on labels can tell all of them, and nothing else.
#include "core/accelerators/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "core/accelerators/asked.h"
#include "core/accelerators/product.h"
#include "core/accelerators/site.h"
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
     "label are told by the machine type"},
    {"karpenter",
     "Amazon EKS with Karpenter: it labels the nodes, and taints them as its NodePool "
     "says"},
    {"aks",
     "Azure Kubernetes Service: cards are told by the machine type; the owner taints the "
     "nodes"},
    {"gpu-operator",
     "own hardware with NVIDIA's GPU operator, or the plugin and labeller of AMD "
     "or Intel: they label the nodes, the owner taints them"},
    {"generic", "any cluster whose owner labels the nodes 'accelerator: NAME'"},
});

constexpr auto kPlatforms =
    std::to_array<Platform>({Platform::gke, Platform::eks, Platform::karpenter, Platform::aks,
                             Platform::gpu_operator, Platform::generic});

/// One of the accelerators that are wanted.
struct Part {
  const Accelerator* accelerator;
  std::string called;  ///< by the user
  Site site;
};

Result<Part> part_of(Platform platform, const std::string& called, const Wanted& wanted) {
  const auto found = find_on(platform, called);
  if (!found) return found.error();
  auto site = site_of(platform, **found, called, wanted.count, wanted.mig_strategy);
  if (!site) return site.error();
  return Part{*found, called, *std::move(site)};
}

LabelDemand* demand_on(Site& site, std::string_view key) {
  const auto found = std::ranges::find(site.demands, key, &LabelDemand::key);
  return found == site.demands.end() ? nullptr : &*found;
}

/// Karpenter calls cards of several sizes by one name. As soon as one of them is told by its memory
/// as well, all have to be.
void tell_memory(std::vector<Part>& parts) {
  const auto tells = [](Part& part) { return demand_on(part.site, kKarpenterMemory) != nullptr; };
  if (std::ranges::none_of(parts, tells)) return;
  for (Part& part : parts) {
    if (tells(part) || !part.accelerator->card) continue;
    const auto size = mebibytes_of(*part.accelerator->card, Naming::karpenter);
    if (!size) continue;
    part.site.demands.push_back(
        {std::string(kKarpenterMemory), Operator::in, {std::to_string(*size)}});
  }
}

void add_new(std::vector<std::string>& values, const std::vector<std::string>& more) {
  for (const std::string& value : more) {
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
}

/// Whether the two are told by the same labels.
bool same_keys(const Site& a, const Site& b) {
  return std::ranges::equal(a.demands, b.demands, {}, &LabelDemand::key, &LabelDemand::key);
}

bool accepts(const std::vector<LabelDemand>& demands, const Site& site) {
  return std::ranges::all_of(site.demands, [&](const LabelDemand& of_site) {
    const auto demand = std::ranges::find(demands, of_site.key, &LabelDemand::key);
    return demand == demands.end() || std::ranges::any_of(of_site.values, [&](const auto& value) {
             return std::ranges::find(demand->values, value) != demand->values.end();
           });
  });
}

/// A card that the demands let in together although neither of two lets it in: they ask for this
/// name or that, and this size or that, in whatever pairs.
const Accelerator* let_in_unasked(const std::vector<LabelDemand>& demands,
                                  const std::vector<Part>& parts) {
  for (const Accelerator& a : all_accelerators()) {
    if (a.spelled != nullptr || a.is_open() || !a.card) continue;
    if (lack_of(Platform::karpenter, a, a.product.name)) continue;
    const auto site = site_of(Platform::karpenter, a, a.product.name, 1, std::nullopt);
    std::vector<Part> one = {parts.front(), Part{&a, a.product.name, *site}};
    tell_memory(one);
    const bool asked = std::ranges::any_of(
        parts, [&](const Part& part) { return part.accelerator->product.name == a.product.name; });
    if (!asked && accepts(demands, one.back().site)) return &a;
  }
  return nullptr;
}

std::optional<std::string> clash(const Part& first, const Part& other) {
  const auto say = [&](std::string_view why) {
    return fmt::format("'{}' and '{}' are {}", first.called, other.called, why);
  };
  if (first.site.resource != other.site.resource) return say("asked for by different resources");
  if (!same_keys(first.site, other.site)) return say("told by different labels");
  return std::nullopt;
}

/// Adds what the other accelerators are told by to the demands of the first.
Result<std::vector<LabelDemand>> joined(const std::vector<Part>& parts) {
  std::vector<LabelDemand> demands = parts.front().site.demands;
  for (const Part& part : parts) {
    if (const auto why = clash(parts.front(), part)) return Error{*why};
    for (std::size_t i = 0; i < demands.size(); ++i) {
      add_new(demands[i].values, part.site.demands[i].values);
    }
  }
  const auto has_choice = [](const LabelDemand& demand) { return demand.values.size() > 1; };
  if (parts.size() < 2 || std::ranges::count_if(demands, has_choice) < 2) return demands;
  const bool by_karpenter = demands.back().key == kKarpenterGpu;
  const Accelerator* unasked = by_karpenter ? let_in_unasked(demands, parts) : nullptr;
  if (by_karpenter && unasked == nullptr) return demands;
  return Error{fmt::format(
      "'{}' and '{}' are told by two labels each; they would need a term of their own each, and "
      "cnsched writes one term{}",
      parts.front().called, parts.back().called,
      unasked == nullptr ? "" : fmt::format(", which lets in {} as well", unasked->product.name))};
}

std::optional<std::string_view> memory_label(Platform platform, const Accelerator& a) {
  if (platform == Platform::gpu_operator && a.card) return kDiscoveredMemory;
  const bool is_told = a.card || a.device->mebibytes != 0;
  if (platform == Platform::karpenter && is_told) return kKarpenterMemory;
  return std::nullopt;
}

/// What the label of memory says of it there, if that is known.
std::optional<unsigned> exact_memory(Platform platform, const Accelerator& a) {
  if (!a.card) return a.device->mebibytes;
  const bool by_karpenter = platform == Platform::karpenter;
  return mebibytes_of(*a.card, by_karpenter ? Naming::karpenter : Naming::feature_discovery);
}

std::optional<std::string> too_small(Platform platform, const Part& part, std::int64_t wanted) {
  const Accelerator& a = *part.accelerator;
  const auto exact = exact_memory(platform, a);
  const auto has =
      static_cast<std::int64_t>(exact ? std::uint64_t{*exact} : mebibytes_at_most(*a.card));
  if (has > wanted) return std::nullopt;
  return fmt::format("'{}' has {}{} MiB of memory, not more than {}", part.called,
                     exact ? "" : "at most ", has, wanted);
}

/// What keeps the platform from choosing by memory.
std::optional<std::string> memory_problem(Platform platform, const Part& part,
                                          std::int64_t wanted) {
  if (!part.accelerator->profile.empty()) {
    return fmt::format("'{}' has the memory that its profile tells; choose another profile instead",
                       part.called);
  }
  if (memory_label(platform, *part.accelerator)) return too_small(platform, part, wanted);
  if (platform == Platform::gpu_operator || platform == Platform::karpenter) {
    return fmt::format("no label on nodes with '{}' tells the memory of their cards as a number",
                       part.called);
  }
  return fmt::format("no label on the nodes of {} tells the memory of their cards",
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
  // Exact sizes are demanded already, and each of them is larger.
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
  // The example of Microsoft's pages.
  taint.key = platform == Platform::aks ? "sku" : std::string(resource);
  taint.value = kValues[static_cast<std::size_t>(platform)];
  return taint;
}

/// Whether the platform turns on an admission plugin that lets pods tolerate the taint whose key is
/// the resource they ask for.
bool tolerates_resources(Platform platform) {
  return platform != Platform::gpu_operator && platform != Platform::generic;
}

/// The value counts only where the key may be used for other purposes too.
NodeToleration toleration_of(Platform platform, const NodeTaint& taint) {
  return {taint.key, platform == Platform::aks ? taint.value : ""};
}

/// GKE taints its Arm machines as well, and these cards are in no others.
bool is_on_arm_at_gke(const Accelerator& a) {
  return a.card && (a.card->model->name == "GB200" || a.card->model->name == "GB300");
}

/// Those of one resource have one taint.
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

/// Of whole accelerators alone the strategy says nothing.
std::optional<std::string> problem_of_strategy(const std::vector<Part>& parts) {
  const auto is_whole = [](const Part& part) { return part.accelerator->profile.empty(); };
  if (!std::ranges::all_of(parts, is_whole)) return std::nullopt;
  const Part& first = parts.front();
  return fmt::format("'{}' is a whole {}, and the MIG strategy is for slices", first.called,
                     first.accelerator->card ? "card" : "device");
}

Placement made_of(Platform platform, const std::vector<Part>& parts,
                  std::vector<LabelDemand> demands) {
  Placement placement;
  const Part& first = parts.front();
  placement.vendor = first.accelerator->product.vendor;
  placement.resource = first.site.resource;
  std::ranges::sort(demands, {}, &LabelDemand::key);
  placement.demands = std::move(demands);
  LabelDemand elsewhere = first.site.elsewhere;
  for (const Part& part : parts) {
    placement.accelerators.push_back(part.accelerator->product.name);
    add_new(elsewhere.values, part.site.elsewhere.values);
  }
  placement.elsewhere = {std::move(elsewhere)};
  placement.to_be_labelled = first.site.by_owner;
  placement.machine_type = first.site.machine_type;
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

Result<Placement> place(Platform platform, const Wanted& wanted) {
  if (wanted.accelerators.empty() || wanted.count < 1) {
    throw std::logic_error("place: no accelerator is wanted");
  }
  std::vector<Part> parts;
  for (const std::string& name : wanted.accelerators) {
    auto part = part_of(platform, name, wanted);
    if (!part) return part.error();
    const bool again = std::ranges::any_of(
        parts, [&](const Part& other) { return other.accelerator == part->accelerator; });
    if (!again) parts.push_back(*std::move(part));
  }
  if (wanted.mig_strategy) {
    if (const auto why = problem_of_strategy(parts)) return Error{*why};
  }
  tell_memory(parts);
  for (Part& part : parts) std::ranges::sort(part.site.demands, {}, &LabelDemand::key);
  auto demands = demands_of(platform, parts, wanted.more_than_mebibytes);
  if (!demands) return demands.error();
  return made_of(platform, parts, *std::move(demands));
}

std::optional<std::string> refusal(Platform platform, const Product& product) {
  return lack_on(platform, product.name);
}

}  // namespace cnsched::accelerators
