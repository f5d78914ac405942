#include "core/k8s/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/label.h"
#include "core/k8s/schema/schema.h"

namespace cnsched::k8s {

namespace {

/// Kinds in scope, by group; "*" is every kind of the group; a name restricts the row to objects of
/// that name.
struct ScopeRow {
  std::string_view group;
  std::string_view kind;
  std::string_view name = {};
};

constexpr auto kScope = std::to_array<ScopeRow>({
    {"serving.kserve.io", "*"},
    {"serving.kubeflow.org", "*"},
    {"mlops.seldon.io", "*"},
    {"machinelearning.seldon.io", "*"},
    {"operator.knative.dev", "*"},
    {"", "Pod"},
    {"apps", "Deployment"},
    {"extensions", "Deployment"},
    {"apps", "StatefulSet"},
    {"apps", "DaemonSet"},
    {"extensions", "DaemonSet"},
    {"apps", "ReplicaSet"},
    {"batch", "Job"},
    {"batch", "CronJob"},
    {"", "Node"},
    {"node.k8s.io", "RuntimeClass"},
    {"infrastructure.opendatahub.io", "HardwareProfile"},
    {"dashboard.opendatahub.io", "HardwareProfile"},
    {"kueue.x-k8s.io", "LocalQueue"},
    {"kueue.x-k8s.io", "ClusterQueue"},
    {"kueue.x-k8s.io", "ResourceFlavor"},
    {"kueue.x-k8s.io", "Topology"},
    {"karpenter.sh", "NodePool"},
    {"karpenter.sh", "Provisioner"},
    {"eksctl.io", "ClusterConfig"},
    {"machine.openshift.io", "MachineSet"},
    {"bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate"},
    {"bootstrap.cluster.x-k8s.io", "KubeadmConfig"},
    {"bootstrap.cluster.x-k8s.io", "EKSConfigTemplate"},
    {"infrastructure.cluster.x-k8s.io", "AWSManagedMachinePool"},
    {"infrastructure.cluster.x-k8s.io", "AzureManagedMachinePool"},
    {"infrastructure.cluster.x-k8s.io", "GCPManagedMachinePool"},
    {"nvidia.com", "ClusterPolicy"},
    {"", "ConfigMap", "config-features"},
    {"", "ConfigMap", "inferenceservice-config"},
    {"", "ConfigMap", "seldon-config"},
});

/// The prefix of most keys of Knative's config-features: a ConfigMap of another name with such a
/// key was probably intended as config-features.
constexpr std::string_view kKnativeFlag = "kubernetes.podspec-";

/// Kinds that are model servers in any group.
constexpr auto kServingKinds = std::to_array<std::string_view>(
    {"InferenceService", "InferenceGraph", "ServingRuntime", "ClusterServingRuntime",
     "LLMInferenceService", "LLMInferenceServiceConfig", "TrainedModel", "SeldonDeployment",
     "SeldonRuntime", "SeldonConfig", "ServerConfig"});

bool sets_knative_flags(const Object& object) {
  return object.is("", "ConfigMap") &&
         std::ranges::any_of(object["data"].entries(), [](const yaml::Entry& entry) {
           return entry.key->text().starts_with(kKnativeFlag);
         });
}

bool in_table(std::string_view api_version, std::string_view kind, std::string_view name) {
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return row.group == group_of(api_version) && (row.kind == "*" || row.kind == kind) &&
           (row.name.empty() || row.name == name);
  });
}

/// Whether an object in scope is overwritten by another because a '---' is missing: the last value
/// of a repeated key counts, so earlier pairs of apiVersion and kind are lost.
bool buries_object_in_scope(const Object& object) {
  std::vector<std::string_view> versions;
  std::vector<std::string_view> kinds;
  for (const yaml::Entry& entry : object.root->entries()) {
    if (entry.key->text() == "apiVersion") versions.push_back(entry.value->text());
    if (entry.key->text() == "kind") kinds.push_back(entry.value->text());
  }
  for (std::size_t i = 0; i + 1 < std::min(versions.size(), kinds.size()); ++i) {
    if (in_table(versions[i], kinds[i], "")) return true;
  }
  return false;
}

/// Whether the object has a model server's kind and a placeholder as group.
bool has_group_to_come(const Object& object) {
  return is_placeholder(object.api_version) && is_serving_kind(object.kind);
}

/// The value under `key` in another case, if the object has no such key; or a missing node.
const yaml::Node& miscased(const Object& object, std::string_view key) {
  if (object.root->under(key)) return yaml::missing_node();
  for (const yaml::Entry& entry : object.root->entries()) {
    if (equals_ignoring_case(entry.key->text(), key)) return *entry.value;
  }
  return yaml::missing_node();
}

/// Whether the API is unknown because of a mistake (the rule unknown-kind).
bool is_misnamed(const Object& object) {
  return kind_in_misspelt_group(object.api_version, object.kind) != nullptr ||
         lacks_api_version(object) || !miscased_fields(object).empty();
}

