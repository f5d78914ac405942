#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// What a user wants of a rule: a severity, or not to hear of it.
enum class Level : std::uint8_t { off, info, warning, error };

/// The word of each, as `rules:` and --severity have it.
std::string_view name_of(Level level);
const std::vector<std::string_view>& level_names();
std::optional<Level> level_named(std::string_view name);
/// Nothing for `off`.
std::optional<Severity> severity_of(Level level);

/// What a `rules:` section says. Its words are ids, groups and `all`; of those that mean a rule the
/// most specific one counts.
class Levels {
 public:
  struct Said {
    Level level = Level::off;
    const yaml::Node* where = nullptr;
  };

  void set(std::string_view word, Said said) { by_word_[word] = said; }
  /// Null if nothing is said of the rule.
  const Said* find(std::string_view id) const;

 private:
  std::map<std::string_view, Said> by_word_;
};

}  // namespace cnsched::rules
