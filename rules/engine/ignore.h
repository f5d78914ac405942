#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// The annotation with a comma-separated list of names that are suppressed for an object or a
/// component.
inline constexpr std::string_view kIgnoreAnnotation = "cnsched/ignore";

/// The word that suppressions begin with.
inline constexpr std::string_view kToolName = "cnsched";

/// Whether the text has that word, in any case: a fast test, since nearly every file has no
/// suppression.
bool mentions_cnsched(std::string_view text);

/// One name of a suppression: the id of a rule, a group, or `all`.
struct IgnoredName {
  std::string_view text;
  Span where;
  bool known = false;
  std::string_view correction{};  ///< of an unknown name: the likely one, or empty
  bool useful = false;            ///< it hides a finding, or may in another run
};

/// A suppression: a comment or an annotation.
struct Ignore {
  Span where;                              ///< the comment from its '#', or the annotation's value
  const yaml::Node* annotation = nullptr;  ///< the value of the annotation; null for a comment
  bool of_file = false;
  std::vector<IgnoredName> names{};
  std::optional<std::chrono::sys_days> until{};
  std::string reason{};
  std::string problem{};  ///< why it has no effect; empty if it is valid
  Span wrong{};           ///< the place of the problem

  bool has_expired(std::optional<std::chrono::sys_days> today) const {
    return today && until && *until < *today;
  }
};

/// Parses "2026-12-31"; nothing if it is not a valid day.
std::optional<std::chrono::sys_days> day_named(std::string_view text);
std::string name_of(std::chrono::sys_days day);

/// Reads `# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason`, or `ignore-file=`. Nothing
/// if the comment is not for cnsched. Invalid syntax results in a `problem`.
std::optional<Ignore> read_ignore(const SourceFile& file, Span comment);
/// Reads the value of an annotation `key`, if it is an annotation of cnsched.
std::optional<Ignore> read_ignore(std::string_view key, const yaml::Node& value);

/// A suppression in a source of what an engine renders.
struct SourceIgnore {
  Ignore ignore;
  Span lines;  ///< that it applies to
};

/// The suppressions in a source: a template, a values file, a base or a patch. A template is no
/// YAML, and a patch may be a text in another file, so lines and their indentation are read. A
/// comment at the end of a line applies to that line, another one to the entry below it, and
/// `ignore-file` to the whole file. In a template it may be in a comment of the template:
/// `{{/* cnsched: ignore=… */}}`.
std::vector<SourceIgnore> ignores_in_source(const SourceFile& file);

}  // namespace cnsched::rules
