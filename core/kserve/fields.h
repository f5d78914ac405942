#pragma once

#include <span>
#include <string_view>

namespace cnsched::kserve {

/// Whether the group has an InferenceService like v1beta1.
bool is_kserve_group(std::string_view group);

/// Pod fields that a predictor, transformer, explainer or worker inlines [K1]. Source: kserve
/// pkg/apis/serving/v1beta1/podspec.go.
std::span<const std::string_view> pod_fields();
/// Pod fields of a (Cluster)ServingRuntime and of its workerSpec [K3]. Source: kserve
/// pkg/apis/serving/v1alpha1/servingruntime_types.go.
std::span<const std::string_view> runtime_pod_fields();
/// Fields of a container. `model` and the framework blocks have the same fields.
std::span<const std::string_view> container_fields();
/// The keys of a predictor that describe the model server as a container: `model`, `triton`, …
std::span<const std::string_view> framework_keys();

}  // namespace cnsched::kserve
