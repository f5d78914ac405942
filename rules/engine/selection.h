#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"
#include "rules/engine/config.h"

namespace cnsched::rules {

/// Which rules run, as --select, --ignore, --extend-select and --severity say. Each word is the id
/// of a rule, a group, or `all`.
struct SelectionOptions {
  std::vector<std::string> select;         ///< instead of the default, which is all
  std::vector<std::string> ignore;         ///< taken away from these
  std::vector<std::string> extend_select;  ///< added at last
  std::vector<std::string> severity;       ///< RULE=error|warning|info|off
};

/// The rules that run, and with which severity: what the command line says, then what the
/// configuration of the file does. Both are asked per finding, for a configuration may speak of
/// single files and objects.
class Selection {
 public:
  /// Every rule, as it stands.
  static Selection everything() { return {}; }
  /// Fails for a word that is no rule and no group, and for an unknown severity.
  static Result<Selection> from(const SelectionOptions& options);

  /// Follows `configs`, which have to outlive it, where the command line does not say otherwise.
  void follow(const Configs& configs) { configs_ = &configs; }

  /// Whether the rule may find anything anywhere.
  bool runs(std::string_view id) const;
  /// What holds for findings of the rule about `subject`, in a file with these settings: nothing if
  /// they are as severe as they say themselves.
  std::optional<Level> level_of(std::string_view id, const RuleSettings& settings,
                                const Subject& subject) const;
  RuleSettings settings_of(const std::string& file) const;

 private:
  /// What the command line says of a rule.
  struct Said {
    bool selected = false;  ///< whatever the configuration says
    std::optional<Level> level{};
  };

  const Said& said_of(std::string_view id) const;

  std::map<std::string_view, Said> said_;
  const Configs* configs_ = nullptr;
};

/// The ids of the rules that a word names; empty if it names none.
std::vector<std::string_view> ids_named(std::string_view word);

std::optional<Severity> severity_named(std::string_view name);

}  // namespace cnsched::rules
