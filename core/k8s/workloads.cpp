#include "core/k8s/workloads.h"

#include <algorithm>

#include "core/yaml/scalar.h"

namespace cnsched::k8s {

namespace {

/// The Pod, or the template that the controller of `object` makes pods from.
const yaml::Node& template_of(const Object& object) {
  if (object.is("", "Pod")) return *object.root;
  if (object.is("batch", "CronJob")) return object.spec()["jobTemplate"]["spec"]["template"];
  const std::string_view group = object.group();
  const bool has_template = group == "apps" || group == "extensions" || object.is("batch", "Job");
  return has_template ? object.spec()["template"] : yaml::missing_node();
}

/// Nothing for a CronJob and a DaemonSet, which depend on the schedule and the nodes.
std::optional<std::int64_t> replicas_of(const Object& object) {
  if (object.kind == "DaemonSet" || object.kind == "CronJob") return std::nullopt;
  if (object.kind == "Pod") return 1;
  if (object.kind == "Job" && yaml::boolean_of(object.spec()["suspend"].text()) == true) return 0;
  const yaml::Node& count = object.spec()[object.kind == "Job" ? "parallelism" : "replicas"];
  return count.is_empty() ? 1 : yaml::integer_of(count);
}

}  // namespace

std::vector<PodTemplate> pod_templates(const Object& object) {
  const yaml::Node& pod_template = template_of(object);
  const yaml::Node& spec = pod_template["spec"];
  if (!spec.is_mapping()) return {};
  PodTemplate pod = plain_pod("", spec, spec);
  pod.name = object.name;
  pod.labels = &pod_template["metadata"]["labels"];
  pod.annotations = &pod_template["metadata"]["annotations"];
  if (object.kind == "StatefulSet") pod.claim_templates = &object.spec()["volumeClaimTemplates"];
  pod.replicas = replicas_of(object);
  return {pod};
}

bool PodTemplate::is_built() const {
  return !never_created || never_created->by != NeverCreated::By::controller;
}

bool PodTemplate::is_rejected() const {
  return never_created && never_created->by == NeverCreated::By::object_webhook;
}

std::string_view PodTemplate::why_never_created() const {
  return never_created ? std::string_view(never_created->reason) : std::string_view();
}

bool PodTemplate::has_unknown(Unknown::Kind kind) const {
  return std::ranges::find(unknown, kind, &Unknown::kind) != unknown.end();
}

PodTemplate plain_pod(std::string component, const yaml::Node& spec, const yaml::Node& written) {
  return {.component = std::move(component),
          .pod = PodSpec(spec),
          .created = PodSpec(spec),
          .own = PodSpec(spec),
          .written = &written};
}

PodTemplate pod_fragment(std::string component, const yaml::Node& spec, const yaml::Node& written) {
  PodTemplate pod = plain_pod(std::move(component), spec, written);
  pod.fragment = true;
  return pod;
}

}  // namespace cnsched::k8s
