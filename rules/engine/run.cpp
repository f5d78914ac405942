#include "rules/engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/yaml/edit_obstacles.h"
#include "rules/engine/sources.h"
#include "rules/engine/variants.h"
#include "rules/policy/policy_rule.h"

namespace cnsched::rules {

namespace {

/// What a rule is run over: a document, an object with its pods, or all manifests for one cluster.
struct Subjects {
  const ClusterScope& scope;
  const Suppressions& suppressions;
  const LoadedDocument* document = nullptr;
  const k8s::Object* object = nullptr;
  std::span<const Workload* const> pods{};  ///< of the object
  /// What applies to each of the pods, computed once for all rules.
  std::vector<Domain> domains{};
  /// Deviations of the object from its schema, computed once for several rules.
  std::optional<std::vector<k8s::schema::Deviation>> deviations{};
  /// What policies see of the object, once for all of them.
  std::optional<PolicySubjects> policy_subjects{};

  void operator()(DocumentCheck check, Domain /*all*/, Findings& findings) const {
    if (document == nullptr) return;
    findings.set_document();
    check(*document, findings);
  }
  void operator()(ObjectCheck check, Domain domain, Findings& findings) const {
    if (object == nullptr || !is_in(domain, *object, scope)) return;
    findings.set_subject(object);
    check(*object, findings);
  }
  void operator()(ShapeCheck check, Domain domain, Findings& findings) {
    if (object == nullptr || !is_in(domain, *object, scope)) return;
    if (!deviations) deviations = k8s::schema::deviations(*object, scope.facts(*object).schemas);
    findings.set_subject(object);
    check(*object, *deviations, findings);
  }
  void operator()(WorkloadCheck check, Domain domain, Findings& findings) {
    for (std::size_t i = domains.size(); i < pods.size(); ++i)
      domains.push_back(domain_of(*pods[i]));
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (!asks_for(domains[i], domain)) continue;
      findings.set_subject(object, pods[i]->component);
      check(*pods[i], findings);
    }
  }
  void operator()(const PolicyRule* policy, Domain /*all*/, Findings& findings) {
    if (object == nullptr) return;
    if (!policy_subjects) policy_subjects.emplace(scope, *object, pods);
    policy->check(*policy_subjects, findings);
  }
  void operator()(ScopeCheck check, Domain /*all*/, Findings& findings) const {
    check(scope, findings);
  }
  void operator()(LastCheck /*check*/, Domain /*all*/, Findings& /*findings*/) const {}
  void operator()(SuppressionCheck check, Domain /*all*/, Findings& findings) const {
    check(suppressions, findings);
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

/// How many clusters, and with how many releases, a file is judged for.
struct JudgedFor {
  std::set<std::string_view> clusters{};
  std::set<std::string> releases{};

  JudgedFor(const Workspace& workspace, FileId file) {
    for (const ClusterScope& scope : workspace.scopes()) {
      if (!scope.is_linted(file)) continue;
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
  std::unordered_map<FileId, JudgedFor> judged_for;
  for (Diagnostic& finding : findings) {
    const FileId file = finding.where.file;
    const JudgedFor& all = judged_for.try_emplace(file, workspace, file).first->second;
    label(finding.clusters, all.clusters.size(), "cluster", finding.message);
    label_releases(finding.releases, all.releases.size(), finding.message);
  }
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

/// The findings of one batch.
struct Batch {
  std::vector<FoundByRule> found;
  std::size_t count = 0;
  bool is_cut = false;  ///< a rule exceeded the limit
};

/// Runs the rules in parallel batches: all rules over a few objects, whose trees are then cached.
class Run {
 public:
  Run(const Workspace& workspace, const Selection& selection,
      const SuppressionSettings& suppression, std::size_t max_findings, FindingCache* cache)
      : workspace_(workspace),
        selection_(selection),
        severities_(workspace, selection),
        suppressions_(workspace, selection, suppression,
                      cache == nullptr ? nullptr : &cache->mentions()),
        max_findings_(max_findings),
        cache_(cache) {}

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
          for (Subjects& each : subjects) each(check, rule.of, findings);
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
  /// documents and objects.
  struct Task {
    const ClusterScope* scope = nullptr;
    std::span<const std::size_t> rules;  ///< indices
    bool is_of_whole_scope = false;
    std::size_t first = 0;  ///< document and object
  };

  /// A document or an object, and what is known of it.
  struct Cached {
    Subjects subjects;
    FindingCache::Entry* entry = nullptr;
  };

  /// Looks for what the cache does not have.
  void fill_cache(std::span<const Listed> rules, std::span<const std::size_t> object_rules) {
    cached_.clear();
    std::vector<Cached> missing;
    const auto add = [&](Subjects subjects, const void* key) {
      const auto [found, is_new] = cache_->of(subjects.scope).try_emplace(key);
      cached_.push_back(&found->second);
      if (is_new) missing.push_back({std::move(subjects), &found->second});
    };
    for (const ClusterScope& scope : workspace_.scopes()) {
      for (const auto& document : documents_of(scope)) {
        if (is_checked(*document)) add(subjects_of(scope, *document), document.get());
      }
      for (const k8s::Object& object : scope.objects()) {
        if (scope.is_linted(object)) add(subjects_of(scope, object), &object);
      }
    }
    parallel_for(missing.size(), workspace_.jobs(), [&](std::size_t i) {
      FindingCache::Entry& entry = *missing[i].entry;
      const ReadLog::Recording recording(&entry.reads);
      Subjects& subjects = missing[i].subjects;
      // It depends on what its pods depend on.
      if (subjects.object != nullptr) {
        subjects.pods = subjects.scope.workloads_of(*subjects.object);
      }
      Batch batch = found_in(subjects.scope, {&subjects, 1}, rules, object_rules);
      batch.found.shrink_to_fit();  // most rules find nothing
      entry.found = std::move(batch.found);
      entry.is_cut = batch.is_cut;
    });
  }

  std::vector<Task> tasks(std::span<const std::size_t> object_rules,
                          std::span<const std::size_t> scope_rules) const {
    std::vector<Task> tasks;
    // Rules that check a whole scope take longest and start first.
    for (const ClusterScope& scope : workspace_.scopes()) {
      for (std::size_t i = 0; i < scope_rules.size(); ++i) {
        tasks.push_back({&scope, scope_rules.subspan(i, 1), true});
      }
    }
    if (cache_ != nullptr) return tasks;
    for (const ClusterScope& scope : workspace_.scopes()) {
      const std::size_t parts = std::max(documents_of(scope).size(), scope.objects().size());
      for (std::size_t first = 0; first < parts; first += kBatchSize) {
        tasks.push_back({&scope, object_rules, false, first});
      }
    }
    return tasks;
  }

  /// The documents to check with a scope: each is checked once.
  std::span<const std::unique_ptr<LoadedDocument>> documents_of(const ClusterScope& scope) const {
    if (&scope != &workspace_.scopes().front()) return {};
    return workspace_.documents();
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
    if (cache_ != nullptr) fill_cache(rules, object_rules);
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
    std::size_t kept = 0;
    for (const FindingCache::Entry* entry : cached_) {
      if (kept > bound) {
        is_cut_ = true;
        break;
      }
      is_cut_ = is_cut_ || entry->is_cut;
      for (const FoundByRule& one : entry->found) {
        by_rule[one.rule].insert(by_rule[one.rule].end(), one.findings.begin(), one.findings.end());
        kept += one.findings.size();
      }
    }
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
  Subjects subjects_of(const ClusterScope& scope, const LoadedDocument& document) const {
    Subjects subjects = all_of(scope);
    subjects.document = &document;
    return subjects;
  }
  Subjects subjects_of(const ClusterScope& scope, const k8s::Object& object) const {
    Subjects subjects = all_of(scope);
    subjects.object = &object;
    subjects.pods = scope.workloads_of(object);
    return subjects;
  }

  /// The linted documents and objects of the task.
  std::vector<Subjects> subjects_of(const Task& task) const {
    const ClusterScope& scope = *task.scope;
    std::vector<Subjects> all;
    if (task.is_of_whole_scope) {
      all.push_back(all_of(scope));
      return all;
    }
    const auto documents = documents_of(scope);
    for (std::size_t i = task.first; i < std::min(task.first + kBatchSize, documents.size()); ++i) {
      if (is_checked(*documents[i])) all.push_back(subjects_of(scope, *documents[i]));
    }
    const auto& objects = scope.objects();
    for (std::size_t i = task.first; i < std::min(task.first + kBatchSize, objects.size()); ++i) {
      if (scope.is_linted(objects[i])) all.push_back(subjects_of(scope, objects[i].get()));
      progress().count();
    }
    return all;
  }

  Batch found_in(const Task& task, std::span<const Listed> rules) const {
    std::vector<Subjects> all = subjects_of(task);
    return found_in(*task.scope, all, rules, task.rules);
  }

  Batch found_in(const ClusterScope& scope, std::span<Subjects> all, std::span<const Listed> rules,
                 std::span<const std::size_t> indices) const {
    Batch batch{.found = std::vector<FoundByRule>(indices.size())};
    std::vector<Findings> findings;
    findings.reserve(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Rule& rule = *rules[indices[i]].rule;
      batch.found[i].rule = indices[i];
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
  FindingCache* cache_;
  std::vector<const FindingCache::Entry*> cached_{};  ///< of all documents and objects, in order
  bool is_cut_ = false;
};

}  // namespace

void FindingCache::forget(const FileChange& change) {
  mentions_.erase(change.file);
  for (auto& [scope, entries] : by_scope_) {
    std::erase_if(entries, [&](const auto& entry) {
      return change.gone.contains(entry.first) || entry.second.reads.meets(change.keys);
    });
  }
}

RunResult run(const Workspace& workspace, const Selection& selection, std::span<const Listed> rules,
              const SuppressionSettings& suppression, std::size_t max_findings,
              FindingCache* cache) {
  progress().begin(Step::checking, workspace.objects().size());
  return Run(workspace, selection, suppression, max_findings, cache).of(rules);
}

}  // namespace cnsched::rules
