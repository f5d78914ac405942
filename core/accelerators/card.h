#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/records.h"

namespace cnsched::accelerators {

/// The words of a product name, in capitals: NVIDIA, A100, SXM4, 40GB, MIG, 1G, 5GB.
std::vector<std::string> words_of(std::string_view product);

/// The model of this name, or null.
const CardModel* find_card(std::string_view name);

/// The card that a product name contains, in the spelling of any tool: Tesla-T4, nvidia-tesla-t4,
/// t4, A100_NVLINK_80GB. Nothing if the card is not certain.
std::optional<Card> card_in(std::string_view product);

/// The card with its size, also where a name does not say it because the model has only one.
Card with_only_size(Card card);

/// "A100 with 40 GB", or "A100" where the size is not known or there is only one.
std::string name_of(const Card& card);

/// An upper bound of the MiB that any tool reports for the card: its nominal size in GiB. If the
/// size is not known, that of the largest.
unsigned long long mebibytes_at_most(const Card& card);

/// MiB of memory in the labels of this tool, where that is known. GKE has no such label.
std::optional<unsigned> mebibytes_of(const Card& card, Naming naming);

/// The tool that writes the values of this label, or nothing.
std::optional<Naming> naming_of(std::string_view key);

}  // namespace cnsched::accelerators
