#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/selection.h"
#include "rules/engine/suppress.h"
#include "rules/registry.h"

namespace cnsched::rules {

/// Findings that a run keeps, unless it is told otherwise, and the flag that tells it.
inline constexpr std::size_t kMostFindings = 100'000;
inline constexpr const char* kFindingsFlag = "--max-findings";

/// What a run of rules has found.
struct Found {
  std::vector<Diagnostic> findings;
  /// What is said of those that are left out, with the place of the last that is kept.
  std::optional<Unreadable> left_out{};
};

/// Runs those of `rules` that are selected over the linted files of `workspace`. The findings are
/// sorted by path, place and rule; what several pods report about one place in the same words comes
/// once. Those that a comment or an annotation suppresses are marked, and have no fix. At most
/// `most` are kept, or a manifest could fill the memory by its mistakes: which they are depends on
/// what is read alone.
Found run(const Workspace& workspace, const Selection& selection,
          std::span<const Listed> rules = all_rules(), const IgnoreOptions& ignores = {},
          std::size_t most = kMostFindings);

}  // namespace cnsched::rules
