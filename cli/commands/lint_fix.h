#pragma once

#include <CLI/CLI.hpp>

#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "rules/engine/fix.h"

namespace cnsched::cli {

/// What becomes of findings that can be mended.
struct FixOptions {
  bool fix = false;
  bool unsafe_fixes = false;
  bool diff = false;

  bool any() const { return fix || diff; }
  /// The fixes that are made.
  Safety least() const { return unsafe_fixes ? Safety::unsafe : Safety::safe; }
};

void declare_fixes(CLI::App& command, FixOptions& options);

/// Why the options do not go together, or with standard input; empty if they do.
std::string problem_with(const FixOptions& options, bool reads_stdin);

/// Prints the changes. True if there are any.
bool show_diff(const rules::Fixed& fixed, const Workspace& before, bool quiet, Console& console);

/// Writes the files that change, each only if it still is what `before` has read. What could not be
/// written is reported, and what is found in it is back in `fixed`; false then.
bool write_fixes(rules::Fixed& fixed, const Workspace& before, const rules::Find& find, bool quiet,
                 Console& console);

/// "--fix can mend 3, --unsafe-fixes 1 more"; empty if nothing can be mended.
std::string describe_fixes(const std::vector<Diagnostic>& findings);

}  // namespace cnsched::cli
