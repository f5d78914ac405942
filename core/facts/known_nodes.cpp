#include "core/facts/known_nodes.h"

#include <algorithm>
#include <memory>

#include "core/base/quantity.h"

namespace cnsched::facts {

namespace {

using accelerators::DeviceRequest;
using k8s::Requirement;

bool offers(const NodePool& pool, const DeviceRequest& device) {
  if (pool.object == nullptr || !pool.object->is("", "Node")) return false;
  const yaml::Node& amount = (*pool.object)["status"]["allocatable"][device.name];
  const auto quantity = Quantity::parse(amount.text());
  return quantity && quantity->value() >= std::max<std::int64_t>(device.amount, 1);
}

}  // namespace

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

}  // namespace cnsched::facts
