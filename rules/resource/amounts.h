#pragma once

#include <algorithm>
#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::rules {

/// The request and the limit of one resource of a container; null if not written.
struct ResourcePair {
  std::string_view name;
  const yaml::Node* request = nullptr;
  const yaml::Node* limit = nullptr;
};

/// The resources of a container, in the order of their first mention.
inline std::vector<ResourcePair> resource_pairs(const k8s::Container& container) {
  std::vector<ResourcePair> pairs;
  const auto pair_of = [&](std::string_view name) -> ResourcePair& {
    const auto found = std::ranges::find(pairs, name, &ResourcePair::name);
    return found != pairs.end() ? *found : pairs.emplace_back(ResourcePair{.name = name});
  };
  for (const k8s::ResourceAmount& amount : container.limits()) {
    pair_of(amount.name).limit = amount.node;
  }
  for (const k8s::ResourceAmount& amount : container.requests()) {
    pair_of(amount.name).request = amount.node;
  }
  return pairs;
}

}  // namespace cnsched::rules
