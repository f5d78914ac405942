#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"

namespace cnsched::rules {

/// Which rules run, as --select, --ignore, --extend-select and --severity say. Each word is the id
/// of a rule, a group, or `all`.
struct SelectionOptions {
  std::vector<std::string> select;         ///< instead of the default, which is all
  std::vector<std::string> ignore;         ///< taken away from these
  std::vector<std::string> extend_select;  ///< added at last
  std::vector<std::string> severity;       ///< RULE=error|warning|info|off
};

/// The rules that run, and with which severity.
class Selection {
 public:
  /// Every rule, as it stands.
  static Selection everything();
  /// Fails for a word that is no rule and no group, and for an unknown severity.
  static Result<Selection> from(const SelectionOptions& options);

  bool runs(std::string_view id) const { return selected_.contains(id); }
  /// What the user has set for the rule, if anything: it overrides what findings say themselves.
  std::optional<Severity> severity_of(std::string_view id) const;

 private:
  std::map<std::string_view, std::optional<Severity>> selected_;
};

/// Every word that names rules: ids, groups and `all`.
std::vector<std::string_view> all_names();
/// The ids of the rules that a word names; empty if it names none.
std::vector<std::string_view> ids_named(std::string_view word);

std::optional<Severity> severity_named(std::string_view name);

}  // namespace cnsched::rules
