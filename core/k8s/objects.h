#pragma once

#include <map>
#include <string_view>
#include <utility>
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

  /// The object of that group, kind and name for `asker`, in the namespace `ns`; an empty
  /// namespace, of either side, matches any. Null if there is none, or no saying which.
  const Object* find(std::string_view group, std::string_view kind, std::string_view ns,
                     std::string_view name, const Object& asker) const;
  /// Of each name of that group and kind in the namespace the object that `find` gives, by name.
  std::vector<const Object*> all(std::string_view group, std::string_view kind, std::string_view ns,
                                 const Object& asker) const;
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
  const Object* nearest(const std::vector<Held>& candidates, const Object& asker) const;
  /// Calls `visit` with those of a kind that `ns` may hold, until it returns true; whether it did.
  template <typename Visit>
  bool any_in_namespace(std::string_view kind, std::string_view ns, Visit visit) const;

  using ByTwo = std::map<std::pair<std::string_view, std::string_view>, std::vector<Held>>;
  ByTwo held_;          ///< by kind and name
  ByTwo in_namespace_;  ///< by kind and namespace
  std::map<FileId, std::string_view> paths_;
};

}  // namespace cnsched::k8s
