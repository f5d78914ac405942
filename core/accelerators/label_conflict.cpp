#include "core/accelerators/conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched::accelerators {

namespace {

using k8s::Requirement;

struct Reason {
  std::string why;
  std::string advice;
  bool unless_shared = false;
};

std::optional<Conflict> conflict_of(std::optional<Reason> reason, std::vector<Requirement> labels,
                                    std::optional<DeviceRequest> device = {}) {
  if (!reason) return std::nullopt;
  return Conflict{.labels = std::move(labels),
                  .device = std::move(device),
                  .reason = std::move(reason->why),
                  .advice = std::move(reason->advice),
                  .unless_shared = reason->unless_shared};
}

constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kPartition = "cloud.google.com/gke-gpu-partition-size";
constexpr std::string_view kMigSuffix = "-MIG-";

/// The values that the requirement allows, if it lists them. Empty if one is a placeholder.
std::vector<std::string_view> allowed_values(const Requirement& r) {
  std::vector<std::string_view> values;
  if (r.op != "In") return values;
  for (const yaml::Node* value : r.values) {
    if (!value->is_scalar() || k8s::is_placeholder(value->text())) return {};
    values.push_back(value->text());
  }
  return values;
}

/// The cards that the requirement allows. Empty if one of them is not known.
std::vector<Card> allowed_cards(const Requirement& r) {
  std::vector<Card> cards;
  for (const std::string_view value : allowed_values(r)) {
    const auto card = card_from_label(r.key, value);
    if (!card) return {};
    cards.push_back(*card);
  }
  return cards;
}

/// "L4 or T4".
std::string names_of(const std::vector<Card>& cards) {
  constexpr std::size_t kMaxNames = 3;
  std::vector<std::string> names;
  for (const Card& card : cards) {
    std::string name = name_of(card);
    if (!is_one_of(name, names) && names.size() < kMaxNames) {
      names.push_back(std::move(name));
    }
  }
  return join_words(names, "or");
}

/// Why none of the cards has the profile. Profiles that no known card has are another mistake.
std::optional<Reason> missing_profile(const std::vector<Card>& cards, std::string_view profile) {
  if (cards.empty() || !is_mig_profile(profile)) return std::nullopt;
  if (std::ranges::any_of(cards,
                          [&](const Card& c) { return find_mig_profile(c, profile) != nullptr; })) {
    return std::nullopt;
  }
  const std::string profiles = mig_profiles_of(cards.front());
  if (profiles.empty()) {
    return Reason{
        fmt::format("{} does not support MIG", names_of(cards)),
        fmt::format("choose {}, or request whole cards", cards_with_mig_profile(profile))};
  }
  return Reason{fmt::format("{} has no MIG profile {}", names_of(cards), profile),
                cards.size() == 1
                    ? fmt::format("{} has {}", name_of(cards.front()), profiles)
                    : fmt::format("{} has that profile", cards_with_mig_profile(profile))};
}

bool is_memory_label(std::string_view key) {
  return key == "nvidia.com/gpu.memory" || key.ends_with("/instance-gpu-memory");
}

/// The least number that satisfies the requirement, as far as it bounds it from below.
std::optional<std::int64_t> least_of(const Requirement& r) {
  if (r.op == "Gt" && r.values.size() == 1) {
    const auto bound = k8s::parse_int64(r.values.front()->text());
    if (!bound || *bound == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return *bound + 1;
  }
  std::optional<std::int64_t> least;
  for (const std::string_view value : allowed_values(r)) {
    const auto number = k8s::parse_int64(value);
    if (!number) return std::nullopt;
    least = std::min(least.value_or(*number), *number);
  }
  return least;
}

/// The greatest number that satisfies the requirement, as far as it bounds it from above.
std::optional<std::int64_t> most_of(const Requirement& r) {
  if (r.op == "Lt" && r.values.size() == 1) {
    const auto bound = k8s::parse_int64(r.values.front()->text());
    if (!bound || *bound <= 0) return std::nullopt;
    return *bound - 1;
  }
  std::optional<std::int64_t> most;
  for (const std::string_view value : allowed_values(r)) {
    const auto number = k8s::parse_int64(value);
    if (!number) return std::nullopt;
    most = std::max(most.value_or(*number), *number);
  }
  return most;
}

std::optional<Reason> memory_conflict(const Requirement& memory, const Requirement& product) {
  const auto cards = allowed_cards(product);
  const auto least = is_memory_label(memory.key) ? least_of(memory) : std::nullopt;
  if (cards.empty() || !least || *least <= 0) return std::nullopt;
  unsigned long long most = 0;
  for (const Card& card : cards) most = std::max(most, mebibytes_at_most(card));
  if (static_cast<unsigned long long>(*least) <= most) return std::nullopt;
  return Reason{fmt::format("the label counts MiB, and {} has at most {}", names_of(cards), most),
                "remove the memory label: the product already determines the memory"};
}

std::optional<Reason> family_conflict(const Requirement& family, const Requirement& product) {
  const auto cards = allowed_cards(product);
  const auto families = allowed_values(family);
  if (family.key != "nvidia.com/gpu.family" || cards.empty() || families.empty()) {
    return std::nullopt;
  }
  const auto is_of_family = [&](const Card& card) {
    return is_one_of(card.model->family, families);
  };
  if (std::ranges::any_of(cards, is_of_family)) return std::nullopt;
  return Reason{
      fmt::format("{} belongs to family {}", names_of(cards), cards.front().model->family),
      "remove the family label: the product already determines the family"};
}

std::optional<Reason> partition_conflict(const Requirement& partition, const Requirement& product) {
  const auto sizes = allowed_values(partition);
  if (partition.key != kPartition || sizes.size() != 1) return std::nullopt;
  return missing_profile(allowed_cards(product), mig_profile_in(sizes.front()));
}

/// A category may have accelerators of several vendors.
bool is_machine_label(std::string_view key) {
  return k8s::is_instance_type_label(key) || k8s::is_instance_family_label(key);
}

/// The vendors of the accelerators in machines of these types or families; empty if one is not
/// known.
std::vector<std::string> vendors_of_machines(const Requirement& r) {
  std::vector<std::string> vendors;
  if (!is_machine_label(r.key)) return vendors;
  for (const std::string_view value : allowed_values(r)) {
    const Vendor* vendor = vendor_of_instance_type(value);
    if (vendor == nullptr) return {};
    std::string name(name_of(*vendor));
    if (!is_one_of(name, vendors)) vendors.push_back(std::move(name));
  }
  return vendors;
}

std::optional<Reason> vendor_conflict(const Requirement& r, const Resource& resource) {
  if (resource.vendor == Vendor::intel || resource.vendor == Vendor::other) return std::nullopt;
  std::vector<std::string> vendors = trait_values(r, Trait::vendor);
  if (vendors.empty()) vendors = vendors_of_machines(r);
  const std::string_view wanted = name_of(resource.vendor);
  if (vendors.empty() || is_one_of(wanted, vendors)) return std::nullopt;
  return Reason{
      fmt::format("they have {} accelerators", join_words(vendors, "or")),
      "select nodes with the accelerator that the container requests, or request what these "
      "nodes offer"};
}

std::optional<Reason> slice_conflict(const Requirement& r, std::string_view profile) {
  const auto products = allowed_values(r);
  const auto is_sliced = [](std::string_view product) {
    return product.find(kMigSuffix) != std::string_view::npos;
  };
  if (r.key == kProduct && !products.empty() && std::ranges::all_of(products, is_sliced)) {
    return Reason{
        "a product ends in -MIG-… only on nodes that offer all slices as nvidia.com/gpu (strategy "
        "single)",
        "request nvidia.com/gpu, or remove the slice from the product"};
  }
  return missing_profile(allowed_cards(r), profile);
}

/// The number of devices that a matching node has at most, before sharing.
std::optional<std::int64_t> devices_at_most(const Requirement& r, Vendor vendor) {
  const NodeLabel* label = find_label(r.key);
  if (label != nullptr && label->meaning == LabelMeaning::count &&
      (r.key.ends_with("gpu.count") || r.key.ends_with("accelerator-count") ||
       r.key.ends_with("gpu-count"))) {
    return vendor == label->vendor ? most_of(r) : std::nullopt;
  }
  if (!k8s::is_instance_type_label(r.key)) return std::nullopt;
  std::optional<std::int64_t> most;
  for (const std::string_view type : allowed_values(r)) {
    const auto devices = devices_of_instance_type(type);
    if (!devices) return std::nullopt;
    most = std::max<std::int64_t>(most.value_or(0), *devices);
  }
  return most;
}

std::optional<Reason> count_conflict(const Requirement& r, const Resource& resource,
                                     std::string_view name, std::int64_t amount) {
  if (name != "nvidia.com/gpu" && name != "amd.com/gpu" && name != "aws.amazon.com/neuron") {
    return std::nullopt;
  }
  const auto most = devices_at_most(r, resource.vendor);
  if (!most || *most <= 0 || amount <= *most) return std::nullopt;
  return Reason{fmt::format("they have {} each", *most),
                "request at most as many as one node has, or select larger nodes",
                resource.vendor == Vendor::nvidia};
}

}  // namespace

bool describes_accelerators(std::string_view key) {
  return find_label(key) != nullptr || is_machine_label(key) ||
         key.starts_with("cloud.google.com/gke-");
}

std::optional<Conflict> conflict_of_label(const Requirement& label) {
  const auto products = allowed_values(label);
  if (label.key != kProduct || products.size() != 1) return std::nullopt;
  const std::size_t suffix = products.front().find(kMigSuffix);
  if (suffix == std::string_view::npos) return std::nullopt;
  std::string_view profile = products.front().substr(suffix + kMigSuffix.size());
  profile = profile.substr(0, profile.find("-SHARED"));
  return conflict_of(missing_profile(allowed_cards(label), mig_profile_in(profile)), {label});
}

std::optional<Conflict> conflict_between_labels(const Requirement& a, const Requirement& b) {
  if (a.key == b.key) return std::nullopt;
  if (std::ranges::any_of(kTraits, [&](Trait trait) { return differ_in(a, b, trait); })) {
    return std::nullopt;
  }
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto check : {memory_conflict, family_conflict, partition_conflict}) {
      if (auto reason = check(*one, *other)) return conflict_of(std::move(reason), {a, b});
    }
  }
  return std::nullopt;
}

