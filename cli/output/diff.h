#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/change/compare.h"
#include "core/diag/diagnostic.h"

namespace cnsched::cli {

/// The result of `cnsched diff`.
struct DiffOutcome {
  const change::Side& before;
  const change::Side& after;
  const change::Difference& difference;
  /// Of the new side, and of the old one.
  std::vector<const Diagnostic*> new_findings{};
  std::vector<const Diagnostic*> resolved_findings{};
  /// Of the new side's configuration.
  change::Prices prices{};
  /// Why the command fails besides the pods that lost their nodes: "nvidia.com/gpu: 12 with all
  /// replicas, more than --max-accelerators nvidia.com/gpu=8".
  std::vector<std::string> failures{};
  Severity fail_on = Severity::warning;  ///< from which severity new findings make it fail

  bool is_empty() const {
    return difference.is_empty() && new_findings.empty() && resolved_findings.empty();
  }
};

/// The first line of the Markdown, by which a bot finds its comment.
inline constexpr std::string_view kDiffMarker = "<!-- cnsched diff -->";

/// "2 pods changed, 1 added; fits: 1 lost its last node"; "no change in placement".
std::string describe(const change::Difference& difference);

void write_diff(const DiffOutcome& outcome, std::size_t width, bool colored, std::ostream& out);
/// One JSON document, schemaVersion 1.
void write_diff_json(const DiffOutcome& outcome, std::ostream& out);
/// At most 60,000 characters, for a comment on a pull request or a step's summary.
void write_diff_markdown(const DiffOutcome& outcome, std::ostream& out);
/// Workflow commands: annotations of the causing lines of the new side.
void write_diff_github(const DiffOutcome& outcome, std::ostream& out);

}  // namespace cnsched::cli
