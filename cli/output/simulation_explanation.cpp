// --explain: the effective pod of one workload and each node. --node: one node and each workload.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/output/pods.h"
#include "cli/output/safe_text.h"
#include "cli/output/simulation.h"
#include "core/base/text.h"
#include "core/workspace/toleration_change.h"

namespace cnsched::cli {

namespace {

using sim::Simulated;

class Explanation {
 public:
  Explanation(const Workspace& workspace, std::size_t width, bool colored, std::ostream& out)
      : workspace_(workspace), width_(width), style_(colored), out_(out) {}

  void pod(const sim::Pod& pod) {
    out_ << style_(Paint::strong, "Effective pod") << '\n';
    requests(pod);
    selection(pod);
    tolerations(pod);
    others(pod);
    out_ << '\n';
  }

  void nodes(const Simulated& simulated, bool each_node) {
    out_ << style_(Paint::strong, "Nodes") << '\n';
    std::vector<NodeGroup> groups = node_groups(simulated, Reasons::full, each_node);
    std::ranges::sort(groups, {}, [](const NodeGroup& group) { return group.nodes.front(); });
    for (const NodeGroup& group : groups) {
      const std::string names = names_of(group.nodes, *simulated.cluster) +
                                (group.score ? fmt::format(" (score {})", *group.score) : "");
      std::string_view label = name_of(group.verdict);
      for (const std::string& line : wrap(names, width_ - kItemIndent)) {
        out_ << fmt::format("  {:{}}  {}\n", style_(paint_of(group.verdict), label),
                            kVerdictWidth + paint_width(group.verdict, label), line);
        label = "";
      }
      for (const std::string& reason : group.reasons) item(reason);
    }
    out_ << '\n';
  }

  void new_nodes(const sim::Outlook& outlook) {
    out_ << style_(Paint::strong, "New nodes") << '\n';
    for (const sim::PoolOutlook& of : outlook.pools) {
      fact(name_of(of.verdict), outlook_text(outlook, of));
      for (std::size_t i = 1; i < of.reasons.size(); ++i) item(of.reasons[i]);
    }
    out_ << '\n';
  }

  /// A workload that may run on the node, and whether it selects the node.
  void workload_on_node(const Simulated& simulated, Truth verdict) {
    const std::string name = described(*simulated.workload, workspace_);
    out_ << fmt::format("  {:{}}  {}\n", style_(paint_of(verdict), name_of(verdict)),
                        kVerdictWidth + paint_width(verdict, name_of(verdict)), name);
    item(!sim::is_unconstrained(simulated)
             ? "its constraints or device requests select nodes like this one"
             : "no constraint selects this node; while one of its pods runs here, the "
               "autoscaler does not remove the node");
  }

  void running_pod(const std::string& pod) {
    out_ << fmt::format("  {:{}}  Pod {}\n", "runs now", kVerdictWidth, pod);
  }

  void item(std::string_view text) { write_item(text, kItemIndent, width_, out_); }

  void title(std::string_view text) { out_ << style_(Paint::strong, text) << '\n'; }
  void end() { out_ << '\n'; }

 private:
  static constexpr std::size_t kVerdictWidth = 10;
  static constexpr std::size_t kItemIndent = 14;

  /// The length of the colour codes in a label, which fmt counts as characters.
  std::size_t paint_width(Truth verdict, std::string_view label) const {
    return style_(paint_of(verdict), label).size() - label.size();
  }

  void fact(std::string_view label, const std::string& text) {
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kItemIndent)) {
      out_ << fmt::format("  {:{}}{}\n", is_first ? label : "", kItemIndent - 2, line);
      is_first = false;
    }
  }

  /// " (svc.yaml:12)", or nothing if the value is in no file.
  std::string where(const yaml::Node* node) const {
    return node != nullptr && has_place(*node)
               ? fmt::format(" ({})", describe_line(node->span, workspace_.sources))
               : "";
  }

  void requests(const sim::Pod& pod) {
    for (const k8s::Request& request : pod.requests) {
      std::string text =
          fmt::format("{} {}",
                      request.is_known ? k8s::shown_amount(request.name, request.amount)
                                       : "an unknown amount of",
                      printable(request.name));
      for (const yaml::Node* part : request.written) text += where(part);
      fact("requests", text);
    }
    if (pod.requests.empty()) fact("requests", "nothing");
  }

