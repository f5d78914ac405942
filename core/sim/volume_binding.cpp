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

/// The terms of the node affinity of the volume that conflicts; none if there is none.
std::vector<k8s::NodeSelectorTerm> terms_of(const Conflict& conflict) {
  if (conflict.bound_volume == nullptr) return {};
  return k8s::terms_in(conflict.bound_volume->spec()["nodeAffinity"]["required"]);
}

/// The first requirement that the node does not meet: "label 'zone' is 'b', not 'a'".
std::string first_difference(const std::vector<k8s::NodeSelectorTerm>& terms, std::size_t node,
                             const Cluster& cluster) {
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& r : term.expressions) {
      const LabelColumn* column = cluster.label(r.key);
      const auto value = column == nullptr ? std::nullopt : column->value_of(node);
      if (!r.matches_value(value)) return ": " + difference(r, value);
    }
  }
  return {};
}

void reject_by(Conflict::Kind kind, std::string_view reason, const std::vector<Conflict>& conflicts,
               const Cluster& cluster, FilterResult& result) {
  NodeSet nodes = cluster.none();
  for (const Conflict& conflict : conflicts) {
    if (conflict.kind != kind) continue;
    nodes |= conflict.nodes;
    const std::vector<k8s::NodeSelectorTerm> terms = terms_of(conflict);
    result.explain(conflict.nodes, [&](std::size_t node) {
      return Cause{.text = conflict.reason + first_difference(terms, node, cluster),
                   .in_pod = conflict.in_pod};
    });
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
