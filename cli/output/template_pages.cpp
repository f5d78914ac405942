#include "cli/output/template_pages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "cli/output/json.h"
#include "cli/output/safe_text.h"
#include "core/accelerators/platform.h"
#include "core/base/text.h"
#include "templates/parameter.h"
#include "templates/settings.h"

namespace cnsched::cli {

using templates::Listed;
using templates::Parameter;
using templates::Template;
using templates::Type;

namespace {

/// "built in" or the file.
std::string origin_of(const Listed& listed) {
  return listed.is_builtin ? "built in" : printable(listed.model->path());
}

Json json_of(const Listed& listed) {
  return {{"name", listed.model->name()},
          {"summary", listed.model->summary()},
          {"origin", listed.is_builtin ? "built-in" : listed.model->path()},
          {"shadowed", listed.is_shadowed}};
}

Json json_of(const Parameter& parameter) {
  Json json = {{"name", parameter.name},
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

/// "mode", or "vendor" of a catalogue fact.
std::string_view shown_name(std::string_view parameter) {
  return parameter.substr(parameter.find('.') + 1);
}

/// "mode Knative or Serverless".
std::string shown(std::string_view parameter, const std::vector<std::string>& values) {
  return fmt::format("{} {}", shown_name(parameter), join_words(values, "or"));
}

/// A default, and the values of another parameter to which it applies.
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

/// "3 for mode Knative or Serverless"; empty for a long table, which the description explains.
std::string defaults_of(const Parameter& parameter) {
  constexpr std::size_t kMaxRows = 3;
  const templates::DefaultFor& by = *parameter.default_for;
  const auto rows = rows_of(by);
  if (rows.size() > kMaxRows) return fmt::format("by {}", shown_name(by.parameter));
  // If the parameter cannot be set for others, there is nothing to add.
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

/// The description, and the requirement unless it is a plain string.
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

}  // namespace

void write_template_list(const templates::Library& library, const Style& style, std::size_t width,
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

Json json_of(const templates::Library& library) {
  Json json = {{"schemaVersion", 1}, {"templates", Json::array()}};
  for (const Listed& listed : library.all()) json["templates"].push_back(json_of(listed));
  return json;
}

Json page_of(const Listed& listed) {
  Json json = json_of(listed);
  json["parameters"] = Json::array();
  for (const Parameter& parameter : listed.model->parameters()) {
    json["parameters"].push_back(json_of(parameter));
  }
  json["example"] = example_command(*listed.model);
  return {{"schemaVersion", 1}, {"template", std::move(json)}};
}

void write_template(const Listed& listed, const Style& style, std::size_t width,
                    std::ostream& out) {
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
  // On one line, for copying.
  out << '\n' << style(Paint::strong, "Example") << "\n  " << example_command(model) << '\n';
}

void write_template_names(const templates::Library& library, std::ostream& out) {
  for (const templates::Listed& listed : library.all()) {
    if (!listed.is_shadowed) out << printable(listed.model->name()) << '\n';
  }
}

void write_settings(const templates::Template& model, std::ostream& out) {
  for (const templates::Parameter& parameter : model.parameters()) {
    std::vector<std::string> values = values_of(parameter);
    if (parameter.type == templates::Type::accelerator) {
      std::erase_if(values, [](const std::string& name) { return !is_plain_name(name); });
    }
    if (values.empty()) values.emplace_back();
    for (const std::string& value : values) {
      out << printable(parameter.name) << '=' << printable(value) << '\n';
    }
  }
}

bool is_plain_name(std::string_view name) {
  return name == lower(name) && name.find("-mig-") == std::string_view::npos;
}

void write_accelerators(const Style& style, std::size_t width, std::ostream& out) {
  constexpr std::size_t kIndent = 2;
  for (const auto platform : accelerators::platforms()) {
    std::string names;
    for (const auto& product : accelerators::products()) {
      if (!is_plain_name(product.name) || reason_unavailable(platform, product)) continue;
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
      "discovery gives several products of one card, each of them has one "
      "(NVIDIA-A100-SXM4-40GB); --format json lists them all.",
      0, width, out);
}

void write_accelerator_names(std::ostream& out) {
  for (const auto& product : accelerators::products()) {
    if (is_plain_name(product.name)) out << product.name << '\n';
  }
}

Json json_of_accelerators() {
  Json json = {{"schemaVersion", 1}};
  for (const auto platform : accelerators::platforms()) {
    auto& list = json["accelerators"][std::string(name_of(platform))];
    list = Json::array();
    for (const auto& product : accelerators::products()) {
      if (!reason_unavailable(platform, product)) {
        list.push_back({{"name", product.name}, {"title", product.title}});
      }
    }
  }
  return json;
}

}  // namespace cnsched::cli
