#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/truth.h"
#include "core/seldon/server_capacity.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

/// A Server and what it offers to Models.
struct ModelServer {
  const k8s::Object* object = nullptr;
  seldon::ServerCapacity capacity;
  Truth has_device = Truth::unknown;  ///< whether its pod has an accelerator

  std::string_view name() const { return object->name; }
  /// Whether it is capable of all of `tags`; not if its capabilities are unknown.
  bool can_run(std::span<const seldon::RequiredTag> tags) const;
};

/// The Servers that a Model may be loaded on: those of its own namespace. Of several files' Servers
/// of one name each counts: which of them the cluster has is not known.
class ModelServers {
 public:
  using List = std::vector<const ModelServer*>;

  explicit ModelServers(const ClusterScope& scope);

  /// Those that may be in the namespace, by name, though no file shows that some of them are
  /// (Namespace::meets). Nothing where they are too many to be looked at one by one.
  List visible_to(const k8s::Namespace& ns) const;
  /// One of that name, in whatever namespace, or null.
  const ModelServer* first_named(std::string_view name) const;

 private:
  std::vector<ModelServer> servers_;  ///< by name
  std::unordered_map<std::string_view, List> by_namespace_;
};

/// Whether a Server that comes with Seldon, and that no Server of `seen` is called like, is capable
/// of all of `tags`: it may well be there, though the run does not hold it.
bool can_run_on_shipped(std::span<const seldon::RequiredTag> tags, const ModelServers::List& seen);

/// The linted Models.
std::vector<const k8s::Object*> linted_models(const ClusterScope& scope);

}  // namespace cnsched
