#include "rules/engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/yaml/edit_obstacles.h"
#include "rules/engine/fix.h"
#include "rules/engine/sources.h"
#include "rules/engine/variants.h"
#include "rules/policy/policy_rule.h"

namespace cnsched::rules {

namespace {

using Scopes = std::vector<const ClusterScope*>;

/// An object as clusters with the same schemas and releases see it.
struct LikeClusters {
  Scopes scopes{};
  /// Deviations of the object from its schema, computed once for several rules.
  std::optional<std::vector<k8s::schema::Deviation>> deviations{};

  bool has_like(const ClusterScope& scope, const k8s::Object& object) const {
    const facts::ClusterFacts& one = scopes.front()->facts(object);
    const facts::ClusterFacts& other = scope.facts(object);
    return one.schemas == other.schemas && one.knative == other.knative;
  }
};

/// What a rule is run over: a document, an object with its pods, or all manifests for one cluster.
struct Subjects {
  const ClusterScope& scope;
  const Suppressions& suppressions;
  const LoadedDocument* document = nullptr;
  const k8s::Object* object = nullptr;
  LikeClusters* like = nullptr;             ///< `scope` is one of them
  std::span<const Workload* const> pods{};  ///< of the object
  Scopes* with_like_pods = nullptr;         ///< `scope` is one of them
  /// What applies to each of the pods, computed once for all rules.
  std::vector<Domain> domains{};
  /// What policies see of the object, once for all of them.
  std::optional<PolicySubjects> policy_subjects{};

  void operator()(DocumentCheck check, const Rule& /*rule*/, Findings& findings) const {
    if (document == nullptr) return;
    findings.set_document();
    check(*document, findings);
  }
  void operator()(ObjectCheck check, const Rule& rule, Findings& findings) const {
    if (begin_object(rule, findings)) check(*object, findings);
  }
  void operator()(ShapeCheck check, const Rule& rule, Findings& findings) const {
    if (!begin_object(rule, findings)) return;
    auto& deviations = like->deviations;
    if (!deviations) deviations = k8s::schema::deviations(*object, scope.facts(*object).schemas);
    check(*object, *deviations, findings);
  }
  void operator()(WorkloadCheck check, const Rule& rule, Findings& findings) {
    for (std::size_t i = domains.size(); i < pods.size(); ++i)
      domains.push_back(domain_of(*pods[i]));
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (!asks_for(domains[i], rule.of) || !begin(rule, *with_like_pods, findings)) continue;
      findings.set_subject(object, pods[i]->component);
      check(*pods[i], findings);
    }
  }
  void operator()(const PolicyRule* policy, const Rule& /*rule*/, Findings& findings) {
    if (object == nullptr) return;
    if (!policy_subjects) policy_subjects.emplace(scope, *object, pods);
    findings.set_scope(scope);
    policy->check(*policy_subjects, findings);
  }
  void operator()(ScopeCheck check, const Rule& /*rule*/, Findings& findings) const {
    check(scope, findings);
  }
  void operator()(LastCheck /*check*/, const Rule& /*rule*/, Findings& /*findings*/) const {}
  void operator()(SuppressionCheck check, const Rule& /*rule*/, Findings& findings) const {
    check(suppressions, findings);
  }

 private:
  /// Whether the rule is to check the object here.
  bool begin_object(const Rule& rule, Findings& findings) const {
    if (object == nullptr || !is_in(rule.of, *object, scope)) return false;
    findings.set_subject(object);
    return begin(rule, like->scopes, findings);
  }
  /// The same of a subject that these scopes, and `scope` among them, have alike.
  bool begin(const Rule& rule, const Scopes& alike, Findings& findings) const {
    if (!rule.decided_by_subject) {
      findings.set_scope(scope);
      return true;
    }
    findings.set_scope(scope, alike);
    return &scope == alike.front();
  }
};

/// Applies the severities that the user has configured.
class SeverityFilter {
 public:
  SeverityFilter(const Workspace& workspace, const Selection& selection)
      : workspace_(workspace), selection_(selection) {}

  /// Sets the configured severity; false if the rule is off for the finding.
  bool keeps(Diagnostic& finding) {
    const Span place = finding.printed_at.empty() ? finding.where : finding.printed_at.back();
    const auto level = selection_.level_of(finding.rule, settings_of(place), finding.subject);
    if (level == Level::off) return false;
    if (level && !finding.undecided) finding.severity = *severity_of(*level);
    return true;
  }

 private:
  const RuleSettings& settings_of(Span where) {
    const auto known = settings_.find(where.file);
    if (known != settings_.end()) return known->second;
    return settings_[where.file] = selection_.settings_of(workspace_.file_of(where).path());
  }

