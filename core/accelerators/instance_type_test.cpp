#include "core/accelerators/instance_type.h"

#include <doctest/doctest.h>

namespace cnsched::accelerators {

TEST_CASE("machines have the number of accelerators that their provider states") {
  CHECK(devices_of_instance_type("g5.xlarge") == 1);
  CHECK(devices_of_instance_type("g6e.16xlarge") == 1);
  CHECK(devices_of_instance_type("g5.48xlarge") == 8);
  CHECK(devices_of_instance_type("inf2.48xlarge") == 12);
  CHECK(devices_of_instance_type("a2-highgpu-4g") == 4);
  CHECK(devices_of_instance_type("g2-standard-24") == 2);
  CHECK(devices_of_instance_type("Standard_NC24ads_A100_v4") == 1);
}

TEST_CASE("of other machines nothing is said") {
  for (const char* type :
       {"", "m5.xlarge", "g5.", "g5.3xlarge", "g6f.xlarge", "a2-", "a3-highgpu-g",
        "a3-highgpu-99999999999g", "a2-highgpu-4", "Standard_NV6ads_A10_v5"}) {
    INFO(type);
    CHECK_FALSE(devices_of_instance_type(type));
  }
}

}  // namespace cnsched::accelerators
