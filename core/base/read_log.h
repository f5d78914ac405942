#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cnsched {

/// What a computation has looked up, as keys, so that its result can be kept until something of
/// that changes. The functions that look up note the keys; there is nothing to note while no log is
/// in use.
class ReadLog {
 public:
  using Key = std::uint64_t;
  using Keys = std::unordered_set<Key>;

  /// Changes with everything.
  static constexpr Key kEverything = 0;
  /// The key of the words together.
  static Key key_of(std::string_view first, std::string_view second = {}) {
    constexpr Key kFactor = 0x9E3779B97F4A7C15U;
    const std::hash<std::string_view> hash;
    return (hash(first) * kFactor + hash(second)) * kFactor + 1;
  }

  /// Notes a key in the log of this thread, if it has one.
  static void note(Key key) {
    if (current_ != nullptr) current_->add(key);
  }
  static void note(const ReadLog& other) {
    if (current_ == nullptr) return;
    for (const Key key : other.keys_) current_->add(key);
  }
  /// Whether this thread has a log.
  static bool is_on() { return current_ != nullptr; }

  /// Lets this thread note in `log` until the end of the scope; null: in none.
  class Recording {
   public:
    explicit Recording(ReadLog* log) : before_(std::exchange(current_, log)) {}
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() { current_ = before_; }

   private:
    ReadLog* before_;
  };

  /// Whether the computation has looked up something that has changed.
  bool meets(const Keys& changed) const {
    return std::ranges::any_of(
        keys_, [&](Key key) { return key == kEverything || changed.contains(key); });
  }

 private:
  void add(Key key) {
    if (std::ranges::find(keys_, key) != keys_.end()) return;
    // So many that it depends on nearly everything.
    constexpr std::size_t kMost = 64;
    if (keys_.size() >= kMost) keys_.assign(1, kEverything);
    keys_.push_back(key);
  }

  std::vector<Key> keys_;
  static inline thread_local constinit ReadLog* current_ = nullptr;
};

}  // namespace cnsched
