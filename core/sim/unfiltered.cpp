// What kube-scheduler has plugins for and this program has not: VolumeRestrictions,
// NodeVolumeLimits, VolumeBinding, VolumeZone, DynamicResources. Of pods that use them nobody is
// told that they fit.

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/plugins.h"

namespace cnsched::sim {

namespace {

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  for (const std::string& doubt : pod.unfiltered) objections.add_unknown(doubt, cluster.all());
  if (!pod.lacks.empty()) {
    objections.add_unknown(
        fmt::format("{} is not in this run: the pod may ask for more", printable(pod.lacks)),
        cluster.all());
  }
  if (!pod.scheduler.empty()) {
    objections.add_unknown(
        fmt::format("scheduler '{}' has rules of its own", printable(pod.scheduler)),
        cluster.all());
  }
}

}  // namespace

constinit const Plugin unfiltered{.name = "", .filter = filter};

}  // namespace cnsched::sim
