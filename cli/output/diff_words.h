#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/output/diff.h"

namespace cnsched::cli {

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
