#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/k8s/object.h"
#include "core/workspace/cluster_scope.h"
#include "core/yaml/change.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// Text of a manifest as findings show it: printable, at most 1000 bytes.
std::string shown(std::string_view text);

/// Collects the findings of one rule.
class Findings {
 public:
  /// Findings get the id `rule` and `severity` and are appended to `diagnostics`, at most `max` of
  /// them.
  Findings(const ClusterScope& scope, std::string_view rule, Severity severity,
           std::vector<Diagnostic>& diagnostics,
           std::size_t max = std::numeric_limits<std::size_t>::max())
      : scope_(&scope), rule_(rule), severity_(severity), diagnostics_(diagnostics), max_(max) {}

  /// Whether findings beyond `max` were dropped.
  bool is_cut() const { return is_cut_; }

  /// The manifests that are for one cluster, and what is known about it.
  const ClusterScope& scope() const { return *scope_; }
  const Workspace& workspace() const { return scope_->workspace(); }
  const facts::ClusterFacts& facts() const { return scope_->facts(*object_); }

  /// The object, and its component, that the next findings are about. The engine sets it.
  void set_subject(const k8s::Object* object, std::string_view component = {}) {
    object_ = object;
    component_ = component;
  }

  /// The next findings are about this scope, and hold for all of `alike` if it is not empty.
  void set_scope(const ClusterScope& scope, std::span<const ClusterScope* const> alike = {}) {
    scope_ = &scope;
    alike_ = alike;
  }

  /// The next findings are about a document, which is checked once for all scopes.
  void set_document() { of_all_scopes_ = true; }

  /// The pod, in its scope.
  void set_subject(const Workload& workload) {
    set_scope(*workload.scope);
    set_subject(workload.object, workload.component);
  }

  /// A finding under construction. Valid until the next one is added.
  class Finding {
   public:
    Finding(Findings& findings, Diagnostic& finding) : findings_(findings), finding_(finding) {}

    template <typename... Args>
    Finding& note(const yaml::Node& at, fmt::format_string<Args...> text, Args&&... args) {
      add_note(at.span, fmt::format(text, std::forward<Args>(args)...));
      return *this;
    }
    template <typename... Args>
    Finding& note_at(Span at, fmt::format_string<Args...> text, Args&&... args) {
      add_note(at, fmt::format(text, std::forward<Args>(args)...));
      return *this;
    }
    /// What to write instead, on the help line.
    template <typename... Args>
    Finding& help(fmt::format_string<Args...> text, Args&&... args) {
      set_help(fmt::format(text, std::forward<Args>(args)...));
      return *this;
    }
    /// Lines of YAML to write, below the help line.
    Finding& snippet(std::string lines) {
      finding_.snippet = std::move(lines);
      return *this;
    }
    /// A fix that makes all `changes` together. They must change nodes of one document (or merged
    /// nodes that originate there); otherwise the fix is dropped. New values live in `values()`.
    Finding& fix(Safety safety, const std::string& title, std::vector<yaml::Change> changes);
    /// Overrides the severity of the rule.
    Finding& severity(Severity severity) {
      finding_.severity = severity;
      return *this;
    }
    /// The rule cannot decide: a configured severity is not for such findings.
    Finding& undecided() {
      finding_.undecided = true;
      return *this;
    }

   private:
    void add_note(Span at, const std::string& text);
    /// Notes why what is there is taken for a part of the object's cluster, if that is a guess.
    void add_guess(Span at);
    void set_help(const std::string& text);

    Findings& findings_;
    Diagnostic& finding_;
  };

  /// The arena for values that fixes write (core/yaml/tree.h).
  Arena& values() { return *values_; }
  /// A string value for a fix.
  const yaml::Node& make_string(std::string_view text);

  /// A finding with its caret on `at`.
  template <typename... Args>
  Finding add(const yaml::Node& at, fmt::format_string<Args...> text, Args&&... args) {
    return begin(at, at.span, fmt::format(text, std::forward<Args>(args)...));
  }
  /// A finding about the value `at`, with its caret on the key in front of it.
  template <typename... Args>
  Finding add_at_key(const yaml::Node& at, fmt::format_string<Args...> text, Args&&... args) {
    return begin(at, at.key() != nullptr ? at.key()->span : at.span,
                 fmt::format(text, std::forward<Args>(args)...));
  }
  /// A finding at a place in the text that is not a node.
  template <typename... Args>
  Finding add_at(Span at, fmt::format_string<Args...> text, Args&&... args) {
    return begin(yaml::missing_node(), at, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  Finding begin(const yaml::Node& about, Span at, const std::string& message);
  void note_affected_pod(Finding& finding) const;
  void note_scopes(Diagnostic& finding) const;
  /// The span of the object's name.
  Span place_of_object() const;

  const ClusterScope* scope_;
  std::span<const ClusterScope* const> alike_;
  std::string_view rule_;
  Severity severity_;
  std::vector<Diagnostic>& diagnostics_;
  std::size_t max_;
  bool is_cut_ = false;
  bool of_all_scopes_ = false;
  Diagnostic dropped_;  ///< receives what is added to a finding beyond `max_`
  const k8s::Object* object_ = nullptr;
  std::string_view component_;
  std::shared_ptr<Arena> values_ = std::make_shared<Arena>();
};

/// Removes an item; if it is the only one, removes the list.
inline yaml::Change to_erase_item(const yaml::Node& item) {
  const bool is_last = item.parent() != nullptr && item.parent()->items().size() == 1;
  return yaml::to_erase(is_last ? *item.parent() : item);
}

/// Whether comments are on the lines of the value and its key, or directly above. Moving the value
/// would lose them.
inline bool has_comments(const yaml::Node& value, const Findings& findings) {
  const k8s::Object* object = findings.workspace().object_around(value.span);
  if (object == nullptr) return false;
  const SourceFile& file = findings.workspace().file_of(value.span);
  const Span begin = value.key() != nullptr ? value.key()->span : value.span;
  const auto first = file.position(begin.begin).line;
  const auto last = file.position(value.span.end).line;
  const auto line_of = [&](const yaml::Comment& c) { return file.position(c.span.begin).line; };
  const std::vector<yaml::Comment>& comments = object->document->comments;
  const auto next = std::ranges::lower_bound(
      comments, begin.begin, {}, [](const yaml::Comment& comment) { return comment.span.begin; });
  if (next != comments.end() && line_of(*next) <= last) return true;
  return next != comments.begin() && std::prev(next)->own_line &&
         line_of(*std::prev(next)) + 1 == first;
}

/// Removes the annotation, and `annotations` too if it becomes empty.
inline yaml::Change to_erase_annotation(const yaml::Node& value) {
  const bool alone = value.parent()->entries().size() == 1 && value.parent()->key() != nullptr;
  return yaml::to_erase(alone ? *value.parent() : value);
}

}  // namespace cnsched::rules
