#include "core/k8s/objects.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace cnsched::k8s {

namespace {

/// The number of leading directories that two paths share.
std::size_t common_directories(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) {
    if (a[i] == '/') ++count;
  }
  return count;
}

bool matches(const Object& object, std::string_view group, std::string_view ns) {
  return object.group() == group && (ns.empty() || object.ns.empty() || object.ns == ns);
}

/// How far a candidate is from who asks; the least is the nearest.
using Distance = std::tuple<bool, bool, std::size_t>;

Distance distance(const Object& candidate, std::string_view path, const Object& asker,
                  std::string_view asking_path) {
  constexpr std::size_t kMost = static_cast<std::size_t>(-1);
  return {candidate.ns != asker.ns && !candidate.ns.empty(), path != asking_path,
          kMost - common_directories(path, asking_path)};
}

}  // namespace

void Objects::add(const Object& object, std::string_view path) {
  held_[{object.kind, object.name}].push_back({&object, path});
  in_namespace_[{object.kind, object.ns}].push_back({&object, path});
  paths_.emplace(object.root->span.file, path);
}

const Object* Objects::nearest(const std::vector<Held>& candidates, const Object& asker) const {
  const auto asking_path = paths_.find(asker.root->span.file);
  const std::string_view path = asking_path == paths_.end() ? "" : asking_path->second;
  const Held* best = nullptr;
  Distance least;
  bool unclear = false;
  for (const Held& candidate : candidates) {
    const Distance far = distance(*candidate.object, candidate.path, asker, path);
    // Of several in one file the last is what remains once all of it is applied.
    if (best == nullptr || far < least || (far == least && candidate.path == best->path)) {
      best = &candidate;
      least = far;
      unclear = false;
    } else if (far == least) {
      unclear = true;
    }
  }
  return best == nullptr || unclear ? nullptr : best->object;
}

const Object* Objects::find(std::string_view group, std::string_view kind, std::string_view ns,
                            std::string_view name, const Object& asker) const {
  const auto found = held_.find({kind, name});
  if (found == held_.end()) return nullptr;
  if (found->second.size() == 1) {
    const Object* only = found->second.front().object;
    return matches(*only, group, ns) ? only : nullptr;
  }
  std::vector<Held> candidates;
  for (const Held& held : found->second) {
    if (matches(*held.object, group, ns)) candidates.push_back(held);
  }
  return nearest(candidates, asker);
}

template <typename Visit>
bool Objects::any_in_namespace(std::string_view kind, std::string_view ns, Visit visit) const {
  if (!ns.empty()) {
    return std::ranges::any_of(std::array{std::string_view(), ns}, [&](std::string_view either) {
      const auto found = in_namespace_.find({kind, either});
      return found != in_namespace_.end() && std::ranges::any_of(found->second, visit);
    });
  }
  for (auto entry = in_namespace_.lower_bound({kind, ""});
       entry != in_namespace_.end() && entry->first.first == kind; ++entry) {
    if (std::ranges::any_of(entry->second, visit)) return true;
  }
  return false;
}

std::vector<const Object*> Objects::all(std::string_view group, std::string_view kind,
                                        std::string_view ns, const Object& asker) const {
  std::vector<std::string_view> names;
  any_in_namespace(kind, ns, [&](const Held& held) {
    names.push_back(held.object->name);
    return false;
  });
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::vector<const Object*> objects;
  for (const std::string_view name : names) {
    if (const Object* object = find(group, kind, ns, name, asker)) objects.push_back(object);
  }
  return objects;
}

bool Objects::holds(std::string_view group, std::string_view kind, std::string_view ns) const {
  return any_in_namespace(kind, ns,
                          [&](const Held& held) { return matches(*held.object, group, ns); });
}

bool Objects::holds(std::string_view group, std::string_view kind, std::string_view ns,
                    std::string_view name) const {
  const auto found = held_.find({kind, name});
  return found != held_.end() && std::ranges::any_of(found->second, [&](const Held& held) {
           return matches(*held.object, group, ns);
         });
}

bool Objects::holds_another(const Object& object) const {
  const auto found = held_.find({object.kind, object.name});
  return found != held_.end() && std::ranges::any_of(found->second, [&](const Held& held) {
           return held.object->root != object.root &&
                  matches(*held.object, object.group(), object.ns);
         });
}

}  // namespace cnsched::k8s
