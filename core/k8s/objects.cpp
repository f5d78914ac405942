// Two sorted lists with binary search: look-ups stay fast if the workspace has thousands of objects
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

/// The first `count` directories of a path, which has at least as many.
std::string_view leading_directories(std::string_view path, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0; --count) end = path.find('/', end) + 1;
  return path.substr(0, end);
}

bool matches(const Object& object, std::string_view ns) {
  return ns.empty() || object.ns.empty() || object.ns == ns;
}

/// A group, computed only if the keys before it are equal.
struct Group {
  std::string_view text;
  bool is_api_version = false;

  std::string_view name() const { return is_api_version ? group_of(text) : text; }
  friend auto operator<=>(const Group& a, const Group& b) { return a.name() <=> b.name(); }
};

constexpr auto kByName = [](const auto& located) {
  const Object& object = *located.object;
  return std::tuple(object.kind, object.name, Group{object.api_version, true});
};
constexpr auto kByNamespace = [](const auto& located) {
  const Object& object = *located.object;
  return std::tuple(object.kind, object.ns, object.name, Group{object.api_version, true});
};
constexpr auto kByKindAndNamespace = [](const auto& located) {
  return std::tuple(located.object->kind, located.object->ns);
};

template <typename Located>
std::span<const Located> of_kind_by_name(const std::vector<Located>& by_name,
                                         std::string_view kind) {
  return std::ranges::equal_range(by_name, kind, {},
                                  [](const Located& located) { return located.object->kind; });
}

/// The object of a range that is nearest to a file.
template <typename Located>
struct Near {
  const Located* located = nullptr;  ///< null: the range is empty
  bool is_ambiguous = false;         ///< others are equally near
  bool same_file = false;
  std::size_t directories = 0;  ///< that it shares with the file

  std::tuple<bool, std::size_t> nearness() const { return {same_file, directories}; }
};

/// `range` is sorted by path.
template <typename Located>
Near<Located> nearest(std::span<const Located> range, std::string_view path) {
  if (range.empty()) return {};
  const auto next = std::ranges::lower_bound(range, path, {}, &Located::path);
  if (next != range.end() && next->path == path) {
    const auto end = std::ranges::upper_bound(next, range.end(), path, {}, &Located::path);
    return {.located = &*std::prev(end), .same_file = true};
  }
  // Paths with a common prefix are adjacent, next to where `path` would be.
  Near<Located> near;
  if (next != range.end()) near.directories = common_directories(next->path, path);
  if (next != range.begin()) {
    near.directories = std::max(near.directories, common_directories(std::prev(next)->path, path));
  }
  const std::string_view shared = leading_directories(path, near.directories);
  const auto begin = std::ranges::lower_bound(range, shared, {}, &Located::path);
  const auto end = std::partition_point(
      begin, range.end(), [&](const Located& located) { return located.path.starts_with(shared); });
  near.located = &*std::prev(end);
  near.is_ambiguous = begin->path != near.located->path;
  return near;
}

}  // namespace

void Objects::add(const Object& object, std::string_view path) {
  by_name_.push_back({&object, path});
  paths_.emplace(object.root->span.file, path);
}

