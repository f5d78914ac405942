// What the outputs for people show of a workload besides its nodes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/output/pods.h"
#include "cli/output/simulation.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Simulated;

constexpr std::size_t kMaxNames = 12;

std::string cut(const std::vector<std::string>& names) {
  return names.size() > kMaxNames ? join_words(names, "and", kMaxNames)
                                  : fmt::format("{}", fmt::join(names, ", "));
}

/// That the pod waits in its queue.
std::string queue_note(const sim::QueueOutlook& queue) {
  const bool is_labelled = queue.choices.empty() || !queue.choices.back().flavors.empty();
  return fmt::format(
      "{}the pod has a scheduling gate until Kueue admits it to LocalQueue '{}', and may wait for "
      "quota",
      is_labelled ? "" : "if Kueue manages the namespace, ", printable(queue.queue));
}

/// "batch-7 and batch-9 (priority 0) on node gpu-3"; pods of another namespace than `ns` with
/// theirs. Also names the PodDisruptionBudgets that are violated.
std::string victims_text(const std::vector<sim::Victim>& victims, std::string_view node,
                         std::string_view ns) {
  std::vector<std::string> groups;  // by priority
  std::set<std::string> violated;
  std::size_t shown = 0;
  for (auto first = victims.begin(); first != victims.end();) {
    const auto end = std::find_if(first, victims.end(), [&](const sim::Victim& victim) {
      return victim.priority != first->priority;
    });
    const std::int64_t priority = first->priority;
    std::vector<std::string> names;
    std::size_t more = 0;
    for (; first != end; ++first) {
      for (const std::string_view budget : first->violated) {
        violated.insert(fmt::format("'{}'", printable(budget)));
      }
      const std::string name = printable(first->name);
      if (shown == kMaxNames) {
        ++more;
        continue;
      }
      ++shown;
      names.push_back(first->ns == ns ? name : fmt::format("{}/{}", printable(first->ns), name));
    }
    if (more > 0) names.push_back(fmt::format("{} more", more));
    groups.push_back(fmt::format("{} (priority {})", join_words(names), priority));
  }
  std::string text = fmt::format("{} on node {}", fmt::join(groups, ", "), printable(node));
  if (!violated.empty()) {
    text +=
        fmt::format(", which violates PodDisruptionBudget{} {}", violated.size() == 1 ? "" : "s",
                    join_words({violated.begin(), violated.end()}));
  }
  return text;
}

/// "set 'pool' in nodeSelector to 'infer' (svc.yaml:12): then it fits gpu-1 and 3 more".
std::string text_of(const sim::Suggestion& suggestion, const sim::Cluster& cluster,
                    const Workspace& workspace) {
  std::vector<std::string> edits;
  for (const sim::ProposedFix& fix : suggestion.fixes) {
    edits.push_back(fmt::format("{} ({})", fix.title, describe_line(fix.where, workspace.sources)));
  }
  return fmt::format("{}: then it fits {}{}", join_words(edits),
                     printable(cluster.node(suggestion.node).name),
                     suggestion.fits > 1 ? fmt::format(" and {} more", suggestion.fits - 1) : "");
}

/// What pools of the configuration would do is shown as their verdict.
bool is_shown_as_verdict(const sim::PoolOutlook& of) {
  return of.pool->object == nullptr && of.type.empty() && !of.pool->scaling.max_nodes;
}

class Notes {
 public:
  Notes(const SimulationOutcome& outcome, std::size_t index)
      : outcome_(outcome), index_(index), simulated_(outcome.simulation.workloads()[index]) {}

  std::vector<SimulationNote> all() && {
    if (!simulated_.diagnosis) {
      add("", Paint::note, "no pod is created: " + printable(simulated_.why_no_pod()));
      return std::move(notes_);
    }
    flavors();
    conditions();
    if (!outcome_.errors.empty() && outcome_.errors[index_] > 0) {
      add("lint", Paint::error,
          fmt::format("finds {}: the API server may reject the pod before it is scheduled",
                      count_of(outcome_.errors[index_], "error")));
    }
    const auto advice = outcome_.advice.find(index_);
    if (advice != outcome_.advice.end()) advise(advice->second);
    autoscalers();
    const auto& placements = outcome_.placements.of_workload;
    if (!placements.empty()) replicas(placements[index_]);
    return std::move(notes_);
  }

 private:
  void add(std::string_view label, Paint paint, std::string text) {
    notes_.push_back({label, paint, std::move(text)});
  }
  void add_item(std::string text) { notes_.back().items.push_back(std::move(text)); }

