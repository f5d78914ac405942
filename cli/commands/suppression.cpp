#include "cli/commands/suppression.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>

#include "cli/commands/input.h"
#include "core/base/text.h"
#include "core/source/discover.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace {

using std::chrono::floor;
using std::chrono::sys_days;

/// Today in UTC. Tests, and builds that are to be repeated, set the clock by SOURCE_DATE_EPOCH
/// (https://reproducible-builds.org/specs/source-date-epoch/).
Result<sys_days> today() {
  const std::string epoch = environment_variable("SOURCE_DATE_EPOCH");
  if (epoch.empty()) return floor<std::chrono::days>(std::chrono::system_clock::now());
  constexpr std::int64_t kYear10000 = 253402300800;
  std::int64_t seconds = -1;
  const char* end = epoch.data() + epoch.size();
  const auto [stopped, error] = std::from_chars(epoch.data(), end, seconds);
  if (error != std::errc() || stopped != end || seconds < 0 || seconds >= kYear10000) {
    return Error{fmt::format("SOURCE_DATE_EPOCH is '{}', no number of seconds since 1970: unset it",
                             printable(epoch))};
  }
  return floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

}  // namespace

void declare_suppression(CLI::App& command, SuppressionOptions& options) {
  const char* group = "Suppression";
  command
      .add_flag("--no-inline-ignores", options.no_inline_ignores,
                "heed no comments and annotations that suppress findings")
      ->group(group);
  command
      .add_option("--baseline", options.baseline,
                  "report only what this file, written by --write-baseline, does not know")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--write-baseline", options.write_baseline,
                  "write all that is found to a file, and exit with 0; with --baseline, keep what "
                  "that knows of files that are not linted now")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--show-suppressed", options.show_suppressed, "show what is suppressed as well")
      ->group(group);
}

std::optional<Suppressor> Suppressor::open(const SuppressionOptions& options, Console& console) {
  Suppressor suppressor(options);
  const Result<sys_days> day = today();
  if (!day) {
    say_error(console, day.error().message);
    return std::nullopt;
  }
  suppressor.ignores_ = {.heeded = !options.no_inline_ignores, .today = *day};
  if (options.baseline.empty()) return suppressor;
  auto baseline = rules::Baseline::read(options.baseline);
  if (!baseline) {
    say_error(console, baseline.error().message);
    std::error_code error;
    if (!std::filesystem::exists(options.baseline, error)) {
      console.err << "--write-baseline writes a baseline of what is found now\n";
    }
    return std::nullopt;
  }
  suppressor.baseline_ = *std::move(baseline);
  return suppressor;
}

void Suppressor::hide(const Workspace& run, std::vector<Diagnostic>& findings) const {
  if (baseline_) baseline_->hide(run, findings);
}

bool Suppressor::settle(const Workspace& run, const rules::Selection& selection, bool quiet,
                        std::vector<Diagnostic>& findings, bool are_all, Console& console) const {
  if (!are_all) {
    if (options_.write_baseline.empty()) return true;
    say_error(console, fmt::format("'{}' is not written: a baseline of some of the findings would "
                                   "report the others as new",
                                   printable(options_.write_baseline)));
    return false;
  }
  rules::Baseline stale;
  if (baseline_) stale = baseline_->stale(run, selection, findings);
  if (options_.write_baseline.empty()) {
    if (stale.size() > 0 && !quiet) {
      console.err << fmt::format(
          "{} of the baseline {} no longer found: write it anew with --write-baseline\n",
          stale.size() == 1 ? "1 entry" : fmt::format("{} entries", stale.size()),
          stale.size() == 1 ? "is" : "are");
    }
    return true;
  }
  rules::Baseline current = rules::Baseline::of(run, findings);
  if (baseline_) current = baseline_->updated(stale, current);
  const std::string text = current.text();
  const auto saved = text.size() > kFileSizeLimit
                         ? Result<Saved>(Error{fmt::format("{} are too many for a baseline",
                                                           count_of(current.size(), "finding"))})
                         : save(options_.write_baseline, text, {.overwrite = true});
  if (!saved) {
    say_error(console, saved.error().message);
    return false;
  }
  current.hide(run, findings);
  if (!quiet) {
    console.err << fmt::format("wrote a baseline of {} to '{}'\n",
                               count_of(current.size(), "finding"),
                               printable(options_.write_baseline));
  }
  return true;
}

std::vector<Diagnostic> Suppressor::shown(std::vector<Diagnostic> findings) const {
  if (!options_.show_suppressed) {
    std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  }
  return findings;
}

}  // namespace cnsched::cli