  const Workspace& workspace_;
  const Selection& selection_;
  std::unordered_map<FileId, RuleSettings> settings_;
};

/// Merges equal findings, which the same mistake causes in several pods. Keeps the notes of all.
void sort_and_merge(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  constexpr std::size_t kMaxNotes = 10;
  const auto path = [&](Span where) { return std::string_view(workspace.file_of(where).path()); };
  const auto mistake = [&](const Diagnostic& d) {
    return std::tuple(path(d.where), d.where, d.rule, std::string_view(d.message));
  };
  const auto note_key = [&](const Note& note) {
    return std::tuple(path(note.where), note.where, std::string_view(note.message));
  };
  std::vector<Diagnostic*> sorted;
  for (Diagnostic& finding : findings) sorted.push_back(&finding);
  std::ranges::stable_sort(sorted, [&](const Diagnostic* a, const Diagnostic* b) {
    if (mistake(*a) != mistake(*b)) return mistake(*a) < mistake(*b);
    return std::ranges::lexicographical_compare(a->notes, b->notes, {}, note_key, note_key);
  });
  std::vector<Diagnostic> merged;
  for (Diagnostic* each : sorted) {
    Diagnostic& finding = *each;
    if (merged.empty() || mistake(merged.back()) != mistake(finding)) {
      merged.push_back(std::move(finding));
      continue;
    }
    if (!merged.back().fix) merged.back().fix = std::move(finding.fix);
    merge_scopes(finding, merged.back());
    std::vector<Note>& notes = merged.back().notes;
    for (Note& note : finding.notes) {
      if (notes.size() >= kMaxNotes) break;
      // One place of what was rendered from it is enough.
      const bool is_repeated =
          !finding.printed_at.empty() && note.where == finding.printed_at.back();
      if (is_repeated) continue;
      const bool known = std::ranges::any_of(
          notes, [&](const Note& other) { return note_key(other) == note_key(note); });
      if (!known) notes.push_back(std::move(note));
    }
  }
  findings = std::move(merged);
}

/// How many clusters, and with how many releases, a file is judged for, or `part` of one that
/// clusters divide.
struct JudgedFor {
  std::set<std::string_view> clusters{};
  std::set<std::string> releases{};

  JudgedFor(const Workspace& workspace, FileId file, const k8s::Object* part) {
    for (const ClusterScope& scope : workspace.scopes()) {
      if (!scope.is_linted(file)) continue;
      const bool has_part =
          part == nullptr || std::ranges::any_of(scope.objects(), [&](const k8s::Object& object) {
            return &object == part;
          });
      if (!has_part) continue;
      clusters.insert(scope.name());
      releases.insert(describe_releases(scope));
    }
  }
};

/// Merges what was found of one object in several clusters and with several releases. Names those
/// of findings that do not apply to all that the object is judged for.
void merge_clusters(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  if (workspace.scopes().size() < 2) return;
  sort_and_merge(workspace, findings);
  std::map<std::string_view, std::size_t> places;  // of the clusters, by name
  for (const ClusterScope& scope : workspace.scopes()) places.emplace(scope.name(), places.size());
  std::map<std::pair<FileId, const k8s::Object*>, JudgedFor> judged_for;
  for (Diagnostic& finding : findings) {
    std::ranges::stable_sort(finding.clusters, {},
                             [&](const std::string& name) { return places.at(name); });
    const FileId file = finding.where.file;
    const bool is_divided = workspace.scopes().front().is_divided(file);
    const k8s::Object* part = is_divided ? workspace.object_around(finding.where) : nullptr;
    const JudgedFor& all =
        judged_for.try_emplace({file, part}, workspace, file, part).first->second;
    label(finding.clusters, all.clusters.size(), "cluster", finding.message);
    label_releases(finding.releases, all.releases.size(), finding.message);
  }
}

/// Leaves one finding of each policy that is not decided, which counts the others.
void merge_undecided(std::vector<Diagnostic>& findings) {
  constexpr std::string_view kNotDecided = "not decided";
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const Diagnostic& finding : findings) counts[finding.rule] += finding.undecided ? 1 : 0;
  std::erase_if(findings, [&](Diagnostic& finding) {
    if (!finding.undecided) return false;
    const std::size_t count = std::exchange(counts[finding.rule], 0);
    if (count > 1) {
      finding.message.insert(kNotDecided.size(),
                             fmt::format(" for this and {}", count_of(count - 1, "other")));
    }
    return count == 0;
  });
}

