#include "core/kserve/shipped_runtimes.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace cnsched::kserve {

namespace {

/// What one of KServe's own runtimes supports, with all versions and protocols of any release.
struct ShippedRuntime {
  std::string_view name;
  std::string_view format;
  std::string_view versions;   ///< separated by spaces
  std::string_view protocols;  ///< separated by spaces; empty: any
  bool auto_select = true;
  bool multi_node = false;
  Version since{0, 9, 0};  ///< the first release that ships it
};

constexpr auto kShipped = std::to_array<ShippedRuntime>({
    {"kserve-autogluonserver", "autogluon", "1", "v1 v2", true, false, Version{0, 20, 0}},
    {"kserve-huggingfaceserver", "huggingface", "1", "v1 v2", true, false, Version{0, 12, 0}},
    {"kserve-huggingfaceserver-multinode", "huggingface", "1", "v1 v2", true, true,
     Version{0, 15, 0}},
    {"kserve-lgbserver", "lightgbm", "2 3 4", "v1 v2"},
    {"kserve-mlserver", "lightgbm", "3 4", "v2"},
    {"kserve-mlserver", "mlflow", "1 2", "v2"},
    {"kserve-mlserver", "sklearn", "0 1", "v2"},
    {"kserve-mlserver", "xgboost", "1 2", "v2"},
    {"kserve-openvino", "huggingface", "", "v1 v2 grpc-v2", true, false, Version{0, 17, 0}},
    {"kserve-openvino", "onnx", "1", "v1 v2 grpc-v2", true, false, Version{0, 17, 0}},
    {"kserve-openvino", "openvino", "10", "v1 v2 grpc-v2", true, false, Version{0, 17, 0}},
    {"kserve-openvino", "tensorflow", "1", "v1 v2 grpc-v2", true, false, Version{0, 17, 0}},
    {"kserve-paddleserver", "paddle", "2", "v1 v2"},
    {"kserve-pmmlserver", "pmml", "3 4", "v1 v2"},
    {"kserve-predictiveserver", "lightgbm", "4", "v1 v2", false, false, Version{0, 17, 0}},
    {"kserve-predictiveserver", "sklearn", "1", "v1 v2", false, false, Version{0, 17, 0}},
    {"kserve-predictiveserver", "xgboost", "2", "v1 v2", false, false, Version{0, 17, 0}},
    {"kserve-sklearnserver", "sklearn", "1", "v1 v2"},
    {"kserve-tensorflow-serving", "tensorflow", "1 2", "v1 grpc-v1"},
    {"kserve-torchserve", "pytorch", "1", "v1 v2 grpc-v1 grpc-v2"},
    {"kserve-tritonserver", "onnx", "1", "v2 grpc-v2"},
    {"kserve-tritonserver", "pytorch", "1", "v2 grpc-v2", false},
    {"kserve-tritonserver", "tensorflow", "1 2", "v2 grpc-v2"},
    {"kserve-tritonserver", "tensorrt", "8", "v2 grpc-v2"},
    {"kserve-tritonserver", "triton", "2", "v2 grpc-v2"},
    {"kserve-vllmserver", "vLLM", "1", "", true, false, Version{0, 20, 0}},
    {"kserve-xgbserver", "xgboost", "1 2", "v1 v2"},
});

constexpr auto kOfOpenDataHub =
    std::to_array<std::string_view>({"autogluon-runtime",
                                     "caikit-standalone-runtime",
                                     "caikit-tgis-runtime",
                                     "guardrails-detector-huggingface-runtime",
                                     "kserve-ovms",
                                     "mlserver-cuda-runtime",
                                     "mlserver-runtime",
                                     "ovms",
                                     "tgis-grpc-runtime",
                                     "vllm-cpu-runtime",
                                     "vllm-cpu-x86-runtime",
                                     "vllm-cuda-runtime",
                                     "vllm-gaudi-runtime",
                                     "vllm-multinode-runtime",
                                     "vllm-rocm-runtime",
                                     "vllm-runtime",
                                     "vllm-spyre-ppc64le-runtime",
                                     "vllm-spyre-runtime",
                                     "vllm-spyre-s390x-runtime",
                                     "vllm-spyre-x86-runtime"});

bool contains_word(std::string_view words, std::string_view word) {
  const auto list = split(words, ' ');
  return std::ranges::find(list, word) != list.end();
}

std::vector<std::string_view> distinct(std::string_view ShippedRuntime::*field,
                                       std::span<const std::string_view> others) {
  std::vector<std::string_view> values(others.begin(), others.end());
  for (const ShippedRuntime& runtime : kShipped) values.push_back(runtime.*field);
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
  return values;
}

}  // namespace

std::span<const std::string_view> shipped_runtime_names() {
  static const std::vector<std::string_view> names =
      distinct(&ShippedRuntime::name, kOfOpenDataHub);
  return names;
}

std::span<const std::string_view> shipped_formats() {
  static const std::vector<std::string_view> formats = distinct(&ShippedRuntime::format, {});
  return formats;
}

bool ships_runtime_for(std::string_view format, const std::optional<Version>& release) {
  constexpr Version kOldest{0, 12, 0};
  return std::ranges::any_of(kShipped, [&](const ShippedRuntime& runtime) {
    return runtime.format == format && runtime.since <= release.value_or(kOldest);
  });
}

bool is_served_by_shipped_runtime(const RuntimeRequirements& required) {
  return std::ranges::any_of(kShipped, [&](const ShippedRuntime& runtime) {
    return runtime.auto_select && runtime.format == required.format->text() &&
           runtime.multi_node == required.workers->is_mapping() &&
           (required.version->text().empty() ||
            contains_word(runtime.versions, required.version->text())) &&
           (runtime.protocols.empty() ||
            std::ranges::any_of(required.protocols, [&](auto protocol) {
              return contains_word(runtime.protocols, protocol);
            }));
  });
}

}  // namespace cnsched::kserve
