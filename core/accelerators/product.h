#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/device.h"
#include "core/accelerators/platform.h"

namespace cnsched::accelerators {

/// What the name of a product stands for: a card of NVIDIA's or a slice of one, or a device.
struct Accelerator {
  Product product;
  std::string whole;                  ///< the name of the card that it is a slice of; else its own
  std::optional<Card> card;           ///< its size is 0 if the name leaves it open
  const Device* device = nullptr;     ///< what is no card of NVIDIA's
  std::string_view profile;           ///< of a slice
  const CardName* spelled = nullptr;  ///< if only nodes count that are labelled exactly so

  bool is_open() const { return card && card->gigabytes == 0; }
};

/// What products() tells of, in the same order.
const std::vector<Accelerator>& all_accelerators();

/// By its name or any spelling, ignoring case; or, with the reason and what comes next, none.
Result<const Accelerator*> find_accelerator(std::string_view name);
/// The whole card, or the slice of it, whoever spells it.
const Accelerator* portable(const Card& card, std::string_view profile);

/// How this maker of labels spells the card: of open size only, if `card` is.
std::vector<const CardName*> spellings_of(const Card& card, Naming naming);
/// One of each size that the name leaves open; none if it leaves no size open.
std::vector<const Accelerator*> sizes_of(std::string_view name);
/// Of cards: "nvidia-tesla-a100 (40 GB) or nvidia-a100-80gb (80 GB)".
std::string choice_of(const std::vector<const Accelerator*>& sizes);

}  // namespace cnsched::accelerators
