#include "cli/commands/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/delivery.h"
#include "cli/output/json.h"
#include "cli/output/template_pages.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "templates/settings.h"
#include "templates/template.h"

namespace cnsched::cli {

namespace {

using templates::Listed;
using templates::Template;

enum class TemplatesFormat : std::uint8_t { table, json, names };

struct TemplatesOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string name;  ///< of a template; empty: list all
  std::vector<std::string> template_dirs;
  std::vector<std::string> check;  ///< files to check instead
  bool accelerators = false;       ///< list accelerators instead
  TemplatesFormat format = TemplatesFormat::table;
};

const Listed* find_listed(const templates::Library& library, const Template& model) {
  const auto found = std::ranges::find_if(
      library.all(), [&](const Listed& listed) { return listed.model.get() == &model; });
  return &*found;
}

/// Renders the template with its examples and lints the result. Prints errors and returns whether
/// there are none.
bool check_example(const Template& model, const TemplatesOptions& options, Console& console) {
  const templates::Settings nothing(model, {});
  std::vector<std::string> sets;
  for (const auto& setting : nothing.corrected_settings())
    sets.push_back(setting.name + "=" + setting.text);
  const templates::Settings settings(model, {.sets = std::move(sets)});
  for (const std::string& problem : settings.problems()) {
    console.out << fmt::format("{}: with its examples: {}\n", printable(model.path()), problem);
  }
  if (!settings.problems().empty()) return false;
  const auto text = render(model, settings.values());
  if (!text) {
    console.out << fmt::format("{}: {}\n", printable(model.path()), text.error().message);
    return false;
  }
  LoadedProject project;
  const std::string name = model.path() + ", rendered with its examples";
  return !lint_output({name, *text}, options.facts, {}, options.messages, project, console);
}

Exit check_files(const TemplatesOptions& options, Console& console) {
  Exit exit = Exit::clean;
  const auto worse = [&](Exit found) { exit = std::max(exit, found); };
  for (const std::string& path : options.check) {
    Result<std::string> bytes = read_named_file(path);
    if (!bytes) {
      worse(fail(console, bytes.error().message, Exit::failure));
      continue;
    }
    const auto model = Template::read(path, *std::move(bytes));
    if (!model) {
      console.out << model.error().message << '\n';
      worse(Exit::findings);
    } else if (!check_example(**model, options, console)) {
      worse(Exit::findings);
    } else {
      console.out << fmt::format("{}: template '{}' is fine\n", printable(path), (*model)->name());
    }
  }
  return exit;
}

Style style_of(const TemplatesOptions& options, const Console& console) {
  return Style(decide_color(options.messages.color, console.out_is_terminal));
}

void show_accelerators(const TemplatesOptions& options, Console& console) {
  if (options.format == TemplatesFormat::json) {
    write_document(json_of_accelerators(), console.out);
  } else if (options.format == TemplatesFormat::names) {
    write_accelerator_names(console.out);
  } else {
    write_accelerators(style_of(options, console), console.width, console.out);
  }
}

void show_list(const templates::Library& library, const TemplatesOptions& options,
               Console& console) {
  if (options.format == TemplatesFormat::json) {
    write_document(json_of(library), console.out);
  } else if (options.format == TemplatesFormat::names) {
    write_template_names(library, console.out);
  } else {
    write_template_list(library, style_of(options, console), console.width, console.out);
  }
}

void show_page(const Listed& listed, const TemplatesOptions& options, Console& console) {
  if (options.format == TemplatesFormat::json) {
    write_document(page_of(listed), console.out);
  } else if (options.format == TemplatesFormat::names) {
    write_settings(*listed.model, console.out);
  } else {
    write_template(listed, style_of(options, console), console.width, console.out);
  }
}

}  // namespace

void declare_template_dirs(Command& command, std::vector<std::string>& directories) {
  command.group("Templates")
      .list("--template-dir", "DIR", directories,
            "directory of your own templates (.yaml), which take precedence over the built-in "
            "ones; may be repeated");
}

std::optional<templates::Library> open_library(std::vector<std::string> directories,
                                               const rules::Config* config, Console& console) {
  if (config != nullptr) {
    directories.insert(directories.end(), config->template_dirs.begin(),
                       config->template_dirs.end());
  }
  auto library = templates::Library::open(directories);
  if (library) return *std::move(library);
  say_error(console, library.error().message);
  return std::nullopt;
}

const Template* find_template(const templates::Library& library, std::string_view name,
                              Console& console) {
  const Template* model = library.find(name);
  if (model != nullptr) return model;
  std::vector<std::string_view> names;
  for (const Listed& listed : library.all()) names.push_back(listed.model->name());
  if (name.empty()) {
    say_error(console, "no TEMPLATE is given: 'cnsched templates' lists them");
  } else {
    say_error(console, fmt::format("unknown template '{}'{} ('cnsched templates' lists them)",
                                   printable(name), did_you_mean(name, names)));
  }
  return nullptr;
}

static Exit list_templates(const TemplatesOptions& options, Console& console) {
  if (!options.check.empty()) return check_files(options, console);
  if (options.accelerators) {
    show_accelerators(options, console);
    return Exit::clean;
  }
  LoadedProject project;
  const std::string here = ".";
  if (const auto failed = open_configs(options.facts, {here}, project, console)) return *failed;
  const auto library = open_library(options.template_dirs, project.configs.find(here), console);
  if (!library) return Exit::usage;
  if (options.name.empty()) {
    show_list(*library, options, console);
    return Exit::clean;
  }
  const Template* model = find_template(*library, options.name, console);
  if (model == nullptr) return Exit::usage;
  show_page(*find_listed(*library, *model), options, console);
  return Exit::clean;
}

void declare_templates(Command& command) {
  auto& options = command.runs(list_templates);
  command.positional("TEMPLATE", options.name, "template to describe (default: list all)");
  ArgumentGroup group = command.group("Templates");
  group.list("--check", "FILE", options.check,
             "check a template of your own for mistakes; may be repeated");
  declare_template_dirs(command, options.template_dirs);
  command.group(kOptions).one_of("--format", "NAME", options.format,
                                 {{"table", TemplatesFormat::table},
                                  {"json", TemplatesFormat::json},
                                  {"names", TemplatesFormat::names}},
                                 "table, json, or names for scripts: of templates, or of the "
                                 "settings of one (default: table)");
  group.flag("--accelerators", options.accelerators,
             "list the accelerators of each platform instead");
  group.option("-c,--config", "FILE", options.facts.config,
               "configuration that names template directories");
  group.flag("--no-config", options.facts.no_config, "read no configuration");
  declare_messages(command, options.messages);
}

}  // namespace cnsched::cli
