// Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go; the work is done by
// VolumeBinder.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/sim/node_match.h"
#include "core/sim/plugin.h"
#include "core/sim/volume_binder.h"

namespace cnsched::sim {

namespace {

using Conflict = VolumeBinder::Conflict;

/// The first requirement of the volume's node affinity that the node does not meet.
std::string affinity_difference(const k8s::Object& volume, std::size_t node,
                                const Cluster& cluster) {
  for (const k8s::NodeSelectorTerm& term :
       k8s::terms_in(volume.spec()["nodeAffinity"]["required"])) {
    for (const k8s::Requirement& r : term.expressions) {
      const LabelColumn* column = cluster.label(r.key);
      const auto value = column == nullptr ? std::nullopt : column->value_of(node);
      if (!r.matches_value(value)) return difference(r, value);
    }
  }
  return {};
}

Cause cause_of(const Conflict& conflict, std::size_t node, const Cluster& cluster) {
  Cause cause{.text = conflict.reason, .in_pod = conflict.in_pod};
  if (conflict.bound_volume == nullptr) return cause;
  const std::string why = affinity_difference(*conflict.bound_volume, node, cluster);
  if (!why.empty()) cause.text += ": " + why;
  return cause;
}

void reject_by(Conflict::Kind kind, std::string_view reason, const std::vector<Conflict>& conflicts,
               const Cluster& cluster, FilterResult& result) {
  NodeSet nodes = cluster.none();
  for (const Conflict& conflict : conflicts) {
    if (conflict.kind != kind) continue;
    nodes |= conflict.nodes;
    result.explain(conflict.nodes,
                   [&](std::size_t node) { return cause_of(conflict, node, cluster); });
  }
  result.reject(Status::unresolvable, reason, std::move(nodes));
}

void filter_by_volumes(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.volumes.empty()) return;
  VolumeBinder binder(pod, cluster);
  if (!binder.has_claims()) return;
  if (!binder.rejection().empty()) {
    // The state of claims changes without any change of manifests.
    if (cluster.view() == Cluster::View::lasting) {
      return result.reject_perhaps(binder.rejection(), cluster.all());
    }
    return result.reject_pod(Status::unresolvable, binder.rejection(), cluster);
  }
  using enum Conflict::Kind;
  const std::vector<Conflict>& conflicts = binder.conflicts();
  for (const Conflict& conflict : conflicts) {
    if (conflict.kind == error) result.fail(conflict.reason, conflict.nodes);
    if (conflict.kind == unknown) result.reject_perhaps(conflict.reason, conflict.nodes);
  }
  reject_by(affinity, "node(s) didn't match PersistentVolume's node affinity", conflicts, cluster,
            result);
  reject_by(unbound, "node(s) didn't find available persistent volumes to bind", conflicts, cluster,
            result);
  reject_by(space, "node(s) did not have enough free storage", conflicts, cluster, result);
  reject_by(no_volume, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
            conflicts, cluster, result);
}

}  // namespace

constinit const Plugin volume_binding{.name = "VolumeBinding", .filter = filter_by_volumes};

}  // namespace cnsched::sim
