// Labels of different makers speak of the same card: nvidia-tesla-t4 on GKE is Tesla-T4 to GPU
// feature discovery and t4 to Karpenter. A card is recognised by a word of the name; how each maker
// writes it is in a table of its own, so that both questions have an answer.
#include "core/accelerators/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "core/accelerators/name_words.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

constexpr auto k8 = std::to_array<unsigned>({8});
constexpr auto k11 = std::to_array<unsigned>({11});
constexpr auto k12 = std::to_array<unsigned>({12});
constexpr auto k12Or16 = std::to_array<unsigned>({12, 16});
constexpr auto k16 = std::to_array<unsigned>({16});
constexpr auto k16Or32 = std::to_array<unsigned>({16, 32});
constexpr auto k24 = std::to_array<unsigned>({24});
constexpr auto k32 = std::to_array<unsigned>({32});
constexpr auto k40Or80 = std::to_array<unsigned>({40, 80});
constexpr auto k48 = std::to_array<unsigned>({48});
constexpr auto k80To96 = std::to_array<unsigned>({80, 94, 96});
constexpr auto k96 = std::to_array<unsigned>({96});
constexpr auto k96Or141 = std::to_array<unsigned>({96, 141});
constexpr auto k96Or144 = std::to_array<unsigned>({96, 144});
constexpr auto k141 = std::to_array<unsigned>({141});
constexpr auto k192 = std::to_array<unsigned>({192});
constexpr auto k288 = std::to_array<unsigned>({288});

constexpr auto kModels = std::to_array<CardModel>({
    {"K80", "kepler", k12},
    {"P4", "pascal", k8},
    {"P100", "pascal", k12Or16},
    {"V100", "volta", k16Or32},
    {"T4", "turing", k16},
    {"T4G", "turing", k16},
    {"A10", "ampere", k24},
    {"A10G", "ampere", k24},
    {"A30", "ampere", k24},
    {"A40", "ampere", k48},
    {"A100", "ampere", k40Or80},
    {"A800", "ampere", k40Or80},
    {"A6000", "ampere", k48},
    {"L4", "ada-lovelace", k24},
    {"L20", "ada-lovelace", k48},
    {"L40", "ada-lovelace", k48},
    {"L40S", "ada-lovelace", k48},
    {"H20", "hopper", k96Or141},
    {"H100", "hopper", k80To96},
    {"H800", "hopper", k80To96},
    {"H200", "hopper", k141},
    {"GH200", "hopper", k96Or144},
    {"B200", "blackwell", k192},
    {"GB200", "blackwell", k192},
    {"B300", "blackwell", k288},
    {"GB300", "blackwell", k288},
    {"RTX PRO 4500", "blackwell", k32},
    {"RTX PRO 6000", "blackwell", k96},
    {"GeForce RTX 2080 Ti", "turing", k11},
    {"GeForce RTX 4090", "ada-lovelace", k24},
});

