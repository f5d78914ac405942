#include "core/kserve/finish_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/k8s/pod_spec.h"
#include "core/k8s/volume_mount.h"
#include "core/k8s/workloads.h"
#include "core/kserve/containers.h"
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
  if (setting.text() != "false" || spec.under(field.text())) return spec;
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

using yaml::Entry;

constexpr std::string_view kAgent = "agent";

/// Whether the predictor has no model itself and serves TrainedModels.
bool serves_trained_models(const Node& predictor, const Node& block) {
  if (const Node& containers = predictor["containers"]; !containers.items().empty()) {
    return environment(containers.at(0), "MULTI_MODEL_SERVER").text() == "true";
  }
  if (!block || block["storageUri"] || block["storage"].is_mapping()) return false;
  const bool hugging_face =
      block.key()->text() == "huggingface" || block["modelFormat"]["name"].text() == "huggingface";
  return !hugging_face && predictor["storageUris"].items().empty();
}

const Node& agent_image(const ControllerContext& context) {
  const Node& set = context.config.find("agent/image", context.arena);
  return set ? set : k8s::configured_image();
}

const Node& agent_container(const Node& pod, const Node& cause, const ControllerContext& context) {
  constexpr std::int64_t kPort = 9081;
  Arena& arena = context.arena;
  const Node& port = yaml::mapping_like(
      arena, cause,
      {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, cause, "agent-port")),
       yaml::entry_of(arena, "containerPort"_key, yaml::integer_like(arena, cause, kPort)),
       yaml::entry_of(arena, "protocol"_key, yaml::string_like(arena, cause, "TCP"))});
  std::vector<Entry> entries = {
      yaml::entry_of(arena, "name"_key, yaml::string_like(arena, cause, kAgent)),
      yaml::entry_of(arena, "image"_key, agent_image(context)),
      yaml::entry_of(arena, "ports"_key, yaml::sequence_like(arena, cause, {&port})),
      yaml::entry_of(arena, "resources"_key, context.config.resources(kAgent, cause, arena))};
  if (const Node& security = pod["containers"].at(0)["securityContext"]) {
    entries.push_back(yaml::entry_of(arena, "securityContext"_key, security));
  }
  return yaml::mapping_like(arena, cause, entries);
}

/// The ConfigMap as a volume.
const Node& models_volume(const AgentRequest& request, Arena& arena) {
  const Node& cause = *request.cause;
  const auto text = [&](std::string_view value) -> const Node& {
    return yaml::string_like(arena, cause, value);
  };
  return yaml::mapping_like(
      arena, cause,
      {yaml::entry_of(arena, "name"_key, text("model-config")),
       yaml::entry_of(
           arena, "configMap"_key,
           yaml::mapping_like(arena, cause,
                              {yaml::entry_of(arena, "name"_key, text(request.models))}))});
}

/// Mounts the model directory, which the agent writes and the model server reads, and the list of
/// models.
const Node& with_models(const Node& pod, const AgentRequest& request, Arena& arena) {
  const std::array<k8s::VolumeMount, 2> mounts = {
      k8s::VolumeMount{.cause = request.cause, .volume = "model-dir", .path = "/mnt/models"},
      k8s::VolumeMount{.cause = request.cause, .volume = "model-config", .path = "/mnt/configs"}};
  const std::span<const k8s::VolumeMount> directory = std::span(mounts).first(1);
  std::vector<const Node*> containers;
  for (const Node* container : pod["containers"].items()) {
    const std::string_view name = (*container)["name"].text();
    const Node* mounted = container;
    if (name == kAgent) mounted = &k8s::with_mounts(*container, mounts, arena);
    if (name == kServingContainer) mounted = &k8s::with_mounts(*container, directory, arena);
    containers.push_back(mounted);
  }
  const Node& mounted = yaml::with(arena, pod, "containers"_key,
                                   yaml::sequence_like(arena, pod["containers"], containers));
  const Node* volumes = &k8s::with_volumes(pod["volumes"], directory, arena);
  if (!k8s::item_named(*volumes, mounts[1].volume)) {
    volumes = &yaml::with_item(arena, *volumes, models_volume(request, arena));
  }
  return yaml::with(arena, mounted, "volumes"_key, *volumes);
}

using k8s::schema::Deviation;
using k8s::schema::Form;

bool has_mutating_webhook(const k8s::Object& object, const std::optional<Version>& release) {
  if (object.is("serving.kserve.io", "InferenceService")) return true;
  return object.is("serving.kserve.io", "LLMInferenceService") && is_at_least(release, {0, 19, 0});
}

