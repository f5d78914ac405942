#include "core/accelerators/slip.h"

#include <doctest/doctest.h>

namespace cnsched::accelerators {

TEST_CASE("a slip is another case, or one letter, but never a digit") {
  const std::vector<std::string_view> names = {"nvidia.com/gpu", "NVIDIA-A10", "L40"};
  CHECK(slip_of("nvidia.com/GPU", names) == "nvidia.com/gpu");
  CHECK(slip_of("nvidia.com/gpus", names) == "nvidia.com/gpu");
  CHECK(slip_of("nvidai.com/gpu", names) == "nvidia.com/gpu");
  CHECK(slip_of("nvidia.com/gpu", names) == "");
  CHECK(slip_of("NVIDIA-A30", names) == "");
  CHECK(slip_of("NVIDIA-A100", names) == "");
  CHECK(slip_of("nvidia.com/cpus", names) == "");
  CHECK(slip_of("L4", names) == "");
  CHECK(slip_of("", names) == "");
  CHECK(slip_of(std::string(10'000, 'x'), names) == "");
}

}  // namespace cnsched::accelerators
