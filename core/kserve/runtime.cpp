#include "core/kserve/runtime.h"

#include "core/kserve/fields.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

std::string_view runtime_name(const yaml::Node& predictor) {
  return predictor["model"]["runtime"].scalar();
}

RuntimeChoice choose_runtime(const k8s::Object& object, const yaml::Node& predictor,
                             const Surroundings& around) {
  (void)object;
  (void)predictor;
  (void)around;
  return {};
}

std::vector<k8s::PodTemplate> runtime_fragments(const k8s::Object& object, Arena& arena) {
  std::vector<k8s::PodTemplate> pods;
  const auto add = [&](std::string component, const yaml::Node& written) {
    if (!written.is_mapping()) return;
    const yaml::Node& spec =
        yaml::mapping_like(arena, written, yaml::pick(written, runtime_pod_fields()));
    pods.push_back(k8s::fragment_of_pods(std::move(component), spec, written));
  };
  add("", object.spec());
  add("worker", object.spec()["workerSpec"]);
  return pods;
}

}  // namespace cnsched::kserve
