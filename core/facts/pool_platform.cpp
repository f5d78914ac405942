#include "core/facts/pool_platform.h"

#include <algorithm>
#include <array>

#include "core/k8s/node_label.h"

namespace cnsched::facts {

namespace {

bool is_of_platform(std::string_view key) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"cloud.google.com/gke-", "eks.amazonaws.com/", "alpha.eksctl.io/", "kubernetes.azure.com/"});
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return key.starts_with(prefix); });
}

/// Requirements with several values are no labels of the pool.
bool is_eks_auto_mode(const k8s::Object& object) {
  if (object.group() != "karpenter.sh") return false;
  const yaml::Node& spec = object.spec()["template"]["spec"];
  return spec["nodeClassRef"]["group"].text() == "eks.amazonaws.com" ||
         std::ranges::any_of(spec["requirements"].items(), [](const yaml::Node* requirement) {
           return is_of_platform((*requirement)["key"].text());
         });
}

bool is_of_platform(const k8s::Object& object) {
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"GCPManagedMachinePool", "AWSManagedMachinePool", "AzureManagedMachinePool"});
  return object.is("eksctl.io", "ClusterConfig") || is_eks_auto_mode(object) ||
         std::ranges::find(kKinds, object.kind) != kKinds.end();
}

}  // namespace

bool has_extended_resource_toleration(const NodePool& pool) {
  return (pool.object != nullptr && is_of_platform(*pool.object)) ||
         std::ranges::any_of(pool.labels,
                             [](const k8s::Label& label) { return is_of_platform(label.key); });
}

namespace {

/// Whether machines with accelerators satisfy the requirement, as far as it is about machines.
bool admits_accelerators(const k8s::Requirement& r) {
  return r.op != "In" || std::ranges::any_of(r.values, [](const yaml::Node* value) {
           return accelerators::vendor_of_instance_type(value->text()) != nullptr;
         });
}

}  // namespace

bool may_get_accelerators(const NodePool& pool) {
  if (pool.vendor != nullptr || pool.object == nullptr || pool.object->kind != "NodePool" ||
      pool.object->group() != "karpenter.sh") {
    return false;
  }
  const auto requirements =
      k8s::requirements_in(pool.object->spec()["template"]["spec"]["requirements"]);
  return std::ranges::all_of(requirements, [](const k8s::Requirement& r) {
    return !k8s::is_instance_label(r.key) || admits_accelerators(r);
  });
}

}  // namespace cnsched::facts
