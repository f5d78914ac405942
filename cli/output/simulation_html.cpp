// One file that needs no other and no script: what a cell has to tell stands in it as text, hidden
// until it is pointed at or has the focus, and shown in a panel at the bottom of the window. The
// signs of the verdicts are CSS's, so that a screen reader reads words.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "cli/output/simulation.h"
#include "cli/output/simulation_groups.h"
#include "cli/output/simulation_style.h"
#include "cli/output/xml.h"
#include "core/base/text.h"
#include "core/workloads/pool_fit.h"

namespace cnsched::cli {

namespace {

using sim::Diagnosis;
using sim::Simulated;
using sim::Verdict;

/// Browsers still scroll through that much.
constexpr std::size_t kMostRows = 5'000;
constexpr std::size_t kMostCells = 60'000;
constexpr std::size_t kMostColumns = 2'000;
constexpr std::size_t kFewestColumns = 20;
/// So few columns have room for words.
constexpr std::size_t kRoomyColumns = 6;
/// Of what is told of one cell.
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostNames = 40;
constexpr std::size_t kLongestText = 300;
constexpr std::size_t kLongestName = 48;
constexpr std::size_t kLongestVerticalName = 24;
constexpr std::size_t kLongestHint = 90;

/// What becomes of a workload.
enum class Fate : unsigned char { fits, nowhere, unknown, no_pod };

struct FateWords {
  std::string_view sign;      ///< its class in the style sheet
  std::string_view of_one;    ///< in a row
  std::string_view of_some;   ///< behind a number
  std::string_view of_other;  ///< behind the number one, if that differs
};

constexpr std::array<FateWords, 4> kFates = {{{"o", "fits", "fit", "fits"},
                                              {"x", "fits nowhere", "fit nowhere", "fits nowhere"},
                                              {"u", "not known", "not known", "not known"},
                                              {"n", "no pod", "get no pod", "gets no pod"}}};

const FateWords& words_of(Fate fate) { return kFates[static_cast<std::size_t>(fate)]; }

Fate fate_of(const Simulated& simulated) {
  if (!simulated.diagnosis) return Fate::no_pod;
  if (simulated.diagnosis->fits_nowhere()) return Fate::nowhere;
  return simulated.diagnosis->feasible().empty() ? Fate::unknown : Fate::fits;
}

std::string_view sign_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "o";
    case Verdict::unknown:
      return "u";
    case Verdict::infeasible:
      break;
  }
  return "x";
}

std::string_view words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "fits";
    case Verdict::unknown:
      return "not known";
    case Verdict::infeasible:
      break;
  }
  return "does not fit";
}

