#include "core/accelerators/mig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

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

/// The sizes that the card may have: all of the model if its size is not known.
std::vector<const CardSize*> card_sizes(const Card& card) {
  std::vector<const CardSize*> sizes;
  for (const CardSize& size : card.model->sizes) {
    const bool is_possible = card.model->sizes.size() == 1 || card.gigabytes == 0;
    if (is_possible || card.gigabytes == size.gigabytes) sizes.push_back(&size);
  }
  return sizes;
}

const MigProfile* find_profile(const CardSize& size, std::string_view name) {
  const auto found = std::ranges::find(size.mig_profiles, name, &MigProfile::name);
  return found == size.mig_profiles.end() ? nullptr : &*found;
}

/// The least memory that a profile with so many slices has on any card.
std::optional<unsigned> least_gigabytes(unsigned slices) {
  std::optional<unsigned> least;
  for (const std::string_view profile : mig_profiles()) {
    const auto numbers = numbers_in(profile);
    if (!numbers || numbers->slices != slices) continue;
    least = std::min(least.value_or(numbers->gigabytes), numbers->gigabytes);
  }
  return least;
}

}  // namespace

std::vector<std::string_view> mig_profiles() {
  std::vector<std::string_view> names;
  for (const CardModel& model : records().models) {
    for (const CardSize& size : model.sizes) {
      for (const MigProfile& profile : size.mig_profiles) names.push_back(profile.name);
    }
  }
  return names;
}

std::string_view mig_profile_in(std::string_view text) {
  const auto numbers = numbers_in(text);
  if (!numbers || !is_variant(text.substr(numbers->length))) return {};
  return text.substr(0, numbers->length);
}

bool is_mig_profile(std::string_view profile) {
  const auto all = mig_profiles();
  return std::ranges::find(all, profile) != all.end();
}

const MigProfile* find_mig_profile(const Card& card, std::string_view profile) {
  for (const CardSize* size : card_sizes(card)) {
    if (const MigProfile* found = find_profile(*size, profile)) return found;
  }
  return nullptr;
}

std::string mig_profiles_of(const Card& card) {
  std::vector<std::string> names;
  for (const CardSize* size : card_sizes(card)) {
    for (const MigProfile& profile : size->mig_profiles) {
      std::string name(profile.name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return join_words(names, "or");
}

std::string cards_with_mig_profile(std::string_view profile) {
  std::vector<std::string> cards;
  for (const CardModel& model : records().models) {
    for (const CardSize& size : model.sizes) {
      if (find_profile(size, profile) == nullptr) continue;
      cards.push_back(name_of(Card{&model, model.sizes.size() == 1 ? 0 : size.gigabytes}));
    }
  }
  return join_words(cards, "or");
}

std::optional<std::string> mig_profile_problem(std::string_view text) {
  const std::string_view profile = mig_profile_in(text);
  // Other forms may be compute instances (1c.3g.20gb), or variants of future drivers.
  if (profile.empty()) return std::nullopt;
  const auto numbers = numbers_in(profile);
  const auto least = least_gigabytes(numbers->slices);
  if (!least) return fmt::format("no card has MIG profiles of {}g", numbers->slices);
  if (numbers->gigabytes >= *least) return std::nullopt;
  return fmt::format("a MIG profile of {}g has {} GB or more", numbers->slices, *least);
}

}  // namespace cnsched::accelerators
