// InferenceService 'llama', predictor (svc.yaml:1)
// 1/3 nodes are available: 2 node(s) had untolerated taint(s).
//   ok          gpu-3
//   infeasible  gpu-1, gpu-2
//                 taint 'dedicated=ml:NoSchedule' is not tolerated
//   change      svc.yaml:12 …
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "cli/output/node_parts.h"
#include "cli/output/pods.h"
#include "cli/output/safe_text.h"
#include "cli/output/simulation.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Simulated;

constexpr std::size_t kLabelWidth = 12;  // "infeasible" and two spaces

class SimulationReport {
 public:
  SimulationReport(const SimulationOutcome& outcome, std::size_t width, bool colored,
                   std::ostream& out)
      : outcome_(outcome), width_(width), style_(colored), out_(out) {}

  void write(std::size_t index) {
    const Simulated& simulated = outcome_.simulation.workloads()[index];
    out_ << style_(Paint::strong, title_of(*simulated.workload, outcome_.workspace)) << '\n';
    if (simulated.diagnosis) {
      event(simulated, outcome_.conclusion(index));
      if (simulated.preempts()) lines("preempts", Paint::warning, preemption_text(simulated));
      nodes(simulated);
    }
    for (const SimulationNote& note : notes_on(outcome_, index)) {
      lines(note.label, note.paint, note.text);
      for (const std::string& each : note.items) item(each);
    }
    out_ << '\n';
  }

  void write(const sim::LoadedModel& model) {
    out_ << style_(Paint::strong, title_of(model, outcome_.workspace)) << '\n';
    const std::string summary =
        model.servers.empty()
            ? "no Server is defined in its namespace"
            : fmt::format("{}/{} Servers can load it", model.feasible(), model.servers.size());
    out_ << style_(model.fits_nowhere() ? Paint::error : Paint::note, summary) << '\n';
    for (const sim::ServerVerdict& server : model.servers) {
      group(server.verdict, printable(server.server->name()), server.reasons);
    }
    if (model.may_be_shipped) {
      lines("unknown", paint_of(Truth::unknown), kShippedServer);
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
  void event(const Simulated& simulated, sim::Conclusion conclusion) {
    const Paint paint = conclusion == sim::Conclusion::fits ? Paint::help
                        : sim::is_failure(conclusion)       ? Paint::error
                                                            : Paint::warning;
    for (const std::string& line : wrap(simulated.event(), width_)) {
      out_ << style_(paint, line) << '\n';
    }
  }

  void nodes(const Simulated& simulated) {
    const std::vector<NodeGroup> groups =
        node_groups(simulated, Reasons::readable, outcome_.each_node);
    // A score is useful only in comparison with another one.
    const bool scored = groups.size() > 1 && groups[1].verdict == Truth::yes;
    for (const NodeGroup& of : groups) {
      const std::string score = scored && of.score ? fmt::format(" (score {})", *of.score) : "";
      group(of.verdict, names_of(of.nodes, *simulated.cluster) + score, of.reasons);
    }
  }

  void group(Truth verdict, const std::string& names, const std::vector<std::string>& reasons) {
    lines(name_of(verdict), paint_of(verdict), names);
    for (const std::string& reason : reasons) item(reason);
  }

  void item(const std::string& text) { write_item(text, kLabelWidth + 2, width_ - 2, out_); }

  /// A label in its column, and the text in the next one.
  void lines(std::string_view label, Paint paint, std::string_view text) {
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kLabelWidth - 2)) {
      const std::string shown = is_first && !label.empty() ? fmt::format("  {}", label) : "";
      out_ << style_(paint, shown)
           << fmt::format("{:{}}{}\n", "", kLabelWidth + 2 - std::min(shown.size(), kLabelWidth),
                          line);
      is_first = false;
    }
  }

  const SimulationOutcome& outcome_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
};

/// A limit for readability.
constexpr std::size_t kMaxGroups = 8;

using Strings = std::vector<std::string>;

/// Forms the groups of a workload's nodes.
class Grouping {
 public:
  Grouping(const Simulated& simulated, bool each_node)
      : simulated_(simulated),
        diagnosis_(*simulated.diagnosis),
        each_node_(each_node),
        infeasible_(simulated.cluster->all() - diagnosis_.feasible()),
        parts_(simulated.cluster->size()) {
    if (each_node) {
      parts_.split_by([](std::size_t node) { return node; });
      return;
    }
    parts_.split(diagnosis_.feasible());
    parts_.split(diagnosis_.unknown());
    parts_.split(diagnosis_);
    const std::vector<std::int64_t>& scores = diagnosis_.scores();
    if (std::ranges::adjacent_find(scores, std::not_equal_to()) == scores.end()) return;
    parts_.split_by([&, next = scores.begin()](std::size_t node) mutable {
      return diagnosis_.feasible().contains(node) ? static_cast<std::uint32_t>(*next++) : 0;
    });
  }

  /// The nodes of each part have the same reasons, and those of each group.
  template <typename ReasonsOn>
  std::vector<NodeGroup> grouped(ReasonsOn reasons_on) const {
    std::map<std::tuple<std::size_t, Truth, std::int64_t, Strings>, NodeGroup> groups;
    for (const std::vector<std::size_t>& part : parts_.all()) {
      const std::size_t node = part.front();
      const Truth verdict = diagnosis_.fits(node);
      const auto score = diagnosis_.score(node);
      Strings reasons;
      if (verdict != Truth::yes) reasons = reasons_on(node);
      NodeGroup& group = groups[{each_node_ ? node : 0, verdict, score.value_or(0), reasons}];
      if (group.nodes.empty()) group = {verdict, score, std::move(reasons), {}};
      group.nodes.insert(group.nodes.end(), part.begin(), part.end());
    }
    std::vector<NodeGroup> all;
    for (auto& [key, group] : groups) {
      std::ranges::sort(group.nodes);
      all.push_back(std::move(group));
    }
    std::ranges::sort(all, {}, [](const NodeGroup& group) {
      return std::tuple(-static_cast<int>(group.verdict), -group.score.value_or(0),
                        group.reasons.size(), group.nodes.front());
    });
    return all;
  }

