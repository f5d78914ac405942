#include "core/accelerators/instance_type.h"

#include <algorithm>
#include <array>

namespace cnsched::accelerators {

namespace {

constexpr auto kAmazon = std::to_array<Machine>({
    {"p2.xlarge", 1, "nvidia-tesla-k80"},
    {"p2.8xlarge", 8, "nvidia-tesla-k80"},
    {"p2.16xlarge", 16, "nvidia-tesla-k80"},
    {"p3.2xlarge", 1, "nvidia-tesla-v100"},
    {"p3.8xlarge", 4, "nvidia-tesla-v100"},
    {"p3.16xlarge", 8, "nvidia-tesla-v100"},
    {"p3dn.24xlarge", 8, "nvidia-v100-32gb"},
    {"g4dn.xlarge", 1, "nvidia-tesla-t4"},
    {"g4dn.2xlarge", 1, "nvidia-tesla-t4"},
    {"g4dn.4xlarge", 1, "nvidia-tesla-t4"},
    {"g4dn.8xlarge", 1, "nvidia-tesla-t4"},
    {"g4dn.16xlarge", 1, "nvidia-tesla-t4"},
    {"g4dn.12xlarge", 4, "nvidia-tesla-t4"},
    {"g4dn.metal", 8, "nvidia-tesla-t4"},
    {"g5g.xlarge", 1, "nvidia-t4g"},
    {"g5g.2xlarge", 1, "nvidia-t4g"},
    {"g5g.4xlarge", 1, "nvidia-t4g"},
    {"g5g.8xlarge", 1, "nvidia-t4g"},
    {"g5g.16xlarge", 2, "nvidia-t4g"},
    {"g5g.metal", 2, "nvidia-t4g"},
    {"g5.xlarge", 1, "nvidia-a10g"},
    {"g5.2xlarge", 1, "nvidia-a10g"},
    {"g5.4xlarge", 1, "nvidia-a10g"},
    {"g5.8xlarge", 1, "nvidia-a10g"},
    {"g5.16xlarge", 1, "nvidia-a10g"},
    {"g5.12xlarge", 4, "nvidia-a10g"},
    {"g5.24xlarge", 4, "nvidia-a10g"},
    {"g5.48xlarge", 8, "nvidia-a10g"},
    {"g6.xlarge", 1, "nvidia-l4"},
    {"g6.2xlarge", 1, "nvidia-l4"},
    {"g6.4xlarge", 1, "nvidia-l4"},
    {"g6.8xlarge", 1, "nvidia-l4"},
    {"g6.16xlarge", 1, "nvidia-l4"},
    {"gr6.4xlarge", 1, "nvidia-l4"},
    {"gr6.8xlarge", 1, "nvidia-l4"},
    {"g6.12xlarge", 4, "nvidia-l4"},
    {"g6.24xlarge", 4, "nvidia-l4"},
    {"g6.48xlarge", 8, "nvidia-l4"},
    {"g6e.xlarge", 1, "nvidia-l40s"},
    {"g6e.2xlarge", 1, "nvidia-l40s"},
    {"g6e.4xlarge", 1, "nvidia-l40s"},
    {"g6e.8xlarge", 1, "nvidia-l40s"},
    {"g6e.16xlarge", 1, "nvidia-l40s"},
    {"g6e.12xlarge", 4, "nvidia-l40s"},
    {"g6e.24xlarge", 4, "nvidia-l40s"},
    {"g6e.48xlarge", 8, "nvidia-l40s"},
    {"g7e.2xlarge", 1, "nvidia-rtx-pro-6000"},
    {"g7e.4xlarge", 1, "nvidia-rtx-pro-6000"},
    {"g7e.8xlarge", 1, "nvidia-rtx-pro-6000"},
    {"g7e.12xlarge", 2, "nvidia-rtx-pro-6000"},
    {"g7e.24xlarge", 4, "nvidia-rtx-pro-6000"},
    {"g7e.48xlarge", 8, "nvidia-rtx-pro-6000"},
    {"p4d.24xlarge", 8, "nvidia-tesla-a100"},
    {"p4de.24xlarge", 8, "nvidia-a100-80gb"},
    {"p5.4xlarge", 1, "nvidia-h100-80gb"},
    {"p5.48xlarge", 8, "nvidia-h100-80gb"},
    {"p5e.48xlarge", 8, "nvidia-h200-141gb"},
    {"p5en.48xlarge", 8, "nvidia-h200-141gb"},
    {"p6-b200.48xlarge", 8, "nvidia-b200"},
    {"p6-b300.48xlarge", 8, "nvidia-b300"},
    {"g4ad.xlarge", 1, "amd-radeon-pro-v520"},
    {"g4ad.2xlarge", 1, "amd-radeon-pro-v520"},
    {"g4ad.4xlarge", 1, "amd-radeon-pro-v520"},
    {"g4ad.8xlarge", 2, "amd-radeon-pro-v520"},
    {"g4ad.16xlarge", 4, "amd-radeon-pro-v520"},
    {"inf1.xlarge", 1, "aws-inferentia"},
    {"inf1.2xlarge", 1, "aws-inferentia"},
    {"inf1.6xlarge", 4, "aws-inferentia"},
    {"inf1.24xlarge", 16, "aws-inferentia"},
    {"inf2.xlarge", 1, "aws-inferentia2"},
    {"inf2.8xlarge", 1, "aws-inferentia2"},
    {"inf2.24xlarge", 6, "aws-inferentia2"},
    {"inf2.48xlarge", 12, "aws-inferentia2"},
    {"trn1.2xlarge", 1, "aws-trainium"},
    {"trn1.32xlarge", 16, "aws-trainium"},
    {"trn1n.32xlarge", 16, "aws-trainium"},
    {"trn2.48xlarge", 16, "aws-trainium2"},
    {"dl2q.24xlarge", 8, "qualcomm-ai100"},
});

constexpr auto kAzure = std::to_array<Machine>({
    {"Standard_NC6", 1, "nvidia-tesla-k80"},
    {"Standard_NC12", 2, "nvidia-tesla-k80"},
    {"Standard_NC24", 4, "nvidia-tesla-k80"},
    {"Standard_NC6s_v2", 1, "nvidia-tesla-p100"},
    {"Standard_NC12s_v2", 2, "nvidia-tesla-p100"},
    {"Standard_NC24s_v2", 4, "nvidia-tesla-p100"},
    {"Standard_NC6s_v3", 1, "nvidia-tesla-v100"},
    {"Standard_NC12s_v3", 2, "nvidia-tesla-v100"},
    {"Standard_NC24s_v3", 4, "nvidia-tesla-v100"},
    {"Standard_ND40rs_v2", 8, "nvidia-v100-32gb"},
    {"Standard_NC4as_T4_v3", 1, "nvidia-tesla-t4"},
    {"Standard_NC8as_T4_v3", 1, "nvidia-tesla-t4"},
    {"Standard_NC16as_T4_v3", 1, "nvidia-tesla-t4"},
    {"Standard_NC64as_T4_v3", 4, "nvidia-tesla-t4"},
    {"Standard_NV36ads_A10_v5", 1, "nvidia-a10"},
    {"Standard_NV36adms_A10_v5", 1, "nvidia-a10"},
    {"Standard_NV72ads_A10_v5", 2, "nvidia-a10"},
    {"Standard_ND96asr_v4", 8, "nvidia-tesla-a100"},
    {"Standard_NC24ads_A100_v4", 1, "nvidia-a100-80gb"},
    {"Standard_NC48ads_A100_v4", 2, "nvidia-a100-80gb"},
    {"Standard_NC96ads_A100_v4", 4, "nvidia-a100-80gb"},
    {"Standard_ND96amsr_A100_v4", 8, "nvidia-a100-80gb"},
    {"Standard_ND96isr_H100_v5", 8, "nvidia-h100-80gb"},
    {"Standard_NC40ads_H100_v5", 1, "nvidia-h100-94gb"},
    {"Standard_NC80adis_H100_v5", 2, "nvidia-h100-94gb"},
    {"Standard_ND96isr_H200_v5", 8, "nvidia-h200-141gb"},
    {"Standard_ND128isr_NDR_GB200_v6", 4, "nvidia-gb200"},
    {"Standard_ND128isr_GB300_v6", 4, "nvidia-gb300"},
    {"Standard_ND96isr_MI300X_v5", 8, "amd-mi300x"},
});

/// Without the older cards, which Google attaches to machines of any size.
constexpr auto kGoogle = std::to_array<Machine>({
    {"g2-standard-4", 1, "nvidia-l4"},
    {"g2-standard-8", 1, "nvidia-l4"},
    {"g2-standard-12", 1, "nvidia-l4"},
    {"g2-standard-16", 1, "nvidia-l4"},
    {"g2-standard-32", 1, "nvidia-l4"},
    {"g2-standard-24", 2, "nvidia-l4"},
    {"g2-standard-48", 4, "nvidia-l4"},
    {"g2-standard-96", 8, "nvidia-l4"},
    {"g4-standard-48", 1, "nvidia-rtx-pro-6000"},
    {"g4-standard-96", 2, "nvidia-rtx-pro-6000"},
    {"g4-standard-192", 4, "nvidia-rtx-pro-6000"},
    {"g4-standard-384", 8, "nvidia-rtx-pro-6000"},
    {"a2-highgpu-1g", 1, "nvidia-tesla-a100"},
    {"a2-highgpu-2g", 2, "nvidia-tesla-a100"},
    {"a2-highgpu-4g", 4, "nvidia-tesla-a100"},
    {"a2-highgpu-8g", 8, "nvidia-tesla-a100"},
    {"a2-megagpu-16g", 16, "nvidia-tesla-a100"},
    {"a2-ultragpu-1g", 1, "nvidia-a100-80gb"},
    {"a2-ultragpu-2g", 2, "nvidia-a100-80gb"},
    {"a2-ultragpu-4g", 4, "nvidia-a100-80gb"},
    {"a2-ultragpu-8g", 8, "nvidia-a100-80gb"},
    {"a3-highgpu-1g", 1, "nvidia-h100-80gb"},
    {"a3-highgpu-2g", 2, "nvidia-h100-80gb"},
    {"a3-highgpu-4g", 4, "nvidia-h100-80gb"},
    {"a3-highgpu-8g", 8, "nvidia-h100-80gb"},
    {"a3-edgegpu-8g", 8, "nvidia-h100-80gb"},
    {"a3-megagpu-8g", 8, "nvidia-h100-mega-80gb"},
    {"a3-ultragpu-8g", 8, "nvidia-h200-141gb"},
    {"a4-highgpu-8g", 8, "nvidia-b200"},
    {"a4x-highgpu-4g", 4, "nvidia-gb200"},
    {"a4x-maxgpu-4g-metal", 4, "nvidia-gb300"},
});

constexpr auto kProviders =
    std::to_array<Provider>({Provider::amazon, Provider::azure, Provider::google});

}  // namespace

std::span<const Machine> machines(Provider provider) {
  switch (provider) {
    case Provider::amazon:
      return kAmazon;
    case Provider::azure:
      return kAzure;
    case Provider::google:
      return kGoogle;
  }
  return {};
}

std::optional<unsigned> devices_of_instance_type(std::string_view type) {
  for (const Provider provider : kProviders) {
    const auto all = machines(provider);
    const auto machine = std::ranges::find(all, type, &Machine::type);
    if (machine != all.end()) return machine->devices;
  }
  return std::nullopt;
}

}  // namespace cnsched::accelerators
