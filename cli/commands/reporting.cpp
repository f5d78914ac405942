#include "cli/commands/reporting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/output/formats.h"
#include "core/base/text.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

/// One --report, taken apart.
struct ReportFile {
  std::string format;
  std::string path;
};

ReportFile report_file(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return {setting, ""};
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

std::string problem_with_report(const std::string& setting) {
  const ReportFile report = report_file(setting);
  if (find_format(report.format) == nullptr) return unknown_format(report.format);
  if (report.path.empty()) {
    return fmt::format("'{}' names no file: write {}=FILE", printable(setting), report.format);
  }
  if (report.path == "-") return "standard output is for --format";
  return {};
}

/// What the run has read there that a report must not replace, or nothing. An old report that lies
/// among the manifests may be.
std::string_view read_from(const std::string& path, const Workspace& run) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::set<FileId> of_use;
  for (const auto& loaded : run.documents()) {
    if (loaded->fate != Fate::out_of_scope) of_use.insert(loaded->document.span.file);
  }
  for (const auto& source : run.sources) {
    if (!fs::equivalent(source->path(), path, error)) continue;
    if (!run.is_linted(source->id())) return "what the run has read";
    if (of_use.contains(source->id())) return "a manifest";
  }
  return {};
}

bool save_report(const Outcome& outcome, const ReportFile& report, Console& console) {
  std::ostringstream text;
  write_as(*find_format(report.format), outcome, {}, text);
  const auto saved = save(report.path, text.str(), {.overwrite = true});
  if (!saved) say_error(console, saved.error().message);
  return static_cast<bool>(saved);
}

/// Other tools of the step may have written to it: ours goes behind.
bool append_step_summary(const Outcome& outcome, Console& console) {
  const std::string path = environment_variable("GITHUB_STEP_SUMMARY");
  if (path.empty()) return true;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  constexpr Format kSummary{"summary", [](const Outcome& shown, const Look& /*look*/,
                                          std::ostream& out) { write_step_summary(shown, out); }};
  write_as(kSummary, outcome, {}, file);
  file.flush();
  if (!file) {
    say_error(console, fmt::format("{}: the step's summary cannot be written", printable(path)));
  }
  return static_cast<bool>(file);
}

}  // namespace

void declare_reporting(CLI::App& command, ReportingOptions& options) {
  const char* group = "Output";
  one_of(command.add_option("--format", options.format,
                            join_words(format_names(), "or") + " (default: pretty)"),
         format_names())
      ->type_name("NAME")
      ->group(group);
  one_value_each(command.add_option("--report", options.reports,
                                    "write a report to a file as well, in any of these formats; "
                                    "may be repeated"))
      ->type_name("FORMAT=FILE")
      ->check(problem_with_report, "")
      ->group(group);
}

bool tells_out_of_scope(const ReportingOptions& options) {
  const auto tells = [](const std::string& name) {
    const Format* format = find_format(name);
    return format != nullptr && format->tells_out_of_scope;
  };
  return tells(options.format) ||
         std::ranges::any_of(options.reports, tells,
                             [](const auto& report) { return report_file(report).format; });
}

std::optional<Exit> refuse_reports(const Workspace& run, const ReportingOptions& options,
                                   Console& console) {
  std::set<fs::path> paths;
  for (const std::string& setting : options.reports) {
    const std::string path = report_file(setting).path;
    if (!paths.insert(fs::path(path).lexically_normal()).second) {
      say_error(console,
                fmt::format("two reports are to be written to '{}': give each its own file",
                            printable(path)));
      return Exit::usage;
    }
    if (const std::string_view what = read_from(path, run); !what.empty()) {
      say_error(console,
                fmt::format("'{}' is {}: a report would overwrite it, so name another file",
                            printable(path), what));
      return Exit::usage;
    }
  }
  return std::nullopt;
}

bool write_reports(const Outcome& outcome, const ReportingOptions& options, const TalkOptions& talk,
                   Console& console) {
  const bool colored =
      decide_color(color_choice(talk), console.out_is_terminal, environment_variable);
  write_as(*find_format(options.format), outcome, {console.width, colored}, console.out);
  console.out.flush();
  bool written = options.format != "github" || append_step_summary(outcome, console);
  for (const std::string& setting : options.reports) {
    written = save_report(outcome, report_file(setting), console) && written;
  }
  return written;
}

}  // namespace cnsched::cli
