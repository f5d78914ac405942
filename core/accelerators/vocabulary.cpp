// The labels by which tools and providers tell accelerators, as words that can be misspelt. A key
// or value is wrong only if it is a slip of a known one: another case, one letter, words in another
// order, the spelling of another maker of labels, or one of the names that are known to be
// invented.
#include "core/accelerators/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/accelerators/device.h"
#include "core/accelerators/mig.h"
#include "core/accelerators/name_words.h"
#include "core/accelerators/slip.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

struct Invented {
  std::string_view written;
  std::string_view instead;
};

/// Keys that are written and that nobody sets.
constexpr auto kInventedKeys = std::to_array<Invented>({
    {"nvidia.com/gpu-product", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.name", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.type", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.memory.total", "nvidia.com/gpu.memory"},
    {"feature.node.kubernetes.io/pci-10.present", "feature.node.kubernetes.io/pci-10de.present"},
});

/// Keys that look like slips and are none.
constexpr auto kNeighbourKeys = std::to_array<std::string_view>(
    {"cloud.google.com/gke-tpu", "cloud.google.com/gke-cpu", "nvidia.com/gpu.model",
     "karpenter.k8s.aws/instance-cpu-manufacturer", "eks.amazonaws.com/instance-cpu-manufacturer",
     "karpenter.k8s.aws/instance-gpu-count", "nvidia.com/gpu.node", "nvidia.com/gpu.pool"});

/// Keys behind prefixes of the catalogue that others are slips of.
constexpr auto kKeys = std::to_array<std::string_view>({
    "amd.com/gpu.family",
    "amd.com/gpu.device-id",
    "amd.com/gpu.product-name",
    "amd.com/gpu.vram",
    "amd.com/gpu.cu-count",
    "karpenter.k8s.aws/instance-accelerator-name",
    "karpenter.k8s.aws/instance-accelerator-manufacturer",
    "karpenter.k8s.aws/instance-accelerator-count",
    "nvidia.com/gpu.compute.major",
    "nvidia.com/gpu.compute.minor",
});

/// Products that are written and that GPU feature discovery never writes.
constexpr auto kInventedProducts = std::to_array<Invented>({
    {"NVIDIA-A100-40GB", ""},
    {"NVIDIA-A100-80GB", ""},
    {"NVIDIA-H100-80GB", ""},
    {"NVIDIA-H100-SXM5-80GB", "NVIDIA-H100-80GB-HBM3"},
    {"B300", "NVIDIA-B300-SXM6-AC"},
});

struct Vocabulary {
  std::string_view key;
  std::span<const std::string_view> values;
};

constexpr auto kFlags = std::to_array<std::string_view>({"true", "false"});
constexpr auto kFamilies = std::to_array<std::string_view>(
    {"tesla", "fermi", "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada-lovelace",
     "hopper", "blackwell", "rubin", "undefined"});
constexpr auto kSharing = std::to_array<std::string_view>({"none", "mps", "time-slicing"});
constexpr auto kGkeSharing = std::to_array<std::string_view>({"time-sharing", "mps"});
constexpr auto kMigStrategies = std::to_array<std::string_view>({"single", "mixed", "none"});
constexpr auto kDrivers = std::to_array<std::string_view>({"default", "latest", "disabled"});
constexpr auto kMakers = std::to_array<std::string_view>({"nvidia", "amd"});
constexpr auto kAcceleratorMakers = std::to_array<std::string_view>({"aws", "qualcomm"});

constexpr auto kVocabularies = std::to_array<Vocabulary>({
    {"nvidia.com/gpu.present", kFlags},
    {"nvidia.com/mig.capable", kFlags},
    {"nvidia.com/mps.capable", kFlags},
    {"nvidia.com/vgpu.present", kFlags},
    {"feature.node.kubernetes.io/pci-10de.present", kFlags},
    {"feature.node.kubernetes.io/pci-0302_10de.present", kFlags},
    {"feature.node.kubernetes.io/pci-0300_10de.present", kFlags},
    {"feature.node.kubernetes.io/amd-gpu", kFlags},
    {"intel.feature.node.kubernetes.io/gpu", kFlags},
    {"intel.feature.node.kubernetes.io/npu", kFlags},
    {"nvidia.com/gpu.family", kFamilies},
    {"nvidia.com/gpu.sharing-strategy", kSharing},
    {"nvidia.com/mig.strategy", kMigStrategies},
    {"cloud.google.com/gke-gpu-sharing-strategy", kGkeSharing},
    {"cloud.google.com/gke-gpu-driver-version", kDrivers},
    {"karpenter.k8s.aws/instance-gpu-manufacturer", kMakers},
    {"eks.amazonaws.com/instance-gpu-manufacturer", kMakers},
    {"karpenter.k8s.aws/instance-accelerator-manufacturer", kAcceleratorMakers},
    {"eks.amazonaws.com/instance-accelerator-manufacturer", kAcceleratorMakers},
});

std::vector<std::string_view> names_in(Naming naming) {
  std::vector<std::string_view> names;
  for (const CardName& name : card_names()) {
    if (name.naming == naming) names.push_back(name.value);
  }
  return names;
}

/// How the maker of a label writes the card; of several ways, those that tell the same size.
std::vector<std::string> spellings_of(const Card& card, Naming naming) {
  std::vector<std::string> spellings;
  for (const std::string_view name : names_in(naming)) {
    const auto named = card_in(name);
    const bool of_old_driver = name.starts_with(card.model->name);  // which left out the maker
    if (!named || named->model != card.model || of_old_driver) continue;
    if (card.gigabytes != 0 && named->gigabytes != 0 && card.gigabytes != named->gigabytes)
      continue;
    spellings.emplace_back(name);
  }
  return spellings;
}

/// Who writes the values of the label.
std::string_view maker_of(std::string_view key) {
  const NodeLabel* label = find_label(key);
  return label == nullptr ? "its tool" : label->set_by;
}

/// The spellings, each with `suffix`, and who writes them.
Meant written_as(std::string_view key, std::vector<std::string> spellings,
                 std::string_view suffix = {}) {
  constexpr std::size_t kMost = 4;
  if (spellings.size() > kMost) spellings.resize(kMost);
  for (std::string& spelling : spellings) spelling += suffix;
  const std::string first = spellings.size() == 1 ? spellings.front() : std::string();
  for (std::string& spelling : spellings) spelling = fmt::format("'{}'", spelling);
  return {fmt::format("{} writes {}", maker_of(key), join_words(spellings, "or")), first};
}

std::vector<std::string> sorted_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::ranges::sort(words);
  return words;
}

