// Only what no node can be is told, so every alternative that a requirement leaves open has to
// fail, and what one of them names is not known fails nothing.
#include "core/accelerators/misfit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/instance_type.h"
#include "core/accelerators/mig.h"
#include "core/accelerators/node_trait.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/node_label.h"

namespace cnsched::accelerators {

namespace {

using k8s::Requirement;

constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kPartition = "cloud.google.com/gke-gpu-partition-size";
constexpr std::string_view kMigSuffix = "-MIG-";

/// What a requirement of one label leaves open: the values of In. Empty if one is not known.
std::vector<std::string_view> values_of(const Requirement& r) {
  std::vector<std::string_view> values;
  if (r.op != "In") return values;
  for (const yaml::Node* value : r.values) {
    if (!value->is_scalar() || k8s::is_placeholder(value->text())) return {};
    values.push_back(value->text());
  }
  return values;
}

/// The cards that it leaves open. Empty if one of them is not known.
std::vector<Card> cards_of(const Requirement& r) {
  std::vector<Card> cards;
  for (const std::string_view value : values_of(r)) {
    const auto card = card_told_by(r.key, value);
    if (!card) return {};
    cards.push_back(*card);
  }
  return cards;
}

/// "L4 or T4".
std::string names_of(const std::vector<Card>& cards) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Card& card : cards) {
    std::string name = name_of(card);
    if (std::ranges::find(names, name) == names.end() && names.size() < kMost) {
      names.push_back(std::move(name));
    }
  }
  return join_words(names, "or");
}

/// Why none of the cards gives such a slice. Profiles that no known card has are another mistake.
std::optional<Misfit> misfit_of_profile(const std::vector<Card>& cards, std::string_view profile) {
  if (cards.empty() || !is_mig_profile(profile)) return std::nullopt;
  if (std::ranges::any_of(cards, [&](const Card& c) { return has_mig_profile(c, profile); })) {
    return std::nullopt;
  }
  const std::string profiles = mig_profiles_of(cards.front());
  if (profiles.empty()) {
    return Misfit{fmt::format("{} cannot be cut into MIG slices", names_of(cards)),
                  fmt::format("choose {}, or do without MIG", cards_with_mig_profile(profile))};
  }
  return Misfit{fmt::format("{} has no MIG profile {}", names_of(cards), profile),
                cards.size() == 1
                    ? fmt::format("{} is cut into {}", name_of(cards.front()), profiles)
                    : fmt::format("{} has that profile", cards_with_mig_profile(profile))};
}

bool tells_memory(std::string_view key) {
  return key == "nvidia.com/gpu.memory" || key.ends_with("/instance-gpu-memory");
}

/// The least number that satisfies the requirement, as far as it bounds it from below.
std::optional<long long> least_of(const Requirement& r) {
  if (r.op == "Gt" && r.values.size() == 1) {
    const auto bound = k8s::parse_int64(r.values.front()->text());
    if (!bound || *bound == std::numeric_limits<long long>::max()) return std::nullopt;
    return *bound + 1;
  }
  std::optional<long long> least;
  for (const std::string_view value : values_of(r)) {
    const auto number = k8s::parse_int64(value);
    if (!number) return std::nullopt;
    least = std::min(least.value_or(*number), *number);
  }
  return least;
}

/// The greatest number that satisfies the requirement, as far as it bounds it from above.
std::optional<long long> most_of(const Requirement& r) {
  if (r.op == "Lt" && r.values.size() == 1) {
    const auto bound = k8s::parse_int64(r.values.front()->text());
    if (!bound || *bound <= 0) return std::nullopt;
    return *bound - 1;
  }
  std::optional<long long> most;
  for (const std::string_view value : values_of(r)) {
    const auto number = k8s::parse_int64(value);
    if (!number) return std::nullopt;
    most = std::max(most.value_or(*number), *number);
  }
  return most;
}

