// The options that several commands share, and their flags.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/load_options.h"

namespace cnsched::rules {
struct SelectionOptions;
}

namespace cnsched::cli {

/// How a command prints. Every command has these flags.
struct MessageOptions {
  ColorChoice color = ColorChoice::automatic;
  bool quiet = false;
  bool verbose = false;
};

/// The sources of facts about the cluster besides the manifests, and the limits of reading.
struct FactOptions {
  std::vector<std::string> cluster;
  std::vector<MemoryFile> read{};  ///< files of facts that have been read already
  std::string ns;                  ///< of objects that name none
  std::string config;
  bool no_config = false;
  facts::StatedReleases releases;
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
  bool unsandboxed = false;            ///< see cnsched::RenderOptions
  std::vector<std::string> checked{};  ///< see cnsched::RenderOptions
  bool never = false;                  ///< whatever the configuration says
};

/// The steps of a simulation (sim::Steps): some ten seconds.
inline constexpr std::size_t kDefaultSteps = 1'000'000'000;

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
};

void declare_messages(Command& command, MessageOptions& options);
/// Declares -v with the help `text`.
void declare_verbose(Command& command, MessageOptions& options, std::string_view text);
void declare_facts(Command& command, FactOptions& options);
void declare_input(Command& command, InputOptions& options);
void declare_limits(Command& command, Limits& limits);
/// Declares --max-steps, among the limits.
void declare_steps(Command& command, std::size_t& steps);
/// Declares -c and --no-config.
void declare_config_choice(Command& command, FactOptions& options);
/// Declares the flags that select rules and set their severities.
void declare_selection(Command& command, rules::SelectionOptions& options);
/// Declares --fail-on. `text` as of ArgumentGroup::one_of.
void declare_fail_on(Command& command, Severity& target, std::string_view text);

}  // namespace cnsched::cli
