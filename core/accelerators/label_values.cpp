#include "core/accelerators/label_values.h"

#include <algorithm>
#include <array>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

/// Values of the labels [A30, A39, A44].
constexpr auto kExamples = std::to_array<LabelExample>({
    {"amd.com/gpu.vram", "64G"},
    {"beta.amd.com/gpu.vram", "64G"},
    {"amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM"},
    {"nvidia.com/gpu.product", "NVIDIA-L4"},
    {"nvidia.com/gpu.family", "ampere"},
    {"nvidia.com/gpu.present", "true"},
    {"nvidia.com/cuda.driver-version.full", "550.54.15"},
    {"nvidia.com/cuda.runtime-version.full", "12.4"},
    {"cloud.google.com/gke-accelerator", "nvidia-l4"},
    {"cloud.google.com/gke-tpu-accelerator", "tpu-v5-lite-podslice"},
    {"cloud.google.com/gke-tpu-topology", "2x4"},
    {"cloud.google.com/gke-gpu-partition-size", "1g.5gb"},
    {"karpenter.k8s.aws/instance-gpu-name", "a10g"},
    {"eks.amazonaws.com/instance-gpu-name", "a10g"},
    {"kubernetes.azure.com/accelerator", "nvidia"},
    {"node.kubernetes.io/instance-type", "g5.xlarge"},
    {"beta.kubernetes.io/instance-type", "g5.xlarge"},
    {"kubernetes.io/arch", "amd64"},
    {"kubernetes.io/os", "linux"},
});

}  // namespace

std::string_view example_without_number(std::string_view label) {
  const auto* found = std::ranges::find(kExamples, label, &LabelExample::label);
  return found == kExamples.end() ? std::string_view() : found->value;
}

std::span<const LabelExample> labels_without_numbers() { return kExamples; }

bool counts_mebibytes(std::string_view label) {
  if (label.starts_with("nvidia.com/mig-")) return label.ends_with(".memory");
  return label == "nvidia.com/gpu.memory" || label == "karpenter.k8s.aws/instance-gpu-memory" ||
         label == "eks.amazonaws.com/instance-gpu-memory";
}

std::int64_t just_below_cards_of(std::int64_t gigabytes) {
  constexpr std::int64_t kLeastPerGigabyte = 950;
  return gigabytes * kLeastPerGigabyte;
}

std::optional<MemoryAmount> memory_amount_in(std::string_view text) {
  constexpr std::int64_t kMaxAmount = 1'000'000'000;
  MemoryAmount amount;
  amount.number = take_number<std::int64_t>(text).value_or(0);
  if (amount.number <= 0 || amount.number > kMaxAmount) return std::nullopt;
  const std::string unit = lower(text);
  amount.in_gigabytes = unit == "g" || unit == "gi" || unit == "gb" || unit == "gib";
  const bool mebibytes = unit == "m" || unit == "mi" || unit == "mb" || unit == "mib";
  return amount.in_gigabytes || mebibytes ? std::optional(amount) : std::nullopt;
}

}  // namespace cnsched::accelerators
