#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

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
