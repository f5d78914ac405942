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
#include "core/workloads/workspace.h"
#include "rules/engine/ignore.h"
#include "rules/engine/selection.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// How suppressions in manifests are taken.
struct IgnoreOptions {
  bool heeded = true;  ///< else it is as if there were none
  /// Suppressions that ended before this day (UTC) no longer hold; without it all do.
  std::optional<std::chrono::sys_days> today{};
};

/// Whether a rule looks at suppressions, and so at what all others have found.
bool is_about_ignores(const Rule& rule);

/// The suppressions that stand in the linted files of a run, and what they hide.
class Suppressions {
 public:
  /// Expects all rules that `selection` names to run.
  Suppressions(const Workspace& run, const Selection& selection, const IgnoreOptions& options);
  Suppressions(const Suppressions&) = delete;
  Suppressions& operator=(const Suppressions&) = delete;

  /// Marks what they hide; where one has expired, a note says so.
  void hide(std::vector<Diagnostic>& findings);
  /// The same for what rules say about the suppressions: only those for a whole file hide that, and
  /// not what is about themselves.
  void hide_about_ignores(std::vector<Diagnostic>& findings);

  const std::deque<Ignore>& all() const { return ignores_; }

  struct Useless {
    const Ignore* ignore;
    const IgnoredName* name;
  };
  /// The names that hide nothing, as far as this run can tell.
  std::vector<Useless> unused() const;

 private:
  /// A name that holds somewhere.
  struct Held {
    Ignore* ignore = nullptr;
    std::size_t name = 0;
  };
  /// A name that is known.
  struct Known {
    bool decided = false;        ///< all its rules run, and see no more than the manifest
    bool about_ignores = false;  ///< they look at suppressions, all of them
  };
  /// By what they say; where several suppressions of one place say the same, only the first of them
  /// is of use.
  using Names = std::map<std::string_view, Held>;
  /// A part of a tree.
  struct Part {
    Names names;
    const Part* around = nullptr;  ///< the next larger one
    Span span{};
  };
  /// By where they begin, the larger ones first.
  struct Outer {
    bool operator()(const Span& a, const Span& b) const;
  };

  /// Of the comments above the file's first content.
  void collect_head(const SourceFile& file, const std::vector<Span>& comments);
  void collect_comments(const yaml::Document& document, std::uint32_t head_end);
  void collect_annotations(const k8s::Object& object);
  void collect_annotations(const k8s::Object& object, const yaml::Node& holder);
  /// Takes it up; null if it has no effect.
  Ignore* add(Ignore ignore);
  void look_up(IgnoredName& name, const Ignore& ignore);
  std::string_view meant_by(std::string_view word);
  void put(Names& names, Ignore& ignore);
  void enclose();

  const Part* part_around(Span place) const;
  const Held* find(const Names& names, const Diagnostic& finding) const;
  /// What hides the finding, or would if it had not expired: the nearest.
  Held holding(const Diagnostic& finding) const;
  void mark(Diagnostic& finding, const Held& held);

  const Workspace& run_;
  const Selection& selection_;
  IgnoreOptions options_;
  std::deque<Ignore> ignores_;
  std::set<FileId> not_all_seen_;  ///< have documents that are not YAML, or not yet
  std::map<std::pair<FileId, std::size_t>, Names> of_lines_;
  std::map<Span, Part, Outer> of_parts_;
  std::map<std::pair<const k8s::Object*, std::string>, Names> of_components_;
  std::map<FileId, Names> of_files_;
  std::map<std::string_view, Known> known_;
  std::map<std::string, std::string_view> meant_;
};

/// Takes a name, or all of its suppression if nothing else of that is of use, out of a manifest.
/// New values are made in `arena`.
yaml::Change without_name(const Workspace& run, const Ignore& ignore, const IgnoredName& name,
                          Arena& arena);
/// Writes what was meant in the place of a name that is not known.
yaml::Change with_meant_name(const Ignore& ignore, const IgnoredName& name, Arena& arena);

}  // namespace cnsched::rules
