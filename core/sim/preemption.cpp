// The dry run removes all pods of lower priority from a node and then adds them again, the most
// important ones first, as long as the pod fits. Filters run for all nodes at once, so nodes take
// these steps together, but for those with a pod that matters to the filters on other nodes. Source
// (kube-scheduler 1.36): pkg/scheduler/framework/preemption/preemption.go;
// plugins/defaultpreemption/default_preemption.go; plugins/dynamicresources/dynamicresources.go,
// PostFilter; framework/runtime/framework.go, RunPostFilterPlugins; framework/types.go,
// FitError.Error.

#include "core/sim/preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/sim/dynamic_resources.h"
#include "core/sim/nominated_pods.h"
#include "core/sim/running_pods.h"

namespace cnsched::sim {

namespace {

/// The nodes and pods that all runs of the filters together may read, because a manifest may have
/// any number of pods.
constexpr std::size_t kMaxRead = 10'000'000;

/// The candidates after which kube-scheduler stops. Source:
/// pkg/scheduler/apis/config/v1/defaults.go, SetDefaults_DefaultPreemptionArgs.
std::size_t candidates_wanted(std::size_t nodes) {
  constexpr std::size_t kMinCandidates = 100;
  constexpr std::size_t kShareOfNodes = 10;
  return std::min(std::max(nodes / kShareOfNodes, kMinCandidates), nodes);
}

/// The pods of lower priority on one node.
struct Candidate {
  struct Lower {
    std::size_t pod = 0;  ///< its index in Cluster::pods()
    std::vector<std::string_view> violated{};
    bool is_victim = false;
  };

  std::size_t node = 0;
  std::vector<Lower> pods{};                ///< the most important one first
  std::vector<std::size_t> in_violation{};  ///< first indices of those to add again
  std::size_t violations = 0;               ///< victims that violate budgets
};

class DryRun {
 public:
  DryRun(const Pod& pod, const Diagnosis& diagnosis, Cluster& cluster)
      : pod_(pod),
        cluster_(cluster),
        potential_(diagnosis.preemptable() - cluster.autoscaled()),
        wanted_(candidates_wanted(potential_.count())),
        nominated_(nominated_before(pod, cluster)),
        read_by_run_(cluster.size() + (pod.host_ports.empty() ? 0 : cluster.pods().size())) {}

  Preemption run();

 private:
  bool collect();
  void judge_all(const NodeSet& nodes);
  void judge(const NodeSet& nodes);
  NodeSet without_lower_pods(const NodeSet& nodes);
  NodeSet rejected_by_node_alone(const NodeSet& nodes);
  void reprieve(const NodeSet& nodes);
  void add_again(std::size_t step);
  NodeSet note_rejected(const std::vector<Rejection>& rejections, const NodeSet& nodes);

  const RunningPod& pod_at(std::size_t index) const { return cluster_.pods()[index]; }
  std::vector<Candidate::Lower> by_importance(std::size_t node) const;
  std::vector<Rejection> filter(const NodeSet& nodes);
  bool spend_run();
  NodeSet open_nodes() const;
  bool is_enough() const;
  const Candidate& best() const;
  std::string error() const;
  std::string message() const;

