#include "cli/output/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cli/console.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/engine/fix.h"

namespace cnsched::cli {

namespace {

struct RuleCount {
  std::string_view rule;
  Severity severity = Severity::info;
  std::size_t count = 0;
  std::size_t safe = 0;    ///< fixable with --fix
  std::size_t unsafe = 0;  ///< fixable with --unsafe-fixes in addition
};

std::vector<RuleCount> rows_of(const std::vector<Diagnostic>& findings) {
  std::map<std::pair<std::string_view, Severity>, RuleCount> rows;
  for (const Diagnostic& finding : findings) {
    if (finding.suppression) continue;
    RuleCount& row = rows[{finding.rule, finding.severity}];
    row.rule = finding.rule;
    row.severity = finding.severity;
    ++row.count;
    if (rules::is_wanted(finding, Safety::unsafe)) {
      ++(finding.fix->safety == Safety::safe ? row.safe : row.unsafe);
    }
  }
  std::vector<RuleCount> sorted;
  for (const auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::stable_sort(sorted, std::ranges::greater(), &RuleCount::count);
  return sorted;
}

std::string number(std::size_t count) { return count == 0 ? "" : std::to_string(count); }

template <void (*write)(const Outcome&, std::ostream&)>
void plain_text(const Outcome& outcome, const Look& /*look*/, std::ostream& out) {
  write(outcome, out);
}

constexpr auto kFormats = std::to_array<Format>({
    {"pretty",
     [](const Outcome& outcome, const Look& look, std::ostream& out) {
       write_pretty(outcome, look.width, look.colored, out);
     },
     true},
    {"concise",
     [](const Outcome& outcome, const Look& look, std::ostream& out) {
       write_concise(outcome, look.colored, out);
     },
     true},
    {"json", plain_text<write_json>, true},
    {"sarif", plain_text<write_sarif>, true},
    {.name = "github", .write = plain_text<write_github>, .write_summary = write_step_summary},
    {"gitlab",
     [](const Outcome& outcome, const Look& /*look*/, std::ostream& out) {
       write_gitlab(outcome, environment_variable("CI_PROJECT_DIR"), out);
     }},
    {.name = "junit", .write = plain_text<write_junit>, .shows_out_of_scope = true},
    {"checkstyle", plain_text<write_checkstyle>},
});

std::vector<Diagnostic> unsuppressed(const Outcome& outcome) {
  std::vector<Diagnostic> findings = outcome.findings;
  std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  return findings;
}

}  // namespace

Region region_of(const SourceFile& file, Span span) {
  const Position begin = file.position(span.begin);
  const std::size_t line_end = file.line_start(begin.line) + file.line(begin.line).size();
  const auto end = std::max(span.begin, std::min(span.end, static_cast<std::uint32_t>(line_end)));
  return {begin.line, begin.column, std::max(file.position(end).column, begin.column + 1)};
}

ReportedFile reported_file(const Workspace& workspace, const Diagnostic& finding) {
  const bool is_rendered =
      workspace.is_rendered(finding.where.file) && !finding.rendered_from.empty();
  if (is_rendered) return {finding.rendered_from, false};
  return {workspace.file_of(finding.where).path()};
}

std::string message_text(const Diagnostic& finding, std::string_view separator) {
  std::string text = printable(finding.message);
  if (!finding.help.empty()) {
    text.append(separator).append("help: ").append(printable(finding.help));
  }
  if (separator == "\n" && !finding.snippet.empty()) {
    for (const std::string_view line : split(finding.snippet, '\n')) {
      text.append("\n").append(printable(line));
    }
  }
  if (!finding.expired.empty()) text.append(separator).append(expiry_of(finding));
  return text;
}

std::string expiry_of(const Diagnostic& finding) {
  return fmt::format("the suppression expired on {}", finding.expired);
}

std::vector<Unreadable> omissions_of(const Outcome& outcome) {
  std::vector<Unreadable> all = outcome.workspace.unreadable();
  if (outcome.left_out) all.push_back(*outcome.left_out);
  return all;
}

std::string place_of(const Unreadable& unread) {
  return unread.line == 0 ? unread.path : fmt::format("{}:{}", unread.path, unread.line);
}

Totals totals_of(const std::vector<Diagnostic>& findings) {
  Totals totals;
  for (const Diagnostic& finding : findings) {
    if (finding.suppression) {
      ++totals.suppressed;
      continue;
    }
    switch (finding.severity) {
      case Severity::error:
        ++totals.errors;
        break;
      case Severity::warning:
        ++totals.warnings;
        break;
      case Severity::info:
        ++totals.infos;
        break;
    }
  }
  return totals;
}

std::string describe(const Subject& subject) {
  if (subject.kind.empty()) return {};
  std::string text = subject.kind;
  if (!subject.name.empty()) {
    text += subject.ns.empty() ? fmt::format(" {}", subject.name)
                               : fmt::format(" {}/{}", subject.ns, subject.name);
  }
  if (!subject.component.empty()) text += fmt::format(", {}", subject.component);
  return printable(text);
}

std::string describe(const Suppression& suppression) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"by a comment", "by an annotation", "by the baseline"});
  const std::string by(kWords[static_cast<std::size_t>(suppression.by)]);
  return suppression.reason.empty() ? by : fmt::format("{}: {}", by, suppression.reason);
}

