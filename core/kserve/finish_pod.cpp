#include "core/kserve/finish_pod.h"

#include <fmt/format.h>

#include "core/kserve/knative_pod.h"
#include "core/kserve/pod_metadata.h"
#include "core/kserve/replicas.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// KServe ships it mounted; its configuration can switch that off for whoever does not say.
const Node& with_account_token(const Node& spec, const Surroundings& around) {
  const yaml::Key field = "automountServiceAccountToken"_key;
  const Node& setting = around.config.find("security/autoMountServiceAccountToken", around.arena);
  if (setting.text() != "false" || spec[field.text()]) return spec;
  return yaml::with(around.arena, spec, field, yaml::boolean_like(around.arena, setting, false));
}

/// The mode, and what depends on it beside some labels.
void note_mode(const Node& spec, bool worker, PodTemplate& pod) {
  std::vector<std::string> names;
  for (const Node* field : fields_dropped_by_knative(spec)) {
    names.push_back(fmt::format("'{}'", field->key()->text()));
  }
  std::string what = "the deployment mode";
  if (worker) {
    what += " (Knative creates no workers)";
  } else if (!names.empty()) {
    what += fmt::format(" (Knative drops {})", fmt::join(names, ", "));
  } else if (!pod.replicas) {
    what += " (only Knative scales to zero)";
  }
  pod.unknown.push_back({std::move(what), k8s::Unknown::Kind::circumstance});
}

void add_metadata(PodTemplate& pod, const Component& component, const Additions& additions,
                  const Origin& origin) {
  const Node& shared = component.is_worker() ? *component.predictor : *component.spec;
  const Node& runtime_spec = additions.runtime == nullptr ? yaml::missing_node()
                             : component.is_worker()      ? additions.runtime->spec()["workerSpec"]
                                                          : additions.runtime->spec();
  set_metadata(pod,
               {origin.object, component.label, shared, runtime_spec, component.pod_name,
                component.is_worker() ? component.app : component.pod_name, origin.mode,
                additions.multi_node},
               origin.around);
}

}  // namespace

void finish_pod(PodTemplate& pod, const Component& component, const Node& merged,
                Additions additions, const Origin& origin) {
  const Surroundings& around = origin.around;
  const bool worker = component.is_worker();
  add_metadata(pod, component, additions, origin);
  additions.storage.read_only = (*pod.annotations)["storage.kserve.io/readonly"].text() != "false";

  const Node* spec = worker ? &merged : &with_account_token(merged, around);
  spec = &with_many_models(*spec, additions.storage, around);
  if (origin.mode == DeploymentMode::knative) {
    spec = &kept_by_knative(*spec, around.arena);
  } else if (origin.mode == DeploymentMode::unknown) {
    note_mode(*spec, worker, pod);
  }
  pod.in_template = k8s::PodSpec(*spec);
  spec = &with_accelerator_annotation(*spec, *pod.annotations, around.arena);
  spec = &with_agent(*spec, additions.agent, around);
  pod.pod = k8s::PodSpec(with_one_model(*spec, additions.storage, around));
}

}  // namespace cnsched::kserve
