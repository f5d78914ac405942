#include "rules/engine/run.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/base/parallel.h"
#include "core/base/progress.h"

namespace cnsched::rules {

namespace {

/// Calls rules' checks for the subjects that are set: a document, an object with its pods, or
/// everything.
struct Subject {
  const Workspace& run;
  const Suppressions& suppressions;
  const LoadedDocument* document = nullptr;
  const k8s::Object* object = nullptr;
  std::span<const Workload* const> pods{};  ///< of the object
  /// Where the object is not what its kind's table says; several rules ask for it.
  std::optional<std::vector<k8s::schema::Deviation>> deviations{};

  void operator()(DocumentCheck check, Report& report) const {
    if (document != nullptr) check(*document, report);
  }
  void operator()(ObjectCheck check, Report& report) const {
    if (object == nullptr) return;
    report.set_subject(object);
    check(*object, report);
  }
  void operator()(ShapeCheck check, Report& report) {
    if (object == nullptr) return;
    if (!deviations) deviations = k8s::schema::deviations(*object);
    report.set_subject(object);
    check(*object, *deviations, report);
  }
  void operator()(WorkloadCheck check, Report& report) const {
    for (const Workload* pod : pods) {
      report.set_subject(object, pod->component);
      check(*pod, report);
    }
  }
  void operator()(WorkspaceCheck check, Report& report) const { check(run, report); }
  void operator()(SuppressionCheck check, Report& report) const { check(suppressions, report); }
};

/// Gives each finding the severity that is wanted of it.
class Judge {
 public:
  Judge(const Workspace& run, const Selection& selection) : run_(run), selection_(selection) {}

  /// False if the finding is not wanted.
  bool keeps(Diagnostic& finding) {
    const auto level =
        selection_.level_of(finding.rule, settings_of(finding.where), finding.subject);
    if (level == Level::off) return false;
    if (level) finding.severity = *severity_of(*level);
    return true;
  }

 private:
  const RuleSettings& settings_of(Span where) {
    const auto known = settings_.find(where.file);
    if (known != settings_.end()) return known->second;
    return settings_[where.file] = selection_.settings_of(run_.file_of(where).path());
  }

  const Workspace& run_;
  const Selection& selection_;
  std::unordered_map<FileId, RuleSettings> settings_;
};

/// One mistake may be found through several pods: their findings become one, with the notes of all.
void sort_and_merge(const Workspace& run, std::vector<Diagnostic>& findings) {
  constexpr std::size_t kMostNotes = 10;
  const auto path = [&](Span where) { return std::string_view(run.file_of(where).path()); };
  const auto mistake = [&](const Diagnostic& d) {
    return std::tuple(path(d.where), d.where, d.rule, std::string_view(d.message));
  };
  const auto note_key = [&](const Note& note) {
    return std::tuple(path(note.where), note.where, std::string_view(note.message));
  };
  std::ranges::stable_sort(findings, [&](const Diagnostic& a, const Diagnostic& b) {
    if (mistake(a) != mistake(b)) return mistake(a) < mistake(b);
    return std::ranges::lexicographical_compare(a.notes, b.notes, {}, note_key, note_key);
  });
  std::vector<Diagnostic> merged;
  for (Diagnostic& finding : findings) {
    if (merged.empty() || mistake(merged.back()) != mistake(finding)) {
      merged.push_back(std::move(finding));
      continue;
    }
    if (!merged.back().fix) merged.back().fix = std::move(finding.fix);
    std::vector<Note>& notes = merged.back().notes;
    for (Note& note : finding.notes) {
      if (notes.size() >= kMostNotes) break;
      const bool known = std::ranges::any_of(
          notes, [&](const Note& other) { return note_key(other) == note_key(note); });
      if (!known) notes.push_back(std::move(note));
    }
  }
  findings = std::move(merged);
}

/// A fix that cannot be made is none.
void drop_impossible_fixes(std::vector<Diagnostic>& findings) {
  std::unordered_map<const yaml::Document*, yaml::Changeable> looked_at;
  for (Diagnostic& finding : findings) {
    if (!finding.fix) continue;
    const yaml::Document* document = finding.fix->document;
    const auto& changeable = looked_at.try_emplace(document, *document).first->second;
    if (changeable.obstacle_to(finding.fix->changes)) finding.fix.reset();
  }
}

bool looks_at_everything(const Rule& rule) {
  return std::holds_alternative<WorkspaceCheck>(rule.check) ||
         std::holds_alternative<SuppressionCheck>(rule.check);
}

/// What one rule has found of some subjects.
struct Found {
  std::size_t rule = 0;  ///< its place in the list of rules
  std::vector<Diagnostic> findings;
};

/// Runs the rules: all of them over a few objects after the other, so that a tree is looked at
/// while it is near, and several such shares at the same time.
class Run {
 public:
  Run(const Workspace& workspace, const Selection& selection, const IgnoreOptions& ignores)
      : workspace_(workspace),
        selection_(selection),
        judge_(workspace, selection),
        suppressions_(workspace, selection, ignores) {}

