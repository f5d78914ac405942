// InferenceService 'llama', predictor (svc.yaml:1)
// 1/3 nodes are available: 2 node(s) had untolerated taint(s).
//   ok          gpu-3
//   infeasible  gpu-1, gpu-2
//                 taint 'dedicated=ml:NoSchedule' is not tolerated
//   change      svc.yaml:12 …

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/node_groups.h"
#include "cli/output/origins.h"
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
    out_ << style_(Paint::strong, title_of(*simulated.workload, outcome_.workspace)) << '\n';
    if (simulated.diagnosis) {
      event(simulated);
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
      lines("unknown", paint_of(Verdict::unknown), kShippedServer);
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
  void event(const Simulated& simulated) {
    const WorkloadStatus status = status_of(simulated);
    const Paint paint = status == WorkloadStatus::fits      ? Paint::help
                        : status == WorkloadStatus::nowhere ? Paint::error
                                                            : Paint::warning;
    for (const std::string& line : wrap(simulated.event(), width_)) {
      out_ << style_(paint, line) << '\n';
    }
  }

  void nodes(const Simulated& simulated) {
    const std::vector<NodeGroup> groups = node_groups(simulated);
    // A score is useful only in comparison with another one.
    const bool scored = groups.size() > 1 && groups[1].verdict == Verdict::ok;
    for (const NodeGroup& of : groups) {
      const std::string score = scored && of.score ? fmt::format(" (score {})", *of.score) : "";
      group(of.verdict, names_of(of.nodes, *simulated.cluster) + score, of.reasons);
    }
  }

  void group(Verdict verdict, const std::string& names, const std::vector<std::string>& reasons) {
    lines(name_of(verdict), paint_of(verdict), names);
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

}  // namespace

void write_simulation(const SimulationOutcome& outcome, std::size_t width, bool colored,
                      std::ostream& out) {
  SimulationReport page(outcome, width, colored, out);
  for (const std::size_t index : outcome.workloads) page.write(index);
  for (const std::size_t index : outcome.shown_models) page.write(outcome.models.models()[index]);
  for (const auto& [index, counts] : outcome.placements.nodes) page.write(index, counts);
}

}  // namespace cnsched::cli
