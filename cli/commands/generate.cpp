// generate, and generate pin.
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/delivery.h"
#include "cli/commands/templates.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "templates/pin.h"
#include "templates/settings.h"
#include "templates/template.h"

namespace cnsched::cli {

namespace {

/// Parameter values from the command line.
struct ValueOptions {
  std::vector<std::string> sets;
  std::string values;  ///< a file; "-" is standard input
};

struct GenerateOptions {
  MessageOptions messages;
  FactOptions facts;
  DeliveryOptions delivery;
  ValueOptions values;
  std::string name;  ///< of the template
  std::vector<std::string> template_dirs;
  bool interactive = false;
  bool no_header = false;
};

struct PinOptions {
  MessageOptions messages;
  FactOptions facts;
  DeliveryOptions delivery;
  ValueOptions values;
  std::string file;  ///< "-" is standard input
  std::vector<std::string> components;
  std::string container;
  bool replace = false;
};

void declare_values(Command& command, ValueOptions& options) {
  ArgumentGroup parameters = command.group("Parameters");
  parameters.list("-p,--set", "NAME=VALUE", options.sets,
                  "set a parameter; may be repeated; a list is a,b, a map is k=v,k=v, both also as "
                  "YAML in brackets");
  parameters.option(
      "-f,--values", "FILE", options.values,
      "YAML file with parameter values (- for standard input); --set takes precedence");
}

/// The parameter values of the options. Reports an unreadable file and returns nothing.
std::optional<templates::UserValues> read_user_values(const ValueOptions& options,
                                                      Console& console) {
  templates::UserValues values{.sets = options.sets};
  if (options.values.empty()) return values;
  Result<std::string> bytes = read_named_file(options.values);
  if (!bytes) {
    say_error(console, bytes.error().message);
    return std::nullopt;
  }
  values.values_name = options.values == "-" ? "<stdin>" : options.values;
  values.values = *std::move(bytes);
  return values;
}

/// The first line of the output: the command that generates the same file again.
std::string header(const templates::Template& model, const templates::Settings& settings,
                   const GenerateOptions& options) {
  if (options.no_header) return {};
  return fmt::format("# Made by: {}\n",
                     command_for(model, settings.user_settings(), options.template_dirs));
}

/// Prints a note about labels that the pods need and that only the owner of the nodes sets, unless
/// the manifests set them.
void note_labels(const templates::Template& model, const templates::Settings& settings,
                 Console& console) {
  constexpr std::string_view kLabels = "accelerator.nodeLabels";
  const auto labels = settings.values().find(kLabels);
  if (labels == settings.values().end() || labels->second->is_empty()) return;
  if (model.used().empty() || model.used().contains(std::string(kLabels))) return;
  console.err << fmt::format(
      "note: no platform sets the label '{}': add it to the nodes ('cnsched generate node-pool' "
      "shows how)\n",
      printable(templates::text_of(*labels->second)));
}

/// Reports problems with the settings. Returns whether there are any.
bool report_problems(const templates::Template& model, const templates::Settings& settings,
                     const GenerateOptions& options, Console& console) {
  if (settings.problems().empty()) return false;
  for (const std::string& problem : settings.problems()) say_error(console, problem);
  // If all settings are given and their combination is impossible, there is no command to suggest.
  if (settings.user_settings().size() == settings.corrected_settings().size() &&
      !settings.user_settings().empty()) {
    console.err << fmt::format("'cnsched templates {}' describes the parameters\n", model.name());
  } else {
    console.err << "Try: "
                << command_for(model, settings.corrected_settings(), options.template_dirs) << '\n';
  }
  return true;
}

Exit generate(const GenerateOptions& options, Console& console) {
  if (options.interactive && !(console.in_is_terminal && console.err_is_terminal)) {
    return fail(console,
                "--interactive needs a terminal; set the parameters with --set or --values");
  }
  LoadedProject project;
  const std::string output = name_of_output(options.delivery);
  const bool quiet = options.messages.quiet;
  auto failed = reject_shared_stdin({options.values.values}, options.facts, quiet, console);
  if (!failed) failed = open_configs(options.facts, {output}, project, console);
  if (failed) return *failed;
  const auto library = open_library(options.template_dirs, project.configs.find(output), console);
  if (!library) return Exit::usage;
  const templates::Template* model = find_template(*library, options.name, console);
  if (model == nullptr) return Exit::usage;

  auto values = read_user_values(options.values, console);
  if (!values) return Exit::failure;
  if (options.interactive && !ask_for_values(*model, *values, console)) {
    return fail(console, "the input ended before all parameters were set");
  }
  const templates::Settings settings(*model, *values);
  if (report_problems(*model, settings, options, console)) return Exit::usage;
  const auto manifests = render(*model, settings.values());
  if (!manifests) return fail(console, manifests.error().message);
  const std::string text = header(*model, settings, options) + *manifests;
  if (const auto prevented = lint_output({output, text}, options.facts, options.delivery,
                                         options.messages, project, console)) {
    return report_output_prevented(*prevented, console);
  }
  if (!quiet) note_labels(*model, settings, console);
  return deliver({.text = text}, options.delivery, quiet, console);
}

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

/// The command line of `generate pin`, without parameters.
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

/// Reports why nothing is pinned.
Exit report_problems(const templates::Pinned& pinned, const PinOptions& options, Console& console) {
  for (const std::string& problem : pinned.problems) say_error(console, problem);
  if (!pinned.corrected_settings.empty()) {
    console.err << "Try: " << with_settings(command_of(options), pinned.corrected_settings) << '\n';
  }
  return pinned.failure == templates::Pinned::Failure::request ? Exit::usage : Exit::failure;
}

Exit pin(const PinOptions& options, Console& console) {
  LoadedProject project;
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  const bool quiet = options.messages.quiet;
  auto failed =
      reject_shared_stdin({options.file, options.values.values}, options.facts, quiet, console);
  if (!failed) failed = open_configs(options.facts, {name}, project, console);
  if (failed) return *failed;
  Result<std::string> text =
      read_named_file(options.file, options.facts.limits.file_size, kFileSizeFlag);
  if (!text) return fail(console, text.error().message, Exit::failure);
  auto values = read_user_values(options.values, console);
  auto cluster = read_cluster(options.facts, console);
  if (!values || !cluster) return Exit::failure;

  const templates::PinRequest request{
      name,           *std::move(text), *std::move(values), options.components, options.container,
      options.replace};
  FactOptions facts = options.facts;
  facts.read = *std::move(cluster);
  facts.cluster.clear();
  const templates::Pinned pinned = templates::pin(request, load_options(facts, project.configs));
  if (!pinned.problems.empty()) return report_problems(pinned, options, console);
  if (options.messages.verbose) {
    for (const std::string& pod : pinned.pods) console.err << "pinned: " << pod << '\n';
  }
  if (pinned.text == request.text && !quiet) {
    console.err << fmt::format("nothing to add: {} already {} the placement\n",
                               join_words(pinned.pods), pinned.pods.size() == 1 ? "has" : "have");
  }
  if (const auto prevented = lint_output({name, pinned.text, request.text}, facts, options.delivery,
                                         options.messages, project, console)) {
    return report_output_prevented(*prevented, console);
  }
  return deliver({.text = pinned.text, .before = request.text, .before_name = name},
                 options.delivery, quiet, console);
}

}  // namespace

void declare_generate(Command& command) {
  auto& options = command.runs(generate);
  command.positional("TEMPLATE", options.name,
                     "name of the template; 'cnsched templates' lists them");
  declare_values(command, options.values);
  command.group("Parameters")
      .flag("--interactive", options.interactive,
            "ask for parameters that are not set; needs a terminal");
  declare_template_dirs(command, options.template_dirs);
  declare_facts(command, options.facts);
  declare_limits(command, options.facts.limits);
  declare_delivery(command, options.delivery);
  command.group("Output").flag("--no-header", options.no_header,
                               "leave out the comment with the command");
  declare_messages(command, options.messages);
}

void declare_pin(Command& command) {
  auto& options = command.runs(pin);
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

}  // namespace cnsched::cli