  const Pod& pod_;
  Cluster& cluster_;
  NodeSet potential_;
  std::size_t wanted_;
  NominatedPods nominated_;
  std::optional<DisruptionBudgets> budgets_;
  std::vector<std::vector<std::size_t>> lower_;  ///< by node
  std::vector<Candidate> candidates_;
  std::size_t first_open_ = 0;  ///< the first candidate that has not been decided
  std::map<std::string, std::size_t, std::less<>> reasons_;
  const Plugin* last_plugin_ = nullptr;  ///< that rejected a node
  std::size_t read_by_run_;
  std::size_t read_ = 0;
  bool is_cut_ = false;  ///< nodes are left out
  bool is_unknown_ = false;
};

/// Returns false if a pod has no known priority.
bool DryRun::collect() {
  if (potential_.empty()) return true;
  lower_.resize(cluster_.size());
  const std::vector<RunningPod>& pods = cluster_.pods();
  cluster_.steps().spend(pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const RunningPod& running = pods[i];
    if (!cluster_.is_on_current_node(running) || !potential_.contains(running.node)) continue;
    const auto& priority = running.pod.priority.value;
    if (!priority) return false;
    if (*priority >= *pod_.priority.value) continue;
    lower_[running.node].insert(lower_[running.node].end(), running.count, i);
  }
  return true;
}

/// Returns false if no more nodes may be judged.
bool DryRun::spend_run() {
  read_ += read_by_run_;
  is_cut_ = is_cut_ || read_ > kMaxRead;
  return !is_cut_;
}

NodeSet DryRun::open_nodes() const {
  NodeSet nodes = cluster_.none();
  for (std::size_t i = first_open_; i < candidates_.size(); ++i) nodes.insert(candidates_[i].node);
  return nodes;
}

bool DryRun::is_enough() const {
  return candidates_.size() >= wanted_ &&
         std::ranges::any_of(candidates_, [](const Candidate& c) { return c.violations == 0; });
}

/// Counts the reasons on the nodes that are rejected, and returns these.
NodeSet DryRun::note_rejected(const std::vector<Rejection>& rejections, const NodeSet& nodes) {
  NodeSet rejected = cluster_.none();
  NodeSet uncertain = cluster_.none();
  for (const Rejection& rejection : rejections) {
    (rejection.is_certain ? rejected : uncertain) |= rejection.nodes;
  }
  rejected &= nodes;
  if (!((uncertain & nodes) - rejected).empty()) is_unknown_ = true;
  rejected.each([&](std::size_t node) {
    const auto first = std::ranges::find_if(rejections, [&](const Rejection& rejection) {
      return rejection.is_certain && rejection.nodes.contains(node);
    });
    last_plugin_ = first->plugin;
    for (const std::string_view reason : first_reasons(node, rejections)) {
      ++reasons_.try_emplace(std::string(reason)).first->second;
    }
  });
  return rejected;
}

/// What the filters say of the nodes: of those with nominated pods, one at a time.
std::vector<Rejection> DryRun::filter(const NodeSet& nodes) {
  std::optional<std::size_t> with_nominated;
  if (!nominated_.empty()) {
    nodes.each([&](std::size_t node) {
      if (nominated_.contains(node)) with_nominated = node;
    });
  }
  return with_nominated ? rejections_on(*with_nominated, nominated_, pod_, cluster_)
                        : rejections_of(pod_, cluster_);
}

/// Evicts the lower pods of the nodes and returns those on which the pod fits then; on the others,
/// the pods run again.
NodeSet DryRun::without_lower_pods(const NodeSet& nodes) {
  const auto each_pod = [&](const NodeSet& of, auto change) {
    of.each([&](std::size_t node) { std::ranges::for_each(lower_[node], change); });
  };
  each_pod(nodes, [&](std::size_t pod) { cluster_.evict(pod); });
  const NodeSet rejected = note_rejected(filter(nodes), nodes);
  each_pod(rejected, [&](std::size_t pod) { cluster_.restore(pod); });
  return nodes - rejected;
}

/// The nodes that a filter rejects which reads nothing but the node and its pods.
NodeSet DryRun::rejected_by_node_alone(const NodeSet& nodes) {
  nodes.each([&](std::size_t node) {
    for (const std::size_t pod : lower_[node]) cluster_.evict(pod);
  });
  FilterResult result;
  for (const Plugin* plugin : plugins()) {
    result.run(*plugin, pod_, cluster_);
    if (plugin == &node_resources_fit) break;
  }
  const NodeSet rejected = note_rejected(result.rejections(), nodes);
  nodes.each([&](std::size_t node) {
    for (const std::size_t pod : lower_[node]) cluster_.restore(pod);
  });
  return rejected;
}

/// By descending priority, then by start: a pod that has not started starts now.
std::vector<Candidate::Lower> DryRun::by_importance(std::size_t node) const {
  std::vector<std::size_t> pods = lower_[node];
  const auto& budgets = cluster_.objects(k8s::SchedulingKind::disruption_budget);
  cluster_.steps().spend(Cluster::kStepsOfMatch * pods.size() * (1 + budgets.size()));
  std::ranges::stable_sort(pods, {}, [&](std::size_t index) {
    const RunningPod& running = pod_at(index);
    const bool has_started = !running.start_time.empty();
    // "now" is later for each pod that is compared, so kube-scheduler reverses their order.
    const auto place = static_cast<std::ptrdiff_t>(index);
    return std::tuple(-*running.pod.priority.value, !has_started, running.start_time,
                      has_started ? 0 : -place);
  });
  std::vector<const RunningPod*> running;
  for (const std::size_t pod : pods) running.push_back(&pod_at(pod));
  const auto violated = budgets_->violated_by(running);
  std::vector<Candidate::Lower> lower;
  for (std::size_t i = 0; i < pods.size(); ++i) lower.push_back({pods[i], violated[i]});
  return lower;
}

/// Adds one more pod on each open candidate, and evicts it again where the pod does not fit then.
void DryRun::add_again(std::size_t step) {
  const auto each = [&](auto visit) {
    for (std::size_t i = first_open_; i < candidates_.size(); ++i) {
      Candidate& candidate = candidates_[i];
      if (step >= candidate.pods.size()) continue;
      visit(candidate, candidate.pods[candidate.in_violation[step]]);
    }
  };
  each([&](const Candidate& /*candidate*/, const Candidate::Lower& lower) {
    cluster_.restore(lower.pod);
  });
  NodeSet rejected = cluster_.none();
  NodeSet uncertain = cluster_.none();
  for (const Rejection& rejection : filter(open_nodes())) {
    (rejection.is_certain ? rejected : uncertain) |= rejection.nodes;
  }
  each([&](Candidate& candidate, Candidate::Lower& lower) {
    if (uncertain.contains(candidate.node) && !rejected.contains(candidate.node)) {
      is_unknown_ = true;
    }
    if (!rejected.contains(candidate.node)) return;
    cluster_.evict(lower.pod);
    lower.is_victim = true;
    if (!lower.violated.empty()) ++candidate.violations;
  });
}

/// Decides which of the evicted pods on each node are victims, and adds the nodes to the
/// candidates. Pods whose eviction violates a budget are added again before others.
void DryRun::reprieve(const NodeSet& nodes) {
  first_open_ = candidates_.size();
  std::size_t steps = 0;
  nodes.each([&](std::size_t node) {
    Candidate candidate{.node = node, .pods = by_importance(node)};
    for (std::size_t i = 0; i < candidate.pods.size(); ++i) candidate.in_violation.push_back(i);
    std::ranges::stable_partition(
        candidate.in_violation, [&](std::size_t i) { return !candidate.pods[i].violated.empty(); });
    steps = std::max(steps, candidate.pods.size());
    candidates_.push_back(std::move(candidate));
  });
  std::size_t done = 0;
  for (; done < steps; ++done) {
    // What is begun is brought to its end, unless that takes much longer.
    spend_run();
    if (read_ > 2 * kMaxRead) is_unknown_ = true;
    if (is_unknown_) break;
    add_again(done);
  }
  for (std::size_t i = first_open_; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    for (std::size_t step = 0; step < candidate.pods.size(); ++step) {
      const Candidate::Lower& lower = candidate.pods[candidate.in_violation[step]];
      if (lower.is_victim || step >= done) cluster_.restore(lower.pod);
    }
  }
}

/// The filters on each of the nodes must not depend on the lower pods on the others.
void DryRun::judge(const NodeSet& nodes) {
  if (nodes.empty() || is_enough() || !spend_run()) return;
  std::vector<std::size_t> fitting;
  without_lower_pods(nodes).each([&](std::size_t node) { fitting.push_back(node); });
  auto next = fitting.begin();
  while (next != fitting.end() && !is_enough() && !is_unknown_) {
    NodeSet some = cluster_.none();
    const auto left = static_cast<std::size_t>(fitting.end() - next);
    for (std::size_t i = std::min(left, wanted_); i > 0; --i) some.insert(*next++);
    reprieve(some);
  }
  for (; next != fitting.end(); ++next) {
    for (const std::size_t pod : lower_[*next]) cluster_.restore(pod);
  }
}

/// Nodes whose pods matter to others are judged one at a time. What is certain of one is certain of
/// all nodes of its kind if the pod fits on none of them.
void DryRun::judge_all(const NodeSet& nodes) {
  const CoupledPods pods = coupled_pods(pod_, cluster_);
  read_by_run_ += pods.pods.size();
  NodeSet coupled = cluster_.none();
  for (const std::size_t pod : pods.pods) coupled.insert(pod_at(pod).node);
  // Nominated pods count on their own node only.
  for (const auto& [node, nominated] : nominated_) coupled.insert(node);
  coupled &= nodes;
  judge(nodes - coupled);
  const bool has_kinds =
      nominated_.empty() && pod_.spec["volumes"].is_empty() && coupled.count() > 1;
  if (has_kinds && spend_run()) coupled -= rejected_by_node_alone(coupled);
  std::map<std::string, std::vector<std::string>> reasons_of_kind;
  coupled.each([&](std::size_t node) {
    if (is_unknown_ || is_cut_ || is_enough()) return;
    const std::string kind =
        has_kinds ? removal_key(node, lower_[node], pods, cluster_) : std::string();
    const auto known = reasons_of_kind.find(kind);
    if (has_kinds && known != reasons_of_kind.end()) {
      for (const std::string& reason : known->second) ++reasons_[reason];
      return;
    }
    const auto before = reasons_;
    const std::size_t candidates = candidates_.size();
    last_plugin_ = nullptr;
    NodeSet one = cluster_.none();
    one.insert(node);
    judge(one);
    // Other plugins may say something else of another node of the kind.
    const bool is_of_kind =
        last_plugin_ == &pod_topology_spread || last_plugin_ == &inter_pod_affinity;
    if (!has_kinds || !is_of_kind || is_unknown_ || candidates_.size() > candidates) return;
    std::vector<std::string>& reasons = reasons_of_kind[kind];
    for (const auto& [reason, count] : reasons_) {
      const auto old = before.find(reason);
      if (old == before.end() || old->second < count) reasons.push_back(reason);
    }
  });
}

/// The first of the best nodes. Source: preemption.go, pickOneNodeForPreemption.
const Candidate& DryRun::best() const {
  const auto cost = [&](const Candidate& candidate) {
    constexpr std::int64_t kOffset = std::int64_t{1} << 31;  // makes all priorities positive
    const std::string_view kNow = "~";                       // after all times
    std::optional<std::int64_t> highest;
    std::int64_t sum = 0;
    std::size_t count = 0;
    std::string_view earliest = kNow;
    for (const Candidate::Lower& lower : candidate.pods) {
      if (!lower.is_victim) continue;
      const RunningPod& running = pod_at(lower.pod);
      const std::int64_t priority = *running.pod.priority.value;
      if (!highest) highest = priority;
      sum += priority + kOffset;
      ++count;
      if (priority != *highest || running.start_time.empty()) continue;
      earliest = std::min(earliest, running.start_time);
    }
    return std::tuple(candidate.violations, highest.value_or(0), sum, count, earliest);
  };
  const auto is_better = [&](const Candidate& a, const Candidate& b) {
    auto [a_violations, a_highest, a_sum, a_count, a_start] = cost(a);
    auto [b_violations, b_highest, b_sum, b_count, b_start] = cost(b);
    // The latest start is best.
    return std::tuple(a_violations, a_highest, a_sum, a_count, b_start) <
           std::tuple(b_violations, b_highest, b_sum, b_count, a_start);
  };
  return *std::ranges::min_element(candidates_, is_better);
}

/// What plugins failed with, instead of reasons; empty if none did. Source:
/// framework/runtime/framework.go, RunFilterPlugins.
std::string DryRun::error() const {
  std::vector<std::string> errors;
  for (const auto& [reason, count] : reasons_) {
    const bool is_error =
        reason.starts_with("running \"") && reason.find("\" filter plugin: ") != std::string::npos;
    if (is_error) errors.push_back(reason);
  }
  if (errors.size() < 2) return errors.empty() ? std::string() : errors.front();
  return fmt::format("[{}]", fmt::join(errors, ", "));
}

/// That no node is a candidate, and why.
std::string DryRun::message() const {
  std::map<std::string, std::size_t, std::less<>> counts = reasons_;
  const std::size_t others = cluster_.size() - potential_.count();
  if (others > 0) counts["Preemption is not helpful for scheduling"] += others;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);
  return fmt::format("preemption: 0/{} nodes are available: {}.", cluster_.size(),
                     fmt::join(parts, ", "));
}

Preemption DryRun::run() {
  Preemption result;
  if (!collect()) return result;
  NodeSet with_lower = cluster_.none();
  potential_.each([&](std::size_t node) { with_lower.insert_if(node, !lower_[node].empty()); });
  const std::size_t without = (potential_ - with_lower).count();
  if (without > 0) reasons_["No preemption victims found for incoming pod"] = without;
  if (!with_lower.empty()) {
    budgets_.emplace(cluster_.objects(k8s::SchedulingKind::disruption_budget));
    judge_all(with_lower);
  }
  if (is_unknown_ || (is_cut_ && candidates_.empty())) return result;
  if (candidates_.empty()) {
    const std::string failure = error();
    if (!failure.empty()) return {.message = "preemption: " + failure, .is_failure = true};
    // The real scheduler does not count nodes that do not exist.
    if (cluster_.autoscaled().empty()) result.message = message();
    return result;
  }
  const Candidate& chosen = best();
  result.node = chosen.node;
  result.is_sampled = is_cut_ || wanted_ < potential_.count();
  for (const Candidate::Lower& lower : chosen.pods) {
    if (!lower.is_victim) continue;
    const Pod& pod = pod_at(lower.pod).pod;
    result.victims.push_back(
        {lower.pod, pod.ns.name, pod.name, *pod.priority.value, lower.violated});
  }
  return result;
}

/// Whether pods that were evicted for the pod are still ending on its nominated node. Source:
/// default_preemption.go, PodEligibleToPreemptOthers.
bool waits_for_victims(const Pod& pod, const Diagnosis& diagnosis, const Cluster& cluster) {
  const auto nominated = cluster.find(pod.nominated_node);
  if (!nominated || !diagnosis.preemptable().contains(*nominated)) return false;
  return std::ranges::any_of(cluster.pods(), [&](const RunningPod& running) {
    return running.node == *nominated && running.is_preempted &&
           cluster.is_on_current_node(running) && running.pod.priority.value < pod.priority.value;
  });
}

/// What DefaultPreemption does.
Preemption preempt_by_default(const Pod& pod, const Diagnosis& diagnosis, Cluster& cluster) {
  if (!pod.priority.value) return {};
  if (pod.priority.never_preempts) {
    return {.message = "preemption: not eligible due to preemptionPolicy=Never."};
  }
  if (waits_for_victims(pod, diagnosis, cluster)) {
    return {.message = "preemption: not eligible due to a terminating pod on the nominated node."};
  }
  return DryRun(pod, diagnosis, cluster).run();
}

/// Whether kube-scheduler certainly tries to place the pod, and finds none of the existing nodes.
bool is_rejected(const Pod& pod, const Diagnosis& diagnosis) {
  const Rejection* whole = diagnosis.of_pod();
  const NodeSet open = diagnosis.feasible() | diagnosis.unknown();
  return diagnosis.cluster().size() > 0 && (open - diagnosis.cluster().autoscaled()).empty() &&
         diagnosis.failure().empty() && pod.node_name.empty() && pod.scheduler.empty() &&
         (whole == nullptr || whole->plugin != &creation);
}

/// Before 1.34, DynamicResources is not enabled.
bool has_dynamic_resources(const Cluster& cluster) { return cluster.runs_kubernetes(1, 34); }

}  // namespace

std::string event_of(const Diagnosis& diagnosis, const Preemption& preemption) {
  const std::string first = diagnosis.event();
  const bool is_list = first.ends_with('.');
  return is_list && !preemption.message.empty() ? fmt::format("{} {}", first, preemption.message)
                                                : first;
}

Preemption preempt(const Pod& pod, const Diagnosis& diagnosis, Cluster& cluster) {
  if (!is_rejected(pod, diagnosis)) return {};
  if (!has_dynamic_resources(cluster)) return preempt_by_default(pod, diagnosis, cluster);
  const Rejection* whole = diagnosis.of_pod();
  if (whole != nullptr && whole->status == Status::unresolvable &&
      whole->plugin != &dynamic_resources) {
    // PostFilter of DynamicResources fails: its PreFilter did not run, so its state is missing.
    return {.message = "not found"};
  }
  Preemption result = preempt_by_default(pod, diagnosis, cluster);
  if (!result.message.empty() && !result.is_failure) {
    result.message = fmt::format("{}, {}", claims_message(pod, diagnosis), result.message);
  }
  return result;
}

}  // namespace cnsched::sim
