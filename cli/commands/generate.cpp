#include "cli/commands/generate.h"

#include <fmt/format.h>

#include "cli/commands/questions.h"
#include "cli/commands/templates.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "templates/command.h"
#include "templates/render.h"

namespace cnsched::cli {

namespace {

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

}  // namespace

void declare_values(Command& command, ValueOptions& options) {
  ArgumentGroup parameters = command.group("Parameters");
  parameters.list("-p,--set", "NAME=VALUE", options.sets,
                  "set a parameter; may be repeated; a list is a,b, a map is k=v,k=v, both also as "
                  "YAML in brackets");
  parameters.option(
      "-f,--values", "FILE", options.values,
      "YAML file with parameter values (- for standard input); --set takes precedence");
}

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

void declare_generate(Command& command, GenerateOptions& options) {
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

Exit generate(const GenerateOptions& options, Console& console) {
  if (options.interactive && !(console.in_is_terminal && console.err_is_terminal)) {
    say_error(console, "--interactive needs a terminal; set the parameters with --set or --values");
    return Exit::usage;
  }
  if (report_shared_stdin({options.values.values}, options.facts, options.messages.quiet, console))
    return Exit::usage;
  Opened opened;
  const std::string output = name_of_output(options.delivery);
  if (const auto failed = open_configs(options.facts, {output}, opened, console)) return *failed;
  const auto library = open_library(options.template_dirs, opened.configs.find(output), console);
  if (!library) return Exit::usage;
  const templates::Template* model = find_template(*library, options.name, console);
  if (model == nullptr) return Exit::usage;

  auto values = read_user_values(options.values, console);
  if (!values) return Exit::failure;
  if (options.interactive && !ask_for_values(*model, *values, console)) {
    say_error(console, "the input ended before all parameters were set");
    return Exit::usage;
  }
  const templates::Settings settings(*model, *values);
  if (report_problems(*model, settings, options, console)) return Exit::usage;
  const auto manifests = render(*model, settings.values());
  if (!manifests) {
    say_error(console, manifests.error().message);
    return Exit::usage;
  }
  const std::string text = header(*model, settings, options) + *manifests;
  if (const auto prevented = lint_output({output, text}, options.facts, options.delivery,
                                         options.messages, opened, console)) {
    return report_output_prevented(*prevented, console);
  }
  if (!options.messages.quiet) note_labels(*model, settings, console);
  return deliver({.text = text}, options.delivery, options.messages.quiet, console);
}

}  // namespace cnsched::cli
