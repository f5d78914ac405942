// InferenceService 'llama', predictor (svc.yaml:1)
// 1/3 nodes are available: 2 node(s) had untolerated taint(s).
//   ok          gpu-3
//   infeasible  gpu-1, gpu-2
//                 taint 'dedicated=ml:NoSchedule' is not tolerated
//   change      svc.yaml:12 …
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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
    const std::vector<NodeGroup> groups = node_groups(simulated);
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

using Key = std::tuple<Truth, std::int64_t, std::vector<std::string>>;

std::vector<std::string> of_all_filters(const sim::Simulated& simulated, std::size_t node) {
  const auto reasons = simulated.diagnosis->all_reasons(node);
  return {reasons.begin(), reasons.end()};
}

std::vector<std::string> of_first_filter(const sim::Simulated& simulated, std::size_t node) {
  const auto reasons = simulated.diagnosis->reasons(node);
  return {reasons.begin(), reasons.end()};
}

template <typename ReasonsOf>
std::vector<NodeGroup> grouped(const sim::Simulated& simulated, ReasonsOf reasons_of) {
  std::map<Key, NodeGroup> groups;
  for (std::size_t node = 0; node < simulated.cluster->size(); ++node) {
    const Truth verdict = simulated.diagnosis->fits(node);
    const auto score = simulated.diagnosis->score(node);
    std::vector<std::string> reasons;
    if (verdict != Truth::yes) reasons = reasons_of(simulated, node);
    NodeGroup& group = groups[{verdict, score.value_or(0), reasons}];
    if (group.nodes.empty()) group = {verdict, score, std::move(reasons), {}};
    group.nodes.push_back(node);
  }
  std::vector<NodeGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::stable_sort(all, {}, [](const NodeGroup& group) {
    return std::tuple(-static_cast<int>(group.verdict), -group.score.value_or(0),
                      group.reasons.size(), group.nodes.front());
  });
  return all;
}

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

sim::CausesByNode causes_on_nodes(const sim::Simulated& simulated, sim::NodeSet explained) {
  explained -= simulated.diagnosis->feasible();
  // The pod is that of one choice of flavors; another one may fit.
  if (simulated.by_flavor.size() > 1) explained -= simulated.diagnosis->unknown();
  return sim::causes_on(explained, simulated.pod, *simulated.cluster);
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

std::vector<NodeGroup> node_groups(const sim::Simulated& simulated) {
  const auto causes = causes_on_nodes(simulated, simulated.cluster->all());
  const auto in_words = [&](const sim::Simulated& of, std::size_t node) {
    return reasons_in_words(of, causes[node], node);
  };
  std::vector<NodeGroup> groups = grouped(simulated, in_words);
  if (groups.size() > kMaxGroups) groups = grouped(simulated, of_all_filters);
  if (groups.size() <= kMaxGroups) return groups;
  return grouped(simulated, of_first_filter);
}

}  // namespace cnsched::cli
