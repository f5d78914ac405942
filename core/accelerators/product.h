#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/records.h"

namespace cnsched::accelerators {

/// A product in terms of the records: an NVIDIA card or a slice of one, or a device.
struct Accelerator {
  Product product;
  std::string whole;  ///< the name of the card that a slice belongs to; otherwise its own name
  std::optional<Card> card;              ///< its size is 0 if the name covers several sizes
  const Device* device = nullptr;        ///< null for NVIDIA cards
  std::string_view mig_profile;          ///< of a slice
  const CardName* exact_name = nullptr;  ///< set if nodes must be labelled with exactly this name

  bool has_open_size() const { return card && card->gigabytes == 0; }
};

/// In the order of products().
const std::vector<Accelerator>& all_accelerators();

/// By its name or any spelling, ignoring case. Fails with the reason and a suggestion.
Result<const Accelerator*> find_accelerator(std::string_view name);
/// The card, or its slice if `profile` is not empty, under any of its names; null if there is none.
const Accelerator* any_card(const Card& card, std::string_view profile);

/// The names of the card by this tool. If the size of `card` is 0: names that cover several sizes.
std::vector<const CardName*> spellings_of(const Card& card, Naming naming);
/// One accelerator for each size that the name may mean; empty if it means one size.
std::vector<const Accelerator*> sizes_of(std::string_view name);
/// Of cards: "nvidia-tesla-a100 (40 GB) or nvidia-a100-80gb (80 GB)".
std::string choice_of(const std::vector<const Accelerator*>& sizes);

}  // namespace cnsched::accelerators
