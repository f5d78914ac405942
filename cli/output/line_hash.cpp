// A rolling polynomial hash over a window of 100 characters, blanks excluded. The hash of a line is
// that of the window that begins with the line's first character, known 100 characters later.
#include "cli/output/line_hash.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <unordered_map>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::size_t kWindow = 100;
constexpr std::uint64_t kFactor = 37;
constexpr std::uint32_t kEnd = 0xFFFF;  // follows the last character

constexpr std::uint64_t power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// The code point that `bytes`, valid UTF-8, encode.
std::uint32_t code_point_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0xFFU >> (bytes.size() + 1));
  for (std::size_t i = 1; i < bytes.size(); ++i) value = (value << 6U) | (byte(i) & 0x3FU);
  return value;
}

/// Calls `visit` with each UTF-16 code unit of the text, as JavaScript sees it.
template <typename Visit>
void each_code_unit(std::string_view text, Visit visit) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  constexpr std::uint32_t kBasicPlane = 0x10000;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::uint32_t point = length == 0 ? kReplacement : code_point_of(text.substr(0, length));
    if (point < kBasicPlane) {
      visit(point);
    } else {
      visit(0xD800U + ((point - kBasicPlane) >> 10U));
      visit(0xDC00U + ((point - kBasicPlane) & 0x3FFU));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

/// Calls `visit` with the number and the hash of each line.
template <typename Visit>
class Rolling {
 public:
  explicit Rolling(Visit visit) : visit_(visit) {}

  void add(std::uint32_t unit) {
    const bool second_of_line_end = after_cr_ && unit == '\n';
    after_cr_ = unit == '\r';
    if (unit == ' ' || unit == '\t' || second_of_line_end) return;
    if (unit == '\r') unit = '\n';
    report_complete();
    if (at_line_start_) line_starting_[at_] = ++line_;
    at_line_start_ = unit == '\n';
    roll(unit);
  }

  void finish() {
    add(kEnd);
    for (std::size_t i = 0; i < kWindow; ++i) {
      report_complete();
      roll(0);
    }
  }

 private:
  /// If a line begins where the window does, its hash is complete.
  void report_complete() {
    if (line_starting_[at_] == 0) return;
    visit_(line_starting_[at_], hash_);
    line_starting_[at_] = 0;
  }

  void roll(std::uint32_t unit) {
    hash_ = hash_ * kFactor + unit - power(kFactor, kWindow) * window_[at_];
    window_[at_] = unit;
    at_ = (at_ + 1) % kWindow;
  }

  Visit visit_;
  std::array<std::uint32_t, kWindow> window_{};
  std::array<std::size_t, kWindow> line_starting_{};  ///< 0: none
  std::size_t at_ = 0;                                ///< the oldest of the window
  std::uint64_t hash_ = 0;
  std::size_t line_ = 0;
  bool at_line_start_ = true;
  bool after_cr_ = false;
};

template <typename Visit>
void each_line_hash(std::string_view text, Visit visit) {
  Rolling<Visit> rolling(visit);
  each_code_unit(text, [&](std::uint32_t unit) { rolling.add(unit); });
  rolling.finish();
}

}  // namespace

std::map<std::size_t, std::string> line_hashes(std::string_view text,
                                               const std::set<std::size_t>& lines) {
  // A file may have millions of lines: count only the requested hashes.
  std::unordered_map<std::uint64_t, std::size_t> counts;
  each_line_hash(text, [&](std::size_t line, std::uint64_t hash) {
    if (lines.contains(line)) counts.try_emplace(hash, 0);
  });
  std::map<std::size_t, std::string> result;
  each_line_hash(text, [&](std::size_t line, std::uint64_t hash) {
    const auto counted = counts.find(hash);
    if (counted == counts.end()) return;
    ++counted->second;
    if (lines.contains(line)) result[line] = fmt::format("{:x}:{}", hash, counted->second);
  });
  return result;
}

}  // namespace cnsched::cli
