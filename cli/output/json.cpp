#include "cli/output/json.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/yaml/scalar.h"

namespace cnsched::cli {

namespace {

/// nlohmann's own writer neither hides commands to CI systems nor prints numbers as YAML does.
void write_indented(const Json& json, std::string& out, std::size_t indent) {
  if (!json.is_structured()) {
    out += json.is_string()         ? yaml::quoted_for_json(json.get_ref<const std::string&>())
           : json.is_number_float() ? yaml::float_literal(json.get<double>())
                                    : json.dump();
    return;
  }
  out += json.is_object() ? '{' : '[';
  for (auto item = json.begin(); item != json.end(); ++item) {
    out += item == json.begin() ? "\n" : ",\n";
    out.append(indent + 2, ' ');
    if (json.is_object()) out += yaml::quoted_for_json(item.key()) + ": ";
    write_indented(*item, out, indent + 2);
  }
  if (!json.empty()) out.append(1, '\n').append(indent, ' ');
  out += json.is_object() ? '}' : ']';
}

}  // namespace

Json json_of(const yaml::Node& node) {
  if (node.is_mapping()) {
    Json json = Json::object();
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden) json[yaml::key_text(*entry.key)] = json_of(*entry.value);
    }
    return json;
  }
  if (node.is_sequence()) {
    Json json = Json::array();
    for (const yaml::Node* item : node.items()) json.push_back(json_of(*item));
    return json;
  }
  if (const auto literal = yaml::json_literal(node)) return Json::parse(*literal);
  return node.is_scalar() ? Json(node.text()) : Json();
}

std::string indented(const Json& json) {
  std::string out;
  write_indented(json, out, 0);
  return out;
}

void write_json_value(const Json& json, std::ostream& out) {
  const std::string text = indented(json);
  // Azure Pipelines finds commands (##vso[…]) anywhere in a log. In JSON, '#' occurs only in
  // strings.
  std::string_view rest = text;
  for (std::size_t at = rest.find("##"); at != std::string_view::npos; at = rest.find("##")) {
    out << rest.substr(0, at) << "\\u0023";
    rest.remove_prefix(at + 1);
  }
  out << rest;
}

void write_document(const Json& json, std::ostream& out) {
  write_json_value(json, out);
  out << '\n';
}

}  // namespace cnsched::cli
