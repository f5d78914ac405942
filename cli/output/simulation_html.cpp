// A single file without a script, so that it opens from disk or as an artifact of a CI run.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "cli/build_info.h"
#include "cli/output/origins.h"
#include "cli/output/simulation_html.h"
#include "cli/output/xml.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

struct StatusWords {
  std::string_view name;
  std::string_view of_one;   ///< after the number 1
  std::string_view of_some;  ///< after other numbers
  std::string_view style;
};

constexpr std::array<StatusWords, kWorkloadStatuses> kWords = {
    {{"fits", "fits", "fit", "o"},
     {"preempts", "preempts", "preempt", "p"},
     {"fits nowhere", "fits nowhere", "fit nowhere", "x"},
     {"unknown", "unknown", "unknown", "u"},
     {"no pod", "gets no pod", "get no pod", "n"}}};

const StatusWords& all_words_of(WorkloadStatus status) {
  return kWords[static_cast<std::size_t>(status)];
}

bool is_inside_character(const std::string& text, std::size_t i) {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80;
}

}  // namespace

WorkloadStatus status_of(const sim::Simulated& simulated) {
  if (!simulated.diagnosis) return WorkloadStatus::no_pod;
  if (simulated.preempts()) return WorkloadStatus::preempts;
  if (simulated.fits_nowhere()) return WorkloadStatus::nowhere;
  return simulated.diagnosis->feasible().empty() ? WorkloadStatus::unknown : WorkloadStatus::fits;
}

std::string_view words_of(WorkloadStatus status) { return all_words_of(status).name; }

std::string counted(std::size_t n, WorkloadStatus status) {
  const StatusWords& words = all_words_of(status);
  return fmt::format("{} {}", n, n == 1 ? words.of_one : words.of_some);
}

std::string_view words_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return "fits";
    case sim::Verdict::unknown:
      return "unknown";
    case sim::Verdict::infeasible:
      break;
  }
  return "does not fit";
}

std::string_view class_of(WorkloadStatus status) { return all_words_of(status).style; }

std::string_view class_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return class_of(WorkloadStatus::fits);
    case sim::Verdict::unknown:
      return class_of(WorkloadStatus::unknown);
    case sim::Verdict::infeasible:
      break;
  }
  return class_of(WorkloadStatus::nowhere);
}

