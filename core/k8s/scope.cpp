#include "core/k8s/scope.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

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

bool row_matches(const ScopeRow& row, std::string_view group, std::string_view kind) {
  return row.group == group && (row.kind == "*" || row.kind == kind);
}

/// A plain or quoted scalar behind `key:` at the start of a line of broken text.
std::string_view line_value(std::string_view line, std::string_view key) {
  line = trim(line);
  while (line.starts_with("- ")) line = trim(line.substr(2));
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  if (!line.starts_with(':')) return {};
  line = trim(line.substr(1));
  line = trim(line.substr(0, line.find(" #")));
  if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) {
    line = line.substr(1, line.size() - 2);
  }
  return line;
}

}  // namespace

bool in_scope(const Object& object) {
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return row_matches(row, object.group(), object.kind) &&
           (row.name.empty() || row.name == object.name);
  });
}

bool may_be_in_scope(std::string_view text) {
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    const std::string_view needle =
        !row.name.empty() ? row.name : (row.kind == "*" ? row.group : row.kind);
    return text.find(needle) != std::string_view::npos;
  });
}

bool broken_text_in_scope(std::string_view text) {
  std::string_view api_version;
  for (std::string_view line : split(text, '\n')) {
    if (const auto value = line_value(line, "apiVersion"); !value.empty()) api_version = value;
    const std::string_view kind = line_value(line, "kind");
    const std::size_t slash = api_version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
    if (is_serving_group(group)) return true;
    if (kind.empty() || api_version.empty()) continue;
    const bool known = std::ranges::any_of(kScope, [&](const ScopeRow& row) {
      return row_matches(row, group, kind) &&
             (row.name.empty() || text.find(row.name) != std::string_view::npos);
    });
    if (known) return true;
  }
  return false;
}

bool is_serving_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org" ||
         group == "mlops.seldon.io" || group == "machinelearning.seldon.io";
}

}  // namespace cnsched::k8s
