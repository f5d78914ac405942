#include "core/accelerators/label_values.h"
#include "testdata/support.h"

namespace cnsched::accelerators::label_values_test {

TEST_CASE("just_below_cards_of is below the cards of a size, and above smaller ones") {
  struct Card {
    std::int64_t nominal_gigabytes;
    std::int64_t mebibytes;
  };
  // As GPU feature discovery and Karpenter label them.
  constexpr auto kCards = std::to_array<Card>({{8, 7680},
                                               {16, 15360},
                                               {16, 16384},
                                               {24, 22888},
                                               {24, 23034},
                                               {32, 32768},
                                               {40, 40960},
                                               {48, 45776},
                                               {80, 81559},
                                               {80, 81920},
                                               {96, 97871},
                                               {141, 143771}});
  for (const Card& card : kCards) {
    for (const Card& other : kCards) {
      CHECK((other.mebibytes > just_below_cards_of(card.nominal_gigabytes)) ==
            (other.nominal_gigabytes >= card.nominal_gigabytes));
    }
  }
}

TEST_CASE("parses amounts of memory as people write them") {
  const auto read = [](std::string_view text) {
    const auto amount = memory_amount_in(text);
    if (!amount) return std::string("nothing");
    return std::to_string(amount->number) + (amount->in_gigabytes ? " GB" : " MiB");
  };
  CHECK(read("40Gi") == "40 GB");
  CHECK(read("80GB") == "80 GB");
  CHECK(read("80gib") == "80 GB");
  CHECK(read("16384MiB") == "16384 MiB");
  for (const std::string_view text : {"40", "Gi", "-4Gi", "0Gi", "1.5Gi", "40Ti", "40Gi of",
                                      "99999999999Gi", "99999999999999999999Gi"}) {
    CHECK(read(text) == "nothing");
  }
}

TEST_CASE("knows labels that are never whole numbers, and labels in MiB") {
  CHECK(example_without_number("amd.com/gpu.vram") == "64G");
  CHECK(example_without_number("nvidia.com/gpu.memory").empty());
  CHECK(counts_mebibytes("nvidia.com/gpu.memory"));
  CHECK(counts_mebibytes("nvidia.com/mig-1g.5gb.memory"));
  CHECK_FALSE(counts_mebibytes("nvidia.com/mig-1g.5gb.count"));
  CHECK_FALSE(counts_mebibytes("amd.com/gpu.vram"));
}

}  // namespace cnsched::accelerators::label_values_test
