#include "core/kserve/finish_pod.h"

#include <fmt/format.h>

#include <set>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"
#include "core/kserve/knative_features.h"
#include "core/kserve/replicas.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// KServe mounts the token by default; its configuration can disable that for pods that do not set
/// the field.
const Node& with_account_token(const Node& spec, const ControllerContext& context) {
  const yaml::Key field = "automountServiceAccountToken"_key;
  const Node& setting = context.config.find("security/autoMountServiceAccountToken", context.arena);
  if (setting.text() != "false" || spec[field.text()]) return spec;
  return yaml::with(context.arena, spec, field, yaml::boolean_like(context.arena, setting, false));
}

/// The inputs for the labels and annotations of one pod of an InferenceService.
struct PodMetadata {
  const k8s::Object& object;
  std::string_view component;      ///< "predictor", "transformer", "explainer"
  const yaml::Node& written;       ///< the component, with its own labels and annotations
  const yaml::Node& runtime_spec;  ///< with the runtime's; may be missing
  std::string name;                ///< of the Deployment or Knative Service
  std::string app;                 ///< the label `app` of a Deployment's pods, without its "isvc."
  DeploymentMode mode;
  ServerLabel server_label;
  bool multi_node = false;
};

using Keys = std::set<std::string, std::less<>>;

/// `keys` and the keys that the controller's configuration adds.
Keys with_configured(Keys keys, std::string_view list, const ControllerContext& context) {
  constexpr std::size_t kMaxKeys = 1000;
  for (std::size_t i = 0; i < kMaxKeys; ++i) {
    const Node& key =
        context.config.find(fmt::format("inferenceService/{}/{}", list, i), context.arena);
    if (!key) break;
    keys.emplace(key.text());
  }
  return keys;
}

/// Annotations that KServe does not copy to pods [K43]. Source: pkg/constants/constants.go.
Keys annotations_not_copied(const ControllerContext& context) {
  return with_configured({"autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/max-scale",
                          "internal.serving.kserve.io/storage-initializer-sourceuri",
                          "kubectl.kubernetes.io/last-applied-configuration"},
                         "serviceAnnotationDisallowedList", context);
}

/// Labels that KServe does not copy to the pods of a Knative Service. Source: the same.
Keys labels_not_copied_to_knative(const ControllerContext& context) {
  return with_configured({"networking.knative.dev/visibility"}, "serviceLabelDisallowedList",
                         context);
}

void add(yaml::Overlay& overlay, const Node& mapping, const Keys& except) {
  for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
    if (!except.contains(entry.key->text())) overlay.add(entry);
  }
}

const Node& labels_of(const PodMetadata& metadata, const ControllerContext& context) {
  const k8s::Object& object = metadata.object;
  const Node& name = object["metadata"]["name"];
  const Keys except =
      metadata.mode == DeploymentMode::knative ? labels_not_copied_to_knative(context) : Keys();
  yaml::Overlay labels(context.arena);
  const auto text = [&](const Node& like, std::string_view value) -> const Node& {
    return yaml::string_like(context.arena, like, value);
  };
  add(labels, metadata.runtime_spec["labels"], except);
  add(labels, object.labels(), except);
  if (!metadata.server_label.key.empty()) {
    labels.add(yaml::entry_of(context.arena, text(yaml::nowhere(), metadata.server_label.key),
                              text(yaml::nowhere(), metadata.server_label.value)));
  }
  add(labels, metadata.written["labels"], except);
  labels.add("serving.kserve.io/inferenceservice"_key, text(name, object.name));
  labels.add("component"_key, text(yaml::nowhere(), metadata.component));
  if (metadata.multi_node) labels.add("isvc.generation"_key, text(yaml::nowhere(), "1"));
  if (metadata.mode == DeploymentMode::standard) {
    labels.add("app"_key, text(name, "isvc." + metadata.app));
  } else if (metadata.mode == DeploymentMode::knative) {
    add_knative_labels(labels, metadata.name, context.arena);
  }
  return labels.mapping(object.labels());
}

const Node& annotations_of(const PodMetadata& metadata, const ControllerContext& context) {
  const Keys except = annotations_not_copied(context);
  yaml::Overlay annotations(context.arena);
  add(annotations, metadata.runtime_spec["annotations"], except);
  add(annotations, metadata.object.annotations(), except);
  add(annotations, metadata.written["annotations"], except);
  return annotations.mapping(metadata.object.annotations());
}

/// Sets name, labels and annotations of the pod. For the same key, the component has priority over
/// the object, and the object over the runtime. Manifests cannot override KServe's own [K72, K73].
/// Source: kserve pkg/controller/v1beta1/inferenceservice/components/*.go, buildObjectMeta.
void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata,
                  const ControllerContext& context) {
  pod.name = metadata.name;
  pod.labels = &labels_of(metadata, context);
  pod.annotations = &annotations_of(metadata, context);
}

/// Notes that the deployment mode is unknown, and what depends on it.
void note_mode(const Node& spec, bool worker, PodTemplate& pod) {
  std::vector<std::string> names;
  auto kind = worker ? k8s::Unknown::Kind::creation : k8s::Unknown::Kind::mode;
  for (const Node* field : fields_dropped_by_knative(spec)) {
    names.push_back(fmt::format("'{}'", field->key()->text()));
    if (decides_placement(field->key()->text())) kind = k8s::Unknown::Kind::creation;
  }
  std::string what = "the deployment mode";
  if (worker) {
    what += " (Knative creates no workers)";
  } else if (!names.empty()) {
    what += fmt::format(" (Knative drops {})", fmt::join(names, ", "));
  } else if (!pod.replicas) {
    what += " (only Knative scales to zero)";
  }
  pod.unknown.push_back({std::move(what), kind, k8s::Unknown::Fact::deployment_mode});
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
                origin.server_label, additions.multi_node},
               origin.context);
}

}  // namespace

void finish_pod(PodTemplate& pod, const Component& component, const Node& merged,
                Additions additions, const Origin& origin) {
  const ControllerContext& context = origin.context;
  const bool worker = component.is_worker();
  add_metadata(pod, component, additions, origin);
  additions.storage.read_only = (*pod.annotations)["storage.kserve.io/readonly"].text() != "false";

  const Node* spec = worker ? &merged : &with_account_token(merged, context);
  spec = &with_many_models(*spec, additions.storage, context);
  if (origin.mode == DeploymentMode::knative) {
    spec = &kept_by_knative(*spec, context.arena);
  } else if (origin.mode == DeploymentMode::unknown) {
    note_mode(*spec, worker, pod);
  }
  pod.created = k8s::PodSpec(*spec);
  spec = &with_accelerator_annotation(*spec, *pod.annotations, context.arena);
  spec = &with_agent(*spec, additions.agent, context);
  pod.pod = k8s::PodSpec(with_one_model(*spec, additions.storage, context));
}

}  // namespace cnsched::kserve
