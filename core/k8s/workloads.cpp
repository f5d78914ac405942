#include "core/k8s/workloads.h"

namespace cnsched::k8s {

namespace {

const yaml::Node& pod_spec_of(const Object& object) {
  if (object.is("", "Pod")) return object.spec();
  if (object.is("batch", "CronJob"))
    return object.spec()["jobTemplate"]["spec"]["template"]["spec"];
  const std::string_view group = object.group();
  const bool has_template = group == "apps" || group == "extensions" || object.is("batch", "Job");
  return has_template ? object.spec()["template"]["spec"] : yaml::missing_node();
}

}  // namespace

std::vector<PodTemplate> pod_templates(const Object& object) {
  const yaml::Node& spec = pod_spec_of(object);
  if (!spec.is_mapping()) return {};
  return {plain_pod("", spec, spec)};
}

}  // namespace cnsched::k8s
