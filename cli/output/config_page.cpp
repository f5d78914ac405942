#include "cli/output/config_page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

#include "cli/output/json.h"
#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "rules/config/config_reader.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace {

using yaml::Node;

/// The effective configuration as a tree: every rule, and the other sections as written.
class Page {
 public:
  explicit Page(const EffectiveConfig& effective) : effective_(effective) {
    std::vector<yaml::Entry> entries;
    for (const yaml::Field& field : rules::config_shape().fields) {
      // The extended files are merged already.
      if (field.name == "extends") continue;
      const Node& section = field.name == "rules" ? rules() : written(field);
      entries.push_back(yaml::entry_of(arena_, field.name, section));
    }
    root_ = &yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }

  const Node& root() const { return *root_; }

  std::string place_of(const Node& node) const {
    if (defaults_.contains(&node)) return "default";
    if (const auto policy = policies_.find(&node); policy != policies_.end()) {
      return policy->second->place;
    }
    return describe_line(node.span, effective_.sources);
  }

 private:
  const Node& by_default(const Node& node) {
    defaults_.insert(&node);
    return node;
  }

  const Node& written(const yaml::Field& field) {
    if (effective_.config != nullptr) {
      const Node& section = (*effective_.config->root).under(field.name);
      if (section && !section.is_null()) return section;
    }
    const bool list = field.shape.type == yaml::Shape::Type::list;
    return by_default(list ? yaml::sequence_like(arena_, yaml::nowhere(), {})
                           : yaml::mapping_like(arena_, yaml::nowhere(), {}));
  }

  const Node& rules() {
    std::vector<yaml::Entry> entries;
    for (const rules::Listed& listed : rules::all_rules()) {
      const rules::Rule& rule = *listed.rule;
      const rules::Levels::Setting* setting = effective_.rules.find(rule.id, {});
      const Node& level =
          setting == nullptr
              ? by_default(yaml::string_like(arena_, yaml::nowhere(), name_of(rule.severity)))
              : yaml::string_like(arena_, *setting->where, rules::name_of(setting->level));
      entries.push_back(yaml::entry_of(arena_, rule.id, level));
    }
    if (effective_.config == nullptr) return yaml::mapping_like(arena_, yaml::nowhere(), entries);
    for (const auto& policy : effective_.config->policies) {
      const rules::Levels::Setting* setting = effective_.rules.find(policy->id, {});
      const Node& level =
          setting == nullptr
              ? yaml::string_like(arena_, yaml::nowhere(), name_of(policy->severity))
              : yaml::string_like(arena_, *setting->where, rules::name_of(setting->level));
      if (setting == nullptr) policies_[&level] = policy.get();
      entries.push_back(yaml::entry_of(arena_, policy->id, level));
    }
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }

  const EffectiveConfig& effective_;
  Arena arena_;
  std::set<const Node*> defaults_;
  std::map<const Node*, const rules::Policy*> policies_;
  const Node* root_ = nullptr;
};

/// A comment with the configuration and the files that it extends.
std::string described_files(const rules::Config* config) {
  if (config == nullptr) return "# no configuration applies\n";
  std::vector<std::string> extended;
  for (const std::string& file : config->files) extended.push_back(printable(file));
  const std::string own = extended.front();
  extended.erase(extended.begin());
  if (extended.empty()) return fmt::format("# from {}\n", own);
  return fmt::format("# from {}, which extends {}\n", own, join_words(extended));
}

/// "0.13 (.cnsched.yaml:3)", or "newest (0.20)".
std::string words_for(Project project, const EffectiveConfig& effective) {
  std::vector<std::string> words;
  for (const facts::StatedRelease& release : effective.releases.of(project)) {
    words.push_back(fmt::format("{} ({})", to_string(release.version),
                                describe_source(release, effective.sources)));
  }
  if (words.empty()) return fmt::format("newest ({})", to_string(k8s::schema::newest(project)));
  return join_words(words);
}

std::string described_releases(const EffectiveConfig& effective) {
  std::string text = "# fields are judged by these releases:\n";
  for (const Project project : k8s::schema::kProjects) {
    text += fmt::format("#   {}: {}\n", key_of(project), words_for(project, effective));
  }
  if (effective.definitions.empty()) return text;
  text += "# and by these CustomResourceDefinitions:\n";
  for (const auto* each : effective.definitions) {
    text += fmt::format("#   {} {}: {}\n", printable(each->api_version), printable(each->kind),
                        describe_line(each->place->span, effective.sources));
  }
  return text;
}

void add_releases(const EffectiveConfig& effective, Json& json) {
  json["releases"] = Json::array();
  for (const Project project : k8s::schema::kProjects) {
    for (const facts::StatedRelease& release : effective.releases.of(project)) {
      json["releases"].push_back({{"project", key_of(project)},
                                  {"release", to_string(release.version)},
                                  {"source", describe_source(release, effective.sources)}});
    }
  }
  json["definitions"] = Json::array();
  for (const auto* each : effective.definitions) {
    json["definitions"].push_back(
        {{"apiVersion", each->api_version},
         {"kind", each->kind},
         {"source", describe_line(each->place->span, effective.sources)}});
  }
}

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

void write_config(const EffectiveConfig& effective, std::ostream& out) {
  out << described_files(effective.config) << described_releases(effective);
  const Page page(effective);
  out << yaml::to_yaml(page.root(), [&](const Node& node) { return page.place_of(node); });
}

Json json_of(const EffectiveConfig& effective) {
  Json json = {{"schemaVersion", 1}, {"files", Json::array()}};
  if (effective.config != nullptr) json["files"] = effective.config->files;
  add_releases(effective, json);
  const Page page(effective);
  json["config"] = json_of(page.root());
  return json;
}

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
