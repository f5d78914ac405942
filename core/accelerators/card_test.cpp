#include "core/accelerators/card.h"

#include "testdata/support.h"

namespace cnsched::accelerators::card_test {

std::string card(std::string_view product) {
  const auto found = card_in(product);
  return found ? name_of(*found) : "";
}

TEST_CASE("recognizes a card in the product names of every tool") {
  CHECK(card("Tesla-T4-SHARED") == "T4");
  CHECK(card("nvidia-tesla-t4") == "T4");
  CHECK(card("a10g") == "A10G");
  CHECK(card("rtx-pro-server-6000") == "RTX PRO 6000");
  CHECK(card("NVIDIA-RTX-A6000") == "A6000");
  CHECK(card("NVIDIA-GeForce-RTX-4090") == "GeForce RTX 4090");
  CHECK(card("NVIDIA-GeForce-RTX-3090") == "");
  CHECK(card("NVIDIA-RTX-6000-Ada-Generation") == "");
  CHECK(card("") == "");
}

TEST_CASE("determines the size of a card with several sizes if the name contains it") {
  CHECK(card("NVIDIA-A100-80GB-PCIe") == "A100 with 80 GB");
  CHECK(card("nvidia-tesla-a100") == "A100 with 40 GB");
  CHECK(card("A100_NVLINK_80GB") == "A100 with 80 GB");
  CHECK(card("a100") == "A100");
  CHECK(card("nvidia-h200-141gb") == "H200");
  // 480 GB is the memory of the processor of a GH200; 96 GB that of the slice.
  CHECK(card("NVIDIA-GH200-480GB") == "GH200");
  CHECK(card("NVIDIA-H100-80GB-HBM3-MIG-7g.96gb") == "H100 with 80 GB");
  CHECK(card("NVIDIA-A100-SXM-64GB") == "A100");
}

TEST_CASE("every name in the records is recognized, and is listed once") {
  for (const CardName& name : records().card_names) {
    INFO(name.value);
    CHECK(card_in(name.value));
    CHECK(std::ranges::count_if(records().card_names, [&](const CardName& other) {
            return other.value == name.value && other.naming == name.naming;
          }) == 1);
  }
}

TEST_CASE("no tool reports more memory than the nominal size in GiB") {
  CHECK(mebibytes_at_most(*card_in("Tesla-T4")) == 16384);
  CHECK(mebibytes_at_most(*card_in("NVIDIA-A100-SXM4-40GB")) == 40960);
  CHECK(mebibytes_at_most(*card_in("a100")) == 81920);
}

TEST_CASE("knows the memory of a card in the labels of each tool") {
  CHECK(mebibytes_of(*card_in("l4"), Naming::feature_discovery) == 23034);
  CHECK(mebibytes_of(*card_in("l4"), Naming::karpenter) == 22888);
  CHECK_FALSE(mebibytes_of(*card_in("l4"), Naming::gke));
  CHECK(mebibytes_of(*card_in("nvidia-a100-80gb"), Naming::karpenter) == 81920);
  CHECK_FALSE(mebibytes_of(*card_in("a100"), Naming::karpenter));
  for (const CardModel& model : records().models) {
    for (const CardSize& size : model.sizes) {
      const Card card{&model, size.gigabytes};
      INFO(name_of(card));
      for (const Naming naming : {Naming::feature_discovery, Naming::karpenter}) {
        CHECK(mebibytes_of(card, naming).value_or(0) <= mebibytes_at_most(card));
      }
    }
  }
}

TEST_CASE("knows which tool writes the values of a label") {
  CHECK(naming_of("nvidia.com/gpu.product") == Naming::feature_discovery);
  CHECK(naming_of("cloud.google.com/gke-accelerator") == Naming::gke);
  CHECK(naming_of("eks.amazonaws.com/instance-gpu-name") == Naming::karpenter);
  CHECK_FALSE(naming_of("k8s.amazonaws.com/accelerator"));
}

}  // namespace cnsched::accelerators::card_test

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
