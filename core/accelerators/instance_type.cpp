#include "core/accelerators/instance_type.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cnsched::accelerators {

namespace {

struct Machine {
  std::string_view type;
  unsigned devices = 0;
};

constexpr auto kMachines = std::to_array<Machine>({
    {"g4dn.12xlarge", 4},  {"g4dn.metal", 8},     {"g5.12xlarge", 4},    {"g5.24xlarge", 4},
    {"g5.48xlarge", 8},    {"g6.12xlarge", 4},    {"g6.24xlarge", 4},    {"g6.48xlarge", 8},
    {"g6e.12xlarge", 4},   {"g6e.24xlarge", 4},   {"g6e.48xlarge", 8},   {"p3.2xlarge", 1},
    {"p3.8xlarge", 4},     {"p3.16xlarge", 8},    {"p3dn.24xlarge", 8},  {"p4d.24xlarge", 8},
    {"p4de.24xlarge", 8},  {"p5.48xlarge", 8},    {"p5e.48xlarge", 8},   {"p5en.48xlarge", 8},
    {"inf1.xlarge", 1},    {"inf1.2xlarge", 1},   {"inf1.6xlarge", 4},   {"inf1.24xlarge", 16},
    {"inf2.xlarge", 1},    {"inf2.8xlarge", 1},   {"inf2.24xlarge", 6},  {"inf2.48xlarge", 12},
    {"trn1.2xlarge", 1},   {"trn1.32xlarge", 16}, {"trn2.48xlarge", 16}, {"g2-standard-4", 1},
    {"g2-standard-8", 1},  {"g2-standard-12", 1}, {"g2-standard-16", 1}, {"g2-standard-24", 2},
    {"g2-standard-32", 1}, {"g2-standard-48", 4}, {"g2-standard-96", 8},
});

/// Amazon's families whose smaller machines have one card each.
constexpr auto kSingle = std::to_array<std::string_view>({"g4dn.", "g5.", "g6.", "g6e."});
constexpr auto kSingleSizes =
    std::to_array<std::string_view>({"xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge"});

bool has_single_card(std::string_view type) {
  const auto* family = std::ranges::find_if(
      kSingle, [&](std::string_view prefix) { return type.starts_with(prefix); });
  if (family == kSingle.end()) return false;
  const std::string_view size = type.substr(family->size());
  return std::ranges::find(kSingleSizes, size) != kSingleSizes.end();
}

/// Google writes the number into the names of these: a2-highgpu-4g.
std::optional<unsigned> number_in_name(std::string_view type) {
  constexpr auto kFamilies = std::to_array<std::string_view>({"a2-", "a3-", "a4-"});
  const auto begins = [&](std::string_view prefix) { return type.starts_with(prefix); };
  if (std::ranges::none_of(kFamilies, begins) || !type.ends_with('g')) return std::nullopt;
  const std::string_view last = type.substr(type.rfind('-') + 1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size() - 1, number);
  if (error != std::errc() || end != last.data() + last.size() - 1) return std::nullopt;
  return number;
}

}  // namespace

std::optional<unsigned> devices_of_instance_type(std::string_view type) {
  const auto* machine = std::ranges::find(kMachines, type, &Machine::type);
  if (machine != kMachines.end()) return machine->devices;
  if (has_single_card(type)) return 1;
  return number_in_name(type);
}

}  // namespace cnsched::accelerators
