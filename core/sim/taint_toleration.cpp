// Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go [P20, P21].

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

/// The kubelet, which admits a pod that has nodeName, checks NoExecute taints only [P27]. Source:
/// pkg/kubelet/lifecycle/predicate.go.
bool is_checked(const k8s::Taint& taint, const Pod& pod) {
  return taint.effect == k8s::kNoExecute ||
         (taint.effect == k8s::kNoSchedule && pod.node_name.empty());
}

/// The admission plugin, or a base that is not in the workspace, may add the toleration.
Truth is_tolerated(const k8s::Taint& taint, const Pod& pod) {
  if (k8s::tolerated(taint, pod.tolerations)) return Truth::yes;
  const Truth by_base = pod.unknown_base.empty() ? Truth::no : Truth::unknown;
  return k8s::tolerated(taint, pod.resource_tolerations) ? pod.has_resource_tolerations | by_base
                                                         : by_base;
}

std::string uncertainty_text(const Pod& pod) {
  return pod.unknown_base.empty()
             ? "unknown whether the admission plugin ExtendedResourceToleration adds "
               "the toleration"
             : fmt::format("{} is not in this run: it may tolerate the taint",
                           printable(pod.unknown_base));
}

/// The taint as written on this node.
k8s::Taint taint_on(std::size_t node, const k8s::Taint& taint, const Cluster& cluster) {
  for (const k8s::Taint& each : cluster.taints_of(node)) {
    if (each.key == taint.key && each.value == taint.value && each.effect == taint.effect) {
      return each;
    }
  }
  return taint;
}

void filter_by_taints(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  cluster.steps().spend(pod.tolerations.size() * (1 + cluster.taints().size()));
  NodeBounds untolerated{cluster.none(), cluster.none()};
  for (const TaintedNodes& tainted : cluster.taints()) {
    if (!is_checked(tainted.taint, pod)) continue;
    const Truth tolerated = is_tolerated(tainted.taint, pod);
    if (tolerated == Truth::yes) continue;
    untolerated.possible |= tainted.nodes;
    if (tolerated == Truth::no) untolerated.certain |= tainted.nodes;
    const auto text = [&] {
      return fmt::format("taint '{}' is not tolerated{}", printable(to_string(tainted.taint)),
                         tolerated == Truth::unknown ? "; " + uncertainty_text(pod) : "");
    };
    result.explain(tainted.nodes, FilterResult::on_all, [&](std::size_t node) {
      const k8s::Taint taint = taint_on(node, tainted.taint, cluster);
      return Cause{.kind = Cause::Kind::taint,
                   .text = result.text(text),
                   .on_node = taint.node,
                   .taint = taint};
    });
  }
  untolerated.possible -= untolerated.certain;
  result.reject(Status::unresolvable, "node(s) had untolerated taint(s)",
                std::move(untolerated.certain));
  result.reject_perhaps(uncertainty_text(pod), std::move(untolerated.possible));
}

/// The tolerations that can tolerate a PreferNoSchedule taint.
std::vector<k8s::Toleration> prefer_no_schedule_tolerations(const Pod& pod) {
  std::vector<k8s::Toleration> tolerations;
  std::ranges::copy_if(pod.tolerations, std::back_inserter(tolerations),
                       [](const k8s::Toleration& t) {
                         return t.effect.empty() || t.effect == k8s::kPreferNoSchedule;
                       });
  return tolerations;
}

/// The fewer PreferNoSchedule taints the pod does not tolerate, the higher the score.
std::vector<std::int64_t> untolerated_taint_score(const Pod& pod, const Cluster& cluster,
                                                  const NodeSet& feasible) {
  const std::vector<k8s::Toleration> tolerations = prefer_no_schedule_tolerations(pod);
  std::vector<std::int64_t> untolerated(cluster.size());
  for (const TaintedNodes& tainted : cluster.taints()) {
    if (tainted.taint.effect != k8s::kPreferNoSchedule) continue;
    if (k8s::tolerated(tainted.taint, tolerations)) continue;
    tainted.nodes.each([&](std::size_t node) { ++untolerated[node]; });
  }
  return normalized(untolerated, feasible, Better::less);
}

}  // namespace

constinit const Plugin taint_toleration{.name = "TaintToleration",
                                        .filter = filter_by_taints,
                                        .score = untolerated_taint_score,
                                        .weight = 3};

}  // namespace cnsched::sim
