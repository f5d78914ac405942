#pragma once

#include <ostream>
#include <string>
#include <utility>
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

// What the formats for readers have in common. All texts are printable.

/// The pods in the order in which they are shown: those that got worse first.
std::vector<const change::PodChange*> ordered_pods(const change::Difference& difference);

/// "InferenceService 'llama', predictor (svc.yaml:4)", "removed: …", "renamed: … → …".
std::string heading_of(const change::PodChange& pod, const DiffOutcome& outcome);
/// "l4 (svc.yaml:12) → a100 (from runtime.yaml:20)".
std::string values_of(const change::FactChange& change, const DiffOutcome& outcome);
/// "nodeSelector['pool']: l4 (svc.yaml:12) → …", "because of taints['dedicated'] of Node 'a': …".
std::vector<std::string> change_lines(const change::PodChange& pod, const DiffOutcome& outcome);
/// "nvidia-l4 ×1 → nvidia-a100-80gb ×2"; empty if no side requests any.
std::string devices_text(const change::PodChange& pod);
/// Whether the products of a side are known: if not, the requests say as much.
bool names_products(const change::PodChange& pod);
/// "fits 4 of 12 nodes → fits nowhere: …"; empty if no side knows any node.
std::string verdict_text(const change::PodChange& pod);

/// A sum that differs between the sides, or of which there is a cost.
struct TotalRow {
  std::string name;
  std::string before;
  std::string after;
};
std::vector<TotalRow> total_rows(const DiffOutcome& outcome);

/// "error: svc.yaml:3: …" without the severity: "svc.yaml:3: message [rule]".
std::string finding_text(const Diagnostic& finding, const Workspace& workspace);

}  // namespace cnsched::cli