  /// The verdict with each choice of ResourceFlavors that Kueue may make.
  void flavors() {
    for (const sim::FlavorVerdict& of : simulated_.by_flavor) {
      const sim::Diagnosis& diagnosis = of.diagnosis;
      const Truth verdict = diagnosis.fits_nowhere()       ? Truth::no
                            : diagnosis.feasible().empty() ? Truth::unknown
                                                           : Truth::yes;
      std::vector<std::size_t> nodes;
      diagnosis.feasible().each([&](std::size_t node) { nodes.push_back(node); });
      add("flavor", paint_of(verdict),
          fmt::format("{}: {}{}", of.choice.text(), name_of(verdict),
                      verdict == Truth::yes ? " on " + names_of(nodes, *simulated_.cluster)
                                            : ": " + diagnosis.summary()));
    }
    if (simulated_.queue.is_cut) {
      add("note", Paint::note, "Kueue may also assign other combinations of ResourceFlavors");
    }
  }

  void conditions() {
    const sim::Pod& pod = simulated_.pod;
    if (!simulated_.queue.queue.empty() && pod.never_admitted.empty()) {
      add("note", Paint::note, queue_note(simulated_.queue));
    }
    if (pod.is_gated) {
      add("note", Paint::note,
          "the pod waits until its schedulingGates are removed; without them: " +
              simulated_.diagnosis->summary());
    }
    if (outcome_.conclusion(index_) == sim::Conclusion::unknown &&
        sim::may_be_changed(*simulated_.workload)) {
      add("note", Paint::note, "an overlay that is not built may change where the pod fits");
    }
    const std::string quota = simulated_.quota_note();
    if (!quota.empty()) add("quota", Paint::warning, quota);
    for (const std::string& assumption : pod.assumptions) add("assumed", Paint::note, assumption);
  }

  void advise(const sim::Advice& advice) {
    if (advice.nearest) {
      add("nearest", Paint::note, printable(simulated_.cluster->node(*advice.nearest).name));
      for (const sim::Cause& cause : advice.causes) add_item(cause.text);
    }
    if (!advice.exclusion.empty()) add("excluded", Paint::help, advice.exclusion);
    if (outcome_.conclusion(index_) == sim::Conclusion::needs_new_nodes) {
      add("note", Paint::note,
          "an autoscaler may add nodes of a pool that is not given: list the pools in "
          ".cnsched.yaml (cluster.nodePools)");
    }
    for (const sim::Suggestion& suggestion : advice.suggestions) {
      add("change", Paint::help, text_of(suggestion, *simulated_.cluster, outcome_.workspace));
    }
  }

  void autoscalers() {
    const sim::Outlook* outlook = outcome_.outlook(index_);
    if (outlook == nullptr || std::ranges::all_of(outlook->pools, is_shown_as_verdict)) return;
    if (const sim::PoolOutlook* choice = outlook->choice()) {
      return add("autoscaler", paint_of(choice->verdict), outlook_text(*outlook, *choice));
    }
    const bool is_certain = outlook->is_hopeless();
    add("autoscaler", is_certain ? Paint::error : Paint::warning,
        is_certain ? "no pool gets a node for the pod"
                   : "unknown whether a pool gets a node for the pod");
    constexpr std::size_t kMaxShown = 3;
    for (std::size_t i = 0; i < std::min(outlook->pools.size(), kMaxShown); ++i) {
      add_item(outlook_text(*outlook, outlook->pools[i]));
    }
    if (outlook->pools.size() > kMaxShown) {
      add_item(fmt::format("{} more: --explain shows them", outlook->pools.size() - kMaxShown));
    }
  }

  void replicas(const sim::Placement& placement) {
    std::map<std::size_t, std::size_t> pods;
    for (const std::size_t node : placement.nodes) ++pods[node];
    std::vector<std::string> where;
    for (const auto& [node, count] : pods) {
      const auto type = placement.types.find(node);
      where.push_back(fmt::format("{}{}{}", printable(placement.cluster->node(node).name),
                                  type == placement.types.end()
                                      ? std::string()
                                      : fmt::format(" ({})", printable(type->second)),
                                  count > 1 ? fmt::format(" x{}", count) : ""));
    }
    std::string text = fmt::format("{} of {} placed", placement.nodes.size(), placement.replicas);
    if (!where.empty()) text += fmt::format(": {}", cut(where));
    if (!placement.is_complete()) text += "; " + placement.why_incomplete();
    add("replicas",
        placement.is_complete()  ? Paint::note
        : placement.is_unknown() ? Paint::warning
                                 : Paint::error,
        text);
    const std::size_t shown = std::min(placement.evictions.size(), kMaxNames);
    for (std::size_t i = 0; i < shown; ++i) {
      const sim::Eviction& eviction = placement.evictions[i];
      add("evicts", Paint::warning,
          victims_text(eviction.victims, placement.cluster->node(eviction.node).name,
                       simulated_.workload->object->ns.name));
    }
    const std::size_t more = placement.evictions.size() - shown;
    if (more > 0) add("", Paint::note, fmt::format("and pods for {} more replicas", more));
    if (!placement.note.empty()) add("note", Paint::note, placement.note);
  }

