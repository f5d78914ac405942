#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/selector.h"

namespace cnsched::sim {

/// What is known about the Namespaces of a cluster.
class Namespaces {
 public:
  Namespaces() = default;
  /// `is_complete`: the cluster has no others.
  Namespaces(const std::vector<const k8s::Object*>& objects, bool is_complete);

  bool is_complete() const { return is_complete_; }
  /// The labels of the Namespace, by key; null if it is not given.
  const std::map<std::string_view, std::string_view>* labels(std::string_view name) const;

 private:
  std::map<std::string_view, std::map<std::string_view, std::string_view>> labels_;
  bool is_complete_ = false;
};

}  // namespace cnsched::sim
