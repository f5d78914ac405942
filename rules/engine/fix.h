#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

using Find = std::function<RunResult(const Workspace&)>;

/// The result of applying fixes, in memory.
struct FixResult {
  std::unique_ptr<Workspace> workspace{};      ///< with the new texts; null if nothing changed
  std::vector<Diagnostic> findings{};          ///< the remaining findings
  std::optional<Unreadable> left_out{};        ///< of these, as in `Found`
  std::map<std::string, std::string> texts{};  ///< of the changed files, by path
  std::map<std::string, std::size_t> made{};   ///< the number of fixes, by path
  /// Fixes that could not be applied, and why: "svc.yaml:3:7: …". Sorted.
  std::vector<std::string> failures{};

  /// Replaces the findings with those of the last run.
  void take(RunResult found) {
    findings = std::move(found.findings);
    left_out = std::move(found.left_out);
  }
};

/// Applies the fixes that are at least as safe as `least`, of findings that are not suppressed.
/// Conflicting fixes wait for the next pass, after `find` has run again. Every changed document is
/// parsed and compared with the intended tree.
FixResult fix_all(const Workspace& before, const RunResult& found, Safety least, const Find& find);

/// Whether the finding has a fix that `fix_all` applies.
bool is_wanted(const Diagnostic& finding, Safety least);

/// Drops unsafe fixes that move or rename a field and make an error: each is applied to its
/// document in memory, which is linted alone with `lint`. The help then names the error. What would
/// take too long to lint is dropped as well.
void drop_harmful_fixes(const Workspace& workspace, std::vector<Diagnostic>& findings,
                        const std::function<std::vector<Diagnostic>(const Workspace&)>& lint);

}  // namespace cnsched::rules
