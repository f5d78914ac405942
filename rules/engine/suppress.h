#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/engine/baseline.h"
#include "rules/engine/ignore.h"
#include "rules/engine/selection.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// What suppresses findings.
struct SuppressionSettings {
  bool inline_ignores = true;  ///< whether comments and annotations in manifests do
  /// Suppressions that end before this day (UTC) have expired; without it none has.
  std::optional<std::chrono::sys_days> today{};
  std::optional<Baseline> baseline{};
};

/// Whether the rule checks suppressions. It runs after all other rules.
bool checks_suppressions(const Rule& rule);

/// The suppressions of the linted files and of the baseline.
class Suppressions {
 public:
  /// `settings` must outlive it. Expects every rule that `selection` selects to run.
  Suppressions(const Workspace& workspace, const Selection& selection,
               const SuppressionSettings& settings);
  Suppressions(const Suppressions&) = delete;
  Suppressions& operator=(const Suppressions&) = delete;

  /// Marks the findings that comments and annotations suppress. A note names an expired
  /// suppression.
  void hide(std::vector<Diagnostic>& findings);
  /// The same for findings about suppressions: only `ignore-file` hides these, except findings
  /// about itself.
  void hide_findings_about_suppressions(std::vector<Diagnostic>& findings);

  /// Marks the findings that the baseline contains.
  void hide_known(std::vector<Diagnostic>& findings) const;

  const std::deque<Ignore>& all() const { return ignores_; }

  struct Unused {
    const Ignore* ignore;
    const IgnoredName* name;
  };
  /// The names that hide no finding, where this run can decide that.
  std::vector<Unused> unused() const;

 private:
  /// A name of a suppression.
  struct NamedIn {
    Ignore* ignore = nullptr;
    std::size_t name = 0;
  };
  /// What is known about the rules of a name.
  struct NameFacts {
    bool decided = false;        ///< all of them run and depend on the manifest only
    bool about_ignores = false;  ///< all of them check suppressions
  };
  /// By name. Of several suppressions with the same name at one place, the first counts.
  using Names = std::map<std::string_view, NamedIn>;
  /// A subtree that suppressions apply to.
  struct Subtree {
    Names names;
    const Subtree* around = nullptr;  ///< the smallest larger one
    Span span{};
  };
  /// Orders by begin; of two with the same begin, the larger one is first.
  struct OuterFirst {
    bool operator()(const Span& a, const Span& b) const;
  };

  /// Reads the comments of a source of what is rendered.
  void collect_source(const SourceFile& file);
  /// Reads the comments above the file's first content.
  void collect_head(const SourceFile& file, const std::vector<Span>& comments);
  void collect_comments(const yaml::Document& document, std::uint32_t head_end);
  void collect_annotations(const k8s::Object& object);
  void collect_annotations(const k8s::Object& object, const yaml::Node& holder);
  /// Stores it; null if it has no effect.
  Ignore* add(Ignore ignore);
  void look_up(IgnoredName& name, const Ignore& ignore);
  std::string_view corrected_name(std::string_view word);
  void put(Names& names, Ignore& ignore);
  void enclose();

  const Subtree* subtree_around(Span place) const;
  /// Adds the names that apply to a place, from near to far.
  void add_names_at(Span place, const std::string& component,
                    std::vector<const Names*>& names) const;
  const NamedIn* find(const Names& names, const Diagnostic& finding) const;
  /// The nearest name that hides the finding, or that would if it had not expired.
  NamedIn suppressing(const Diagnostic& finding) const;
  void mark(Diagnostic& finding, const NamedIn& name);

  const Workspace& workspace_;
  const Selection& selection_;
  const SuppressionSettings& settings_;
  std::deque<Ignore> ignores_;
  std::set<FileId> partly_read_;  ///< files with a document that is a template or invalid YAML
  std::map<std::pair<FileId, std::size_t>, Names> of_lines_;
  std::map<Span, Subtree, OuterFirst> of_subtrees_;
  std::map<std::pair<const k8s::Object*, std::string>, Names> of_components_;
  std::map<FileId, Names> of_files_;
  std::map<std::string_view, NameFacts> known_;
  std::map<std::string, std::string_view> corrections_;
};

/// Removes a name, or the whole suppression if no other name of it is useful. New values live in
/// `arena`.
yaml::Change without_name(const Workspace& workspace, const Ignore& ignore, const IgnoredName& name,
                          Arena& arena);
/// Replaces an unknown name with the corrected one.
yaml::Change with_corrected_name(const Ignore& ignore, const IgnoredName& name, Arena& arena);

}  // namespace cnsched::rules
