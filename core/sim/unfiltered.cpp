// What is not a plugin of kube-scheduler: unknown facts about the pod and its creation.

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

void filter_unsupported(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  for (const std::string& unknown : pod.unfiltered) result.reject_perhaps(unknown, cluster.all());
  if (!pod.unknown_base.empty()) {
    result.reject_perhaps(fmt::format("{} is not in this run: it may add requirements to the pod",
                                      printable(pod.unknown_base)),
                          cluster.all());
  }
  const std::string scheduler = other_scheduler(pod, cluster);
  if (!scheduler.empty()) {
    result.reject_perhaps(
        fmt::format("the rules of {}, which places the pod, are unknown", scheduler),
        cluster.all());
  }
}

void filter_creation(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (!pod.not_created.reason.empty()) {
    result.explain(cluster.all(), Cause{.text = "the API server does not create the pod",
                                        .in_pod = pod.not_created.in_pod});
    result.reject_pod(Status::unresolvable, pod.not_created.event, cluster);
  }
  if (!pod.never_admitted.empty()) {
    result.reject_pod(Status::unresolvable,
                      "Kueue never admits the pod: " + printable(pod.never_admitted), cluster);
  }
  for (const std::string& unknown : pod.creation_unknown) {
    result.reject_perhaps(unknown, cluster.all());
  }
}

}  // namespace

/// Not a plugin of kube-scheduler: it is unknown whether the pod is created.
constinit const Plugin creation{.name = "", .filter = filter_creation};
constinit const Plugin unfiltered{.name = "", .filter = filter_unsupported};

}  // namespace cnsched::sim
