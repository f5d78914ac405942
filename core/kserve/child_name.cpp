#include "core/kserve/child_name.h"

#include "core/base/ascii.h"
#include "core/base/md5.h"

namespace cnsched::kserve {

namespace {

constexpr std::size_t kLongest = 63;
constexpr std::size_t kDigest = 32;
constexpr std::size_t kHead = kLongest - kDigest;

/// A name must end in a letter or digit.
std::string without_tail(std::string name) {
  while (!name.empty() && !is_alphanumeric(name.back())) name.pop_back();
  return name;
}

}  // namespace

std::string child_name(std::string_view parent, std::string_view suffix) {
  if (parent.size() + suffix.size() <= kLongest) return std::string(parent).append(suffix);
  if (suffix.size() < kHead) {
    return std::string(parent.substr(0, kHead - suffix.size())) + md5_hex(parent) +
           std::string(suffix);
  }
  std::string name =
      std::string(parent.substr(0, kHead)) + md5_hex(std::string(parent).append(suffix));
  name += suffix.substr(0, kLongest - name.size());
  return without_tail(std::move(name));
}

}  // namespace cnsched::kserve