  void selection(const sim::Pod& pod) {
    if (!pod.node_name.empty()) {
      fact("nodeName", printable(pod.node_name) + where(&pod.spec["nodeName"]));
    }
    for (const k8s::Requirement& r : pod.requirements.selector) {
      if (r.values.empty()) continue;
      fact("selects", fmt::format("{}={}{}", printable(r.key), first_values(r, 1), where(r.node)));
    }
    std::string_view label = "requires";
    for (const k8s::NodeSelectorTerm& term : pod.spec.required_terms()) {
      fact(label, term_text(term) + where(term.node));
      label = "or";
    }
    for (const sim::PreferredTerm& term : pod.preferred_terms) {
      fact("prefers", fmt::format("{}, weight {}{}", term_text(term.term), term.weight,
                                  where(term.term.node)));
    }
  }

  static std::string term_text(const k8s::NodeSelectorTerm& term) {
    std::vector<std::string> parts;
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      for (const k8s::Requirement& r : *requirements) {
        std::string text = fmt::format("{} {}", printable(r.key), printable(r.op));
        std::vector<std::string> values;
        for (const yaml::Node* value : r.values) values.push_back(printable(value->text()));
        if (!values.empty()) text += fmt::format(" [{}]", fmt::join(values, ", "));
        parts.push_back(std::move(text));
      }
    }
    return parts.empty() ? "an empty term, which matches no node" : join_words(parts);
  }

  void tolerations(const sim::Pod& pod) {
    for (const k8s::Toleration& t : pod.tolerations) {
      const bool is_written = t.node != nullptr && has_place(*t.node);
      fact("tolerates", printable(toleration_text(t)) +
                            (is_written ? where(t.node) : std::string(", added by admission")));
    }
    for (const k8s::Toleration& t : pod.resource_tolerations) {
      const std::string how = pod.has_resource_tolerations == Truth::yes
                                  ? ", added by admission (ExtendedResourceToleration)"
                              : pod.has_resource_tolerations == Truth::no
                                  ? ", not added: ExtendedResourceToleration is off"
                                  : ", added if ExtendedResourceToleration is on, which is unknown";
      fact("tolerates", printable(toleration_text(t)) + how);
    }
  }

  void others(const sim::Pod& pod) {
    for (const sim::HostPort& port : pod.host_ports) {
      fact("host port",
           fmt::format("{} {}{}", port.number, printable(port.protocol), where(port.written)));
    }
    for (const std::string& assumption : pod.assumptions) fact("assumed", assumption);
    for (const std::string& unknown : pod.unfiltered) fact("unknown", unknown);
    for (const std::string& unknown : pod.creation_unknown) fact("unknown", unknown);
  }

  const Workspace& workspace_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
};

/// The running Pods on a node.
std::vector<std::string> pods_on(const sim::Cluster& cluster, std::size_t node) {
  std::vector<std::string> names;
  for (const sim::RunningPod& running : cluster.pods()) {
    if (running.node != node || running.count == 0) continue;
    names.push_back(printable(fmt::format("{}/{}", running.pod.ns.name, running.pod.name)));
  }
  return names;
}

}  // namespace

void write_explanation(const SimulationOutcome& outcome, std::size_t workload, std::size_t width,
                       bool colored, std::ostream& out) {
  SimulationOutcome only = outcome;
  only.workloads = {workload};
  only.shown_models.clear();
  write_simulation(only, width, colored, out);
  const Simulated& simulated = outcome.simulation.workloads()[workload];
  if (!simulated.diagnosis) return;
  Explanation explanation(outcome.workspace, width, colored, out);
  explanation.pod(simulated.pod);
  explanation.nodes(simulated, outcome.each_node);
  if (const sim::Outlook* outlook = outcome.outlook(workload)) explanation.new_nodes(*outlook);
}

void write_node(const SimulationOutcome& outcome, std::string_view name, std::size_t width,
                bool colored, std::ostream& out) {
  Explanation explanation(outcome.workspace, width, colored, out);
  std::vector<std::pair<const Simulated*, Truth>> workloads;
  std::set<std::string> running;
  for (const Simulated& simulated : outcome.simulation.workloads()) {
    const auto node = simulated.cluster->find_any(name);
    if (!node || !simulated.diagnosis) continue;
    const Truth verdict = simulated.diagnosis->fits(*node);
    if (verdict != Truth::no) workloads.emplace_back(&simulated, verdict);
    for (const std::string& pod : pods_on(*simulated.cluster, *node)) running.insert(pod);
  }
  explanation.title(fmt::format("{}: {} of {} may run on it", printable(name), workloads.size(),
                                count_of(outcome.simulation.workloads().size(), "workload")));
  for (const auto& [simulated, verdict] : workloads)
    explanation.workload_on_node(*simulated, verdict);
  for (const std::string& pod : running) explanation.running_pod(pod);
  explanation.end();
  write_assumptions(outcome, width, colored, out);
}

}  // namespace cnsched::cli
