#pragma once

#include <bitset>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/facts/cluster_facts.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

/// The objects of the SchedulingKinds that a cluster has, and of which kinds it has no others.
class KnownObjects {
 public:
  KnownObjects() = default;
  KnownObjects(const ClusterScope& scope, const facts::ClusterFacts& facts);

  /// The objects of that kind, those in files of facts first: of two with one name, the first is
  /// that of the cluster.
  const std::vector<const k8s::Object*>& operator[](k8s::SchedulingKind kind) const {
    return objects_[kind];
  }
  /// Whether the cluster has no others of that kind in the namespace (empty: of a kind without
  /// namespaces): some are given as facts, or the facts are from a dump of the whole cluster.
  bool knows_all(k8s::SchedulingKind kind, std::string_view ns = {}) const {
    return knows_whole_[static_cast<std::size_t>(kind)] || known_.contains({kind, ns});
  }
  /// Whether the facts are from a dump of the whole cluster, but for types that it could not read.
  bool is_dump() const { return knows_whole_.any(); }

 private:
  facts::SchedulingObjects objects_;
  /// Of kinds of which some are given as facts, and of their namespaces.
  std::set<std::pair<k8s::SchedulingKind, std::string_view>> known_;
  std::bitset<k8s::kSchedulingKinds> knows_whole_;
};

}  // namespace cnsched
