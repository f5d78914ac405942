#include "core/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/text.h"

namespace cnsched {

namespace {

/// `edit_distance` takes quadratic time and space.
constexpr std::size_t kMaxLength = 128;
/// A shorter prefix begins too many names, and one edit of a shorter word often makes another word.
constexpr std::size_t kMinLength = 4;

/// In lower case, with '-' between the words.
std::string dashed(std::string_view name) {
  std::string result = lower(name);
  std::ranges::replace_if(
      result, [](char c) { return c == '_' || c == '.' || c == ' '; }, '-');
  return result;
}

std::string without_dashes(std::string name) {
  std::erase(name, '-');
  return name;
}

std::string digits_in(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
  return digits;
}

bool differ_only_within_words(std::string_view a, std::string_view b) {
  return a == b || (std::min(a.size(), b.size()) >= kMinLength && digits_in(a) == digits_in(b));
}

/// Whether the names consist of the same words, apart from misspellings.
bool are_same_words(std::string_view first, std::string_view second) {
  const std::string a = dashed(first);
  const std::string b = dashed(second);
  return without_dashes(a) == without_dashes(b) ||
         std::ranges::equal(split(a, '-'), split(b, '-'), differ_only_within_words);
}

/// "gb" of "80gb"; the letters after other numbers distinguish products: T4G, V100S.
constexpr std::string_view kUnit = "gb";
/// The letters of SXM4 and HBM3 are a word, those of T4 and GB200 distinguish products.
constexpr std::size_t kLettersOfWord = 3;

/// Whether the character of `part` at `i` can be lost without making the name of another product:
/// A100-SXM-80GB is not a misspelling of A100-SXM4-80GB.
bool can_be_lost(std::string_view part, std::size_t i) {
  const auto number = std::ranges::find_if(part, is_digit);
  const auto letters = static_cast<std::size_t>(number - part.begin());
  if (is_digit(part[i])) return letters < kLettersOfWord;
  return letters == 0 ? part.ends_with(kUnit) : letters >= kLettersOfWord && i < letters;
}

/// Whether `written` is `part` with one character doubled or lost, or two swapped.
bool is_likely_typo(std::string_view written, std::string_view part) {
  const auto i =
      static_cast<std::size_t>(std::ranges::mismatch(written, part).in1 - written.begin());
  const std::string_view a = written.substr(i);
  const std::string_view b = part.substr(i);
  if (a.size() == b.size() + 1) return i > 0 && a[0] == written[i - 1] && a.substr(1) == b;
  if (a.size() + 1 == b.size()) return a == b.substr(1) && can_be_lost(part, i);
  return a.size() == b.size() && a.size() > 1 && a[0] == b[1] && a[1] == b[0] &&
         a.substr(2) == b.substr(2) && !(is_digit(a[0]) && is_digit(a[1]));
}

/// Whether a part between dashes can be a misspelling. In a short one, or one with a number,
/// another letter or digit makes another product: T4 and P4, B200 and R200, L4 and L40.
bool is_misspelt_part(std::string_view written, std::string_view part) {
  const bool is_word = std::min(written.size(), part.size()) >= kMinLength &&
                       digits_in(written).empty() && digits_in(part).empty();
  return written == part || is_word || is_likely_typo(written, part);
}

/// Whether the names belong to one product, apart from misspellings.
bool are_same_product(std::string_view first, std::string_view second) {
  const std::string a = dashed(first);
  const std::string b = dashed(second);
  return without_dashes(a) == without_dashes(b) ||
         std::ranges::equal(split(a, '-'), split(b, '-'), is_misspelt_part);
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first);
  const std::string b = lower(second);
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * columns + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

std::optional<std::size_t> edits_if_near(std::string_view word, std::string_view name,
                                         const Nearness& nearness) {
  const auto [shorter, longer] = std::minmax({word.size(), name.size()});
  if (shorter < nearness.min_length || longer > kMaxLength) return std::nullopt;
  if (nearness.same_digits && digits_in(word) != digits_in(name)) return std::nullopt;
  std::size_t edits = longer - shorter;
  if (nearness.allows_prefix && word.size() >= kMinLength && name.starts_with(word)) {
    edits = 1;
  } else if (edits <= nearness.max_edits) {
    edits = edit_distance(word, name);
  }
  return edits <= nearness.max_edits ? std::optional(edits) : std::nullopt;
}

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.empty()) return std::nullopt;
  std::optional<std::string_view> best;
  // A single letter is not a misspelling of another one.
  Nearness nearness{
      .max_edits = std::min(std::max<std::size_t>(1, word.size() / 3), word.size() - 1),
      .allows_prefix = true};
  for (const std::string_view candidate : candidates) {
    const auto edits = edits_if_near(word, candidate, nearness);
    if (!edits) continue;
    best = candidate;
    if (*edits == 0) break;
    nearness.max_edits = *edits - 1;
  }
  return best;
}

std::optional<std::string_view> certain_correction(
    std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto best = nearest(word, candidates);
  if (!best || !are_same_words(word, *best)) return std::nullopt;
  Nearness nearness{.max_edits = word.size(), .allows_prefix = true};
  const std::size_t edits = *edits_if_near(word, *best, nearness);
  nearness.max_edits = edits == 0 ? 0 : edits + 1;  // one edit is farther than a change of case
  const bool is_unambiguous = std::ranges::none_of(candidates, [&](std::string_view other) {
    return other != *best && edits_if_near(word, other, nearness);
  });
  return is_unambiguous ? best : std::nullopt;
}

std::string_view corrected_spelling(std::string_view word,
                                    const std::vector<std::string_view>& candidates) {
  if (std::ranges::find(candidates, word) != candidates.end()) return {};
  for (const std::string_view candidate : candidates) {
    if (equals_ignoring_case(word, candidate)) return candidate;
  }
  constexpr Nearness kNearness{.max_edits = 1, .min_length = kMinLength, .same_digits = true};
  for (const std::string_view candidate : candidates) {
    if (edits_if_near(word, candidate, kNearness)) return candidate;
  }
  return {};
}

std::optional<std::string_view> misspelt_product(std::string_view word,
                                                 const std::vector<std::string_view>& candidates) {
  if (std::ranges::find(candidates, word) != candidates.end()) return std::nullopt;
  constexpr std::size_t kLongWord = 8;
  const Nearness nearness{.max_edits = word.size() >= kLongWord ? std::size_t{2} : 1,
                          .min_length = 2};
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    if (candidate == found || !edits_if_near(word, candidate, nearness) ||
        !are_same_product(word, candidate)) {
      continue;
    }
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto best = nearest(word, candidates);
  return best ? fmt::format(", did you mean '{}'?", printable(*best)) : std::string();
}

}  // namespace cnsched
