// Each cell contains the text of its panel. CSS does not display the text, which would make the
// layout of many cells slow, until the cell has the pointer or the focus; then it is shown at the
// bottom of the window. The signs of the verdicts come from CSS, with words for screen readers.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/output/origins.h"
#include "cli/output/simulation_html.h"
#include "cli/output/xml.h"
#include "core/workloads/pool_fit.h"

namespace cnsched::cli {

namespace {

using sim::Diagnosis;
using sim::Simulated;
using sim::Verdict;

/// Browsers scroll smoothly up to this number, for all tables of a page.
constexpr std::size_t kMaxCells = 60'000;
constexpr std::size_t kMaxColumns = 2'000;
constexpr std::size_t kMinColumns = 20;
/// Up to this number, columns are wide enough for text.
constexpr std::size_t kMaxWideColumns = 6;
constexpr std::size_t kMaxHintLength = 90;
constexpr std::size_t kMaxVerticalName = 24;
constexpr std::size_t kMaxNodesNamed = 40;

struct MapRow {
  std::size_t index = 0;
  const Simulated* simulated = nullptr;
  std::string name;
};

class Map {
 public:
  Map(const SimulationOutcome& outcome, const std::vector<std::size_t>& workloads,
      std::ostream& out);
  void write() const;

 private:
  std::vector<NodeColumn> columns(const std::vector<std::size_t>& workloads) const;
  void write_head() const;
  void write_row(const MapRow& row) const;
  void write_row_head(const MapRow& row) const;
  void write_notes(const MapRow& row) const;
  Lines problems_of(const MapRow& row) const;
  Lines changes_for(const MapRow& row) const;
  void write_cells(const MapRow& row) const;
  void write_cell(const MapRow& row, std::size_t column,
                  const std::vector<sim::Cause>& causes) const;
  void write_mixed_cell(const MapRow& row, std::size_t column) const;

  std::string column_head(const NodeColumn& column) const;
  std::string column_panel(std::size_t column) const;
  void add_node(std::size_t node, Lines& lines) const;
  void add_names(const std::vector<std::size_t>& nodes, Lines& lines) const;
  std::string row_panel(const MapRow& row) const;
  Lines cell_lines(const MapRow& row, const NodeColumn& column,
                   const std::vector<sim::Cause>& causes) const;
  void add_causes(const NodeColumn& column, const std::vector<sim::Cause>& causes,
                  Lines& lines) const;
  /// The short text of a wide cell.
  static std::string hint(const MapRow& row, std::size_t node,
                          const std::vector<sim::Cause>& causes);
  std::string location_of(const MapRow& row, std::size_t max_length) const;
  std::string node_name(std::size_t node) const {
    return shortened(cluster_.node(node).name, kMaxNameLength);
  }
  std::string column_name(const NodeColumn& column) const;
  bool is_wide() const { return columns_.size() <= kMaxWideColumns; }

