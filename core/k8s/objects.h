#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// The objects of a run, to be looked up as a controller looks them up in its cluster.
///
/// A run may hold several of one name (overlays, examples side by side). The one that is meant is
/// then the nearest to who asks: in the same file, else in the same directory, else below the
/// deepest common one. Where several are equally near and differ, none is: which one the cluster
/// has is not known.
class Objects {
 public:
  /// The object and the path of its file have to outlive this index.
  void add(const Object& object, std::string_view path);
  /// To be called behind the last `add`, before anything is asked; on at most `jobs` threads (0:
  /// one per core).
  void sort(std::size_t jobs);

  /// The object of that group, kind and name for `asker`, in the namespace `ns`; an empty
  /// namespace, of either side, matches any. Null if there is none, or no saying which.
  const Object* find(std::string_view group, std::string_view kind, std::string_view ns,
                     std::string_view name, const Object& asker) const;
  /// Runtimes and settings that one cluster may have. A run that holds more is of no one cluster,
  /// and whoever asks for all of them would look at each.
  static constexpr std::size_t kMostOfAKind = 256;
  /// Of each name of that group and kind in the namespace the object that `find` gives, by name.
  /// Nothing if there are more names than `most`.
  std::vector<const Object*> all(std::string_view group, std::string_view kind, std::string_view ns,
                                 const Object& asker, std::size_t most = kMostOfAKind) const;
  /// Whether the run holds any object of that group and kind in the namespace.
  bool holds(std::string_view group, std::string_view kind, std::string_view ns) const;
  /// Whether it holds one of that name, be it that `find` cannot say which is meant.
  bool holds(std::string_view group, std::string_view kind, std::string_view ns,
             std::string_view name) const;
  /// Whether it holds an object that goes by the same group, kind and name, beside this one.
  bool holds_another(const Object& object) const;

 private:
  struct Held {
    const Object* object = nullptr;
    std::string_view path;
  };
  /// Objects of one group and kind, by their paths; those of one file in its order.
  using Range = std::span<const Held>;

  Range called(std::string_view group, std::string_view kind, std::string_view name) const;
  Range called(std::string_view group, std::string_view kind, std::string_view ns,
               std::string_view name) const;
  /// Calls `visit` with those that a query for `ns` is about, range by range, until it returns
  /// true; whether it did.
  template <typename Visit>
  bool any_range(std::string_view group, std::string_view kind, std::string_view ns,
                 std::string_view name, Visit visit) const;
  /// Of a kind and a namespace, by name.
  Range of_kind(std::string_view kind, std::string_view ns) const;

  // Sorted anew for each question: a run may hold one name, and one kind, thousands of times.
  std::vector<Held> by_name_;       ///< by kind, name and group
  std::vector<Held> by_namespace_;  ///< by kind, namespace, name and group
  std::map<FileId, std::string_view> paths_;
};

}  // namespace cnsched::k8s
