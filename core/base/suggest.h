#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

/// The number of insertions, deletions, substitutions and swaps of neighbouring letters from `a` to
/// `b` (optimal string alignment), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// When a word counts as a misspelling of a name.
struct Nearness {
  std::size_t max_edits = 1;   ///< as `edit_distance` counts them
  std::size_t min_length = 1;  ///< of both; one edit of a short word makes another word
  bool same_digits = false;    ///< the digits of both must be equal: A10 is not A30
  bool allows_prefix = false;  ///< a word of four letters or more that begins the name is one edit
};

/// The number of edits from `word` to `name`, or nothing if they are not near. Words of more than
/// 128 letters are never near, which bounds the time for hostile input.
std::optional<std::size_t> edits_if_near(std::string_view word, std::string_view name,
                                         const Nearness& nearness);

/// The candidate nearest to `word`, if at most a third of the letters of `word` differ, or if the
/// candidate begins with it. The first of equally near ones.
std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

/// `nearest`, if the correction is unambiguous: no other candidate is about as near, and the two
/// differ only in separators and case, or within words of four letters or more that have the
/// same digits. So gpu-1 is not a misspelling of gpu-2, nor of cpu-1.
std::optional<std::string_view> certain_correction(std::string_view word,
                                                   const std::vector<std::string_view>& candidates);

/// The first candidate that differs from `word` only in case, or else by one edit and not in its
/// digits: names of cards and sizes often differ in a digit. Empty if there is none, or if `word`
/// is a candidate itself.
std::string_view corrected_spelling(std::string_view word,
                                    const std::vector<std::string_view>& candidates);

/// The only candidate that `word` can be a misspelling of, where the candidates are names of
/// products: at most two edits in a word of eight letters or more, otherwise one. Numbers, short
/// parts and what is between dashes distinguish products, so in those only a doubled or lost
/// character and swapped letters count: l44 is a misspelling of l4, but l40, k4 and l4-x are not.
/// Nothing if `word` is a candidate itself.
std::optional<std::string_view> misspelt_product(std::string_view word,
                                                 const std::vector<std::string_view>& candidates);

/// ", did you mean 'x'?" or nothing, to append to a message. The candidate is made printable.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace cnsched
