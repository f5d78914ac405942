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
  return std::tuple(object.kind, object.ns.name, object.name, Group{object.api_version, true});
};
constexpr auto kByKindAndNamespace = [](const auto& located) {
  return std::tuple(located.object->kind, located.object->ns.name);
};
constexpr auto kByNameInPackage = [](const auto& located) {
  const Object& object = *located.object;
  return std::tuple(object.kind, located.package, object.name, Group{object.api_version, true});
};
constexpr auto kByPackage = [](const auto& located) {
  return std::tuple_cat(kByNameInPackage(located), std::tuple(located.object->ns.name));
};
constexpr auto kByKindAndPackage = [](const auto& located) {
  return std::tuple(located.object->kind, located.package);
};

/// What objects without a package are created in: examples, tests.
constexpr PackageId kNoPackage[] = {0};

std::span<const PackageId> packages_of(const Namespace& ns) {
  return ns.packages.empty() ? std::span(kNoPackage) : ns.packages;
}

constexpr auto kByKind = [](const auto& located) { return located.object->kind; };

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
  by_package_.clear();
  for (const Located& located : by_name_) {
    for (const PackageId package : packages_of(located.object->ns)) {
      by_package_.push_back({located.object, located.path, package});
    }
  }
  const auto sort_by = [](std::vector<Located>& list, auto key) {
    std::ranges::stable_sort(list, [&](const Located& a, const Located& b) {
      const auto order = key(a) <=> key(b);
      return std::is_neq(order) ? std::is_lt(order) : a.path < b.path;
    });
  };
  const auto sort_one = [&](std::size_t i) {
    if (i == 0) sort_by(by_name_, kByName);
    if (i == 1) sort_by(by_namespace_, kByNamespace);
    if (i == 2) sort_by(by_package_, kByPackage);
  };
  constexpr std::size_t kFew = 1000;  // sorted before a thread starts
  parallel_for(3, by_name_.size() < kFew ? 1 : jobs, sort_one);
}

Objects::Range Objects::named(std::string_view group, std::string_view kind,
                              std::string_view name) const {
  return std::ranges::equal_range(by_name_, std::tuple(kind, name, Group{group}), {}, kByName);
}

Objects::Range Objects::named_in(std::string_view group, std::string_view kind, std::string_view ns,
                                 std::string_view name) const {
  return std::ranges::equal_range(by_namespace_, std::tuple(kind, ns, name, Group{group}), {},
                                  kByNamespace);
}

Objects::Range Objects::created_with(PackageId package, std::string_view group,
                                     std::string_view kind, std::string_view name,
                                     bool of_unknown_namespace) const {
  const Range all = std::ranges::equal_range(
      by_package_, std::tuple(kind, package, name, Group{group}), {}, kByNameInPackage);
  if (all.empty()) return all;
  if (!of_unknown_namespace) {
    return all.front().object->ns.name == all.back().object->ns.name ? all : Range();
  }
  const auto known = std::ranges::partition_point(
      all, [](const Located& located) { return !located.object->ns.is_known(); });
  return {all.begin(), known};
}

const Object* Objects::nearest_in_packages(const Namespace& ns, std::string_view group,
                                           std::string_view kind, std::string_view name,
                                           std::string_view path, bool of_unknown_namespace) const {
  Near<Located> best;
  for (const PackageId package : packages_of(ns)) {
    const auto near = nearest(created_with(package, group, kind, name, of_unknown_namespace), path);
    if (near.located == nullptr) continue;
    if (best.located == nullptr || near.nearness() > best.nearness()) {
      best = near;
    } else if (near.nearness() == best.nearness() && near.located->path != best.located->path) {
      best.is_ambiguous = true;
    }
  }
  return best.located == nullptr || best.is_ambiguous ? nullptr : best.located->object;
}

const Object* Objects::find(std::string_view group, std::string_view kind, Of ns,
                            std::string_view name, const Object& referrer) const {
  if (named(group, kind, name).empty()) return nullptr;
  const auto referrer_file = paths_.find(referrer.root->span.file);
  const std::string_view path = referrer_file == paths_.end() ? "" : referrer_file->second;
  if (!ns || ns->is_known()) {
    const auto near =
        nearest(ns ? named_in(group, kind, ns->name, name) : named(group, kind, name), path);
    if (near.located != nullptr) return near.is_ambiguous ? nullptr : near.located->object;
    return ns ? nearest_in_packages(*ns, group, kind, name, path, true) : nullptr;
  }
  const Object* found = nearest_in_packages(*ns, group, kind, name, path, true);
  return found != nullptr ? found : nearest_in_packages(*ns, group, kind, name, path, false);
}

