#include "core/kserve/fields.h"

#include <array>
#include <vector>

#include "core/k8s/schema/schema.h"

namespace cnsched::kserve {

namespace {

/// The names of the fields that both types have.
std::vector<std::string_view> shared_fields(std::string_view type, std::string_view other) {
  std::vector<std::string_view> names;
  for (const k8s::schema::Field& field : k8s::schema::type_named(type)->fields) {
    if (k8s::schema::type_named(other)->find(field.name) != nullptr) names.push_back(field.name);
  }
  return names;
}

constexpr auto kFrameworkKeys = std::to_array<std::string_view>(
    {"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface",
     "pmml", "lightgbm", "paddle"});

}  // namespace

bool is_kserve_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org";
}

std::span<const std::string_view> pod_fields() {
  static const auto kFields = shared_fields("WorkerSpec", "PodSpec");
  return kFields;
}

std::span<const std::string_view> runtime_pod_fields() {
  static const auto kFields = shared_fields("ServingRuntimeSpec", "PodSpec");
  return kFields;
}

std::span<const std::string_view> container_fields() {
  static const auto kFields = shared_fields("Container", "Container");
  return kFields;
}

std::span<const std::string_view> framework_keys() { return kFrameworkKeys; }

}  // namespace cnsched::kserve