/// Printable; what is longer loses its middle, for names differ at their ends.
std::string shortened(std::string_view raw, std::size_t most) {
  std::string text = printable(raw);
  if (text.size() <= most) return text;
  const auto is_inside = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80;
  };
  std::size_t head = most / 2;
  std::size_t tail = text.size() - most / 2;
  while (is_inside(head)) --head;
  while (is_inside(tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

/// Printable; what is longer ends early.
std::string cut(std::string_view raw, std::size_t most) {
  std::string text = printable(raw);
  if (text.size() <= most) return text;
  while ((static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return text.substr(0, most) + "…";
}

/// Lines that the style sheet keeps apart.
class Lines {
 public:
  void add(std::string_view text) { lines_.push_back(xml_escaped(cut(text, kLongestText))); }
  /// As many of them as a reader wants to see.
  template <typename Texts, typename TextOf>
  void add_all(std::string_view before, const Texts& texts, TextOf text_of) {
    std::size_t left = std::size(texts);
    for (std::size_t shown = 0; shown < kMostLines && left > 0; ++shown, --left) {
      add(fmt::format("{}{}", before, text_of(texts[shown])));
    }
    if (left > 0) add(fmt::format("{}{} more", before, left));
  }
  std::string html() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

 private:
  std::vector<std::string> lines_;
};

/// What the panel shows of the element that it stands in.
std::string panel(std::string_view heading, const Lines& lines) {
  return fmt::format("<i><b>{}</b>\n{}</i>", xml_escaped(heading), lines.html());
}

/// Some rows, with the nodes that they share.
class Map {
 public:
  Map(const Workspace& workspace, std::vector<const Simulated*> rows, std::ostream& out);
  void write() const;

 private:
  std::string title() const;
  void write_head() const;
  void write_row(const Simulated& row) const;
  void write_row_head(const Simulated& row) const;
  void write_event(const Simulated& row) const;
  void write_cell(const Simulated& row, std::size_t column) const;
  void write_rest(const Simulated& row, std::size_t column) const;

  std::string column_name(const NodeGroup& group) const;
  std::string column_panel(std::size_t column) const;
  std::string row_panel(const Simulated& row) const;
  Lines told_of(const Simulated& row, const NodeGroup& group) const;
  void add_reasons(const Diagnosis& diagnosis, std::size_t node, Lines& lines) const;
  void add_obstacles(const Simulated& row, const NodeGroup& group, Lines& lines) const;
  std::string hint(const Simulated& row, std::size_t node) const;
  std::string node_name(std::size_t node) const;
  /// "gpu-a and 11 more".
  std::string group_name(const NodeGroup& group) const;
  bool is_roomy() const { return groups_.size() <= kRoomyColumns; }

  const Workspace& workspace_;
  std::vector<const Simulated*> rows_;
  const sim::Cluster& cluster_;
  std::vector<NodeGroup> groups_;
  std::vector<std::string> group_names_;
  std::ostream& out_;
};

std::string name_of(const Simulated& simulated) {
  const Workload& workload = *simulated.workload;
  std::string name = shortened(workload.object->name, kLongestName);
  if (name.empty()) name = shortened(workload.object->kind, kLongestName);
  return name;
}

/// "serving/llama.yaml:3".
std::string place_of(const Simulated& simulated, const Workspace& workspace, std::size_t most) {
  const Span where = simulated.workload->object->root->span;
  const SourceFile& file = workspace.file_of(where);
  return fmt::format("{}:{}", shortened(file.path(), most), file.line_of(where.begin));
}

/// " · 2 replicas".
std::string replicas_of(const Simulated& simulated) {
  const auto replicas = simulated.workload->replicas;
  if (!replicas) return {};
  return fmt::format(" · {} replica{}", *replicas, *replicas == 1 ? "" : "s");
}

std::string kind_of(const Simulated& simulated) {
  return shortened(simulated.workload->object->kind, kLongestName);
}

/// ", predictor".
std::string component_of(const Simulated& simulated) {
  const std::string& component = simulated.workload->component;
  return component.empty() ? "" : ", " + shortened(component, kLongestName);
}

/// "3/12".
std::string share_of(const Simulated& simulated) {
  const std::size_t feasible = simulated.diagnosis ? simulated.diagnosis->feasible().count() : 0;
  return fmt::format("{}/{}", feasible, simulated.cluster->size());
}

std::string score_of(const Diagnosis& diagnosis, const NodeGroup& group) {
  std::int64_t low = *diagnosis.score(group.nodes.front());
  std::int64_t high = low;
  for (const std::size_t node : group.nodes) {
    const std::int64_t score = *diagnosis.score(node);
    low = std::min(low, score);
    high = std::max(high, score);
  }
  return low == high ? fmt::format("score {}", low)
                     : fmt::format("scores from {} to {}", low, high);
}

std::size_t columns_for(std::size_t rows) {
  return std::clamp(kMostCells / std::max<std::size_t>(rows, 1), kFewestColumns, kMostColumns);
}

Map::Map(const Workspace& workspace, std::vector<const Simulated*> rows, std::ostream& out)
    : workspace_(workspace),
      rows_(std::move(rows)),
      cluster_(*rows_.front()->cluster),
      groups_(node_groups(rows_, cluster_, columns_for(rows_.size()))),
      out_(out) {
  for (const NodeGroup& group : groups_) group_names_.push_back(group_name(group));
}

std::string Map::node_name(std::size_t node) const {
  return shortened(cluster_.node(node).name, kLongestName);
}

std::string Map::group_name(const NodeGroup& group) const {
  if (!group.is_alike) return fmt::format("{} others", group.nodes.size());
  const std::size_t more = group.nodes.size() - 1;
  return node_name(group.nodes.front()) + (more == 0 ? "" : fmt::format(" and {} more", more));
}

void Map::write() const {
  out_ << "<table class=\"" << (is_roomy() ? "roomy" : "dense") << "\">\n<caption>"
       << "Which workload fits on which node</caption>\n";
  write_head();
  out_ << "<tbody>\n";
  for (const Simulated* row : rows_) write_row(*row);
  out_ << "</tbody>\n</table>\n";
}

void Map::write_head() const {
  out_ << "<thead><tr><th scope=\"col\" class=\"corner\">workload</th>\n";
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    out_ << "<th scope=\"col\" tabindex=\"0\">" << column_name(groups_[i]) << column_panel(i)
         << "</th>\n";
  }
  out_ << "</tr></thead>\n";
}

std::string Map::column_name(const NodeGroup& group) const {
  if (!group.is_alike) return fmt::format("<span>{}</span>", group_name(group));
  const std::string_view name = cluster_.node(group.nodes.front()).name;
  std::string html =
      fmt::format("<span>{}</span>",
                  xml_escaped(shortened(name, is_roomy() ? kLongestName : kLongestVerticalName)));
  const std::size_t more = group.nodes.size() - 1;
  if (more == 0) return html;
  return html + (is_roomy() ? fmt::format(" <small>and {} more</small>", more)
                            : fmt::format("<small>+{}</small>", more));
}

std::string Map::column_panel(std::size_t column) const {
  const NodeGroup& group = groups_[column];
  Lines lines;
  if (!group.is_alike) {
    lines.add("They are not alike, but there is no room for a column for each.");
  } else if (group.nodes.size() > 1) {
    lines.add("Every workload has the same verdict and the same reasons for each of them.");
  }
  const std::size_t first = group.nodes.front();
  if (group.is_alike) {
    lines.add_all(group.nodes.size() == 1 ? "taint " : node_name(first) + " has taint ",
                  cluster_.node(first).taints,
                  [](const k8s::Taint& taint) { return to_string(taint); });
  }
  std::string names;
  const std::size_t shown = std::min(group.nodes.size(), kMostNames);
  for (std::size_t i = 0; i < shown && group.nodes.size() > 1; ++i) {
    names += (i == 0 ? "\n" : ", ") + xml_escaped(node_name(group.nodes[i]));
  }
  if (shown < group.nodes.size()) names += fmt::format(", {} more", group.nodes.size() - shown);
  return fmt::format("<i><b>{}</b>\n{}{}</i>", xml_escaped(group_names_[column]), lines.html(),
                     names);
}

void Map::write_row(const Simulated& row) const {
  out_ << "<tr>";
  write_row_head(row);
  if (!row.diagnosis) {
    out_ << fmt::format("<td class=\"n\" colspan=\"{}\"></td>",
                        std::max<std::size_t>(groups_.size(), 1));
  } else {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].is_alike ? write_cell(row, i) : write_rest(row, i);
    }
  }
  out_ << "</tr>\n";
  write_event(row);
}

void Map::write_row_head(const Simulated& row) const {
  const FateWords& words = words_of(fate_of(row));
  out_ << fmt::format(
      "<th scope=\"row\" tabindex=\"0\"><span><b>{}</b><em class=\"{}\">{} <small>{}</small></em>"
      "</span><small class=\"place\">{}</small>{}</th>\n",
      xml_escaped(name_of(row)), words.sign, words.of_one, share_of(row),
      xml_escaped(fmt::format("{} · {}{}{}", place_of(row, workspace_, kLongestName), kind_of(row),
                              component_of(row), replicas_of(row))),
      row_panel(row));
}

std::string Map::row_panel(const Simulated& row) const {
  const k8s::Object& object = *row.workload->object;
  Lines lines;
  lines.add(place_of(row, workspace_, kLongestText / 2) + replicas_of(row));
  lines.add(row.diagnosis ? row.diagnosis->event() : "no pod is created: " + row.never_created);
  if (row.pod.is_gated) lines.add("kept back until its scheduling gates are removed");
  lines.add_all("taken for granted: ", row.pod.assumptions, [](const auto& text) { return text; });
  std::string heading = fmt::format("{} {}{}", kind_of(row), name_of(row), component_of(row));
  if (!object.ns.empty()) heading += ", in namespace " + shortened(object.ns, kLongestName);
  return panel(heading, lines);
}

/// Below a workload that no node takes, why.
void Map::write_event(const Simulated& row) const {
  const Fate fate = fate_of(row);
  if (fate != Fate::nowhere && fate != Fate::no_pod) return;
  const std::string text = fate == Fate::nowhere ? row.diagnosis->event() : row.never_created;
  out_ << fmt::format(
      "<tr class=\"event\"><td colspan=\"{}\"><span>{}{}</span></td></tr>\n", groups_.size() + 1,
      fate == Fate::nowhere ? "" : "no pod is created: ", xml_escaped(cut(text, 4 * kLongestText)));
}

void Map::write_cell(const Simulated& row, std::size_t column) const {
  const NodeGroup& group = groups_[column];
  const std::size_t node = group.nodes.front();
  const Verdict verdict = row.diagnosis->verdict(node);
  out_ << "<td class=\"" << sign_of(verdict) << "\" tabindex=\"0\">";
  if (is_roomy()) {
    out_ << "<em aria-hidden=\"true\">" << xml_escaped(hint(row, node)) << "</em>";
  }
  out_ << panel(fmt::format("{} on {}: {}", name_of(row), group_names_[column], words_of(verdict)),
                told_of(row, group))
       << "</td>\n";
}

/// What stands in a cell that has room for a little: of what is in the way of the first filter that
/// fails, the shortest.
std::string Map::hint(const Simulated& row, std::size_t node) const {
  const Verdict verdict = row.diagnosis->verdict(node);
  if (verdict == Verdict::ok) return std::string(words_of(verdict));
  std::string text(row.diagnosis->reasons(node).front());
  if (verdict == Verdict::unknown) return cut(text, kLongestHint);
  const auto obstacles = sim::obstacles(row.pod, cluster_, node);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (obstacles[i].plugin != obstacles.front().plugin) break;
    if (i == 0 || obstacles[i].text.size() < text.size()) text = obstacles[i].text;
  }
  return cut(text, kLongestHint);
}

