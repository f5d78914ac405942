// A single file without a script, which opens from disk or as an artifact of a CI job. A table has
// a row for each workload and a column for each group of nodes. Each cell has the reasons as text:
// in a table with few columns they are in the cell, else at the bottom of the window while the cell
// has the pointer or the focus (simulation.css).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "cli/build_info.h"
#include "cli/output/node_parts.h"
#include "cli/output/safe_text.h"
#include "cli/output/simulation.h"
#include "core/base/embedded_file.h"
#include "core/base/text.h"

namespace cnsched {

namespace embedded {
std::span<const EmbeddedFile> simulation_style();
}

namespace cli {

namespace {

using sim::Conclusion;
using sim::Simulated;

// Browsers scroll smoothly up to these numbers, for all tables of a page.
constexpr std::size_t kMaxTableRows = 5'000;
constexpr std::size_t kMaxCells = 60'000;
constexpr std::size_t kMinColumns = 20;
constexpr std::size_t kMaxColumns = 2'000;
/// Up to this number, columns are wide enough for reasons.
constexpr std::size_t kMaxWideColumns = 6;
// Of texts, in bytes.
constexpr std::size_t kMaxName = 48;
constexpr std::size_t kMaxVerticalName = 24;
constexpr std::size_t kMaxText = 300;
constexpr std::size_t kMaxEvent = 2'400;

/// A sign, words, and the class of CSS with the colours.
struct Mark {
  char style;
  std::string_view sign;
  std::string_view words;
};

Mark mark_of(Conclusion conclusion) {
  constexpr auto kMarks = std::to_array<Mark>({{'o', "✓", "fits"},
                                               {'u', "↑", "preempts"},
                                               {'x', "×", "fits nowhere"},
                                               {'x', "×", "no pool gets a node"},
                                               {'x', "×", "no given node fits"},
                                               {'u', "?", "unknown"},
                                               {'n', "–", "no pod"},
                                               {'x', "×", "never created"}});
  return kMarks[static_cast<std::size_t>(conclusion)];
}

Mark mark_of(Truth verdict) {
  if (verdict == Truth::no) return {'x', "×", "does not fit"};
  return mark_of(verdict == Truth::yes ? Conclusion::fits : Conclusion::unknown);
}

/// Escaped text; a longer one loses its middle, because names differ at their ends.
std::string html_text(std::string_view raw, std::size_t max_length) {
  std::string text = printable(raw);
  const auto is_inside_character = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80;
  };
  if (text.size() > max_length) {
    std::size_t head = max_length / 2;
    std::size_t tail = text.size() - max_length / 2;
    while (is_inside_character(head)) --head;
    while (is_inside_character(tail)) ++tail;
    text = text.substr(0, head) + "…" + text.substr(tail);
  }
  return xml_escaped(text);
}

/// Escaped lines, of which only the first ones are shown.
std::string lines_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kMaxLines = 12;
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("{} more", texts.size() - kMaxLines));
      break;
    }
    lines.push_back(html_text(text, kMaxText));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// "<em class="x">× fits nowhere 0/3</em>".
std::string badge(Conclusion conclusion, std::size_t feasible, std::size_t total) {
  const Mark mark = mark_of(conclusion);
  return fmt::format("<em class=\"{}\">{} {} <small>{}/{}</small></em>", mark.style, mark.sign,
                     mark.words, feasible, total);
}

/// Groups of nodes: each workload has the same verdict and reasons for all nodes of a group.
std::vector<std::vector<std::size_t>> groups_of(const SimulationOutcome& outcome,
                                                const std::vector<std::size_t>& workloads,
                                                std::size_t nodes) {
  NodeParts parts(nodes);
  if (outcome.each_node) parts.split_by([](std::size_t node) { return node; });
  for (const std::size_t workload : workloads) {
    if (outcome.each_node) break;
    const auto& diagnosis = outcome.simulation.workloads()[workload].diagnosis;
    if (diagnosis) parts.split(*diagnosis);
  }
  return parts.all();
}

/// The table of the workloads of one cluster.
class Map {
 public:
  Map(const SimulationOutcome& outcome, const std::vector<std::size_t>& workloads,
      std::ostream& out)
      : outcome_(outcome),
        workloads_(workloads),
        cluster_(*outcome.simulation.workloads()[workloads.front()].cluster),
        columns_(groups_of(outcome, workloads, cluster_.size())),
        out_(out) {
    if (outcome.only_node.empty()) return;
    for (auto& column : columns_) {
      std::erase_if(column,
                    [&](std::size_t i) { return cluster_.node(i).name != outcome.only_node; });
    }
    std::erase_if(columns_, [](const auto& column) { return column.empty(); });
  }