/// Removes fixes that cannot be applied.
void drop_impossible_fixes(std::vector<Diagnostic>& findings) {
  std::unordered_map<const yaml::Document*, yaml::EditObstacles> by_document;
  for (Diagnostic& finding : findings) {
    if (!finding.fix || finding.fix->document == nullptr) continue;
    const yaml::Document* document = finding.fix->document;
    const auto& obstacles = by_document.try_emplace(document, *document).first->second;
    if (obstacles.find(finding.fix->changes)) finding.fix.reset();
  }
}

bool is_last(const Rule& rule) {
  return checks_suppressions(rule) || std::holds_alternative<LastCheck>(rule.check);
}

bool checks_whole_scope(const Rule& rule) {
  return std::holds_alternative<ScopeCheck>(rule.check) || is_last(rule);
}

/// The findings of one rule in one batch.
struct FoundByRule {
  std::size_t rule = 0;  ///< its index in the list of rules
  std::vector<Diagnostic> findings;
};

/// The findings of one batch.
struct Batch {
  std::vector<FoundByRule> found;
  std::size_t count = 0;
  bool is_cut = false;  ///< a rule exceeded the limit
};

/// The findings of all rules with fixes as they are.
std::vector<Diagnostic> find_with_unchecked_fixes(const Workspace& workspace);

/// Runs the rules in parallel batches: all rules over a few objects, whose trees are then cached.
class Run {
 public:
  Run(const Workspace& workspace, const Selection& selection,
      const SuppressionSettings& suppression, std::size_t max_findings, bool checks_fixes = true)
      : workspace_(workspace),
        selection_(selection),
        severities_(workspace, selection),
        suppressions_(workspace, selection, suppression),
        max_findings_(max_findings),
        checks_fixes_(checks_fixes),
        linted_(linted_objects(workspace)) {}

  RunResult of(std::span<const Listed> rules) {
    std::vector<Diagnostic> findings = found_by_all(rules);
    add_last(rules, findings);
    tidy(findings);
    suppressions_.hide(findings);
    for (const Listed& listed : rules) {
      const Rule& rule = *listed.rule;
      // If findings were left out, a suppression may hide one of them.
      if (!checks_suppressions(rule) || !selection_.runs(rule.id) || is_cut_) continue;
      std::vector<Diagnostic> found;
      const ClusterScope& scope = workspace_.scopes().front();
      Findings collected(scope, rule.id, rule.severity, found, max_findings_);
      collected.set_document();
      Subjects subjects = all_of(scope);
      look(rule, {&subjects, 1}, collected);
      is_cut_ = is_cut_ || collected.is_cut();
      drop_impossible_fixes(found);
      move_to_sources(workspace_, found);
      suppressions_.hide_findings_about_suppressions(found);
      std::ranges::move(found, std::back_inserter(findings));
    }
    // After the suppressions: a comment is used even if the configuration drops the finding.
    std::erase_if(findings, [&](Diagnostic& finding) { return !severities_.keeps(finding); });
    merge_undecided(findings);
    keep_first(findings);
    suppressions_.hide_known(findings);
    auto cut = left_out(findings);
    return {std::move(findings), std::move(cut)};
  }

 private:
  static constexpr std::size_t kBatchSize = 32;  ///< documents, or objects
  /// Findings of several pods are merged, so more are collected than are kept.
  static constexpr std::size_t kOvercollectFactor = 4;

  Subjects all_of(const ClusterScope& scope) const {
    return {.scope = scope, .suppressions = suppressions_};
  }
  static void look(const Rule& rule, std::span<Subjects> subjects, Findings& findings) {
    std::visit(
        [&](auto check) {
          for (Subjects& each : subjects) each(check, rule, findings);
        },
        rule.check);
  }

  /// Adds what rules find that look at the findings of the others.
  void add_last(std::span<const Listed> rules, std::vector<Diagnostic>& findings) {
    std::vector<Diagnostic> found;
    std::optional<Reported> reported;
    for (const Listed& listed : rules) {
      const Rule& rule = *listed.rule;
      const auto* check = std::get_if<LastCheck>(&rule.check);
      if (check == nullptr || !selection_.runs(rule.id)) continue;
      if (!reported) reported.emplace(workspace_, findings);
      for (const ClusterScope& scope : workspace_.scopes()) {
        Findings collected(scope, rule.id, rule.severity, found, max_findings_);
        each_linted_pod(scope, collected, rule.of, [&](const Workload& workload) {
          (*check)(workload, *reported, collected);
        });
        is_cut_ = is_cut_ || collected.is_cut();
      }
    }
    std::ranges::move(found, std::back_inserter(findings));
  }