/// The same words in another order, or in another case.
std::string_view same_words(std::string_view value, const std::vector<std::string_view>& names) {
  const auto words = sorted_words(value);
  const auto found = std::ranges::find_if(names, [&](std::string_view name) {
    return name.size() == value.size() && sorted_words(name) == words;
  });
  return found == names.end() ? std::string_view() : *found;
}

/// Whether each word of the name tells the card, or is one that others write beside it: a name with
/// more to say may be that of a card which is not known.
bool names_nothing_else(std::string_view value, const Card& card) {
  constexpr auto kBeside = std::to_array<std::string_view>(
      {"NVIDIA", "TESLA", "GPU", "SXM", "SXM2", "SXM4", "SXM5", "PCIE", "HBM3", "NVL", "RTX", "PRO",
       "6000", "SERVER", "BLACKWELL", "EDITION"});
  return std::ranges::all_of(words_of(value), [&](const std::string& word) {
    return word == card.model->name || word.ends_with("GB") ||
           std::ranges::find(kBeside, word) != kBeside.end();
  });
}

/// "Tesla-T4" of "Tesla-T4-SHARED" and "…-MIG-1g.5gb".
std::string_view without_suffix(std::string_view product) {
  product = product.substr(0, product.find("-MIG-"));
  constexpr std::string_view kShared = "-SHARED";
  if (product.ends_with(kShared)) product.remove_suffix(kShared.size());
  return product;
}

