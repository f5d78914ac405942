#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/project.h"
#include "cli/console.h"

namespace cnsched::cli {

/// Where generated manifests go, and how they are checked.
struct DeliveryOptions {
  std::string output;  ///< a file; empty: standard output
  bool force = false;
  bool diff = false;
  bool check = false;
  bool no_lint = false;
  Severity fail_on = Severity::error;
};

void declare_delivery(Command& command, DeliveryOptions& options);

/// Manifests to be printed or written.
struct OutputText {
  std::string name;  ///< shown in findings
  std::string text;
  std::optional<std::string> before{};  ///< of a manifest that was read: its findings do not count
};

/// Lints them with the facts about the cluster and prints the findings on stderr. Returns an exit
/// code if there are findings at or above --fail-on, or if facts cannot be read. `project` has the
/// configurations and receives the workspace.
std::optional<Exit> lint_output(const OutputText& output_text, const FactOptions& facts,
                                const DeliveryOptions& options, const MessageOptions& messages,
                                LoadedProject& project, Console& console);

/// If `exit` is Exit::findings, reports that findings prevent the output. Returns `exit`.
Exit report_output_prevented(Exit exit, Console& console);

/// The name shown in findings for the manifests.
std::string name_of_output(const DeliveryOptions& options);

/// Prints, writes, compares or checks the text, depending on the options. Without --output,
/// `--diff` compares with `before`, the text of a file that was read.
struct Delivered {
  std::string text;
  std::string before;
  std::string before_name;  ///< empty: no file was read
};
Exit deliver(const Delivered& made, const DeliveryOptions& options, bool quiet, Console& console);

}  // namespace cnsched::cli