  /// By the reasons in cnsched's words, after those of `also_on(node)`.
  template <typename AlsoOn>
  std::vector<NodeGroup> in_words(AlsoOn also_on) {
    if (!each_node_) {
      const sim::CausesByNode causes = causes_on_nodes(simulated_, infeasible_, false);
      parts_.split_by([&](std::size_t node) { return causes.list_of(node); });
    }
    // Texts are made for one node of each part.
    sim::NodeSet first_nodes = simulated_.cluster->none();
    for (const auto& part : parts_.all()) first_nodes.insert(part.front());
    const sim::CausesByNode causes = causes_on_nodes(simulated_, first_nodes);
    return grouped([&](std::size_t node) {
      Strings reasons = also_on(node);
      std::ranges::move(reasons_in_words(simulated_, causes[node], node),
                        std::back_inserter(reasons));
      return reasons;
    });
  }

  /// Whether some of the nodes have too many different reasons already.
  bool is_too_varied() const {
    constexpr std::size_t kSampled = 64;
    const std::size_t count = infeasible_.count();
    if (each_node_ || count <= kSampled) return false;
    sim::NodeSet sample = simulated_.cluster->none();
    infeasible_.each([&, i = std::size_t{0}](std::size_t node) mutable {
      sample.insert_if(node, i++ % (count / kSampled) == 0);
    });
    const sim::CausesByNode causes = causes_on_nodes(simulated_, sample);
    std::set<Strings> seen;
    sample.each(
        [&](std::size_t node) { seen.insert(reasons_in_words(simulated_, causes[node], node)); });
    return seen.size() > kMaxGroups;
  }

  Strings of_scheduler(std::size_t node, bool of_all_filters) const {
    const auto reasons = of_all_filters ? diagnosis_.all_reasons(node) : diagnosis_.reasons(node);
    return {reasons.begin(), reasons.end()};
  }

 private:
  const Simulated& simulated_;
  const sim::Diagnosis& diagnosis_;
  bool each_node_;
  sim::NodeSet infeasible_;
  NodeParts parts_;
};

}  // namespace

void write_simulation(const SimulationOutcome& outcome, std::size_t width, bool colored,
                      std::ostream& out) {
  SimulationReport page(outcome, width, colored, out);
  for (const std::size_t index : outcome.workloads) page.write(index);
  for (const std::size_t index : outcome.shown_models) page.write(outcome.models.models()[index]);
  for (const auto& [index, counts] : outcome.placements.nodes) page.write(index, counts);
  write_assumptions(outcome, width, colored, out);
}

void write_assumptions(const SimulationOutcome& outcome, std::size_t width, bool colored,
                       std::ostream& out) {
  const Style style(colored);
  for (const std::string& text : assumptions_of(outcome)) {
    for (const std::string& line : wrap("assumed: " + text, width)) {
      out << style(Paint::note, line) << '\n';
    }
    out << '\n';
  }
}

sim::CausesByNode causes_on_nodes(const sim::Simulated& simulated, sim::NodeSet explained,
                                  bool with_texts) {
  explained -= simulated.diagnosis->feasible();
  // The pod is that of one choice of flavors; another one may fit.
  if (simulated.by_flavor.size() > 1) explained -= simulated.diagnosis->unknown();
  return sim::causes_on(explained, simulated.pod, *simulated.cluster, with_texts);
}

std::vector<std::string> reasons_in_words(const sim::Simulated& simulated,
                                          const std::vector<sim::Cause>& causes, std::size_t node) {
  std::vector<std::string> reasons;
  std::set<const sim::Plugin*> explained;
  for (const sim::Cause& cause : causes) {
    reasons.push_back(cause.text);
    explained.insert(cause.plugin);
  }
  for (const sim::Rejection& rejection : simulated.diagnosis->rejections()) {
    if (rejection.is_certain || !rejection.nodes.contains(node)) continue;
    if (!explained.contains(rejection.plugin)) reasons.push_back(rejection.reason);
  }
  return reasons;
}

std::vector<NodeGroup> node_groups(const sim::Simulated& simulated, Reasons reasons,
                                   bool each_node) {
  Grouping grouping(simulated, each_node);
  const auto of_all = [&](std::size_t node) { return grouping.of_scheduler(node, true); };
  const auto of_first = [&](std::size_t node) { return grouping.of_scheduler(node, false); };
  if (reasons == Reasons::scheduler) {
    return grouping.grouped([&](std::size_t node) {
      Strings both = of_all(node);
      both.emplace_back();
      std::ranges::move(of_first(node), std::back_inserter(both));
      return both;
    });
  }
  if (reasons == Reasons::full) {
    return grouping.in_words([&](std::size_t node) {
      Strings reported = of_first(node);
      for (std::string& reason : reported) reason.insert(0, "kube-scheduler reports: ");
      return reported;
    });
  }
  std::vector<NodeGroup> groups;
  const auto is_readable = [&] { return each_node || groups.size() <= kMaxGroups; };
  if (!grouping.is_too_varied()) {
    groups = grouping.in_words([](std::size_t) { return Strings(); });
    if (is_readable()) return groups;
  }
  groups = grouping.grouped(of_all);
  return is_readable() ? groups : grouping.grouped(of_first);
}

}  // namespace cnsched::cli
