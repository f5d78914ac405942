#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/engine/selection.h"
#include "rules/engine/suppress.h"
#include "rules/registry.h"

namespace cnsched::rules {

/// The default limit of findings, and the flag that changes it.
inline constexpr std::size_t kMaxFindings = 100'000;
inline constexpr const char* kFindingsFlag = "--max-findings";

/// The result of a run.
struct RunResult {
  std::vector<Diagnostic> findings;
  /// Why findings were left out, with the place of the last one kept.
  std::optional<Unreadable> left_out{};
};

/// Runs the selected ones of `rules` over the linted files of `workspace`. The findings are sorted
/// by path, place and rule; equal findings of several pods at one place are merged. Suppressed
/// findings are marked and have no fix. At most `max_findings` are kept, to limit memory; which
/// ones depends on the input only.
RunResult run(const Workspace& workspace, const Selection& selection,
              std::span<const Listed> rules = all_rules(),
              const SuppressionSettings& suppression = {}, std::size_t max_findings = kMaxFindings);

}  // namespace cnsched::rules
