#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

/// What becomes of manifests that the program has made.
struct DeliveryOptions {
  std::string output;  ///< a file; empty: standard output
  bool force = false;
  bool diff = false;
  bool check = false;
  bool no_lint = false;
  std::string fail_on = "error";
};

void declare_delivery(CLI::App& command, DeliveryOptions& options);

/// Manifests that are about to leave.
struct Leaving {
  std::string name;  ///< that findings show
  std::string text;
  std::optional<std::string> before{};  ///< if they were read: what was found then does not count
  std::vector<MemoryFile> cluster{};    ///< facts that have been read already
};

/// Lints them with what is known of the cluster, and shows the findings on stderr. Returns the exit
/// code if there are findings at or above --fail-on, or facts that cannot be read. `opened` holds
/// the configurations and receives the workspace.
std::optional<Exit> lint_before_leaving(const Leaving& leaving, const FactOptions& facts,
                                        const DeliveryOptions& options, const TalkOptions& talk,
                                        Opened& opened, Console& console);

/// Says that the findings have kept the manifests from leaving, if it was they. Returns `exit`.
Exit say_refused(Exit exit, Console& console);

/// The name that findings show for the manifests.
std::string name_of_output(const DeliveryOptions& options);

/// Prints, writes, compares or checks, as the options say. `before` is what `--diff` compares with
/// if there is no --output: the text of a file that was read.
struct Delivered {
  std::string text;
  std::string before;
  std::string before_name;  ///< empty: there is none
};
Exit deliver(const Delivered& made, const DeliveryOptions& options, bool quiet, Console& console);

}  // namespace cnsched::cli
