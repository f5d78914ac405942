#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

/// The annotation that names, between commas, what is not to be reported of an object or a part of
/// one.
inline constexpr std::string_view kIgnoreAnnotation = "cnsched/ignore";

/// What a suppression names: the id of a rule, a group, or `all`.
struct IgnoredName {
  std::string_view text;
  Span where;
  bool known = false;
  std::string_view meant{};  ///< if it is not known: what was probably meant, or nothing
  bool useful = false;       ///< it hides something, or might in another run
};

/// A suppression as it is written: a comment, or an annotation.
struct Ignore {
  Span where;                              ///< the comment from its '#' on, or the value
  const yaml::Node* annotation = nullptr;  ///< the value
  bool of_file = false;
  std::vector<IgnoredName> names{};
  std::optional<std::chrono::sys_days> until{};
  std::string reason{};
  std::string problem{};  ///< why it has no effect; empty if it has one
  Span wrong{};           ///< what the problem is about

  bool has_expired(std::optional<std::chrono::sys_days> today) const {
    return today && until && *until < *today;
  }
};

/// "2026-12-31", if it is a day.
std::optional<std::chrono::sys_days> day_named(std::string_view text);
std::string name_of(std::chrono::sys_days day);

/// Reads `# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason`, or `ignore-file=`. Nothing
/// if the comment is not for us. What is, but is written in another way, has a problem: it would
/// silently do nothing.
std::optional<Ignore> read_ignore(const SourceFile& file, Span comment);
/// Reads the value of an annotation `key`, if it is one of ours.
std::optional<Ignore> read_ignore(std::string_view key, const yaml::Node& value);

}  // namespace cnsched::rules
