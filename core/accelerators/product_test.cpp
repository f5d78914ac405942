#include "core/accelerators/product.h"

#include <tuple>

#include "core/k8s/label.h"
#include "testdata/support.h"

namespace cnsched::accelerators::product_test {

std::string name(std::string_view written) {
  const Product* product = product_named(written);
  return product == nullptr ? "none" : product->name;
}

std::string problem(std::string_view written) {
  const auto found = find_accelerator(written);
  return found ? "none" : found.error().message;
}

TEST_CASE("lists every product once, finds it by name, and offers it on some platform") {
  for (const Product& product : products()) {
    INFO(product.name);
    CHECK(product_named(product.name) == &product);
    CHECK_FALSE(product.title.empty());
    CHECK_FALSE(k8s::label_value_problem(product.name));
    CHECK(std::ranges::any_of(
        platforms(), [&](Platform platform) { return !reason_unavailable(platform, product); }));
    CHECK(std::ranges::count(products(), product.name, &Product::name) == 1);
  }
  CHECK(std::ranges::is_sorted(products(), {}, [](const Product& product) {
    return std::tuple(product.vendor, product.name);
  }));
}

TEST_CASE("names a card as Google does, or by vendor, model and size") {
  CHECK(name("T4") == "nvidia-tesla-t4");
  CHECK(name("a10g") == "nvidia-a10g");
  CHECK(name("v100-16gb") == "nvidia-tesla-v100");
  CHECK(name("V100-32GB") == "nvidia-v100-32gb");
  CHECK(name("h200") == "nvidia-h200-141gb");
  CHECK(name("rtx-pro-server-6000") == "nvidia-rtx-pro-6000");
  CHECK(name("RTX A6000") == "nvidia-a6000");
  CHECK(name("rtx-4090") == "nvidia-geforce-rtx-4090");
}

TEST_CASE("finds a card by every spelling in labels, ignoring case") {
  for (const CardName& spelling : records().card_names) {
    INFO(spelling.value);
    const auto found = find_accelerator(spelling.value);
    REQUIRE(found);
    CHECK((*found)->card->model == card_in(spelling.value)->model);
  }
  CHECK(name("nvidia-l4") == name("NVIDIA-L4"));
  CHECK(name("nvidia-h200") == "nvidia-h200-141gb");
  CHECK(name("NVIDIA-H200") == "NVIDIA-H200");
  CHECK(name("nvidia-a100-sxm4-40gb") == "NVIDIA-A100-SXM4-40GB");
}

TEST_CASE("finds devices of other vendors by short names and label values") {
  CHECK(name("MI300X") == "amd-mi300x");
  CHECK(name("AMD_Instinct_MI300X_OAM") == "amd-mi300x");
  CHECK(name("inferentia2") == "aws-inferentia2");
  CHECK(name("gaudi3") == "intel-gaudi3");
  CHECK(name("Max_1100") == "intel-max-1100");
  CHECK(name("tpu-v5-lite-podslice") == "google-tpu-v5e");
  CHECK(name("v6e") == "google-tpu-v6e");
  CHECK(name("tpu7x") == "google-tpu-7x");
}

TEST_CASE("finds a slice by any name of its card; the profile may determine the size") {
  CHECK(name("A100-80GB-MIG-3g.40gb") == "nvidia-a100-80gb-mig-3g.40gb");
  CHECK(name("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb") == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb");
  CHECK(name("a100-mig-1g.5gb") == "nvidia-tesla-a100-mig-1g.5gb");
  CHECK(name("h20-mig-1g.18gb") == "nvidia-h20-141gb-mig-1g.18gb");
  CHECK(problem("a100-mig-1g.10gb") ==
        "'a100-mig-1g.10gb' exists in several sizes; choose "
        "nvidia-tesla-a100-mig-1g.10gb (40 GB) or nvidia-a100-80gb-mig-1g.10gb (80 GB)");
}

TEST_CASE("reports the problem with a name, and a suggestion") {
  CHECK(problem("nvidia-l40z") == "unknown accelerator 'nvidia-l40z', did you mean 'nvidia-l40'?");
  CHECK(problem("gh200") ==
        "'gh200' exists in several sizes; choose nvidia-gh200-96gb (96 GB) or "
        "nvidia-gh200-144gb (144 GB)");
  CHECK(name("gh200") == "nvidia-gh200-96gb");
  CHECK(problem("P100").starts_with("'P100' exists in several sizes; choose "));
  CHECK(name("nvidia-tesla-p100") == "nvidia-tesla-p100");
  CHECK(problem("l4-mig-1g.5gb") == "'l4' does not support MIG");
  CHECK(problem("mi300x-mig-1g.5gb") == "'mi300x' does not support MIG");
  CHECK(problem("a30-mig-3g.20gb") ==
        "'a30' has no MIG profile '3g.20gb', only 1g.6gb, 2g.12gb or 4g.24gb");
  CHECK(problem("").starts_with("unknown accelerator ''"));
}

}  // namespace cnsched::accelerators::product_test
