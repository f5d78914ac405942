#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/change/compare.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"

namespace cnsched::cli {

/// The findings of one side.
struct FindingsOfSide {
  const Workspace& workspace;
  const std::vector<Diagnostic>& findings;
  /// The name by which the files of both sides are paired.
  std::function<std::string(const std::string& path)> pair_name;
};

/// The findings that only one side has.
struct FindingChanges {
  std::vector<const Diagnostic*> added;
  std::vector<const Diagnostic*> resolved;
};

/// Findings are equal if their fingerprints are: moved lines do not matter. A finding whose file
/// was moved, or whose object was renamed as `difference` says, is the same too.
FindingChanges compare_findings(const FindingsOfSide& before, const FindingsOfSide& after,
                                const change::Difference& difference);

}  // namespace cnsched::cli
