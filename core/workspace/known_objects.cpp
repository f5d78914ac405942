#include "core/workspace/known_objects.h"

namespace cnsched {

KnownObjects::KnownObjects(const ClusterScope& scope, const facts::ClusterFacts& facts) {
  using k8s::SchedulingKind;
  std::vector<const k8s::Object*> in_manifests;
  std::bitset<k8s::kSchedulingKinds> unread;
  for (std::size_t i = 0; i < k8s::kSchedulingKinds; ++i) {
    const auto kind = static_cast<SchedulingKind>(i);
    unread[i] = facts.unread_types.contains(k8s::row_of(kind).full_name());
    for (const k8s::Object* object : facts.scheduling[kind]) {
      if (scope.is_fact(*object)) {
        objects_.add(*object);
        if (!unread[i]) known_.emplace(kind, object->ns.name);
      } else {
        in_manifests.push_back(object);
      }
    }
  }
  for (const k8s::Object* object : in_manifests) objects_.add(*object);
  // Every cluster has both, and an export with PriorityClasses also has what pods use.
  if (knows_all(SchedulingKind::priority_class) && knows_all(SchedulingKind::namespace_)) {
    knows_whole_ = ~unread;
  }
}

}  // namespace cnsched
