#include "core/k8s/object_name.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/base/text.h"

namespace cnsched::k8s {

namespace {}  // namespace

bool is_dns_part(std::string_view part) {
  return !part.empty() && is_lower_alphanumeric(part.front()) &&
         is_lower_alphanumeric(part.back()) &&
         std::ranges::all_of(part, [](char c) { return c == '-' || is_lower_alphanumeric(c); });
}

bool is_object_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return name.size() <= kLongest && std::ranges::all_of(split(name, '.'), is_dns_part);
}

}  // namespace cnsched::k8s
