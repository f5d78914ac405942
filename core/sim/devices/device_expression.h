#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  const Selection& selects(std::string_view expression, const Device& device,
                           std::string_view driver);

 private:
  struct Compiled {
    cel::Compiled program;
    Selection syntax_error;
    std::map<std::uint32_t, Selection> by_model;
  };
  Selection evaluate(const Compiled& compiled, const Device& device, std::string_view driver);
  const cel::Value& value_of(const Device& device, std::string_view driver);

  std::map<std::string_view, Compiled> compiled_;
  std::map<std::uint32_t, cel::Value> values_;  ///< by model
  std::uint64_t steps_left_ = kMaxSteps;

  /// For all expressions of a cluster together: some seconds.
  static constexpr std::uint64_t kMaxSteps = 50'000'000;
};

}  // namespace cnsched::sim::devices
