#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

using Find = std::function<Found(const Workspace&)>;

/// A run after its findings have been mended, as far as they can be. Nothing is written yet.
struct Fixed {
  std::unique_ptr<Workspace> workspace{};      ///< with the new texts; null if there are none
  std::vector<Diagnostic> findings{};          ///< what is left
  std::optional<Unreadable> left_out{};        ///< of these, as `run` tells
  std::map<std::string, std::string> texts{};  ///< of the files that change, by path
  std::map<std::string, std::size_t> made{};   ///< how many fixes, by path
  /// Fixes that could not be made, and why: "svc.yaml:3:7: …". Sorted.
  std::vector<std::string> failures{};

  /// Takes over what was found last.
  void take(Found found) {
    findings = std::move(found.findings);
    left_out = std::move(found.left_out);
  }
};

/// Makes the fixes that are at least as safe as `least`, of findings that are not suppressed. Those
/// that get in each other's way wait until the others are made and `find` has looked again.
/// Whatever is made of a document is parsed, and is the tree that was meant.
Fixed fix_all(const Workspace& before, const Found& found, Safety least, const Find& find);

/// Whether the fix would be made.
bool is_wanted(const Diagnostic& finding, Safety least);

}  // namespace cnsched::rules
