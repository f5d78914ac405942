#include "rules/engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "core/base/text.h"

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

/// What some rules have found of some subjects.
struct Share {
  std::vector<Diagnostic> findings;
  bool is_cut = false;  ///< there were more than may be kept
};

/// The findings of all shares, put together in the order of the shares, whichever is done first. If
/// they become too many, the first by place are kept: after the same shares, so that the same are
/// kept, however many threads there are.
class Collected {
 public:
  Collected(const Workspace& run, std::size_t shares, std::size_t most)
      : run_(run), waiting_(shares), most_(most) {}

  /// May be called on any thread, once for each share.
  void put(std::size_t number, Share share) {
    std::erase_if(share.findings,
                  [&](const Diagnostic& d) { return !run_.is_linted(d.where.file); });
    const std::lock_guard lock(mutex_);
    waiting_[number] = std::move(share);
    for (; next_ < waiting_.size() && waiting_[next_]; ++next_) {
      std::ranges::move(waiting_[next_]->findings, std::back_inserter(all_.findings));
      all_.is_cut = all_.is_cut || waiting_[next_]->is_cut;
      waiting_[next_].reset();
      if (all_.findings.size() / 2 > most_) keep_first(run_, all_, most_);
    }
  }

  /// All, sorted and merged, when every share is there.
  Share take() {
    keep_first(run_, all_, most_);
    return std::move(all_);
  }

  /// Sorts and merges them, and leaves out those behind the last that may be kept.
  static void keep_first(const Workspace& run, Share& share, std::size_t most) {
    sort_and_merge(run, share.findings);
    if (share.findings.size() <= most) return;
    share.findings.erase(share.findings.begin() + static_cast<std::ptrdiff_t>(most),
                         share.findings.end());
    share.is_cut = true;
  }

 private:
  const Workspace& run_;
  std::vector<std::optional<Share>> waiting_;
  std::size_t next_ = 0;  ///< the first that has not come yet
  Share all_;
  std::size_t most_;
  std::mutex mutex_;
};

/// Runs the rules: all of them over a few objects after the other, so that a tree is looked at
/// while it is near, and several such shares at the same time.
class Run {
 public:
  Run(const Workspace& workspace, const Selection& selection, const IgnoreOptions& ignores,
      std::size_t most)
      : workspace_(workspace),
        selection_(selection),
        judge_(workspace, selection),
        suppressions_(workspace, selection, ignores),
        most_(most) {}

  Found of(std::span<const Listed> rules) {
    Share all = found_by_all(rules);
    drop_impossible_fixes(all.findings);
    suppressions_.hide(all.findings);
    for (const Listed& listed : rules) {
      if (!is_about_ignores(*listed.rule) || !selection_.runs(listed.rule->id)) continue;
      // What a suppression hides may be among what is left out.
      if (all.is_cut) continue;
      std::vector<Diagnostic> found;
      Report report = report_of(*listed.rule, found);
      look(*listed.rule, everything(), report);
      all.is_cut = report.is_cut();
      drop_impossible_fixes(found);
      suppressions_.hide_about_ignores(found);
      std::ranges::move(found, std::back_inserter(all.findings));
    }
    // Only now: a comment that hides a finding is of use, though a configuration drops it.
    std::erase_if(all.findings, [&](Diagnostic& finding) { return !judge_.keeps(finding); });
    Collected::keep_first(workspace_, all, most_);
    auto told = left_out(all);
    return {std::move(all.findings), std::move(told)};
  }

 private:
  static constexpr std::size_t kTogether = 32;  // documents or objects that are looked at together

  Subject everything() const { return {.run = workspace_, .suppressions = suppressions_}; }
  Report report_of(const Rule& rule, std::vector<Diagnostic>& findings) const {
    return {workspace_, rule.id, rule.severity, findings, most_};
  }
  template <typename OneSubject>
  static void look(const Rule& rule, OneSubject&& subject, Report& report) {
    std::visit([&](auto check) { subject(check, report); }, rule.check);
  }

  /// Sorted and merged; the order of the threads does not show.
  Share found_by_all(std::span<const Listed> rules) const {
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
    const std::size_t tasks = of_everything.size() + shares;
    Collected found(workspace_, tasks, most_);
    // What looks at everything takes longest: it is begun first.
    parallel_for(tasks, workspace_.jobs(), [&](std::size_t task) {
      if (task < of_everything.size()) {
        found.put(task, found_of(rules, std::span(of_everything).subspan(task, 1),
                                 [&](auto look_at) { look_at(everything()); }));
        return;
      }
      const std::size_t first = (task - of_everything.size()) * kTogether;
      found.put(task, found_of(rules, of_parts, [&](auto look_at) {
                  each_part(first, std::min(first + kTogether, most), look_at);
                }));
    });
    return found.take();
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
  Share found_of(std::span<const Listed> rules, std::span<const std::size_t> numbers,
                 EachSubject each_subject) const {
    Share share;
    std::vector<Report> reports;
    reports.reserve(numbers.size());
    for (const std::size_t number : numbers) {
      reports.push_back(report_of(*rules[number].rule, share.findings));
    }
    each_subject([&](Subject subject) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        look(*rules[numbers[i]].rule, subject, reports[i]);
      }
    });
    share.is_cut = std::ranges::any_of(reports, &Report::is_cut);
    progress().count_findings(share.findings.size());
    return share;
  }

  std::optional<Unreadable> left_out(const Share& all) const {
    if (!all.is_cut) return std::nullopt;
    Unreadable told;
    told.reason = fmt::format(
        "more than {} were found, and the others are left out: mend these first, or allow more "
        "with {}",
        count_of(most_, "mistake"), kFindingsFlag);
    if (all.findings.empty()) return told;
    const SourceFile& file = workspace_.file_of(all.findings.back().where);
    told.path = file.path();
    told.line = file.line_of(all.findings.back().where.begin);
    return told;
  }

  const Workspace& workspace_;
  const Selection& selection_;
  Judge judge_;
  Suppressions suppressions_;
  std::size_t most_;
};

}  // namespace

Found run(const Workspace& workspace, const Selection& selection, std::span<const Listed> rules,
          const IgnoreOptions& ignores, std::size_t most) {
  progress().begin(Step::checking, workspace.objects().size());
  return Run(workspace, selection, ignores, most).of(rules);
}

}  // namespace cnsched::rules