  const SimulationOutcome& outcome_;
  const sim::Cluster& cluster_;
  std::vector<MapRow> rows_;
  std::vector<NodeColumn> columns_;
  std::vector<std::string> column_names_;
  std::ostream& out_;
};

std::string object_name(const Simulated& simulated) {
  const k8s::Object& object = *simulated.workload->object;
  return shortened(object.name.empty() ? object.kind : object.name);
}

std::string kind_of(const Simulated& simulated) {
  return shortened(simulated.workload->object->kind);
}

/// ", predictor".
std::string component_of(const Simulated& simulated) {
  const std::string& component = simulated.workload->component;
  return component.empty() ? "" : ", " + shortened(component);
}

/// " · 2 replicas".
std::string replicas_of(const Simulated& simulated) {
  const auto replicas = simulated.workload->replicas;
  if (!replicas) return {};
  return fmt::format(" · {} replica{}", *replicas, *replicas == 1 ? "" : "s");
}

/// "3/12".
std::string share_of(const Simulated& simulated) {
  const std::size_t feasible = simulated.diagnosis ? simulated.diagnosis->feasible().count() : 0;
  return fmt::format("{}/{}", feasible, simulated.cluster->size());
}

std::string score_of(const Diagnosis& diagnosis, const NodeColumn& column) {
  std::int64_t low = *diagnosis.score(column.nodes.front());
  std::int64_t high = low;
  for (const std::size_t node : column.nodes) {
    const std::int64_t score = *diagnosis.score(node);
    low = std::min(low, score);
    high = std::max(high, score);
  }
  const std::string range = low == high ? "" : fmt::format(" to {}", high);
  return fmt::format("score {}{} for what the pod prefers", low, range);
}

Map::Map(const SimulationOutcome& outcome, const std::vector<std::size_t>& workloads,
         std::ostream& out)
    : outcome_(outcome),
      cluster_(*outcome.simulation.workloads()[workloads.front()].cluster),
      columns_(columns(workloads)),
      out_(out) {
  for (const std::size_t index : workloads) {
    const Simulated& simulated = outcome.simulation.workloads()[index];
    rows_.push_back({index, &simulated, object_name(simulated)});
  }
  for (const NodeColumn& column : columns_) column_names_.push_back(column_name(column));
}

std::vector<NodeColumn> Map::columns(const std::vector<std::size_t>& workloads) const {
  std::vector<const Simulated*> rows;
  for (const std::size_t index : workloads) {
    rows.push_back(&outcome_.simulation.workloads()[index]);
  }
  if (outcome_.only_node.empty()) {
    return node_columns(
        rows, cluster_,
        std::clamp(kMaxCells / outcome_.workloads.size(), kMinColumns, kMaxColumns));
  }
  std::vector<NodeColumn> columns = node_columns(rows, cluster_, cluster_.size());
  for (NodeColumn& column : columns) {
    std::erase_if(column.nodes,
                  [&](std::size_t node) { return cluster_.node(node).name != outcome_.only_node; });
  }
  std::erase_if(columns, [](const NodeColumn& column) { return column.nodes.empty(); });
  return columns;
}

/// "gpu-a and 11 more".
std::string Map::column_name(const NodeColumn& column) const {
  if (!column.is_uniform) return fmt::format("{} others", column.nodes.size());
  const std::size_t more = column.nodes.size() - 1;
  return node_name(column.nodes.front()) + (more == 0 ? "" : fmt::format(" and {} more", more));
}

void Map::write() const {
  if (!columns_.empty() && !columns_.back().is_uniform) {
    out_ << fmt::format(
        "<p>The table is limited to {} columns. The last one stands for {} nodes with different "
        "verdicts or reasons.</p>\n",
        columns_.size(), columns_.back().nodes.size());
  }
  out_ << "<table class=\"" << (is_wide() ? "roomy" : "dense") << "\">\n<caption>"
       << "Which workload fits on which node</caption>\n";
  write_head();
  out_ << "<tbody>\n";
  for (const MapRow& row : rows_) write_row(row);
  out_ << "</tbody>\n</table>\n";
}

void Map::write_head() const {
  out_ << "<thead><tr><th scope=\"col\" class=\"corner\">workload</th>\n";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    out_ << "<th scope=\"col\" tabindex=\"0\">" << column_head(columns_[i]) << column_panel(i)
         << "</th>\n";
  }
  out_ << "</tr></thead>\n";
}

std::string Map::column_head(const NodeColumn& column) const {
  if (!column.is_uniform) return fmt::format("<span>{}</span>", column_name(column));
  const std::string_view name = cluster_.node(column.nodes.front()).name;
  const std::string html =
      fmt::format("<span>{}</span>",
                  xml_escaped(shortened(name, is_wide() ? kMaxNameLength : kMaxVerticalName)));
  const std::size_t more = column.nodes.size() - 1;
  if (more == 0) return html;
  return html + (is_wide() ? fmt::format(" <small>and {} more</small>", more)
                           : fmt::format("<small>+{}</small>", more));
}

std::string Map::column_panel(std::size_t i) const {
  const NodeColumn& column = columns_[i];
  Lines lines;
  if (!column.is_uniform) {
    lines.add("These nodes have different verdicts or reasons; the number of columns is limited.");
  } else if (column.nodes.size() > 1) {
    lines.add("Every workload has the same verdict and the same reasons for each of them.");
  } else {
    add_node(column.nodes.front(), lines);
  }
  if (column.nodes.size() > 1) add_names(column.nodes, lines);
  return panel(column_names_[i], lines);
}

void Map::add_node(std::size_t node, Lines& lines) const {
  if (cluster_.autoscaled().contains(node)) {
    lines.add("A pool to which an autoscaler adds nodes on demand.");
  }
  lines.add_all("taint ", cluster_.node(node).taints,
                [](const k8s::Taint& taint) { return to_string(taint); });
}

void Map::add_names(const std::vector<std::size_t>& nodes, Lines& lines) const {
  std::vector<std::string> names;
  const std::size_t shown = std::min(nodes.size(), kMaxNodesNamed);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(node_name(nodes[i]));
  if (shown < nodes.size()) names.push_back(fmt::format("{} more", nodes.size() - shown));
  lines.add_long(fmt::format("{}", fmt::join(names, ", ")));
}

void Map::write_row(const MapRow& row) const {
  out_ << "<tr>";
  write_row_head(row);
  if (row.simulated->diagnosis) {
    write_cells(row);
  } else if (!columns_.empty()) {
    out_ << fmt::format("<td class=\"n\" colspan=\"{}\"></td>", columns_.size());
  }
  out_ << "</tr>\n";
  write_notes(row);
}

void Map::write_cells(const MapRow& row) const {
  const Diagnosis& diagnosis = *row.simulated->diagnosis;
  sim::NodeSet explained = cluster_.none();
  for (const NodeColumn& column : columns_) {
    const std::size_t node = column.nodes.front();
    if (column.is_uniform && diagnosis.verdict(node) == Verdict::infeasible) explained.insert(node);
  }
  const auto causes = sim::causes_on(explained, row.simulated->pod, cluster_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].is_uniform) {
      write_cell(row, i, causes[columns_[i].nodes.front()]);
    } else {
      write_mixed_cell(row, i);
    }
  }
}

