#include "core/k8s/scope.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/k8s/label.h"

namespace cnsched::k8s {

namespace {

/// Kinds in scope, by group; "*" is every kind of the group, a name restricts to objects called so.
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
});

/// What the text of an object of that row must contain.
std::string_view telling_word(const ScopeRow& row) {
  if (!row.name.empty()) return row.name;
  return row.kind == "*" ? row.group : row.kind;
}

/// How most keys of Knative's config-features begin: a ConfigMap of another name that holds one was
/// meant to be it.
constexpr std::string_view kKnativeFlag = "kubernetes.podspec-";

bool sets_knative_flags(const Object& object) {
  return object.is("", "ConfigMap") &&
         std::ranges::any_of(object["data"].entries, [](const yaml::Entry& entry) {
           return entry.key->text.starts_with(kKnativeFlag);
         });
}

bool in_table(std::string_view api_version, std::string_view kind, std::string_view name) {
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return row.group == group_of(api_version) && (row.kind == "*" || row.kind == kind) &&
           (row.name.empty() || row.name == name);
  });
}

/// Whether an object in scope has been lost under another, for want of a '---': of a key that is
/// repeated the last value counts, so the pairs of apiVersion and kind above it are nobody's.
bool buries_object_in_scope(const Object& object) {
  std::vector<std::string_view> versions;
  std::vector<std::string_view> kinds;
  for (const yaml::Entry& entry : object.root->entries) {
    if (entry.key->text == "apiVersion") versions.push_back(entry.value->scalar());
    if (entry.key->text == "kind") kinds.push_back(entry.value->scalar());
  }
  for (std::size_t i = 0; i + 1 < std::min(versions.size(), kinds.size()); ++i) {
    if (in_table(versions[i], kinds[i], "")) return true;
  }
  return false;
}

/// Kinds whose names say "model server" without their group.
constexpr auto kServingKinds = std::to_array<std::string_view>(
    {"InferenceService", "InferenceGraph", "ServingRuntime", "ClusterServingRuntime",
     "LLMInferenceService", "LLMInferenceServiceConfig", "TrainedModel", "SeldonDeployment",
     "SeldonRuntime", "SeldonConfig", "ServerConfig"});

/// Whether the object is a model server's, of a group that is still to be filled in.
bool has_group_to_come(const Object& object) {
  return is_placeholder(object.api_version) &&
         std::ranges::find(kServingKinds, object.kind) != kServingKinds.end();
}

bool holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool holds_telling_word(std::string_view text) {
  return holds(text, kKnativeFlag) ||
         std::ranges::any_of(kScope,
                             [&](const ScopeRow& row) { return holds(text, telling_word(row)); }) ||
         std::ranges::any_of(kServingKinds,
                             [&](std::string_view kind) { return holds(text, kind); });
}

/// A double-quoted scalar may spell a word in escapes, or break it over two lines.
bool may_hide_words(std::string_view text) {
  return std::ranges::any_of(std::to_array<std::string_view>({"\\x", "\\u", "\\U", "\\\n", "\\\r"}),
                             [&](std::string_view escape) { return holds(text, escape); });
}

bool holds_zeros(std::string_view text) { return text.find('\0') != std::string_view::npos; }

/// UTF-16 is refused, but PowerShell writes it: without its zeros its words can be found.
std::string without_zeros(std::string_view text) {
  std::string words(text);
  std::erase(words, '\0');
  return words;
}

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Whether a key may begin behind `before`: at the start of a line, an item or a flow mapping.
bool may_begin_key(std::string_view before) {
  if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
  const std::size_t last = before.find_last_not_of(" \t");
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
    values.push_back(rest.substr(0, rest.find_first_of(" \t\r\n\"',}#")));
  }
  return values;
}

}  // namespace

bool in_scope(const Object& object) {
  return sets_knative_flags(object) || in_table(object.api_version, object.kind, object.name) ||
         buries_object_in_scope(object) || has_group_to_come(object);
}

bool may_be_in_scope(std::string_view text) {
  return holds_telling_word(text) || may_hide_words(text) ||
         (holds_zeros(text) && holds_telling_word(without_zeros(text)));
}

bool broken_text_in_scope(std::string_view text) {
  if (holds_zeros(text)) return broken_text_in_scope(without_zeros(text));
  std::vector<std::string_view> groups = values_of("apiVersion", text);
  for (std::string_view& version : groups) version = group_of(version);
  const std::vector<std::string_view> kinds = values_of("kind", text);
  const auto among = [](const std::vector<std::string_view>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  // Cut-outs of documentation begin at the kind; these names are ours whatever the group.
  if (groups.empty()) {
    return std::ranges::any_of(kServingKinds,
                               [&](std::string_view kind) { return among(kinds, kind); });
  }
  // Which kind belongs to which apiVersion is not known of text that cannot be parsed.
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return among(groups, row.group) && (row.kind == "*" || among(kinds, row.kind)) &&
           holds(text, row.name);
  });
}

bool is_serving_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org" ||
         group == "mlops.seldon.io" || group == "machinelearning.seldon.io";
}

}  // namespace cnsched::k8s
