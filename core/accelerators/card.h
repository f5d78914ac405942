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

inline constexpr std::string_view kMigResource = "nvidia.com/mig-";

/// The profiles of all cards, as often as cards have them.
std::vector<std::string_view> mig_profiles();

/// The profile in a resource name after nvidia.com/mig-, in a product name after -MIG-, or in
/// gke-gpu-partition-size: "3g.40gb" of "3g.40gb.me". Empty if `text` is not a profile.
std::string_view mig_profile_in(std::string_view text);

/// Whether some card has the profile.
bool is_mig_profile(std::string_view profile);
/// The profile of a card, or null; of a card of unknown size, that of the first size that has it.
const MigProfile* find_mig_profile(const Card& card, std::string_view profile);
/// The profiles of a card for messages, the smallest first; empty if it does not support MIG.
std::string mig_profiles_of(const Card& card);
/// The cards that have the profile: "A100 with 40 GB or A800 with 40 GB".
std::string cards_with_mig_profile(std::string_view profile);

/// Why no card can have the profile, or nothing: no card has profiles with that number of slices,
/// or all have more memory. Unknown profiles that a new card could have are accepted.
std::optional<std::string> mig_profile_problem(std::string_view profile);

}  // namespace cnsched::accelerators