std::string Map::location_of(const MapRow& row, std::size_t max_length) const {
  return shortened(
      describe_line(row.simulated->workload->object->root->span, outcome_.workspace.sources),
      max_length);
}

void Map::write_row_head(const MapRow& row) const {
  const Simulated& simulated = *row.simulated;
  const WorkloadStatus status = status_of(simulated);
  out_ << fmt::format(
      "<th scope=\"row\" tabindex=\"0\"><span><b>{}</b><em class=\"{}\">{} <small>{}</small></em>"
      "</span><small class=\"place\">{}</small>{}</th>\n",
      xml_escaped(row.name), class_of(status), words_of(status), share_of(simulated),
      xml_escaped(fmt::format("{} · {}{}{}", location_of(row, kMaxNameLength), kind_of(simulated),
                              component_of(simulated), replicas_of(simulated))),
      row_panel(row));
}

std::string Map::row_panel(const MapRow& row) const {
  const Simulated& simulated = *row.simulated;
  const std::string_view ns = simulated.workload->object->ns;
  Lines lines;
  lines.add(location_of(row, kMaxTextLength / 2) + replicas_of(simulated));
  if (simulated.diagnosis) lines.add(simulated.event());
  if (simulated.pod.is_gated)
    lines.add("without its schedulingGates: " + simulated.diagnosis->summary());
  lines.add_all("assumed: ", simulated.pod.assumptions, [](const auto& text) { return text; });
  const std::string warning = outcome_.lint_warning(row.index);
  if (!warning.empty()) lines.add("cnsched lint " + warning);
  if (!outcome_.placements.of_workload.empty() && simulated.diagnosis) {
    const sim::Placement& placement = outcome_.placements.of_workload[row.index];
    lines.add(fmt::format("{} of {} placed, together with all other workloads",
                          placement.nodes.size(), placement.replicas));
  }
  return panel(fmt::format("{} {}{}{}", kind_of(simulated), row.name, component_of(simulated),
                           ns.empty() ? "" : ", namespace " + shortened(ns)),
               lines);
}

/// Below a workload that fits nowhere: the reasons and the suggested changes.
void Map::write_notes(const MapRow& row) const {
  const Lines problems = problems_of(row);
  if (problems.empty()) return;
  out_ << fmt::format("<tr class=\"event\"><td colspan=\"{}\"><span>{}</span>", columns_.size() + 1,
                      problems.html());
  const Lines changes = changes_for(row);
  if (!changes.empty()) out_ << "<span class=\"help\">" << changes.html() << "</span>";
  out_ << "</td></tr>\n";
}

Lines Map::problems_of(const MapRow& row) const {
  const Simulated& simulated = *row.simulated;
  Lines lines;
  if (!simulated.diagnosis)
    lines.add_long(fmt::format("no pod is created: {}", simulated.workload->why_never_created()));
  const WorkloadStatus status = status_of(simulated);
  if (status == WorkloadStatus::nowhere || status == WorkloadStatus::preempts) {
    lines.add_long(simulated.event());
  }
  if (simulated.preempts()) lines.add_long(preemption_text(simulated));
  if (outcome_.placements.of_workload.empty() || !simulated.diagnosis) return lines;
  const sim::Placement& placement = outcome_.placements.of_workload[row.index];
  if (!placement.is_complete()) {
    lines.add_long(fmt::format("{} of {} placed; {}", placement.nodes.size(), placement.replicas,
                               placement.why_incomplete()));
  }
  lines.add_all("evicts ", placement.evictions, [&](const sim::Eviction& eviction) {
    return victims_text(eviction.victims, placement.cluster->node(eviction.node).name,
                        simulated.workload->object->ns);
  });
  return lines;
}

