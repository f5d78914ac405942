#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::accelerators {

/// What a label was probably meant to be.
struct Meant {
  std::string why;         ///< "GPU feature discovery writes 'Tesla-T4'"
  std::string instead;     ///< the key or value to write; empty where several come into question
  bool says_less = false;  ///< than what is written, and so more nodes than were meant
};

/// What is wrong with the key of a node label, or nothing: a slip of one that a tool or provider
/// writes, or one of those that are written and do not exist. Own labels are normal, so any other
/// key is left alone.
std::optional<Meant> label_key_slip(std::string_view key);

/// The same of a value of a label whose values are known, as `In` or nodeSelector compare it. New
/// cards and drivers bring new values, so a value that is merely unknown is left alone.
std::optional<Meant> label_value_slip(std::string_view key, std::string_view value);

/// The values that are known of a label; open or closed. Empty where there are none.
std::vector<std::string_view> known_values(std::string_view key);

}  // namespace cnsched::accelerators
