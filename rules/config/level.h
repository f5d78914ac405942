#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// The configured severity of a rule, or off.
enum class Level : std::uint8_t { off, info, warning, error };

/// The name of a level in `rules:` and --severity.
std::string_view name_of(Level level);
const std::vector<std::string_view>& level_names();
std::optional<Level> level_named(std::string_view name);
/// Nothing for `off`.
std::optional<Severity> severity_of(Level level);

/// A `rules:` section: levels by id, group or `all`. The most specific entry for a rule counts.
class Levels {
 public:
  struct Setting {
    Level level = Level::off;
    const yaml::Node* where = nullptr;
  };

  void set(std::string_view word, Setting setting) { by_word_[word] = setting; }
  /// Null if the section does not mention the rule.
  const Setting* find(std::string_view id) const;

 private:
  std::map<std::string_view, Setting> by_word_;
};

}  // namespace cnsched::rules