/// "ConfigMap config-features"; of a row for a whole group every kind that the schemas have.
std::string kinds_in(const ScopeRow& row) {
  if (row.kind != "*") {
    return fmt::format("{}{}{}", row.kind, row.name.empty() ? "" : " ", row.name);
  }
  const auto known = schema::kinds_of(row.group);
  return known.empty() ? "every kind" : fmt::format("every kind: {}", fmt::join(known, ", "));
}

constexpr CharSet kBlanks(" \t");
constexpr CharSet kEndsOfWords(" \t\r\n\"',}]#");

/// `std::string_view::find` takes several times as long.
bool holds(std::string_view text, std::string_view word) {
  if (word.empty() || text.empty()) return word.empty();
  return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

/// Whether a template of Helm prints only what a named template of another file holds, so that its
/// own text does not show what it is.
bool is_only_included(std::string_view text) {
  constexpr auto kIncludes = std::to_array<std::string_view>(
      {"{{ include \"", "{{- include \"", "{{ template \"", "{{- template \""});
  return !holds(text, "kind") && std::ranges::any_of(kIncludes, [&](std::string_view include) {
    return holds(text, include);
  });
}

/// What the text of an object of that row must contain.
std::string_view telling_word(const ScopeRow& row) {
  if (!row.name.empty()) return row.name;
  return row.kind == "*" ? row.group : row.kind;
}

/// UTF-16 is rejected, but PowerShell writes it: without the zeros its words are found.
std::string without_zeros(std::string_view text) {
  std::string words(text);
  std::erase(words, '\0');
  return words;
}

/// The word at the start of `text`; nothing if it is longer than any of ours. The limit keeps the
/// search linear in a text without ends.
std::optional<std::string_view> word_at(std::string_view text) {
  constexpr std::size_t kLongest = 512;
  const std::string_view near = text.substr(0, kLongest);
  const std::size_t end = kEndsOfWords.find_first_in(near);
  if (end == std::string_view::npos && near.size() == kLongest) return std::nullopt;
  return near.substr(0, end);
}

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(kBlanks.find_first_not_in(text), text.size()));
}

/// Whether a key may begin after `before`: at the start of a line, an item or a flow mapping.
bool may_begin_key(std::string_view before) {
  if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
  const std::size_t last = kBlanks.find_last_not_in(before);
  if (last == std::string_view::npos) return true;
  const char c = before[last];
  const bool byte_order_mark = static_cast<unsigned char>(c) >= 0x80;
  return byte_order_mark || std::string_view("\n\r-{,").find(c) != std::string_view::npos;
}

/// Every value of `key` in broken text, be it YAML or JSON: `kind: Pod`, `"kind":"Pod",`.
std::vector<std::string_view> values_of(std::string_view key, std::string_view text) {
  std::vector<std::string_view> values;
  for (std::size_t at = text.find(key); at != std::string_view::npos;
       at = text.find(key, at + key.size())) {
    if (!may_begin_key(text.substr(0, at))) continue;
    std::string_view rest = text.substr(at + key.size());
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    rest = skip_blanks(rest);
    if (!rest.starts_with(':')) continue;
    rest = skip_blanks(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    if (const auto word = word_at(rest)) values.push_back(*word);
  }
  return values;
}

constexpr auto kFixtureDirectories = std::to_array<std::string_view>(
    {"testdata", "test-data", "test_data", "fixtures", "__fixtures__", "node_modules"});

/// What the names of other tools' files begin with.
constexpr auto kOtherFiles = std::to_array<std::string_view>(
    {"appveyor.", "azure-pipelines", "bitbucket-pipelines.", "buildspec.", "chart.", "cloudbuild.",
     "compose.", "copier.", "docker-compose", "kep.", "mkdocs.", "openapi.", "pnpm-lock.",
     "serverless.", "swagger.", "taskfile."});

bool is_hidden(std::string_view name) {
  return name.size() > 1 && name.starts_with('.') && name != "..";
}

/// values, values-prod.yaml, prod.values.yaml, helm-values/.
bool is_of_values(std::string_view name) {
  const std::string_view stem = name.substr(0, name.rfind('.'));
  const std::size_t at = stem.find("values");
  if (at == std::string_view::npos) return false;
  const auto separates = [](char c) { return c == '-' || c == '_' || c == '.'; };
  const std::string_view rest = stem.substr(at + std::string_view("values").size());
  return (at == 0 || separates(stem[at - 1])) && (rest.empty() || separates(rest.front()));
}

bool is_other_name(std::string_view name) {
  return is_of_values(name) || std::ranges::any_of(kOtherFiles, [&](std::string_view other) {
           return name.starts_with(other);
         });
}

bool is_other_directory(std::string_view name) {
  return is_hidden(name) || is_of_values(name) || is_fixture_directory(name);
}

bool mentions_object(std::string_view text) {
  return text.find("\"apiVersion\"") != std::string_view::npos &&
         text.find("\"kind\"") != std::string_view::npos;
}

}  // namespace

