// Annotations are written as findings of the new side are, at the lines that caused the changes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/output/diff.h"
#include "cli/output/output.h"
#include "cli/output/pods.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using change::FactChange;
using change::Place;
using change::PodChange;

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

void write_diff_github(const DiffOutcome& outcome, std::ostream& out) {
  std::vector<Diagnostic> findings = Annotations(outcome).result();
  for (const Diagnostic* finding : outcome.new_findings) findings.push_back(*finding);
  write_github({outcome.after.workspace, findings}, out);
}

}  // namespace cnsched::cli
