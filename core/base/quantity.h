#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cnsched {

/// An exact amount of a resource. Source: k8s.io/apimachinery pkg/api/resource/quantity.go.
class Quantity {
 public:
  /// Reads "2", "500m", "1.5Gi", "1e3". The error says what is wrong with the text, and suggests
  /// a correction. More than nine decimals are rounded up, and beyond int64 the value is capped, as
  /// Kubernetes does.
  static Result<Quantity> parse(std::string_view text);

  bool is_integer() const;
  /// The number of whole units, rounded away from zero and capped at int64.
  std::int64_t value() const;
  /// The same in thousandths of a unit.
  std::int64_t milli_value() const;
  /// Rounded as the API server stores amounts of resources: to whole thousandths, away from zero.
  /// Source: pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList.
  Quantity rounded_to_milli() const;
  bool is_zero() const { return nano_ == 0; }
  bool is_negative() const { return nano_ < 0; }

  /// As the API server prints it, in the notation of the manifest: "500m" for 0.5, "1Gi" for
  /// 1024Mi, "1k" for 1000. Source: quantity.go, CanonicalizeBytes.
  std::string canonical() const;

  /// Adds `other`, capped at the largest quantity. Keeps the notation of this quantity.
  Quantity& operator+=(const Quantity& other);
  Quantity operator-() const;
  /// Whether it is at the limit of int64, so that the exact amount may be larger.
  bool is_capped() const;

  friend auto operator<=>(const Quantity& a, const Quantity& b) { return a.nano_ <=> b.nano_; }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }

 private:
  enum class Notation : unsigned char { decimal, exponent, binary };
  __extension__ using Nano = __int128;  // 2^63 units of 10^9 parts do not fit into 64 bits
  Nano nano_ = 0;
  Notation notation_ = Notation::decimal;
};

/// Adds as Kubernetes does: a sum of 0 takes the notation of `quantity`. Source:
/// k8s.io/apimachinery pkg/api/resource/quantity.go, Quantity.Add.
void add_to(Quantity& sum, const Quantity& quantity);

}  // namespace cnsched
