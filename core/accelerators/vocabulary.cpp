// The labels by which tools and providers describe accelerators. A key or value is wrong only if it
// is a misspelling of a known one (another case, one or two letters, words in another order), the
// spelling of another tool, or a name that is known not to exist.
#include "core/accelerators/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

struct MisnamedKey {
  std::string_view written;
  std::string_view instead;
};

/// Keys that users write and that no tool sets.
constexpr auto kMisnamedKeys = std::to_array<MisnamedKey>({
    {"nvidia.com/gpu-product", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.name", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.type", "nvidia.com/gpu.product"},
    {"nvidia.com/gpu.memory.total", "nvidia.com/gpu.memory"},
    {"feature.node.kubernetes.io/pci-10.present", "feature.node.kubernetes.io/pci-10de.present"},
});

/// Keys that look like misspellings and are real.
constexpr auto kNeighbourKeys = std::to_array<std::string_view>(
    {"cloud.google.com/gke-tpu", "cloud.google.com/gke-cpu", "nvidia.com/gpu.model",
     "karpenter.k8s.aws/instance-cpu-manufacturer", "eks.amazonaws.com/instance-cpu-manufacturer",
     "karpenter.k8s.aws/instance-gpu-count", "nvidia.com/gpu.node", "nvidia.com/gpu.pool"});

/// Keys that match a prefix of the catalogue; misspellings of them are reported.
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
constexpr auto kGpuManufacturers = std::to_array<std::string_view>({"nvidia", "amd"});
constexpr auto kAcceleratorManufacturers = std::to_array<std::string_view>({"aws", "qualcomm"});

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
    {"karpenter.k8s.aws/instance-gpu-manufacturer", kGpuManufacturers},
    {"eks.amazonaws.com/instance-gpu-manufacturer", kGpuManufacturers},
    {"karpenter.k8s.aws/instance-accelerator-manufacturer", kAcceleratorManufacturers},
    {"eks.amazonaws.com/instance-accelerator-manufacturer", kAcceleratorManufacturers},
});

std::vector<std::string_view> names_in(Naming naming) {
  std::vector<std::string_view> names;
  for (const CardName& name : records().card_names) {
    if (name.naming == naming) names.push_back(name.value);
  }
  return names;
}

/// The spellings of the card by one tool; if it has several, those of the same size.
std::vector<std::string> same_size_names(const Card& card, Naming naming) {
  std::vector<std::string> spellings;
  for (const std::string_view name : names_in(naming)) {
    const auto named = card_in(name);
    const bool of_old_driver = name.starts_with(card.model->name);  // without "NVIDIA-"
    if (!named || named->model != card.model || of_old_driver) continue;
    if (card.gigabytes != 0 && named->gigabytes != 0 && card.gigabytes != named->gigabytes)
      continue;
    spellings.emplace_back(name);
  }
  return spellings;
}

/// The tool that writes the values of the label.
std::string_view writer_of(std::string_view key) {
  const NodeLabel* label = find_label(key);
  return label == nullptr ? "its tool" : label->set_by;
}

/// The correction to one of the spellings, each with `suffix`.
Correction written_as(std::string_view key, std::vector<std::string> spellings,
                      std::string_view suffix = {}) {
  constexpr std::size_t kMaxSpellings = 4;
  if (spellings.size() > kMaxSpellings) spellings.resize(kMaxSpellings);
  for (std::string& spelling : spellings) spelling += suffix;
  const std::string first = spellings.size() == 1 ? spellings.front() : std::string();
  for (std::string& spelling : spellings) spelling = fmt::format("'{}'", spelling);
  return {fmt::format("{} writes {}", writer_of(key), join_words(spellings, "or")), first};
}

std::vector<std::string> sorted_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::ranges::sort(words);
  return words;
}

/// The name with the same words in another order or case; empty if there is none.
std::string_view same_words(std::string_view value, const std::vector<std::string_view>& names) {
  const auto words = sorted_words(value);
  const auto found = std::ranges::find_if(names, [&](std::string_view name) {
    return name.size() == value.size() && sorted_words(name) == words;
  });
  return found == names.end() ? std::string_view() : *found;
}

/// Whether each word of the name is the card or common in names of cards: a name with other words
/// may belong to an unknown card.
bool has_only_known_words(std::string_view value, const Card& card) {
  return std::ranges::all_of(words_of(value), [&](const std::string& word) {
    return word == card.model->name || word.ends_with("GB") ||
           is_one_of(word, {"NVIDIA", "TESLA", "GPU", "SXM", "SXM2", "SXM4", "SXM5", "PCIE", "HBM3",
                            "NVL", "RTX", "PRO", "6000", "SERVER", "BLACKWELL", "EDITION"});
  });
}

