#include "core/facts/known_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"

namespace cnsched::facts {

namespace {

using accelerators::DeviceRequest;
using k8s::Requirement;

bool offers(const NodePool& pool, const DeviceRequest& device) {
  if (!pool.is_node()) return false;
  const yaml::Node& amount = (*pool.object)["status"]["allocatable"].under(device.name);
  const auto quantity = Quantity::parse(amount.text());
  return quantity && quantity->value() >= std::max<std::int64_t>(device.amount, 1);
}

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

/// Whether machines with accelerators satisfy the requirement, as far as it is about machines.
bool admits_accelerators(const k8s::Requirement& r) {
  return r.op != "In" || std::ranges::any_of(r.values, [](const yaml::Node* value) {
           return accelerators::vendor_of_instance_type(value->text()) != nullptr;
         });
}

}  // namespace

KnownPools::Pool::Pool(const NodePool& described)
    : pool(&described),
      taints(repelling_taints(described, {})),
      first_taint(taints.empty() ? "" : to_string(taints.front())),
      extended_resource_toleration(has_extended_resource_toleration(described)) {}

KnownPools::KnownPools(const std::vector<NodePool>& pools) {
  for (const NodePool& pool : pools) {
    for (const k8s::Taint& taint : pool.taints) {
      values_.insert({taint.key, taint.value});
      if (taint.repels()) tainted_[taint.key].push_back({&pool, &taint});
    }
    for (const k8s::Label& label : pool.labels) {
      labelled_[{label.key, label.value}].push_back(&pool);
    }
    if (may_get_accelerators(pool)) perhaps_.emplace_back(pool);
    if (pool.vendor != nullptr) with_accelerators_.emplace_back(pool);
  }
  std::ranges::stable_sort(with_accelerators_, {}, [](const Pool& p) {
    return std::pair(std::string_view(p.first_taint), std::string_view(p.pool->name));
  });
  for (auto& [key, tainted] : tainted_) {
    std::ranges::stable_sort(tainted, {}, [](const Tainted& t) { return t.pool->name; });
  }
}

std::span<const KnownPools::Tainted> KnownPools::tainted_with(std::string_view key) const {
  const auto found = tainted_.find(key);
  if (found == tainted_.end()) return {};
  return found->second;
}

std::span<const NodePool* const> KnownPools::labelled(const k8s::Label& label) const {
  const auto found = labelled_.find({label.key, label.value});
  if (found == labelled_.end()) return {};
  return found->second;
}

accelerators::KnownNodes known_nodes(const std::vector<NodePool>& pools) {
  constexpr int kMaxQuestions = 8;
  if (pools.empty()) return {};
  const auto left = std::make_shared<int>(kMaxQuestions);
  const auto any_pool = [&pools, left](const auto& matches) {
    return (*left)-- > 0 && std::ranges::any_of(pools, matches);
  };
  return {[any_pool](const Requirement& a, const Requirement& b) {
            return any_pool([&](const NodePool& pool) {
              return a.matches(pool.labels) && b.matches(pool.labels);
            });
          },
          [any_pool](const Requirement& demand, const DeviceRequest& device) {
            return any_pool([&](const NodePool& pool) {
              return demand.matches(pool.labels) && offers(pool, device);
            });
          }};
}

bool has_extended_resource_toleration(const NodePool& pool) {
  return (pool.object != nullptr && is_of_platform(*pool.object)) ||
         std::ranges::any_of(pool.labels,
                             [](const k8s::Label& label) { return is_of_platform(label.key); });
}

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

std::vector<k8s::Taint> repelling_taints(const NodePool& pool,
                                         const std::vector<k8s::Toleration>& tolerations) {
  std::vector<k8s::Taint> repelling;
  for (const k8s::Taint& taint : pool.taints) {
    if (!taint.repels() || k8s::is_node_state_taint(taint.key)) continue;
    if (!k8s::tolerated(taint, tolerations)) repelling.push_back(taint);
  }
  return repelling;
}

}  // namespace cnsched::facts
