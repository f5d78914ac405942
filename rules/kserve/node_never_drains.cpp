#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/kserve/scale_to_zero.h"
#include "rules/kserve/node_keepers.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule kserve_node_never_drains = {
    .id = "node-never-drains",
    .severity = Severity::info,
    .summary = "a model server scales to zero, but something keeps its accelerator node up",
    .why =
        "The model server scales to zero, but its accelerator node stays, and is paid for, "
        "because another pod on it never goes: an autoscaler removes a node only when nothing on "
        "it has to stay. minReplicas: 0 takes away the pods of one component; unset it means 1, "
        "for transformers, explainers and InferenceGraphs as well.\n\n"
        "The rule looks, in the linted files and those given by --cluster, for pods without an "
        "accelerator that select the same nodes by a label, or that nothing keeps off a known "
        "node pool because it has no taint; for other services on those nodes whose minReplicas "
        "is not set; for Knative's HPA class, which turns 0 into 1; and for enable-scale-to-zero "
        "switched off. Jobs and DaemonSets do not count, nor do accelerator pods that are "
        "explicitly meant to stay. In raw (RawDeployment, Standard) mode zero needs KEDA.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
    serving.kserve.io/autoscalerClass: keda
spec:
  predictor:
    minReplicas: 0
    maxReplicas: 2
    autoScaling:
      metrics:
      - type: External
        external: {metric: {query: requests}, target: {type: Value, value: "5"}}
    nodeSelector:
      pool: gpu
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
  transformer:
    nodeSelector:
      pool: gpu
    containers:
    - name: kserve-container
      image: registry.example.com/transformer:1
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
    serving.kserve.io/autoscalerClass: keda
spec:
  predictor:
    minReplicas: 0
    maxReplicas: 2
    autoScaling:
      metrics:
      - type: External
        external: {metric: {query: requests}, target: {type: Value, value: "5"}}
    nodeSelector:
      pool: gpu
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
  transformer:
    nodeSelector:
      pool: cpu
    containers:
    - name: kserve-container
      image: registry.example.com/transformer:1
)",
    .source =
        "https://kserve.github.io/website/docs/model-serving/predictive-inference/autoscaling/"
        "kpa-autoscaler",
    .check = check,
};

using yaml::Node;

namespace {

/// One thing that keeps the node up.
struct Culprit {
  const Node* place = nullptr;
  std::string what;    ///< for the message
  std::string remark;  ///< for the note
  std::string remedy{};
  bool is_meant = false;          ///< its author said so: told beside others, no finding by itself
  const Workload* who = nullptr;  ///< if it is a pod
};

}  // namespace

/// Notes below one finding.
constexpr std::size_t kMostTold = 10;

static const Node& zero_of(const Workload& workload) {
  if (workload.fragment || !workload.never_created.empty()) return yaml::missing_node();
  if (!workload.pod.wants(accelerators::is_accelerator)) return yaml::missing_node();
  const k8s::Object& object = *workload.object;
  if (object.kind == "InferenceService" && workload.component != "worker") {
    return kserve::zero_of_component(object, *workload.written, workload.mode.mode);
  }
  const bool serves = object.kind == "LLMInferenceService" && workload.component == "template";
  return serves && object.group() == "serving.kserve.io" ? kserve::zero_of_llm(object)
                                                         : yaml::missing_node();
}

/// "the transformer", "Deployment 'web'", "the predictor of InferenceService 'search'".
static std::string called(const Workload& workload, const Workload& seen_from) {
  const std::string component = fmt::format("the {}", workload.component);
  if (workload.object == seen_from.object) return component;
  const std::string object = fmt::format("{} '{}'", workload.object->kind, workload.object->name);
  return workload.component.empty() ? object : fmt::format("{} of {}", component, object);
}

static bool has_min_replicas(const Workload& workload) {
  return workload.object->kind == "InferenceService" || workload.object->kind == "InferenceGraph";
}

/// What is written, or not, that there is always a pod of it.
static std::string told_by_author(const Workload& workload) {
  if (!has_min_replicas(workload)) return "";
  const Node& least = (*workload.written)["minReplicas"];
  return least.is_scalar() ? fmt::format("; its minReplicas is {}", least.text())
                           : "; its minReplicas is not set and means 1";
}

/// Whether the two can be on one node at all, by what their selectors say of equal keys.
static bool may_meet(const std::vector<k8s::Label>& a, const Workload& other) {
  return std::ranges::all_of(labels_of_nodes(other.pod), [&](const k8s::Label& label) {
    const auto same = std::ranges::find(a, label.key, &k8s::Label::key);
    return same == a.end() || same->value == label.value;
  });
}

/// Pods of one deployment that come and go together with the idle one.
static bool goes_with(const Workload& other, const Workload& idle) {
  return other.object == idle.object &&
         (other.component == idle.component || other.component.starts_with("canary") ||
          other.component.ends_with("worker"));
}

