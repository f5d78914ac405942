#include "core/kserve/shipped_runtimes.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/yaml/tree.h"

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
  return is_one_of(word, list);
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

bool is_shipped_by_kserve(std::string_view runtime) {
  return std::ranges::find(kShipped, runtime, &ShippedRuntime::name) != kShipped.end();
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

namespace {

using yaml::Node;

/// The index of the colon before an image's tag; the end of the image if there is none.
std::size_t tag_start(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  if (colon == std::string_view::npos) return image.size();
  return image.find('/', colon) == std::string_view::npos ? colon : image.size();
}

bool has_gpu_limit(const Node& container, const std::optional<Version>& release) {
  const auto limits = k8s::Container{&container}.limits();
  return std::ranges::any_of(limits, [&](const k8s::ResourceAmount& limit) {
    return limit.name == "nvidia.com/gpu" ||
           (limit.name.starts_with("nvidia.com/mig") && is_at_least(release, {0, 16, 0}));
  });
}

/// "huggingfaceserver"; empty if it is not set.
std::string_view server_type(const k8s::Object& runtime) {
  constexpr std::string_view kPrefix = "kserve-";
  const std::string_view written = runtime.annotations()["serving.kserve.io/server-type"].text();
  if (!written.empty()) return written;
  std::string_view name = runtime.name;
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  return name;
}

std::string tagged(std::string_view image, std::size_t tag, std::string_view server, bool gpu) {
  const std::string_view repository = image.substr(0, tag);
  if (gpu && is_one_of(server, {"tensorflow-serving", "torchserve", "huggingfaceserver"}) &&
      !image.ends_with("-gpu")) {
    return std::string(image) + "-gpu";
  }
  if (!gpu && server == "vllmserver" && !repository.ends_with("-cpu")) {
    return std::string(repository) + "-cpu" + std::string(image.substr(tag));
  }
  return std::string(image);
}

}  // namespace

const Node& with_image_tag(const Node& container, const Node& runtime_version,
                           const k8s::Object& runtime, const std::optional<Version>& release,
                           Arena& arena) {
  const Node& image = container["image"];
  const std::string_view text = image.text();
  if (text.empty() || text.find("@sha256:") != std::string_view::npos) return container;
  const std::size_t tag = tag_start(text);
  const std::string_view version = runtime_version.text();
  std::string result(text);
  if (!version.empty()) {
    result = std::string(text.substr(0, tag)) + ":" + std::string(version);
  } else if (tag < text.size()) {
    result = tagged(text, tag, server_type(runtime), has_gpu_limit(container, release));
  }
  if (result == text) return container;
  return yaml::with(arena, container, "image"_key, yaml::string_like(arena, image, result));
}

}  // namespace cnsched::kserve
