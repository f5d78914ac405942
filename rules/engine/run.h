#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/read_log.h"
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

/// The findings of one rule in one batch.
struct FoundByRule {
  std::size_t rule = 0;  ///< its index in the list of rules
  std::vector<Diagnostic> findings;
};

/// What rules found in documents and objects, and what they looked up for that: for further runs
/// over the same workspace, with the same rules, after Workspace::replace.
class FindingCache {
 public:
  struct Entry {
    std::vector<FoundByRule> found{};
    ReadLog reads{};
    bool is_cut = false;  ///< a rule exceeded the limit
  };
  using Entries = std::unordered_map<const void*, Entry>;

  /// Forgets what the change may have changed.
  void forget(const FileChange& change);
  void clear() {
    by_scope_.clear();
    mentions_.clear();
  }
  /// By document and object.
  Entries& of(const ClusterScope& scope) { return by_scope_[&scope]; }
  /// The files that may have suppressions.
  Mentions& mentions() { return mentions_; }

 private:
  std::map<const ClusterScope*, Entries> by_scope_;
  Mentions mentions_;
};

/// Runs the selected ones of `rules` over the linted files of `workspace`. The findings are sorted
/// by path, place and rule; equal findings of several pods at one place are merged. Suppressed
/// findings are marked and have no fix. At most `max_findings` are kept, to limit memory; which
/// ones depends on the input only. What `cache` has is not looked for again.
RunResult run(const Workspace& workspace, const Selection& selection,
              std::span<const Listed> rules = all_rules(),
              const SuppressionSettings& suppression = {}, std::size_t max_findings = kMaxFindings,
              FindingCache* cache = nullptr);

}  // namespace cnsched::rules
