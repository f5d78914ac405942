// A comment on a pull request: the marker, what got worse, a table, and details to unfold. GitHub
// rejects comments above 65,536 characters, so each part has its share, and what does not fit is
// counted.
//
// Annotations are written as findings of the new side are, at the lines that caused the changes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/output/diff.h"
#include "cli/output/output.h"
#include "cli/output/pods.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using change::PodChange;

/// In bytes, of which a character has one or more.
constexpr std::size_t kMaxMarkdownBytes = 60'000;
constexpr std::size_t kTableBytes = 20'000;
constexpr std::size_t kFindingBytes = 10'000;

std::string escaped_cell(std::string_view text) { return markdown_text(printable(text)); }

/// Blocks of text up to a limit of bytes.
class Limited {
 public:
  explicit Limited(std::size_t limit) : limit_(limit) {}

  /// Adds the block, or counts it if it does not fit any more.
  void add(const std::string& block) {
    if (left_out_ > 0 || text_.size() + block.size() > limit_) {
      ++left_out_;
    } else {
      text_ += block;
    }
  }
  const std::string& text() const { return text_; }
  /// "3 more pods are not shown", or nothing.
  std::string note(std::string_view noun) const {
    if (left_out_ == 0) return {};
    return fmt::format("\n{} more {}{} not shown\n", left_out_, noun,
                       left_out_ == 1 ? " is" : "s are");
  }

 private:
  std::size_t limit_;
  std::string text_;
  std::size_t left_out_ = 0;
};

class MarkdownPage {
 public:
  MarkdownPage(const DiffOutcome& outcome, std::ostream& out) : outcome_(outcome), out_(out) {}

  void write() {
    const bool is_worse = outcome_.difference.is_worse() || !outcome_.failures.empty();
    put(fmt::format("{}\n### cnsched: {}\n", kDiffMarker,
                    is_worse ? "placement gets worse" : "placement"));
    put(fmt::format("\n{}\n", escaped_cell(describe(outcome_.difference))));
    constexpr std::size_t kMaxFailures = 10;
    for (std::size_t i = 0; i < std::min(outcome_.failures.size(), kMaxFailures); ++i) {
      put(fmt::format("\n**{}**\n", escaped_cell(outcome_.failures[i].substr(0, 1000))));
    }
    table();
    totals();
    findings("new", outcome_.new_findings, outcome_.after.workspace);
    findings("resolved", outcome_.resolved_findings, outcome_.before.workspace);
    details();
  }

 private:
  void put(const std::string& text) {
    bytes_ += text.size();
    out_ << text;
  }

  void table() {
    const std::vector<const PodChange*> pods = ordered_pods(outcome_.difference);
    if (pods.empty()) return;
    Limited rows(kTableBytes);
    for (const PodChange* pod : pods) {
      rows.add(fmt::format("| {}{} | {} | {} |\n", pod->is_worse() ? "❌ " : "",
                           escaped_cell(heading_of(*pod, outcome_)),
                           escaped_cell(devices_text(*pod)), escaped_cell(verdict_text(*pod))));
    }
    put("\n| pod | accelerators | nodes |\n|---|---|---|\n" + rows.text() + rows.note("pod"));
  }

  void totals() {
    const std::vector<TotalRow> rows = total_rows(outcome_);
    if (rows.empty()) return;
    Limited table(kFindingBytes);
    for (const TotalRow& row : rows) {
      table.add(fmt::format("| {} | {} | {} |\n", escaped_cell(row.name), escaped_cell(row.before),
                            escaped_cell(row.after)));
    }
    put("\n| total | before | after |\n|---|---|---|\n" + table.text() + table.note("total"));
  }

  void findings(std::string_view title, const std::vector<const Diagnostic*>& findings,
                const Workspace& workspace) {
    if (findings.empty()) return;
    Limited list(kFindingBytes);
    for (const Diagnostic* finding : findings) {
      list.add(fmt::format("- {}: {}\n", name_of(finding->severity),
                           escaped_cell(finding_text(*finding, workspace))));
    }
    put(folded(fmt::format("{} {}", title, count_of(findings.size(), "finding")),
               list.text() + list.note("finding")));
  }

