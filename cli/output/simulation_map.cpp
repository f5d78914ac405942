// What a cell has to tell stands in it as text, not laid out (which takes browsers long, for many)
// until it is pointed at or has the focus, and shown in a panel at the bottom of the window. The
// signs of the verdicts are CSS's, which gives screen readers words for them.

#include "cli/output/simulation_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/output/origins.h"
#include "cli/output/simulation_columns.h"
#include "cli/output/simulation_page.h"
#include "cli/output/suggestion.h"
#include "cli/output/xml.h"
#include "core/workloads/pool_fit.h"

namespace cnsched::cli {

namespace {

using sim::Diagnosis;
using sim::Simulated;
using sim::Verdict;

/// Browsers still scroll through that much, in all maps of a page.
constexpr std::size_t kMostCells = 60'000;
constexpr std::size_t kMostColumns = 2'000;
constexpr std::size_t kFewestColumns = 20;
/// So few columns have room for words.
constexpr std::size_t kRoomyColumns = 6;
constexpr std::size_t kLongestHint = 90;
constexpr std::size_t kLongestVerticalName = 24;
constexpr std::size_t kMostNames = 40;

struct Row {
  std::size_t place = 0;
  const Simulated* simulated = nullptr;
  std::string name;
};

class Map {
 public:
  Map(const SimulationOutcome& outcome, const std::vector<std::size_t>& places, std::ostream& out);
  void write() const;

 private:
  std::vector<NodeColumn> columns(const std::vector<std::size_t>& places) const;
  void write_head() const;
  void write_row(const Row& row) const;
  void write_row_head(const Row& row) const;
  void write_notes(const Row& row) const;
  Lines troubles_of(const Row& row) const;
  Lines changes_for(const Row& row) const;
  void write_cell(const Row& row, std::size_t column) const;
  void write_mixed_cell(const Row& row, std::size_t column) const;

  std::string column_head(const NodeColumn& column) const;
  std::string column_panel(std::size_t column) const;
  void add_node(std::size_t node, Lines& lines) const;
  void add_names(const std::vector<std::size_t>& nodes, Lines& lines) const;
  std::string row_panel(const Row& row) const;
  Lines told_of(const Row& row, const NodeColumn& column) const;
  void add_obstacles(const Row& row, const NodeColumn& column, Lines& lines) const;
  /// What stands in a cell that has room for a little.
  std::string hint(const Row& row, std::size_t node) const;
  std::string place_of(const Row& row, std::size_t most) const;
  std::string node_name(std::size_t node) const {
    return shortened(cluster_.node(node).name, kLongestName);
  }
  std::string column_name(const NodeColumn& column) const;
  bool is_roomy() const { return columns_.size() <= kRoomyColumns; }

