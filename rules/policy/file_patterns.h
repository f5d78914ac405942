#pragma once

#include <string>

#include "core/source/ignore_patterns.h"

namespace cnsched::rules {

/// Files by patterns as in .gitignore, relative to an absolute directory.
struct FilePatterns {
  IgnorePatterns patterns{};
  std::string directory{};

  /// Whether the file at `real`, an absolute path, matches.
  bool match(const std::string& real) const;
};

}  // namespace cnsched::rules
