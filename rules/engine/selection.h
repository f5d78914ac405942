#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"
#include "rules/config/config.h"
#include "rules/engine/rule_set.h"

namespace cnsched::rules {

/// The options --select, --ignore, --extend-select and --severity. Each word is the id of a rule, a
/// group, or `all`.
struct SelectionOptions {
  std::vector<std::string> select;         ///< replaces the default, which is all
  std::vector<std::string> ignore;         ///< removed from these
  std::vector<std::string> extend_select;  ///< added last
  std::vector<std::string> severity;       ///< RULE=error|warning|info|off
  /// Rules that the words may name although they are not of this run; may be null.
  const RuleSet* elsewhere = nullptr;
};

/// The rules that run and their severities, from the command line first, then from the
/// configuration of the file. Evaluated per finding, because a configuration may apply to single
/// files and objects.
class Selection {
 public:
  /// Every rule, with its own severity.
  static Selection everything() { return {}; }
  /// Selects from `rules`, which must outlive it. Fails for an unknown rule or group and for an
  /// unknown severity.
  static Result<Selection> from(const SelectionOptions& options,
                                const RuleSet& rules = RuleSet::built_in());

  /// The rules that it selects from.
  const RuleSet& rules() const { return *rules_; }

  /// Uses `configs`, which must outlive it, for rules that the command line does not mention.
  void follow(const Configs& configs) { configs_ = &configs; }

  /// Whether the rule can report anything in any file.
  bool runs(std::string_view id) const;
  /// The configured level of a finding of the rule about `subject`, in a file with these settings;
  /// nothing if the finding keeps its severity.
  std::optional<Level> level_of(std::string_view id, const RuleSettings& settings,
                                const Subject& subject) const;
  RuleSettings settings_of(const std::string& file) const;

 private:
  /// The options for one rule.
  struct Setting {
    bool selected = false;  ///< overrides the configuration
    std::optional<Level> level{};
  };

  const Setting& setting_of(std::string_view id) const;

  const RuleSet* rules_ = &RuleSet::built_in();
  std::map<std::string_view, Setting> settings_;
  const Configs* configs_ = nullptr;
};

}  // namespace cnsched::rules
