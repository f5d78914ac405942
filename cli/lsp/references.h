#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/k8s/objects.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli::lsp {

/// A kind of objects that a field names.
struct NamedKind {
  std::string_view group;
  std::string_view kind;
  /// Whether the object is in the namespace of the reference; otherwise it has none, or the
  /// controller searches a namespace that no manifest states.
  bool has_namespace = true;
};

/// A field of an object that refers to another object.
struct Reference {
  const k8s::Object* object = nullptr;  ///< that has the field
  const yaml::Node* field = nullptr;
  std::string_view name{};
  k8s::Namespace ns{};
  std::span<const NamedKind> kinds{};  ///< in the order in which they are searched
  /// The object that a controller chooses because of `field`, which is the model format, instead of
  /// a named one.
  const k8s::Object* chosen = nullptr;
  bool is_named = false;  ///< another field names `chosen`

  /// The object that the cluster has, or the first `max` of that name if that is not known.
  std::vector<const k8s::Object*> targets(const ClusterScope& scope, std::size_t max) const;
  /// Whether the target is one of them.
  bool is_to(const k8s::Object& target, const ClusterScope& scope) const;
};

/// The fields of the object that name other objects, or make a controller choose one. The order is
/// not that of the file.
std::vector<Reference> references_of(const k8s::Object& object, const ClusterScope& scope);

}  // namespace cnsched::cli::lsp