/// "Tesla-T4" of "Tesla-T4-SHARED" and "…-MIG-1g.5gb".
std::string_view without_suffix(std::string_view product) {
  product = product.substr(0, product.find("-MIG-"));
  constexpr std::string_view kShared = "-SHARED";
  if (product.ends_with(kShared)) product.remove_suffix(kShared.size());
  return product;
}

/// Whether the name is only a model: T4, NVIDIA-T4. Drivers write no such name, except where the
/// records have it: NVIDIA-L4, A10G.
bool is_bare_model(std::string_view product, const Card& card) {
  if (card.model->has_uncertain_names) return false;
  const auto names = names_in(Naming::feature_discovery);
  const std::string prefixed = fmt::format("NVIDIA-{}", card.model->name);
  if (is_one_of(prefixed, names)) return false;
  return product == card.model->name || product == prefixed;
}

/// The known value that the product is a misspelling of. A10 is a card of its own, not A100
/// without a digit.
std::optional<Correction> corrected_misspelling(std::string_view key, std::string_view product,
                                                std::string_view suffix = {}) {
  const auto name = misspelt_product(product, known_values(key));
  if (!name) return std::nullopt;
  const auto written = card_in(product);
  const auto meant = card_in(*name);
  if (written && (!meant || written->model != meant->model)) return std::nullopt;
  return written_as(key, {std::string(*name)}, suffix);
}

std::optional<Correction> corrected_product(std::string_view key, std::string_view value) {
  constexpr Naming kNaming = Naming::feature_discovery;
  const std::string_view product = without_suffix(value);
  const std::string_view suffix = value.substr(product.size());
  const auto names = names_in(kNaming);
  if (is_one_of(product, names)) return std::nullopt;
  if (const auto same = same_words(product, names); !same.empty()) {
    return written_as(key, {std::string(same)}, suffix);
  }
  const auto& all_invalid = records().invalid_product_names;
  const auto invalid = std::ranges::find(all_invalid, product, &InvalidProductName::written);
  const bool is_invalid = invalid != all_invalid.end();
  if (is_invalid && !invalid->correct.empty()) {
    return written_as(key, {std::string(invalid->correct)}, suffix);
  }
  if (auto misspelt = corrected_misspelling(key, product, suffix)) return misspelt;
  const auto card = card_in(product);
  if (!card) return std::nullopt;
  const auto gke = names_in(Naming::gke);
  const bool of_gke = is_one_of(product, gke);
  if (!is_invalid && !of_gke && !is_bare_model(product, *card)) return std::nullopt;
  auto spellings = same_size_names(*card, kNaming);
  if (spellings.empty()) return std::nullopt;
  return written_as(key, std::move(spellings), suffix);
}

/// Corrects names of GKE and Karpenter, which have one name for each card, without suffixes.
std::optional<Correction> corrected_provider_name(Naming naming, std::string_view key,
                                                  std::string_view value) {
  const auto names = names_in(naming);
  if (is_one_of(value, names)) return std::nullopt;
  if (const auto same = same_words(value, names); !same.empty()) {
    return written_as(key, {std::string(same)});
  }
  if (auto misspelt = corrected_misspelling(key, value)) return misspelt;
  const auto card = card_in(value);
  if (!card || !has_only_known_words(without_suffix(value), *card)) return std::nullopt;
  auto spellings = same_size_names(*card, naming);
  return spellings.empty() ? std::nullopt : std::optional(written_as(key, std::move(spellings)));
}

/// Labels of memory are numbers of MiB, without a unit.
std::optional<Correction> corrected_memory(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string unit = lower(value.substr(digits));
  if (!is_one_of(unit, {"g", "gb", "gi", "gib", "m", "mb", "mi", "mib"})) return std::nullopt;
  return Correction{"the label is a number of MiB without a unit", ""};
}

std::optional<Correction> corrected_vram(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string unit = lower(value.substr(digits));
  if (value.substr(digits) == "G" ||
      (unit != "g" && unit != "gb" && unit != "gi" && unit != "gib")) {
    return std::nullopt;
  }
  std::string instead = fmt::format("{}G", value.substr(0, digits));
  return Correction{fmt::format("AMD's node labeller writes '{}'", instead), instead};
}

std::optional<Correction> corrected_partition(std::string_view value) {
  constexpr std::string_view kPrefix = "mig-";
  std::string profile = lower(value);
  if (profile.starts_with(kPrefix)) profile.erase(0, kPrefix.size());
  if (profile.ends_with('g') && profile.find("g.") != std::string::npos) profile += 'b';
  if (profile == value || !is_mig_profile(profile)) return std::nullopt;
  return Correction{fmt::format("GKE writes '{}'", profile), profile};
}

