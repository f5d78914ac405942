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

/// The first line of the output. A command written again makes the same file.
std::string header(const templates::Template& model, const templates::Settings& settings,
                   const GenerateOptions& options) {
  if (options.no_header) return {};
  return fmt::format("# Made by: {}\n", command_for(model, settings.said(), options.template_dirs));
}

/// Labels that the pod counts on and that nobody but the owner of the nodes sets: said, unless the
/// manifests are those that set them.
void note_labels(const templates::Template& model, const templates::Settings& settings,
                 Console& console) {
  constexpr std::string_view kLabels = "accelerator.nodeLabels";
  const auto labels = settings.values().find(kLabels);
  if (labels == settings.values().end() || labels->second->is_empty()) return;
  if (model.used().empty() || model.used().contains(std::string(kLabels))) return;
  console.err << fmt::format(
      "note: the nodes need the label '{}', which only their owner sets ('cnsched generate "
      "node-pool' shows how)\n",
      printable(templates::text_of(*labels->second)));
}

/// True if there are problems, which are reported.
bool report_problems(const templates::Template& model, const templates::Settings& settings,
                     const GenerateOptions& options, Console& console) {
  if (settings.problems().empty()) return false;
  for (const std::string& problem : settings.problems()) say_error(console, problem);
  // What is said in full and still impossible has no better command to offer.
  if (settings.said().size() == settings.mended().size() && !settings.said().empty()) {
    console.err << fmt::format("'cnsched templates {}' describes the parameters\n", model.name());
  } else {
    console.err << "Try: " << command_for(model, settings.mended(), options.template_dirs) << '\n';
  }
  return true;
}

}  // namespace

void declare_values(CLI::App& command, ValueOptions& options) {
  const char* group = "Parameters";
  one_value_each(command.add_option("--set,-p", options.sets,
                                    "set a parameter; may be repeated; lists take a,b and maps "
                                    "k=v,k=v, or YAML in brackets"))
      ->type_name("NAME=VALUE")
      ->group(group);
  command
      .add_option("-f,--values", options.values,
                  "YAML file with values of parameters ('-': standard input); --set wins")
      ->type_name("FILE")
      ->group(group);
}

std::optional<templates::Said> said_by(const ValueOptions& options, Console& console) {
  templates::Said said{.sets = options.sets};
  if (options.values.empty()) return said;
  Result<std::string> bytes = read_named_file(options.values);
  if (!bytes) {
    say_error(console, bytes.error().message);
    return std::nullopt;
  }
  said.values_name = options.values == "-" ? "<stdin>" : options.values;
  said.values = *std::move(bytes);
  return said;
}

void declare_generate(CLI::App& command, GenerateOptions& options) {
  command.add_option("TEMPLATE", options.name, "its name, as 'cnsched templates' lists it")
      ->type_name(" ");
  declare_values(command, options.values);
  const char* group = "Parameters";
  command.add_flag("--interactive", options.interactive, "ask for what is not set, on a terminal")
      ->group(group);
  declare_template_dirs(command, options.template_dirs);
  declare_facts(command, options.facts);
  declare_limits(command, options.facts.limits);
  declare_delivery(command, options.delivery);
  command
      .add_flag("--no-header", options.no_header, "leave out the line that says how it was made")
      ->group("Output");
  declare_talk(command, options.talk);
}

Exit generate(const GenerateOptions& options, Console& console) {
  if (options.interactive && !(console.in_is_terminal && console.err_is_terminal)) {
    say_error(console, "--interactive needs a terminal; set the parameters with --set or --values");
    return Exit::usage;
  }
  if (report_shared_stdin({options.values.values}, options.facts, options.talk.quiet, console))
    return Exit::usage;
  Opened opened;
  const std::string output = name_of_output(options.delivery);
  if (const auto failed = open_configs(options.facts, {output}, opened, console)) return *failed;
  const auto library = open_library(options.template_dirs, opened.configs.find(output), console);
  if (!library) return Exit::usage;
  const templates::Template* model = find_template(*library, options.name, console);
  if (model == nullptr) return Exit::usage;

  auto said = said_by(options.values, console);
  if (!said) return Exit::failure;
  if (options.interactive && !ask_for_values(*model, *said, console)) {
    say_error(console, "the answers ended before the questions");
    return Exit::usage;
  }
  const templates::Settings settings(*model, *said);
  if (report_problems(*model, settings, options, console)) return Exit::usage;
  const auto manifests = render(*model, settings.values());
  if (!manifests) {
    say_error(console, manifests.error().message);
    return Exit::usage;
  }
  const std::string text = header(*model, settings, options) + *manifests;
  if (const auto refused = lint_before_leaving({output, text}, options.facts, options.delivery,
                                               options.talk, opened, console)) {
    return say_refused(*refused, console);
  }
  if (!options.talk.quiet) note_labels(*model, settings, console);
  return deliver({.text = text}, options.delivery, options.talk.quiet, console);
}

}  // namespace cnsched::cli
