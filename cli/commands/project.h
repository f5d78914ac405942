#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/options.h"
#include "core/source/discover.h"
#include "core/workspace/load_options.h"
#include "rules/config/config.h"
#include "rules/engine/selection.h"

namespace cnsched::cli {

// How commands read manifests: discover → open → select. What stops one of these steps is reported
// where it happens, and the exit code is returned; nothing: the step is done.

/// The discovered files, their configurations, the workspace that they are read into, and the rules
/// that run over it.
struct LoadedProject {
  Discovered found{};
  std::string confinement{};  ///< of the engines that render; empty: none runs
  Workspace workspace;
  rules::ConfigSearch search{workspace.sources};
  rules::Configs configs;
  std::optional<rules::RuleSet> with_policies{};  ///< set by `open_configs` if there are policies
  rules::Selection selection;                     ///< set by `select_rules`

  /// The built-in rules, and the policies of the configurations.
  const rules::RuleSet& rules() const {
    return with_policies ? *with_policies : rules::RuleSet::built_in();
  }
};

/// What a command reads, besides the files of the input.
struct Opening {
  const InputOptions& input;
  OutOfScope out_of_scope = OutOfScope::counted;
  bool quiet = false;                   ///< prints no prompt for standard input
  const ParsedFiles* parsed = nullptr;  ///< see LoadOptions
};

/// Documents out of scope are kept with -v, which prints each, and if the command needs their
/// texts.
Opening opening_of(const InputOptions& input, const MessageOptions& messages,
                   bool needs_texts = false);

/// All steps.
std::optional<Exit> open_project(const Opening& opening, const rules::SelectionOptions& selection,
                                 LoadedProject& project, Console& console);

/// Finds the files that the options name, without those that configurations exclude. Errors in
/// configurations are reported by `open_configs`.
void discover_files(const InputOptions& options, LoadedProject& project);
/// Reads the configurations, selects the rules and reads the found files. Charts and overlays are
/// rendered if the options say so: the found files are then those that are none of their sources.
std::optional<Exit> open_workspace(const Opening& opening, const rules::SelectionOptions& selection,
                                   LoadedProject& project, Console& console);
std::optional<Exit> select_rules(const rules::SelectionOptions& options, LoadedProject& project,
                                 Console& console);

/// Reads the configurations of `files`.
std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 LoadedProject& project, Console& console);
/// For loading the facts that the options and the configurations name.
LoadOptions load_options(const FactOptions& options, const rules::Configs& configs);
/// Loads facts, and manifests in memory: no file may be unreadable.
std::optional<Exit> load_facts(const LoadOptions& options, LoadedProject& project,
                               Console& console);

/// Why the file must not be quoted; empty if it may. The user may name any file, but a link in the
/// repository comes from whom the manifests come from.
std::string problem_with_link(const std::string& file);

/// What findings call standard input.
std::string name_of_stdin(const InputOptions& options);
/// Rejects more than one use of standard input. If it is a terminal, prints that input is expected.
std::optional<Exit> reject_shared_stdin(std::vector<std::string> files, const FactOptions& facts,
                                        bool quiet, Console& console);

}  // namespace cnsched::cli
