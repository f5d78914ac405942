#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/k8s/label.h"
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

/// A running Pod of another workload that mounts the claim; null if there is none.
static const k8s::Object* user_of(const sim::Claim& claim, const Workload& workload) {
  const std::vector<k8s::Label> own = k8s::labels_in(*workload.labels);
  for (const k8s::Object* pod : workload.scope->facts(*workload.object).bound_pods) {
    if (pod->ns != claim.object->ns || has_ended(*pod)) continue;
    const bool is_own = !own.empty() && std::ranges::all_of(own, [&](const k8s::Label& label) {
      return pod->labels().under(label.key).text() == label.value;
    });
    if (is_own || !workload.scope->is_fact(*pod)) continue;
    for (const yaml::Node* volume : pod->spec()["volumes"].items()) {
      if ((*volume)["persistentVolumeClaim"]["claimName"].text() == claim.name()) return pod;
    }
  }
  return nullptr;
}

/// Reports a claim of one node that a running Pod uses on a node which rejects the pod.
static void check_use(const sim::Simulated& simulated, Findings& findings) {
  const sim::Cluster& cluster = *simulated.cluster;
  for (const sim::PodVolume& volume : simulated.pod.volumes) {
    if (volume.kind != sim::PodVolume::Kind::claim) continue;
    const sim::Claim claim = cluster.storage().claim_of(volume, simulated.pod, cluster);
    if (!claim.is_given() || !claim.has_access_mode("ReadWriteOnce")) continue;
    if (claim.spec()["accessModes"].items().size() != 1) continue;
    const k8s::Object* user = user_of(claim, *simulated.workload);
    if (user == nullptr) continue;
    const std::string_view name = user->spec()["nodeName"].text();
    const auto node = cluster.find(name);
    if (!node || simulated.diagnosis->fits(*node) != Truth::no) continue;
    findings.set_subject(*simulated.workload);
    findings
        .add(*volume.node,
             "{} has access mode ReadWriteOnce and Pod '{}' mounts it on node '{}', which the pod "
             "cannot use: it waits until that Pod ends",
             claim.text(), user->name, name)
        .severity(Severity::warning)
        .note((*user)["metadata"]["name"], "this Pod mounts the claim")
        .help("select that node, end the Pod, or use a volume with access mode ReadWriteMany");
  }
}

/// Reports a LocalModelNodeGroup whose claims never bind. KServe creates each claim for a volume of
/// its own, and Kubernetes binds them only if their classes are equal [K101]. Without a class, the
/// claim gets that of the cluster.
static void check_group(const k8s::Object& group, Findings& findings) {
  const yaml::Node& claim = group.spec()["persistentVolumeClaimSpec"]["storageClassName"];
  const yaml::Node& spec = group.spec()["persistentVolumeSpec"];
  const yaml::Node& volume = spec["storageClassName"];
  const bool is_open = k8s::is_placeholder(claim.text()) || k8s::is_placeholder(volume.text());
  if (!claim.is_scalar() || !spec.is_mapping() || is_open || claim.text() == volume.text()) return;
  findings.set_subject(&group);
  findings
      .add(claim,
           "the claims of the group never bind to its volumes, so the pods that mount them stay "
           "Pending: storageClassName is '{}' here, and '{}' in persistentVolumeSpec",
           claim.text(), volume.text())
      .note(volume ? volume : spec, "the class of the volumes")
      .help("write the same storageClassName in both");
}

static void check(const ClusterScope& scope, Findings& findings) {
  for (const k8s::Object& object : scope.objects()) {
    const bool is_checked = object.is("serving.kserve.io", "LocalModelNodeGroup") &&
                            scope.is_linted(object) && !scope.is_patch(object);
    if (is_checked) check_group(object, findings);
  }
  const auto is_checked = [&](const Workload& workload) {
    return workload.scope == &scope && !workload.pod["volumes"].is_empty() &&
           (workload.has_placement_constraint() ||
            workload.pod.requests_resource(k8s::is_extended_resource));
  };
  if (std::ranges::none_of(scope.workloads(), is_checked)) return;
  const sim::Simulation simulation(
      scope.workspace(),
      {.without_nodes = false, .view = sim::Cluster::View::lasting, .is_simulated = is_checked});
  for (const sim::Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis) continue;
    check_use(simulated, findings);
    if (!simulated.diagnosis->fits_nowhere()) continue;
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
