#include "cli/output/completion.h"

#include <algorithm>

#include "rules/engine/level.h"
#include "rules/registry.h"

namespace cnsched::cli {

std::span<const Shell> shells() {
  static constexpr Shell kShells[] = {
      {"bash", "cnsched.bash", bash_completion},
      {"zsh", "_cnsched", zsh_completion},
      {"fish", "cnsched.fish", fish_completion},
  };
  return kShells;
}

std::string_view word_for(Takes takes) {
  switch (takes) {
    case Takes::nothing:
      return "";
    case Takes::choice:
      return "words";
    case Takes::file:
      return "file";
    case Takes::directory:
      return "directory";
    case Takes::rule:
      return "rule";
    case Takes::rules:
      return "rules";
    case Takes::level:
      return "level";
    case Takes::report:
      return "report";
    case Takes::template_name:
      return "template";
    case Takes::parameter:
      return "parameter";
    case Takes::text:
      break;
  }
  return "text";
}

std::vector<Word> rule_words() {
  std::vector<Word> words;
  for (const rules::Listed& each : rules::all_rules()) {
    words.push_back({each.rule->id, each.rule->summary});
  }
  return words;
}

std::vector<Word> group_words() {
  std::vector<Word> words;
  for (const std::string_view group : rules::all_groups())
    words.push_back({group, "a group of rules"});
  words.push_back({rules::kAllRules, "every rule"});
  return words;
}

std::vector<std::string_view> level_words() { return rules::level_names(); }

}  // namespace cnsched::cli
