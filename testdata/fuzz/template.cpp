// Values of parameters, given as --set and as a file, for a built-in template that the input names;
// or a template of its own. What is made is YAML, holds no placeholder, and has the shape that the
// template has: no value can change it. The command that is written into it makes it again.
//
// The input is cut at lines "=== NAME": first the name of a template, then "sets", a line each, and
// "values". Where no template is called so, what comes first is the text of one.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"
#include "templates/command.h"
#include "templates/library.h"
#include "templates/placeholder.h"
#include "templates/render.h"
#include "templates/settings.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

using templates::Settings;
using templates::Template;
using templates::UserValues;

UserValues said_in(const std::vector<Part>& parts) {
  UserValues said;
  for (const Part& part : parts) {
    if (part.name == "sets") {
      for (const std::string_view line : split(part.text, '\n')) {
        if (!line.empty()) said.sets.emplace_back(line);
      }
    } else if (part.name == "values") {
      said.values_name = "values.yaml";
      said.values = part.text;
    }
  }
  return said;
}

std::vector<std::string> sets_of(const std::vector<templates::Setting>& settings) {
  std::vector<std::string> sets;
  for (const auto& [name, text] : settings) sets.push_back(fmt::format("{}={}", name, text));
  return sets;
}

/// What the tree consists of, without the texts of its scalars: "{[ss]{s}}".
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
    require(document.problems.empty(), "what a template makes is not YAML");
    add_shape(*document.root, shape);
    shape += ';';
  }
  return shape;
}

/// Another text of the same kind for a value that is free, nothing for all others.
std::string plain_value(const templates::Parameter& parameter) {
  using templates::Type;
  const bool is_free = parameter.pattern.empty() && parameter.values.empty();
  return is_free && parameter.type == Type::string ? "plain" : "";
}

/// Nothing depends on the text of a free string but its own place.
void check_shape(const Template& model, const Settings& settings, const std::string& made) {
  std::vector<templates::Setting> plain = settings.user_settings();
  bool differs = false;
  for (templates::Setting& setting : plain) {
    const std::string value = plain_value(*model.parameter(setting.name));
    if (value.empty() || setting.text.empty()) continue;
    differs = differs || setting.text != value;
    setting.text = value;
  }
  if (!differs) return;
  const Settings others(model, {.sets = sets_of(plain)});
  if (!others.problems().empty()) return;
  const auto other = templates::render(model, others.values());
  if (!other) return;
  require(shape_of(*other) == shape_of(made), "a value changes the shape of a manifest");
}

void check(const Template& model, const UserValues& said) {
  const Settings settings(model, said);
  for (const std::string& problem : settings.problems()) {
    require_harmless(printable(problem), "a problem");
    require(!problem.empty(), "a problem says nothing");
  }
  require_harmless(templates::command_for(model, settings.corrected_settings()), "a command");
  if (!settings.problems().empty()) return;
  const auto made = templates::render(model, settings.values());
  if (!made) return require(!made.error().message.empty(), "a failure says nothing");
  shape_of(*made);
  const Settings again(model, {.sets = sets_of(settings.user_settings())});
  require(again.problems().empty(), "what was said is refused when it is said again");
  const auto once_more = templates::render(model, again.values());
  require(once_more && *once_more == *made, "what was said makes something else when said again");
  check_shape(model, settings, *made);
}

void check_own_template(const std::string& text, const UserValues& said) {
  const auto model = Template::read("own.yaml", text);
  if (!model) {
    for (const std::string_view line : split(model.error().message, '\n')) {
      require(line.starts_with("own.yaml"), "a mistake has no place");
    }
    return;
  }
  check(**model, said);
  const Settings mended(**model, {.sets = sets_of(Settings(**model, said).corrected_settings())});
  if (mended.problems().empty()) check(**model, {.sets = sets_of(mended.user_settings())});
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
  const templates::UserValues said = fuzz::said_in(parts);
  const templates::Template* model = fuzz::builtin().find(trim(parts.front().text));
  if (model != nullptr) {
    fuzz::check(*model, said);
  } else {
    fuzz::check_own_template(parts.front().text, said);
  }
  return 0;
}