std::string shortened(std::string_view raw, std::size_t max_length) {
  const std::string text = printable(raw);
  if (text.size() <= max_length) return text;
  std::size_t head = max_length / 2;
  std::size_t tail = text.size() - max_length / 2;
  while (is_inside_character(text, head)) --head;
  while (is_inside_character(text, tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::string cut(std::string_view raw, std::size_t max_length) {
  const std::string text = printable(raw);
  if (text.size() <= max_length) return text;
  while (is_inside_character(text, max_length)) --max_length;
  return text.substr(0, max_length) + "…";
}

void Lines::add(std::string_view text) { lines_.push_back(xml_escaped(cut(text))); }

void Lines::add_long(std::string_view text) {
  lines_.push_back(xml_escaped(cut(text, 8 * kMaxTextLength)));
}

std::string Lines::html() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

std::string panel(std::string_view heading, const Lines& lines) {
  return fmt::format("<i><b>{}</b>\n{}</i>", xml_escaped(heading), lines.html());
}

namespace {

using sim::Verdict;

/// Browsers scroll smoothly up to this number.
constexpr std::size_t kMaxRows = 5'000;

/// The indices of workloads by cluster, in the order of the workspace.
using Parts = std::vector<std::vector<std::size_t>>;

Parts parts_of(const SimulationOutcome& outcome) {
  Parts parts;
  std::unordered_map<const sim::Cluster*, std::size_t> of_cluster;
  for (std::size_t i = 0; i < outcome.workloads.size() && i < kMaxRows; ++i) {
    const std::size_t index = outcome.workloads[i];
    const sim::Cluster* cluster = outcome.simulation.workloads()[index].cluster;
    const auto [part, is_new] = of_cluster.try_emplace(cluster, parts.size());
    if (is_new) parts.emplace_back();
    parts[part->second].push_back(index);
  }
  return parts;
}

/// "on 3 nodes".
std::string nodes_of(const std::vector<std::size_t>& part, const SimulationOutcome& outcome) {
  if (!outcome.only_node.empty()) return "may run on " + shortened(outcome.only_node);
  return "on " + count_of(outcome.simulation.workloads()[part.front()].cluster->size(), "node");
}

/// "6 workloads on 3 nodes".
std::string subject(const Parts& parts, const SimulationOutcome& outcome) {
  const std::string workloads = count_of(outcome.workloads.size(), "workload");
  if (parts.empty()) return workloads;
  if (parts.size() == 1) return fmt::format("{} {}", workloads, nodes_of(parts.front(), outcome));
  return fmt::format("{} on the nodes of {} clusters", workloads, parts.size());
}

class SimulationPage {
 public:
  SimulationPage(const SimulationOutcome& outcome, std::ostream& out)
      : outcome_(outcome), out_(out), parts_(parts_of(outcome)) {}

  void write() const {
    const std::string title = xml_escaped(subject(parts_, outcome_));
    start(title);
    out_ << "<header>\n<h1>" << title << "</h1>\n";
    totals();
    legend();
    write_limit(outcome_.workloads.size());
    out_ << "</header>\n<main>\n";
    maps();
    models();
    out_ << "</main>\n";
    end();
  }

 private:
  void start(std::string_view title) const {
    out_ << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &apos;none&apos;; "
            "style-src &apos;unsafe-inline&apos;; base-uri &apos;none&apos;; form-action "
            "&apos;none&apos;\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>cnsched simulate: "
         << title << "</title>\n<style>" << kSimulationStyle << "</style>\n</head>\n<body>\n";
  }

  void write_limit(std::size_t rows) const {
    if (rows <= kMaxRows) return;
    out_ << fmt::format("<p>Only the first {} are shown. --format json has all.</p>\n", kMaxRows);
  }

  void totals() const {
    std::array<std::size_t, kWorkloadStatuses> counts{};
    for (const std::size_t index : outcome_.workloads) {
      ++counts[static_cast<std::size_t>(status_of(outcome_.simulation.workloads()[index]))];
    }
    out_ << "<ul class=\"totals\" aria-label=\"totals\">\n";
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const WorkloadStatus status{static_cast<unsigned char>(i)};
      if (counts[i] == 0) continue;
      out_ << fmt::format("<li><em class=\"{}\">{}</em></li>\n", class_of(status),
                          counted(counts[i], status));
    }
    out_ << "</ul>\n";
  }

  void legend() const {
    out_ << "<ul class=\"legend\" aria-label=\"legend\">\n";
    for (const Verdict verdict : {Verdict::ok, Verdict::infeasible, Verdict::unknown}) {
      out_ << fmt::format("<li><em class=\"{}\"></em> {}</li>\n", class_of(verdict),
                          words_of(verdict));
    }
    out_ << "<li>A column with “more” or + stands for nodes for which every workload has the same "
            "verdict and reasons.</li>\n</ul>\n";
  }

  void maps() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_.size() > 1) {
        out_ << fmt::format("<h2>Cluster {}: {} {}</h2>\n", i + 1,
                            count_of(parts_[i].size(), "workload"),
                            xml_escaped(nodes_of(parts_[i], outcome_)));
      }
      write_simulation_map(outcome_, parts_[i], out_);
    }
  }

  void models() const {
    if (outcome_.shown_models.empty()) return;
    out_ << "<h2>Models on Servers</h2>\n";
    write_limit(outcome_.shown_models.size());
    out_ << "<table class=\"models\">\n<caption>Which Server can "
            "load which Model</caption>\n<thead><tr><th scope=\"col\" class=\"corner\">Model</th>"
            "<th scope=\"col\">Servers</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < outcome_.shown_models.size() && i < kMaxRows; ++i) {
      model(outcome_.models.models()[outcome_.shown_models[i]]);
    }
    out_ << "</tbody>\n</table>\n";
  }

  void model(const sim::LoadedModel& model) const {
    const bool may_fit = model.feasible() == 0 && !model.fits_nowhere();
    const WorkloadStatus status = model.fits_nowhere() ? WorkloadStatus::nowhere
                                  : may_fit            ? WorkloadStatus::unknown
                                                       : WorkloadStatus::fits;
    out_ << fmt::format(
        "<tr><th scope=\"row\"><span><b>{}</b><em class=\"{}\">{} <small>{}/{}</small></em></span>"
        "<small class=\"place\">{}</small></th>\n<td><ul>\n",
        xml_escaped(shortened(model.object->name)), class_of(status), words_of(status),
        model.feasible(), model.servers.size(),
        xml_escaped(
            shortened(describe_line(model.object->root->span, outcome_.workspace.sources))));
    const std::size_t shown = std::min(model.servers.size(), kMaxServers);
    for (std::size_t i = 0; i < shown; ++i) server(model, model.servers[i]);
    if (shown < model.servers.size()) {
      out_ << fmt::format("<li>{} more</li>\n", model.servers.size() - shown);
    }
    if (model.may_be_shipped) {
      out_ << fmt::format(
          "<li><em class=\"{}\">a Server that Seldon installs may load the Model; no "
          "file defines one</em></li>\n",
          class_of(WorkloadStatus::unknown));
    }
    out_ << "</ul></td></tr>\n";
  }

  void server(const sim::LoadedModel& model, const sim::ServerVerdict& server) const {
    Lines lines;
    lines.add_all("", server.reasons, [](const std::string& reason) { return reason; });
    const std::string name = shortened(server.server->name());
    out_ << fmt::format("<li><em class=\"{}\" tabindex=\"0\">{}{}</em></li>\n",
                        class_of(server.verdict), xml_escaped(name),
                        panel(fmt::format("{} on {}: {}", shortened(model.object->name), name,
                                          words_of(server.verdict)),
                              lines));
  }

  void end() const {
    out_ << "<footer>Simulated offline by cnsched " << kBuildInfo.version
         << ", with kube-scheduler&apos;s reasons.</footer>\n"
            "<p class=\"dock\" aria-hidden=\"true\">Point at a cell, a workload or a node, or move "
            "there with Tab, to see the reasons.</p>\n</body>\n</html>\n";
  }

  static constexpr std::size_t kMaxServers = 40;

  const SimulationOutcome& outcome_;
  std::ostream& out_;
  Parts parts_;
};

}  // namespace

void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out) {
  SimulationPage(outcome, out).write();
}

}  // namespace cnsched::cli
