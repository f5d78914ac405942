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

/// The two parts of --report.
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
    return fmt::format("'{}' has no file: write {}=FILE", printable(setting), report.format);
  }
  if (report.path == "-") return "'-' is not a file: --format writes to standard output";
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
  write_as(*find_format(report.format), outcome, {}, text);
  const auto saved = save(report.path, text.str(), {.overwrite = true});
  if (!saved) say_error(console, saved.error().message);
  return static_cast<bool>(saved);
}

bool append_summary_of(const Outcome& outcome, Console& console) {
  std::ostringstream text;
  constexpr Format kSummary{"summary", [](const Outcome& shown, const Look& /*look*/,
                                          std::ostream& out) { write_step_summary(shown, out); }};
  write_as(kSummary, outcome, {}, text);
  return append_step_summary(text.str(), console);
}

}  // namespace

bool append_step_summary(std::string_view markdown, Console& console) {
  const std::string path = environment_variable("GITHUB_STEP_SUMMARY");
  if (path.empty()) return true;
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
  output.one_of("--format", "NAME", options.format, format_names(),
                join_words(format_names(), "or") + " (default: pretty)");
  output
      .list("--report", "FORMAT=FILE", options.reports,
            "also write a report to a file, in one of these formats; may be repeated")
      .store = [&options](const std::string& setting) {
    options.reports.push_back(setting);
    return problem_with_report(setting);
  };
}

bool shows_out_of_scope(const ReportingOptions& options) {
  const auto shows = [](const std::string& name) {
    const Format* format = find_format(name);
    return format != nullptr && format->shows_out_of_scope;
  };
  return shows(options.format) ||
         std::ranges::any_of(options.reports, shows,
                             [](const auto& report) { return report_file(report).format; });
}

std::optional<Exit> reject_reports(const Workspace& workspace, const ReportingOptions& options,
                                   Console& console) {
  std::set<fs::path> paths;
  for (const std::string& setting : options.reports) {
    const std::string path = report_file(setting).path;
    if (!paths.insert(fs::path(path).lexically_normal()).second) {
      say_error(console, fmt::format("two reports have the same file '{}': give each its own file",
                                     printable(path)));
      return Exit::usage;
    }
    if (const std::string_view what = read_from(path, workspace); !what.empty()) {
      say_error(console, fmt::format("'{}' is {}: a report would overwrite it; name another file",
                                     printable(path), what));
      return Exit::usage;
    }
  }
  return std::nullopt;
}

bool write_reports(const Outcome& outcome, const ReportingOptions& options,
                   const MessageOptions& messages, Console& console) {
  const bool colored =
      decide_color(color_choice(messages), console.out_is_terminal, environment_variable);
  write_as(*find_format(options.format), outcome, {console.width, colored}, console.out);
  console.out.flush();
  bool written = options.format != "github" || append_summary_of(outcome, console);
  for (const std::string& setting : options.reports) {
    written = save_report(outcome, report_file(setting), console) && written;
  }
  return written;
}

}  // namespace cnsched::cli
