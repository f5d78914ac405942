#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/kserve/replicas.h"
#include "core/workspace/cluster_scope.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::node_never_drains {

using yaml::Node;

namespace {

/// The labels that every node of the pod has: those of nodeSelector, and of a single required term.
std::vector<k8s::Label> labels_of_nodes(const k8s::PodSpec& pod) {
  std::vector<k8s::Label> labels = pod.node_selector();
  const auto terms = pod.required_terms();
  if (terms.size() != 1) return labels;
  for (const k8s::Requirement& r : terms.front().expressions) {
    if (r.op != "In" || r.values.size() != 1) continue;
    labels.push_back({r.key, r.values.front()->text(), r.values.front()});
  }
  return labels;
}

/// Pods that always run, by the labels of the nodes that they select.
class PermanentPods {
 public:
  explicit PermanentPods(const ClusterScope& scope) {
    for (const Workload& workload : scope.workloads()) {
      if (is_permanent(workload)) all_.push_back(&workload);
    }
    std::ranges::stable_sort(all_, {}, [](const Workload* w) {
      return std::tuple(w->object->name, w->object->kind, w->object->ns.name,
                        std::string_view(w->component));
    });
    for (const Workload* workload : all_) {
      const bool uses_device =
          workload->is_incomplete() || workload->pod.requests_resource(k8s::is_extended_resource);
      if (!uses_device) without_device_.push_back(workload);
      for (const k8s::Label& label : labels_of_nodes(workload->pod)) {
        pinned_[{label.key, label.value}].push_back({workload, label.node});
      }
    }
  }

  /// A pod, and the value of the label that selects its nodes.
  struct Pinned {
    const Workload* workload = nullptr;
    const yaml::Node* pin = nullptr;
  };

  /// Sorted by name.
  const std::vector<Pinned>& pinned_to(const k8s::Label& label) const {
    static const std::vector<Pinned> kNone;
    const auto found = pinned_.find({label.key, label.value});
    return found == pinned_.end() ? kNone : found->second;
  }
  /// The first few pods, by name, that request no accelerator and may run on the pool.
  const std::vector<const Workload*>& unpinned_pods_on(const facts::NodePool& pool) {
    constexpr std::size_t kMaxPods = 3;
    constexpr std::size_t kMaxPools = 256;  // each is compared with every pod
    const auto [found, is_new] = unpinned_.try_emplace(&pool);
    if (!is_new || unpinned_.size() > kMaxPools) return found->second;
    for (const Workload* workload : without_device_) {
      if (found->second.size() == kMaxPods) break;
      if (may_run_on(*workload, pool)) found->second.push_back(workload);
    }
    return found->second;
  }

 private:
  /// Jobs and pods that are not restarted end, and an autoscaler ignores DaemonSets.
  static bool is_permanent(const Workload& workload) {
    const std::string_view restart = workload.pod["restartPolicy"].text();
    if (workload.object->kind == "Pod" && !restart.empty() && restart != "Always") return false;
    return !workload.fragment && workload.is_built() && workload.replicas.value_or(0) > 0 &&
           !is_one_of(workload.object->kind, {"DaemonSet", "Job", "CronJob"});
  }
  static bool may_run_on(const Workload& workload, const facts::NodePool& pool) {
    return repelling_taints(pool, workload.pod.tolerations()).empty() &&
           pool.meets(k8s::NodeRequirements(workload.pod)) == Truth::yes;
  }

  using Pair = std::pair<std::string_view, std::string_view>;
  std::vector<const Workload*> all_;
  std::vector<const Workload*> without_device_;
  std::map<Pair, std::vector<Pinned>> pinned_;
  std::map<const facts::NodePool*, std::vector<const Workload*>> unpinned_;
};

/// Whether `text` contains the word without a letter next to it.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// Whether a label that an accelerator pod selects marks nodes with accelerators, not a zone, an
/// architecture or a team.
bool marks_accelerators(const k8s::Label& label, const facts::KnownPools& pools) {
  if (label.key == "kubernetes.io/hostname") return true;
  if (accelerators::indicates_accelerator(label.key, label.value)) return true;
  if (label.key.ends_with("kubernetes.io/instance-type")) {
    return accelerators::vendor_of_instance_type(label.value) != nullptr;
  }
  const auto labelled = pools.labelled(label);
  if (!labelled.empty()) {
    return std::ranges::all_of(labelled,
                               [](const facts::NodePool* p) { return p->vendor != nullptr; });
  }
  if (is_one_of(label.value, {"false", "no", "none", "0"})) return false;
  const std::string key = lower(label.key);
  const std::string_view name = std::string_view(key).substr(key.rfind('/') + 1);
  if (is_one_of(name, {"cluster", "cluster-name", "environment", "env", "region", "zone", "tenant",
                       "namespace"}))
    return false;
  const std::string text = key + " " + lower(label.value);
  return has_word(text, "gpu") && text.find("no-gpu") == std::string::npos &&
         text.find("non-gpu") == std::string::npos;
}

/// One reason why the node keeps running.
struct Blocker {
  const Node* place = nullptr;
  std::string what;    ///< for the message
  std::string remark;  ///< for the note
  std::string remedy{};
  bool is_intended = false;       ///< the author intends it: only a note of other findings
  const Workload* pod = nullptr;  ///< if it is a pod
};

}  // namespace

