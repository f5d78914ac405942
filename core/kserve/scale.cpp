#include "core/kserve/scale.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

bool is_stopped(const k8s::Object& object) {
  return equals_ignoring_case(object.annotations()["serving.kserve.io/stop"].scalar(), "true");
}

std::int64_t least_replicas(const k8s::Object& object, const yaml::Node& min_replicas,
                            DeploymentMode mode) {
  if (is_stopped(object)) return 0;
  const std::int64_t least = yaml::integer_of(min_replicas).value_or(1);
  const std::string_view scaler =
      object.annotations()["serving.kserve.io/autoscalerClass"].scalar();
  const bool by_hpa = mode == DeploymentMode::standard && (scaler.empty() || scaler == "hpa");
  return std::max<std::int64_t>(least, by_hpa ? 1 : 0);
}

}  // namespace cnsched::kserve