std::optional<Conflict> conflict_with_device(const Requirement& label,
                                             const DeviceRequest& device) {
  const std::string_view name = device.name;
  const Resource* resource = find_resource(name);
  if (resource == nullptr || is_auxiliary_resource(name)) return std::nullopt;
  auto reason = vendor_conflict(label, *resource);
  if (!reason) {
    reason = name.starts_with(kMigResource)
                 ? slice_conflict(label, mig_profile_in(name.substr(kMigResource.size())))
                 : count_conflict(label, *resource, name, device.amount);
  }
  return conflict_of(std::move(reason), {label}, device);
}

std::optional<Conflict> conflict_with_gke(const Requirement& label, const DeviceRequest& device) {
  const bool of_gke = label.key.starts_with("cloud.google.com/gke-") && label.requires_label();
  if (!of_gke || !device.name.starts_with(kMigResource)) return std::nullopt;
  return conflict_of(Reason{"GKE offers MIG slices as nvidia.com/gpu",
                            "request nvidia.com/gpu, and select the slice by "
                            "cloud.google.com/gke-gpu-partition-size"},
                     {label}, device);
}

bool indicates_own_stack_on_gke(const Requirement& label) {
  return label.key.starts_with("nvidia.com/") ||
         label.key == "cloud.google.com/gke-no-default-nvidia-gpu-device-plugin";
}

bool excludes_sharing(const Requirement& label) {
  const auto values = allowed_values(label);
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
