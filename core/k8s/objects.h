#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// Look-ups as a controller does them in its cluster.
///
/// The workspace may have several objects of one name (overlays, examples). `find` then returns the
/// object nearest to `referrer`: in the same file, else in the same directory, else below the
/// deepest common directory. If several are equally near and differ, it returns null, because it is
/// unknown which one the cluster has.
class ObjectIndex {
 public:
  /// Nothing: of a kind without namespaces, or in any.
  using Of = std::optional<Namespace>;
  /// The limit for runtimes and settings. A workspace with more does not describe one cluster, and
  /// checking all of them for each object would take too long.
  static constexpr std::size_t kMaxPerKind = 256;

  ObjectIndex() = default;
  ObjectIndex(const ObjectIndex&) = delete;
  ObjectIndex& operator=(const ObjectIndex&) = delete;
  virtual ~ObjectIndex() = default;

  /// The object of that group, kind and name that `referrer` refers to, of a kind without
  /// namespaces (`ns` is nothing) or in a namespace. Null if there is none or if it is ambiguous.
  /// Of the objects that are created together, some may name their namespace, and the others get
  /// it from kubectl: they are found if nothing is certainly in the namespace.
  virtual const Object* find(std::string_view group, std::string_view kind, Of ns,
                             std::string_view name, const Object& referrer) const = 0;
  /// For each name of that group and kind in the namespace, the object that `find` returns, sorted
  /// by name. Nothing if there are more than kMaxPerKind names.
  std::vector<const Object*> all(std::string_view group, std::string_view kind, Of ns,
                                 const Object& referrer) const {
    return all(group, kind, ns, referrer, kMaxPerKind);
  }
  /// The same with another limit.
  virtual std::vector<const Object*> all(std::string_view group, std::string_view kind, Of ns,
                                         const Object& referrer, std::size_t max_names) const = 0;
  /// The names of that group and kind in the namespace, sorted. If there are more than `max_names`,
  /// only some of them, but also more.
  virtual std::vector<std::string_view> names(std::string_view group, std::string_view kind, Of ns,
                                              std::size_t max_names) const = 0;
  /// Whether there is one of that name, even if `find` is ambiguous.
  virtual bool contains(std::string_view group, std::string_view kind, Of ns,
                        std::string_view name) const = 0;
};

/// An index that keeps what it is asked, and what it answers.
class RecordedIndex final : public ObjectIndex {
 public:
  explicit RecordedIndex(const ObjectIndex& index) : index_(index) {}

  const Object* find(std::string_view group, std::string_view kind, Of ns, std::string_view name,
                     const Object& referrer) const override;
  std::vector<const Object*> all(std::string_view group, std::string_view kind, Of ns,
                                 const Object& referrer, std::size_t max_names) const override;
  std::vector<std::string_view> names(std::string_view group, std::string_view kind, Of ns,
                                      std::size_t max_names) const override;
  bool contains(std::string_view group, std::string_view kind, Of ns,
                std::string_view name) const override;

  /// Whether an index gives the answers of a record.
  using Record = std::vector<std::function<bool(const ObjectIndex& other)>>;
  Record take_record() { return std::move(record_); }

 private:
  const ObjectIndex& index_;
  mutable Record record_;
};

/// The objects of the workspace.
class Objects final : public ObjectIndex {
 public:
  /// The object and the path of its file must outlive this index.
  void add(const Object& object, std::string_view path);
  /// Call after the last `add` and before any look-up. Uses at most `jobs` threads (0: one per
  /// core).
  void sort(std::size_t jobs);

  const Object* find(std::string_view group, std::string_view kind, Of ns, std::string_view name,
                     const Object& referrer) const override;
  using ObjectIndex::all;
  std::vector<const Object*> all(std::string_view group, std::string_view kind, Of ns,
                                 const Object& referrer, std::size_t max_names) const override;
  std::vector<std::string_view> names(std::string_view group, std::string_view kind, Of ns,
                                      std::size_t max_names) const override;
  /// Whether there is any object of that group and kind, in any namespace.
  bool contains(std::string_view group, std::string_view kind) const;
  bool contains(std::string_view group, std::string_view kind, Of ns,
                std::string_view name) const override;
  /// Whether there is another object of the same group, kind and name, in a namespace that may be
  /// the same.
  bool contains_another(const Object& object) const;

 private:
  struct Located {
    const Object* object = nullptr;
    std::string_view path;
    PackageId package = 0;  ///< in `by_package_`
  };
  /// Objects of one group and kind, sorted by path; those of one file in file order.
  using Range = std::span<const Located>;

  Range named(std::string_view group, std::string_view kind, std::string_view name) const;
  Range named_in(std::string_view group, std::string_view kind, std::string_view ns,
                 std::string_view name) const;
  /// Of those that are created together: the objects of all namespaces, if they are one, or of an
  /// unknown one.
  Range created_with(PackageId package, std::string_view group, std::string_view kind,
                     std::string_view name, bool of_unknown_namespace) const;
  /// Those of a namespace's packages, see `created_with`, that are nearest to the path.
  const Object* nearest_in_packages(const Namespace& ns, std::string_view group,
                                    std::string_view kind, std::string_view name,
                                    std::string_view path, bool of_unknown_namespace) const;

  // One sorted list per kind of query: a name, or a kind, may occur thousands of times.
  std::vector<Located> by_name_;       ///< by kind, name and group
  std::vector<Located> by_namespace_;  ///< by kind, namespace, name and group
  std::vector<Located> by_package_;    ///< by kind, package, name, group and namespace
  std::map<FileId, std::string_view> paths_;
};

}  // namespace cnsched::k8s
