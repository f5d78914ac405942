// Fuzzes every rule and every report format with any bytes as manifests. No text of a manifest
// controls a terminal or ends an element of a report. Two runs print the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/fingerprint.h"
#include "rules/engine/run.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

using cli::Outcome;

std::string written(const std::function<void(std::ostream&)>& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

void check_finding(const Workspace& workspace, const Diagnostic& finding) {
  const auto is_in_its_file = [&](Span span) {
    return span.begin <= span.end && span.end <= workspace.file_of(span).bytes().size();
  };
  require(is_in_its_file(finding.where), "a finding is outside of its file");
  require(workspace.is_linted(finding.where.file), "a finding is about a file that is not linted");
  require(!finding.message.empty(), "a finding has no message");
  for (const Note& note : finding.notes) {
    require(is_in_its_file(note.where), "a note is outside of its file");
  }
}

std::string without_colors(std::string text) {
  for (std::size_t at = text.find("\x1b["); at != std::string::npos; at = text.find("\x1b[", at)) {
    const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
    require(end != std::string::npos && text[end] == 'm', "a colour does not end");
    text.erase(at, end + 1 - at);
  }
  return text;
}

/// The text of workflow commands without their leading "::".
std::string without_commands(std::string_view text) {
  std::string result;
  for (std::string_view line : split(text, '\n')) {
    require(line.empty() || line.starts_with("::"), "a line for GitHub is not a command");
    line.remove_prefix(std::min<std::size_t>(line.size(), 2));
    result += fmt::format("{}\n", line);
  }
  return result;
}

/// All reports, to compare two runs.
std::string shown(const Outcome& outcome) {
  const std::string pretty =
      written([&](std::ostream& out) { cli::write_pretty(outcome, 80, false, out); });
  const std::string colored =
      written([&](std::ostream& out) { cli::write_pretty(outcome, 80, true, out); });
  const std::string narrow =
      written([&](std::ostream& out) { cli::write_pretty(outcome, 20, false, out); });
  const std::string concise =
      written([&](std::ostream& out) { cli::write_concise(outcome, false, out); });
  const std::string json = written([&](std::ostream& out) { cli::write_json(outcome, out); });
  const std::string sarif = written([&](std::ostream& out) { cli::write_sarif(outcome, out); });
  const std::string gitlab =
      written([&](std::ostream& out) { cli::write_gitlab(outcome, ".", out); });
  const std::string github = written([&](std::ostream& out) { cli::write_github(outcome, out); });
  const std::string summary =
      written([&](std::ostream& out) { cli::write_step_summary(outcome, out); });
  const std::string junit = written([&](std::ostream& out) { cli::write_junit(outcome, out); });
  const std::string checkstyle =
      written([&](std::ostream& out) { cli::write_checkstyle(outcome, out); });
  require_harmless(pretty, "pretty");
  require_harmless(narrow, "pretty in 20 columns");
  require(without_colors(colored) == pretty, "colours change the text of pretty");
  require_harmless(concise, "concise");
  require_harmless(without_commands(github), "github");
  require_harmless(summary, "the step summary");
  require_json(json, "json");
  require_json(sarif, "sarif");
  require_json(gitlab, "gitlab");
  require_xml(junit, "junit");
  require_xml(checkstyle, "checkstyle");
  return pretty + narrow + concise + json + sarif + gitlab + github + summary + junit + checkstyle;
}

std::string lint(const std::vector<MemoryFile>& files, std::size_t jobs) {
  Workspace workspace;
  workspace.load({.memory_files = files, .jobs = jobs});
  const std::vector<Diagnostic> findings =
      rules::run(workspace, rules::Selection::everything()).findings;
  for (const Diagnostic& finding : findings) check_finding(workspace, finding);
  const std::vector<std::string> names = rules::fingerprints(workspace, findings);
  require(std::set(names.begin(), names.end()).size() == findings.size(),
          "two findings have the same fingerprint");
  // Without other rules: SARIF with the pages of all rules would take most of the time.
  std::vector<rules::Listed> rules;
  std::ranges::copy_if(
      rules::all_rules(), std::back_inserter(rules), [&](const rules::Listed& listed) {
        return std::ranges::find(findings, listed.rule->id, &Diagnostic::rule) != findings.end();
      });
  return shown({workspace, findings, rules}) + cli::describe(workspace.stats());
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  const auto files = files_of(text_of(data, size));
  const std::string once = lint(files, 1);
  // A single file is read without threads.
  if (files.size() > 1) require(lint(files, 3) == once, "threads change the output");
  return 0;
}
