#include "core/accelerators/mig.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace cnsched::accelerators {

namespace {

bool cuts(std::string_view product, std::string_view profile) {
  return has_mig_profile(*card_in(product), profile);
}

}  // namespace

TEST_CASE("a profile is one of the card's in its size, or in some size where that is open") {
  CHECK(cuts("NVIDIA-A100-SXM4-40GB", "1g.5gb"));
  CHECK_FALSE(cuts("NVIDIA-A100-SXM4-80GB", "1g.5gb"));
  CHECK(cuts("a100", "1g.5gb"));
  CHECK(cuts("NVIDIA-H100-NVL", "3g.47gb"));
  CHECK_FALSE(cuts("NVIDIA-H100-80GB-HBM3", "3g.47gb"));
  CHECK_FALSE(cuts("NVIDIA-L40S", "1g.12gb"));
}

TEST_CASE("a card gives so many slices of a profile") {
  CHECK(mig_slices_of(*card_in("NVIDIA-A100-SXM4-40GB"), "1g.10gb") == 4);
  CHECK(mig_slices_of(*card_in("NVIDIA-A100-SXM4-80GB"), "1g.10gb") == 7);
  CHECK(mig_slices_of(*card_in("NVIDIA-L4"), "1g.5gb") == 0);
}

TEST_CASE("the variants of a profile belong to it") {
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

TEST_CASE("what no card can be cut into has a reason, and what a card to come might has none") {
  CHECK(mig_profile_problem("5g.40gb") == "no card is cut into slices of 5g");
  CHECK(mig_profile_problem("3g.10gb") == "a slice of 3g has 20 GB or more");
  CHECK_FALSE(mig_profile_problem("3g.20gb.me"));
  CHECK_FALSE(mig_profile_problem("1g.8gb"));
  CHECK_FALSE(mig_profile_problem("2g.200gb"));
  CHECK_FALSE(mig_profile_problem("1c.3g.20gb"));
}

TEST_CASE("cards and profiles are listed for messages") {
  CHECK(mig_profiles_of(*card_in("NVIDIA-A30")) == "1g.6gb, 2g.12gb or 4g.24gb");
  CHECK(mig_profiles_of(*card_in("Tesla-T4")) == "");
  CHECK(cards_with_mig_profile("1g.5gb") == "A100 with 40 GB or A800 with 40 GB");
}

TEST_CASE("every row of the table is about a card that is known, in one of its sizes") {
  for (const MigCard& row : mig_cards()) {
    INFO(row.card);
    const CardModel* model = find_card(row.card);
    REQUIRE(model != nullptr);
    CHECK((row.gigabytes == 0 ||
           std::ranges::find(model->gigabytes, row.gigabytes) != model->gigabytes.end()));
    for (const MigProfile& profile : row.profiles) {
      CHECK(mig_profile_in(profile.name) == profile.name);
      CHECK_FALSE(mig_profile_problem(profile.name));
    }
  }
}

}  // namespace cnsched::accelerators