Lines Map::told_of(const Simulated& row, const NodeGroup& group) const {
  const Diagnosis& diagnosis = *row.diagnosis;
  const std::size_t node = group.nodes.front();
  Lines lines;
  if (diagnosis.verdict(node) == Verdict::ok) {
    lines.add(score_of(diagnosis, group));
    return lines;
  }
  add_reasons(diagnosis, node, lines);
  if (diagnosis.verdict(node) == Verdict::infeasible) add_obstacles(row, group, lines);
  return lines;
}

void Map::add_reasons(const Diagnosis& diagnosis, std::size_t node, Lines& lines) const {
  const auto first = diagnosis.reasons(node);
  auto others = diagnosis.all_reasons(node);
  std::erase_if(others, [&](std::string_view reason) {
    return std::ranges::find(first, reason) != first.end();
  });
  const auto text = [](std::string_view reason) { return reason; };
  lines.add_all("", first, text);
  lines.add_all("also: ", others, text);
}

void Map::add_obstacles(const Simulated& row, const NodeGroup& group, Lines& lines) const {
  const auto obstacles = sim::obstacles(row.pod, cluster_, group.nodes.front());
  if (obstacles.empty()) return;
  if (group.nodes.size() > 1) lines.add(fmt::format("On {}:", node_name(group.nodes.front())));
  lines.add_all("– ", obstacles, [](const sim::Obstacle& obstacle) { return obstacle.text; });
}

