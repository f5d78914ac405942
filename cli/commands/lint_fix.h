#pragma once

#include "cli/command.h"
#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "rules/engine/fix.h"

namespace cnsched::cli {

/// Which fixes to apply, and how.
struct FixOptions {
  bool fix = false;
  bool unsafe_fixes = false;
  bool diff = false;

  bool any() const { return fix || diff; }
  /// The least safety of the fixes to apply.
  Safety least() const { return unsafe_fixes ? Safety::unsafe : Safety::safe; }
};

void declare_fixes(Command& command, FixOptions& options);

/// Why the options cannot be combined; empty if they can.
std::string problem_with(const FixOptions& options);

/// Prints the changes. Returns whether there are any.
bool show_diff(const rules::FixResult& fixed, const Workspace& before, bool quiet,
               Console& console);

/// Writes the changed files, each only if it has not changed since it was read, except standard
/// input, which is named `stdin_name` (empty: it is not read). Reports files that cannot be
/// written, puts their findings back into `fixed`, and returns false.
bool write_fixes(rules::FixResult& fixed, const Workspace& before, const rules::Find& find,
                 const std::string& stdin_name, bool quiet, Console& console);
/// Prints the text of standard input after the fixes, changed or not.
void print_fixed_stdin(const rules::FixResult& fixed, const Workspace& before,
                       const std::string& stdin_name, Console& console);

/// "3 fixable with --fix, 1 more with --unsafe-fixes"; empty if no finding is fixable.
std::string describe_fixes(const std::vector<Diagnostic>& findings);

}  // namespace cnsched::cli
