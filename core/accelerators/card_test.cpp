#include "core/accelerators/card.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace cnsched::accelerators {

namespace {

std::string card(std::string_view product) {
  const auto found = card_in(product);
  return found ? name_of(*found) : "";
}

}  // namespace

TEST_CASE("a word of the product name tells the card, whoever spells it") {
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

TEST_CASE("the size is told of cards that are made in several, where the name has it") {
  CHECK(card("NVIDIA-A100-80GB-PCIe") == "A100 with 80 GB");
  CHECK(card("nvidia-tesla-a100") == "A100 with 40 GB");
  CHECK(card("A100_NVLINK_80GB") == "A100 with 80 GB");
  CHECK(card("a100") == "A100");
  CHECK(card("nvidia-h200-141gb") == "H200");
  // Of a GH200 it is the processor's memory; of a slice, the slice's.
  CHECK(card("NVIDIA-GH200-480GB") == "GH200");
  CHECK(card("NVIDIA-H100-80GB-HBM3-MIG-7g.96gb") == "H100 with 80 GB");
  CHECK(card("NVIDIA-A100-SXM-64GB") == "A100");
}

TEST_CASE("every spelling of the table names a card that is known, and is written once") {
  for (const CardName& name : card_names()) {
    INFO(name.value);
    CHECK(card_in(name.value));
    CHECK(std::ranges::count_if(card_names(), [&](const CardName& other) {
            return other.value == name.value && other.naming == name.naming;
          }) == 1);
  }
}

TEST_CASE("no card reports more memory than its nominal size in GiB") {
  CHECK(mebibytes_at_most(*card_in("Tesla-T4")) == 16384);
  CHECK(mebibytes_at_most(*card_in("NVIDIA-A100-SXM4-40GB")) == 40960);
  CHECK(mebibytes_at_most(*card_in("a100")) == 81920);
}

TEST_CASE("the makers of labels tell the memory of a card each in their way") {
  CHECK(mebibytes_of(*card_in("l4"), Naming::feature_discovery) == 23034);
  CHECK(mebibytes_of(*card_in("l4"), Naming::karpenter) == 22888);
  CHECK_FALSE(mebibytes_of(*card_in("l4"), Naming::gke));
  CHECK(mebibytes_of(*card_in("nvidia-a100-80gb"), Naming::karpenter) == 81920);
  CHECK_FALSE(mebibytes_of(*card_in("a100"), Naming::karpenter));
  for (const CardModel& model : card_models()) {
    for (const unsigned gigabytes : model.gigabytes) {
      const Card card{&model, gigabytes};
      INFO(name_of(card));
      for (const Naming naming : {Naming::feature_discovery, Naming::karpenter}) {
        CHECK(mebibytes_of(card, naming).value_or(0) <= mebibytes_at_most(card));
      }
    }
  }
}

TEST_CASE("three labels hold names of cards as one maker writes them") {
  CHECK(naming_of("nvidia.com/gpu.product") == Naming::feature_discovery);
  CHECK(naming_of("cloud.google.com/gke-accelerator") == Naming::gke);
  CHECK(naming_of("eks.amazonaws.com/instance-gpu-name") == Naming::karpenter);
  CHECK_FALSE(naming_of("k8s.amazonaws.com/accelerator"));
}

}  // namespace cnsched::accelerators