std::vector<std::string_view> Objects::names(std::string_view group, std::string_view kind, Of ns,
                                             std::size_t max_names) const {
  std::vector<std::string_view> names;
  // One name may occur thousands of times, and in several ranges.
  const auto add_names = [&](Range range, bool of_unknown_namespace = false) {
    while (!range.empty() && names.size() <= 2 * max_names) {
      const Object& first = *range.front().object;
      const auto same =
          std::partition_point(range.begin(), range.end(), [&](const Located& located) {
            return located.object->name == first.name && located.object->group() == first.group();
          });
      // Those of an unknown namespace come first.
      const bool counts = !of_unknown_namespace || !first.ns.is_known();
      if (counts && first.group() == group) names.push_back(first.name);
      range = {same, range.end()};
    }
  };
  if (!ns) {
    add_names(std::ranges::equal_range(by_name_, kind, {}, kByKind));
    return names;
  }
  if (ns->is_known()) {
    add_names(std::ranges::equal_range(by_namespace_, std::tuple(kind, ns->name), {},
                                       kByKindAndNamespace));
  }
  for (const PackageId package : packages_of(*ns)) {
    add_names(
        std::ranges::equal_range(by_package_, std::tuple(kind, package), {}, kByKindAndPackage),
        ns->is_known());
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

std::vector<const Object*> Objects::all(std::string_view group, std::string_view kind, Of ns,
                                        const Object& referrer, std::size_t max_names) const {
  const std::vector<std::string_view> found = names(group, kind, ns, max_names);
  if (found.size() > max_names) return {};
  std::vector<const Object*> objects;
  for (const std::string_view name : found) {
    if (const Object* object = find(group, kind, ns, name, referrer)) objects.push_back(object);
  }
  return objects;
}

bool Objects::contains(std::string_view group, std::string_view kind) const {
  return std::ranges::any_of(
      std::ranges::equal_range(by_name_, kind, {}, kByKind),
      [&](const Located& located) { return located.object->group() == group; });
}

bool Objects::contains(std::string_view group, std::string_view kind, Of ns,
                       std::string_view name) const {
  if (!ns || !ns->is_known()) return !named(group, kind, name).empty();
  return !named_in(group, kind, ns->name, name).empty() || !named_in(group, kind, "", name).empty();
}

bool Objects::contains_another(const Object& object) const {
  const auto has_another = [&](Range range) {
    return std::ranges::any_of(
        range, [&](const Located& located) { return located.object->root != object.root; });
  };
  if (!object.ns.is_known()) return has_another(named(object.group(), object.kind, object.name));
  return has_another(named_in(object.group(), object.kind, object.ns.name, object.name)) ||
         has_another(named_in(object.group(), object.kind, "", object.name));
}

const Object* RecordedIndex::find(std::string_view group, std::string_view kind, Of ns,
                                  std::string_view name, const Object& referrer) const {
  const Object* found = index_.find(group, kind, ns, name, referrer);
  record_.push_back([group = std::string(group), kind = std::string(kind), ns,
                     name = std::string(name), referrer, found](const ObjectIndex& other) {
    return other.find(group, kind, ns, name, referrer) == found;
  });
  return found;
}

std::vector<const Object*> RecordedIndex::all(std::string_view group, std::string_view kind, Of ns,
                                              const Object& referrer, std::size_t max_names) const {
  std::vector<const Object*> found = index_.all(group, kind, ns, referrer, max_names);
  record_.push_back([group = std::string(group), kind = std::string(kind), ns, referrer, max_names,
                     found](const ObjectIndex& other) {
    return other.all(group, kind, ns, referrer, max_names) == found;
  });
  return found;
}

std::vector<std::string_view> RecordedIndex::names(std::string_view group, std::string_view kind,
                                                   Of ns, std::size_t max_names) const {
  std::vector<std::string_view> found = index_.names(group, kind, ns, max_names);
  record_.push_back([group = std::string(group), kind = std::string(kind), ns, max_names,
                     found](const ObjectIndex& other) {
    return other.names(group, kind, ns, max_names) == found;
  });
  return found;
}

bool RecordedIndex::contains(std::string_view group, std::string_view kind, Of ns,
                             std::string_view name) const {
  const bool found = index_.contains(group, kind, ns, name);
  record_.push_back(
      [group = std::string(group), kind = std::string(kind), ns, name = std::string(name),
       found](const ObjectIndex& other) { return other.contains(group, kind, ns, name) == found; });
  return found;
}

}  // namespace cnsched::k8s
