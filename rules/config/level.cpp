#include "rules/config/level.h"

#include <algorithm>

#include "rules/policy/policy.h"
#include "rules/registry.h"

namespace cnsched::rules {

const std::vector<std::string_view>& level_names() {
  static const std::vector<std::string_view> names = {"off", "info", "warning", "error"};
  return names;
}

std::string_view name_of(Level level) { return level_names()[static_cast<std::size_t>(level)]; }

std::optional<Level> level_named(std::string_view name) {
  const auto found = std::ranges::find(level_names(), name);
  if (found == level_names().end()) return std::nullopt;
  return static_cast<Level>(found - level_names().begin());
}

std::optional<Severity> severity_of(Level level) {
  switch (level) {
    case Level::off:
      return std::nullopt;
    case Level::info:
      return Severity::info;
    case Level::warning:
      return Severity::warning;
    case Level::error:
      break;
  }
  return Severity::error;
}

const Levels::Setting* Levels::find(std::string_view id) const {
  const Listed* listed = find_rule(id);
  const std::string_view follows = listed == nullptr ? std::string_view() : listed->rule->follows;
  // Every other rule is a policy.
  const std::string_view group = listed == nullptr ? kPolicyGroup : listed->group;
  for (const std::string_view word : {id, follows, group, kAllRules}) {
    const auto found = by_word_.find(word);
    if (found != by_word_.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace cnsched::rules
