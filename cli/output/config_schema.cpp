#include "cli/output/config_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/write.h"
#include "rules/config/config_shape.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kIntroduction =
    "Configuration of cnsched for all files below this directory that have no nearer "
    ".cnsched.yaml. Every key is here: take away the '# ' in front of those that you need. "
    "'cnsched "
    "config' shows what is in force, and where it is from.";

/// The keys of a record, each below its explanation.
class Sheet {
 public:
  void prose(std::string_view words, std::size_t indent) {
    constexpr std::size_t kWidth = 90;
    for (const std::string& line : wrap(words, kWidth - indent)) {
      text += "## " + std::string(indent, ' ') + line + "\n";
    }
  }

  void keys(const yaml::Shape& record, std::size_t indent) {
    for (const yaml::Field& field : record.fields) {
      if (indent == 0) text += "\n";
      prose(field.doc, indent);
      example(field, indent);
      if (field.example.empty()) keys(field.shape, indent + 2);
    }
  }

  std::string text;

 private:
  void example(const yaml::Field& field, std::size_t indent) {
    const std::vector<std::string_view> lines = split(field.example, '\n');
    text += "# " + std::string(indent, ' ') + std::string(field.name) + ":";
    if (!lines.front().empty()) text += " " + std::string(lines.front());
    text += "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) {
      text += "# " + std::string(indent + 2, ' ') + std::string(lines[i]) + "\n";
    }
  }
};

using yaml::Shape;

/// "[eE][nN]…": JSON Schema cannot ignore case by itself.
std::string in_any_case(std::string_view word) {
  std::string pattern;
  for (const char c : word) {
    pattern += fmt::format("[{}{}]", c, static_cast<char>(c - 'a' + 'A'));
  }
  return pattern;
}

Json schema_of_words(const Shape& shape) {
  if (shape.any_case) {
    std::string words;
    for (const std::string_view word : shape.words) {
      words += (words.empty() ? "" : "|") + in_any_case(word);
    }
    return {{"type", "string"}, {"pattern", "^(" + words + ")$"}};
  }
  Json json = {{"enum", shape.words}};
  // `off` is a boolean in YAML 1.1 and a string in YAML 1.2.
  if (shape.off_too) json["enum"].push_back(false);
  return json;
}

Json schema_of_text(const Shape& shape) {
  if (!shape.words.empty()) return schema_of_words(shape);
  Json json = {{"type", "string"}};
  if (shape.type == Shape::Type::amount) json["type"] = {"string", "number"};
  if (shape.filled) json["minLength"] = 1;
  if (!shape.pattern.empty()) json["pattern"] = shape.pattern;
  return json;
}

Json schema_of_keys(const Shape& map) {
  Json json = {{"enum", map.words}};
  if (map.pattern.empty()) return json;
  Json others = {{"type", "string"}, {"pattern", map.pattern}};
  return {{"anyOf", Json::array({std::move(json), std::move(others)})}};
}

Json schema_of_field(const yaml::Field& field);

Json schema_of(const Shape& shape) {
  Json json;
  switch (shape.type) {
    case Shape::Type::text:
    case Shape::Type::amount:
      return schema_of_text(shape);
    case Shape::Type::boolean:
      return {{"enum", {true, false, "on", "off"}}};
    case Shape::Type::integer:
      return {{"type", "integer"}};
    case Shape::Type::list:
      return {{"type", "array"}, {"items", schema_of(shape.parts.front())}};
    case Shape::Type::either:
      for (const Shape& part : shape.parts) json["anyOf"].push_back(schema_of(part));
      return json;
    case Shape::Type::map:
      json["type"] = "object";
      if (!shape.words.empty()) json["propertyNames"] = schema_of_keys(shape);
      json["additionalProperties"] =
          shape.parts.empty() ? Json(true) : schema_of(shape.parts.front());
      return json;
    case Shape::Type::record:
      break;
  }
  json["type"] = "object";
  for (const yaml::Field& field : shape.fields) {
    json["properties"][std::string(field.name)] = schema_of_field(field);
    if (field.required) json["required"].push_back(field.name);
  }
  json["additionalProperties"] = false;
  return json;
}

/// The value of a key may be empty.
void allow_null(Json& json) {
  if (json.contains("anyOf")) {
    json["anyOf"].push_back({{"type", "null"}});
  } else if (json.contains("enum")) {
    json["enum"].push_back(nullptr);
  } else {
    Json types = json["type"].is_array() ? json["type"] : Json::array({json["type"]});
    types.push_back("null");
    json["type"] = std::move(types);
  }
}

Json value_of(std::string_view example) {
  const SourceFile file(0, "example", std::string(example));
  return json_of(*yaml::parse(file, file.whole()).root);
}

Json schema_of_field(const yaml::Field& field) {
  Json json = {{"description", field.doc}};
  json.update(schema_of(field.shape));
  if (!field.required) allow_null(json);
  if (!field.example.empty()) json["examples"] = Json::array({value_of(field.example)});
  return json;
}

}  // namespace

std::string starting_config() {
  Sheet sheet;
  sheet.prose(kIntroduction, 0);
  sheet.keys(rules::config_shape(), 0);
  return sheet.text;
}

Json config_schema() {
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "cnsched configuration (.cnsched.yaml)"}};
  json.update(schema_of(rules::config_shape()));
  allow_null(json);
  return json;
}

}  // namespace cnsched::cli