  void write() {
    const std::size_t most =
        std::clamp(kMaxCells / outcome_.workloads.size(), kMinColumns, kMaxColumns);
    if (columns_.size() > most) {
      out_ << fmt::format(
          "<p>Only the first {} of {} {} are shown. --format json has all nodes.</p>\n", most,
          columns_.size(), outcome_.each_node ? "nodes" : "groups of nodes");
      columns_.resize(most);
    }
    is_wide_ = columns_.size() <= kMaxWideColumns;
    if (!is_wide_) {
      for (const auto& column : columns_) column_names_.push_back(names_in(column, 2 * kMaxName));
    }
    out_ << "<table class=\"" << (is_wide_ ? "wide" : "dense")
         << "\">\n<thead><tr><th scope=\"col\">workload</th>\n";
    for (const auto& column : columns_) write_head(column);
    out_ << "</tr></thead>\n<tbody>\n";
    for (const std::size_t index : workloads_) write_row(index);
    out_ << "</tbody>\n</table>\n";
  }

 private:
  /// Only what CSS shows on demand needs the focus.
  std::string_view focusable() const { return is_wide_ ? "" : " tabindex=\"0\""; }

  std::string names_in(const std::vector<std::size_t>& column, std::size_t max_length) const {
    return html_text(names_of(column, cluster_), max_length);
  }

  void write_head(const std::vector<std::size_t>& column) {
    out_ << "<th scope=\"col\"" << focusable() << '>';
    if (is_wide_) {
      out_ << names_in(column, kMaxText) << "</th>\n";
      return;
    }
    out_ << "<span>" << html_text(cluster_.node(column.front()).name, kMaxVerticalName)
         << "</span>";
    if (column.size() > 1) out_ << "<small>+" << column.size() - 1 << "</small>";
    out_ << "<i>" << names_in(column, kMaxText) << "</i></th>\n";
  }

  void write_row(std::size_t index) {
    const Simulated& simulated = outcome_.simulation.workloads()[index];
    const std::string title =
        html_text(title_of(*simulated.workload, outcome_.workspace), kMaxText);
    const std::size_t feasible = simulated.diagnosis ? simulated.diagnosis->feasible().count() : 0;
    out_ << "<tr><th scope=\"row\">" << title
         << badge(outcome_.conclusion(index), feasible, cluster_.size()) << "</th>\n";
    if (simulated.diagnosis) {
      write_cells(simulated);
    } else if (!columns_.empty()) {
      out_ << fmt::format("<td class=\"n\" colspan=\"{}\"></td>", columns_.size());
    }
    out_ << "</tr>\n";
    write_notes(index, simulated);
  }

  void write_cells(const Simulated& simulated) {
    sim::NodeSet explained = cluster_.none();
    for (const auto& column : columns_) explained.insert(column.front());
    const sim::CausesByNode causes = causes_on_nodes(simulated, explained);
    const std::string_view name = simulated.workload->object->name;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::vector<std::size_t>& column = columns_[i];
      const std::size_t node = column.front();
      const Mark mark = mark_of(simulated.diagnosis->fits(node));
      std::vector<std::string> reasons = reasons_in_words(simulated, causes[node], node);
      if (column.size() > 1 && !reasons.empty()) {
        reasons.insert(reasons.begin(), fmt::format("on {}:", cluster_.node(node).name));
      }
      out_ << "<td class=\"" << mark.style << '"' << focusable() << '>' << mark.sign << "<i>";
      if (!is_wide_) {
        out_ << fmt::format("<b>{} on {}: {}</b>\n", html_text(name, kMaxName), column_names_[i],
                            mark.words);
      }
      out_ << lines_of(reasons) << "</i></td>\n";
    }
  }

  /// Below the workload: why it does not fit, and what else is known of it.
  void write_notes(std::size_t index, const Simulated& simulated) {
    std::vector<SimulationNote> notes = notes_on(outcome_, index);
    if (simulated.preempts()) {
      notes.insert(notes.begin(), {"preempts", Paint::note, preemption_text(simulated)});
    }
    if (simulated.diagnosis && outcome_.conclusion(index) != Conclusion::fits) {
      notes.insert(notes.begin(), {"", Paint::note, simulated.event()});
    }
    if (notes.empty()) return;
    out_ << fmt::format("<tr class=\"notes\"><td colspan=\"{}\">", columns_.size() + 1);
    for (const SimulationNote& note : notes) {
      out_ << "<p>";
      if (!note.label.empty()) out_ << "<b>" << note.label << "</b> ";
      out_ << html_text(note.text, kMaxEvent);
      if (!note.items.empty()) out_ << '\n' << lines_of(note.items);
      out_ << "</p>";
    }
    out_ << "</td></tr>\n";
  }

  const SimulationOutcome& outcome_;
  const std::vector<std::size_t>& workloads_;
  const sim::Cluster& cluster_;
  std::vector<std::vector<std::size_t>> columns_;
  std::vector<std::string> column_names_;  ///< of a dense table
  bool is_wide_ = true;
  std::ostream& out_;
};

