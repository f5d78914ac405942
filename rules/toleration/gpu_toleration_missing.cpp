#include <algorithm>
#include <map>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/k8s/managed_taint.h"
#include "core/workloads/pool_fit.h"
#include "rules/kserve/tolerations.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"
#include "rules/toleration/value_trap.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_gpu_toleration_missing = {
    .id = "gpu-toleration-missing",
    .severity = Severity::warning,
    .summary = "every known node with the accelerator has a taint that the pod does not tolerate",
    .why =
        "The scheduler passes over nodes with an untolerated taint, and the pod stays Pending with "
        "'untolerated taint'. Admission (ExtendedResourceToleration, on in GKE, EKS and AKS, off "
        "by default elsewhere) adds a toleration only for a taint named exactly like the resource "
        "that is asked for, with effect NoSchedule: not for sku=gpu or dedicated=…, not for "
        "NoExecute, and not for nvidia.com/gpu if the pod asks for a MIG slice or "
        "nvidia.com/gpu.shared. Judged are the nodes and node pools of the run, of --cluster files "
        "and of the configuration, as far as the pod's selector leads there; where one of them may "
        "take the pod, or nothing is known of them, the rule is silent.",
    .bad = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
      taints:
      - {key: nvidia.com/gpu, value: "true", effect: NoSchedule}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
      taints:
      - {key: nvidia.com/gpu, value: "true", effect: NoSchedule}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
};

using accelerators::Vendor;
using k8s::Taint;
using k8s::Toleration;

/// A pool that the pod is led to, and what keeps the pod off its nodes.
struct Closed {
  const NodePool* pool = nullptr;
  std::vector<Taint> taints;
};

/// Where each vendor's accelerator is asked for.
using Requests = std::map<Vendor, k8s::ResourceAmount>;

static Requests requests_of(const k8s::PodSpec& pod) {
  Requests requests;
  for (const k8s::Container& container : pod.all_containers()) {
    for (const auto& amounts : {container.limits(), container.requests()}) {
      for (const k8s::ResourceAmount& amount : amounts) {
        const auto* resource = accelerators::find_resource(amount.name);
        if (resource != nullptr && amount.is_wanted()) requests.emplace(resource->vendor, amount);
      }
    }
  }
  return requests;
}

static bool is_for_others(const Taint& taint) {
  return k8s::is_control_plane_taint(taint.key) || taint.key.find("kaito.sh/") != taint.key.npos;
}

/// The pools with accelerators that the pod is led to, if it is shut out of all of them; empty if
/// one may take it.
static std::vector<Closed> closed_pools(const k8s::PodSpec& pod, const Requests& requests,
                                        const std::vector<Toleration>& tolerations,
                                        const ClusterFacts& facts) {
  const NodeDemands demands(pod);
  std::vector<Closed> closed;
  for (const NodePool& pool : facts.pools) {
    if (pool.vendor == nullptr || !requests.contains(*pool.vendor)) continue;
    const Fit fit = demands.fit(pool);
    if (fit == Fit::no) continue;
    std::vector<Taint> taints = repelling_taints(pool, tolerations);
    if (taints.empty()) return {};
    if (fit == Fit::yes && std::ranges::none_of(taints, is_for_others)) {
      closed.push_back({&pool, std::move(taints)});
    }
  }
  std::ranges::sort(closed, {}, [](const Closed& c) {
    return std::pair(taint_as_kubectl_writes(c.taints.front()), std::string_view(c.pool->name));
  });
  return closed;
}

/// The pod whose placement this one was expected to share: that it does not is told there.
static bool differs_from_head(const Workload& workload, const Taint& taint, const Report& report) {
  if (!workload.component.ends_with("worker") && workload.component != "prefill") return false;
  const auto pods = report.run().workloads_of(*workload.object);
  return std::ranges::any_of(
      pods, [&](const Workload* other) { return k8s::tolerated(taint, other->pod.tolerations()); });
}

