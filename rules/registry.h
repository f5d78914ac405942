#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace cnsched::rules {

/// The word that selects every rule.
inline constexpr std::string_view kAllRules = "all";

/// A rule and its group in rules.def.
struct Listed {
  std::string_view group;
  const Rule* rule;
};

/// Every rule, in the order of rules.def.
std::span<const Listed> all_rules();
/// The rule with that id, or null.
const Listed* find_rule(std::string_view id);
/// Every word that selects rules: the groups, `all` and the ids.
std::vector<std::string_view> rule_words();
/// The groups, each once, in the order of rules.def.
std::vector<std::string_view> all_groups();

}  // namespace cnsched::rules