/// Notes of one finding, at most.
constexpr std::size_t kMaxNotes = 10;

static const Node& zero_of(const Workload& workload) {
  if (!workload.pod.requests_resource(accelerators::is_accelerator)) return yaml::missing_node();
  const k8s::Object& object = *workload.object;
  if (object.kind == "InferenceService" && workload.component != "worker") {
    return kserve::zero_min_replicas_of(object, *workload.written, workload.mode.mode);
  }
  const bool serves = object.kind == "LLMInferenceService" && workload.component == "template";
  return serves && object.group() == "serving.kserve.io" ? kserve::zero_idle_replicas_of(object)
                                                         : yaml::missing_node();
}

/// "the transformer", "Deployment 'web'", "the predictor of InferenceService 'search'".
static std::string called(const Workload& workload, const Workload& idle) {
  const std::string component = fmt::format("the {}", workload.component);
  if (workload.object == idle.object) return component;
  const std::string object = fmt::format("{} '{}'", workload.object->kind, workload.object->name);
  return workload.component.empty() ? object : fmt::format("{} of {}", component, object);
}

static bool has_min_replicas(const Workload& workload) {
  return workload.object->kind == "InferenceService" || workload.object->kind == "InferenceGraph";
}

/// Why a pod of the workload always runs, as the end of a note.
static std::string replicas_text(const Workload& workload) {
  if (!has_min_replicas(workload)) return "";
  const Node& least = (*workload.written)["minReplicas"];
  return least.is_scalar() ? fmt::format("; its minReplicas is {}", least.text())
                           : "; its minReplicas is not set and defaults to 1";
}

/// Whether the selectors of the two pods allow one node.
static bool may_share_node(const std::vector<k8s::Label>& a, const Workload& other) {
  return std::ranges::all_of(labels_of_nodes(other.pod), [&](const k8s::Label& label) {
    const auto same = std::ranges::find(a, label.key, &k8s::Label::key);
    return same == a.end() || same->value == label.value;
  });
}

/// Whether the pod scales together with the idle one.
static bool scales_with(const Workload& other, const Workload& idle) {
  return other.object == idle.object &&
         (other.component == idle.component || other.component.starts_with("canary") ||
          other.component.ends_with("worker"));
}

/// Whether a pod may run on a node of one of the pools; true if no pool is known.
static bool may_run_there(const Workload& workload, std::span<const facts::NodePool* const> pools) {
  constexpr std::size_t kMaxPools = 16;
  const auto tolerations = workload.pod.tolerations();
  const auto accepts = [&](const facts::NodePool* pool) {
    return std::ranges::all_of(repelling_taints(*pool, tolerations), [&](const k8s::Taint& taint) {
      return workload.pod.requests_resource(
          [&](std::string_view name) { return name == taint.key; });
    });
  };
  return pools.empty() ||
         std::ranges::any_of(pools.first(std::min(pools.size(), kMaxPools)), accepts);
}

namespace {

/// Facts about the workspace, for one configuration.
struct Known {
  PermanentPods& permanent;
  const facts::KnownPools& pools;
  /// Cached results: many pods may share nodes with many idle ones.
  std::map<std::pair<const Workload*, const Node*>, bool> may_run_there{};
};

}  // namespace

static bool may_run_there(const Workload& other, const Node& pin, const k8s::Label& label,
                          Known& known) {
  const auto [found, is_new] = known.may_run_there.try_emplace({&other, &pin}, false);
  if (is_new) found->second = may_run_there(other, known.pools.labelled(label));
  return found->second;
}