std::optional<Misfit> misfit_of_memory(const Requirement& memory, const Requirement& product) {
  const auto cards = cards_of(product);
  const auto least = tells_memory(memory.key) ? least_of(memory) : std::nullopt;
  if (cards.empty() || !least || *least <= 0) return std::nullopt;
  unsigned long long most = 0;
  for (const Card& card : cards) most = std::max(most, mebibytes_at_most(card));
  if (static_cast<unsigned long long>(*least) <= most) return std::nullopt;
  return Misfit{fmt::format("the label counts MiB, and {} has at most {}", names_of(cards), most),
                "leave the memory out: the product tells it"};
}

std::optional<Misfit> misfit_of_family(const Requirement& family, const Requirement& product) {
  const auto cards = cards_of(product);
  const auto families = values_of(family);
  if (family.key != "nvidia.com/gpu.family" || cards.empty() || families.empty()) {
    return std::nullopt;
  }
  const auto is_of_family = [&](const Card& card) {
    return std::ranges::find(families, card.model->family) != families.end();
  };
  if (std::ranges::any_of(cards, is_of_family)) return std::nullopt;
  return Misfit{fmt::format("{} is of the family {}", names_of(cards), cards.front().model->family),
                "leave the family out: the product tells it"};
}

std::optional<Misfit> misfit_of_partition(const Requirement& partition,
                                          const Requirement& product) {
  const auto sizes = values_of(partition);
  if (partition.key != kPartition || sizes.size() != 1) return std::nullopt;
  return misfit_of_profile(cards_of(product), mig_profile_in(sizes.front()));
}

bool is_machine_label(std::string_view key) {
  return k8s::is_instance_type_label(key) || key == "karpenter.k8s.aws/instance-family";
}

/// Whose accelerators machines of these types or families carry; empty if one is not known.
std::vector<std::string> vendors_of_machines(const Requirement& r) {
  std::vector<std::string> vendors;
  if (!is_machine_label(r.key)) return vendors;
  for (const std::string_view value : values_of(r)) {
    const Vendor* vendor = vendor_of_instance_type(value);
    if (vendor == nullptr) return {};
    std::string name(name_of(*vendor));
    if (std::ranges::find(vendors, name) == vendors.end()) vendors.push_back(std::move(name));
  }
  return vendors;
}

std::optional<Misfit> misfit_of_vendor(const Requirement& r, const Resource& resource) {
  if (resource.vendor == Vendor::intel || resource.vendor == Vendor::other) return std::nullopt;
  std::vector<std::string> vendors = told_by(r, Trait::vendor);
  if (vendors.empty()) vendors = vendors_of_machines(r);
  const std::string_view wanted = name_of(resource.vendor);
  if (vendors.empty() || std::ranges::find(vendors, wanted) != vendors.end()) return std::nullopt;
  return Misfit{fmt::format("they carry {} accelerators", join_words(vendors, "or")),
                "select the nodes of the accelerator that the container asks for, or ask for what "
                "these nodes offer"};
}

std::optional<Misfit> misfit_of_slice(const Requirement& r, std::string_view profile) {
  const auto products = values_of(r);
  const auto is_sliced = [](std::string_view product) {
    return product.find(kMigSuffix) != std::string_view::npos;
  };
  if (r.key == kProduct && !products.empty() && std::ranges::all_of(products, is_sliced)) {
    return Misfit{
        "a product ends in -MIG-… only where all slices are alike, and offered as "
        "nvidia.com/gpu",
        "ask for nvidia.com/gpu, or leave the slice out of the product"};
  }
  return misfit_of_profile(cards_of(r), profile);
}

/// The most devices that a node which satisfies it has by itself.
std::optional<long long> devices_at_most(const Requirement& r, Vendor vendor) {
  const NodeLabel* label = find_label(r.key);
  if (label != nullptr && label->meaning == LabelMeaning::count &&
      (r.key.ends_with("gpu.count") || r.key.ends_with("accelerator-count") ||
       r.key.ends_with("gpu-count"))) {
    return vendor == label->vendor ? most_of(r) : std::nullopt;
  }
  if (!k8s::is_instance_type_label(r.key)) return std::nullopt;
  std::optional<long long> most;
  for (const std::string_view type : values_of(r)) {
    const auto devices = devices_of_instance_type(type);
    if (!devices) return std::nullopt;
    most = std::max<long long>(most.value_or(0), *devices);
  }
  return most;
}

