#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/card.h"

namespace cnsched::accelerators {

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