Lines Map::changes_for(const MapRow& row) const {
  Lines lines;
  const auto advice = outcome_.advice.find(row.index);
  if (advice == outcome_.advice.end()) return lines;
  if (!advice->second.exclusion.empty()) {
    lines.add_long(advice->second.exclusion);
  }
  lines.add_all("change: ", advice->second.suggestions, [&](const sim::Suggestion& suggestion) {
    return text_of(suggestion, cluster_, outcome_.workspace);
  });
  return lines;
}

void Map::write_cell(const MapRow& row, std::size_t i,
                     const std::vector<sim::Cause>& causes) const {
  const NodeColumn& column = columns_[i];
  const std::size_t node = column.nodes.front();
  const Verdict verdict = row.simulated->diagnosis->verdict(node);
  out_ << "<td class=\"" << class_of(verdict) << "\" tabindex=\"0\">";
  if (is_wide()) {
    out_ << (verdict == Verdict::ok ? "<em aria-hidden=\"true\">" : "<em>")
         << xml_escaped(cut(hint(row, node, causes), kMaxHintLength)) << "</em>";
  }
  out_ << panel(fmt::format("{} on {}: {}", row.name, column_names_[i], words_of(verdict)),
                cell_lines(row, column, causes))
       << "</td>\n";
}

/// The shortest cause of the first plugin that rejects the node.
std::string Map::hint(const MapRow& row, std::size_t node, const std::vector<sim::Cause>& causes) {
  const Diagnosis& diagnosis = *row.simulated->diagnosis;
  const Verdict verdict = diagnosis.verdict(node);
  if (verdict == Verdict::ok) return std::string(words_of(verdict));
  std::string text(diagnosis.reasons(node).front());
  if (verdict == Verdict::unknown) return text;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i].plugin != causes.front().plugin) break;
    if (i == 0 || causes[i].text.size() < text.size()) text = causes[i].text;
  }
  return text;
}

Lines Map::cell_lines(const MapRow& row, const NodeColumn& column,
                      const std::vector<sim::Cause>& causes) const {
  const Diagnosis& diagnosis = *row.simulated->diagnosis;
  const std::size_t node = column.nodes.front();
  Lines lines;
  if (diagnosis.verdict(node) == Verdict::ok) {
    lines.add(score_of(diagnosis, column));
    return lines;
  }
  const auto first = diagnosis.reasons(node);
  auto others = diagnosis.all_reasons(node);
  std::erase_if(others, [&](std::string_view reason) {
    return std::ranges::find(first, reason) != first.end();
  });
  lines.add_all("", first, std::identity());
  lines.add_all("also: ", others, std::identity());
  add_causes(column, causes, lines);
  return lines;
}

void Map::add_causes(const NodeColumn& column, const std::vector<sim::Cause>& causes,
                     Lines& lines) const {
  if (causes.empty()) return;
  if (column.nodes.size() > 1) {
    lines.add(fmt::format("On {}:", node_name(column.nodes.front())));
  }
  lines.add_all("– ", causes, [](const sim::Cause& cause) { return cause.text; });
}

/// A cell for nodes with different verdicts or reasons has numbers only.
void Map::write_mixed_cell(const MapRow& row, std::size_t i) const {
  const Diagnosis& diagnosis = *row.simulated->diagnosis;
  sim::NodeSet nodes = cluster_.none();
  for (const std::size_t node : columns_[i].nodes) nodes.insert(node);
  const std::size_t feasible = (diagnosis.feasible() & nodes).count();
  const std::size_t unknown = (diagnosis.unknown() & nodes).count();
  const Verdict best = feasible > 0  ? Verdict::ok
                       : unknown > 0 ? Verdict::unknown
                                     : Verdict::infeasible;
  Lines lines;
  lines.add(fmt::format("fits on {} of {}{}", feasible, nodes.count(),
                        unknown == 0 ? "" : fmt::format(", unknown on {}", unknown)));
  out_ << "<td class=\"" << class_of(best) << "\" tabindex=\"0\">"
       << panel(fmt::format("{} on {}", row.name, column_names_[i]), lines) << "</td>\n";
}

}  // namespace

void write_simulation_map(const SimulationOutcome& outcome,
                          const std::vector<std::size_t>& workloads, std::ostream& out) {
  Map(outcome, workloads, out).write();
}

}  // namespace cnsched::cli
