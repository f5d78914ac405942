// InferenceService 'llama', predictor (svc.yaml:1)
// 1/3 nodes are available: 2 node(s) had untolerated taint(s).
//   ok          gpu-3
//   infeasible  gpu-1, gpu-2
//                 taint 'dedicated=ml:NoSchedule' is not tolerated
//   change      svc.yaml:12 …

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/output/node_groups.h"
#include "cli/output/origins.h"
#include "cli/output/pods.h"
#include "cli/output/simulation.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Simulated;
using sim::Verdict;

constexpr std::size_t kLabelWidth = 12;  // "infeasible" and two spaces

class SimulationReport {
 public:
  SimulationReport(const SimulationOutcome& outcome, std::size_t width, bool colored,
                   std::ostream& out)
      : outcome_(outcome), width_(width), style_(colored), out_(out) {}

  void write(std::size_t index) {
    const Simulated& simulated = outcome_.simulation.workloads()[index];
    heading(*simulated.workload);
    if (!simulated.diagnosis) {
      lines("", Paint::note,
            "no pod is created: " + printable(simulated.workload->why_never_created()));
    } else {
      event(simulated);
      if (simulated.preempts()) lines("  preempts", Paint::warning, preemption_text(simulated));
      nodes(simulated);
      flavors(simulated);
      conditions(simulated);
      const std::string warning = outcome_.lint_warning(index);
      if (!warning.empty()) lines("  lint", Paint::error, warning);
      const auto advice = outcome_.advice.find(index);
      if (advice != outcome_.advice.end()) advise(simulated, advice->second);
      autoscalers(index);
      const auto& placements = outcome_.placements.of_workload;
      if (!placements.empty()) replicas(placements[index], simulated.workload->object->ns);
    }
    out_ << '\n';
  }

  void write(const sim::LoadedModel& model) {
    out_ << style_(Paint::strong,
                   fmt::format("Model '{}' ({})", printable(model.object->name),
                               describe_line(model.object->root->span, outcome_.workspace.sources)))
         << '\n';
    const std::string summary =
        model.servers.empty()
            ? "no Server is defined in its namespace"
            : fmt::format("{}/{} Servers can load it", model.feasible(), model.servers.size());
    out_ << style_(model.fits_nowhere() ? Paint::error : Paint::note, summary) << '\n';
    for (const sim::ServerVerdict& server : model.servers) {
      group(server.verdict, printable(server.server->name()), server.reasons);
    }
    if (model.may_be_shipped) {
      lines("  unknown", paint_of(Verdict::unknown),
            "a Server that Seldon installs may load the Model; no file defines one");
    }
    out_ << '\n';
  }

  /// The nodes of the workload's cluster by type, before and after placement.
  void write(std::size_t index, const std::vector<sim::NodeCount>& counts) {
    const Workload& workload = *outcome_.simulation.workloads()[index].workload;
    const std::string_view cluster = cluster_name(workload);
    out_ << style_(Paint::strong, fmt::format("Nodes by type{}{}, before and after",
                                              cluster.empty() ? "" : " of ", printable(cluster)))
         << '\n';
    for (const sim::NodeCount& count : counts) {
      std::string text = fmt::format("{}: {}", printable(count.type), count.before);
      if (count.after != count.before) {
        text += fmt::format(" -> {} ({})", count.after, fmt::join(count.pools, ", "));
      }
      item(text);
    }
    out_ << '\n';
  }

 private:
  void heading(const Workload& workload) {
    std::string text = described(workload, outcome_.workspace);
    if (workload.replicas && *workload.replicas != 1) {
      text += fmt::format(", {} replicas", *workload.replicas);
    }
    out_ << style_(Paint::strong, text) << '\n';
  }

  void event(const Simulated& simulated) {
    const Paint paint = simulated.fits_nowhere()                  ? Paint::error
                        : simulated.diagnosis->feasible().empty() ? Paint::warning
                                                                  : Paint::help;
    for (const std::string& line : wrap(simulated.event(), width_)) {
      out_ << style_(paint, line) << '\n';
    }
  }

  void nodes(const Simulated& simulated) {
    const std::vector<NodeGroup> groups = node_groups(simulated);
    // A score is useful only in comparison with another one.
    const bool scored = groups.size() > 1 && groups[1].verdict == Verdict::ok;
    for (const NodeGroup& of : groups) {
      group(of.verdict, names_of(of, *simulated.cluster, scored), of.reasons);
    }
  }

  void group(Verdict verdict, const std::string& names, const std::vector<std::string>& reasons) {
    lines(fmt::format("  {}", name_of(verdict)), paint_of(verdict), names);
    for (const std::string& reason : reasons) item(reason);
  }

