#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/baseline.h"
#include "rules/engine/selection.h"
#include "rules/engine/suppress.h"

namespace cnsched::cli {

/// What is found, but not to be told.
struct SuppressionOptions {
  bool no_inline_ignores = false;
  std::string baseline;
  std::string write_baseline;
  bool show_suppressed = false;
};

void declare_suppression(CLI::App& command, SuppressionOptions& options);

/// Hides what is suppressed, as the options say.
class Suppressor {
 public:
  /// Reads the clock (or SOURCE_DATE_EPOCH) and the baseline. What is wrong with them is reported;
  /// nothing comes back then.
  static std::optional<Suppressor> open(const SuppressionOptions& options, Console& console);

  const rules::IgnoreOptions& ignores() const { return ignores_; }
  /// Hides what the baseline knows.
  void hide(const Workspace& run, std::vector<Diagnostic>& findings) const;
  /// When all is found and hidden: tells on stderr what the baseline knows in vain, and writes a
  /// new one if that is wanted; false if it cannot be written, which is reported. Only where
  /// `findings` are all that there are can this be told.
  bool settle(const Workspace& run, const rules::Selection& selection, bool quiet,
              std::vector<Diagnostic>& findings, bool are_all, Console& console) const;
  /// Those of `findings` that are to be shown.
  std::vector<Diagnostic> shown(std::vector<Diagnostic> findings) const;

 private:
  explicit Suppressor(const SuppressionOptions& options) : options_(options) {}

  SuppressionOptions options_;
  rules::IgnoreOptions ignores_;
  std::optional<rules::Baseline> baseline_;
};

}  // namespace cnsched::cli