bool is_template_name(std::string_view name) {
  std::string words(name);
  std::ranges::replace_if(
      words, [](char c) { return c == '-' || c == '_'; }, '.');
  return std::ranges::any_of(split(words, '.'), [&](std::string_view word) {
    return is_one_of(word,
                     {"template", "templates", "tftpl", "tmpl", "tpl", "j2", "jinja2", "envsubst"});
  });
}

bool is_fixture_directory(std::string_view name) { return is_one_of(name, kFixtureDirectories); }

std::vector<const yaml::Node*> miscased_fields(const Object& object) {
  const yaml::Node& version = miscased(object, "apiVersion");
  const yaml::Node& kind = miscased(object, "kind");
  if (!version && !kind) return {};
  const std::string_view api_version = version ? version.text() : object.api_version;
  const std::string_view name_of_kind = kind ? kind.text() : object.kind;
  const bool is_intended = in_table(api_version, name_of_kind, object.name) ||
                           (api_version.empty() && is_serving_kind(name_of_kind));
  std::vector<const yaml::Node*> fields;
  if (is_intended && version) fields.push_back(&version);
  if (is_intended && kind) fields.push_back(&kind);
  return fields;
}

bool lacks_api_version(const Object& object) {
  return !object["apiVersion"] && !miscased(object, "apiVersion") && is_serving_kind(object.kind);
}

bool in_scope(const Object& object) {
  return sets_knative_flags(object) || in_table(object.api_version, object.kind, object.name) ||
         scheduling_kind_of(object) || buries_object_in_scope(object) ||
         has_group_to_come(object) || is_misnamed(object);
}

std::vector<GroupInScope> groups_in_scope() {
  std::vector<GroupInScope> groups;
  for (const ScopeRow& row : kScope) {
    const auto known = std::ranges::find(groups, row.group, &GroupInScope::group);
    if (known == groups.end()) {
      groups.push_back({row.group, kinds_in(row)});
    } else {
      known->kinds += ", " + kinds_in(row);
    }
  }
  return groups;
}

bool is_serving_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org" ||
         group == "mlops.seldon.io" || group == "machinelearning.seldon.io";
}

bool is_serving_kind(std::string_view kind) { return is_one_of(kind, kServingKinds); }

// Text without a tree: a template before it is rendered, and what no parser can read.

bool template_may_be_in_scope(std::string_view text) {
  return holds(text, kKnativeFlag) || is_only_included(text) ||
         std::ranges::any_of(kScope,
                             [&](const ScopeRow& row) { return holds(text, telling_word(row)); }) ||
         std::ranges::any_of(kServingKinds,
                             [&](std::string_view kind) { return holds(text, kind); });
}

bool broken_text_in_scope(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return broken_text_in_scope(without_zeros(text));
  std::vector<std::string_view> groups = values_of("apiVersion", text);
  for (std::string_view& version : groups) version = group_of(version);
  const std::vector<std::string_view> kinds = values_of("kind", text);
  const auto among = [](const std::vector<std::string_view>& words, std::string_view word) {
    return is_one_of(word, words);
  };
  // Excerpts in documentation begin at the kind; these names are in scope in any group.
  if (groups.empty()) {
    return std::ranges::any_of(kServingKinds,
                               [&](std::string_view kind) { return among(kinds, kind); });
  }
  // In text that cannot be parsed, kinds and apiVersions cannot be paired.
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return among(groups, row.group) && (row.kind == "*" || among(kinds, row.kind)) &&
           holds(text, row.name);
  });
}

// Measured on 37 public repositories with 24,000 documents of other kinds: 29 of them are no YAML.
// They are broken manifests, or in files that are recognized here.

bool is_other_file(std::string_view path, std::string_view text) {
  const std::string lowered = lower(path);
  std::vector<std::string_view> names = split(lowered, '/');
  const std::string_view file = names.back();
  names.pop_back();
  return is_hidden(file) || is_other_name(file) || is_template_name(file) ||
         std::ranges::any_of(names, is_other_directory) ||
         (file.ends_with(".json") && !mentions_object(text));
}

std::vector<std::string_view> unread_types(std::string_view text) {
  if (!text.starts_with(kSnapshotLine)) return {};
  constexpr std::string_view kTitle = "# ";
  constexpr std::string_view kName = "#   ";
  std::vector<std::string_view> types;
  bool are_unread = false;
  while (text.starts_with('#')) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!line.starts_with(kName)) {
      are_unread = line.starts_with(kTitle) && line.substr(kTitle.size()).starts_with(kNotRead);
    } else if (are_unread) {
      types.push_back(line.substr(kName.size()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return types;
}

}  // namespace cnsched::k8s