  void item(const std::string& text) {
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kLabelWidth - 6)) {
      out_ << fmt::format("{:{}}{}{}\n", "", kLabelWidth + 2, is_first ? "- " : "  ", line);
      is_first = false;
    }
  }

  /// A label in its column, and the text in the next one.
  void lines(std::string_view label, Paint paint, const std::string& text) {
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kLabelWidth - 2)) {
      const std::string_view shown = is_first ? label : std::string_view();
      out_ << style_(paint, shown)
           << fmt::format("{:{}}{}\n", "", kLabelWidth + 2 - std::min(shown.size(), kLabelWidth),
                          line);
      is_first = false;
    }
  }

  /// The verdict with each choice of ResourceFlavors that Kueue may make.
  void flavors(const Simulated& simulated) {
    for (const sim::FlavorVerdict& of : simulated.by_flavor) {
      const sim::Diagnosis& diagnosis = of.diagnosis;
      const Verdict verdict = diagnosis.fits_nowhere()       ? Verdict::infeasible
                              : diagnosis.feasible().empty() ? Verdict::unknown
                                                             : Verdict::ok;
      std::vector<std::string> names;
      diagnosis.feasible().each([&](std::size_t node) {
        names.push_back(printable(simulated.cluster->node(node).name));
      });
      lines("  flavor", paint_of(verdict),
            fmt::format("{}: {}{}", of.choice.text(), name_of(verdict),
                        verdict == Verdict::ok ? " on " + cut(names) : ": " + diagnosis.summary()));
    }
    if (simulated.queue.is_cut) {
      lines("  note", Paint::note, "Kueue may also assign other combinations of ResourceFlavors");
    }
  }

  void conditions(const Simulated& simulated) {
    const sim::Pod& pod = simulated.pod;
    if (!simulated.queue.queue.empty() && pod.never_admitted.empty()) {
      lines("  note", Paint::note, queue_note(simulated.queue));
    }
    if (pod.is_gated) {
      lines("  note", Paint::note,
            "the pod waits until its schedulingGates are removed; without them: " +
                simulated.diagnosis->summary());
    }
    quota(simulated);
    for (const std::string& assumption : pod.assumptions) {
      lines("  assumed", Paint::note, assumption);
    }
  }

  /// How many of several replicas the quotas admit.
  void quota(const Simulated& simulated) {
    const std::string text = simulated.quota_note();
    if (!text.empty()) lines("  quota", Paint::warning, text);
  }

  void advise(const Simulated& simulated, const sim::Advice& advice) {
    if (advice.nearest) {
      lines("  nearest", Paint::note, printable(simulated.cluster->node(*advice.nearest).name));
      for (const sim::Cause& cause : advice.causes) item(cause.text);
    }
    if (!advice.exclusion.empty()) {
      lines("  excluded", Paint::help, advice.exclusion);
    }
    for (const sim::Suggestion& suggestion : advice.suggestions) {
      lines("  change", Paint::help, text_of(suggestion, *simulated.cluster, outcome_.workspace));
    }
  }

  /// Which pool gets a node. What pools of the configuration would do is shown as their verdict.
  void autoscalers(std::size_t index) {
    const sim::Outlook* outlook = outcome_.outlook(index);
    if (outlook == nullptr || std::ranges::all_of(outlook->pools, is_told_by_verdict)) return;
    if (const sim::PoolOutlook* choice = outlook->choice()) {
      lines("  autoscaler", paint_of(choice->verdict), outlook_text(*outlook, *choice));
      return;
    }
    const bool is_certain = std::ranges::all_of(outlook->pools, [](const sim::PoolOutlook& of) {
      return of.verdict == Verdict::infeasible;
    });
    lines("  autoscaler", is_certain ? Paint::error : Paint::warning,
          is_certain ? "no pool gets a node for the pod"
                     : "unknown whether a pool gets a node for the pod");
    constexpr std::size_t kMaxShown = 3;
    for (std::size_t i = 0; i < std::min(outlook->pools.size(), kMaxShown); ++i) {
      item(outlook_text(*outlook, outlook->pools[i]));
    }
    if (outlook->pools.size() > kMaxShown) {
      item(fmt::format("{} more: --explain shows them", outlook->pools.size() - kMaxShown));
    }
  }

  static bool is_told_by_verdict(const sim::PoolOutlook& of) {
    return of.pool->object == nullptr && of.type.empty() && !of.pool->scaling.max_nodes;
  }

  /// `ns`: of the workload.
  void replicas(const sim::Placement& placement, std::string_view ns) {
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
    if (!placement.is_complete()) {
      text += "; " + placement.why_incomplete();
    }
    lines("  replicas", placement.is_complete() ? Paint::note : Paint::error, text);
    constexpr std::size_t kMaxShown = 12;
    const std::size_t shown = std::min(placement.evictions.size(), kMaxShown);
    for (std::size_t i = 0; i < shown; ++i) {
      const sim::Eviction& eviction = placement.evictions[i];
      lines("  evicts", Paint::warning,
            victims_text(eviction.victims, placement.cluster->node(eviction.node).name, ns));
    }
    const std::size_t more = placement.evictions.size() - shown;
    if (more > 0) lines("", Paint::note, fmt::format("and pods for {} more replicas", more));
    if (!placement.note.empty()) lines("  note", Paint::note, placement.note);
  }

  static std::string cut(const std::vector<std::string>& names) {
    constexpr std::size_t kMaxNames = 12;
    const std::size_t shown = std::min(names.size(), kMaxNames);
    std::string text = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return text;
  }

  static std::string names_of(const NodeGroup& of, const sim::Cluster& cluster, bool scored) {
    std::vector<std::string> names;
    for (const std::size_t node : of.nodes) names.push_back(printable(cluster.node(node).name));
    return cut(names) + (scored && of.score ? fmt::format(" (score {})", *of.score) : "");
  }

  const SimulationOutcome& outcome_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
};

}  // namespace

