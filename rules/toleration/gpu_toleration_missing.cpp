#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/misfit.h"
#include "core/base/text.h"
#include "core/k8s/exclusion.h"
#include "core/k8s/label.h"
#include "core/k8s/managed_taint.h"
#include "core/kserve/knative_features.h"
#include "core/workloads/injected_placement.h"
#include "core/workloads/known_pools.h"
#include "core/workloads/pool_fit.h"
#include "core/workloads/toleration_change.h"
#include "core/yaml/tree.h"
#include "rules/engine/each.h"
#include "rules/kserve/mode_note.h"
#include "rules/kserve/tolerations.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"
#include "rules/toleration/value_trap.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule toleration_gpu_toleration_missing = {
    .id = "gpu-toleration-missing",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "the pod tolerates the taints of no known node with its accelerator",
    .why =
        "The pod stays Pending with 'untolerated taint', for the scheduler passes over nodes with "
        "a taint that the pod does not tolerate. Admission (ExtendedResourceToleration, on in "
        "GKE, EKS and AKS, off by default in Kubernetes itself) adds a toleration only for a "
        "taint named exactly like the resource that is asked for, with effect NoSchedule: not for "
        "sku=gpu or dedicated=…, not for NoExecute, and not for nvidia.com/gpu if the pod asks "
        "for a MIG slice or nvidia.com/gpu.shared.\n\n"
        "The rule looks at the nodes and node pools of the linted files, of those given by "
        "--cluster and of the configuration, as far as the pod's selector admits them; on those "
        "of GKE, EKS and AKS it counts what admission adds. It is silent where one of them may "
        "take the pod, or none is known, and where a RuntimeClass, a Kueue queue or a hardware "
        "profile of Open Data Hub may add the toleration.",
    .bad = R"(
apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata:
  name: gpu
  namespace: openshift-machine-api
spec:
  template:
    spec:
      providerSpec:
        value:
          instanceType: g6.4xlarge
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
    deploymentStrategy: {type: Recreate}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata:
  name: gpu
  namespace: openshift-machine-api
spec:
  template:
    spec:
      providerSpec:
        value:
          instanceType: g6.4xlarge
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
    deploymentStrategy: {type: Recreate}
    tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
    .fix = Safety::unsafe,
};

using accelerators::Vendor;
using k8s::Taint;
using k8s::Toleration;

namespace {

/// What the pod tolerates, and what it would if admission helped it.
struct Tolerated {
  std::vector<Toleration> by_itself;
  std::vector<Toleration> with_help;
  std::optional<bool> is_helped;  ///< unset: where the platform is known to

  const std::vector<Toleration>& on(const KnownPools::Pool& pool) const {
    return is_helped.value_or(pool.extended_resource_toleration) ? with_help : by_itself;
  }
};

/// A pool that the pod is led to, and what keeps the pod off its nodes.
struct Closed {
  const NodePool* pool = nullptr;
  std::vector<Taint> taints;
  std::string text;         ///< of the first
  bool is_only_one = true;  ///< of the pools whose first such taint is this
};

}  // namespace

/// Where each vendor's accelerator is asked for.
using Requests = std::map<Vendor, k8s::ResourceAmount>;

static Requests requests_of(const k8s::PodSpec& pod) {
  Requests requests;
  for (const k8s::Container& container : pod.all_containers()) {
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      const auto* resource = accelerators::find_resource(amount.name);
      if (resource != nullptr && amount.is_wanted()) requests.emplace(resource->vendor, amount);
    }
  }
  return requests;
}

/// Whether what the pool's labels tell of its accelerators rules out the one that is asked for: a
/// slice of a card that is not cut.
static bool lacks(const NodePool& pool, const k8s::ResourceAmount& request) {
  return std::ranges::any_of(pool.labels, [&](const k8s::Label& label) {
    const auto misfit = accelerators::misfit_with(k8s::requirement_of(label), request.name, 1);
    return misfit && !misfit->unless_shared;
  });
}

/// Whether nodes of a Karpenter pool get the labels that the pod selects: of those that are not
/// well known, only what the pool names.
static bool gives_labels(const NodePool& pool, const k8s::PodSpec& pod) {
  return std::ranges::all_of(pod.node_selector(), [&](const k8s::Label& label) {
    if (label.key == "karpenter.sh/nodepool") return label.value == pool.name;
    return label.key.find("kubernetes.io/") != std::string_view::npos ||
           label.key.starts_with("karpenter.") || label.key.starts_with("eks.amazonaws.com/") ||
           std::ranges::find(pool.labels, label.key, &k8s::Label::key) != pool.labels.end();
  });
}