  std::vector<Diagnostic> of(std::span<const Listed> rules) {
    std::vector<Diagnostic> findings = found_by_all(rules);
    tidy(findings);
    suppressions_.hide(findings);
    for (const Listed& listed : rules) {
      if (!is_about_ignores(*listed.rule) || !selection_.runs(listed.rule->id)) continue;
      std::vector<Diagnostic> found;
      Report report = report_of(*listed.rule, found);
      look(*listed.rule, everything(), report);
      drop_impossible_fixes(found);
      suppressions_.hide_about_ignores(found);
      std::ranges::move(found, std::back_inserter(findings));
    }
    // Only now: a comment that hides a finding is of use, though a configuration drops it.
    std::erase_if(findings, [&](Diagnostic& finding) { return !judge_.keeps(finding); });
    sort_and_merge(workspace_, findings);
    return findings;
  }

 private:
  static constexpr std::size_t kTogether = 32;  // documents or objects that are looked at together

  Subject everything() const { return {.run = workspace_, .suppressions = suppressions_}; }
  Report report_of(const Rule& rule, std::vector<Diagnostic>& findings) const {
    return {workspace_, rule.id, rule.severity, findings};
  }
  template <typename OneSubject>
  static void look(const Rule& rule, OneSubject&& subject, Report& report) {
    std::visit([&](auto check) { subject(check, report); }, rule.check);
  }

  /// Of each rule in turn, in the order of the files: the order of the threads does not show.
  std::vector<Diagnostic> found_by_all(std::span<const Listed> rules) const {
    std::vector<std::size_t> of_parts;
    std::vector<std::size_t> of_everything;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Rule& rule = *rules[i].rule;
      if (is_about_ignores(rule) || !selection_.runs(rule.id)) continue;
      (looks_at_everything(rule) ? of_everything : of_parts).push_back(i);
    }
    const auto& documents = workspace_.documents();
    const auto& objects = workspace_.objects();
    const std::size_t most = std::max(documents.size(), objects.size());
    const std::size_t shares = (most + kTogether - 1) / kTogether;
    std::vector<std::vector<Found>> found(of_everything.size() + shares);
    // What looks at everything takes longest: it is begun first.
    parallel_for(found.size(), workspace_.jobs(), [&](std::size_t task) {
      if (task < of_everything.size()) {
        found[task] = found_of(rules, std::span(of_everything).subspan(task, 1),
                               [&](auto look_at) { look_at(everything()); });
        return;
      }
      const std::size_t first = (task - of_everything.size()) * kTogether;
      found[task] = found_of(rules, of_parts, [&](auto look_at) {
        each_part(first, std::min(first + kTogether, most), look_at);
      });
    });

    std::vector<std::vector<Diagnostic>> by_rule(rules.size());
    for (std::vector<Found>& share : found) {
      for (Found& one : share) {
        std::ranges::move(one.findings, std::back_inserter(by_rule[one.rule]));
      }
    }
    std::vector<Diagnostic> findings;
    for (std::vector<Diagnostic>& one : by_rule) {
      std::ranges::move(one, std::back_inserter(findings));
    }
    return findings;
  }

  /// The linted documents and objects of these numbers.
  template <typename LookAt>
  void each_part(std::size_t first, std::size_t end, LookAt look_at) const {
    const auto& documents = workspace_.documents();
    for (std::size_t i = first; i < std::min(end, documents.size()); ++i) {
      Subject subject = everything();
      subject.document = documents[i].get();
      if (subject.document->linted) look_at(std::move(subject));
    }
    const auto& objects = workspace_.objects();
    for (std::size_t i = first; i < std::min(end, objects.size()); ++i) {
      Subject subject = everything();
      subject.object = &objects[i];
      subject.pods = workspace_.workloads_of(objects[i]);
      if (workspace_.is_linted(objects[i])) look_at(std::move(subject));
      progress().count();
    }
  }

  /// What the rules of these numbers find in all subjects that `each_subject` hands out.
  template <typename EachSubject>
  std::vector<Found> found_of(std::span<const Listed> rules, std::span<const std::size_t> numbers,
                              EachSubject each_subject) const {
    std::vector<Found> found(numbers.size());
    std::vector<Report> reports;
    reports.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      found[i].rule = numbers[i];
      reports.push_back(report_of(*rules[numbers[i]].rule, found[i].findings));
    }
    each_subject([&](Subject subject) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        look(*rules[numbers[i]].rule, subject, reports[i]);
      }
    });
    std::erase_if(found, [](const Found& one) { return one.findings.empty(); });
    for (const Found& one : found) progress().count_findings(one.findings.size());
    return found;
  }

  void tidy(std::vector<Diagnostic>& findings) const {
    std::erase_if(findings,
                  [&](const Diagnostic& d) { return !workspace_.is_linted(d.where.file); });
    sort_and_merge(workspace_, findings);
    drop_impossible_fixes(findings);
  }

  const Workspace& workspace_;
  const Selection& selection_;
  Judge judge_;
  Suppressions suppressions_;
};

}  // namespace

std::vector<Diagnostic> run(const Workspace& workspace, const Selection& selection,
                            std::span<const Listed> rules, const IgnoreOptions& ignores) {
  progress().begin(Step::checking, workspace.objects().size());
  return Run(workspace, selection, ignores).of(rules);
}

}  // namespace cnsched::rules