void Objects::sort(std::size_t jobs) {
  by_namespace_ = by_name_;
  const auto sort_by = [](std::vector<Located>& list, auto key) {
    std::ranges::stable_sort(list, [&](const Located& a, const Located& b) {
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
  constexpr std::size_t kFew = 1000;  // sorted before a thread starts
  parallel_for(2, by_name_.size() < kFew ? 1 : jobs, sort_one);
}

Objects::Range Objects::named(std::string_view group, std::string_view kind,
                              std::string_view name) const {
  return std::ranges::equal_range(by_name_, std::tuple(kind, name, Group{group}), {}, kByName);
}

Objects::Range Objects::named(std::string_view group, std::string_view kind, std::string_view ns,
                              std::string_view name) const {
  return std::ranges::equal_range(by_namespace_, std::tuple(kind, ns, name, Group{group}), {},
                                  kByNamespace);
}

template <typename Visit>
bool Objects::any_range(std::string_view group, std::string_view kind, std::string_view ns,
                        std::string_view name, Visit visit) const {
  if (ns.empty()) return visit(named(group, kind, name));
  return visit(named(group, kind, "", name)) || visit(named(group, kind, ns, name));
}

const Object* Objects::find(std::string_view group, std::string_view kind, std::string_view ns,
                            std::string_view name, const Object& referrer) const {
  const Range all = named(group, kind, name);
  if (all.empty()) return nullptr;
  if (all.size() == 1) return matches(*all.front().object, ns) ? all.front().object : nullptr;
  const auto referrer_file = paths_.find(referrer.root->span.file);
  const std::string_view path = referrer_file == paths_.end() ? "" : referrer_file->second;
  // Objects in the referring object's namespace, or without one, come before all others.
  auto near = nearest(named(group, kind, "", name), path);
  if (!referrer.ns.empty() && (ns.empty() || ns == referrer.ns)) {
    const auto own = nearest(named(group, kind, referrer.ns, name), path);
    if (near.located == nullptr || (own.located != nullptr && own.nearness() > near.nearness())) {
      near = own;
    } else if (own.located != nullptr && own.nearness() == near.nearness()) {
      near.is_ambiguous =
          near.is_ambiguous || own.is_ambiguous || own.located->path != near.located->path;
      if (own.located->object->root->span > near.located->object->root->span)
        near.located = own.located;
    }
  }
  if (near.located == nullptr)
    near = nearest(ns.empty() ? all : named(group, kind, ns, name), path);
  return near.located == nullptr || near.is_ambiguous ? nullptr : near.located->object;
}

Objects::Range Objects::of_kind(std::string_view kind, std::string_view ns) const {
  return std::ranges::equal_range(by_namespace_, std::tuple(kind, ns), {}, kByKindAndNamespace);
}

std::vector<std::string_view> Objects::names(std::string_view group, std::string_view kind,
                                             std::string_view ns, std::size_t max_names) const {
  std::vector<std::string_view> names;
  // One name may occur thousands of times, and in both ranges.
  const auto add_names = [&](Range range) {
    while (!range.empty() && names.size() <= 2 * max_names) {
      const Object& first = *range.front().object;
      const auto same =
          std::partition_point(range.begin(), range.end(), [&](const Located& located) {
            return located.object->name == first.name && located.object->group() == first.group();
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
  return names;
}

std::vector<const Object*> Objects::all(std::string_view group, std::string_view kind,
                                        std::string_view ns, const Object& referrer,
                                        std::size_t max_names) const {
  const std::vector<std::string_view> found = names(group, kind, ns, max_names);
  if (found.size() > max_names) return {};
  std::vector<const Object*> objects;
  for (const std::string_view name : found) {
    if (const Object* object = find(group, kind, ns, name, referrer)) objects.push_back(object);
  }
  return objects;
}

bool Objects::contains(std::string_view group, std::string_view kind, std::string_view ns) const {
  const auto is_of_group = [&](const Located& located) { return located.object->group() == group; };
  if (!ns.empty()) {
    return std::ranges::any_of(of_kind(kind, ""), is_of_group) ||
           std::ranges::any_of(of_kind(kind, ns), is_of_group);
  }
  return std::ranges::any_of(of_kind_by_name(by_name_, kind), is_of_group);
}

bool Objects::contains(std::string_view group, std::string_view kind, std::string_view ns,
                       std::string_view name) const {
  return any_range(group, kind, ns, name, [](Range range) { return !range.empty(); });
}

bool Objects::contains_another(const Object& object) const {
  return any_range(object.group(), object.kind, object.ns, object.name, [&](Range range) {
    return std::ranges::any_of(
        range, [&](const Located& located) { return located.object->root != object.root; });
  });
}

}  // namespace cnsched::k8s