/// Whether another rule tells why the pod does not tolerate the taint: its toleration has the wrong
/// value, or was lost in a merge.
static bool is_told_elsewhere(const Workload& workload, const Taint& taint, const Report& report) {
  const auto is_trap = [&](const Toleration& t) {
    return t.key == taint.key && tolerates_one_value(t) && !is_value_in_use(t, report.facts());
  };
  const auto is_lost = [&](const k8s::Base& base) {
    return k8s::tolerated(taint, base.pod.tolerations());
  };
  return std::ranges::any_of(workload.pod.tolerations(), is_trap) ||
         std::ranges::any_of(workload.bases, is_lost) || differs_from_head(workload, taint, report);
}

/// The toleration to write: of an accelerator's own taint whatever its value.
static std::string remedy_for(const Taint& taint) {
  const bool any_value = taint.value.empty() || accelerators::is_accelerator(taint.key);
  return toleration_text({taint.node, taint.key, any_value ? "Exists" : "Equal",
                          any_value ? std::string_view() : taint.value, taint.effect});
}

/// One note for each taint, at the first of the pools that carry it.
static void note_pools(const std::vector<Closed>& closed, Report::Finding& finding) {
  constexpr std::size_t kMost = 10;
  std::map<std::string, std::vector<const Closed*>> by_taint;
  for (const Closed& c : closed) by_taint[taint_as_kubectl_writes(c.taints.front())].push_back(&c);
  std::size_t noted = 0;
  for (const auto& [text, pools] : by_taint) {
    if (noted++ == kMost) return;
    const std::string who =
        pools.size() == 1 ? "has" : fmt::format("and {} more have", pools.size() - 1);
    finding.note(place_of_taint(pools.front()->taints.front()), "{} {} the taint '{}'",
                 pool_called(*pools.front()->pool), who, text);
  }
}

static void report_closed(const Workload& workload, const std::vector<Closed>& closed,
                          const k8s::ResourceAmount& request, bool may_be_helped, Report& report) {
  const std::vector<Taint>& taints = closed.front().taints;
  const yaml::Node& own = workload.own["tolerations"];
  auto finding = report.add_at_key(
      own.is_empty() ? *request.node : own,
      "no known node with {} takes the pod: it does not tolerate the taint '{}'{}", request.name,
      taint_as_kubectl_writes(taints.front()),
      may_be_helped ? ", unless the cluster runs ExtendedResourceToleration" : "");
  note_pools(closed, finding);
  std::vector<std::string> remedies;
  for (const Taint& taint : taints) remedies.push_back(remedy_for(taint));
  finding.help("add the toleration{} {}", remedies.size() == 1 ? "" : "s", join_words(remedies));
}

/// Whether it is known which pod will be there, and the scheduler is to find a node for it.
static bool can_be_judged(const Workload& workload) {
  if (workload.fragment || !workload.never_created.empty() || workload.is_incomplete())
    return false;
  if (workload.object->kind == "DaemonSet" || !workload.pod["nodeName"].is_empty()) return false;
  return std::ranges::none_of(workload.pod.tolerations(), [](const Toleration& t) {
    return k8s::is_placeholder(t.key) || k8s::is_placeholder(t.value);
  });
}

static void check(const Workload& workload, Report& report) {
  const Requests requests = requests_of(workload.pod);
  if (requests.empty() || !can_be_judged(workload)) return;
  const ClusterFacts& facts = report.facts();
  const std::vector<Toleration> written = workload.pod.tolerations();
  std::vector<Toleration> helped = added_by_admission(workload.pod);
  helped.insert(helped.end(), written.begin(), written.end());
  const bool is_helped = facts.extended_resource_toleration == true;

  const auto closed = closed_pools(workload.pod, requests, is_helped ? helped : written, facts);
  for (const Closed& c : closed) {
    if (is_told_elsewhere(workload, c.taints.front(), report)) return;
  }
  if (closed.empty()) return;
  const bool may_be_helped = facts.extended_resource_toleration != false &&
                             closed_pools(workload.pod, requests, helped, facts).empty();
  const k8s::ResourceAmount& request = requests.at(*closed.front().pool->vendor);
  report_closed(workload, closed, request, may_be_helped, report);
}

}  // namespace cnsched::rules
