#pragma once

#include <optional>
#include <string_view>

#include "core/base/quantity.h"

namespace cnsched::cel {

/// A quantity with the number that Kubernetes stores for it. CEL's isInteger() and
/// asApproximateFloat() show that number: quantity('1000m') is not an integer.
/// Source: k8s.io/apimachinery pkg/api/resource/amount.go, int64Amount.
struct Amount {
  /// value * 10^scale.
  struct Stored {
    std::int64_t value = 0;
    int scale = 0;
  };

  static Result<Amount> parse(std::string_view text);
  static Amount of(std::int64_t value);

  /// Nothing if the result is too large for Quantity.
  std::optional<Amount> plus(const Amount& other) const;
  Amount negated() const;
  /// The whole number, if Kubernetes can give it.
  std::optional<std::int64_t> integer() const;

  Quantity quantity{};
  std::optional<Stored> stored{};  ///< nothing: too large for 64 bits
};

}  // namespace cnsched::cel
