#include "core/kserve/volume_name.h"

#include <algorithm>

namespace cnsched::kserve {

namespace {

std::string_view without_slashes(std::string_view path) {
  const std::size_t first = path.find_first_not_of('/');
  if (first == std::string_view::npos) return {};
  return path.substr(first, path.find_last_not_of('/') - first + 1);
}

}  // namespace

std::string volume_name(std::string_view path) {
  std::string name(without_slashes(path));
  std::ranges::replace(name, '/', '-');
  return name;
}

std::string common_directory(std::string_view a, std::string_view b) {
  a = without_slashes(a);
  b = without_slashes(b);
  std::size_t end = 0;
  for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool a_ends = i == a.size() || a[i] == '/';
    const bool b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return "/" + std::string(a.substr(0, end));
}

}  // namespace cnsched::kserve