static bool is_open_to(const std::vector<Toleration>& tolerations, const KnownPools::Pool& pool) {
  return std::ranges::all_of(
      pool.taints, [&](const Taint& taint) { return k8s::tolerated(taint, tolerations); });
}

/// The taints of the pool that these do not tolerate, one at least.
static Closed closed_to(const std::vector<Toleration>& tolerations, const KnownPools::Pool& pool) {
  Closed closed{pool.pool};
  for (const Taint& taint : pool.taints) {
    if (!k8s::tolerated(taint, tolerations)) closed.taints.push_back(taint);
  }
  const bool all = closed.taints.size() == pool.taints.size();
  closed.text = all ? pool.first_taint : to_string(closed.taints.front());
  return closed;
}

/// The pools with accelerators that the pod is led to, one for each taint, if it is shut out of all
/// of them; empty if one may take it.
static std::vector<Closed> closed_pools(const k8s::PodSpec& pod, const Requests& requests,
                                        const Tolerated& tolerated, const KnownPools& pools) {
  constexpr std::size_t kMost = 10;
  const NodeDemands demands(pod);
  for (const KnownPools::Pool& pool : pools.perhaps_with_accelerators()) {
    if (!is_open_to(tolerated.on(pool), pool)) continue;
    if (demands.fit(*pool.pool) != Fit::no && gives_labels(*pool.pool, pod)) return {};
  }
  std::vector<Closed> result;
  for (const KnownPools::Pool& pool : pools.with_accelerators()) {
    const auto request = requests.find(*pool.pool->vendor);
    if (request == requests.end()) continue;
    // What its labels tell of the accelerators takes longest: it is asked last.
    const auto offers_it = [&] { return !lacks(*pool.pool, request->second); };
    const std::vector<Toleration>& tolerations = tolerated.on(pool);
    if (is_open_to(tolerations, pool)) {
      if (demands.fit(*pool.pool) != Fit::no && offers_it()) return {};
      continue;
    }
    Closed closed = closed_to(tolerations, pool);
    const auto same = std::ranges::find(result, closed.text, &Closed::text);
    const bool is_told = same == result.end() ? result.size() == kMost : !same->is_only_one;
    const bool is_for_others = std::ranges::any_of(
        closed.taints, [](const Taint& taint) { return k8s::sets_nodes_aside(taint.key); });
    if (is_told || is_for_others) continue;
    if (demands.fit(*pool.pool) != Fit::yes || !offers_it()) continue;
    if (same == result.end()) {
      result.push_back(std::move(closed));
    } else {
      same->is_only_one = false;
    }
  }
  return result;
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
static bool is_told_elsewhere(const Workload& workload, const Taint& taint, const KnownPools& pools,
                              const Report& report) {
  const auto is_trap = [&](const Toleration& t) {
    return t.key == taint.key && tolerates_one_value(t) && !pools.carries(t.key, t.value);
  };
  const auto is_lost = [&](const k8s::Base& base) {
    return k8s::tolerated(taint, base.pod.tolerations());
  };
  return std::ranges::any_of(workload.pod.tolerations(), is_trap) ||
         std::ranges::any_of(workload.bases, is_lost) || differs_from_head(workload, taint, report);
}

/// What a list of tolerations is to be added to.
static std::string whole_of(const Workload& workload) {
  return workload.component.empty()
             ? fmt::format("{} '{}'", workload.object->kind, workload.object->name)
             : fmt::format("the {}", workload.component);
}

/// Whether tolerations are known to be refused there.
static bool refuses_tolerations(const Workload& workload, const Report& report) {
  if (!may_be_serverless(workload, report)) return false;
  const auto verdict = kserve::verdict_on(kserve::find_feature("kubernetes.podspec-tolerations"),
                                          report.facts().knative_features);
  return verdict.kind == kserve::FeatureVerdict::Kind::refuses;
}

static void add_fix(const Workload& workload, const std::vector<Closed>& closed,
                    const std::vector<Toleration>& remedies, const std::string& title,
                    Report& report, Report::Finding& finding) {
  if (closed.size() > 1) return;     // which of the nodes are meant is not known
  constexpr std::size_t kMost = 20;  // nobody lists more by hand
  if (inherited_tolerations(workload).size() + remedies.size() > kMost) return;
  if (!std::ranges::all_of(remedies, can_be_written)) return;
  if (refuses_tolerations(workload, report)) return;
  auto changes = changes_to_tolerate(workload, remedies, report.values());
  if (!changes.empty()) finding.fix(Safety::unsafe, title, std::move(changes));
}

static std::string help_with(const Workload& workload, const std::vector<std::string>& remedies) {
  if (!workload.own["tolerations"].is_empty())
    return fmt::format("add here {}", join_words(remedies));
  if (inherited_tolerations(workload).empty()) {
    return fmt::format("add to {} 'tolerations: [{}]'", whole_of(workload),
                       fmt::join(remedies, ", "));
  }
  return fmt::format(
      "repeat in {} the tolerations that it inherits, which a list of its own replaces, and add {}",
      whole_of(workload), join_words(remedies));
}

static void report_closed(const Workload& workload, const std::vector<Closed>& closed,
                          const k8s::ResourceAmount& request, bool may_be_helped, Report& report) {
  const std::vector<Taint>& taints = closed.front().taints;
  const yaml::Node& own = workload.own["tolerations"];
  auto finding = report.add_at_key(
      own.is_empty() ? *request.node : own,
      "every known node with '{}' has a taint that the pod does not tolerate, '{}'{}: without a "
      "toleration it stays Pending{}",
      request.name, to_string(taints.front()),
      taints.size() == 1 ? "" : fmt::format(" (and {} more)", taints.size() - 1),
      may_be_helped ? ", unless admission (ExtendedResourceToleration) adds it" : "");
  for (const Closed& c : closed) {
    finding.note(place_of_taint(c.taints.front()), "{} {} the taint '{}'", pool_called(*c.pool),
                 c.is_only_one ? "has" : "and others have", to_string(c.taints.front()));
  }
  std::vector<Toleration> remedies;
  std::vector<std::string> texts;
  for (const Taint& taint : taints) {
    const Toleration remedy = toleration_of(taint);
    std::string text = toleration_text(remedy);
    if (std::ranges::find(texts, text) != texts.end()) continue;
    remedies.push_back(remedy);
    texts.push_back(std::move(text));
  }
  const std::string help = help_with(workload, texts);
  finding.help("{}", help);
  add_fix(workload, closed, remedies, help, report, finding);
}

/// Whether it is known which pod will be there, and the scheduler is to find a node for it.
static bool can_be_judged(const Workload& workload) {
  if (workload.fragment || !workload.never_created.empty() || workload.is_incomplete())
    return false;
  if (workload.object->kind == "DaemonSet" || !workload.pod["nodeName"].is_empty()) return false;
  if (gets_placement_from_others(workload)) return false;
  return std::ranges::none_of(workload.pod.tolerations(), [](const Toleration& t) {
    return k8s::is_placeholder(t.key) || k8s::is_placeholder(t.value);
  });
}

static void check_pod(const Workload& workload, const KnownPools& pools, Report& report) {
  const Requests requests = requests_of(workload.pod);
  if (requests.empty() || !can_be_judged(workload)) return;
  Tolerated tolerated{workload.pod.tolerations(), added_by_admission(workload.pod),
                      report.facts().extended_resource_toleration};
  tolerated.with_help.insert(tolerated.with_help.end(), tolerated.by_itself.begin(),
                             tolerated.by_itself.end());

  const auto closed = closed_pools(workload.pod, requests, tolerated, pools);
  for (const Closed& c : closed) {
    if (is_told_elsewhere(workload, c.taints.front(), pools, report)) return;
  }
  if (closed.empty()) return;
  const bool is_open = !tolerated.is_helped;
  tolerated.is_helped = true;
  const bool may_be_helped =
      is_open && closed_pools(workload.pod, requests, tolerated, pools).empty();
  const k8s::ResourceAmount& request = requests.at(*closed.front().pool->vendor);
  report_closed(workload, closed, request, may_be_helped, report);
}

static void check(const Workspace& run, Report& report) {
  KnownPoolsOf known;
  each_linted_pod(run, report, [&](const Workload& workload) {
    check_pod(workload, known[report.facts()], report);
  });
}

}  // namespace cnsched::rules