/// A card by no more than its model: T4, NVIDIA-T4. Drivers write no such name unless they write
/// nothing else beside (NVIDIA-L4), or did so once (A10G).
bool is_bare_model(std::string_view product, const Card& card) {
  if (card.model->name == "B300") return false;  // its name is not sure
  const auto names = names_in(Naming::feature_discovery);
  const std::string prefixed = fmt::format("NVIDIA-{}", card.model->name);
  if (std::ranges::find(names, prefixed) != names.end()) return false;
  return product == card.model->name || product == prefixed;
}

std::optional<Meant> product_slip(std::string_view key, std::string_view value) {
  constexpr Naming kNaming = Naming::feature_discovery;
  const std::string_view product = without_suffix(value);
  const std::string_view suffix = value.substr(product.size());
  const auto names = names_in(kNaming);
  if (std::ranges::find(names, product) != names.end()) return std::nullopt;
  if (const auto same = same_words(product, names); !same.empty()) {
    return written_as(key, {std::string(same)}, suffix);
  }
  const auto* invented = std::ranges::find(kInventedProducts, product, &Invented::written);
  const bool is_invented = invented != kInventedProducts.end();
  if (is_invented && !invented->instead.empty()) {
    return written_as(key, {std::string(invented->instead)}, suffix);
  }
  const auto card = card_in(product);
  if (!card) return std::nullopt;
  const auto gke = names_in(Naming::gke);
  const bool of_gke = std::ranges::find(gke, product) != gke.end();
  if (!is_invented && !of_gke && !is_bare_model(product, *card)) return std::nullopt;
  auto spellings = spellings_of(*card, kNaming);
  if (spellings.empty()) return std::nullopt;
  return written_as(key, std::move(spellings), suffix);
}

/// Providers have one name for each card, without suffixes.
std::optional<Meant> provider_slip(Naming naming, std::string_view key, std::string_view value) {
  const auto names = names_in(naming);
  if (std::ranges::find(names, value) != names.end()) return std::nullopt;
  if (const auto same = same_words(value, names); !same.empty()) {
    return written_as(key, {std::string(same)});
  }
  const auto card = card_in(value);
  if (!card || !names_nothing_else(without_suffix(value), *card)) return std::nullopt;
  auto spellings = spellings_of(*card, naming);
  return spellings.empty() ? std::nullopt : std::optional(written_as(key, std::move(spellings)));
}

/// Memory counts MiB, as a number without a unit.
std::optional<Meant> memory_slip(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string unit = lower(value.substr(digits));
  constexpr auto kUnits =
      std::to_array<std::string_view>({"g", "gb", "gi", "gib", "m", "mb", "mi", "mib"});
  if (std::ranges::find(kUnits, unit) == kUnits.end()) return std::nullopt;
  return Meant{"the label is a number of MiB, without a unit", ""};
}

std::optional<Meant> vram_slip(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string unit = lower(value.substr(digits));
  if (value.substr(digits) == "G" ||
      (unit != "g" && unit != "gb" && unit != "gi" && unit != "gib")) {
    return std::nullopt;
  }
  std::string instead = fmt::format("{}G", value.substr(0, digits));
  return Meant{fmt::format("AMD's node labeller writes '{}'", instead), instead};
}

std::optional<Meant> partition_slip(std::string_view value) {
  constexpr std::string_view kPrefix = "mig-";
  std::string profile = lower(value);
  if (profile.starts_with(kPrefix)) profile.erase(0, kPrefix.size());
  if (profile.ends_with('g') && profile.find("g.") != std::string::npos) profile += 'b';
  if (profile == value || !is_mig_profile(profile)) return std::nullopt;
  return Meant{fmt::format("GKE writes '{}'", profile), profile};
}

/// AKS writes the vendor; its users expect the model.
std::optional<Meant> azure_slip(std::string_view value) {
  if (value == "nvidia") return std::nullopt;
  if (!equals_ignoring_case(value, "nvidia") && !card_in(value)) return std::nullopt;
  return Meant{"AKS writes the vendor, 'nvidia', and no model", "nvidia",
               !equals_ignoring_case(value, "nvidia")};
}

/// The words that hold a digit: they tell a version or a size, and are never slips of each other.
std::vector<std::string> numbered_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_of("0123456789") == std::string::npos;
  });
  return words;
}