/// The setting with which the pod scales to zero too; "" if there is none: the router of a graph
/// scales to zero only on Knative, a scheduler and a Deployment never do.
static std::string_view zero_setting(const Workload& workload, bool uses_device) {
  const std::string_view kind = workload.object->kind;
  if (kind == "InferenceService") return "minReplicas: 0";
  if (kind == "InferenceGraph") {
    const bool raw = workload.mode.mode == kserve::DeploymentMode::standard;
    return raw ? "" : "minReplicas: 0";
  }
  return kind == "LLMInferenceService" && uses_device ? "idleReplicaCount: 0" : "";
}

static std::string remedy_for(const Workload& other, const std::string& subject, bool uses_device) {
  const std::string_view nodes = uses_device ? "other nodes" : "nodes without accelerators";
  const std::string_view setting = zero_setting(other, uses_device);
  return setting.empty() ? fmt::format("give {} a node selector for {}", subject, nodes)
                         : fmt::format("set '{}' for {} too, or give it a node selector for {}",
                                       setting, subject, nodes);
}

static Blocker pinned_blocker(const Workload& other, const Node& pin, const Workload& idle) {
  const bool uses_device =
      other.is_incomplete() || other.pod.requests_resource(k8s::is_extended_resource);
  const bool unset =
      other.object->kind == "InferenceService" && !(*other.written)["minReplicas"].is_scalar();
  const std::string subject = called(other, idle);
  return {
      &pin,
      fmt::format(
          "the autoscaler cannot remove its node: {} selects the same nodes and always has a pod",
          subject),
      fmt::format("{} selects the same nodes here{}", subject, replicas_text(other)),
      remedy_for(other, subject, uses_device),
      uses_device && !unset && other.object != idle.object,
      &other};
}

/// Unintended ones come first.
static std::vector<Blocker> pinned_blockers(const Workload& idle, Known& known) {
  constexpr std::size_t kMaxCompared = 200;  // thousands of pods may have one label
  std::vector<Blocker> blockers;
  std::vector<Blocker> intended;
  std::set<const Workload*> seen;
  const std::vector<k8s::Label> labels = labels_of_nodes(idle.pod);
  for (const k8s::Label& label : labels) {
    if (!marks_accelerators(label, known.pools)) continue;
    const auto& pinned = known.permanent.pinned_to(label);
    for (const auto& [other, pin] :
         std::span(pinned).first(std::min(pinned.size(), kMaxCompared))) {
      if (blockers.size() == kMaxNotes) return blockers;
      if (scales_with(*other, idle) || !seen.insert(other).second) continue;
      if (!may_share_node(labels, *other) || !may_run_there(*other, *pin, label, known)) continue;
      Blocker blocker = pinned_blocker(*other, *pin, idle);
      (blocker.is_intended ? intended : blockers).push_back(std::move(blocker));
    }
  }
  std::ranges::move(intended, std::back_inserter(blockers));
  return blockers;
}

/// The known pools that the idle pod may run on, at most 16; those without a taint first, then by
/// name.
static std::vector<facts::KnownPools::Pool> pools_of(const Workload& idle,
                                                     const facts::KnownPools& pools) {
  constexpr std::size_t kMaxCompared = 16;
  const k8s::NodeRequirements required(idle.pod);
  std::set<accelerators::Vendor> vendors;
  (void)idle.pod.requests_resource([&](std::string_view name) {
    const auto* resource = accelerators::find_resource(name);
    if (resource != nullptr) vendors.insert(resource->vendor);
    return false;
  });
  std::vector<facts::KnownPools::Pool> matching;
  for (const facts::KnownPools::Pool& pool : pools.with_accelerators()) {
    if (matching.size() == kMaxCompared) break;
    if (!vendors.contains(*pool.pool->vendor)) continue;
    if (pool.pool->meets(required) == Truth::yes) matching.push_back(pool);
  }
  return matching;
}

/// The pool without a sufficient taint, and the pods that may run on it.
static std::vector<Blocker> blockers_on(const facts::NodePool& pool, bool tainted,
                                        const Workload& idle,
                                        const std::vector<const Workload*>& unpinned) {
  const std::string name = pool_called(pool);
  std::vector<Blocker> blockers;
  blockers.push_back(
      {pool.evidence,
       fmt::format(
           "the autoscaler may be unable to remove its node: {} may run on {} and always has a pod",
           called(*unpinned.front(), idle), name),
       tainted ? fmt::format("pods without accelerators tolerate the taints of {}", name)
               : fmt::format("no taint keeps pods without accelerators away from {}", name),
       tainted ? "tolerate the taints of the nodes only in pods with accelerators"
               : "add a taint to the nodes, and tolerate it only in pods with accelerators"});
  for (const Workload* other : unpinned) {
    const Node& written = *other->written;
    const Node& name_node = (*other->object)["metadata"]["name"];
    const bool has_place = other->object == idle.object && written.key() != nullptr;
    blockers.push_back(
        {has_place ? written.key() : &name_node, "",
         fmt::format("{} may run there{}", called(*other, idle), replicas_text(*other))});
  }
  return blockers;
}

