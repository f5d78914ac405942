#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cnsched {

/// Memory that is freed all at once, for objects that need no destructor.
class Arena {
 public:
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <typename T>
  std::span<const T> copy(const std::vector<T>& values) {
    return copy(std::span<const T>(values));
  }
  template <typename T>
  std::span<const T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (values.empty()) return {};
    T* place = static_cast<T*>(allocate(sizeof(T) * values.size(), alignof(T)));
    for (std::size_t i = 0; i < values.size(); ++i) ::new (place + i) T(values[i]);
    return {place, values.size()};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* place = static_cast<char*>(allocate(text.size(), 1));
    text.copy(place, text.size());
    return {place, text.size()};
  }

  /// The bytes allocated so far.
  std::size_t used() const { return used_; }

  /// A state that `rewind` restores.
  struct Mark {
    std::size_t blocks = 0;
    std::byte* next = nullptr;
    std::size_t used = 0;
  };
  Mark mark() const { return {blocks_.size(), next_, used_}; }
  /// Frees everything allocated since `mark`, which must be of this arena.
  void rewind(const Mark& mark) {
    blocks_.resize(mark.blocks);
    next_ = mark.next;
    end_ = blocks_.empty() ? nullptr : blocks_.back().bytes.get() + blocks_.back().size;
    used_ = mark.used;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;  // NOLINT: uninitialized memory
    std::size_t size = 0;
  };

  void* allocate(std::size_t bytes, std::size_t alignment) {
    used_ += bytes;
    std::size_t gap = (alignment - reinterpret_cast<std::uintptr_t>(next_) % alignment) % alignment;
    if (gap + bytes > static_cast<std::size_t>(end_ - next_)) {
      add_block(bytes);
      gap = 0;
    }
    std::byte* place = next_ + gap;
    next_ = place + bytes;
    return place;
  }

  /// Block sizes double, so there are few blocks and a small arena stays small.
  void add_block(std::size_t min_size) {
    constexpr std::size_t kFirst = 512;
    constexpr std::size_t kMaxSize = std::size_t{128} << 10U;
    std::size_t size = blocks_.empty() ? kFirst : 2 * blocks_.back().size;
    if (size > kMaxSize) size = kMaxSize;
    if (size < min_size) size = min_size;
    // new[] aligns for every type that we store.
    blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});  // NOLINT
    next_ = blocks_.back().bytes.get();
    end_ = next_ + size;
  }

  std::vector<Block> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace cnsched
