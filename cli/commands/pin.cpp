#include "cli/commands/pin.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/source/read_file.h"
#include "templates/command.h"
#include "templates/pin.h"

namespace cnsched::cli {

namespace {

/// Reads the files of --cluster, which are used more than once. Reports one that cannot be read.
std::optional<std::vector<MemoryFile>> read_cluster(const FactOptions& facts, Console& console) {
  std::vector<MemoryFile> files;
  for (const std::string& path : facts.cluster) {
    Result<std::string> bytes = read_named_file(path, facts.limits.file_size, kFileSizeFlag);
    if (!bytes) {
      say_error(console, bytes.error().message);
      return std::nullopt;
    }
    files.push_back({path == "-" ? "<stdin>" : path, *std::move(bytes), false});
  }
  return files;
}

/// The command line without parameters.
std::string command_of(const PinOptions& options) {
  std::string command = "cnsched generate pin " + templates::shell_word(options.file);
  for (const std::string& component : options.components) {
    command += " --component " + templates::shell_word(component);
  }
  if (!options.container.empty()) {
    command += " --container " + templates::shell_word(options.container);
  }
  if (options.replace) command += " --replace";
  return command;
}

Exit report(const templates::Pinned& pinned, const PinOptions& options, Console& console) {
  for (const std::string& problem : pinned.problems) say_error(console, problem);
  if (!pinned.corrected_settings.empty()) {
    console.err << "Try: " << with_settings(command_of(options), pinned.corrected_settings) << '\n';
  }
  return pinned.failure == templates::Pinned::Failure::request ? Exit::usage : Exit::failure;
}

}  // namespace

void declare_pin(Command& command, PinOptions& options) {
  command.positional("FILE", options.file, "the manifest; - for standard input").required = true;
  declare_values(command, options.values);
  ArgumentGroup pods = command.group("Pods");
  pods.list(
      "--component", "COMPONENT", options.components,
      "component to pin: predictor, worker, …, or OBJECT/COMPONENT; adds a missing request for "
      "an accelerator; may be repeated (default: those that request one)");
  pods.option("--container", "CONTAINER", options.container,
              "container that gets the accelerator (default: the model server's)");
  pods.flag(
      "--replace", options.replace,
      "replace a placement on other nodes or another accelerator, which is rejected otherwise");
  declare_facts(command, options.facts);
  declare_limits(command, options.facts.limits);
  declare_delivery(command, options.delivery);
  declare_messages(command, options.messages);
  declare_verbose(command, options.messages, "list the pinned pods");
}

Exit pin(const PinOptions& options, Console& console) {
  if (report_shared_stdin({options.file, options.values.values}, options.facts,
                          options.messages.quiet, console)) {
    return Exit::usage;
  }
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  Opened opened;
  if (const auto failed = open_configs(options.facts, {name}, opened, console)) return *failed;
  Result<std::string> text =
      read_named_file(options.file, options.facts.limits.file_size, kFileSizeFlag);
  if (!text) {
    say_error(console, text.error().message);
    return Exit::failure;
  }
  auto values = read_user_values(options.values, console);
  auto cluster = read_cluster(options.facts, console);
  if (!values || !cluster) return Exit::failure;

  const templates::PinRequest request{
      name,           *std::move(text), *std::move(values), options.components, options.container,
      options.replace};
  const templates::Pinned pinned =
      templates::pin(request, {.config_files = config_files(opened.configs, options.facts),
                               .memory_files = *cluster,
                               .limits = options.facts.limits,
                               .config_for = config_of(opened.configs),
                               .releases = options.facts.releases});
  if (!pinned.problems.empty()) return report(pinned, options, console);
  if (options.messages.verbose) {
    for (const std::string& pod : pinned.pods) console.err << "pinned: " << pod << '\n';
  }
  if (pinned.text == request.text && !options.messages.quiet) {
    console.err << fmt::format("nothing to add: {} already {} the placement\n",
                               join_words(pinned.pods), pinned.pods.size() == 1 ? "has" : "have");
  }
  const OutputText output_text{name, pinned.text, request.text, *std::move(cluster)};
  if (const auto prevented = lint_output(output_text, options.facts, options.delivery,
                                         options.messages, opened, console)) {
    return report_output_prevented(*prevented, console);
  }
  return deliver({.text = pinned.text, .before = request.text, .before_name = name},
                 options.delivery, options.messages.quiet, console);
}

}  // namespace cnsched::cli