/// Whether a pod gets on a node of one of the pools; where none is known, it is taken to.
static bool gets_there(const Workload& workload, std::span<const NodePool* const> pools) {
  constexpr std::size_t kMost = 16;
  const auto tolerations = workload.pod.tolerations();
  const auto lets_in = [&](const NodePool* pool) {
    return std::ranges::all_of(repelling_taints(*pool, tolerations), [&](const k8s::Taint& taint) {
      return workload.pod.wants([&](std::string_view name) { return name == taint.key; });
    });
  };
  return pools.empty() || std::ranges::any_of(pools.first(std::min(pools.size(), kMost)), lets_in);
}

namespace {

/// All that has been found out about a run, for one configuration.
struct Known {
  NodeKeepers& keepers;
  const KnownPools& pools;
  /// Of pods that were asked about already: many may share their nodes with many idle ones.
  std::map<std::pair<const Workload*, const Node*>, bool> gets_there{};
};

}  // namespace

static bool gets_there(const Workload& other, const Node& pin, const k8s::Label& label,
                       Known& known) {
  const auto [found, is_new] = known.gets_there.try_emplace({&other, &pin}, false);
  if (is_new) found->second = gets_there(other, known.pools.labelled(label));
  return found->second;
}

/// The field by which the pod may go as well, with its value; "" if there is none: the router of a
/// graph goes on Knative only, a scheduler and a Deployment never.
static std::string_view way_to_zero(const Workload& workload, bool uses_device) {
  const std::string_view kind = workload.object->kind;
  if (kind == "InferenceService") return "minReplicas: 0";
  if (kind == "InferenceGraph") {
    const bool raw = workload.mode.mode == kserve::DeploymentMode::standard;
    return raw ? "" : "minReplicas: 0";
  }
  return kind == "LLMInferenceService" && uses_device ? "idleReplicaCount: 0" : "";
}

static std::string remedy_for(const Workload& other, const std::string& who, bool uses_device) {
  const std::string_view nodes = uses_device ? "other nodes" : "nodes without accelerators";
  const std::string_view way = way_to_zero(other, uses_device);
  return way.empty() ? fmt::format("select {} for {}", nodes, who)
                     : fmt::format("write '{}' for {} too, or select {} for it", way, who, nodes);
}

static Culprit pinned_culprit(const Workload& other, const Node& pin, const Workload& idle) {
  const bool uses_device = other.is_incomplete() || other.pod.wants(k8s::is_extended_resource);
  const bool unset =
      other.object->kind == "InferenceService" && !(*other.written)["minReplicas"].is_scalar();
  const std::string who = called(other, idle);
  return {&pin,
          fmt::format("stays up: {} selects the same nodes and always has a pod", who),
          fmt::format("this selects the same nodes for {}{}", who, told_by_author(other)),
          remedy_for(other, who, uses_device),
          uses_device && !unset && other.object != idle.object,
          &other};
}

/// Those that are not meant to stay come first.
static std::vector<Culprit> pinned_culprits(const Workload& idle, Known& known) {
  constexpr std::size_t kLookedAt = 200;  // thousands of pods may share a label
  std::vector<Culprit> culprits;
  std::vector<Culprit> meant;
  std::set<const Workload*> seen;
  const std::vector<k8s::Label> labels = labels_of_nodes(idle.pod);
  for (const k8s::Label& label : labels) {
    if (!stands_for_accelerators(label, known.pools)) continue;
    const auto& pinned = known.keepers.pinned_to(label);
    for (const auto& [other, pin] : std::span(pinned).first(std::min(pinned.size(), kLookedAt))) {
      if (culprits.size() == kMostTold) return culprits;
      if (goes_with(*other, idle) || !seen.insert(other).second) continue;
      if (!may_meet(labels, *other) || !gets_there(*other, *pin, label, known)) continue;
      Culprit culprit = pinned_culprit(*other, *pin, idle);
      (culprit.is_meant ? meant : culprits).push_back(std::move(culprit));
    }
  }
  std::ranges::move(meant, std::back_inserter(culprits));
  return culprits;
}

/// The known pools of the idle pod, at most a few; those without a taint first, then by name.
static std::vector<KnownPools::Pool> pools_of(const Workload& idle, const KnownPools& pools) {
  constexpr std::size_t kLookedAt = 16;
  const NodeDemands demands(idle.pod);
  std::set<accelerators::Vendor> vendors;
  (void)idle.pod.wants([&](std::string_view name) {
    const auto* resource = accelerators::find_resource(name);
    if (resource != nullptr) vendors.insert(resource->vendor);
    return false;
  });
  std::vector<KnownPools::Pool> its;
  for (const KnownPools::Pool& pool : pools.with_accelerators()) {
    if (its.size() == kLookedAt) break;
    if (!vendors.contains(*pool.pool->vendor)) continue;
    if (demands.fit(*pool.pool) == Fit::yes) its.push_back(pool);
  }
  return its;
}

