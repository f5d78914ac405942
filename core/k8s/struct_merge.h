#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

// Two ways in which controllers put one Go struct on top of another. `type` is the name of the
// struct in core/k8s/schema/*.table: "PodSpec". Leaves of the result are nodes of either side;
// either side may be missing.
namespace cnsched::k8s {

/// `base` with `patch` on top, as a strategic merge patch made from a Go struct: mappings merge,
/// lists with a merge key merge by it, other lists are replaced; what Go's `omitempty` omits from
/// the patch (null, "", 0, false, [], but not an empty struct such as emptyDir: {}) changes nothing
/// [P55, P56]. Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
const yaml::Node& strategic_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                                  std::string_view type);

/// How a list of the patch changes a list of the base.
enum class Lists : unsigned char { append, replace };

/// `base` with `patch` on top as Go's mergo merges two structs with its option WithOverride (and
/// WithAppendSlice, to append lists): mappings merge deeply; a scalar of the patch wins unless it
/// is zero ("", 0, false) and the base has one; entries of Go maps (nodeSelector, limits, …) always
/// win. An empty list or mapping of the patch changes nothing, and no list is merged by key [S7].
/// A new list or mapping has the position of the patch's. Source: dario.cat/mergo v1.0.0 merge.go,
/// deepMerge.
const yaml::Node& mergo_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                              std::string_view type, Lists lists);

}  // namespace cnsched::k8s

namespace cnsched::k8s {

/// The index of each name in a list. Searches a short list and hashes a long one, so that merges
/// stay linear.
class NameIndex {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Appends a name. The first of equal names counts; an empty one is never found.
  void add(std::string_view name) {
    names_.push_back(name);
    if (names_.size() == kFew) {
      for (std::size_t i = 0; i < names_.size(); ++i) hashed_.emplace(names_[i], i);
    } else if (names_.size() > kFew) {
      hashed_.emplace(name, names_.size() - 1);
    }
  }
  std::size_t find(std::string_view name) const {
    if (name.empty()) return kNone;
    if (names_.size() >= kFew) {
      const auto found = hashed_.find(name);
      return found == hashed_.end() ? kNone : found->second;
    }
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? kNone : static_cast<std::size_t>(found - names_.begin());
  }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::size_t> hashed_;
};

}  // namespace cnsched::k8s

namespace cnsched::k8s {

/// Whether the key is a directive of strategic merge patches, such as `$patch`. No object has
/// such a key [P57]. Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
bool is_patch_directive(std::string_view key);

/// Whether `root` contains such a directive.
bool contains_patch_directive(const yaml::Node& root);

}  // namespace cnsched::k8s
