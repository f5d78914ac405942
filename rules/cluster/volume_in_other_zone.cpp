#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/sim/simulation.h"
#include "rules/rule.h"

namespace cnsched::rules::volume_in_other_zone {

/// The cause that says where the volume is.
static const sim::Cause* cause_in(const std::vector<sim::Cause>& causes) {
  const auto found = std::ranges::find_if(causes, [](const sim::Cause& cause) {
    return cause.plugin == &sim::volume_binding || cause.plugin == &sim::volume_zone;
  });
  return found == causes.end() ? nullptr : &*found;
}

static void report_volume(const sim::Simulated& simulated, const sim::NodeSet& nodes,
                          Findings& findings) {
  const sim::Cluster& cluster = *simulated.cluster;
  std::optional<std::size_t> first;
  nodes.each([&](std::size_t node) { first = first.value_or(node); });
  const std::vector<sim::Cause> causes = sim::causes_on(*first, simulated.pod, cluster);
  const sim::Cause* cause = cause_in(causes);
  if (cause == nullptr) return;
  findings.set_subject(*simulated.workload);
  const yaml::Node& name = (*simulated.workload->object)["metadata"]["name"];
  const yaml::Node& where = cause->in_pod != nullptr ? *cause->in_pod : name;
  const facts::NodePool& node = cluster.node(*first);
  auto finding = findings.add(
      where, "no node that the pod may use can mount its volume: kube-scheduler leaves it Pending");
  const yaml::Node* place = node.object == nullptr ? nullptr : &node.object->labels();
  if (place != nullptr && *place) {
    finding.note(*place, "{} '{}': {}", nodes.count() == 1 ? "node" : "the first of these nodes,",
                 node.name, cause->text);
  }
  finding.help(
      "move the model to a volume where the selected nodes are, or select nodes where the volume "
      "is");
}

static void check(const ClusterScope& scope, Findings& findings) {
  const sim::Simulation simulation(
      scope.workspace(), {.without_nodes = false,
                          .view = sim::Cluster::View::lasting,
                          .is_simulated = [&](const Workload& workload) {
                            return workload.scope == &scope &&
                                   !workload.pod["volumes"].is_empty() &&
                                   (workload.has_placement_constraint() ||
                                    workload.pod.requests_resource(k8s::is_extended_resource));
                          }});
  for (const sim::Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis || !simulated.diagnosis->fits_nowhere()) continue;
    const sim::NodeSet nodes = sim::rejected_only_for_volumes(*simulated.diagnosis);
    if (!nodes.empty()) report_volume(simulated, nodes, findings);
  }
}

extern constinit const Rule rule = {
    .id = "volume-in-other-zone",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::volume_in_other_zone