constexpr auto kNames = std::to_array<CardName>({
    {Naming::feature_discovery, "Tesla-K80"},
    {Naming::feature_discovery, "Tesla-P4"},
    {Naming::feature_discovery, "Tesla-P100-PCIE-16GB"},
    {Naming::feature_discovery, "Tesla-P100-SXM2-16GB"},
    {Naming::feature_discovery, "Tesla-V100-SXM2-16GB"},
    {Naming::feature_discovery, "Tesla-V100-SXM2-32GB"},
    {Naming::feature_discovery, "Tesla-V100-PCIE-16GB"},
    {Naming::feature_discovery, "Tesla-V100-PCIE-32GB"},
    {Naming::feature_discovery, "Tesla-T4"},
    {Naming::feature_discovery, "NVIDIA-T4G"},
    {Naming::feature_discovery, "NVIDIA-A10"},
    {Naming::feature_discovery, "NVIDIA-A10G"},
    {Naming::feature_discovery, "NVIDIA-A30"},
    {Naming::feature_discovery, "NVIDIA-A40"},
    {Naming::feature_discovery, "NVIDIA-A100-SXM4-40GB"},
    {Naming::feature_discovery, "NVIDIA-A100-SXM4-80GB"},
    {Naming::feature_discovery, "NVIDIA-A100-PCIE-40GB"},
    {Naming::feature_discovery, "NVIDIA-A100-80GB-PCIe"},
    {Naming::feature_discovery, "A100-SXM4-40GB"},
    {Naming::feature_discovery, "A100-SXM4-80GB"},
    {Naming::feature_discovery, "A100-PCIE-40GB"},
    {Naming::feature_discovery, "NVIDIA-H100-80GB-HBM3"},
    {Naming::feature_discovery, "NVIDIA-H100-PCIe"},
    {Naming::feature_discovery, "NVIDIA-H100-NVL"},
    {Naming::feature_discovery, "NVIDIA-H200"},
    {Naming::feature_discovery, "NVIDIA-H200-NVL"},
    {Naming::feature_discovery, "NVIDIA-GH200-480GB"},
    {Naming::feature_discovery, "NVIDIA-B200"},
    {Naming::feature_discovery, "NVIDIA-GB200"},
    {Naming::feature_discovery, "NVIDIA-B300-SXM6-AC"},
    {Naming::feature_discovery, "NVIDIA-GB300"},
    {Naming::feature_discovery, "NVIDIA-L4"},
    {Naming::feature_discovery, "NVIDIA-L40"},
    {Naming::feature_discovery, "NVIDIA-L40S"},
    {Naming::feature_discovery, "NVIDIA-RTX-A6000"},
    {Naming::feature_discovery, "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"},
    {Naming::feature_discovery, "NVIDIA-RTX-PRO-6000-Blackwell-Max-Q-Workstation-Edition"},
    {Naming::feature_discovery, "NVIDIA-GeForce-RTX-2080-Ti"},
    {Naming::feature_discovery, "NVIDIA-GeForce-RTX-4090"},
    {Naming::gke, "nvidia-tesla-k80"},
    {Naming::gke, "nvidia-tesla-p100"},
    {Naming::gke, "nvidia-tesla-v100"},
    {Naming::gke, "nvidia-tesla-p4"},
    {Naming::gke, "nvidia-tesla-t4"},
    {Naming::gke, "nvidia-tesla-a100"},
    {Naming::gke, "nvidia-a100-80gb"},
    {Naming::gke, "nvidia-l4"},
    {Naming::gke, "nvidia-h100-80gb"},
    {Naming::gke, "nvidia-h100-mega-80gb"},
    {Naming::gke, "nvidia-h200-141gb"},
    {Naming::gke, "nvidia-b200"},
    {Naming::gke, "nvidia-gb200"},
    {Naming::gke, "nvidia-gb300"},
    {Naming::gke, "nvidia-rtx-pro-6000"},
    {Naming::gke, "nvidia-rtx-pro-6000-vws"},
    {Naming::karpenter, "t4"},
    {Naming::karpenter, "t4g"},
    {Naming::karpenter, "a10g"},
    {Naming::karpenter, "l4"},
    {Naming::karpenter, "l40s"},
    {Naming::karpenter, "v100"},
    {Naming::karpenter, "a100"},
    {Naming::karpenter, "h100"},
    {Naming::karpenter, "h200"},
    {Naming::karpenter, "b200"},
    {Naming::karpenter, "b300"},
    {Naming::karpenter, "rtx-pro-4500"},
    {Naming::karpenter, "rtx-pro-server-6000"},
});

struct Memory {
  std::string_view card;
  unsigned gigabytes;  ///< 0: of every size
  unsigned by_feature_discovery;
  unsigned by_karpenter;
};

