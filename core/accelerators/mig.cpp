#include "core/accelerators/mig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

using Profile = MigProfile;

constexpr auto kA30 = std::to_array<Profile>({{"1g.6gb", 4}, {"2g.12gb", 2}, {"4g.24gb", 1}});
constexpr auto k40 = std::to_array<Profile>({{"1g.5gb", 7},
                                             {"1g.10gb", 4},
                                             {"2g.10gb", 3},
                                             {"3g.20gb", 2},
                                             {"4g.20gb", 1},
                                             {"7g.40gb", 1}});
constexpr auto k80 = std::to_array<Profile>({{"1g.10gb", 7},
                                             {"1g.20gb", 4},
                                             {"2g.20gb", 3},
                                             {"3g.40gb", 2},
                                             {"4g.40gb", 1},
                                             {"7g.80gb", 1}});
constexpr auto k94 = std::to_array<Profile>({{"1g.12gb", 7},
                                             {"1g.24gb", 4},
                                             {"2g.24gb", 3},
                                             {"3g.47gb", 2},
                                             {"4g.47gb", 1},
                                             {"7g.94gb", 1}});
constexpr auto k96 = std::to_array<Profile>({{"1g.12gb", 7},
                                             {"1g.24gb", 4},
                                             {"2g.24gb", 3},
                                             {"3g.48gb", 2},
                                             {"4g.48gb", 1},
                                             {"7g.96gb", 1}});
constexpr auto k141 = std::to_array<Profile>({{"1g.18gb", 7},
                                              {"1g.35gb", 4},
                                              {"2g.35gb", 3},
                                              {"3g.71gb", 2},
                                              {"4g.71gb", 1},
                                              {"7g.141gb", 1}});
constexpr auto k144 = std::to_array<Profile>({{"1g.18gb", 7},
                                              {"1g.36gb", 4},
                                              {"2g.36gb", 3},
                                              {"3g.72gb", 2},
                                              {"4g.72gb", 1},
                                              {"7g.144gb", 1}});
constexpr auto kB200 = std::to_array<Profile>({{"1g.23gb", 7},
                                               {"1g.45gb", 4},
                                               {"2g.45gb", 3},
                                               {"3g.90gb", 2},
                                               {"4g.90gb", 1},
                                               {"7g.180gb", 1}});
// Drivers disagree about the larger ones.
constexpr auto kGB200 = std::to_array<Profile>({{"1g.23gb", 7},
                                                {"1g.47gb", 4},
                                                {"2g.47gb", 3},
                                                {"3g.93gb", 2},
                                                {"3g.95gb", 2},
                                                {"4g.93gb", 1},
                                                {"4g.95gb", 1},
                                                {"7g.186gb", 1},
                                                {"7g.189gb", 1}});
constexpr auto kB300 = std::to_array<Profile>({{"1g.34gb", 7},
                                               {"1g.67gb", 4},
                                               {"2g.67gb", 3},
                                               {"3g.135gb", 2},
                                               {"4g.135gb", 1},
                                               {"7g.269gb", 1}});
constexpr auto kGB300 = std::to_array<Profile>({{"1g.35gb", 7},
                                                {"1g.70gb", 4},
                                                {"2g.70gb", 3},
                                                {"3g.139gb", 2},
                                                {"4g.139gb", 1},
                                                {"7g.278gb", 1}});
constexpr auto kRtx = std::to_array<Profile>({{"1g.24gb", 4}, {"2g.48gb", 2}, {"4g.96gb", 1}});

constexpr auto kCards = std::to_array<MigCard>(
    {{"A30", 0, kA30},     {"A100", 40, k40},  {"A100", 80, k80},    {"A800", 40, k40},
     {"A800", 80, k80},    {"H100", 80, k80},  {"H100", 94, k94},    {"H100", 96, k96},
     {"H800", 80, k80},    {"H800", 94, k94},  {"H20", 96, k96},     {"H20", 141, k141},
     {"H200", 0, k141},    {"GH200", 96, k96}, {"GH200", 144, k144}, {"B200", 0, kB200},
     {"GB200", 0, kGB200}, {"B300", 0, kB300}, {"GB300", 0, kGB300}, {"RTX PRO 6000", 0, kRtx}});

