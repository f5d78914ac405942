#pragma once

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/k8s/object.h"
#include "core/workloads/workspace.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// Text of a manifest as findings show it: printable, and cut where it is endless.
std::string shown(std::string_view text);

/// Where a rule writes its findings.
class Report {
 public:
  /// Findings get the id and severity of `rule` and go to `findings`, until those are `most`.
  Report(const Workspace& run, std::string_view rule, Severity severity,
         std::vector<Diagnostic>& findings,
         std::size_t most = std::numeric_limits<std::size_t>::max())
      : run_(run), rule_(rule), severity_(severity), findings_(findings), most_(most) {}

  /// Whether there were more.
  bool is_cut() const { return is_cut_; }

  /// Everything that the run has read, and what is known about the cluster.
  const Workspace& run() const { return run_; }
  const ClusterFacts& facts() const { return run_.facts(*object_); }

  /// What the next findings are about; the engine sets it.
  void set_subject(const k8s::Object* object, std::string_view component = {}) {
    object_ = object;
    component_ = component;
  }

  /// A finding that can still be added to; good until the next one is begun.
  class Finding {
   public:
    Finding(Report& report, Diagnostic& finding) : report_(report), finding_(finding) {}

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
    /// What to write instead.
    template <typename... Args>
    Finding& help(fmt::format_string<Args...> text, Args&&... args) {
      set_help(fmt::format(text, std::forward<Args>(args)...));
      return *this;
    }
    /// How it can be mended, all changes at once. They are of nodes that one document holds, or
    /// what merged pods show of them; a fix of anything else is left out. New values live in
    /// `values()`.
    Finding& fix(Safety safety, const std::string& title, std::vector<yaml::Change> changes);
    /// For a finding that weighs less, or more, than the rule's others.
    Finding& severity(Severity severity) {
      finding_.severity = severity;
      return *this;
    }

   private:
    void add_note(Span at, const std::string& text);
    void set_help(const std::string& text);

    Report& report_;
    Diagnostic& finding_;
  };

  /// Where the values of fixes are made (core/yaml/tree.h).
  Arena& values() { return *values_; }
  /// A string for a fix to write.
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
  /// A finding in text that is no tree.
  template <typename... Args>
  Finding add_at(Span at, fmt::format_string<Args...> text, Args&&... args) {
    return begin(yaml::missing_node(), at, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  Finding begin(const yaml::Node& about, Span at, const std::string& message);
  void note_affected_pod(Finding& finding) const;
  /// Where the name of the object stands.
  Span place_of_object() const;

  const Workspace& run_;
  std::string_view rule_;
  Severity severity_;
  std::vector<Diagnostic>& findings_;
  std::size_t most_;
  bool is_cut_ = false;
  Diagnostic beyond_;  ///< takes what is written to one too many
  const k8s::Object* object_ = nullptr;
  std::string_view component_;
  std::shared_ptr<Arena> values_ = std::make_shared<Arena>();
};

}  // namespace cnsched::rules
