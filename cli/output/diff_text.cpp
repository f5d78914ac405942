// InferenceService 'llama', predictor (svc.yaml:4)
//   nodeSelector['pool']: l4 (svc.yaml:12) → a100 (from runtime.yaml:20)
//   nvidia-l4 ×1 → nvidia-a100-80gb ×2
//   fits 4 of 12 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated
#include <fmt/format.h>

#include "cli/output/diff.h"
#include "cli/output/style.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using change::PodChange;

class DiffPage {
 public:
  DiffPage(const DiffOutcome& outcome, std::size_t width, bool colored, std::ostream& out)
      : outcome_(outcome), width_(width), style_(colored), out_(out) {}

  void write() {
    for (const PodChange* pod : ordered_pods(outcome_.difference)) write(*pod);
    totals();
    findings("new findings", outcome_.new_findings, outcome_.after.workspace);
    findings("resolved findings", outcome_.resolved_findings, outcome_.before.workspace);
    for (const std::string& line : wrap(describe(outcome_.difference), width_)) {
      out_ << style_(outcome_.difference.is_worse() ? Paint::error : Paint::strong, line) << '\n';
    }
    for (const std::string& failure : outcome_.failures) {
      for (const std::string& line : wrap(printable(failure), width_)) {
        out_ << style_(Paint::error, line) << '\n';
      }
    }
  }

 private:
  void write(const PodChange& pod) {
    for (const std::string& line : wrap(heading_of(pod, outcome_), width_)) {
      out_ << style_(Paint::strong, line) << '\n';
    }
    for (const std::string& line : change_lines(pod, outcome_)) item(line);
    if (pod.facts.empty() || names_products(pod)) item(devices_text(pod));
    const Paint paint = pod.is_worse() ? Paint::error : Paint::note;
    item(verdict_text(pod), pod.has_other_verdict() ? &paint : nullptr);
    out_ << '\n';
  }

  /// An indented line, and its rest indented by more.
  void item(const std::string& text, const Paint* paint = nullptr) {
    constexpr std::size_t kIndent = 4;
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kIndent)) {
      if (line.empty()) continue;
      out_ << (is_first ? "  " : "    ") << (paint != nullptr ? style_(*paint, line) : line)
           << '\n';
      is_first = false;
    }
  }

  void totals() {
    const std::vector<TotalRow> rows = total_rows(outcome_);
    if (rows.empty()) return;
    out_ << style_(Paint::strong, "totals") << '\n';
    for (const TotalRow& row : rows) {
      item(fmt::format("{}: {} → {}", row.name, row.before, row.after));
    }
    out_ << '\n';
  }

  void findings(std::string_view title, const std::vector<const Diagnostic*>& findings,
                const Workspace& workspace) {
    if (findings.empty()) return;
    out_ << style_(Paint::strong, title) << '\n';
    for (const Diagnostic* finding : findings) {
      item(fmt::format("{}: {}", name_of(finding->severity), finding_text(*finding, workspace)));
    }
    out_ << '\n';
  }

  const DiffOutcome& outcome_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
};

}  // namespace

void write_diff(const DiffOutcome& outcome, std::size_t width, bool colored, std::ostream& out) {
  DiffPage(outcome, width, colored, out).write();
}

}  // namespace cnsched::cli
