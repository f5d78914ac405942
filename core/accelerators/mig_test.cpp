#include "core/accelerators/mig.h"
#include "testdata/support.h"

namespace cnsched::accelerators::mig_test {

bool has_profile(std::string_view product, std::string_view profile) {
  return find_mig_profile(*card_in(product), profile) != nullptr;
}

TEST_CASE("finds a profile of the card in its size, or in any size if that is not known") {
  CHECK(has_profile("NVIDIA-A100-SXM4-40GB", "1g.5gb"));
  CHECK_FALSE(has_profile("NVIDIA-A100-SXM4-80GB", "1g.5gb"));
  CHECK(has_profile("a100", "1g.5gb"));
  CHECK(has_profile("NVIDIA-H100-NVL", "3g.47gb"));
  CHECK_FALSE(has_profile("NVIDIA-H100-80GB-HBM3", "3g.47gb"));
  CHECK_FALSE(has_profile("NVIDIA-L40S", "1g.12gb"));
}

TEST_CASE("knows how many slices of a profile a card has") {
  CHECK(find_mig_profile(*card_in("NVIDIA-A100-SXM4-40GB"), "1g.10gb")->per_card == 4);
  CHECK(find_mig_profile(*card_in("NVIDIA-A100-SXM4-80GB"), "1g.10gb")->per_card == 7);
  CHECK(find_mig_profile(*card_in("NVIDIA-L4"), "1g.5gb") == nullptr);
}

TEST_CASE("recognizes the variants of a profile") {
  CHECK(mig_profile_in("1g.5gb") == "1g.5gb");
  CHECK(mig_profile_in("1g.5gb.me.all") == "1g.5gb");
  CHECK(mig_profile_in("2g.48gb.gfx") == "2g.48gb");
  CHECK(mig_profile_in("1g.10gb.shared") == "1g.10gb");
  for (const char* none : {"", "1g", "1g.", "g.5gb", "1g.5g", "1c.3g.20gb", "1g.5gb.mine",
                           "99999999999g.5gb", "1g.99999999999gb", "INVALID"}) {
    INFO(none);
    CHECK(mig_profile_in(none) == "");
  }
}

TEST_CASE("rejects profiles that no card can have, and accepts those that a new card could have") {
  CHECK(mig_profile_problem("5g.40gb") == "no card has MIG profiles of 5g");
  CHECK(mig_profile_problem("3g.10gb") == "a MIG profile of 3g has 20 GB or more");
  CHECK_FALSE(mig_profile_problem("3g.20gb.me"));
  CHECK_FALSE(mig_profile_problem("1g.8gb"));
  CHECK_FALSE(mig_profile_problem("2g.200gb"));
  CHECK_FALSE(mig_profile_problem("1c.3g.20gb"));
}

TEST_CASE("lists cards and profiles for messages") {
  CHECK(mig_profiles_of(*card_in("NVIDIA-A30")) == "1g.6gb, 2g.12gb or 4g.24gb");
  CHECK(mig_profiles_of(*card_in("Tesla-T4")) == "");
  CHECK(cards_with_mig_profile("1g.5gb") == "A100 with 40 GB or A800 with 40 GB");
}

TEST_CASE("every profile of the records is well formed and possible") {
  CHECK_FALSE(mig_profiles().empty());
  for (const std::string_view profile : mig_profiles()) {
    INFO(profile);
    CHECK(mig_profile_in(profile) == profile);
    CHECK_FALSE(mig_profile_problem(profile));
  }
}

}  // namespace cnsched::accelerators::mig_test
