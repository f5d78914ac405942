#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "core/source/discover.h"
#include "core/workloads/workspace.h"
#include "rules/engine/config.h"

namespace cnsched::cli {

/// What every command has: how to talk.
struct TalkOptions {
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
};

ColorChoice color_choice(const TalkOptions& options);

/// The flags of every command that reads manifests.
struct InputOptions {
  std::vector<std::string> paths;
  std::vector<std::string> cluster;
  std::string config;
  bool no_config = false;
  std::string stdin_filename;
  std::vector<std::string> exclude;
  bool force_exclude = false;
  bool no_gitignore = false;
  int jobs = 0;
};

void declare_talk(CLI::App& command, TalkOptions& options);
void declare_input(CLI::App& command, InputOptions& options);
/// For an option that may be repeated and takes one value each time: CLI11's vectors are greedy and
/// would swallow the paths behind it.
CLI::Option* one_value_each(CLI::Option* option);

/// The files that the options name.
Discovered discover_files(const InputOptions& options);

/// Configurations and manifests, read into `workspace`. On a bad configuration it is reported and
/// the exit code returned.
struct Opened {
  Workspace workspace;
  rules::Configs configs;
};
std::optional<Exit> open_workspace(const InputOptions& options, const Discovered& found,
                                   Opened& opened, Console& console);

/// Prints what could not be read; true if there was anything.
bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console);

/// -v: what became of each file and document.
void report_fates(const Discovered& found, const Workspace& workspace, Console& console);

/// If Helm templates were skipped: what to do instead, with the command at hand.
void report_templates(const Ledger& ledger, std::string_view command, Console& console);

/// "error: " and the message, on stderr.
void say_error(Console& console, const std::string& message);

}  // namespace cnsched::cli
