#include "core/seldon/pods.h"

namespace cnsched::seldon {

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, const k8s::Objects& objects,
                                            const k8s::ControllerConfig& config, Arena& arena) {
  if (object.is("machinelearning.seldon.io", "SeldonDeployment")) {
    return seldon_deployment_pods(object, config, arena);
  }
  if (object.group() != "mlops.seldon.io") return {};
  if (object.kind == "SeldonConfig") return seldon_config_fragments(object);
  if (object.kind == "SeldonRuntime") return seldon_runtime_pods(object, objects, arena);
  if (object.kind == "Server") return server_pods(object, objects, arena);
  const yaml::Node& spec = object.spec()["podSpec"];
  if (object.kind != "ServerConfig" || !spec.is_mapping()) return {};
  return {k8s::pod_fragment("", spec, spec)};
}

}  // namespace cnsched::seldon
