#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/k8s/object.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

/// The ServingRuntimes and ClusterServingRuntimes in the files for one cluster. Patches of runtimes
/// are left out. Of several files' runtimes of one name each counts: which of them the cluster has
/// is not known.
class KnownRuntimes {
 public:
  using List = std::vector<const k8s::Object*>;

  explicit KnownRuntimes(const ClusterScope& scope);

  /// Whether a file may have further runtimes: a template, a broken document, or a patch of a
  /// runtime that no file has.
  bool may_have_others() const { return may_have_others_; }
  /// Those that a service in that namespace may use, though no file shows that some are in the
  /// namespace (Namespace::meets); nothing if they are too many to be compared with each service
  /// (Objects::kMaxPerKind).
  std::optional<List> visible_to(const k8s::Namespace& ns) const;
  /// One of that name, in any namespace, or null.
  const k8s::Object* first_named(std::string_view name) const;

 private:
  List all_;
  std::unordered_map<std::string_view, List> by_namespace_;
  std::unordered_map<std::string_view, const k8s::Object*> by_name_;
  bool may_have_others_ = false;
};

}  // namespace cnsched