/// Whether the schema accepts the zero value of a field's Go type. Lists and maps have none.
bool permits_zero_value(const k8s::schema::Field& field) {
  switch (field.type->form) {
    case Form::string:
      return field.allowed.empty() && field.format.empty() && field.length.contains(0);
    case Form::integer:
      return field.range.contains(0);
    case Form::list:
    case Form::map:
    case Form::any:
      return false;
    default:
      return true;
  }
}

/// Whether the mapping is the first container of a predictor, transformer or explainer, which
/// KServe names.
bool is_named_by_kserve(const Node& container, const k8s::Object& object) {
  constexpr auto kComponents =
      std::to_array<std::string_view>({"predictor", "transformer", "explainer"});
  return std::ranges::any_of(kComponents, [&](std::string_view component) {
    return &object.spec().under(component)["containers"].at(0) == &container;
  });
}

AfterWebhook after_completion(const Deviation& missing, const k8s::Object& object) {
  if (!permits_zero_value(*missing.field)) return AfterWebhook::rejected;
  const std::string_view field = missing.field->name;
  if (missing.type->owner != k8s::schema::Project::kubernetes) {
    // The validating webhook rejects an empty `uri` of `storageUris`.
    const bool is_checked = object.kind != "InferenceService" || field == "uri";
    return is_checked ? AfterWebhook::rejected : AfterWebhook::accepted;
  }
  const bool is_valid_in_pod =
      field == "preference" || (field == "name" && is_named_by_kserve(*missing.node, object));
  return is_valid_in_pod ? AfterWebhook::accepted : AfterWebhook::rejected_later;
}

/// `pod` with the node selector from the annotation serving.kserve.io/gke-accelerator, if a
/// container has a limit for nvidia.com/gpu. It overrides the pod's own entry [K38]. Source: kserve
/// pkg/webhook/admission/pod/accelerator_injector.go.
const Node& with_accelerator_annotation(const Node& pod, const Node& annotations, Arena& arena) {
  const Node& type = annotations["serving.kserve.io/gke-accelerator"];
  const auto is_limited = [](const k8s::Container& container) {
    return bool((*container.node)["resources"]["limits"]["nvidia.com/gpu"]);
  };
  if (!type || !std::ranges::any_of(k8s::PodSpec(pod).containers(), is_limited)) return pod;
  return yaml::with(
      arena, pod, "nodeSelector"_key,
      yaml::with(arena, pod["nodeSelector"], "cloud.google.com/gke-accelerator"_key, type));
}

/// `pod` with the agent, whose resources are in the controller's configuration [K35]. Source:
/// kserve pkg/webhook/admission/pod/agent_injector.go.
const Node& with_agent(const Node& pod, const AgentRequest& request,
                       const ControllerContext& context) {
  const Node& containers = pod["containers"];
  if (!*request.cause || k8s::item_named(containers, kAgent)) return pod;
  const Node& agent = agent_container(pod, *request.cause, context);
  const Node& result = yaml::with(context.arena, pod, "containers"_key,
                                  yaml::with_item(context.arena, containers, agent));
  return request.models.empty() ? result : with_models(result, request, context.arena);
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

AgentRequest agent_for_predictor(const Node& predictor, const Node& block,
                                 const k8s::Object& object) {
  if (!serves_trained_models(predictor, block)) return agent_for(predictor);
  return {.cause = block ? &block : &predictor["containers"].at(0),
          .models = fmt::format("modelconfig-{}-0", object.name)};
}

AgentRequest agent_for(const Node& component) {
  for (const std::string_view field : {"logger", "batcher"}) {
    if (component.under(field).is_mapping()) return {.cause = &component.under(field)};
  }
  return {};
}

AfterWebhook after_webhook(const Deviation& deviation, const k8s::Object& object,
                           const std::optional<Version>& release) {
  if (!has_mutating_webhook(object, release)) return AfterWebhook::rejected;
  if (deviation.kind == Deviation::Kind::missing_field) return after_completion(deviation, object);
  const Node& value = *deviation.node;
  const bool is_number_of_units = deviation.kind == Deviation::Kind::wrong_type &&
                                  deviation.type->form == Form::quantity && value.is_scalar() &&
                                  value.type == yaml::ScalarType::floating;
  return is_number_of_units ? AfterWebhook::accepted : AfterWebhook::rejected;
}

}  // namespace cnsched::kserve