std::string describe(const RunStats& stats) {
  const std::string broken =
      stats.broken == 0 ? "" : fmt::format(", {} with a syntax error", stats.broken);
  const auto [files, directories] = stats.ignored;
  std::vector<std::string> ignored;
  if (files > 0) ignored.push_back(count_of(files, "file"));
  if (directories > 0) {
    ignored.push_back(directories == 1 ? "1 directory"
                                       : fmt::format("{} directories", directories));
  }
  return fmt::format(
      "checked {} in {} of {} ({} out of scope, {} skipped, {} unreadable{}{})",
      count_of(stats.objects, "object"), count_of(stats.documents, "document"),
      count_of(stats.files, "file"), stats.out_of_scope, count_of(stats.templates, "Helm template"),
      stats.unreadable, broken,
      ignored.empty() ? "" : fmt::format(", {} excluded by .gitignore", join_words(ignored)));
}

std::string describe(const Totals& totals) {
  std::vector<std::string> parts;
  if (totals.errors > 0) parts.push_back(count_of(totals.errors, "error"));
  if (totals.warnings > 0) parts.push_back(count_of(totals.warnings, "warning"));
  if (totals.infos > 0) parts.push_back(count_of(totals.infos, "info"));
  if (totals.suppressed == 0) return join_words(parts);
  return fmt::format("{} ({} suppressed)", parts.empty() ? "nothing" : join_words(parts),
                     totals.suppressed);
}

void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out) {
  const std::vector<RuleCount> rows = rows_of(findings);
  if (rows.empty()) return;
  std::size_t width = 0;
  for (const RuleCount& row : rows) width = std::max(width, row.rule.size());
  const auto write = [&](std::string_view count, std::string_view severity, std::string_view rule,
                         std::string_view safe, std::string_view unsafe) {
    std::string line = fmt::format("{:>7}  {:8}  {:{}}  {:>5}  {:>14}", count, severity, rule,
                                   width, safe, unsafe);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  write("count", "severity", "rule", "--fix", "--unsafe-fixes");
  for (const RuleCount& row : rows) {
    write(number(row.count), name_of(row.severity), row.rule, number(row.safe), number(row.unsafe));
  }
}

std::span<const Format> all_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

void write_as(const Format& format, const Outcome& outcome, const Look& look, std::ostream& out) {
  if (format.shows_suppressed) return format.write(outcome, look, out);
  const std::vector<Diagnostic> findings = unsuppressed(outcome);
  format.write({outcome.workspace, findings, outcome.rules, outcome.fail_on}, look, out);
}

void write_summary_as(const Format& format, const Outcome& outcome, std::ostream& out) {
  const std::vector<Diagnostic> findings = unsuppressed(outcome);
  format.write_summary({outcome.workspace, findings, outcome.rules, outcome.fail_on}, out);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string unknown_format(std::string_view name) {
  const std::vector<std::string> names = format_names();
  return fmt::format("no format is called '{}'{} ({})", printable(name),
                     did_you_mean(name, {names.begin(), names.end()}), join_words(names, "or"));
}

}  // namespace cnsched::cli
