#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

/// The patterns of one .gitignore, or of --exclude: a leading or inner '/' anchors, a trailing one
/// matches directories only, '!' negates, the last match wins (gitignore(5)).
class IgnorePatterns {
 public:
  /// Reads lines as gitignore(5) does: '#' comments, blank lines, trailing blanks.
  static IgnorePatterns from_lines(std::string_view text);

  void add(std::string_view pattern);

  enum class Verdict : unsigned char { unmatched, ignored, included };
  /// `path` is relative to the directory that the patterns belong to.
  Verdict verdict(std::string_view path, bool is_directory) const;
  /// Whether `path` (a file) or a directory above it is ignored.
  bool ignores(std::string_view path) const;

 private:
  struct Pattern {
    std::string glob;
    bool negated = false;
    bool directories_only = false;
  };
  std::vector<Pattern> patterns_;
};

/// Whether `path` (with '/' between names) matches `pattern` as git's wildmatch does with
/// WM_PATHNAME: '*' and '?' stay within a name, '**' between slashes crosses names, [a-z] and
/// [!a-z] are sets, a backslash escapes the next character. Takes time proportional to the product
/// of the lengths.
bool wildmatch(std::string_view pattern, std::string_view path);

}  // namespace cnsched
