// Two sorted lists with binary search: look-ups stay fast if a workspace holds thousands of objects
// with one name (overlays) or of one kind and namespace (runtimes).
#include "core/k8s/objects.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <tuple>

#include "core/base/parallel.h"

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

/// The first directories of a path, which has as many.
std::string_view leading_directories(std::string_view path, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0; --count) end = path.find('/', end) + 1;
  return path.substr(0, end);
}

bool matches(const Object& object, std::string_view ns) {
  return ns.empty() || object.ns.empty() || object.ns == ns;
}

/// A group, computed only where kind and name are equal.
struct Group {
  std::string_view text;
  bool is_api_version = false;

  std::string_view name() const { return is_api_version ? group_of(text) : text; }
  friend auto operator<=>(const Group& a, const Group& b) { return a.name() <=> b.name(); }
};

constexpr auto kByName = [](const auto& held) {
  const Object& object = *held.object;
  return std::tuple(object.kind, object.name, Group{object.api_version, true});
};
constexpr auto kByNamespace = [](const auto& held) {
  const Object& object = *held.object;
  return std::tuple(object.kind, object.ns, object.name, Group{object.api_version, true});
};
constexpr auto kByKindAndNamespace = [](const auto& held) {
  return std::tuple(held.object->kind, held.object->ns);
};

template <typename Held>
std::span<const Held> of_kind_by_name(const std::vector<Held>& by_name, std::string_view kind) {
  return std::ranges::equal_range(by_name, kind, {},
                                  [](const Held& held) { return held.object->kind; });
}

/// The nearest of some objects to a file.
template <typename Held>
struct Near {
  const Held* held = nullptr;  ///< null: there are none
  bool unclear = false;        ///< others are equally near
  bool same_file = false;
  std::size_t directories = 0;  ///< that it shares with the file

  std::tuple<bool, std::size_t> nearness() const { return {same_file, directories}; }
};

/// `range` is sorted by path.
template <typename Held>
Near<Held> nearest(std::span<const Held> range, std::string_view path) {
  if (range.empty()) return {};
  const auto next = std::ranges::lower_bound(range, path, {}, &Held::path);
  if (next != range.end() && next->path == path) {
    const auto end = std::ranges::upper_bound(next, range.end(), path, {}, &Held::path);
    return {.held = &*std::prev(end), .same_file = true};
  }
  // Paths with a common prefix are adjacent, next to where `path` would be.
  Near<Held> near;
  if (next != range.end()) near.directories = common_directories(next->path, path);
  if (next != range.begin()) {
    near.directories = std::max(near.directories, common_directories(std::prev(next)->path, path));
  }
  const std::string_view shared = leading_directories(path, near.directories);
  const auto begin = std::ranges::lower_bound(range, shared, {}, &Held::path);
  const auto end = std::partition_point(
      begin, range.end(), [&](const Held& held) { return held.path.starts_with(shared); });
  near.held = &*std::prev(end);
  near.unclear = begin->path != near.held->path;
  return near;
}

}  // namespace

void Objects::add(const Object& object, std::string_view path) {
  by_name_.push_back({&object, path});
  paths_.emplace(object.root->span.file, path);
}

void Objects::sort(std::size_t jobs) {
  by_namespace_ = by_name_;
  const auto sort_by = [](std::vector<Held>& list, auto key) {
    std::ranges::stable_sort(list, [&](const Held& a, const Held& b) {
      const auto order = key(a) <=> key(b);
      return std::is_neq(order) ? std::is_lt(order) : a.path < b.path;
    });
  };
  const auto sort_one = [&](std::size_t i) {
    if (i == 0) {
      sort_by(by_name_, kByName);
    } else {
      sort_by(by_namespace_, kByNamespace);
    }
  };
  constexpr std::size_t kFew = 1000;  // are sorted before a thread has begun
  parallel_for(2, by_name_.size() < kFew ? 1 : jobs, sort_one);
}

Objects::Range Objects::called(std::string_view group, std::string_view kind,
                               std::string_view name) const {
  return std::ranges::equal_range(by_name_, std::tuple(kind, name, Group{group}), {}, kByName);
}

