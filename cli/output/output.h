#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/source/source_file.h"
#include "core/workspace/workspace.h"
#include "rules/registry.h"

namespace cnsched::cli {

/// The result of a lint run.
struct Outcome {
  const Workspace& workspace;
  const std::vector<Diagnostic>& findings;
  std::vector<rules::Listed> rules{};    ///< the rules that ran, in the order of the rule table
  Severity fail_on = Severity::warning;  ///< the least severity that makes the run fail
  std::optional<Unreadable> left_out{};  ///< the message about findings beyond --max-findings
};

/// The input that was not read, and findings that are not shown. Any of them makes the run fail.
std::vector<Unreadable> omissions_of(const Outcome& outcome);
/// The file, and the line if it is known: "isvc.yaml:7".
std::string place_of(const Unreadable& unread);

struct Totals {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
  std::size_t suppressed = 0;  ///< of any severity; not included in the others
};

Totals totals_of(const std::vector<Diagnostic>& findings);

/// Source excerpts with carets, in at most `width` columns.
void write_pretty(const Outcome& outcome, std::size_t width, bool colored, std::ostream& out);
/// A line for each finding: `file:line:col: severity: message [rule]`.
void write_concise(const Outcome& outcome, bool colored, std::ostream& out);
/// One JSON document, schemaVersion 1.
void write_json(const Outcome& outcome, std::ostream& out);
/// SARIF 2.1.0 for GitHub's code scanning. Paths are relative to the repository's root, as in all
/// formats below.
void write_sarif(const Outcome& outcome, std::ostream& out);
/// Workflow commands, which GitHub Actions shows as annotations of the changed lines.
void write_github(const Outcome& outcome, std::ostream& out);
/// The summary of a GitHub step: a Markdown table of findings.
void write_step_summary(const Outcome& outcome, std::ostream& out);
/// GitLab's code quality report. Paths below the directory `project` are relative to it.
void write_gitlab(const Outcome& outcome, const std::string& project, std::ostream& out);
/// JUnit's XML: a suite for each file, a test case for each object.
void write_junit(const Outcome& outcome, std::ostream& out);
/// Checkstyle's XML. Paths are relative to the working directory, as its consumers expect.
void write_checkstyle(const Outcome& outcome, std::ostream& out);

/// Writes a table of findings by rule and severity, the most frequent first, with the number of
/// fixable ones. Suppressed findings are not counted.
void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out);

/// "InferenceService team/llama, predictor": what the finding is about; empty if nothing.
std::string describe(const Subject& subject);
/// "by a comment: the only node with the disk".
std::string describe(const Suppression& suppression);
/// "checked 9 objects in 31 documents of 12 files (…)".
std::string describe(const RunStats& stats);
/// "2 errors and 1 warning (3 suppressed)"; empty if there is nothing.
std::string describe(const Totals& totals);

/// The part of a span on its first line, for formats that show a single line.
/// Lines and columns count from 1 (see Position). At least one column wide.
struct Region {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t end_column = 2;  ///< the first column after it
};

Region region_of(const SourceFile& file, Span span);

/// The file that a report shows for a finding. A finding in a rendered file is shown in the source
/// that it was rendered from; without a line, if only the file is known.
struct ReportedFile {
  std::string path;
  bool has_line = true;
};

ReportedFile reported_file(const Workspace& workspace, const Diagnostic& finding);

/// "the suppression expired on 2026-06-30", of a finding whose suppression did.
std::string expiry_of(const Diagnostic& finding);

/// The message of a finding, printable, then its help and the expiry of its suppression, each after
/// `separator`. The snippet of the help follows only if the separator is a line end.
std::string message_text(const Diagnostic& finding, std::string_view separator);

/// The line of a span as shown, and the position of the span on it.
struct Excerpt {
  std::size_t line = 1;        ///< its number
  std::string text;            ///< printable, tabs as spaces, cut to the width with '…'
  std::size_t caret = 0;       ///< columns before the span
  std::size_t caret_size = 1;  ///< columns of the span on this line, at least one
};

/// The first line of `span`, in at most `width` columns.
Excerpt excerpt_of(const SourceFile& file, Span span, std::size_t width);

/// How a report is printed on a terminal.
struct Look {
  std::size_t width = 80;
  bool colored = false;
};

/// A format that findings are reported in.
struct Format {
  std::string_view name;
  void (*write)(const Outcome&, const Look&, std::ostream&);
  /// Whether the format can mark a finding as suppressed. Other formats leave suppressed findings
  /// out.
  bool shows_suppressed = false;
  /// Whether the format includes documents that are out of scope.
  bool shows_out_of_scope = false;
  /// Writes the summary of the CI system's step that belongs to the report; may be null.
  void (*write_summary)(const Outcome&, std::ostream&) = nullptr;
};

/// Writes the outcome, without suppressed findings if the format cannot mark them.
void write_as(const Format& format, const Outcome& outcome, const Look& look, std::ostream& out);
/// Writes the summary, without suppressed findings. The format has one.
void write_summary_as(const Format& format, const Outcome& outcome, std::ostream& out);

/// All formats, the one for terminals first.
std::span<const Format> all_formats();
/// Null if there is none of that name.
const Format* find_format(std::string_view name);
std::vector<std::string> format_names();
/// "no format is called 'sarf', did you mean 'sarif'? (…)".
std::string unknown_format(std::string_view name);

}  // namespace cnsched::cli
