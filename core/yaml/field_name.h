#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cnsched::yaml {

/// The names of fields, labels and annotations that the program looks up by a literal, sorted.
inline constexpr auto kFieldNames = std::to_array<std::string_view>({
#include "core/yaml/field_names.table"
});
static_assert(std::ranges::is_sorted(kFieldNames));

/// The text of a key as a number, by which mappings are searched. Equal texts have equal numbers. A
/// name of kFieldNames has its place there, which no other text has; any other text has a hash.
class KeyNumber {
 public:
  constexpr KeyNumber() = default;
  explicit KeyNumber(std::string_view text);

  /// Whether no other text has this number.
  constexpr bool is_exact() const { return value_ < kFieldNames.size(); }
  friend constexpr auto operator<=>(KeyNumber, KeyNumber) = default;

 private:
  friend class FieldName;
  constexpr explicit KeyNumber(std::uint32_t value) : value_(value) {}

  std::uint32_t value_ = UINT32_MAX;
};

/// One of kFieldNames. A literal that is none of them does not compile.
class FieldName {
 public:
  template <std::size_t kSize>
  consteval FieldName(const char (&name)[kSize])  // NOLINT: literals are converted
      : number_(place_of({name, kSize - 1})) {}

  constexpr KeyNumber number() const { return number_; }

 private:
  static consteval KeyNumber place_of(std::string_view name) {
    const auto place = std::ranges::lower_bound(kFieldNames, name);
    if (place == kFieldNames.end() || *place != name) {
      throw "core/yaml/field_names.table does not have this name";
    }
    return KeyNumber(static_cast<std::uint32_t>(place - kFieldNames.begin()));
  }

  KeyNumber number_;
};

}  // namespace cnsched::yaml