  /// What one thread does at a time: one rule over a whole scope, or the others over a few
  /// documents and objects, each in all scopes that have it.
  struct Task {
    const ClusterScope* scope = nullptr;   ///< null: the others
    std::span<const std::size_t> rules{};  ///< indices
    std::size_t first = 0;                 ///< document and object
  };

  std::vector<Task> tasks(std::span<const std::size_t> object_rules,
                          std::span<const std::size_t> scope_rules) const {
    std::vector<Task> tasks;
    // Rules that check a whole scope take longest and start first.
    for (const ClusterScope& scope : workspace_.scopes()) {
      for (std::size_t i = 0; i < scope_rules.size(); ++i) {
        tasks.push_back({&scope, scope_rules.subspan(i, 1)});
      }
    }
    const std::size_t parts = std::max(workspace_.documents().size(), linted_.size());
    for (std::size_t first = 0; first < parts; first += kBatchSize) {
      tasks.push_back({nullptr, object_rules, first});
    }
    return tasks;
  }

  /// An object and the scopes that judge it.
  struct Linted {
    const k8s::Object* object = nullptr;
    std::vector<const ClusterScope*> scopes{};
  };
  static std::vector<Linted> linted_objects(const Workspace& workspace) {
    std::unordered_map<const k8s::Object*, std::vector<const ClusterScope*>> scopes_of;
    for (const ClusterScope& scope : workspace.scopes()) {
      for (const k8s::Object& object : scope.objects()) {
        if (scope.is_linted(object)) scopes_of[&object].push_back(&scope);
      }
    }
    std::vector<Linted> linted;
    linted.reserve(scopes_of.size());
    for (const k8s::Object& object : workspace.objects()) {
      const auto found = scopes_of.find(&object);
      if (found != scopes_of.end()) linted.push_back({&object, std::move(found->second)});
    }
    return linted;
  }