void write_limit(std::size_t rows, std::ostream& out) {
  if (rows <= kMaxTableRows) return;
  out << fmt::format("<p>Only the first {} are shown. --format json has all.</p>\n", kMaxTableRows);
}

void write_model(const sim::LoadedModel& model, const Workspace& workspace, std::ostream& out) {
  constexpr std::size_t kMaxServers = 40;
  const Conclusion conclusion = model.fits_nowhere()    ? Conclusion::nowhere
                                : model.feasible() == 0 ? Conclusion::unknown
                                                        : Conclusion::fits;
  out << "<tr><th scope=\"row\">" << html_text(title_of(model, workspace), kMaxText)
      << badge(conclusion, model.feasible(), model.servers.size()) << "</th>\n<td>";
  const auto write_server = [&](Truth verdict, std::string_view name,
                                const std::vector<std::string>& reasons) {
    const Mark mark = mark_of(verdict);
    out << fmt::format("<p><em class=\"{}\">{} {}</em>\n{}</p>", mark.style, mark.sign,
                       html_text(name, kMaxText), lines_of(reasons));
  };
  for (std::size_t i = 0; i < std::min(model.servers.size(), kMaxServers); ++i) {
    const sim::ServerVerdict& server = model.servers[i];
    write_server(server.verdict, server.server->name(), server.reasons);
  }
  if (model.servers.size() > kMaxServers) {
    out << fmt::format("<p>{} more</p>", model.servers.size() - kMaxServers);
  }
  if (model.may_be_shipped) write_server(Truth::unknown, kShippedServer, {});
  out << "</td></tr>\n";
}

void write_models(const SimulationOutcome& outcome, std::ostream& out) {
  if (outcome.shown_models.empty()) return;
  out << "<h2>Models on Servers</h2>\n";
  write_limit(outcome.shown_models.size(), out);
  out << "<table class=\"wide\">\n<thead><tr><th scope=\"col\">Model</th><th scope=\"col\">Servers"
         "</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(outcome.shown_models.size(), kMaxTableRows); ++i) {
    write_model(outcome.models.models()[outcome.shown_models[i]], outcome.workspace, out);
  }
  out << "</tbody>\n</table>\n";
}

/// "2 workloads on 3 nodes".
std::string extent_of(std::size_t workloads, const sim::Cluster* cluster,
                      const SimulationOutcome& outcome) {
  const std::string text = count_of(workloads, "workload");
  if (cluster == nullptr) return text;
  if (outcome.only_node.empty()) {
    return fmt::format("{} on {}", text, count_of(cluster->size(), "node"));
  }
  return fmt::format("{} may run on {}", text, html_text(outcome.only_node, kMaxName));
}

}  // namespace

void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out) {
  // By cluster, in the order of the workspace.
  std::vector<std::pair<const sim::Cluster*, std::vector<std::size_t>>> parts;
  for (std::size_t i = 0; i < std::min(outcome.workloads.size(), kMaxTableRows); ++i) {
    const std::size_t index = outcome.workloads[i];
    const sim::Cluster* cluster = outcome.simulation.workloads()[index].cluster;
    auto part = std::ranges::find(parts, cluster, [](const auto& each) { return each.first; });
    if (part == parts.end()) part = parts.insert(part, {cluster, {}});
    part->second.push_back(index);
  }
  const std::size_t all = outcome.workloads.size();
  const std::string title =
      parts.size() > 1
          ? fmt::format("{} on the nodes of {} clusters", count_of(all, "workload"), parts.size())
          : extent_of(all, parts.empty() ? nullptr : parts.front().first, outcome);
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<title>cnsched simulate: " << title << "</title>\n<style>\n"
      << embedded::simulation_style().front().text << "</style>\n</head>\n<body>\n<h1>" << title
      << "</h1>\n<p>";
  for (const auto& [conclusion, count] : outcome.conclusions()) {
    const Mark mark = mark_of(conclusion);
    out << fmt::format("<em class=\"{}\">{} {}: {}</em>\n", mark.style, mark.sign, mark.words,
                       count);
  }
  out << "</p>\n";
  if (!outcome.each_node) {
    out << "<p>Nodes share a column if each workload has the same verdict and kube-scheduler's "
           "reasons for all of them.</p>\n";
  }
  for (const std::string& text : assumptions_of(outcome)) {
    out << fmt::format("<p>Assumed: {}.</p>\n", html_text(text, text.size()));
  }
  write_limit(all, out);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [cluster, workloads] = parts[i];
    if (parts.size() > 1) {
      out << fmt::format("<h2>Cluster {}: {}</h2>\n", i + 1,
                         extent_of(workloads.size(), cluster, outcome));
    }
    Map(outcome, workloads, out).write();
  }
  write_models(outcome, out);
  out << "<footer>Simulated offline by cnsched " << kBuildInfo.version
      << "</footer>\n</body>\n</html>\n";
}

}  // namespace cli

}  // namespace cnsched