  const SimulationOutcome& outcome_;
  std::size_t index_;
  const Simulated& simulated_;
  std::vector<SimulationNote> notes_;
};

}  // namespace

std::string preemption_text(const Simulated& simulated) {
  const sim::Preemption& preemption = simulated.preemption;
  return fmt::format(
      "preemption would evict {}; the pod starts there after they have ended{}",
      victims_text(preemption.victims, simulated.cluster->node(*preemption.node).name,
                   simulated.workload->object->ns.name),
      preemption.is_sampled ? " (kube-scheduler examines a random part of the "
                              "nodes and may choose another one)"
                            : "");
}

const sim::Outlook* SimulationOutcome::outlook(std::size_t workload) const {
  if (outlooks == nullptr) return nullptr;
  const auto found = outlooks->find(workload);
  return found == outlooks->end() ? nullptr : &found->second;
}

sim::Conclusion SimulationOutcome::conclusion(std::size_t workload) const {
  const auto found = advice.find(workload);
  return sim::conclusion_on(simulation.workloads()[workload], outlook(workload),
                            found == advice.end() ? nullptr : &found->second);
}

std::map<sim::Conclusion, std::size_t> SimulationOutcome::conclusions() const {
  std::map<sim::Conclusion, std::size_t> counts;
  for (const std::size_t workload : workloads) ++counts[conclusion(workload)];
  return counts;
}

std::string outlook_text(const sim::Outlook& outlook, const sim::PoolOutlook& of) {
  const std::string pool = described(*of.pool);
  const std::string node =
      of.type.empty() ? "a node" : fmt::format("a node of type {}", printable(of.type));
  if (!of.option) {
    return fmt::format("{}: {}", pool, of.reasons.empty() ? "" : of.reasons.front());
  }
  if (of.verdict == Truth::unknown) {
    return fmt::format("{}: may get {}{}{}", pool, node, of.reasons.empty() ? "" : ": ",
                       of.reasons.empty() ? "" : of.reasons.front());
  }
  return outlook.choice() == &of ? fmt::format("{}: gets {}", pool, node)
                                 : fmt::format("{}: would get {} if no other pool did", pool, node);
}

std::vector<std::string> assumptions_of(const SimulationOutcome& outcome) {
  const bool are_empty = std::ranges::any_of(outcome.workloads, [&](std::size_t workload) {
    const sim::Cluster& cluster = *outcome.simulation.workloads()[workload].cluster;
    std::size_t node = 0;
    while (node < cluster.size() && !cluster.exists(node)) ++node;
    return node < cluster.size() && !cluster.has_pods_given();
  });
  if (!are_empty) return {};
  return {"nodes are empty, as no running pods are given (see 'cnsched snapshot')"};
}

std::string_view name_of(Truth verdict) {
  constexpr auto kWords = std::to_array<std::string_view>({"infeasible", "unknown", "ok"});
  return kWords[static_cast<std::size_t>(verdict)];
}

Paint paint_of(Truth verdict) {
  constexpr auto kPaints = std::to_array<Paint>({Paint::error, Paint::warning, Paint::help});
  return kPaints[static_cast<std::size_t>(verdict)];
}

std::string names_of(const std::vector<std::size_t>& nodes, const sim::Cluster& cluster) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(nodes.size(), kMaxNames); ++i) {
    names.push_back(printable(cluster.node(nodes[i]).name));
  }
  const std::size_t more = nodes.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string title_of(const Workload& workload, const Workspace& workspace) {
  const std::string text = described(workload, workspace);
  if (!workload.replicas || *workload.replicas == 1) return text;
  return fmt::format("{}, {} replicas", text, *workload.replicas);
}

std::string title_of(const sim::LoadedModel& model, const Workspace& workspace) {
  return fmt::format("Model '{}' ({})", printable(model.object->name),
                     describe_line(model.object->root->span, workspace.sources));
}

std::vector<SimulationNote> notes_on(const SimulationOutcome& outcome, std::size_t workload) {
  return Notes(outcome, workload).all();
}

}  // namespace cnsched::cli
