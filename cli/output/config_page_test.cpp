// The schema and the reader come from one description and must agree on real files.
#include "cli/output/config_page.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "core/base/text.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::cli::config_page_test {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  return type == "null" ? value.is_null() : value.is_string();
}

bool obeys(const Json& value, const Json& schema);

bool properties_obey(const Json& value, const Json& schema) {
  for (const auto& [key, item] : value.items()) {
    const bool known = schema.contains("properties") && schema["properties"].contains(key);
    if (schema.contains("propertyNames") && !obeys(key, schema["propertyNames"])) return false;
    const Json& rest = schema["additionalProperties"];
    if (!known && rest == false) return false;
    if (!known && rest == true) continue;
    if (!obeys(item, known ? schema["properties"][key] : rest)) return false;
  }
  const Json required = schema.value("required", Json::array());
  return std::ranges::all_of(required, [&](const auto& key) { return value.contains(key); });
}

/// Whether `value` is valid, by the keywords of JSON Schema that `config_schema` uses.
bool obeys(const Json& value, const Json& schema) {
  if (schema.contains("anyOf")) {
    return std::ranges::any_of(schema["anyOf"], [&](const Json& s) { return obeys(value, s); });
  }
  if (schema.contains("enum"))
    return std::ranges::find(schema["enum"], value) != schema["enum"].end();
  const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
  if (std::ranges::none_of(types, [&](const Json& type) { return has_type(value, type); })) {
    return false;
  }
  if (value.is_string()) {
    const std::regex pattern(schema.value("pattern", ""));
    const std::string text = value;
    return text.size() >= schema.value("minLength", 0U) && std::regex_search(text, pattern);
  }
  if (value.is_array()) {
    return std::ranges::all_of(value, [&](const Json& v) { return obeys(v, schema["items"]); });
  }
  return !value.is_object() || properties_obey(value, schema);
}

bool schema_takes(const std::string& text) {
  const test::Parsed parsed(text);
  if (!parsed.document.problems.empty()) return false;
  static const Json schema = Json::parse(indented(config_schema()));
  return obeys(Json::parse(yaml::to_json(parsed.root())), schema);
}

std::string errors_of(const std::string& path) {
  Sources sources;
  const auto configs = rules::Configs::only(path, sources);
  return configs ? "" : configs.error().message;
}

/// The initial configuration with every example uncommented.
std::string uncommented(const std::string& text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    result += std::string(line.substr(line.starts_with("# ") ? 2 : 0)) + "\n";
  }
  return result;
}

TEST_CASE("every configuration of the project is valid for schema and reader") {
  std::size_t count = 0;
  for (const std::string& path : files_below(project_file("testdata"), {rules::kConfigName})) {
    CAPTURE(path);
    CHECK(schema_takes(read_all(path)));
    CHECK(errors_of(path).empty());
    ++count;
  }
  CHECK(count > 20);
}

TEST_CASE("the initial configuration is valid, with its examples and without") {
  const TemporaryDirectory tree;
  tree.write("base.yaml", "rules: {}\n");
  tree.write("policies/p.yaml",
             "apiVersion: cnsched/v1\nkind: Policy\nid: a\nsummary: S\nforbid: {image: x}\n");
  const std::string start = starting_config();
  for (const std::string& text : {start, uncommented(start)}) {
    CAPTURE(text);
    CHECK(errors_of(tree.write(".cnsched.yaml", text)) == "");
    CHECK(schema_takes(text));
  }
  const test::Parsed parsed(uncommented(start));
  CHECK(parsed.root().entries().size() == 11);
  CHECK(parsed.root()["cluster"].entries().size() == 13);
  for (const std::string_view line : split(start, '\n')) CHECK(display_width(line) <= 100);
}

