#include "core/workspace/pod_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/base/text.h"

namespace cnsched {

namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kRoomForNumber = 8;

std::string wanted_name(const Workload& pod) {
  if (pod.object->is("", "Pod") && !pod.object->name.empty()) return std::string(pod.object->name);
  if (!pod.name.empty()) return dns_subdomain(pod.name);
  const std::string_view prefix = (*pod.object)["metadata"]["generateName"].text();
  const std::string_view name = pod.object->name.empty() ? prefix : pod.object->name;
  const std::string_view dash = pod.component.empty() ? "" : "-";
  return dns_subdomain(fmt::format("{}{}{}", name, dash, pod.component));
}

/// Names of one namespace.
class Taken {
 public:
  std::string next_to(const std::string& name) {
    std::string free = name;
    for (std::size_t& n = last_[name]; !taken_.insert(free).second;) {
      n = n == 0 ? 2 : n + 1;
      free = fmt::format("{}-{}", dns_subdomain(name.substr(0, kLongestName - kRoomForNumber)), n);
    }
    return free;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> last_;  ///< the number given last, by name
};

}  // namespace

std::vector<std::string> pod_names(const std::vector<const Workload*>& pods,
                                   const Workspace& workspace) {
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Span span = pods[i]->object->root->span;
    return std::tuple(std::string_view(workspace.file_of(span).path()), span.begin);
  });
  std::vector<std::string> names(pods.size());
  std::map<std::string_view, Taken> taken;
  for (const std::size_t i : order) {
    names[i] = taken[pods[i]->object->ns].next_to(wanted_name(*pods[i]));
  }
  return names;
}

std::string dns_subdomain(std::string_view text) {
  std::string name;
  char before = '\0';
  for (const char c : lower(text)) {
    if (name.size() == kLongestName) break;
    const bool again = c == '-' && before == '-' && name.ends_with('-');
    before = c;
    const bool after_letter = !name.empty() && is_lower_alphanumeric(name.back());
    if (is_lower_alphanumeric(c)) {
      name += c;
    } else if (c == '.' && after_letter) {
      name += c;
    } else if (after_letter || again) {
      name += '-';
    }
  }
  while (!name.empty() && !is_lower_alphanumeric(name.back())) name.pop_back();
  return name.empty() ? "unnamed" : name;
}

}  // namespace cnsched
