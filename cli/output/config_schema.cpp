#include <fmt/format.h>

#include "cli/output/config_page.h"
#include "cli/output/json.h"
#include "core/yaml/parse.h"
#include "core/yaml/write.h"
#include "rules/engine/config_shape.h"

namespace cnsched::cli {

namespace {

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
  return Json::from(*yaml::parse(file, file.whole()).root);
}

Json schema_of_field(const yaml::Field& field) {
  Json json = {{"description", field.doc}};
  json.update(schema_of(field.shape));
  if (!field.required) allow_null(json);
  if (!field.example.empty()) json["examples"] = Json::array({value_of(field.example)});
  return json;
}

}  // namespace

Json config_schema() {
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "cnsched configuration (.cnsched.yaml)"}};
  json.update(schema_of(rules::config_shape()));
  allow_null(json);
  return json;
}

}  // namespace cnsched::cli