struct Numbers {
  unsigned slices = 0;
  unsigned gigabytes = 0;
  std::size_t length = 0;  ///< of "<slices>g.<gigabytes>gb"
};

std::optional<Numbers> numbers_in(std::string_view text) {
  Numbers numbers;
  const char* const end = text.data() + text.size();
  const auto slices = std::from_chars(text.data(), end, numbers.slices);
  std::string_view rest(slices.ptr, end);
  if (slices.ec != std::errc() || !rest.starts_with("g.")) return std::nullopt;
  const auto memory = std::from_chars(slices.ptr + 2, end, numbers.gigabytes);
  rest = std::string_view(memory.ptr, end);
  if (memory.ec != std::errc() || !rest.starts_with("gb")) return std::nullopt;
  numbers.length = static_cast<std::size_t>(memory.ptr + 2 - text.data());
  return numbers;
}

bool is_variant(std::string_view suffix) {
  constexpr auto kVariants =
      std::to_array<std::string_view>({"", ".me", ".me.all", ".gfx", "-me", ".all"});
  if (suffix.ends_with(".shared")) suffix.remove_suffix(std::string_view(".shared").size());
  return std::ranges::find(kVariants, suffix) != kVariants.end();
}

bool is_size_of(const MigCard& row, const Card& card) {
  return row.card == card.model->name &&
         (row.gigabytes == 0 || card.gigabytes == 0 || row.gigabytes == card.gigabytes);
}

bool lists(const MigCard& row, std::string_view profile) {
  return std::ranges::find(row.profiles, profile, &Profile::name) != row.profiles.end();
}

/// The least memory that so many slices have on any card.
std::optional<unsigned> least_gigabytes(unsigned slices) {
  std::optional<unsigned> least;
  for (const MigCard& row : kCards) {
    for (const Profile& profile : row.profiles) {
      const auto numbers = numbers_in(profile.name);
      if (numbers->slices != slices) continue;
      least = std::min(least.value_or(numbers->gigabytes), numbers->gigabytes);
    }
  }
  return least;
}

}  // namespace

std::span<const MigCard> mig_cards() { return kCards; }

std::string_view mig_profile_in(std::string_view text) {
  const auto numbers = numbers_in(text);
  if (!numbers || !is_variant(text.substr(numbers->length))) return {};
  return text.substr(0, numbers->length);
}

bool is_mig_profile(std::string_view profile) {
  return std::ranges::any_of(kCards, [&](const MigCard& row) { return lists(row, profile); });
}

bool has_mig_profile(const Card& card, std::string_view profile) {
  return std::ranges::any_of(
      kCards, [&](const MigCard& row) { return is_size_of(row, card) && lists(row, profile); });
}

unsigned mig_slices_of(const Card& card, std::string_view profile) {
  for (const MigCard& row : kCards) {
    if (!is_size_of(row, card)) continue;
    const auto found = std::ranges::find(row.profiles, profile, &Profile::name);
    if (found != row.profiles.end()) return found->per_card;
  }
  return 0;
}

std::string mig_profiles_of(const Card& card) {
  std::vector<std::string> names;
  for (const MigCard& row : kCards) {
    if (!is_size_of(row, card)) continue;
    for (const Profile& profile : row.profiles) {
      std::string name(profile.name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return join_words(names, "or");
}

std::string cards_with_mig_profile(std::string_view profile) {
  std::vector<std::string> cards;
  for (const MigCard& row : kCards) {
    if (!lists(row, profile)) continue;
    cards.push_back(row.gigabytes == 0 ? std::string(row.card)
                                       : fmt::format("{} with {} GB", row.card, row.gigabytes));
  }
  return join_words(cards, "or");
}

std::optional<std::string> mig_profile_problem(std::string_view text) {
  const std::string_view profile = mig_profile_in(text);
  // Other forms may be compute instances (1c.3g.20gb), or the variants of drivers to come.
  if (profile.empty()) return std::nullopt;
  const auto numbers = numbers_in(profile);
  const auto least = least_gigabytes(numbers->slices);
  if (!least) return fmt::format("no card is cut into slices of {}g", numbers->slices);
  if (numbers->gigabytes >= *least) return std::nullopt;
  return fmt::format("a slice of {}g has {} GB or more", numbers->slices, *least);
}

}  // namespace cnsched::accelerators
