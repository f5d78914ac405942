#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cnsched::accelerators {

/// A model of card, of all sizes that it is made in.
struct CardModel {
  std::string_view name;                ///< "A100"
  std::string_view family;              ///< as GPU feature discovery calls it: "ampere"
  std::span<const unsigned> gigabytes;  ///< nominal, the smallest first
};

/// A card as a label names it.
struct Card {
  const CardModel* model = nullptr;
  unsigned gigabytes = 0;  ///< of those the model is made in; 0 where the name leaves that open

  friend bool operator==(const Card&, const Card&) = default;
};

std::span<const CardModel> card_models();

/// The model of this name, or null.
const CardModel* find_card(std::string_view name);

/// The card that a word of the product name gives away, whoever spells it: Tesla-T4,
/// nvidia-tesla-t4, t4, A100_NVLINK_80GB. Only what is surely meant.
std::optional<Card> card_in(std::string_view product);

/// "A100 with 40 GB", or "A100" where the size is open.
std::string name_of(const Card& card);

/// More MiB than any tool reports of such a card: the nominal size, taken for GiB. Of several
/// sizes, the largest.
unsigned long long mebibytes_at_most(const Card& card);

/// Those who name cards in labels.
enum class Naming : unsigned char { feature_discovery, gke, karpenter };

/// How one of them writes a card.
struct CardName {
  Naming naming;
  std::string_view value;
};

/// Every spelling that is known. Open lists: new drivers and clouds bring new ones. Sources: the
/// README and tests of NVIDIA/k8s-device-plugin, Google's page on GPUs in GKE,
/// aws/karpenter-provider-aws instance-types.md.
std::span<const CardName> card_names();

/// MiB of memory that the labels of this maker tell of such a card, where that is known. GKE's tell
/// none.
std::optional<unsigned> mebibytes_of(const Card& card, Naming naming);

/// Whose spelling the values of this label are, or nothing.
std::optional<Naming> naming_of(std::string_view key);

}  // namespace cnsched::accelerators