std::optional<Misfit> misfit_of_count(const Requirement& r, const Resource& resource,
                                      std::string_view name, std::int64_t amount) {
  if (name != "nvidia.com/gpu" && name != "amd.com/gpu" && name != "aws.amazon.com/neuron") {
    return std::nullopt;
  }
  const auto most = devices_at_most(r, resource.vendor);
  if (!most || *most <= 0 || amount <= *most) return std::nullopt;
  return Misfit{fmt::format("they have {} each", *most),
                "ask for as many as one node has, or select larger nodes",
                resource.vendor == Vendor::nvidia};
}

}  // namespace

bool tells_devices(std::string_view key) {
  return find_label(key) != nullptr || is_machine_label(key) ||
         key.starts_with("cloud.google.com/gke-");
}

std::optional<Misfit> misfit_of(const Requirement& label) {
  const auto products = values_of(label);
  if (label.key != kProduct || products.size() != 1) return std::nullopt;
  const std::size_t suffix = products.front().find(kMigSuffix);
  if (suffix == std::string_view::npos) return std::nullopt;
  std::string_view profile = products.front().substr(suffix + kMigSuffix.size());
  profile = profile.substr(0, profile.find("-SHARED"));
  return misfit_of_profile(cards_of(label), mig_profile_in(profile));
}

std::optional<Misfit> misfit_between(const Requirement& a, const Requirement& b) {
  if (a.key == b.key) return std::nullopt;
  if (std::ranges::any_of(kTraits, [&](Trait trait) { return differ_in(a, b, trait); })) {
    return std::nullopt;
  }
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto check : {misfit_of_memory, misfit_of_family, misfit_of_partition}) {
      if (auto misfit = check(*one, *other)) return misfit;
    }
  }
  return std::nullopt;
}

std::optional<Misfit> misfit_with(const Requirement& label, std::string_view name,
                                  std::int64_t amount) {
  const Resource* resource = find_resource(name);
  if (resource == nullptr || is_companion(name)) return std::nullopt;
  if (auto misfit = misfit_of_vendor(label, *resource)) return misfit;
  if (!name.starts_with(kMigResource)) return misfit_of_count(label, *resource, name, amount);
  return misfit_of_slice(label, mig_profile_in(name.substr(kMigResource.size())));
}

std::optional<Misfit> misfit_on_gke(const Requirement& label, std::string_view resource) {
  const bool of_gke = label.key.starts_with("cloud.google.com/gke-") && label.asks_for_label();
  if (!of_gke || !resource.starts_with(kMigResource)) return std::nullopt;
  return Misfit{"GKE offers MIG slices as nvidia.com/gpu",
                "ask for nvidia.com/gpu, and select the slice by "
                "cloud.google.com/gke-gpu-partition-size"};
}

bool tells_own_stack_on_gke(const Requirement& label) {
  return label.key.starts_with("nvidia.com/") ||
         label.key == "cloud.google.com/gke-no-default-nvidia-gpu-device-plugin";
}

bool excludes_sharing(const Requirement& label) {
  const auto values = values_of(label);
  if (values.empty()) return false;
  const auto is_whole = [&](std::string_view value) {
    if (label.key == "nvidia.com/gpu.replicas") return value == "1";
    if (label.key == "nvidia.com/gpu.sharing-strategy") return value == "none";
    return label.key == kProduct && value.find("-SHARED") == std::string_view::npos &&
           value.find(kMigSuffix) == std::string_view::npos;
  };
  return std::ranges::all_of(values, is_whole);
}

}  // namespace cnsched::accelerators
