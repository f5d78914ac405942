#include "cli/commands/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/delivery.h"
#include "cli/output/json.h"
#include "cli/output/style.h"
#include "core/accelerators/platform.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "templates/command.h"
#include "templates/render.h"
#include "templates/settings.h"

namespace cnsched::cli {

namespace {

using templates::Listed;
using templates::Parameter;
using templates::Template;
using templates::Type;

/// "built in" or the file.
std::string origin_of(const Listed& listed) {
  return listed.is_builtin ? "built in" : printable(listed.model->path());
}

void write_wrapped(std::string_view text, std::size_t indent, std::size_t width,
                   std::ostream& out) {
  for (const std::string& line : wrap(printable(text), width - indent)) {
    out << std::string(indent, ' ') << line << '\n';
  }
}

void write_table(const templates::Library& library, const Style& style, std::size_t width,
                 std::ostream& out) {
  constexpr std::size_t kIndent = 4;
  for (const Listed& listed : library.all()) {
    out << style(Paint::strong, listed.model->name());
    if (!listed.is_builtin) out << "  " << origin_of(listed);
    if (listed.is_shadowed) out << "  (hidden by the one above)";
    out << '\n';
    write_wrapped(listed.model->summary(), kIndent, width, out);
  }
}

nlohmann::ordered_json json_of(const Listed& listed) {
  return {{"name", listed.model->name()},
          {"summary", listed.model->summary()},
          {"origin", listed.is_builtin ? "built-in" : listed.model->path()},
          {"shadowed", listed.is_shadowed}};
}

nlohmann::ordered_json json_of(const Parameter& parameter) {
  nlohmann::ordered_json json = {{"name", parameter.name},
                                 {"type", name_of(parameter.type)},
                                 {"description", parameter.description},
                                 {"required", parameter.required}};
  if (*parameter.default_value) json["default"] = templates::text_of(*parameter.default_value);
  if (parameter.default_for) {
    auto& rows = json["defaultFor"][parameter.default_for->parameter];
    for (const auto& [value, node] : parameter.default_for->values)
      rows[value] = templates::text_of(*node);
  }
  if (parameter.required_for) {
    json["requiredFor"][parameter.required_for->parameter] = parameter.required_for->values;
  }
  if (parameter.only_for) {
    json["onlyFor"][parameter.only_for->parameter] = parameter.only_for->values;
  }
  if (!parameter.not_below.empty()) json["notBelow"] = parameter.not_below;
  if (!parameter.resources.empty()) json["resources"] = parameter.resources;
  const auto values = values_of(parameter);
  if (!values.empty()) json["values"] = values;
  if (!parameter.pattern.empty()) json["pattern"] = parameter.pattern;
  if (parameter.minimum) json["minimum"] = *parameter.minimum;
  if (parameter.maximum) json["maximum"] = *parameter.maximum;
  if (!parameter.example.empty()) json["example"] = parameter.example;
  return json;
}

nlohmann::ordered_json page_of(const Listed& listed) {
  nlohmann::ordered_json json = json_of(listed);
  json["parameters"] = nlohmann::ordered_json::array();
  for (const Parameter& parameter : listed.model->parameters()) {
    json["parameters"].push_back(json_of(parameter));
  }
  json["example"] = example_command(*listed.model);
  return json;
}

/// "mode", and of the catalogue's facts "vendor".
std::string_view shown_name(std::string_view parameter) {
  return parameter.substr(parameter.find('.') + 1);
}

/// "mode Knative or Serverless".
std::string shown(std::string_view parameter, const std::vector<std::string>& values) {
  return fmt::format("{} {}", shown_name(parameter), join_words(values, "or"));
}

/// A default, and the values of another parameter that it is for.
struct DefaultRow {
  std::string text;
  std::vector<std::string> values;
};

std::vector<DefaultRow> rows_of(const templates::DefaultFor& by) {
  std::vector<DefaultRow> rows;
  for (const auto& [value, node] : by.values) {
    const std::string text = printable(templates::text_of(*node));
    auto row = std::ranges::find(rows, text, &DefaultRow::text);
    if (row == rows.end()) row = rows.insert(rows.end(), {text, {}});
    row->values.push_back(value);
  }
  return rows;
}

/// "3 for mode Knative or Serverless"; a table of many is better explained by the description.
std::string defaults_of(const Parameter& parameter) {
  constexpr std::size_t kMost = 3;
  const templates::DefaultFor& by = *parameter.default_for;
  const auto rows = rows_of(by);
  if (rows.size() > kMost) return fmt::format("by {}", shown_name(by.parameter));
  // Where it may not be set for others, there is nothing to add.
  if (rows.size() == 1 && parameter.only_for && parameter.only_for->values == rows.front().values) {
    return rows.front().text;
  }
  std::vector<std::string> words;
  for (const DefaultRow& row : rows) {
    words.push_back(fmt::format("{} for {}", row.text, shown(by.parameter, row.values)));
  }
  return join_words(words);
}

/// "required", "default 1", "optional".
std::string presence_of(const Parameter& parameter) {
  if (parameter.required) return "required";
  std::vector<std::string> words;
  if (*parameter.default_value) {
    words.push_back("default " + printable(templates::text_of(*parameter.default_value)));
  }
  if (parameter.default_for) {
    words.push_back((words.empty() ? "default " : "") + defaults_of(parameter));
  }
  if (parameter.required_for) {
    words.push_back("required for " +
                    shown(parameter.required_for->parameter, parameter.required_for->values));
  }
  if (parameter.only_for) {
    words.push_back("only for " + shown(parameter.only_for->parameter, parameter.only_for->values));
  }
  std::string presence;
  for (const std::string& word : words) presence += (presence.empty() ? "" : ", ") + word;
  return presence.empty() ? "optional" : presence;
}

/// What it is, and what it has to be; that a string has to be one says nothing.
std::string text_about(const Parameter& parameter) {
  if (parameter.type == Type::string && parameter.pattern.empty()) return parameter.description;
  return fmt::format("{} ({})", parameter.description, requirement_of(parameter));
}

void write_parameter(const Parameter& parameter, const Style& style, std::size_t width,
                     std::ostream& out) {
  constexpr std::size_t kIndent = 6;
  const std::string presence = presence_of(parameter);
  const bool fits = 4 + parameter.name.size() + presence.size() <= width;
  out << "  " << style(Paint::strong, parameter.name);
  if (fits) {
    out << "  " << (parameter.required ? style(Paint::warning, presence) : presence);
  }
  out << '\n';
  if (!fits) write_wrapped(presence, kIndent, width, out);
  write_wrapped(text_about(parameter), kIndent, width, out);
}

/// Whether it is a whole accelerator by the name that is the same everywhere. Slices, and the exact
/// products that feature discovery tells, would make the list four times as long.
bool is_plain_name(std::string_view name) {
  return name == lower(name) && name.find("-mig-") == std::string_view::npos;
}

void write_accelerators(const Style& style, std::size_t width, std::ostream& out) {
  constexpr std::size_t kIndent = 2;
  for (const auto platform : accelerators::platforms()) {
    std::string names;
    for (const auto& product : accelerators::products()) {
      if (!is_plain_name(product.name) || refusal(platform, product)) continue;
      names += (names.empty() ? "" : ", ") + product.name;
    }
    out << style(Paint::strong, name_of(platform)) << '\n';
    write_wrapped(describe(platform), kIndent, width, out);
    write_wrapped(names, kIndent + 2, width, out);
  }
  out << '\n';
  write_wrapped(
      "Any of the spellings that labels have will do as well (l4, NVIDIA-L4). Cards that can be "
      "cut "
      "have a name for each MIG profile (nvidia-a100-80gb-mig-1g.10gb), and where GPU feature "
      "discovery tells several products of one card, each of them has one "
      "(NVIDIA-A100-SXM4-40GB); --format json lists them all.",
      0, width, out);
}

nlohmann::ordered_json json_of_accelerators() {
  nlohmann::ordered_json json = {{"schemaVersion", 1}};
  for (const auto platform : accelerators::platforms()) {
    auto& list = json["accelerators"][std::string(name_of(platform))];
    list = nlohmann::ordered_json::array();
    for (const auto& product : accelerators::products()) {
      if (!refusal(platform, product)) {
        list.push_back({{"name", product.name}, {"title", product.title}});
      }
    }
  }
  return json;
}

void write_page(const Listed& listed, const Style& style, std::size_t width, std::ostream& out) {
  const Template& model = *listed.model;
  out << style(Paint::strong, model.name()) << " (" << origin_of(listed) << ")\n";
  write_wrapped(model.summary(), 0, width, out);
  out << '\n' << style(Paint::strong, "Parameters") << '\n';
  bool has_accelerators = false;
  for (const Parameter& parameter : model.parameters()) {
    write_parameter(parameter, style, width, out);
    has_accelerators =
        has_accelerators || parameter.type == Type::accelerator || parameter.name == "accelerators";
  }
  if (has_accelerators) {
    out << '\n';
    write_wrapped("'cnsched templates --accelerators' lists those of each platform.", 2, width,
                  out);
  }
  // On one line: it is there to be copied.
  out << '\n' << style(Paint::strong, "Example") << "\n  " << example_command(model) << '\n';
}

const Listed* find_listed(const templates::Library& library, const Template& model) {
  const auto found = std::ranges::find_if(
      library.all(), [&](const Listed& listed) { return listed.model.get() == &model; });
  return &*found;
}

/// Renders the template with its examples and lints what comes out. False if there is an error,
/// which is shown.
bool check_example(const Template& model, const TemplatesOptions& options, Console& console) {
  const templates::Settings nothing(model, {});
  std::vector<std::string> sets;
  for (const auto& setting : nothing.mended()) sets.push_back(setting.name + "=" + setting.text);
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
  Opened opened;
  const std::string name = model.path() + ", rendered with its examples";
  return !lint_before_leaving({name, *text}, options.facts, {}, options.talk, opened, console);
}

Exit check_files(const TemplatesOptions& options, Console& console) {
  Exit exit = Exit::clean;
  const auto worse = [&](Exit found) { exit = std::max(exit, found); };
  for (const std::string& path : options.check) {
    Result<std::string> bytes = read_file(path, kFileSizeLimit);
    if (!bytes) {
      say_error(console, fmt::format("{}: {}", printable(path), bytes.error().message));
      worse(Exit::failure);
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

}  // namespace

void declare_template_dirs(CLI::App& command, std::vector<std::string>& directories) {
  one_value_each(command.add_option("--template-dir", directories,
                                    "templates of your own: its .yaml files come before the "
                                    "built-in ones; may be repeated"))
      ->type_name("DIR")
      ->group("Templates");
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
    say_error(console, "which template? 'cnsched templates' lists them");
  } else {
    say_error(console, fmt::format("no template is called '{}'{} ('cnsched templates' lists them)",
                                   printable(name), did_you_mean(name, names)));
  }
  return nullptr;
}

void declare_templates(CLI::App& command, TemplatesOptions& options) {
  command.add_option("NAME", options.name, "describe this one")->type_name(" ");
  one_value_each(command.add_option("--check", options.check,
                                    "look for mistakes in a template of your own; may be repeated"))
      ->type_name("FILE")
      ->group("Templates");
  declare_template_dirs(command, options.template_dirs);
  command.add_option("--format", options.format, "table or json (table)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"table", "json"}));
  command
      .add_flag("--accelerators", options.accelerators,
                "list the accelerators that each platform has, instead")
      ->group("Templates");
  command
      .add_option("-c,--config", options.facts.config,
                  "configuration that names directories of templates")
      ->type_name("FILE")
      ->group("Templates");
  command.add_flag("--no-config", options.facts.no_config, "read no configuration")
      ->group("Templates");
  declare_talk(command, options.talk);
}

Exit list_templates(const TemplatesOptions& options, Console& console) {
  if (!options.check.empty()) return check_files(options, console);
  const bool json = options.format == "json";
  const Style style(
      decide_color(color_choice(options.talk), console.out_is_terminal, environment_variable));
  if (options.accelerators) {
    if (json) {
      write_document(json_of_accelerators(), console.out);
    } else {
      write_accelerators(style, console.width, console.out);
    }
    return Exit::clean;
  }
  Opened opened;
  const std::string here = ".";
  if (const auto failed = open_configs(options.facts, {here}, opened, console)) return *failed;
  const auto library = open_library(options.template_dirs, opened.configs.find(here), console);
  if (!library) return Exit::usage;
  if (options.name.empty()) {
    if (!json) {
      write_table(*library, style, console.width, console.out);
      return Exit::clean;
    }
    nlohmann::ordered_json document = {{"schemaVersion", 1},
                                       {"templates", nlohmann::ordered_json::array()}};
    for (const Listed& listed : library->all()) document["templates"].push_back(json_of(listed));
    write_document(document, console.out);
    return Exit::clean;
  }
  const Template* model = find_template(*library, options.name, console);
  if (model == nullptr) return Exit::usage;
  const Listed& listed = *find_listed(*library, *model);
  if (json) {
    write_document({{"schemaVersion", 1}, {"template", page_of(listed)}}, console.out);
  } else {
    write_page(listed, style, console.width, console.out);
  }
  return Exit::clean;
}

}  // namespace cnsched::cli
