#pragma once

#include <version>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <thread>

#ifndef __cpp_lib_to_chars
#include <cerrno>
#include <cstdlib>
#endif

/// What C++20's standard library has and libc++ 16 (clang 16) lacks: std::jthread, which came with
/// libc++ 20, and std::from_chars for double.
namespace cnsched {

#ifdef __cpp_lib_jthread
using JoiningThread = std::jthread;
#else
/// A thread whose destructor waits for its end.
class JoiningThread : public std::thread {
 public:
  using std::thread::thread;
  JoiningThread(JoiningThread&&) noexcept = default;
  JoiningThread& operator=(JoiningThread&&) = delete;
  ~JoiningThread() {
    if (joinable()) join();
  }
};
#endif

/// The value of a decimal number such as "-1.5e3", unless a double cannot hold it.
inline std::optional<double> parse_double(const std::string& text) {
  double value = 0;
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_valid = error == std::errc();
#else
  // It reads more: blanks, '+' and hexadecimal digits. The locale is always "C".
  if (text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != std::string::npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  errno = 0;
  value = std::strtod(text.c_str(), &end);
  const bool is_valid = errno != ERANGE || value != 0;  // a subnormal number is valid
#endif
  const bool is_whole = !text.empty() && end == text.data() + text.size();
  return is_valid && is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace cnsched
