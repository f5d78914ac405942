#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// The objects of the workspace, for look-ups as a controller does them in its cluster.
///
/// The workspace may have several objects of one name (overlays, examples). `find` then returns the
/// object nearest to `referrer`: in the same file, else in the same directory, else below the
/// deepest common directory. If several are equally near and differ, it returns null, because it is
/// unknown which one the cluster has.
class Objects {
 public:
  /// The object and the path of its file must outlive this index.
  void add(const Object& object, std::string_view path);
  /// Call after the last `add` and before any look-up. Uses at most `jobs` threads (0: one per
  /// core).
  void sort(std::size_t jobs);

  /// The object of that group, kind and name that `referrer` refers to, in the namespace `ns`; an
  /// empty namespace, of either side, matches any. Null if there is none or if it is ambiguous.
  const Object* find(std::string_view group, std::string_view kind, std::string_view ns,
                     std::string_view name, const Object& referrer) const;
  /// The limit for runtimes and settings. A workspace with more does not describe one cluster, and
  /// checking all of them for each object would take too long.
  static constexpr std::size_t kMaxPerKind = 256;
  /// For each name of that group and kind in the namespace, the object that `find` returns, sorted
  /// by name. Nothing if there are more than `max_names` names.
  std::vector<const Object*> all(std::string_view group, std::string_view kind, std::string_view ns,
                                 const Object& referrer, std::size_t max_names = kMaxPerKind) const;
  /// The names of that group and kind in the namespace, sorted. If there are more than `max_names`,
  /// only some of them, but also more.
  std::vector<std::string_view> names(std::string_view group, std::string_view kind,
                                      std::string_view ns, std::size_t max_names) const;
  /// Whether there is any object of that group and kind in the namespace.
  bool contains(std::string_view group, std::string_view kind, std::string_view ns) const;
  /// Whether there is one of that name, even if `find` is ambiguous.
  bool contains(std::string_view group, std::string_view kind, std::string_view ns,
                std::string_view name) const;
  /// Whether there is another object of the same group, kind and name in a matching namespace.
  bool contains_another(const Object& object) const;

 private:
  struct Located {
    const Object* object = nullptr;
    std::string_view path;
  };
  /// Objects of one group and kind, sorted by path; those of one file in file order.
  using Range = std::span<const Located>;

  Range named(std::string_view group, std::string_view kind, std::string_view name) const;
  Range named(std::string_view group, std::string_view kind, std::string_view ns,
              std::string_view name) const;
  /// Calls `visit` with each range whose namespace matches `ns`, until it returns true. Returns
  /// whether it did.
  template <typename Visit>
  bool any_range(std::string_view group, std::string_view kind, std::string_view ns,
                 std::string_view name, Visit visit) const;
  /// The objects of a kind and namespace, sorted by name.
  Range of_kind(std::string_view kind, std::string_view ns) const;

  // One sorted list per kind of query: a name, or a kind, may occur thousands of times.
  std::vector<Located> by_name_;       ///< by kind, name and group
  std::vector<Located> by_namespace_;  ///< by kind, namespace, name and group
  std::map<FileId, std::string_view> paths_;
};

}  // namespace cnsched::k8s
