#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "core/source/discover.h"
#include "core/workloads/workspace.h"
#include "rules/engine/config.h"
#include "rules/engine/config_search.h"

namespace cnsched::cli {

/// What every command has: how to talk.
struct TalkOptions {
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
};

ColorChoice color_choice(const TalkOptions& options);

/// Where facts about the cluster come from, beside the manifests, and how much is read of either.
struct FactOptions {
  std::vector<std::string> cluster;
  std::string config;
  bool no_config = false;
  Limits limits;
};

/// The flags of every command that reads manifests.
struct InputOptions {
  std::vector<std::string> paths;
  FactOptions facts;
  std::string stdin_filename;
  std::vector<std::string> exclude;
  bool force_exclude = false;
  bool no_gitignore = false;
  int jobs = 0;
};

void declare_talk(CLI::App& command, TalkOptions& options);
/// -v, for commands that have more to tell: `what`.
void declare_verbose(CLI::App& command, TalkOptions& options, const char* what);
void declare_facts(CLI::App& command, FactOptions& options);
void declare_input(CLI::App& command, InputOptions& options);
void declare_limits(CLI::App& command, Limits& limits);
/// Allows these values only. They are told by the option's type ("WHEN:{auto,always,never}") and,
/// with the nearest, by the error.
CLI::Option* one_of(CLI::Option* option, std::vector<std::string> choices);
/// Allows whole numbers from `least` to `most` only.
CLI::Option* whole_number(CLI::Option* option, std::size_t most, std::size_t least = 0);
/// Takes bytes as Kubernetes writes them, 64Mi or 100M, up to `most`.
CLI::Option* size_in_bytes(CLI::Option* option, std::size_t most);
/// For an option that may be repeated and takes one value each time: CLI11's vectors are greedy and
/// would swallow the paths behind it.
CLI::Option* one_value_each(CLI::Option* option);

struct Opened {
  Workspace workspace;
  rules::ConfigSearch search{workspace.sources};
  rules::Configs configs;
};

/// The files that the options name. Configurations that are met on the way may leave some out; what
/// is wrong with them is reported by whoever opens.
Discovered discover_files(const InputOptions& options, Opened& opened);

/// The configurations that hold for `files` alone. On a bad one it is reported and the exit code
/// returned.
std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 Opened& opened, Console& console);
/// What holds for a file of these configurations, for Workspace::load.
std::function<const ClusterConfig*(const std::string&)> config_of(const rules::Configs& configs);

/// The files of facts that the configurations name, but those that are read anyway.
std::vector<FactFile> config_files(const rules::Configs& configs,
                                   const std::vector<std::string>& linted,
                                   const FactOptions& options);

/// Configurations and manifests, read into `workspace`. Reports and returns as
/// `open_configs` does.
std::optional<Exit> open_workspace(const InputOptions& options, const Discovered& found,
                                   OutOfScope out_of_scope, bool quiet, Opened& opened,
                                   Console& console);

/// Reports that more than one of the files is standard input; true if so. If one is, whoever is to
/// type it is told so.
bool report_shared_stdin(std::vector<std::string> files, const FactOptions& facts, bool quiet,
                         Console& console);

/// Prints what could not be read; true if there was anything.
bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console);

/// Prints what is no YAML; true if there was anything.
bool report_broken(const Workspace& workspace, Console& console);

/// What was found and is not read, and why.
void report_skipped(const Discovered& found, Console& console);

/// -v: what became of each file and document.
void report_fates(const Discovered& found, const Workspace& workspace, Console& console);

/// If there was not a single document: why.
void report_nothing(const Discovered& found, const Ledger& ledger, Console& console);

/// If Helm templates were skipped: what to do instead, with the command at hand.
void report_templates(const Ledger& ledger, std::string_view command, Console& console);

/// Whether all that a command has read could be read.
struct Reading {
  bool is_broken = false;      ///< something is no YAML
  bool is_unreadable = false;  ///< a file could not be opened
};

/// What a command that shows things says of its reading, at its end: the fates of all with -v, what
/// is broken, what is missing, and `summary` with the ledger.
Reading report_reading(const Discovered& found, const Workspace& workspace, const TalkOptions& talk,
                       std::string_view command, const std::string& summary, Console& console);

/// "error: " and the message, on stderr; of several lines, each by itself.
void say_error(Console& console, const std::string& message);

}  // namespace cnsched::cli
