// Who makes groups: KServe, of an LLMInferenceService with workers, a LeaderWorkerSet (pkg/
// controller/v1alpha2/llmisvc/workload_multi_node.go), and of an InferenceService with a workerSpec
// two Deployments (pkg/controller/v1beta1/inferenceservice/reconcilers/deployment). For both,
// kube-scheduler places the pods one by one; LeaderWorkerSet uses gang scheduling only with a
// scheduler provider in its configuration. Pods that name a PodGroup in `spec.schedulingGroup` are
// placed together with the feature gate GangScheduling. Source:
// pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go [1.36].

#include "core/sim/gang.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

std::int64_t replicas_in(const Simulated& simulated) {
  return std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 0);
}

/// The component of the leader in whose groups the workers are; empty if the pods are no workers.
std::string_view leader_of(const Workload& worker) {
  if (worker.object->kind == "LLMInferenceService") {
    if (worker.component == "worker") return "template";
    if (worker.component == "prefill worker") return "prefill";
  }
  const bool is_multi_node = worker.object->kind == "InferenceService";
  return is_multi_node && worker.component == "worker" ? "predictor" : "";
}

/// The number of groups if the workers have no separate leader.
std::int64_t groups_in(const Workload& worker) {
  const yaml::Node& spec = worker.object->spec();
  const yaml::Node& section = worker.component == "worker" ? spec : spec["prefill"];
  return std::max<std::int64_t>(yaml::integer_of(section["replicas"]).value_or(1), 1);
}

class GangCollector {
 public:
  explicit GangCollector(const Simulation& simulation) : simulation_(simulation) {}

  std::vector<Gang> result() && {
    for (std::size_t i = 0; i < all().size(); ++i) {
      if (all()[i].diagnosis) add(i);
    }
    for (auto& [key, gang] : of_pod_groups_) finish(gang);
    std::ranges::stable_sort(gangs_, {},
                             [](const Gang& gang) { return gang.members.front().workload; });
    return std::move(gangs_);
  }

 private:
  const std::vector<Simulated>& all() const { return simulation_.workloads(); }

  void add(std::size_t i) {
    const Simulated& simulated = all()[i];
    if (const std::string_view leader = leader_of(*simulated.workload); !leader.empty()) {
      return add_workers(i, leader);
    }
    const std::string_view name = simulated.pod.spec["schedulingGroup"]["podGroupName"].text();
    if (name.empty()) return;
    Gang& gang = of_pod_groups_[{simulated.cluster, simulated.pod.ns.key(), name}];
    gang.pod_group = name;
    gang.members.push_back({i, replicas_in(simulated)});
  }

  void add_workers(std::size_t i, std::string_view leader_component) {
    const Workload& worker = *all()[i].workload;
    const auto leader = std::ranges::find_if(all(), [&](const Simulated& other) {
      return other.diagnosis && other.workload->object == worker.object &&
             other.workload->scope == worker.scope && other.workload->component == leader_component;
    });
    const std::int64_t workers = replicas_in(all()[i]);
    Gang gang;
    if (leader == all().end()) {
      gang.groups = groups_in(worker);
      gang.members = {{i, workers / gang.groups}};
    } else {
      const std::int64_t leaders = replicas_in(*leader);
      // Of an InferenceService, all pods are one group.
      gang.groups = leader_component == "predictor" ? 1 : std::max<std::int64_t>(leaders, 1);
      gang.members = {{static_cast<std::size_t>(leader - all().begin()), leaders / gang.groups},
                      {i, workers / gang.groups}};
    }
    gang.least = gang.pods();
    for (const yaml::Node* annotations : {worker.annotations, &worker.object->annotations()}) {
      const std::string_view topology =
          (*annotations)["leaderworkerset.sigs.k8s.io/exclusive-topology"].text();
      if (!topology.empty()) gang.exclusive_topology = topology;
    }
    if (gang.least > 1) gangs_.push_back(std::move(gang));
  }

  /// Takes the least number of pods from the PodGroup, if it has one.
  void finish(Gang& gang) {
    const Simulated& first = all()[gang.members.front().workload];
    const auto& objects = first.cluster->objects(k8s::SchedulingKind::pod_group);
    const auto found = std::ranges::find_if(objects, [&](const k8s::Object* object) {
      return object->name == gang.pod_group && object->ns.meets(first.pod.ns);
    });
    if (found == objects.end()) return;
    const yaml::Node& policy = (**found).spec()["schedulingPolicy"]["gang"];
    gang.least = yaml::integer_of(policy["minCount"]).value_or(0);
    if (gang.least > 0) gangs_.push_back(std::move(gang));
  }

  const Simulation& simulation_;
  std::vector<Gang> gangs_;
  std::map<std::tuple<const Cluster*, std::string, std::string_view>, Gang> of_pod_groups_;
};

}  // namespace

std::int64_t Gang::pods() const {
  return std::accumulate(members.begin(), members.end(), std::int64_t{0},
                         [](std::int64_t sum, const Member& member) { return sum + member.pods; });
}

std::string Gang::name(std::int64_t group) const {
  if (!pod_group.empty()) return fmt::format("PodGroup '{}'", printable(pod_group));
  return groups == 1 ? "the group" : fmt::format("group {} of {}", group + 1, groups);
}

std::string Gang::note(bool is_complete) const {
  if (!exclusive_topology.empty()) {
    return fmt::format("that each group is alone in a domain of '{}' is not simulated",
                       printable(exclusive_topology));
  }
  if (is_complete) return {};
  return pod_group.empty()
             ? "kube-scheduler places the pods of a group one by one: those that find a node keep "
               "it, although an incomplete group serves nothing"
             : "kube-scheduler places the pods of a PodGroup all or nothing only with the feature "
               "gate GangScheduling; without it, those that find a node keep it";
}

std::vector<Gang> gangs_of(const Simulation& simulation) {
  return GangCollector(simulation).result();
}

}  // namespace cnsched::sim
