#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/cel/program.h"
#include "core/sim/devices/slices.h"

namespace cnsched::sim::devices {

/// Whether a CEL expression selects a device.
struct Selection {
  enum class Kind : std::uint8_t { no, yes, error, unknown };
  Kind kind = Kind::no;
  std::string message;  ///< of an error, in kube-scheduler's words, or what is unknown
};

/// Evaluates each expression once for each model of device.
class DeviceExpressions {
 public:
  /// The number of an expression. It is compiled when it is used. The text must outlive this.
  std::uint32_t add(std::string_view expression);
  /// Whether the expression of that number selects the device.
  const Selection& selects(std::uint32_t expression, const Device& device, std::string_view driver);

 private:
  struct Compiled {
    std::string_view text;
    bool is_compiled = false;
    cel::Compiled program{};
    Selection syntax_error{};
    std::unordered_map<std::uint32_t, Selection> by_model{};
  };
  static void compile(Compiled& compiled);
  Selection evaluate(const Compiled& compiled, const Device& device, std::string_view driver);
  const cel::Value& value_of(const Device& device, std::string_view driver);

  std::deque<Compiled> compiled_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, cel::Value> values_;  ///< by model
  std::uint64_t steps_left_ = kMaxSteps;

  /// For all expressions of a cluster together: some seconds.
  static constexpr std::uint64_t kMaxSteps = 50'000'000;
};

}  // namespace cnsched::sim::devices
