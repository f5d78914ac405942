#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::accelerators {

/// What a label probably should be.
struct Correction {
  std::string reason;       ///< "GPU feature discovery writes 'Tesla-T4'"
  std::string replacement;  ///< the key or value to write; empty if several are possible
  bool is_broader = false;  ///< the replacement matches more nodes than were intended
};

/// The correction of a node label's key, or nothing. A key is wrong if it is a misspelling of one
/// that a tool or provider writes, or if users write it and it does not exist. Users may define
/// labels, so any other key is accepted.
std::optional<Correction> corrected_label_key(std::string_view key);

/// The same for a value that `In` or nodeSelector compares with such a label. New cards and drivers
/// have new values, so an unknown value is accepted.
std::optional<Correction> corrected_label_value(std::string_view key, std::string_view value);

/// The keys of node labels that tools and providers write.
std::vector<std::string_view> known_label_keys();

/// The known values of a label, even if others are possible. Empty where none are known.
std::vector<std::string_view> known_values(std::string_view key);

}  // namespace cnsched::accelerators
