#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"

namespace cnsched::cli {

/// What a lint run has to show.
struct Outcome {
  const Workspace& workspace;
  const std::vector<Diagnostic>& findings;
};

struct Totals {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
  std::size_t suppressed = 0;  ///< whatever their severity; not among the others
};

Totals totals_of(const std::vector<Diagnostic>& findings);

/// Source excerpts with carets, in at most `width` columns.
void write_pretty(const Outcome& outcome, std::size_t width, bool colored, std::ostream& out);
/// A line for each finding: `file:line:col: severity: message [rule]`.
void write_concise(const Outcome& outcome, bool colored, std::ostream& out);
/// One JSON document, schemaVersion 1.
void write_json(const Outcome& outcome, std::ostream& out);

/// "InferenceService team/llama, predictor": what the finding is about; empty if nothing.
std::string describe(const Subject& subject);
/// "by a comment: the only node with the disk".
std::string describe(const Suppression& suppression);
/// "checked 9 objects in 31 documents of 12 files (…)".
std::string describe(const Ledger& ledger);

}  // namespace cnsched::cli
