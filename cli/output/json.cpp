#include "cli/output/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/yaml/quote.h"
#include "core/yaml/scalar.h"

namespace cnsched::cli {

Json::Json(std::string_view text)
    : kind_(Kind::literal), is_string_(true), text_(yaml::quoted_for_json(text)) {}

Json::Json(std::initializer_list<Json> values) {
  const bool is_object =
      std::ranges::all_of(values, [](const Json& json) { return json.is_pair(); });
  kind_ = is_object && values.size() > 0 ? Kind::object : Kind::array;
  if (kind_ == Kind::array) {
    items_ = values;
    return;
  }
  for (const Json& pair : values) {
    keys_.push_back(pair.items_[0].text_);
    items_.push_back(pair.items_[1]);
  }
}

Json Json::literal_of(double value) {
  Json json;
  json.kind_ = Kind::literal;
  json.text_ = fmt::format("{}", value);
  return json;
}

Json Json::array(std::initializer_list<Json> values) {
  Json json;
  json.kind_ = Kind::array;
  json.items_ = values;
  return json;
}

Json Json::from(const yaml::Node& node) {
  Json json;
  if (node.is_mapping()) {
    json.kind_ = Kind::object;
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden) json[yaml::key_text(*entry.key)] = from(*entry.value);
    }
  } else if (node.is_sequence()) {
    json.kind_ = Kind::array;
    for (const yaml::Node* item : node.items()) json.items_.push_back(from(*item));
  } else if (const auto literal = yaml::json_literal(node)) {
    json.kind_ = Kind::literal;
    json.text_ = *literal;
  } else if (node.is_scalar()) {
    return node.text();
  }
  return json;
}

bool Json::is_pair() const {
  return kind_ == Kind::array && items_.size() == 2 && items_[0].is_string_;
}

Json& Json::operator[](std::string_view key) {
  if (kind_ == Kind::null) kind_ = Kind::object;
  std::string quoted = yaml::quoted_for_json(key);
  const auto found = std::ranges::find(keys_, quoted);
  if (found != keys_.end()) return items_[static_cast<std::size_t>(found - keys_.begin())];
  keys_.push_back(std::move(quoted));
  return items_.emplace_back();
}

void Json::push_back(Json value) {
  kind_ = Kind::array;
  items_.push_back(std::move(value));
}

void Json::update(Json object) {
  for (std::size_t i = 0; i < object.keys_.size(); ++i) {
    const auto found = std::ranges::find(keys_, object.keys_[i]);
    if (found != keys_.end()) {
      items_[static_cast<std::size_t>(found - keys_.begin())] = std::move(object.items_[i]);
    } else {
      keys_.push_back(std::move(object.keys_[i]));
      items_.push_back(std::move(object.items_[i]));
    }
  }
}

bool Json::contains(std::string_view key) const {
  return std::ranges::find(keys_, yaml::quoted_for_json(key)) != keys_.end();
}

std::string Json::text() const {
  std::string out;
  write(out, 0);
  return out;
}

void Json::write(std::string& out, std::size_t indent) const {
  if (kind_ == Kind::null || kind_ == Kind::literal) {
    out += kind_ == Kind::null ? "null" : text_;
    return;
  }
  const bool is_object = kind_ == Kind::object;
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < items_.size(); ++i) {
    out += i > 0 ? ",\n" : "\n";
    out.append(indent + 2, ' ');
    if (is_object) out += keys_[i] + ": ";
    items_[i].write(out, indent + 2);
  }
  if (!items_.empty()) out.append(1, '\n').append(indent, ' ');
  out += is_object ? '}' : ']';
}

void write_json_value(const Json& json, std::ostream& out) {
  const std::string text = json.text();
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
