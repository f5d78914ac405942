#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cnsched {

/// Why an operation failed, as a message for the user.
struct Error {
  std::string message;
};

/// One error with a line per error.
inline Error joined(const std::vector<Error>& errors) {
  std::string lines;
  for (const Error& error : errors) lines += (lines.empty() ? "" : "\n") + error.message;
  return {lines};
}

/// A value or an error. For operations that fail (a file cannot be read, a configuration is
/// invalid); mistakes in a manifest are findings.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Error failure) : state_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const& { return std::get<T>(state_); }
  T&& operator*() && { return std::get<T>(std::move(state_)); }
  const T* operator->() const { return &std::get<T>(state_); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace cnsched