  /// The findings by rule, then in the order of the files, whatever the order of the threads.
  std::vector<Diagnostic> found_by_all(std::span<const Listed> rules) {
    std::vector<std::size_t> object_rules;
    std::vector<std::size_t> scope_rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Rule& rule = *rules[i].rule;
      if (is_last(rule) || !selection_.runs(rule.id)) continue;
      (checks_whole_scope(rule) ? scope_rules : object_rules).push_back(i);
    }
    const std::vector<Task> tasks = this->tasks(object_rules, scope_rules);
    std::vector<Batch> batches(tasks.size());
    std::vector<std::vector<Diagnostic>> by_rule(rules.size());
    const auto find = [&](std::size_t i) {
      batches[i] = found_in(tasks[i], rules);
      return batches[i].count;
    };
    const auto take = [&](std::size_t i) {
      is_cut_ = is_cut_ || batches[i].is_cut;
      for (FoundByRule& one : batches[i].found) {
        std::ranges::move(one.findings, std::back_inserter(by_rule[one.rule]));
      }
      batches[i] = {};
    };
    const std::size_t bound =
        std::min(max_findings_, SIZE_MAX / kOvercollectFactor) * kOvercollectFactor;
    if (!parallel_shares(batches.size(), workspace_.jobs(), bound, find, take)) is_cut_ = true;
    std::vector<Diagnostic> findings;
    for (std::vector<Diagnostic>& one : by_rule) {
      std::ranges::move(one, std::back_inserter(findings));
    }
    return findings;
  }

  static bool is_checked(const LoadedDocument& document) {
    return document.linted && document.status != DocumentStatus::out_of_scope &&
           document.status != DocumentStatus::fact;
  }
  /// What the subjects of a task refer to.
  struct Alike {
    std::deque<LikeClusters> clusters{};
    std::deque<Scopes> pods{};
  };

  static void add_object(const Linted& linted, const Suppressions& suppressions, Alike& alike,
                         std::vector<Subjects>& all) {
    std::deque<LikeClusters>& seen = alike.clusters;
    const std::size_t begin = seen.size();
    std::unordered_map<const Workload*, Scopes*> of_pods;
    for (const ClusterScope* scope : linted.scopes) {
      auto like = std::find_if(
          seen.begin() + static_cast<std::ptrdiff_t>(begin), seen.end(),
          [&](const LikeClusters& one) { return one.has_like(*scope, *linted.object); });
      if (like == seen.end()) like = seen.insert(seen.end(), LikeClusters());
      like->scopes.push_back(scope);
      const auto pods = scope->workloads_of(*linted.object);
      Scopes*& with_like_pods = of_pods[pods.empty() ? nullptr : pods.front()->first_like()];
      if (with_like_pods == nullptr) with_like_pods = &alike.pods.emplace_back();
      with_like_pods->push_back(scope);
      all.push_back({.scope = *scope,
                     .suppressions = suppressions,
                     .object = linted.object,
                     .like = &*like,
                     .pods = pods,
                     .with_like_pods = with_like_pods});
    }
  }

  /// The linted documents and objects of the task, or its scope.
  std::vector<Subjects> subjects_of(const Task& task, Alike& alike) const {
    std::vector<Subjects> all;
    if (task.scope != nullptr) {
      all.push_back(all_of(*task.scope));
      return all;
    }
    const auto in_task = [&](const auto& list) {
      return std::span(list)
          .subspan(std::min(task.first, list.size()))
          .first(std::min(kBatchSize, list.size() - std::min(task.first, list.size())));
    };
    for (const LoadedDocument* document : in_task(workspace_.documents())) {
      if (!is_checked(*document)) continue;
      all.push_back(all_of(workspace_.scopes().front()));
      all.back().document = document;
    }
    for (const Linted& linted : in_task(linted_)) {
      add_object(linted, suppressions_, alike, all);
      progress().count();
    }
    return all;
  }

  Batch found_in(const Task& task, std::span<const Listed> rules) const {
    const std::span<const std::size_t> indices = task.rules;
    Alike alike;
    std::vector<Subjects> all = subjects_of(task, alike);
    Batch batch{.found = std::vector<FoundByRule>(indices.size())};
    std::vector<Findings> findings;
    findings.reserve(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Rule& rule = *rules[indices[i]].rule;
      batch.found[i].rule = indices[i];
      const ClusterScope& scope = task.scope != nullptr ? *task.scope : workspace_.scopes().front();
      findings.emplace_back(scope, rule.id, rule.severity, batch.found[i].findings, max_findings_);
    }
    // A rule's code and data stay in the processor's cache while it looks at all of them.
    for (std::size_t i = 0; i < indices.size(); ++i) {
      look(*rules[indices[i]].rule, all, findings[i]);
    }
    batch.is_cut = std::ranges::any_of(findings, &Findings::is_cut);
    std::erase_if(batch.found, [](const FoundByRule& one) { return one.findings.empty(); });
    for (const FoundByRule& one : batch.found) batch.count += one.findings.size();
    progress().count_findings(batch.count);
    return batch;
  }

  /// Sorts and merges the findings, and keeps the first ones up to the limit.
  void keep_first(std::vector<Diagnostic>& findings) {
    sort_and_merge(workspace_, findings);
    if (findings.size() <= max_findings_) return;
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(max_findings_), findings.end());
    is_cut_ = true;
  }

  void tidy(std::vector<Diagnostic>& findings) {
    std::erase_if(findings,
                  [&](const Diagnostic& d) { return !workspace_.is_linted(d.where.file); });
    merge_clusters(workspace_, findings);
    note_variants(workspace_, findings);
    drop_impossible_fixes(findings);
    if (checks_fixes_) drop_harmful_fixes(workspace_, findings, find_with_unchecked_fixes);
    move_to_sources(workspace_, findings);
    if (workspace_.scopes().size() > 1) {
      sort_and_merge(workspace_, findings);
      merge_variants(workspace_, findings);
    }
    keep_first(findings);
  }

  std::optional<Unreadable> left_out(const std::vector<Diagnostic>& findings) const {
    if (!is_cut_) return std::nullopt;
    Unreadable cut;
    cut.reason = fmt::format(
        "more than {} were found and the others are left out: correct these first, or raise {}",
        count_of(max_findings_, "mistake"), kFindingsFlag);
    if (findings.empty()) return cut;
    const SourceFile& file = workspace_.file_of(findings.back().where);
    cut.path = file.path();
    cut.line = file.line_of(findings.back().where.begin);
    return cut;
  }

  const Workspace& workspace_;
  const Selection& selection_;
  SeverityFilter severities_;
  Suppressions suppressions_;
  std::size_t max_findings_;
  bool checks_fixes_;
  bool is_cut_ = false;
  std::vector<Linted> linted_;  ///< in the order of the files
};

std::vector<Diagnostic> find_with_unchecked_fixes(const Workspace& workspace) {
  const Selection everything = Selection::everything();
  const SuppressionSettings suppression;
  return Run(workspace, everything, suppression, kMaxFindings, false).of(all_rules()).findings;
}

}  // namespace

RunResult run(const Workspace& workspace, const Selection& selection, std::span<const Listed> rules,
              const SuppressionSettings& suppression, std::size_t max_findings) {
  progress().begin(Step::checking, workspace.objects().size());
  return Run(workspace, selection, suppression, max_findings).of(rules);
}

}  // namespace cnsched::rules
