#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "core/source/discover.h"
#include "core/workloads/workspace.h"
#include "rules/engine/config.h"
#include "rules/engine/config_search.h"
#include "rules/engine/rule_set.h"

namespace cnsched::cli {

/// How a command prints. Every command has these flags.
struct MessageOptions {
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
};

ColorChoice color_choice(const MessageOptions& options);

/// The sources of facts about the cluster besides the manifests, and the limits of reading.
struct FactOptions {
  std::vector<std::string> cluster;
  std::vector<MemoryFile> read{};  ///< files of facts that have been read already
  std::string config;
  bool no_config = false;
  StatedReleases releases;
  Limits limits;
};

/// Whether and how charts and overlays are rendered.
struct PackageOptions {
  std::string render;  ///< helm, kustomize, all, separated by commas; empty: nothing is rendered
  std::string helm;
  std::string kustomize;
  std::vector<std::string> values;
  std::vector<std::string> sets;
  std::size_t timeout = 0;             ///< seconds; 0: not set
  std::vector<std::string> checked{};  ///< see cnsched::RenderOptions
  bool never = false;                  ///< whatever the configuration says
};

/// The flags of every command that reads manifests.
struct InputOptions {
  std::vector<std::string> paths;
  FactOptions facts;
  std::string stdin_filename;
  std::vector<std::string> exclude;
  bool force_exclude = false;
  bool no_gitignore = false;
  PackageOptions packages;
  std::size_t jobs = 0;  ///< 0: one per core
  /// See LoadOptions.
  std::function<std::optional<std::string>(const std::string& path)> text_of{};
  bool replaceable = false;
};

void declare_messages(Command& command, MessageOptions& options);
/// Declares -v with the help `text`.
void declare_verbose(Command& command, MessageOptions& options, std::string_view text);
void declare_facts(Command& command, FactOptions& options);
void declare_input(Command& command, InputOptions& options);
void declare_limits(Command& command, Limits& limits);
/// Declares -c and --no-config.
void declare_config_choice(Command& command, FactOptions& options);

struct Opened {
  Workspace workspace;
  rules::ConfigSearch search{workspace.sources};
  rules::Configs configs;
  std::optional<rules::RuleSet> with_policies{};  ///< set by `open_configs` if there are policies

  const rules::RuleSet& rules() const {
    return with_policies ? *with_policies : rules::RuleSet::built_in();
  }
};

/// The files that the options name, without those that configurations exclude. Errors in
/// configurations are reported by `open_configs`.
Discovered discover_files(const InputOptions& options, Opened& opened);

/// Reads the configurations of `files`. Reports an invalid one and returns the exit code.
std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 Opened& opened, Console& console);
/// Looks up the configuration of a file, for Workspace::load.
std::function<const ClusterConfig*(const std::string&)> config_of(const rules::Configs& configs);

/// The fact files that the configurations name and --cluster does not.
std::vector<FactFile> config_files(const rules::Configs& configs, const FactOptions& options);

/// What findings call standard input.
std::string name_of_stdin(const InputOptions& options);

/// Reads configurations and manifests into `opened`. Charts and overlays are rendered if the
/// options say so: `found` then has the files that are none of their sources. Reports errors and
/// returns as `open_configs` does.
std::optional<Exit> open_workspace(const InputOptions& options, Discovered& found,
                                   OutOfScope out_of_scope, bool quiet, Opened& opened,
                                   Console& console);

/// Reports and returns true if more than one of the files is standard input. If one is a terminal,
/// prints that input is expected.
bool report_shared_stdin(std::vector<std::string> files, const FactOptions& facts, bool quiet,
                         Console& console);

/// Prints what could not be read. Returns whether there was anything.
bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console);

/// Prints what is not valid YAML. Returns whether there was anything.
bool report_broken(const Workspace& workspace, Console& console);

/// Prints the files that were found but skipped, with the reason.
void report_skipped(const Discovered& found, Console& console);

/// -v: prints how each file and document was handled.
void report_documents(const Discovered& found, const Workspace& workspace, Console& console);
/// With -v, if the files are for several clusters: which ones, and how many objects each has.
void report_scopes(const Workspace& workspace, Console& console);

/// -v: prints which patterns and rules of CustomResourceDefinitions were not evaluated.
void report_unevaluated(const Workspace& workspace, Console& console);

/// Prints why there is no document, if there is none.
void report_nothing(const Discovered& found, const RunStats& stats, Console& console);

/// Prints what was not rendered and not followed, and what to do instead.
void report_unfollowed(const Workspace& workspace, std::string_view command, Console& console);

/// Whether all input of a command could be read.
struct Reading {
  bool is_broken = false;      ///< a document is not valid YAML
  bool is_unreadable = false;  ///< a file could not be opened
};

/// The final messages of `render` and `simulate` about their input: invalid and missing documents,
/// and `summary` with the stats; with -v, how each document was handled.
Reading report_reading(const Discovered& found, const Workspace& workspace,
                       const MessageOptions& messages, std::string_view command,
                       const std::string& summary, Console& console);

/// Prints "error: " and the message on stderr, for each line of the message.
void say_error(Console& console, const std::string& message);

}  // namespace cnsched::cli
