// The most common correct manifest requests an accelerator and tolerates the taint of the same
// name, with or without a selector. No rule may report it as a mistake, in any kind.
#include "core/base/text.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::conventional_form_test {

struct Accelerator {
  std::string_view resource;
  std::string_view taint;
  std::string_view label;  ///< of its nodes, as an entry of nodeSelector
};

constexpr auto kAccelerators = std::to_array<Accelerator>({
    {"nvidia.com/gpu", "nvidia.com/gpu", "nvidia.com/gpu.product: NVIDIA-L4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "cloud.google.com/gke-accelerator: nvidia-l4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "karpenter.k8s.aws/instance-gpu-name: l4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "node.kubernetes.io/instance-type: g6.xlarge"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "pool: inference"},
    {"nvidia.com/mig-3g.40gb", "nvidia.com/gpu", "nvidia.com/gpu.present: \"true\""},
    {"amd.com/gpu", "amd.com/gpu", "amd.com/gpu.device-id: 74a1"},
    {"aws.amazon.com/neuron", "aws.amazon.com/neuron",
     "karpenter.k8s.aws/instance-accelerator-name: inferentia2"},
    {"google.com/tpu", "google.com/tpu", "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice"},
    {"habana.ai/gaudi", "habana.ai/gaudi", "pool: gaudi"},
});

/// `manifest` with the line of `mark` replaced by the lines of `text`, at the same indentation.
std::string filled(const std::string& manifest, std::string_view mark, std::string_view text) {
  std::string result;
  for (const std::string_view line : split(trim(manifest), '\n')) {
    const std::size_t indent = line.find(mark);
    if (indent == std::string_view::npos) {
      result += fmt::format("{}\n", line);
    } else if (!text.empty()) {
      for (const std::string_view inner : split(text, '\n')) {
        result += fmt::format("{:{}}{}\n", "", indent, inner);
      }
    }
  }
  return result;
}

TEST_CASE(
    "reports no mistake for an accelerator with its usual toleration, whatever its selector") {
  // Around the pod's own fields ("@placement") and the resources of the container that runs the
  // model ("@resources").
  std::vector<std::string> manifests;
  for (const auto& file : fs::directory_iterator(project_file("testdata/conventional"))) {
    manifests.push_back(read_all(file.path()));
  }
  REQUIRE(manifests.size() == 8);
  for (const Accelerator& accelerator : kAccelerators) {
    const std::string tolerations = fmt::format(
        "tolerations:\n- key: {}\n  operator: Exists\n  effect: NoSchedule", accelerator.taint);
    const std::string resources =
        fmt::format("resources:\n  limits:\n    {}: 1", accelerator.resource);
    for (const bool selects : {false, true}) {
      const std::string placement =
          selects ? fmt::format("{}\nnodeSelector:\n  {}", tolerations, accelerator.label)
                  : tolerations;
      for (const std::string& manifest : manifests) {
        std::string text = filled(manifest, "@placement", placement);
        text = filled(text, "@resources", resources);
        INFO(text);
        const auto workspace = workspace_of({{"manifest.yaml", text}});
        CHECK(workspace->stats().objects > 0);
        for (const Diagnostic& finding : run(*workspace, Selection::everything()).findings) {
          INFO(finding.rule << ": " << finding.message);
          CHECK(finding.severity == Severity::info);
        }
      }
    }
  }
}

}  // namespace cnsched::rules::conventional_form_test
