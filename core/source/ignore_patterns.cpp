#include "core/source/ignore_patterns.h"

#include "core/base/text.h"

namespace cnsched {

IgnorePatterns IgnorePatterns::from_lines(std::string_view text) {
  IgnorePatterns patterns;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with('#')) patterns.add(line);
  }
  return patterns;
}

void IgnorePatterns::add(std::string_view pattern) {
  bool negated = false;
  bool directories_only = false;
  if (pattern.starts_with('!')) {
    negated = true;
    pattern.remove_prefix(1);
  }
  if (pattern.starts_with("./")) pattern.remove_prefix(1);
  if (pattern.ends_with('/')) {
    directories_only = true;
    pattern.remove_suffix(1);
  }
  const bool anchored = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return;
  Glob glob((anchored ? "" : "**/") + std::string(pattern));
  patterns_.push_back({std::move(glob), negated, directories_only});
}

IgnorePatterns::Verdict IgnorePatterns::verdict(std::string_view path, bool is_directory) const {
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->directories_only && !is_directory) continue;
    if (pattern->glob.matches(path)) {
      return pattern->negated ? Verdict::included : Verdict::ignored;
    }
  }
  return Verdict::unmatched;
}

bool IgnorePatterns::ignores(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (verdict(path.substr(0, slash), true) == Verdict::ignored) return true;
  }
  return verdict(path, false) == Verdict::ignored;
}

}  // namespace cnsched
