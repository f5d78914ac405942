#include "rules/engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

/// What one rule has found of some subjects.
struct FoundByRule {
  std::size_t rule = 0;  ///< its place in the list of rules
  std::vector<Diagnostic> findings;
};

/// What some rules have found of some subjects.
struct Share {
  std::vector<FoundByRule> found;
  std::size_t count = 0;
  bool is_cut = false;  ///< a rule had more to tell
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
    std::vector<Diagnostic> findings = found_by_all(rules);
    tidy(findings);
    suppressions_.hide(findings);
    for (const Listed& listed : rules) {
      const Rule& rule = *listed.rule;
      // What a suppression hides may be among what is left out.
      if (!is_about_ignores(rule) || !selection_.runs(rule.id) || is_cut_) continue;
      std::vector<Diagnostic> found;
      Report report(workspace_, rule.id, rule.severity, found, most_);
      look(rule, everything(), report);
      is_cut_ = is_cut_ || report.is_cut();
      drop_impossible_fixes(found);
      suppressions_.hide_about_ignores(found);
      std::ranges::move(found, std::back_inserter(findings));
    }
    // Only now: a comment that hides a finding is of use, though a configuration drops it.
    std::erase_if(findings, [&](Diagnostic& finding) { return !judge_.keeps(finding); });
    keep_first(findings);
    auto told = left_out(findings);
    return {std::move(findings), std::move(told)};
  }

 private:
  static constexpr std::size_t kTogether = 32;  // documents or objects that are looked at together
  /// Pods share their mistakes: so many times as many as are kept are collected, and then merged.
  static constexpr std::size_t kTimesMost = 4;

  Subject everything() const { return {.run = workspace_, .suppressions = suppressions_}; }
  template <typename OneSubject>
  static void look(const Rule& rule, OneSubject&& subject, Report& report) {
    std::visit([&](auto check) { subject(check, report); }, rule.check);
  }

  /// Of each rule in turn, in the order of the files: the order of the threads does not show.
  std::vector<Diagnostic> found_by_all(std::span<const Listed> rules) {
    std::vector<std::size_t> of_parts;
    std::vector<std::size_t> of_everything;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Rule& rule = *rules[i].rule;
      if (is_about_ignores(rule) || !selection_.runs(rule.id)) continue;
      (looks_at_everything(rule) ? of_everything : of_parts).push_back(i);
    }
    const std::size_t parts = std::max(workspace_.documents().size(), workspace_.objects().size());
    // What looks at everything takes longest: it is begun first.
    std::vector<Share> shares(of_everything.size() + (parts + kTogether - 1) / kTogether);
    std::vector<std::vector<Diagnostic>> by_rule(rules.size());
    const auto find = [&](std::size_t i) {
      if (i < of_everything.size()) {
        shares[i] = found_of(rules, std::span(of_everything).subspan(i, 1),
                             [&](auto look_at) { look_at(everything()); });
      } else {
        const std::size_t first = (i - of_everything.size()) * kTogether;
        shares[i] = found_of(rules, of_parts, [&](auto look_at) {
          each_part(first, std::min(first + kTogether, parts), look_at);
        });
      }
      return shares[i].count;
    };
    const auto take = [&](std::size_t i) {
      is_cut_ = is_cut_ || shares[i].is_cut;
      for (FoundByRule& one : shares[i].found) {
        std::ranges::move(one.findings, std::back_inserter(by_rule[one.rule]));
      }
      shares[i] = {};
    };
    const std::size_t bound = std::min(most_, SIZE_MAX / kTimesMost) * kTimesMost;
    if (!parallel_shares(shares.size(), workspace_.jobs(), bound, find, take)) is_cut_ = true;
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
      const LoadedDocument& document = *documents[i];
      if (!document.linted || document.fate == Fate::out_of_scope) continue;
      Subject subject = everything();
      subject.document = &document;
      look_at(std::move(subject));
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
    Share share{.found = std::vector<FoundByRule>(numbers.size())};
    std::vector<Report> reports;
    reports.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Rule& rule = *rules[numbers[i]].rule;
      share.found[i].rule = numbers[i];
      reports.emplace_back(workspace_, rule.id, rule.severity, share.found[i].findings, most_);
    }
    each_subject([&](Subject subject) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        look(*rules[numbers[i]].rule, subject, reports[i]);
      }
    });
    share.is_cut = std::ranges::any_of(reports, &Report::is_cut);
    std::erase_if(share.found, [](const FoundByRule& one) { return one.findings.empty(); });
    for (const FoundByRule& one : share.found) share.count += one.findings.size();
    progress().count_findings(share.count);
    return share;
  }

  /// Sorts and merges them, and leaves out those behind the last that may be kept.
  void keep_first(std::vector<Diagnostic>& findings) {
    sort_and_merge(workspace_, findings);
    if (findings.size() <= most_) return;
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(most_), findings.end());
    is_cut_ = true;
  }

  void tidy(std::vector<Diagnostic>& findings) {
    std::erase_if(findings,
                  [&](const Diagnostic& d) { return !workspace_.is_linted(d.where.file); });
    keep_first(findings);
    drop_impossible_fixes(findings);
  }

  std::optional<Unreadable> left_out(const std::vector<Diagnostic>& findings) const {
    if (!is_cut_) return std::nullopt;
    Unreadable told;
    told.reason = fmt::format(
        "more than {} were found, and the others are left out: mend these first, or allow more "
        "with {}",
        count_of(most_, "mistake"), kFindingsFlag);
    if (findings.empty()) return told;
    const SourceFile& file = workspace_.file_of(findings.back().where);
    told.path = file.path();
    told.line = file.line_of(findings.back().where.begin);
    return told;
  }

  const Workspace& workspace_;
  const Selection& selection_;
  Judge judge_;
  Suppressions suppressions_;
  std::size_t most_;
  bool is_cut_ = false;
};

}  // namespace

Found run(const Workspace& workspace, const Selection& selection, std::span<const Listed> rules,
          const IgnoreOptions& ignores, std::size_t most) {
  progress().begin(Step::checking, workspace.objects().size());
  return Run(workspace, selection, ignores, most).of(rules);
}

}  // namespace cnsched::rules
