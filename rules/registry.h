#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace cnsched::rules {

/// The word that stands for every rule.
inline constexpr std::string_view kAllRules = "all";

/// A rule and the group that rules.def lists it in.
struct Listed {
  std::string_view group;
  const Rule* rule;
};

/// Every rule, in the order of rules.def.
std::span<const Listed> all_rules();
/// Null if there is none of that id.
const Listed* find_rule(std::string_view id);
/// What users may call rules by: the groups, `all` and every id.
std::vector<std::string_view> rule_words();
/// The names of the groups, each once, in the order of rules.def.
std::vector<std::string_view> all_groups();

}  // namespace cnsched::rules