/// AKS writes the vendor; users often write the model.
std::optional<Correction> corrected_azure_vendor(std::string_view value) {
  if (value == "nvidia") return std::nullopt;
  if (!equals_ignoring_case(value, "nvidia") && !card_in(value)) return std::nullopt;
  return Correction{"AKS writes the vendor 'nvidia', not the model", "nvidia",
                    !equals_ignoring_case(value, "nvidia")};
}

/// The words that contain a digit, a version or a size, are never misspellings of each other.
std::vector<std::string> numbered_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_of("0123456789") == std::string::npos;
  });
  return words;
}

std::optional<Correction> corrected_word(std::string_view key, std::string_view value) {
  auto values = known_values(key);
  if (values.empty() || is_one_of(value, values)) return std::nullopt;
  if (auto misspelt = corrected_misspelling(key, value)) return misspelt;
  const bool is_flag = values.front() == kFlags.front();
  const auto numbers = numbered_words(value);
  std::erase_if(values, [&](std::string_view known) { return numbered_words(known) != numbers; });
  std::string_view corrected = corrected_spelling(value, values);
  if (corrected.empty() && numbers.empty() && !is_flag)
    corrected = nearest(value, values).value_or("");
  return corrected.empty() ? std::nullopt
                           : std::optional(written_as(key, {std::string(corrected)}));
}

/// The values of the label for devices. EKS Auto Mode has the same values as Karpenter. AMD's node
/// labeller reads its values from the cards, and not all of them are known.
std::vector<std::string_view> device_names(std::string_view key) {
  constexpr std::string_view kAutoMode = "eks.amazonaws.com/";
  std::string written(key);
  if (key.starts_with(kAutoMode)) written.replace(0, kAutoMode.size(), "karpenter.k8s.aws/");
  std::vector<std::string_view> names;
  for (const Device& device : records().devices) {
    if (device.label_key == written && !key.starts_with("amd.com/")) {
      names.push_back(device.label_value);
    }
  }
  return names;
}

std::string with_uniform_separators(std::string_view key) {
  std::string alike = lower(key);
  std::ranges::replace_if(
      alike, [](char c) { return c == '-' || c == '_'; }, '.');
  return alike;
}

}  // namespace

std::vector<std::string_view> known_label_keys() {
  std::vector<std::string_view> keys(kKeys.begin(), kKeys.end());
  for (const NodeLabel& label : labels()) {
    if (!label.is_prefix) keys.push_back(label.key);
  }
  return keys;
}

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
  if (key == "nvidia.com/gpu.family") {
    for (const CardModel& model : records().models) {
      if (!is_one_of(model.family, values)) values.push_back(model.family);
    }
  }
  return values;
}

std::optional<Correction> corrected_label_key(std::string_view key) {
  constexpr std::size_t kLongest = 128;
  if (key.size() > kLongest || key.find('/') == std::string_view::npos) return std::nullopt;
  const auto is_neighbour = is_one_of(key, kNeighbourKeys);
  if (find_label(key) != nullptr || is_neighbour) return std::nullopt;
  std::string_view instead;
  const auto* invalid = std::ranges::find(kMisnamedKeys, key, &MisnamedKey::written);
  if (invalid != kMisnamedKeys.end()) instead = invalid->instead;
  const auto keys = known_label_keys();
  if (instead.empty()) instead = corrected_spelling(key, keys);
  if (instead.empty()) {
    const std::string alike = with_uniform_separators(key);
    const auto same = std::ranges::find_if(
        keys, [&](std::string_view known) { return with_uniform_separators(known) == alike; });
    if (same != keys.end()) instead = *same;
  }
  if (instead.empty()) return std::nullopt;
  return Correction{fmt::format("{} sets '{}'", writer_of(instead), instead), std::string(instead)};
}

std::optional<Correction> corrected_label_value(std::string_view key, std::string_view value) {
  constexpr std::size_t kLongest = 63;
  if (value.empty() || value.size() > kLongest) return std::nullopt;
  if (const auto naming = naming_of(key)) {
    return *naming == Naming::feature_discovery ? corrected_product(key, value)
                                                : corrected_provider_name(*naming, key, value);
  }
  if (key == "nvidia.com/gpu.memory" || key.ends_with("/instance-gpu-memory")) {
    return corrected_memory(value);
  }
  if (key == "amd.com/gpu.vram") return corrected_vram(value);
  if (key == "cloud.google.com/gke-gpu-partition-size") return corrected_partition(value);
  if (key == "kubernetes.azure.com/accelerator") return corrected_azure_vendor(value);
  return corrected_word(key, value);
}

}  // namespace cnsched::accelerators
