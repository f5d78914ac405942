#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/project.h"
#include "core/base/leftovers.h"
#include "core/change/compare.h"
#include "core/diag/diagnostic.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "rules/engine/run.h"

namespace cnsched::cli {

/// What `diff` compares.
struct ComparedOptions {
  InputOptions input;                    ///< `paths`: OLD and NEW, or paths of the repository
  std::string base;                      ///< a revision
  std::string head;                      ///< a revision; empty: the working tree
  std::vector<std::string> old_cluster;  ///< instead of `input.facts.cluster`
};

/// One of the two states that `diff` compares, and what is found in it.
struct DiffSide {
  InputOptions input;       ///< as seen from `directory`
  std::string revision{};   ///< "main": what messages call it; empty: the files on the disk
  bool is_missing = false;  ///< none of the paths exists
  /// The working directory, in files of the revision; empty: that of the process.
  std::string directory{};
  std::unique_ptr<ScratchDirectory> files{};
  std::vector<std::string> left_out{};  ///< of the revision, for messages

  const ParsedFiles* parsed = nullptr;  ///< of the other side, see LoadOptions
  LoadedProject project;
  std::optional<sim::Simulation> simulation{};
  sim::Placements placements{};
  rules::RunResult linted{};

  const Workspace& workspace() const { return project.workspace; }
  /// " (in main)"; empty for files on the disk.
  std::string suffix() const;
};

/// Both of them.
struct DiffSides {
  DiffSide before;
  DiffSide after;
};

/// Decides what each side reads, and extracts the files of revisions. What is read from both sides
/// but can be read only once (a pipe) is read here. Reports errors and returns the exit code.
std::optional<Exit> plan_sides(const ComparedOptions& options, DiffSides& sides, Console& console);

/// How the sides are read and checked.
struct SideOptions {
  const rules::SelectionOptions& selection;
  rules::SuppressionSettings suppression;
  std::shared_ptr<sim::Steps> steps;  ///< of both sides
  bool replicas = false;
  bool verbose = false;
};

/// Reads a side, in its directory. Reports errors in configurations and returns the exit code.
std::optional<Exit> open_side(const SideOptions& options, DiffSide& side, Console& console);

/// Lints and simulates an open side. A policy that only the other side has may be selected.
std::optional<Exit> check_side(const SideOptions& options, const DiffSide& other, DiffSide& side,
                               Console& console);

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