std::optional<Meant> word_slip(std::string_view key, std::string_view value) {
  auto values = known_values(key);
  if (values.empty() || std::ranges::find(values, value) != values.end()) return std::nullopt;
  const bool is_flag = values.front() == kFlags.front();
  const auto numbers = numbered_words(value);
  std::erase_if(values, [&](std::string_view known) { return numbered_words(known) != numbers; });
  std::string_view slip = slip_of(value, values);
  if (slip.empty() && numbers.empty() && !is_flag) slip = nearest(value, values).value_or("");
  return slip.empty() ? std::nullopt : std::optional(written_as(key, {std::string(slip)}));
}

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> keys(kKeys.begin(), kKeys.end());
  for (const NodeLabel& label : labels()) {
    if (!label.is_prefix) keys.push_back(label.key);
  }
  return keys;
}

/// How devices are called by the label. EKS Auto Mode calls them as Karpenter does. What AMD's
/// labeller writes comes from the cards, in spellings that are not all known.
std::vector<std::string_view> device_names(std::string_view key) {
  constexpr std::string_view kAutoMode = "eks.amazonaws.com/";
  std::string written(key);
  if (key.starts_with(kAutoMode)) written.replace(0, kAutoMode.size(), "karpenter.k8s.aws/");
  std::vector<std::string_view> names;
  for (const Device& device : devices()) {
    if (device.label_key == written && !key.starts_with("amd.com/")) {
      names.push_back(device.label_value);
    }
  }
  return names;
}

std::string separated_alike(std::string_view key) {
  std::string alike = lower(key);
  std::ranges::replace_if(
      alike, [](char c) { return c == '-' || c == '_'; }, '.');
  return alike;
}

}  // namespace

std::vector<std::string_view> known_values(std::string_view key) {
  const auto naming = naming_of(key);
  auto values = device_names(key);
  if (naming) {
    const auto names = names_in(*naming);
    values.insert(values.begin(), names.begin(), names.end());
  }
  const auto* found = std::ranges::find(kVocabularies, key, &Vocabulary::key);
  if (found != kVocabularies.end()) {
    values.insert(values.end(), found->values.begin(), found->values.end());
  }
  return values;
}

std::optional<Meant> label_key_slip(std::string_view key) {
  constexpr std::size_t kLongest = 128;
  if (key.size() > kLongest || key.find('/') == std::string_view::npos) return std::nullopt;
  const auto is_neighbour = std::ranges::find(kNeighbourKeys, key) != kNeighbourKeys.end();
  if (find_label(key) != nullptr || is_neighbour) return std::nullopt;
  std::string_view instead;
  const auto* invented = std::ranges::find(kInventedKeys, key, &Invented::written);
  if (invented != kInventedKeys.end()) instead = invented->instead;
  const auto keys = known_keys();
  if (instead.empty()) instead = slip_of(key, keys);
  if (instead.empty()) {
    const std::string alike = separated_alike(key);
    const auto same = std::ranges::find_if(
        keys, [&](std::string_view known) { return separated_alike(known) == alike; });
    if (same != keys.end()) instead = *same;
  }
  if (instead.empty()) return std::nullopt;
  return Meant{fmt::format("{} sets '{}'", maker_of(instead), instead), std::string(instead)};
}

std::optional<Meant> label_value_slip(std::string_view key, std::string_view value) {
  constexpr std::size_t kLongest = 63;
  if (value.empty() || value.size() > kLongest) return std::nullopt;
  if (const auto naming = naming_of(key)) {
    return *naming == Naming::feature_discovery ? product_slip(key, value)
                                                : provider_slip(*naming, key, value);
  }
  if (key == "nvidia.com/gpu.memory" || key.ends_with("/instance-gpu-memory")) {
    return memory_slip(value);
  }
  if (key == "amd.com/gpu.vram") return vram_slip(value);
  if (key == "cloud.google.com/gke-gpu-partition-size") return partition_slip(value);
  if (key == "kubernetes.azure.com/accelerator") return azure_slip(value);
  return word_slip(key, value);
}

}  // namespace cnsched::accelerators
