#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/accelerators/card.h"

namespace cnsched::accelerators {

inline constexpr std::string_view kMigResource = "nvidia.com/mig-";

/// A way to cut a card, and how many such slices a whole card gives.
struct MigProfile {
  std::string_view name;  ///< "1g.5gb"
  unsigned per_card = 0;
};

/// The profiles of one card in one size; variants (1g.5gb.me) belong to their profile. Source:
/// NVIDIA/gpu-operator assets/state-mig-manager/0400_configmap.yaml.
struct MigCard {
  std::string_view card;
  unsigned gigabytes = 0;  ///< 0: of every size
  std::span<const MigProfile> profiles;
};

std::span<const MigCard> mig_cards();

/// The profile in a resource name behind nvidia.com/mig-, in a product name behind -MIG-, or in
/// gke-gpu-partition-size: "3g.40gb" of "3g.40gb.me". Empty if it is none.
std::string_view mig_profile_in(std::string_view text);

/// Whether some card has the profile.
bool is_mig_profile(std::string_view profile);
/// Whether the card has it; of a card whose size is open, whether it has it in some size.
bool has_mig_profile(const Card& card, std::string_view profile);
/// How many such slices a whole card of a known size gives; 0 if it has none.
unsigned mig_slices_of(const Card& card, std::string_view profile);
/// The profiles of a card as a message lists them, the smallest first; empty if it cannot be cut.
std::string mig_profiles_of(const Card& card);
/// The cards that have the profile: "A100 with 40 GB or A800 with 40 GB".
std::string cards_with_mig_profile(std::string_view profile);

/// Why no card can have such a profile, or nothing: its form, a number of slices that no card is
/// cut into, less memory than the smallest card gives to as many slices. Profiles of cards that are
/// not known are left alone.
std::optional<std::string> mig_profile_problem(std::string_view profile);

}  // namespace cnsched::accelerators
