#include "core/kserve/child_name.h"

#include <algorithm>

#include "core/base/md5.h"
#include "core/base/text.h"

namespace cnsched::kserve {

namespace {

constexpr std::size_t kLongestName = 63;
constexpr std::size_t kDigest = 32;
constexpr std::size_t kHead = kLongestName - kDigest;

/// A name must end in a letter or digit.
std::string without_tail(std::string name) {
  while (!name.empty() && !is_alphanumeric(name.back())) name.pop_back();
  return name;
}

}  // namespace

std::string child_name(std::string_view parent, std::string_view suffix) {
  if (parent.size() + suffix.size() <= kLongestName) return std::string(parent).append(suffix);
  if (suffix.size() < kHead) {
    return std::string(parent.substr(0, kHead - suffix.size())) + md5_hex(parent) +
           std::string(suffix);
  }
  std::string name =
      std::string(parent.substr(0, kHead)) + md5_hex(std::string(parent).append(suffix));
  name += suffix.substr(0, kLongestName - name.size());
  return without_tail(std::move(name));
}

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
