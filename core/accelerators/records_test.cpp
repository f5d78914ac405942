#include "core/accelerators/records.h"
#include "core/accelerators/card.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/resource_name.h"
#include "core/accelerators/vocabulary.h"
#include "testdata/support.h"

namespace cnsched::accelerators::records_test {

/// Accelerators that do not exist: a card in two sizes, and a device.
constexpr std::string_view kMadeUp = R"(
card Z900
  family zeta
  arm_on_gke
  karpenter z900
  size 50
    gfd NVIDIA-Z900-SXM9-50GB
    gke nvidia-z900-50gb
    google z2-highgpu-2g:2
    gfd_mib 51200
    karpenter_mib 51100
    gfd_never NVIDIA-Z900-50GB
    mig 1g.7gb:7 7g.49gb:1
    mig_not_on_gke 7g.49gb
    aws z9.xlarge:1 z9.8xlarge:4
    azure Standard_NZ8_v9:2
  size 100
    gfd NVIDIA-Z900-Ultra
    says_size NVIDIA-Z900-Ultra
    n1 3
    autoscaler nvidia-z900-100gb

device amd-mz77
  vendor amd
  title AMD Instinct MZ77
  resource amd.com/gpu
  label amd.com/gpu.product-name AMD_Instinct_MZ77
  counts 2 6
  azure Standard_ND6_MZ77_v1:6
)";

std::string with_made_up_records() { return fmt::format("{}\n{}", accelerators_table(), kMadeUp); }

/// What a pod demands to get the accelerator, "LABEL in VALUES; ...", or the error.
std::string demands(Platform platform, const std::string& name, std::int64_t count = 1) {
  PlacementRequest wanted;
  wanted.accelerators = {name};
  wanted.count = count;
  const auto placement = place(platform, wanted);
  if (!placement) return placement.error().message;
  std::string text;
  for (const LabelDemand& demand : placement->demands) {
    text += fmt::format("{}{} in {}", text.empty() ? "" : "; ", demand.key,
                        fmt::join(demand.values, ","));
  }
  return text;
}