  const SimulationOutcome& outcome_;
  const sim::Cluster& cluster_;
  std::vector<Row> rows_;
  std::vector<NodeColumn> columns_;
  std::vector<std::string> column_names_;
  std::ostream& out_;
};

std::string name_of(const Simulated& simulated) {
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

Map::Map(const SimulationOutcome& outcome, const std::vector<std::size_t>& places,
         std::ostream& out)
    : outcome_(outcome),
      cluster_(*outcome.simulation.workloads()[places.front()].cluster),
      columns_(columns(places)),
      out_(out) {
  for (const std::size_t place : places) {
    const Simulated& simulated = outcome.simulation.workloads()[place];
    rows_.push_back({place, &simulated, name_of(simulated)});
  }
  for (const NodeColumn& column : columns_) column_names_.push_back(column_name(column));
}

std::vector<NodeColumn> Map::columns(const std::vector<std::size_t>& places) const {
  std::vector<const Simulated*> workloads;
  for (const std::size_t place : places) {
    workloads.push_back(&outcome_.simulation.workloads()[place]);
  }
  if (outcome_.only_node.empty()) {
    return node_columns(
        workloads, cluster_,
        std::clamp(kMostCells / outcome_.workloads.size(), kFewestColumns, kMostColumns));
  }
  std::vector<NodeColumn> columns = node_columns(workloads, cluster_, cluster_.size());
  for (NodeColumn& column : columns) {
    std::erase_if(column.nodes,
                  [&](std::size_t node) { return cluster_.node(node).name != outcome_.only_node; });
  }
  std::erase_if(columns, [](const NodeColumn& column) { return column.nodes.empty(); });
  return columns;
}

/// "gpu-a and 11 more".
std::string Map::column_name(const NodeColumn& column) const {
  if (!column.is_alike) return fmt::format("{} others", column.nodes.size());
  const std::size_t more = column.nodes.size() - 1;
  return node_name(column.nodes.front()) + (more == 0 ? "" : fmt::format(" and {} more", more));
}

void Map::write() const {
  if (!columns_.empty() && !columns_.back().is_alike) {
    out_ << fmt::format(
        "<p>There is room for {} columns: the last one stands for {} nodes that are not "
        "alike.</p>\n",
        columns_.size(), columns_.back().nodes.size());
  }
  out_ << "<table class=\"" << (is_roomy() ? "roomy" : "dense") << "\">\n<caption>"
       << "Which workload fits on which node</caption>\n";
  write_head();
  out_ << "<tbody>\n";
  for (const Row& row : rows_) write_row(row);
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
  if (!column.is_alike) return fmt::format("<span>{}</span>", column_name(column));
  const std::string_view name = cluster_.node(column.nodes.front()).name;
  const std::string html =
      fmt::format("<span>{}</span>",
                  xml_escaped(shortened(name, is_roomy() ? kLongestName : kLongestVerticalName)));
  const std::size_t more = column.nodes.size() - 1;
  if (more == 0) return html;
  return html + (is_roomy() ? fmt::format(" <small>and {} more</small>", more)
                            : fmt::format("<small>+{}</small>", more));
}

std::string Map::column_panel(std::size_t i) const {
  const NodeColumn& column = columns_[i];
  Lines lines;
  if (!column.is_alike) {
    lines.add("They are not alike, but there is no room for a column for each.");
  } else if (column.nodes.size() > 1) {
    lines.add("Every workload has the same verdict and the same reasons for each of them.");
  } else {
    add_node(column.nodes.front(), lines);
  }
  if (column.nodes.size() > 1) add_names(column.nodes, lines);
  return panel(column_names_[i], lines);
}

void Map::add_node(std::size_t node, Lines& lines) const {
  if (cluster_.elastic().contains(node)) {
    lines.add("It stands for nodes that an autoscaler adds as they are needed.");
  }
  lines.add_all("taint ", cluster_.node(node).taints,
                [](const k8s::Taint& taint) { return to_string(taint); });
}

void Map::add_names(const std::vector<std::size_t>& nodes, Lines& lines) const {
  std::vector<std::string> names;
  const std::size_t shown = std::min(nodes.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(node_name(nodes[i]));
  if (shown < nodes.size()) names.push_back(fmt::format("{} more", nodes.size() - shown));
  lines.add_long(fmt::format("{}", fmt::join(names, ", ")));
}

void Map::write_row(const Row& row) const {
  out_ << "<tr>";
  write_row_head(row);
  for (std::size_t i = 0; i < columns_.size() && row.simulated->diagnosis; ++i) {
    columns_[i].is_alike ? write_cell(row, i) : write_mixed_cell(row, i);
  }
  if (!row.simulated->diagnosis && !columns_.empty()) {
    out_ << fmt::format("<td class=\"n\" colspan=\"{}\"></td>", columns_.size());
  }
  out_ << "</tr>\n";
  write_notes(row);
}

std::string Map::place_of(const Row& row, std::size_t most) const {
  return shortened(line_of(row.simulated->workload->object->root->span, outcome_.workspace), most);
}

void Map::write_row_head(const Row& row) const {
  const Simulated& simulated = *row.simulated;
  const Fate fate = fate_of(simulated);
  out_ << fmt::format(
      "<th scope=\"row\" tabindex=\"0\"><span><b>{}</b><em class=\"{}\">{} <small>{}</small></em>"
      "</span><small class=\"place\">{}</small>{}</th>\n",
      xml_escaped(row.name), class_of(fate), words_of(fate), share_of(simulated),
      xml_escaped(fmt::format("{} · {}{}{}", place_of(row, kLongestName), kind_of(simulated),
                              component_of(simulated), replicas_of(simulated))),
      row_panel(row));
}

std::string Map::row_panel(const Row& row) const {
  const Simulated& simulated = *row.simulated;
  const std::string_view ns = simulated.workload->object->ns;
  Lines lines;
  lines.add(place_of(row, kLongestText / 2) + replicas_of(simulated));
  if (simulated.diagnosis) lines.add(simulated.diagnosis->event());
  if (simulated.pod.is_gated) lines.add("It waits until its schedulingGates are removed.");
  lines.add_all("assumed: ", simulated.pod.assumptions, [](const auto& text) { return text; });
  const std::string doubt = outcome_.doubt_about(row.place);
  if (!doubt.empty()) lines.add("cnsched lint " + doubt);
  if (!outcome_.placements.empty() && simulated.diagnosis) {
    const sim::Placement& placement = outcome_.placements[row.place];
    lines.add(fmt::format("{} of {} placed, together with all other workloads",
                          placement.nodes.size(), placement.wanted));
  }
  return panel(fmt::format("{} {}{}{}", kind_of(simulated), row.name, component_of(simulated),
                           ns.empty() ? "" : ", namespace " + shortened(ns)),
               lines);
}

/// Below a workload that finds no place, why, and what helps.
void Map::write_notes(const Row& row) const {
  const Lines troubles = troubles_of(row);
  if (troubles.empty()) return;
  out_ << fmt::format("<tr class=\"event\"><td colspan=\"{}\"><span>{}</span>", columns_.size() + 1,
                      troubles.html());
  const Lines changes = changes_for(row);
  if (!changes.empty()) out_ << "<span class=\"help\">" << changes.html() << "</span>";
  out_ << "</td></tr>\n";
}

Lines Map::troubles_of(const Row& row) const {
  const Simulated& simulated = *row.simulated;
  Lines lines;
  if (!simulated.diagnosis) lines.add_long("no pod is created: " + simulated.never_created);
  if (fate_of(simulated) == Fate::nowhere) lines.add_long(simulated.diagnosis->event());
  if (outcome_.placements.empty() || !simulated.diagnosis) return lines;
  const sim::Placement& placement = outcome_.placements[row.place];
  if (!placement.is_complete()) {
    lines.add_long(fmt::format("{} of {} placed, then the room runs out: {}",
                               placement.nodes.size(), placement.wanted, placement.event));
  }
  return lines;
}

Lines Map::changes_for(const Row& row) const {
  Lines lines;
  const auto advice = outcome_.advice.find(row.place);
  if (advice == outcome_.advice.end()) return lines;
  if (!advice->second.exclusion.empty()) {
    lines.add_long(advice->second.exclusion);
  }
  lines.add_all("change: ", advice->second.suggestions, [&](const sim::Suggestion& suggestion) {
    return text_of(suggestion, cluster_, outcome_.workspace);
  });
  return lines;
}

void Map::write_cell(const Row& row, std::size_t i) const {
  const NodeColumn& column = columns_[i];
  const std::size_t node = column.nodes.front();
  const Verdict verdict = row.simulated->diagnosis->verdict(node);
  out_ << "<td class=\"" << class_of(verdict) << "\" tabindex=\"0\">";
  if (is_roomy()) {
    out_ << (verdict == Verdict::ok ? "<em aria-hidden=\"true\">" : "<em>")
         << xml_escaped(cut(hint(row, node), kLongestHint)) << "</em>";
  }
  out_ << panel(fmt::format("{} on {}: {}", row.name, column_names_[i], words_of(verdict)),
                told_of(row, column))
       << "</td>\n";
}

/// Of what is in the way of the first filter that fails, the shortest.
std::string Map::hint(const Row& row, std::size_t node) const {
  const Diagnosis& diagnosis = *row.simulated->diagnosis;
  const Verdict verdict = diagnosis.verdict(node);
  if (verdict == Verdict::ok) return std::string(words_of(verdict));
  std::string text(diagnosis.reasons(node).front());
  if (verdict == Verdict::unknown) return text;
  const auto obstacles = sim::obstacles(row.simulated->pod, cluster_, node);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (obstacles[i].plugin != obstacles.front().plugin) break;
    if (i == 0 || obstacles[i].text.size() < text.size()) text = obstacles[i].text;
  }
  return text;
}

Lines Map::told_of(const Row& row, const NodeColumn& column) const {
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
  if (diagnosis.verdict(node) == Verdict::infeasible) add_obstacles(row, column, lines);
  return lines;
}

void Map::add_obstacles(const Row& row, const NodeColumn& column, Lines& lines) const {
  const std::size_t node = column.nodes.front();
  const auto obstacles = sim::obstacles(row.simulated->pod, cluster_, node);
  if (obstacles.empty()) return;
  if (column.nodes.size() > 1) lines.add(fmt::format("On {}:", node_name(node)));
  lines.add_all("– ", obstacles, [](const sim::Obstacle& obstacle) { return obstacle.text; });
}

/// Of nodes that are not alike there are only numbers to tell.
void Map::write_mixed_cell(const Row& row, std::size_t i) const {
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
                        unknown == 0 ? "" : fmt::format(", on {} it is not known", unknown)));
  out_ << "<td class=\"" << class_of(best) << "\" tabindex=\"0\">"
       << panel(fmt::format("{} on {}", row.name, column_names_[i]), lines) << "</td>\n";
}

}  // namespace

void write_simulation_map(const SimulationOutcome& outcome, const std::vector<std::size_t>& places,
                          std::ostream& out) {
  Map(outcome, places, out).write();
}

}  // namespace cnsched::cli
