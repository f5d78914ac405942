#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/packages/kustomization.h"

namespace cnsched {

/// What kustomizations that have to do with each other, such as overlays, their components and
/// their base, write into the objects of all their files. It is read without building them, so it
/// knows what they may write, and never that they write it.
class KustomizeBuild {
 public:
  /// Adds those of one kustomization. The files of changes are absolute paths.
  void add(const std::set<std::string>& vars, std::vector<KustomizeChange> changes);

  /// Whether a kustomization declares the variable.
  bool declares(std::string_view var) const { return vars_.contains(std::string(var)); }
  /// Whether a change for the object mentions the field. Any thread may ask; the first question
  /// reads the files.
  bool may_set(const k8s::Object& object, std::string_view field) const;

 private:
  struct Change {
    KustomizeChange change;
    std::set<std::string, std::less<>> words{};  ///< of its text
    bool is_unknown = false;                     ///< the text cannot be read
  };

  void read() const;

  std::set<std::string> vars_;
  mutable std::once_flag is_read_;
  mutable std::vector<Change> changes_;
  bool is_cut_ = false;  ///< there are too many changes
};

}  // namespace cnsched