TEST_CASE("schema and reader reject the same mistakes") {
  const TemporaryDirectory tree;
  for (const char* text : {
           "[]",
           "text",
           "rulez: {}",
           "extends: {a: b}",
           "extends: ''",
           "extends: [1]",
           "rules: off",
           "rules: [taint]",
           "rules: {no_such_rule: off}",
           "policies: {id: a}",
           "policies: [{summary: a, require: {mode: Standard}}]",
           "policies: [{id: A, summary: a, require: {mode: Standard}}]",
           "policies: [{id: a, summary: a, require: mode}]",
           "policies: [{id: a, summary: a, match: {kind: Pod}, require: {mode: Standard}}]",
           "policies: [{id: a, summary: a, severity: high, require: {mode: Standard}}]",
           "policyFiles: policies/",
           "rules: {taint: fatal}",
           "rules: {taint: on}",
           "rules: {taint: 1}",
           "rules: {taint: }",
           "rules: {taint: {level: off}}",
           "rules: {taint: {severity: loud}}",
           "exclude: charts/",
           "exclude: [1]",
           "exclude: ['']",
           "exclude: [~]",
           "overrides: {files: [a]}",
           "overrides: [{files: [a]}]",
           "overrides: [{rules: }]",
           "overrides: [{files: a, rules: {}}]",
           "overrides: [{objects: [a], rules: {}}]",
           "overrides: [{objects: [{nam: a}], rules: {}}]",
           "overrides: [{objects: [{name: 1}], rules: {}}]",
           "overrides: [{rules: {Taint: off}}]",
           "cluster: 1",
           "cluster: {kserv: '0.15'}",
           "cluster: {kserve: 0.15}",
           "cluster: {kserve: latest}",
           "cluster: {kubernetes: 1.2.3.4}",
           "cluster: {defaultDeploymentMode: raw}",
           "cluster: {knativeFeatures: enabled}",
           "cluster: {knativeFeatures: {no-such-flag: enabled}}",
           "cluster: {knativeFeatures: {multi-container: true}}",
           "cluster: {extendedResourceToleration: sometimes}",
           "cluster: {devicePlugin: [a]}",
           "cluster: {devicePlugin: {tolerations: [{keys: a}]}}",
           "cluster: {devicePlugin: {tolerations: [{tolerationSeconds: long}]}}",
           "cluster: {nodePools: [{}]}",
           "cluster: {nodePools: [{name: ''}]}",
           "cluster: {nodePools: [{name: a, labels: {b: true}}]}",
           "cluster: {nodePools: [{name: a, taints: [{key: b}]}]}",
           "cluster: {nodePools: [{name: a, taints: [{key: b, effect: noschedule}]}]}",
           "cluster: {nodePools: [{name: a, allocatable: {memory: 16GB}}]}",
           "cluster: {nodePools: [{name: a, allocatable: {memory: true}}]}",
           "cluster: {files: nodes.yaml}",
           "generate: {templateDir: [a]}",
           "generate: {templateDirs: [1]}",
       }) {
    CAPTURE(text);
    CHECK_FALSE(schema_takes(text));
    CHECK_FALSE(errors_of(tree.write("c.yaml", text)).empty());
  }
}

TEST_CASE("the schema does not know which policies and kinds there are") {
  const TemporaryDirectory tree;
  for (const char* text : {"rules: {no-such-rule: off}", "overrides: [{rules: {taynt: off}}]",
                           "overrides: [{objects: [{kind: InferenceServce}], rules: {}}]"}) {
    CAPTURE(text);
    CHECK(schema_takes(text));
    CHECK_FALSE(errors_of(tree.write("c.yaml", text)).empty());
  }
}

TEST_CASE("schema and reader accept the same spellings") {
  const TemporaryDirectory tree;
  for (const char* text : {
           "",
           "rules:\ncluster:\nexclude:\noverrides:\nextends:\ngenerate:",
           "rules: {all: info, taint: off, invalid-taint: 'off', yaml: {severity: no}, label: {}}",
           "overrides: [{rules: {}}, {objects: [{}], rules: {all: off}}]",
           "cluster: {knativeFeatures: {multi-container: Enabled}}",
           "policies: [{id: a, summary: a, require: {image: x}}]\nrules: {a: off, policy: info}",
           "policies: [{id: a, summary: a, match: {accelerators: on}, forbid: [{image: x}]}]",
           "policies: [{id: a, summary: a, match: {kinds: [Pod]}, forbid: {image: x}}]",
           "policies: [{id: a, summary: a, forbid: {image: x}, good: [{a: b}], bad: text}]",
           "policies: [{id: a, summary: a, forbid: {image: x}, onUnknown: silent}]",
           "cluster: {extendedResourceToleration: on, kubernetes: v1.34.1}",
           "cluster: {extendedResourceToleration: 'off'}",
           "cluster: {nodePools: [{name: a, allocatable: {cpu: 8, memory: 1.5Gi, x/y: '1e3'}}]}",
       }) {
    CAPTURE(text);
    CHECK(schema_takes(text));
    CHECK(errors_of(tree.write("c.yaml", text)) == "");
  }
}

}  // namespace cnsched::cli::config_page_test
