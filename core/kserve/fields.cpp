#include "core/kserve/fields.h"

#include <array>

#include "core/k8s/schema/schema.h"

namespace cnsched::kserve {

namespace {

constexpr auto kFrameworkKeys = std::to_array<std::string_view>(
    {"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface",
     "pmml", "lightgbm", "paddle"});

}  // namespace

bool is_kserve_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org";
}

std::span<const std::string_view> pod_fields() {
  static const auto kFields = k8s::schema::field_names("WorkerSpec", "PodSpec");
  return kFields;
}

std::span<const std::string_view> runtime_pod_fields() {
  static const auto kFields = k8s::schema::field_names("ServingRuntimeSpec", "PodSpec");
  return kFields;
}

std::span<const std::string_view> container_fields() {
  static const auto kFields = k8s::schema::field_names("Container", "Container");
  return kFields;
}

std::span<const std::string_view> framework_keys() { return kFrameworkKeys; }

}  // namespace cnsched::kserve
