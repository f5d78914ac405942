#include "cli/commands/suppression.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cli/commands/project.h"
#include "core/base/text.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace {

using std::chrono::floor;
using std::chrono::sys_days;

/// Today in UTC. Tests and reproducible builds set the clock with SOURCE_DATE_EPOCH
/// (https://reproducible-builds.org/specs/source-date-epoch/).
Result<sys_days> today() {
  const std::string epoch = environment_variable("SOURCE_DATE_EPOCH");
  if (epoch.empty()) return floor<std::chrono::days>(std::chrono::system_clock::now());
  constexpr std::int64_t kYear10000 = 253402300800;
  const auto seconds = whole_number<std::int64_t>(epoch);
  if (!seconds || *seconds < 0 || *seconds >= kYear10000) {
    return Error{fmt::format(
        "SOURCE_DATE_EPOCH is '{}', which is not a number of seconds since 1970: unset it",
        printable(epoch))};
  }
  return floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(*seconds)));
}

}  // namespace

void declare_suppression(Command& command, SuppressionOptions& options) {
  ArgumentGroup suppression = command.group("Suppression");
  suppression.flag("--no-inline-ignores", options.no_inline_ignores,
                   "ignore comments and annotations that suppress findings");
  suppression.option("--baseline", "FILE", options.baseline,
                     "report only findings that are not in this file, written by --write-baseline");
  suppression.option("--write-baseline", "FILE", options.write_baseline,
                     "write all findings to a file, and exit with 0; with --baseline, keep its "
                     "entries for files that are not linted now");
  suppression.flag("--show-suppressed", options.show_suppressed, "also show suppressed findings");
}

std::optional<rules::SuppressionSettings> read_suppression(const SuppressionOptions& options,
                                                           Console& console) {
  const Result<sys_days> day = today();
  if (!day) {
    say_error(console, day.error().message);
    return std::nullopt;
  }
  rules::SuppressionSettings settings{.inline_ignores = !options.no_inline_ignores, .today = *day};
  if (options.baseline.empty()) return settings;
  // A message about the file may quote it.
  if (const std::string problem = problem_with_link(options.baseline); !problem.empty()) {
    say_error(console, fmt::format("--baseline: '{}' {}", printable(options.baseline), problem));
    return std::nullopt;
  }
  auto baseline = rules::Baseline::read(options.baseline);
  if (!baseline) {
    say_error(console, baseline.error().message);
    std::error_code error;
    if (!std::filesystem::exists(options.baseline, error)) {
      console.err << "--write-baseline writes a baseline of the current findings\n";
    }
    return std::nullopt;
  }
  settings.baseline = *std::move(baseline);
  return settings;
}

bool update_baseline(const SuppressionOptions& options, const rules::SuppressionSettings& settings,
                     const Workspace& workspace, const rules::Selection& selection, bool quiet,
                     std::vector<Diagnostic>& findings, bool are_all, Console& console) {
  if (!are_all) {
    if (options.write_baseline.empty()) return true;
    say_error(console,
              fmt::format(
                  "'{}' is not written: findings were left out, and they would be reported as new",
                  printable(options.write_baseline)));
    return false;
  }
  rules::Baseline stale;
  if (settings.baseline) stale = settings.baseline->stale(workspace, selection, findings);
  if (options.write_baseline.empty()) {
    if (stale.size() > 0 && !quiet) {
      console.err << fmt::format(
          "{} of the baseline {} no longer found: update it with --write-baseline\n",
          stale.size() == 1 ? "1 entry" : fmt::format("{} entries", stale.size()),
          stale.size() == 1 ? "is" : "are");
    }
    return true;
  }
  rules::Baseline current = rules::Baseline::of(workspace, findings);
  if (settings.baseline) current = settings.baseline->updated(stale, current);
  const std::string text = current.text();
  const auto saved = text.size() > kFileSizeLimit
                         ? Result<Saved>(Error{fmt::format("{} exceed the size limit of a baseline",
                                                           count_of(current.size(), "finding"))})
                         : save(options.write_baseline, text, {.overwrite = true});
  if (!saved) {
    say_error(console, saved.error().message);
    return false;
  }
  current.hide(workspace, findings);
  if (!quiet) {
    console.err << fmt::format("wrote a baseline of {} to '{}'\n",
                               count_of(current.size(), "finding"),
                               printable(options.write_baseline));
  }
  return true;
}

std::vector<Diagnostic> shown_findings(const SuppressionOptions& options,
                                       std::vector<Diagnostic> findings) {
  if (!options.show_suppressed) {
    std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  }
  return findings;
}

}  // namespace cnsched::cli
