#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace cnsched {

/// A regular expression as Go's package regexp reads it (RE2's syntax), which Kubernetes uses for
/// `pattern` in schemas and for `matches` in CEL. Matching takes time linear in the text, whatever
/// the pattern. A compiled pattern may be used from several threads at once.
/// Source: https://github.com/google/re2/wiki/Syntax; docs/decisions/0011-re2-and-cel.md.
class Pattern {
 public:
  /// The error is RE2's. Go also accepts named groups `(?<name>…)`, which this release of RE2
  /// does not know; they are an error here, so an error does not prove that Go rejects the pattern.
  static Result<Pattern> compile(std::string_view text);

  /// Whether a part of `text` matches, like Go's MatchString. Invalid UTF-8 reads as U+FFFD.
  bool matches(std::string_view text) const;
  /// Whether the whole text matches.
  bool matches_whole(std::string_view text) const;

  /// At most `most` matches from left to right, which do not overlap, like Go's FindAllString. Each
  /// search may read the whole rest of the text, so the time can be quadratic: before each,
  /// `may_search` gets the bytes of the rest, and ends the search with false.
  std::vector<std::string> find_all(std::string_view text, std::size_t most,
                                    const std::function<bool(std::size_t)>& may_search) const;

  /// The size of the compiled program, to which the time for a character is proportional at worst.
  /// Compiling takes about a microsecond for each.
  std::size_t size() const;

 private:
  friend class Glob;
  struct Compiled;
  enum class Unit : std::uint8_t { code_point, byte };
  static Result<Pattern> compile(std::string_view text, Unit unit);
  explicit Pattern(std::shared_ptr<const Compiled> compiled);

  std::shared_ptr<const Compiled> compiled_;
};

/// A pattern of names or paths (with '/' between names) as git's wildmatch reads it with
/// WM_PATHNAME: '*' and '?' stay within a name, '**' between slashes crosses names, [a-z] and
/// [!a-z] are sets, a backslash escapes the next character. Characters are bytes. Matching takes
/// time linear in the text.
class Glob {
 public:
  explicit Glob(std::string_view text);

  /// Whether the text, as a glob, may match something else than itself.
  static bool is_special(std::string_view text) {
    return text.find_first_of("*?[\\") != std::string_view::npos;
  }
  bool matches(std::string_view path) const;

 private:
  /// What most globs are is compared faster: a, a*, **/*a, **/a.
  enum class Form : std::uint8_t { whole, beginning, ending, names, other };

  Form form_ = Form::other;
  std::string literal_;
  std::optional<Pattern> pattern_;
};

}  // namespace cnsched
