// Fuzzes templates and their parameters, set by --set and by a file. The output is YAML, and no
// value changes its structure. The command in the output generates the same output.
//
// The input is split at lines "=== NAME": first the name of a built-in template or else the text of
// a template, then "sets", one per line, and "values".
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"
#include "templates/library.h"
#include "templates/settings.h"
#include "templates/template.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

using templates::Settings;
using templates::Template;
using templates::UserValues;

UserValues values_in_parts(const std::vector<Part>& parts) {
  UserValues values;
  for (const Part& part : parts) {
    if (part.name == "sets") {
      for (const std::string_view line : split(part.text, '\n')) {
        if (!line.empty()) values.sets.emplace_back(line);
      }
    } else if (part.name == "values") {
      values.values_name = "values.yaml";
      values.values = part.text;
    }
  }
  return values;
}

std::vector<std::string> sets_of(const std::vector<templates::Setting>& settings) {
  std::vector<std::string> sets;
  for (const auto& [name, text] : settings) sets.push_back(fmt::format("{}={}", name, text));
  return sets;
}

/// Appends the structure of the tree without the texts of its scalars: "{[ss]{s}}".
void add_shape(const yaml::Node& node, std::string& shape) {
  if (node.is_scalar()) shape += 's';
  if (node.is_null() || node.is_missing()) shape += '0';
  if (node.is_sequence()) shape += '[';
  if (node.is_mapping()) shape += '{';
  for (const yaml::Node* item : node.items()) add_shape(*item, shape);
  for (const yaml::Entry& entry : node.entries()) add_shape(*entry.value, shape);
  if (node.is_sequence()) shape += ']';
  if (node.is_mapping()) shape += '}';
}

std::string shape_of(const std::string& manifests) {
  const Documents documents(manifests);
  std::string shape;
  for (const yaml::Document& document : documents.all) {
    require(document.problems.empty(), "the output of a template is not YAML");
    add_shape(*document.root, shape);
    shape += ';';
  }
  return shape;
}

/// Another text for a parameter that accepts any string; empty for other parameters.
std::string plain_value(const templates::Parameter& parameter) {
  using templates::Type;
  const bool is_free = parameter.pattern.empty() && parameter.values.empty();
  return is_free && parameter.type == Type::string ? "plain" : "";
}

/// The texts of parameters that accept any string do not change the structure of the output.
void check_shape(const Template& model, const Settings& settings, const std::string& made) {
  std::vector<templates::Setting> plain = settings.user_settings();
  bool differs = false;
  for (templates::Setting& setting : plain) {
    const std::string value = plain_value(*model.form().find(setting.name));
    if (value.empty() || setting.text.empty()) continue;
    differs = differs || setting.text != value;
    setting.text = value;
  }
  if (!differs) return;
  const Settings others(model, {.sets = sets_of(plain)});
  if (!others.problems().empty()) return;
  const auto other = templates::render(model, others.values());
  if (!other) return;
  require(shape_of(*other) == shape_of(made), "a value changes the structure of a manifest");
}

void check(const Template& model, const UserValues& values) {
  const Settings settings(model, values);
  for (const std::string& problem : settings.problems()) {
    require_harmless(printable(problem), "a problem");
    require(!problem.empty(), "a problem has no message");
  }
  require_harmless(templates::command_for(model, settings.corrected_settings()), "a command");
  if (!settings.problems().empty()) return;
  const auto made = templates::render(model, settings.values());
  if (!made) return require(!made.error().message.empty(), "a failure has no message");
  shape_of(*made);
  const Settings again(model, {.sets = sets_of(settings.user_settings())});
  require(again.problems().empty(), "the accepted settings are rejected the second time");
  const auto once_more = templates::render(model, again.values());
  require(once_more && *once_more == *made, "the same settings result in another output");
  check_shape(model, settings, *made);
}

void check_own_template(const std::string& text, const UserValues& values) {
  const auto model = Template::read("own.yaml", text);
  if (!model) {
    for (const std::string_view line : split(model.error().message, '\n')) {
      require(line.starts_with("own.yaml"), "an error has no place");
    }
    return;
  }
  check(**model, values);
  const Settings corrected(**model,
                           {.sets = sets_of(Settings(**model, values).corrected_settings())});
  if (corrected.problems().empty()) check(**model, {.sets = sets_of(corrected.user_settings())});
}

const templates::Library& builtin() {
  static const auto kLibrary = templates::Library::open({});
  return *kLibrary;
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  const std::vector<fuzz::Part> parts = fuzz::parts_of(fuzz::text_of(data, size), "template");
  const templates::UserValues values = fuzz::values_in_parts(parts);
  const templates::Template* model = fuzz::builtin().find(trim(parts.front().text));
  if (model != nullptr) {
    fuzz::check(*model, values);
  } else {
    fuzz::check_own_template(parts.front().text, values);
  }
  return 0;
}
