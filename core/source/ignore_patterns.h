#pragma once

#include <string_view>
#include <vector>

#include "core/base/pattern.h"

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
    Glob glob;
    bool negated = false;
    bool directories_only = false;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace cnsched