/// The pool that is open to others, and who may come.
static std::vector<Culprit> strangers_of(const NodePool& pool, bool tainted, const Workload& idle,
                                         const std::vector<const Workload*>& strangers) {
  const std::string name = pool_called(pool);
  std::vector<Culprit> culprits;
  culprits.push_back(
      {pool.evidence,
       fmt::format("may stay up: {} may be put on {}, and always has a pod",
                   called(*strangers.front(), idle), name),
       tainted ? fmt::format("pods without accelerators tolerate the taints of {}", name)
               : fmt::format("no taint keeps pods without accelerators off {}", name),
       tainted ? "let only the pods with accelerators tolerate the taints of the nodes"
               : "taint the nodes, and let only the pods with accelerators tolerate it"});
  for (const Workload* stranger : strangers) {
    const Node& written = *stranger->written;
    const Node& name_node = (*stranger->object)["metadata"]["name"];
    const bool has_place = stranger->object == idle.object && written.key() != nullptr;
    culprits.push_back(
        {has_place ? written.key() : &name_node, "",
         fmt::format("{} may be put there{}", called(*stranger, idle), told_by_author(*stranger))});
  }
  return culprits;
}

/// Pods that may be put on the nodes because no taint keeps them away; not those that are reported.
static std::vector<Culprit> stranger_culprits(const Workload& idle, const Known& known,
                                              const std::vector<Culprit>& told) {
  for (const KnownPools::Pool& pool : pools_of(idle, known.pools)) {
    std::vector<const Workload*> strangers = known.keepers.strangers_on(*pool.pool);
    std::erase_if(strangers, [&](const Workload* stranger) {
      return std::ranges::find(told, stranger, &Culprit::who) != told.end();
    });
    if (strangers.empty()) continue;
    return strangers_of(*pool.pool, !pool.taints.empty(), idle, strangers);
  }
  return {};
}

/// The setting by which every KnativeServing of the run keeps idle pods, or a missing node: of
/// several clusters one that differs is enough to know nothing.
static const Node& zero_switched_off(const Workspace& run, const k8s::Object& asker) {
  const Node* off = &yaml::missing_node();
  for (const k8s::Object* serving :
       run.index().all("operator.knative.dev", "KnativeServing", "", asker)) {
    off = &kserve::zero_switched_off_in(*serving);
    if (!*off) break;
  }
  return *off;
}

/// What Knative is told by which no pod ever goes, or goes late.
static std::vector<Culprit> setting_culprits(const Workload& idle, const Workspace& run) {
  std::vector<Culprit> culprits;
  if (idle.mode.mode != kserve::DeploymentMode::knative) return culprits;
  const k8s::Object& object = *idle.object;
  if (object.kind != "InferenceService") return culprits;
  if (const Node& scaler = kserve::hpa_class_of(object, *idle.written)) {
    culprits.push_back({&scaler, "stays up: Knative's HPA class turns 0 into 1",
                        "this class never goes below 1",
                        "remove the annotation: Knative's own class scales to zero"});
  }
  if (const Node& off = zero_switched_off(run, object)) {
    culprits.push_back({&off, "stays up: this cluster's Knative does not scale to zero",
                        "it is switched off here",
                        "set enable-scale-to-zero to \"true\" in spec.config.autoscaler"});
  }
  for (const Node* hold : kserve::long_holds_of(object, *idle.written)) {
    culprits.push_back(
        {hold, "", fmt::format("an idle pod is held for {}", hold->text()), "", true});
  }
  return culprits;
}

static void report_idle(const Workload& idle, const std::vector<Culprit>& culprits,
                        Report& report) {
  const auto first = std::ranges::find(culprits, false, &Culprit::is_meant);
  if (first == culprits.end()) return;
  report.set_subject(idle.object, idle.component);
  const std::string who = idle.object->kind == "LLMInferenceService" ? "service" : idle.component;
  auto finding =
      report.add(zero_of(idle), "the {} scales to zero, but its node {}", who, first->what);
  for (const Culprit& culprit : std::span(culprits).first(std::min(culprits.size(), kMostTold))) {
    finding.note(*culprit.place, "{}", culprit.remark);
  }
  finding.help("{}", first->remedy);
}

static void check(const Workspace& run, Report& report) {
  NodeKeepers keepers(run);
  KnownPoolsOf pools;
  std::map<const ClusterFacts*, Known> known;  // one for each configuration
  for (const Workload& idle : run.workloads()) {
    if (!run.is_linted(*idle.object) || !zero_of(idle)) continue;
    const ClusterFacts& facts = run.facts(*idle.object);
    Known& about = known.try_emplace(&facts, Known{keepers, pools[facts]}).first->second;
    std::vector<Culprit> culprits = setting_culprits(idle, run);
    std::ranges::move(pinned_culprits(idle, about), std::back_inserter(culprits));
    std::ranges::move(stranger_culprits(idle, about, culprits), std::back_inserter(culprits));
    report_idle(idle, culprits, report);
  }
}

}  // namespace cnsched::rules
