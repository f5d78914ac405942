#include "core/k8s/pod_template.h"

#include <algorithm>

namespace cnsched::k8s {

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