/// Pods that may run on the nodes because no taint prevents it; without those already reported.
static std::vector<Blocker> unpinned_blockers(const Workload& idle, const Known& known,
                                              const std::vector<Blocker>& reported) {
  for (const facts::KnownPools::Pool& pool : pools_of(idle, known.pools)) {
    std::vector<const Workload*> unpinned = known.permanent.unpinned_pods_on(*pool.pool);
    std::erase_if(unpinned, [&](const Workload* other) {
      return std::ranges::find(reported, other, &Blocker::pod) != reported.end();
    });
    if (unpinned.empty()) continue;
    return blockers_on(*pool.pool, !pool.taints.empty(), idle, unpinned);
  }
  return {};
}

/// The setting with which every KnativeServing of the files keeps idle pods; a missing node if one
/// of them does not.
static const Node& scale_to_zero_disabled(const ClusterScope& scope, const k8s::Object& user) {
  const Node* off = &yaml::missing_node();
  for (const k8s::Object* serving :
       scope.index().all("operator.knative.dev", "KnativeServing", std::nullopt, user)) {
    off = &kserve::disabled_scale_to_zero_in(*serving);
    if (!*off) break;
  }
  return *off;
}

/// Settings of Knative that prevent or delay scaling to zero.
static std::vector<Blocker> setting_blockers(const Workload& idle, const ClusterScope& scope) {
  std::vector<Blocker> blockers;
  if (idle.mode.mode != kserve::DeploymentMode::knative) return blockers;
  const k8s::Object& object = *idle.object;
  if (object.kind != "InferenceService") return blockers;
  if (const Node& scaler = kserve::hpa_class_of(object, *idle.written)) {
    blockers.push_back({&scaler, "Knative's HPA class raises 0 to 1, so its node keeps running",
                        "this class does not scale below 1",
                        "remove the annotation: Knative's default class scales to zero"});
  }
  if (const Node& off = scale_to_zero_disabled(scope, object)) {
    blockers.push_back({&off,
                        "Knative in this cluster does not scale to zero, so its node keeps running",
                        "scaling to zero is off here",
                        "set 'enable-scale-to-zero: \"true\"' in spec.config.autoscaler"});
  }
  for (const Node* hold : kserve::long_retentions_of(object, *idle.written)) {
    blockers.push_back(
        {hold, "", fmt::format("Knative keeps an idle pod for {}", hold->text()), "", true});
  }
  return blockers;
}

static void report_idle(const Workload& idle, const std::vector<Blocker>& blockers,
                        Findings& findings) {
  const auto first = std::ranges::find(blockers, false, &Blocker::is_intended);
  if (first == blockers.end()) return;
  const std::string subject =
      idle.object->kind == "LLMInferenceService" ? "service" : idle.component;
  auto finding =
      findings.add(zero_of(idle), "the {} is set to scale to zero, but {}", subject, first->what);
  for (const Blocker& blocker : std::span(blockers).first(std::min(blockers.size(), kMaxNotes))) {
    finding.note(*blocker.place, "{}", blocker.remark);
  }
  finding.help("{}", first->remedy);
}

static void check(const ClusterScope& scope, Findings& findings) {
  PermanentPods permanent(scope);
  facts::KnownPoolsOf pools;
  std::map<const facts::ClusterFacts*, Known> known;  // one for each configuration
  each_linted_pod(scope, findings, Domain::built | Domain::whole, [&](const Workload& idle) {
    if (!zero_of(idle)) return;
    const facts::ClusterFacts& facts = scope.facts(*idle.object);
    Known& about = known.try_emplace(&facts, Known{permanent, pools[facts]}).first->second;
    std::vector<Blocker> blockers = setting_blockers(idle, scope);
    std::ranges::move(pinned_blockers(idle, about), std::back_inserter(blockers));
    std::ranges::move(unpinned_blockers(idle, about, blockers), std::back_inserter(blockers));
    report_idle(idle, blockers, findings);
  });
}

extern constinit const Rule rule = {
    .id = "node-never-drains",
    .severity = Severity::info,
    .check = check,
};

}  // namespace cnsched::rules::node_never_drains
