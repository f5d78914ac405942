#include "cli/output/completion.h"

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

}  // namespace cnsched::cli