std::string queue_note(const sim::QueueOutlook& queue) {
  const bool is_labelled = queue.choices.empty() || !queue.choices.back().flavors.empty();
  return fmt::format(
      "{}the pod has a scheduling gate until Kueue admits it to LocalQueue '{}', and may wait for "
      "quota",
      is_labelled ? "" : "if Kueue manages the namespace, ", printable(queue.queue));
}

const sim::Outlook* SimulationOutcome::outlook(std::size_t workload) const {
  if (outlooks == nullptr) return nullptr;
  const auto found = outlooks->find(workload);
  return found == outlooks->end() ? nullptr : &found->second;
}

std::string outlook_text(const sim::Outlook& outlook, const sim::PoolOutlook& of) {
  const std::string pool = described(*of.pool);
  const std::string node =
      of.type.empty() ? "a node" : fmt::format("a node of type {}", printable(of.type));
  if (!of.option) {
    return fmt::format("{}: {}", pool, of.reasons.empty() ? "" : of.reasons.front());
  }
  if (of.verdict == Verdict::unknown) {
    return fmt::format("{}: may get {}{}{}", pool, node, of.reasons.empty() ? "" : ": ",
                       of.reasons.empty() ? "" : of.reasons.front());
  }
  return outlook.choice() == &of ? fmt::format("{}: gets {}", pool, node)
                                 : fmt::format("{}: would get {} if no other pool did", pool, node);
}

std::string SimulationOutcome::lint_warning(std::size_t workload) const {
  if (errors.empty() || errors[workload] == 0) return {};
  return fmt::format("finds {}: the API server may reject the pod before it is scheduled",
                     count_of(errors[workload], "error"));
}

std::string victims_text(const std::vector<sim::Victim>& victims, std::string_view node,
                         std::string_view ns) {
  constexpr std::size_t kMaxNames = 12;
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

std::string preemption_text(const Simulated& simulated) {
  const sim::Preemption& preemption = simulated.preemption;
  return fmt::format(
      "preemption would evict {}; the pod starts there after they have ended{}",
      victims_text(preemption.victims, simulated.cluster->node(*preemption.node).name,
                   simulated.workload->object->ns),
      preemption.is_sampled ? " (kube-scheduler examines a random part of the "
                              "nodes and may choose another one)"
                            : "");
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::unknown:
      return "unknown";
    case Verdict::infeasible:
      break;
  }
  return "infeasible";
}

Paint paint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return Paint::help;
    case Verdict::unknown:
      return Paint::warning;
    case Verdict::infeasible:
      break;
  }
  return Paint::error;
}

std::string text_of(const sim::Suggestion& suggestion, const sim::Cluster& cluster,
                    const Workspace& workspace) {
  std::vector<std::string> edits;
  for (const sim::ProposedEdit& edit : suggestion.edits) {
    edits.push_back(
        fmt::format("{} ({})", edit.title, describe_line(edit.where, workspace.sources)));
  }
  return fmt::format("{}: then it fits {}{}", join_words(edits),
                     printable(cluster.node(suggestion.node).name),
                     suggestion.fits > 1 ? fmt::format(" and {} more", suggestion.fits - 1) : "");
}

void write_simulation(const SimulationOutcome& outcome, std::size_t width, bool colored,
                      std::ostream& out) {
  SimulationReport page(outcome, width, colored, out);
  for (const std::size_t index : outcome.workloads) page.write(index);
  for (const std::size_t index : outcome.shown_models) page.write(outcome.models.models()[index]);
  for (const auto& [index, counts] : outcome.placements.nodes) page.write(index, counts);
}

}  // namespace cnsched::cli
