#include "cli/output/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/console.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

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
