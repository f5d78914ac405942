// Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go.

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/plugins.h"
#include "core/sim/score.h"
#include "core/workloads/pool_fit.h"

namespace cnsched::sim {

namespace {

/// A kubelet that gets its pod without the scheduler looks at NoExecute only. Source:
/// pkg/kubelet/lifecycle/predicate.go.
bool counts(const k8s::Taint& taint, const Pod& pod) {
  return taint.effect == k8s::kNoExecute ||
         (taint.effect == k8s::kNoSchedule && pod.node_name.empty());
}

enum class Tolerated : unsigned char { no, perhaps, yes };

/// Admission may help, or a base that is not in the run.
Tolerated is_tolerated(const k8s::Taint& taint, const Pod& pod) {
  if (k8s::tolerated(taint, pod.tolerations)) return Tolerated::yes;
  const bool by_admission = k8s::tolerated(taint, pod.resource_tolerations);
  if (by_admission && pod.has_resource_tolerations == true) return Tolerated::yes;
  const bool may_help = by_admission && !pod.has_resource_tolerations;
  return may_help || !pod.lacks.empty() ? Tolerated::perhaps : Tolerated::no;
}

std::string doubt_about(const Pod& pod) {
  return pod.lacks.empty()
             ? "whether admission (ExtendedResourceToleration) adds the toleration is not known"
             : fmt::format("{}, which may tolerate the taint, is not in this run",
                           printable(pod.lacks));
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  NodeSet refusing = cluster.none();
  NodeSet doubtful = cluster.none();
  for (const TaintedNodes& tainted : cluster.taints()) {
    if (!counts(tainted.taint, pod)) continue;
    const Tolerated tolerated = is_tolerated(tainted.taint, pod);
    if (tolerated == Tolerated::no) refusing |= tainted.nodes;
    if (tolerated == Tolerated::perhaps) doubtful |= tainted.nodes;
  }
  doubtful -= refusing;
  objections.add("node(s) had untolerated taint(s)", std::move(refusing));
  objections.add_unknown(doubt_about(pod), std::move(doubtful));
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  for (const k8s::Taint& taint : cluster.taints_of(node)) {
    if (!counts(taint, pod)) continue;
    const Tolerated tolerated = is_tolerated(taint, pod);
    if (tolerated == Tolerated::yes) continue;
    std::string text = fmt::format("taint '{}' is not tolerated", printable(to_string(taint)));
    if (tolerated == Tolerated::perhaps) text += "; " + doubt_about(pod);
    obstacles.push_back({.plugin = &taint_toleration,
                         .kind = Obstacle::Kind::taint,
                         .text = std::move(text),
                         .on_node = taint.node,
                         .taint = taint});
  }
}

/// Tolerations that say anything of PreferNoSchedule.
std::vector<k8s::Toleration> soft_tolerations(const Pod& pod) {
  std::vector<k8s::Toleration> soft;
  std::ranges::copy_if(pod.tolerations, std::back_inserter(soft), [](const k8s::Toleration& t) {
    return t.effect.empty() || t.effect == k8s::kPreferNoSchedule;
  });
  return soft;
}

/// The fewer PreferNoSchedule taints it does not tolerate, the better.
std::vector<std::int64_t> score(const Pod& pod, const Cluster& cluster, const NodeSet& feasible) {
  const std::vector<k8s::Toleration> tolerations = soft_tolerations(pod);
  std::vector<std::int64_t> untolerated(cluster.size());
  for (const TaintedNodes& tainted : cluster.taints()) {
    if (tainted.taint.effect != k8s::kPreferNoSchedule) continue;
    if (k8s::tolerated(tainted.taint, tolerations)) continue;
    tainted.nodes.each([&](std::size_t node) { ++untolerated[node]; });
  }
  return normalized(untolerated, feasible, Better::less);
}

}  // namespace

constinit const Plugin taint_toleration{
    .name = "TaintToleration", .filter = filter, .explain = explain, .score = score, .weight = 3};

}  // namespace cnsched::sim