  /// What changed in each pod, in what is left.
  void details() {
    constexpr std::size_t kFrame = 200;
    const std::size_t left = kMaxMarkdownBytes - std::min(kMaxMarkdownBytes, bytes_ + kFrame);
    Limited blocks(left);
    std::size_t changes = 0;
    for (const PodChange* pod : ordered_pods(outcome_.difference)) {
      const std::vector<std::string> lines = change_lines(*pod, outcome_);
      if (lines.empty()) continue;
      std::string block = fmt::format("\n**{}**\n\n", escaped_cell(heading_of(*pod, outcome_)));
      for (const std::string& line : lines) block += fmt::format("- {}\n", escaped_cell(line));
      changes += lines.size();
      blocks.add(block);
    }
    if (changes == 0) return;
    put(folded(count_of(changes, "change"), blocks.text() + blocks.note("pod")));
  }

  /// Only constant text may be in the summary: it is HTML.
  static std::string folded(const std::string& summary, const std::string& content) {
    return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", summary, content);
  }

  const DiffOutcome& outcome_;
  std::ostream& out_;
  std::size_t bytes_ = 0;
};

using change::FactChange;
using change::Place;

/// GitHub shows ten annotations of each kind per step.
constexpr std::size_t kMaxAnnotations = 100;

class Annotations {
 public:
  explicit Annotations(const DiffOutcome& outcome) : outcome_(outcome) {}

  std::vector<Diagnostic> result() {
    for (const PodChange* pod : ordered_pods(outcome_.difference)) add(*pod);
    std::vector<Diagnostic> findings;
    for (Annotation& annotation : annotations_) {
      if (annotation.more > 0) {
        annotation.finding.message +=
            fmt::format(" (and {})", count_of(annotation.more, "other pod"));
      }
      findings.push_back(std::move(annotation.finding));
    }
    return findings;
  }

 private:
  struct Annotation {
    Diagnostic finding;
    std::size_t more = 0;  ///< pods with the same change
  };

  static Severity severity_of(const PodChange& pod) {
    if (pod.lost_last_node()) return Severity::error;
    const bool is_new_misfit = pod.kind == PodChange::Kind::added &&
                               pod.verdict_after.kind == change::PodVerdict::Kind::nowhere;
    return pod.is_worse() || is_new_misfit ? Severity::warning : Severity::info;
  }
  /// Whether such a change can be why a pod fits or does not fit.
  static bool may_decide(change::Part part) {
    return part != change::Part::replicas && part != change::Part::mode;
  }

  void add(const PodChange& pod) {
    if (pod.after == nullptr) return;
    const std::string verdict = pod.has_other_verdict() ? verdict_text(pod) : std::string();
    bool is_reported = verdict.empty();
    for (const auto* changes : {&pod.facts, &pod.causes}) {
      for (const FactChange& change : *changes) {
        if (change.after_at.kind == Place::Kind::none) continue;
        const std::string what =
            fmt::format("{}: {}", printable(change.name), values_of(change, outcome_));
        if (may_decide(change.part) && !verdict.empty()) {
          is_reported = true;
          add(pod, severity_of(pod), change.after_at, what, verdict);
        } else {
          add(pod, Severity::info, change.after_at, what, {});
        }
      }
    }
    if (is_reported) return;
    const Place object{Place::Kind::value, pod.after->workload->object->root->span};
    add(pod, severity_of(pod), object, verdict, {});
  }

  void add(const PodChange& pod, Severity severity, const Place& place, const std::string& what,
           const std::string& verdict) {
    const auto key = std::tuple(place.where, what, severity);
    const auto known = index_of_.find(key);
    if (known != index_of_.end()) {
      ++annotations_[known->second].more;
      return;
    }
    if (annotations_.size() == kMaxAnnotations) return;
    index_of_.emplace(key, annotations_.size());
    std::string message =
        fmt::format("{}: {}", cli::described(*pod.after->workload, outcome_.after.workspace), what);
    if (!verdict.empty()) message += "; " + verdict;
    annotations_.push_back({Diagnostic{.rule = "diff",
                                       .severity = severity,
                                       .where = place.where,
                                       .message = std::move(message),
                                       .rendered_from = place.rendered_from}});
  }

  const DiffOutcome& outcome_;
  std::vector<Annotation> annotations_;
  std::map<std::tuple<Span, std::string, Severity>, std::size_t> index_of_;
};

}  // namespace

void write_diff_markdown(const DiffOutcome& outcome, std::ostream& out) {
  MarkdownPage(outcome, out).write();
}

void write_diff_github(const DiffOutcome& outcome, std::ostream& out) {
  std::vector<Diagnostic> findings = Annotations(outcome).result();
  for (const Diagnostic* finding : outcome.new_findings) findings.push_back(*finding);
  write_github({outcome.after.workspace, findings}, out);
}

}  // namespace cnsched::cli
