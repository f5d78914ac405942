// One file that needs no other and no script: it opens from disk, or as an artifact of a CI run.

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "cli/output/origins.h"
#include "cli/output/simulation.h"
#include "cli/output/simulation_map.h"
#include "cli/output/simulation_page.h"
#include "cli/output/simulation_style.h"
#include "cli/output/xml.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Verdict;

/// Browsers still scroll through that many.
constexpr std::size_t kMostRows = 5'000;

/// The places of workloads that share a cluster, in the order of the run.
using Parts = std::vector<std::vector<std::size_t>>;

Parts parts_of(const SimulationOutcome& outcome) {
  Parts parts;
  std::unordered_map<const sim::Cluster*, std::size_t> of_cluster;
  for (std::size_t i = 0; i < outcome.workloads.size() && i < kMostRows; ++i) {
    const std::size_t place = outcome.workloads[i];
    const sim::Cluster* cluster = outcome.simulation.workloads()[place].cluster;
    const auto [part, is_new] = of_cluster.try_emplace(cluster, parts.size());
    if (is_new) parts.emplace_back();
    parts[part->second].push_back(place);
  }
  return parts;
}

/// Of one part: "on 3 nodes".
std::string nodes_of(const std::vector<std::size_t>& part, const SimulationOutcome& outcome) {
  if (!outcome.only_node.empty()) return "may land on " + shortened(outcome.only_node);
  return "on " + count_of(outcome.simulation.workloads()[part.front()].cluster->size(), "node");
}

/// "6 workloads on 3 nodes".
std::string subject(const Parts& parts, const SimulationOutcome& outcome) {
  const std::string workloads = count_of(outcome.workloads.size(), "workload");
  if (parts.empty()) return workloads;
  if (parts.size() == 1) return fmt::format("{} {}", workloads, nodes_of(parts.front(), outcome));
  return fmt::format("{} on the nodes of {} clusters", workloads, parts.size());
}

class Page {
 public:
  Page(const SimulationOutcome& outcome, std::ostream& out)
      : outcome_(outcome), out_(out), parts_(parts_of(outcome)) {}

  void write() const {
    const std::string title = xml_escaped(subject(parts_, outcome_));
    start(title);
    out_ << "<header>\n<h1>" << title << "</h1>\n";
    totals();
    legend();
    tell_limit(outcome_.workloads.size());
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

  void tell_limit(std::size_t rows) const {
    if (rows <= kMostRows) return;
    out_ << fmt::format("<p>The first {} are shown; --format json has all.</p>\n", kMostRows);
  }

  void totals() const {
    std::array<std::size_t, kFates> counts{};
    for (const std::size_t place : outcome_.workloads) {
      ++counts[static_cast<std::size_t>(fate_of(outcome_.simulation.workloads()[place]))];
    }
    out_ << "<ul class=\"totals\" aria-label=\"totals\">\n";
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Fate fate{static_cast<unsigned char>(i)};
      if (counts[i] == 0) continue;
      out_ << fmt::format("<li><em class=\"{}\">{}</em></li>\n", class_of(fate),
                          counted(counts[i], fate));
    }
    out_ << "</ul>\n";
  }

  void legend() const {
    out_ << "<ul class=\"legend\" aria-label=\"legend\">\n";
    for (const Verdict verdict : {Verdict::ok, Verdict::infeasible, Verdict::unknown}) {
      out_ << fmt::format("<li><em class=\"{}\"></em> {}</li>\n", class_of(verdict),
                          words_of(verdict));
    }
    out_ << "<li>A column with “more” or + stands for nodes that every workload treats alike."
            "</li>\n</ul>\n";
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
    tell_limit(outcome_.shown_models.size());
    out_ << "<table class=\"models\">\n<caption>Which Server could "
            "load which Model</caption>\n<thead><tr><th scope=\"col\" class=\"corner\">Model</th>"
            "<th scope=\"col\">Servers</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < outcome_.shown_models.size() && i < kMostRows; ++i) {
      model(outcome_.models.models()[outcome_.shown_models[i]]);
    }
    out_ << "</tbody>\n</table>\n";
  }

  void model(const sim::LoadedModel& model) const {
    const bool may_fit = model.feasible() == 0 && !model.fits_nowhere();
    const Fate fate = model.fits_nowhere() ? Fate::nowhere : may_fit ? Fate::unknown : Fate::fits;
    out_ << fmt::format(
        "<tr><th scope=\"row\"><span><b>{}</b><em class=\"{}\">{} <small>{}/{}</small></em></span>"
        "<small class=\"place\">{}</small></th>\n<td><ul>\n",
        xml_escaped(shortened(model.object->name)), class_of(fate), words_of(fate),
        model.feasible(), model.servers.size(),
        xml_escaped(shortened(line_of(model.object->root->span, outcome_.workspace))));
    const std::size_t shown = std::min(model.servers.size(), kMostServers);
    for (std::size_t i = 0; i < shown; ++i) server(model, model.servers[i]);
    if (shown < model.servers.size()) {
      out_ << fmt::format("<li>{} more</li>\n", model.servers.size() - shown);
    }
    if (model.may_be_shipped) {
      out_ << fmt::format(
          "<li><em class=\"{}\">a Server that comes with Seldon may load it; no "
          "file shows one</em></li>\n",
          class_of(Fate::unknown));
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
    out_ << "<footer>Simulated by cnsched " CNSCHED_VERSION
            ", offline, in kube-scheduler&apos;s words.</footer>\n"
            "<p class=\"dock\" aria-hidden=\"true\">Point at a cell, a workload or a node, or go "
            "there with Tab, to read why.</p>\n</body>\n</html>\n";
  }

  static constexpr std::size_t kMostServers = 40;

  const SimulationOutcome& outcome_;
  std::ostream& out_;
  Parts parts_;
};

}  // namespace

void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out) {
  Page(outcome, out).write();
}

}  // namespace cnsched::cli
