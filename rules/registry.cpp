#include "rules/registry.h"

#include <algorithm>
#include <array>

namespace cnsched::rules {

#define RULE(group, name) \
  namespace name {        \
  extern const Rule rule; \
  }
#include "rules/rules.def"
#undef RULE

namespace {

constexpr std::array kRules = {
#define RULE(group, name) Listed{#group, &name::rule},
#include "rules/rules.def"
#undef RULE
};

}  // namespace

std::span<const Listed> all_rules() { return kRules; }

const Listed* find_rule(std::string_view id) {
  const auto* found =
      std::ranges::find_if(kRules, [&](const Listed& listed) { return listed.rule->id == id; });
  return found == kRules.end() ? nullptr : found;
}

std::vector<std::string_view> all_groups() {
  std::vector<std::string_view> groups;
  for (const Listed& listed : kRules) {
    if (std::ranges::find(groups, listed.group) == groups.end()) groups.push_back(listed.group);
  }
  return groups;
}

std::vector<std::string_view> rule_words() {
  std::vector<std::string_view> words = all_groups();
  words.push_back(kAllRules);
  for (const Listed& listed : all_rules()) words.push_back(listed.rule->id);
  return words;
}

}  // namespace cnsched::rules