Objects::Range Objects::called(std::string_view group, std::string_view kind, std::string_view ns,
                               std::string_view name) const {
  return std::ranges::equal_range(by_namespace_, std::tuple(kind, ns, name, Group{group}), {},
                                  kByNamespace);
}

template <typename Visit>
bool Objects::any_range(std::string_view group, std::string_view kind, std::string_view ns,
                        std::string_view name, Visit visit) const {
  if (ns.empty()) return visit(called(group, kind, name));
  return visit(called(group, kind, "", name)) || visit(called(group, kind, ns, name));
}

const Object* Objects::find(std::string_view group, std::string_view kind, std::string_view ns,
                            std::string_view name, const Object& asker) const {
  const Range all = called(group, kind, name);
  if (all.empty()) return nullptr;
  if (all.size() == 1) return matches(*all.front().object, ns) ? all.front().object : nullptr;
  const auto asking_path = paths_.find(asker.root->span.file);
  const std::string_view path = asking_path == paths_.end() ? "" : asking_path->second;
  // Objects in the referring object's namespace, or without one, come before all others.
  auto near = nearest(called(group, kind, "", name), path);
  if (!asker.ns.empty() && (ns.empty() || ns == asker.ns)) {
    const auto own = nearest(called(group, kind, asker.ns, name), path);
    if (near.held == nullptr || (own.held != nullptr && own.nearness() > near.nearness())) {
      near = own;
    } else if (own.held != nullptr && own.nearness() == near.nearness()) {
      near.unclear = near.unclear || own.unclear || own.held->path != near.held->path;
      if (own.held->object->root->span > near.held->object->root->span) near.held = own.held;
    }
  }
  if (near.held == nullptr) near = nearest(ns.empty() ? all : called(group, kind, ns, name), path);
  return near.held == nullptr || near.unclear ? nullptr : near.held->object;
}

Objects::Range Objects::of_kind(std::string_view kind, std::string_view ns) const {
  return std::ranges::equal_range(by_namespace_, std::tuple(kind, ns), {}, kByKindAndNamespace);
}

std::vector<const Object*> Objects::all(std::string_view group, std::string_view kind,
                                        std::string_view ns, const Object& asker,
                                        std::size_t most) const {
  std::vector<std::string_view> names;
  // One name may occur thousands of times, and in both ranges.
  const auto add_names = [&](Range range) {
    while (!range.empty() && names.size() <= 2 * most) {
      const Object& first = *range.front().object;
      const auto same = std::partition_point(range.begin(), range.end(), [&](const Held& held) {
        return held.object->name == first.name && held.object->group() == first.group();
      });
      if (first.group() == group) names.push_back(first.name);
      range = {same, range.end()};
    }
  };
  if (ns.empty()) {
    add_names(of_kind_by_name(by_name_, kind));
  } else {
    add_names(of_kind(kind, ""));
    add_names(of_kind(kind, ns));
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
  }
  if (names.size() > most) return {};
  std::vector<const Object*> objects;
  for (const std::string_view name : names) {
    if (const Object* object = find(group, kind, ns, name, asker)) objects.push_back(object);
  }
  return objects;
}

bool Objects::holds(std::string_view group, std::string_view kind, std::string_view ns) const {
  const auto is_of_group = [&](const Held& held) { return held.object->group() == group; };
  if (!ns.empty()) {
    return std::ranges::any_of(of_kind(kind, ""), is_of_group) ||
           std::ranges::any_of(of_kind(kind, ns), is_of_group);
  }
  return std::ranges::any_of(of_kind_by_name(by_name_, kind), is_of_group);
}

bool Objects::holds(std::string_view group, std::string_view kind, std::string_view ns,
                    std::string_view name) const {
  return any_range(group, kind, ns, name, [](Range range) { return !range.empty(); });
}

bool Objects::holds_another(const Object& object) const {
  return any_range(object.group(), object.kind, object.ns, object.name, [&](Range range) {
    return std::ranges::any_of(range,
                               [&](const Held& held) { return held.object->root != object.root; });
  });
}

}  // namespace cnsched::k8s