/// MiB as labels have them; 0 where that is not known. Sources: facts on GPU feature discovery,
/// aws/karpenter-provider-aws instance-types.md.
constexpr auto kMemories = std::to_array<Memory>({
    {"P4", 0, 7680, 0},
    {"V100", 16, 0, 16384},
    {"V100", 32, 32768, 32768},
    {"T4", 0, 15360, 16384},
    {"T4G", 0, 0, 16384},
    {"A10", 0, 23028, 0},
    {"A10G", 0, 23028, 22888},
    {"A30", 0, 24576, 0},
    {"A100", 40, 40960, 40960},
    {"A100", 80, 81920, 81920},
    {"L4", 0, 23034, 22888},
    {"L40", 0, 46068, 0},
    {"L40S", 0, 46068, 45776},
    {"H100", 80, 81559, 81920},
    {"H200", 0, 143771, 144384},
    {"GH200", 96, 97871, 0},
    {"B200", 0, 0, 183359},
    {"B300", 0, 0, 275040},
    {"RTX PRO 4500", 0, 0, 32768},
    {"RTX PRO 6000", 0, 0, 98304},
    {"GeForce RTX 4090", 0, 24564, 0},
});

bool has_words_of(const std::vector<std::string>& words, std::string_view model) {
  return std::ranges::all_of(split(model, ' '), [&](std::string_view part) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return equals_ignoring_case(word, part); });
  });
}

const CardModel* model_in(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (const CardModel* model = find_card(word)) return model;
  }
  const auto* model = std::ranges::find_if(
      kModels, [&](const CardModel& m) { return has_words_of(words, m.name); });
  return model == kModels.end() ? nullptr : model;
}

/// The size that a word such as 80GB tells, if the model is made in it; of one that is made in a
/// single size there is nothing to tell.
unsigned gigabytes_in(const std::vector<std::string>& words, const CardModel& model) {
  if (model.gigabytes.size() < 2) return 0;
  for (const std::string& word : words) {
    unsigned size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || std::string_view(end) != "GB") continue;
    if (std::ranges::find(model.gigabytes, size) != model.gigabytes.end()) return size;
  }
  return 0;
}

}  // namespace

const CardModel* find_card(std::string_view name) {
  const auto* model = std::ranges::find(kModels, name, &CardModel::name);
  return model == kModels.end() ? nullptr : model;
}

std::optional<Card> card_in(std::string_view product) {
  constexpr unsigned kGkeA100 = 40;
  const std::vector<std::string> words = words_of(product.substr(0, product.find("-MIG-")));
  const CardModel* model = model_in(words);
  if (model == nullptr) return std::nullopt;
  return Card{model, product == "nvidia-tesla-a100" ? kGkeA100 : gigabytes_in(words, *model)};
}

std::string name_of(const Card& card) {
  return card.gigabytes == 0 ? std::string(card.model->name)
                             : fmt::format("{} with {} GB", card.model->name, card.gigabytes);
}

unsigned long long mebibytes_at_most(const Card& card) {
  constexpr unsigned long long kPerGibibyte = 1024;
  return (card.gigabytes != 0 ? card.gigabytes : card.model->gigabytes.back()) * kPerGibibyte;
}

std::optional<unsigned> mebibytes_of(const Card& card, Naming naming) {
  const auto* row = std::ranges::find_if(kMemories, [&](const Memory& memory) {
    return memory.card == card.model->name &&
           (memory.gigabytes == 0 || memory.gigabytes == card.gigabytes);
  });
  if (row == kMemories.end() || naming == Naming::gke) return std::nullopt;
  const unsigned size = naming == Naming::karpenter ? row->by_karpenter : row->by_feature_discovery;
  return size == 0 ? std::nullopt : std::optional(size);
}

std::span<const CardModel> card_models() { return kModels; }

std::span<const CardName> card_names() { return kNames; }

std::optional<Naming> naming_of(std::string_view key) {
  if (key == "nvidia.com/gpu.product") return Naming::feature_discovery;
  if (key == "cloud.google.com/gke-accelerator") return Naming::gke;
  if (key == "karpenter.k8s.aws/instance-gpu-name" ||
      key == "eks.amazonaws.com/instance-gpu-name") {
    return Naming::karpenter;
  }
  return std::nullopt;
}

}  // namespace cnsched::accelerators
