#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/k8s/selector.h"
#include "core/workspace/workload.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// Whether other controllers, meshes or admission add labels of that key to pods.
bool is_added_to_pods(std::string_view key);

/// Whether none of the workload's pods satisfies the requirement. False where that is not known:
/// placeholders, and labels that something else in the cluster adds to pods.
bool certainly_lacks(const k8s::Requirement& requirement, const Workload& workload);

/// The label by which the controller identifies the workload's pods, if it has one.
std::optional<k8s::Label> identifying_label(const Workload& workload);

/// An index of pods by their labels.
class PodsByLabel {
 public:
  /// The workloads have to outlive this.
  void add(const Workload& workload);

  /// Whether some pod satisfies all of the requirements, or that is not known: where no values are
  /// required, or very many pods have one of them.
  bool may_hold(const std::vector<k8s::Requirement>& requirements) const;

 private:
  using Workloads = std::vector<const Workload*>;
  /// The pods that satisfy an In; nothing where it is none, or they are very many.
  std::optional<Workloads> few_with(const k8s::Requirement& r) const;
  const Workloads& with(std::string_view key, std::string_view value) const;

  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Workloads>> by_label_;
};

/// A name for each of the pods that the API server takes and that no other of them has in its
/// namespace: the controller's name for what makes the pod, or the object's and the component's.
/// Which of two gets a number does not depend on the order of the files.
std::vector<std::string> pod_names(const std::vector<const Workload*>& pods,
                                   const Workspace& workspace);

/// `text` as a DNS-1123 subdomain: lower case, '-' for what is not allowed in one.
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
std::string dns_subdomain(std::string_view text);

}  // namespace cnsched