std::string error_in(std::string_view table) {
  try {
    const Records records(table);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a record is enough for labels to identify a new card") {
  const std::string table = with_made_up_records();
  const Records more(table);
  CHECK_FALSE(card_in("z900"));
  const RecordsReplacement replacement(more);
  CHECK(name_of(*card_in("NVIDIA-Z900-SXM9-50GB")) == "Z900 with 50 GB");
  CHECK(name_of(*card_in("z900")) == "Z900");
  CHECK(find_card("Z900")->family == "zeta");
  CHECK(mebibytes_of(*card_in("nvidia-z900-50gb"), Naming::feature_discovery) == 51200);
  CHECK(mebibytes_of(*card_in("nvidia-z900-50gb"), Naming::karpenter) == 51100);
  CHECK(mebibytes_at_most(*card_in("z900")) == 102400);
  const auto knows = [](std::string_view key, std::string_view value) {
    const auto values = known_values(key);
    return std::ranges::find(values, value) != values.end();
  };
  CHECK(knows("nvidia.com/gpu.product", "NVIDIA-Z900-SXM9-50GB"));
  CHECK(knows("nvidia.com/gpu.family", "zeta"));
  CHECK(knows("cloud.google.com/gke-accelerator", "nvidia-z900-50gb"));
  CHECK(knows("karpenter.k8s.aws/instance-gpu-name", "z900"));
  CHECK(corrected_label_value("nvidia.com/gpu.product", "NVIDIA-Z900-50GB")->replacement ==
        "NVIDIA-Z900-SXM9-50GB");
  CHECK(corrected_label_value("karpenter.k8s.aws/instance-gpu-name", "Z900")->replacement ==
        "z900");
}

TEST_CASE("a record is enough for the MIG profiles of a new card") {
  CHECK_FALSE(is_mig_profile("1g.7gb"));
  const std::string table = with_made_up_records();
  const Records more(table);
  const RecordsReplacement replacement(more);
  CHECK(is_mig_profile("1g.7gb"));
  CHECK(mig_profiles_of(*card_in("z900")) == "1g.7gb or 7g.49gb");
  CHECK(cards_with_mig_profile("1g.7gb") == "Z900 with 50 GB");
  CHECK(find_mig_profile(*card_in("nvidia-z900-50gb"), "1g.7gb")->per_card == 7);
  CHECK(resource_name_problem("nvidia.com/mig-1g.7g")->replacement == "nvidia.com/mig-1g.7gb");
  CHECK(demands(Platform::gke, "z900-50gb-mig-1g.7gb", 14) ==
        "cloud.google.com/gke-accelerator in nvidia-z900-50gb; "
        "cloud.google.com/gke-gpu-partition-size in 1g.7gb");
  CHECK(demands(Platform::gke, "z900-50gb-mig-7g.49gb").starts_with("GKE has no "));
}

TEST_CASE("a record is enough for the machine types of a new accelerator") {
  CHECK_FALSE(devices_of_instance_type("z9.8xlarge"));
  const std::string table = with_made_up_records();
  const Records more(table);
  const RecordsReplacement replacement(more);
  CHECK(devices_of_instance_type("z9.8xlarge") == 4);
  CHECK(devices_of_instance_type("z2-highgpu-2g") == 2);
  for (const char* type : {"z9.16xlarge", "z2-highgpu-9g", "Standard_NZ8_v9"}) {
    INFO(type);
    REQUIRE(vendor_of_instance_type(type) != nullptr);
    CHECK(*vendor_of_instance_type(type) == Vendor::nvidia);
  }
  CHECK(*vendor_of_instance_type("Standard_ND6_MZ77_v1") == Vendor::amd);
}

TEST_CASE("a record is enough to place a new accelerator on every platform") {
  CHECK(product_named("z900-50gb") == nullptr);
  const std::string table = with_made_up_records();
  const Records more(table);
  const RecordsReplacement replacement(more);
  CHECK(product_named("z900-50gb")->name == "nvidia-z900-50gb");
  CHECK(product_named("NVIDIA-Z900-Ultra")->title == "NVIDIA Z900 with 100 GB");
  CHECK(demands(Platform::gke, "z900-50gb", 2) ==
        "cloud.google.com/gke-accelerator in nvidia-z900-50gb");
  CHECK(place(Platform::gke, {.accelerators = {"z900-50gb"}})->tolerations.front().value ==
        "arm64");
  CHECK(demands(Platform::karpenter, "z900-50gb") ==
        "karpenter.k8s.aws/instance-gpu-memory in 51100; karpenter.k8s.aws/instance-gpu-name in "
        "z900");
  CHECK(demands(Platform::eks, "z900-50gb", 3) == "node.kubernetes.io/instance-type in z9.8xlarge");
  CHECK(demands(Platform::eks, "z900-100gb") ==
        "k8s.amazonaws.com/accelerator in nvidia-z900-100gb");
  CHECK(demands(Platform::aks, "z900-50gb", 2) ==
        "node.kubernetes.io/instance-type in Standard_NZ8_v9");
  CHECK(demands(Platform::gpu_operator, "z900-100gb") ==
        "nvidia.com/gpu.product in NVIDIA-Z900-Ultra");
  CHECK(demands(Platform::generic, "z900-100gb") == "accelerator in nvidia-z900-100gb");
  CHECK(product_named("AMD_Instinct_MZ77")->title == "AMD Instinct MZ77");
  CHECK(demands(Platform::gpu_operator, "mz77", 2) ==
        "amd.com/gpu.product-name in AMD_Instinct_MZ77");
  CHECK(has(demands(Platform::gpu_operator, "mz77", 3), "2 or 6 of 'mz77', not 3"));
  CHECK(demands(Platform::aks, "mz77", 6) ==
        "node.kubernetes.io/instance-type in Standard_ND6_MZ77_v1");
}

TEST_CASE("every record is complete") {
  for (const CardModel& model : records().models) {
    INFO(model.name);
    CHECK_FALSE(model.family.empty());
    CHECK_FALSE(model.sizes.empty());
    CHECK(std::ranges::is_sorted(model.sizes, {}, &CardSize::gigabytes));
  }
  for (const Device& device : records().devices) {
    INFO(device.name);
    CHECK_FALSE(device.title.empty());
    REQUIRE(find_resource(device.resource) != nullptr);
    CHECK(find_resource(device.resource)->vendor == device.vendor);
  }
  for (const Machine& machine : records().machines) {
    INFO(machine.type);
    CHECK(machine.devices > 0);
    REQUIRE(product_named(machine.accelerator) != nullptr);
    CHECK(product_named(machine.accelerator)->name == machine.accelerator);
    CHECK(product_named(machine.accelerator)->vendor == machine.vendor);
    CHECK(std::ranges::count(records().machines, machine.type, &Machine::type) == 1);
  }
}

TEST_CASE("rejects an invalid line of the table and quotes it") {
  CHECK(error_in("card A\n  colour red") == "accelerators.table: unknown field in 'colour red'");
  CHECK(error_in("card A\n  gfd_mib 5") ==
        "accelerators.table: field of a size above 'size' in 'gfd_mib 5'");
  CHECK(has(error_in("device a\n  family b"), "outside a card"));
  CHECK(has(error_in("card A\n  size 8\n  aws x"), "a number is missing"));
  CHECK(has(error_in("card A\n  size 8\n  google x-1:1"), "no GKE name"));
  CHECK(error_in("# nothing\n\n") == "");
}

}  // namespace cnsched::accelerators::records_test
