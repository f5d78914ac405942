#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/engine/selection.h"

namespace cnsched::rules {

/// One finding of a baseline. The fields besides the fingerprint are for readers, and show whether
/// a run could find it again.
struct KnownFinding {
  std::string fingerprint;
  std::string rule;
  std::string file;  ///< relative to its repository, printable
  std::string object;
  std::string message;
};

/// Known findings, from a file: a run reports only new ones.
class Baseline {
 public:
  /// The findings that no comment or annotation suppresses.
  static Baseline of(const Workspace& workspace, const std::vector<Diagnostic>& findings);
  /// Fails with one line per error, with its place.
  static Result<Baseline> read(const std::string& path);

  std::size_t size() const { return entries_.size(); }
  /// Marks the known findings as suppressed.
  void hide(const Workspace& workspace, std::vector<Diagnostic>& findings) const;
  /// The entries that are no longer found, of completely read files and of rules that ran.
  Baseline stale(const Workspace& workspace, const Selection& selection,
                 const std::vector<Diagnostic>& findings) const;
  /// Without the entries of `stale`, with those of `current`.
  Baseline updated(const Baseline& stale, const Baseline& current) const;
  /// JSON, sorted, one line per entry.
  std::string text() const;

 private:
  std::vector<KnownFinding> entries_;
};

}  // namespace cnsched::rules