/// Of nodes that are not alike there are only numbers to tell.
void Map::write_rest(const Simulated& row, std::size_t column) const {
  sim::NodeSet rest = cluster_.none();
  for (const std::size_t node : groups_[column].nodes) rest.insert(node);
  const std::size_t feasible = (row.diagnosis->feasible() & rest).count();
  const std::size_t unknown = (row.diagnosis->unknown() & rest).count();
  const Verdict best = feasible > 0  ? Verdict::ok
                       : unknown > 0 ? Verdict::unknown
                                     : Verdict::infeasible;
  Lines lines;
  lines.add(fmt::format("fits on {} of {}{}", feasible, rest.count(),
                        unknown == 0 ? "" : fmt::format(", on {} it is not known", unknown)));
  out_ << "<td class=\"" << sign_of(best) << "\" tabindex=\"0\">"
       << panel(fmt::format("{} on {}", name_of(row), group_names_[column]), lines) << "</td>\n";
}

/// The rows of each cluster, in the order of the run.
std::vector<std::vector<const Simulated*>> rows_by_cluster(
    const std::vector<Simulated>& workloads) {
  std::vector<std::vector<const Simulated*>> all;
  std::unordered_map<const sim::Cluster*, std::size_t> places;
  for (std::size_t i = 0; i < workloads.size() && i < kMostRows; ++i) {
    const auto [place, is_new] = places.try_emplace(workloads[i].cluster, all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(&workloads[i]);
  }
  return all;
}

void write_start(std::string_view title, std::ostream& out) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &apos;none&apos;; "
         "style-src &apos;unsafe-inline&apos;; base-uri &apos;none&apos;; form-action "
         "&apos;none&apos;\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"
      << title << "</title>\n<style>" << kSimulationStyle << "</style>\n</head>\n<body>\n";
}

