#include "cli/commands/reporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/commands/project.h"
#include "core/base/text.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

/// Adds FORMAT=FILE. Returns why it is invalid; empty: it is valid.
std::string add_report(const std::string& setting, ReportingOptions& options) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string name = setting.substr(0, equals);
  const ReportFile report{find_format(name), setting.substr(std::min(equals + 1, setting.size()))};
  if (report.format == nullptr) return unknown_format(name);
  if (report.path.empty()) {
    return fmt::format("'{}' has no file: write {}=FILE", printable(setting), name);
  }
  if (report.path == "-") return "'-' is not a file: --format writes to standard output";
  options.reports.push_back(report);
  return {};
}

/// The kind of the file if a report must not overwrite it; otherwise empty. An old report in a
/// linted directory may be overwritten.
std::string_view read_from(const std::string& path, const Workspace& workspace) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::set<FileId> of_use;
  for (const auto& loaded : workspace.documents()) {
    if (loaded->status != DocumentStatus::out_of_scope) of_use.insert(loaded->document.span.file);
  }
  for (const auto& source : workspace.sources) {
    if (!fs::equivalent(source->path(), path, error)) continue;
    if (!workspace.is_linted(source->id())) return "an input file";
    if (of_use.contains(source->id())) return "a manifest";
  }
  return {};
}

bool save_report(const Outcome& outcome, const ReportFile& report, Console& console) {
  std::ostringstream text;
  write_as(*report.format, outcome, {}, text);
  const auto saved = save(report.path, text.str(), {.overwrite = true});
  if (!saved) say_error(console, saved.error().message);
  return static_cast<bool>(saved);
}

bool append_summary(const Format& format, const Outcome& outcome, Console& console) {
  std::ostringstream text;
  write_summary_as(format, outcome, text);
  return append_step_summary(text.str(), console);
}

}  // namespace

bool append_step_summary(std::string_view markdown, Console& console) {
  const std::string path = environment_variable("GITHUB_STEP_SUMMARY");
  if (path.empty()) return true;
  if (const std::string problem = problem_with_link(path); !problem.empty()) {
    say_error(console, fmt::format("'{}' {}", printable(path), problem));
    return false;
  }
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << markdown;
  file.flush();
  if (!file) {
    say_error(console, fmt::format("{}: the step's summary cannot be written", printable(path)));
  }
  return static_cast<bool>(file);
}

void declare_reporting(Command& command, ReportingOptions& options) {
  ArgumentGroup output = command.group("Output");
  std::vector<Choice<const Format*>> formats;
  for (const Format& format : all_formats()) formats.push_back({format.name, &format});
  output.one_of("--format", "NAME", options.format, formats);
  output.list(
      "--report", "FORMAT=FILE",
      [&options](const std::string& setting) { return add_report(setting, options); },
      "also write a report to a file, in one of these formats; may be repeated");
}

bool shows_out_of_scope(const ReportingOptions& options) {
  return options.format->shows_out_of_scope ||
         std::ranges::any_of(options.reports, [](const ReportFile& report) {
           return report.format->shows_out_of_scope;
         });
}

std::optional<Exit> reject_reports(const Workspace& workspace, const ReportingOptions& options,
                                   Console& console) {
  std::set<fs::path> paths;
  for (const auto& [format, path] : options.reports) {
    if (!paths.insert(fs::path(path).lexically_normal()).second) {
      return fail(console,
                  fmt::format("two reports have the same file '{}': give each its own file",
                              printable(path)));
    }
    if (const std::string_view what = read_from(path, workspace); !what.empty()) {
      return fail(console, fmt::format("'{}' is {}: a report would overwrite it; name another file",
                                       printable(path), what));
    }
  }
  return std::nullopt;
}

bool write_reports(const Outcome& outcome, const ReportingOptions& options,
                   const MessageOptions& messages, Console& console) {
  const bool colored = decide_color(messages.color, console.out_is_terminal);
  write_as(*options.format, outcome, {console.width, colored}, console.out);
  console.out.flush();
  const bool has_summary = options.format->write_summary != nullptr;
  bool written = !has_summary || append_summary(*options.format, outcome, console);
  for (const ReportFile& report : options.reports) {
    written = save_report(outcome, report, console) && written;
  }
  return written;
}

}  // namespace cnsched::cli
