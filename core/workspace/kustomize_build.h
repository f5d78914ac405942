#pragma once

#include <map>
#include <mutex>
#include <optional>
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
  /// Adds one of them. The files of its changes are absolute paths.
  void add(const packages::Kustomization& kustomization);
  const std::vector<packages::KustomizeChange>& changes() const { return changes_; }
  /// The text of such a file, if it has been read.
  void add_text(const std::string& file, std::string_view text);

  /// Whether a kustomization declares the variable.
  bool declares(std::string_view var) const { return vars_.contains(std::string(var)); }
  /// Whether a change for the object mentions the field. Any thread may ask; the first question
  /// reads the other files.
  bool may_set(const k8s::Object& object, std::string_view field) const;

 private:
  using Words = std::set<std::string, std::less<>>;

  void read() const;
  bool is_for(const packages::KustomizeChange& change, const std::optional<Words>& words,
              const k8s::Object& object) const;

  std::set<std::string> vars_;
  bool renames_ = false;
  std::vector<packages::KustomizeChange> changes_;
  mutable std::map<std::string, std::string> texts_;  ///< of files
  mutable std::once_flag is_read_;
  mutable bool is_cut_ = false;  ///< there is more than an honest repository has
  /// What changes mention, by their file or text; nothing if it cannot be read.
  mutable std::map<std::string, std::optional<Words>> words_;
};

}  // namespace cnsched