/// "2 fit nowhere" and the like, for as many as there are.
std::string totals(const std::vector<Simulated>& workloads) {
  std::array<std::size_t, kFates.size()> counts{};
  for (const Simulated& each : workloads) ++counts[static_cast<std::size_t>(fate_of(each))];
  std::string html;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const FateWords& words = kFates[i];
    html += fmt::format("<li><em class=\"{}\">{} {}</em></li>\n", words.sign, counts[i],
                        counts[i] == 1 ? words.of_other : words.of_some);
  }
  return html;
}

constexpr std::string_view kLegend =
    "<ul class=\"legend\" aria-label=\"legend\">\n"
    "<li><em class=\"o\"></em> fits</li>\n<li><em class=\"x\"></em> does not fit</li>\n"
    "<li><em class=\"u\"></em> not known</li>\n"
    "<li>A column with “more” or + stands for nodes that every workload treats alike.</li>\n"
    "</ul>\n";

/// "6 workloads on 3 nodes".
std::string subject(const std::vector<std::vector<const Simulated*>>& parts,
                    std::size_t workloads) {
  std::string text = count_of(workloads, "workload");
  if (parts.size() == 1) {
    text += " on " + count_of(parts.front().front()->cluster->size(), "node");
  } else if (!parts.empty()) {
    text += fmt::format(" on the nodes of {} clusters", parts.size());
  }
  return text;
}

}  // namespace

void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out) {
  const std::vector<Simulated>& workloads = outcome.simulation.workloads();
  const auto parts = rows_by_cluster(workloads);
  const std::string title = subject(parts, workloads.size());
  write_start("cnsched simulate: " + title, out);
  out << "<header>\n<h1>" << title << "</h1>\n<ul class=\"totals\" aria-label=\"totals\">\n"
      << totals(workloads) << "</ul>\n"
      << kLegend;
  if (workloads.size() > kMostRows) {
    out << fmt::format("<p>The first {} are shown; --format json has all.</p>\n", kMostRows);
  }
  out << "</header>\n<main>\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > 1) {
      out << fmt::format("<h2>Cluster {}: {} on {}</h2>\n", i + 1,
                         count_of(parts[i].size(), "workload"),
                         count_of(parts[i].front()->cluster->size(), "node"));
    }
    Map(outcome.workspace, parts[i], out).write();
  }
  out << "</main>\n<footer>Simulated by cnsched " CNSCHED_VERSION
         ", offline, in kube-scheduler&apos;s words.</footer>\n"
         "<p class=\"dock\" aria-hidden=\"true\">Point at a cell, a workload or a node, or go "
         "there "
         "with Tab, to read why.</p>\n</body>\n</html>\n";
}

}  // namespace cnsched::cli
