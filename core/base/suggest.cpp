#include "core/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/text.h"

namespace cnsched {

namespace {
/// Longer words are no slips of the short names that we compare with, and the table below is
/// quadratic: hostile input must not make us fill it.
constexpr std::size_t kLongestWord = 128;
/// Fewer letters begin too many words, and one of them makes another word.
constexpr std::size_t kShortestStart = 4;

bool is_broken_off(std::string_view word, std::string_view candidate) {
  return word.size() >= kShortestStart && candidate.starts_with(word);
}

/// A name that was broken off is as good as one with a single slip.
std::size_t slips_between(std::string_view word, std::string_view candidate) {
  return is_broken_off(word, candidate) ? 1 : edit_distance(word, candidate);
}

/// Whether so many slips do not make up for the letters that one has more than the other. Most
/// candidates are ruled out by that, and it takes no table.
bool differ_in_length(std::string_view word, std::string_view candidate, std::size_t slips) {
  const std::size_t longer = std::max(word.size(), candidate.size());
  const std::size_t shorter = std::min(word.size(), candidate.size());
  return longer - shorter > slips && !is_broken_off(word, candidate);
}

/// In lower case, the words separated by '-'.
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
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

/// Whether one word can be a slip of the other.
bool is_slip(std::string_view a, std::string_view b) {
  return a == b || (std::min(a.size(), b.size()) >= kShortestStart && digits_in(a) == digits_in(b));
}

/// Whether the names consist of the same words, but for slips.
bool are_same_words(std::string_view first, std::string_view second) {
  const std::string a = dashed(first);
  const std::string b = dashed(second);
  return without_dashes(a) == without_dashes(b) ||
         std::ranges::equal(split(a, '-'), split(b, '-'), is_slip);
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

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  // A word of one letter that is another one's is no slip of it.
  std::size_t best_distance =
      std::min(std::max<std::size_t>(1, word.size() / 3), word.size() - 1) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestWord) continue;
    if (differ_in_length(word, candidate, best_distance)) continue;
    const std::size_t distance = slips_between(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::optional<std::string_view> surely_meant(std::string_view word,
                                             const std::vector<std::string_view>& candidates) {
  const auto best = nearest(word, candidates);
  if (!best || !are_same_words(word, *best)) return std::nullopt;
  const std::size_t slips = slips_between(word, *best);
  const std::size_t most = slips == 0 ? 0 : slips + 1;  // nothing comes near another case
  const bool is_only_one = std::ranges::none_of(candidates, [&](std::string_view other) {
    return other != *best && other.size() <= kLongestWord && slips_between(word, other) <= most;
  });
  return is_only_one ? best : std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto best = nearest(word, candidates);
  return best ? fmt::format(", did you mean '{}'?", *best) : std::string();
}

}  // namespace cnsched
