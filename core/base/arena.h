#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cnsched {

/// Memory that is given back all at once. Holds only what needs no destructor.
class Arena {
 public:
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <typename T>
  std::span<const T> copy(const std::vector<T>& values) {
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

  /// Bytes that were asked for so far.
  std::size_t used() const { return used_; }

 private:
  void* allocate(std::size_t bytes, std::size_t alignment) {
    used_ += bytes;
    return memory_.allocate(bytes, alignment);
  }

  std::pmr::monotonic_buffer_resource memory_;
  std::size_t used_ = 0;
};

}  // namespace cnsched
