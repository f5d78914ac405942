// `::error file=F,line=L,…::MESSAGE`: GitHub's runner executes such a line of a step's output as a
// command. Escapes as in actions/toolkit, packages/core/src/command.ts.
// GitHub shows ten annotations of each kind per step. The table in the step's summary contains all
// findings, up to the size limit of a summary.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "rules/engine/fingerprint.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

std::string escaped(std::string_view text, std::string_view characters) {
  return percent_encoded(text,
                         [&](char c) { return characters.find(c) != std::string_view::npos; });
}

std::string escaped_data(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(printable(text), "%\r\n:,"); }

std::string_view command_for(Severity severity) {
  return severity == Severity::info ? "notice" : name_of(severity);
}

/// The file of the chart that a finding on standard input was rendered from, as a path below the
/// working directory; empty if there is none. Helm's path begins with the name of the chart, which
/// is often that of its directory.
std::string template_of(const Diagnostic& finding) {
  namespace fs = std::filesystem;
  const std::string& source = finding.rendered_from;
  const fs::path path = fs::path(source).lexically_normal();
  if (source.empty() || path.is_absolute() || *path.begin() == "..") return {};
  std::vector<fs::path> places = {path, fs::path("charts") / path};
  std::error_code error;
  if (fs::exists("Chart.yaml", error)) places.push_back(path.lexically_relative(*path.begin()));
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return place.string();
  }
  return {};
}

/// ",file=isvc.yaml,line=7,…". Lines of what Helm rendered are none of its template; GitHub can
/// show nothing at standard input.
std::string place_property(const Diagnostic& finding, const SourceFile& file,
                           const ReportedFile& shown, RepositoryPaths& paths) {
  if (file.path() == kStdinName) {
    const std::string source = template_of(finding);
    return source.empty() ? "" : ",file=" + escaped_property(paths.of(source));
  }
  const std::string path = escaped_property(paths.of(shown.path));
  if (!shown.has_line) return ",file=" + path;
  const Region region = region_of(file, finding.where);
  return fmt::format(",file={},line={},endLine={},col={},endColumn={}", path, region.line,
                     region.line, region.column, region.end_column);
}

/// GitHub does not show summaries above one megabyte, which all steps share.
constexpr std::size_t kMaxSummaryBytes = std::size_t{512} << 10;

std::string cell(std::string_view text) { return markdown_text(printable(text)); }

/// `place` is a path, perhaps with a line.
std::string row_of(const Diagnostic& finding, const std::string& place) {
  return fmt::format("| {} | {} | {} | {} |\n", name_of(finding.severity), cell(place),
                     cell(finding.rule), cell(message_text(finding, "; ")));
}

/// The paths of files as GitLab expects them.
class ProjectPaths {
 public:
  explicit ProjectPaths(const std::string& project) {
    std::error_code error;
    if (!project.empty()) project_ = fs::weakly_canonical(project, error).string();
  }

  std::string of(const std::string& path) {
    std::error_code error;
    if (!project_.empty() && fs::exists(path, error)) {
      const std::string below = path_below(project_, fs::weakly_canonical(path, error).string());
      if (!below.empty()) return below;
    }
    return in_repository_.of(path);
  }

 private:
  std::string project_;
  RepositoryPaths in_repository_;
};

std::string_view severity_of(const Diagnostic& finding) {
  // Invalid YAML hides all other findings.
  if (finding.rule == "yaml-syntax") return "critical";
  constexpr auto kWords = std::to_array<std::string_view>({"info", "minor", "major"});
  return kWords[static_cast<std::size_t>(finding.severity)];
}

/// "; see https://…" if there is a site with a page of the rule.
std::string page_of(std::string_view rule) {
  if (kBuildInfo.site.empty()) return {};
  const rules::Listed* listed = rules::find_rule(rule);
  if (listed == nullptr) return {};
  return fmt::format("; see {}", help_link(*listed->rule));
}

}  // namespace

void write_github(const Outcome& outcome, std::ostream& out) {
  RepositoryPaths paths;
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    // The runner's log shows only the message, so the message includes the place.
    std::string message = printable(paths.of(shown.path));
    if (shown.has_line) {
      const Region region = region_of(file, finding.where);
      message += fmt::format(":{}:{}", region.line, region.column);
    }
    message += ": " + message_text(finding, "\n");
    out << fmt::format("::{} title={}{}::{}\n", command_for(finding.severity),
                       escaped_property(fmt::format("cnsched ({})", finding.rule)),
                       place_property(finding, file, shown, paths), escaped_data(message));
  }
  for (const Unreadable& unread : omissions_of(outcome)) {
    out << fmt::format("::error title=cnsched::{}: {}\n", escaped_data(printable(place_of(unread))),
                       escaped_data(printable(unread.reason)));
  }
}

void write_step_summary(const Outcome& outcome, std::ostream& out) {
  const std::string totals = describe(totals_of(outcome.findings));
  out << "### cnsched\n\n" << (totals.empty() ? "no findings" : totals) << '\n';
  RepositoryPaths paths;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
    const Diagnostic& finding = outcome.findings[i];
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    std::string place = paths.of(shown.path);
    if (shown.has_line) place += fmt::format(":{}", file.line_of(finding.where.begin));
    const std::string row = row_of(finding, place);
    bytes += row.size();
    if (bytes > kMaxSummaryBytes) {
      out << fmt::format("\n{} more\n", outcome.findings.size() - i);
      break;
    }
    if (i == 0) out << "\n| severity | place | rule | finding |\n|---|---|---|---|\n";
    out << row;
  }
  for (const Unreadable& unread : omissions_of(outcome)) {
    out << fmt::format("\n{}: {}\n", cell(place_of(unread)), cell(unread.reason));
  }
  out << '\n' << describe(outcome.workspace.stats()) << '\n';
}

void write_gitlab(const Outcome& outcome, const std::string& project, std::ostream& out) {
  const std::vector<std::string> names = rules::fingerprints(outcome.workspace, outcome.findings);
  ProjectPaths paths(project);
  Json json = Json::array();
  for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
    const Diagnostic& finding = outcome.findings[i];
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    const std::size_t line = shown.has_line ? file.line_of(finding.where.begin) : 1;
    // GitLab shows the description but not the check's name.
    json.push_back(
        {{"description", fmt::format("{}: {}{}", finding.rule, message_text(finding, "; "),
                                     page_of(finding.rule))},
         {"check_name", finding.rule},
         {"fingerprint", names[i]},
         {"severity", severity_of(finding)},
         {"location", {{"path", paths.of(shown.path)}, {"lines", {{"begin", line}}}}}});
  }
  write_document(json, out);
}

}  // namespace cnsched::cli
