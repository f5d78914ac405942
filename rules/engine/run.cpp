#include "rules/engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/base/progress.h"
#include "core/base/text.h"
#include "rules/engine/each.h"

namespace cnsched::rules {

namespace {

/// Where each linted object is not what its kind's table says; several rules ask for it.
class Shapes {
 public:
  explicit Shapes(const Workspace& run) : run_(run) {}

  struct Shape {
    const k8s::Object* object;
    std::vector<k8s::schema::Deviation> deviations;
  };
  /// In the order of the files. Found when first asked for.
  const std::vector<Shape>& all() {
    if (!found_) {
      found_.emplace();
      for (const k8s::Object& object : run_.objects()) {
        if (run_.is_linted(object)) found_->push_back({&object, k8s::schema::deviations(object)});
      }
    }
    return *found_;
  }

 private:
  const Workspace& run_;
  std::optional<std::vector<Shape>> found_;
};

/// Calls a rule's check with everything of the scope that it asks for.
class Runner {
 public:
  Runner(const Workspace& run, Shapes& shapes, const Suppressions& suppressions, Report& report)
      : run_(run), shapes_(shapes), suppressions_(suppressions), report_(report) {}

  void operator()(DocumentCheck check) {
    for (const auto& document : run_.documents()) {
      if (document->linted) check(*document, report_);
    }
  }
  void operator()(ObjectCheck check) {
    for (const k8s::Object& object : run_.objects()) {
      if (!run_.is_linted(object)) continue;
      report_.set_subject(&object);
      check(object, report_);
    }
  }
  void operator()(ShapeCheck check) {
    for (const Shapes::Shape& shape : shapes_.all()) {
      report_.set_subject(shape.object);
      check(*shape.object, shape.deviations, report_);
    }
  }
  void operator()(WorkloadCheck check) {
    each_linted_pod(run_, report_, [&](const Workload& pod) { check(pod, report_); });
  }
  void operator()(WorkspaceCheck check) { check(run_, report_); }
  void operator()(SuppressionCheck check) { check(suppressions_, report_); }

 private:
  const Workspace& run_;
  Shapes& shapes_;
  const Suppressions& suppressions_;
  Report& report_;
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

/// Runs one rule after the other.
class Run {
 public:
  Run(const Workspace& workspace, const Selection& selection, const IgnoreOptions& ignores,
      std::size_t most)
      : workspace_(workspace),
        selection_(selection),
        judge_(workspace, selection),
        shapes_(workspace),
        suppressions_(workspace, selection, ignores),
        most_(most) {}

  Found of(std::span<const Listed> rules) {
    std::vector<Diagnostic> findings;
    for (const Listed& listed : rules) {
      if (is_about_ignores(*listed.rule)) continue;
      add(found_by(*listed.rule), findings);
      // Pods share their mistakes, which are many only before they are merged.
      if (findings.size() > most_) keep_first(findings);
    }
    tidy(findings);
    suppressions_.hide(findings);
    for (const Listed& listed : rules) {
      // What a suppression hides may be among what is left out.
      if (!is_about_ignores(*listed.rule) || is_cut_) continue;
      std::vector<Diagnostic> found = found_by(*listed.rule);
      drop_impossible_fixes(found);
      suppressions_.hide_about_ignores(found);
      add(std::move(found), findings);
    }
    // Only now: a comment that hides a finding is of use, though a configuration drops it.
    std::erase_if(findings, [&](Diagnostic& finding) { return !judge_.keeps(finding); });
    keep_first(findings);
    auto told = left_out(findings);
    return {std::move(findings), std::move(told)};
  }

 private:
  std::vector<Diagnostic> found_by(const Rule& rule) {
    progress().count();
    std::vector<Diagnostic> findings;
    if (!selection_.runs(rule.id)) return findings;
    Report report(workspace_, rule.id, rule.severity, findings, most_);
    std::visit(Runner(workspace_, shapes_, suppressions_, report), rule.check);
    is_cut_ = is_cut_ || report.is_cut();
    progress().count_findings(findings.size());
    return findings;
  }

  static void add(std::vector<Diagnostic> found, std::vector<Diagnostic>& findings) {
    std::ranges::move(found, std::back_inserter(findings));
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
  Shapes shapes_;
  Suppressions suppressions_;
  std::size_t most_;
  bool is_cut_ = false;
};

}  // namespace

Found run(const Workspace& workspace, const Selection& selection, std::span<const Listed> rules,
          const IgnoreOptions& ignores, std::size_t most) {
  progress().begin(Step::checking, rules.size());
  return Run(workspace, selection, ignores, most).of(rules);
}

}  // namespace cnsched::rules
