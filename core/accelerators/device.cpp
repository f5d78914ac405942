#include "core/accelerators/device.h"

#include <array>

namespace cnsched::accelerators {

namespace {

constexpr std::string_view kAmd = "amd.com/gpu";
// The driver of the Flex and Max series is i915; xe, the newer one, has no support for them.
constexpr std::string_view kIntel = "gpu.intel.com/i915";
constexpr std::string_view kGaudi = "habana.ai/gaudi";
constexpr std::string_view kNeuron = "aws.amazon.com/neuron";
constexpr std::string_view kTpu = "google.com/tpu";

constexpr std::string_view kAmdProduct = "amd.com/gpu.product-name";
constexpr std::string_view kIntelProduct = "gpu.intel.com/product";
constexpr std::string_view kKarpenterGpu = "karpenter.k8s.aws/instance-gpu-name";
constexpr std::string_view kKarpenter = "karpenter.k8s.aws/instance-accelerator-name";
constexpr std::string_view kGkeTpu = "cloud.google.com/gke-tpu-accelerator";

constexpr auto kDevices = std::to_array<Device>({
    {"amd-mi100", Vendor::amd, "AMD Instinct MI100", kAmd, "", ""},
    {"amd-mi210", Vendor::amd, "AMD Instinct MI210", kAmd, "", ""},
    {"amd-mi250", Vendor::amd, "AMD Instinct MI250", kAmd, "", ""},
    {"amd-mi300x", Vendor::amd, "AMD Instinct MI300X", kAmd, kAmdProduct,
     "AMD_Instinct_MI300X_OAM"},
    {"amd-mi325x", Vendor::amd, "AMD Instinct MI325X", kAmd, kAmdProduct, "AMD_Instinct_MI325_OAM"},
    {"amd-mi355x", Vendor::amd, "AMD Instinct MI355X", kAmd, "", ""},
    {"amd-radeon-pro-v520", Vendor::amd, "AMD Radeon Pro V520", kAmd, kKarpenterGpu,
     "radeon-pro-v520", 8192},
    {"intel-flex-140", Vendor::intel, "Intel Flex 140", kIntel, kIntelProduct, "Flex_140"},
    {"intel-flex-170", Vendor::intel, "Intel Flex 170", kIntel, kIntelProduct, "Flex_170"},
    {"intel-max-1100", Vendor::intel, "Intel Max 1100", kIntel, kIntelProduct, "Max_1100"},
    {"intel-max-1550", Vendor::intel, "Intel Max 1550", kIntel, kIntelProduct, "Max_1550"},
    {"intel-gaudi", Vendor::habana, "Intel Gaudi", kGaudi, "", ""},
    {"intel-gaudi2", Vendor::habana, "Intel Gaudi 2", kGaudi, "", ""},
    {"intel-gaudi3", Vendor::habana, "Intel Gaudi 3", kGaudi, "", ""},
    {"aws-inferentia", Vendor::aws, "AWS Inferentia", kNeuron, kKarpenter, "inferentia"},
    {"aws-inferentia2", Vendor::aws, "AWS Inferentia2", kNeuron, kKarpenter, "inferentia2"},
    {"aws-trainium", Vendor::aws, "AWS Trainium", kNeuron, kKarpenter, "trainium"},
    {"aws-trainium2", Vendor::aws, "AWS Trainium2", kNeuron, kKarpenter, "trainium2"},
    {"google-tpu-v3", Vendor::google, "Google TPU v3", kTpu, kGkeTpu, "tpu-v3-device"},
    {"google-tpu-v3-slice", Vendor::google, "Google TPU v3 in slices of several hosts", kTpu,
     kGkeTpu, "tpu-v3-slice"},
    {"google-tpu-v4", Vendor::google, "Google TPU v4", kTpu, kGkeTpu, "tpu-v4-podslice"},
    {"google-tpu-v5e", Vendor::google, "Google TPU v5e", kTpu, kGkeTpu, "tpu-v5-lite-podslice"},
    {"google-tpu-v5e-device", Vendor::google, "Google TPU v5e as a device of its own", kTpu,
     kGkeTpu, "tpu-v5-lite-device"},
    {"google-tpu-v5p", Vendor::google, "Google TPU v5p", kTpu, kGkeTpu, "tpu-v5p-slice"},
    {"google-tpu-v6e", Vendor::google, "Google TPU v6e", kTpu, kGkeTpu, "tpu-v6e-slice"},
    {"google-tpu-7x", Vendor::google, "Google TPU7x", kTpu, kGkeTpu, "tpu7x"},
    {"qualcomm-ai100", Vendor::other, "Qualcomm AI100", "qualcomm.com/qaic", kKarpenter,
     "qualcomm-ai100"},
});

constexpr auto kHosts = std::to_array<TpuHost>({
    {"google-tpu-v3", "2x2", 4},
    {"google-tpu-v4", "2x2x1", 4},
    {"google-tpu-v5e", "1x1", 1},
    {"google-tpu-v5e", "2x2", 4},
    {"google-tpu-v5e", "2x4", 8},
    {"google-tpu-v5e-device", "1x1", 1},
    {"google-tpu-v5e-device", "2x2", 4},
    {"google-tpu-v5e-device", "2x4", 8},
    {"google-tpu-v5p", "2x2x1", 4},
    {"google-tpu-v6e", "1x1", 1},
    {"google-tpu-v6e", "2x2", 4},
    {"google-tpu-v6e", "2x4", 8},
    {"google-tpu-7x", "2x2x1", 4},
});

}  // namespace

std::span<const Device> devices() { return kDevices; }

std::span<const TpuHost> tpu_hosts() { return kHosts; }

}  // namespace cnsched::accelerators
