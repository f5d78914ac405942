#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/selection.h"

namespace cnsched::rules {

/// One finding that was there already. All but the fingerprint is for people, and to tell whether a
/// run could have found it again.
struct KnownFinding {
  std::string fingerprint;
  std::string rule;
  std::string file;  ///< as its repository names it, printable
  std::string object;
  std::string message;
};

/// Findings that are known, as a file keeps them: a run reports only what is new.
class Baseline {
 public:
  /// Those of a run that no comment or annotation suppresses.
  static Baseline of(const Workspace& run, const std::vector<Diagnostic>& findings);
  /// Fails with a line per error, with its place.
  static Result<Baseline> read(const std::string& path);

  std::size_t size() const { return entries_.size(); }
  /// Marks the findings that are known.
  void hide(const Workspace& run, std::vector<Diagnostic>& findings) const;
  /// The entries that the run would have found again if they were still there: of files that it
  /// has read as a whole, and of rules that have run.
  Baseline stale(const Workspace& run, const Selection& selection,
                 const std::vector<Diagnostic>& findings) const;
  /// Without those of `stale`, and with those of `current`.
  Baseline updated(const Baseline& stale, const Baseline& current) const;
  /// As JSON, sorted, a line per entry.
  std::string text() const;

 private:
  std::vector<KnownFinding> entries_;
};

}  // namespace cnsched::rules
