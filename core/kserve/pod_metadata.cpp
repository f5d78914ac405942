#include "core/kserve/pod_metadata.h"

#include <algorithm>
#include <array>

#include "core/kserve/knative_pod.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

/// Annotations that KServe keeps from pods. Source: pkg/constants/constants.go,
/// ServiceAnnotationDisallowedList.
bool is_kept_from_pods(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/max-scale",
       "autoscaling.knative.dev/minScale",
       "internal.serving.kserve.io/storage-initializer-sourceuri",
       "kubectl.kubernetes.io/last-applied-configuration"});
  return std::ranges::find(kKeys, key) != kKeys.end();
}

void add_annotations(yaml::Overlay& annotations, const Node& mapping) {
  for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
    if (!is_kept_from_pods(entry.key->text)) annotations.add(entry);
  }
}

const Node& labels_of(const PodMetadata& metadata, Arena& arena) {
  const k8s::Object& object = metadata.object;
  const Node& name = object["metadata"]["name"];
  const auto text = [&](const Node& like, std::string_view value) -> const Node& {
    return yaml::string_like(arena, like, value);
  };
  yaml::Overlay labels(arena);
  labels.add_all(metadata.runtime_spec["labels"]);
  labels.add_all(object.labels());
  labels.add_all(metadata.written["labels"]);
  labels.add("serving.kserve.io/inferenceservice", text(name, object.name));
  labels.add("component", text(yaml::nowhere(), metadata.component));
  if (metadata.multi_node) labels.add("isvc.generation", text(yaml::nowhere(), "1"));
  if (metadata.mode == DeploymentMode::standard) {
    labels.add("app", text(name, "isvc." + metadata.name));
  } else if (metadata.mode == DeploymentMode::knative) {
    add_knative_labels(labels, metadata.name, arena);
  }
  return labels.mapping(object.labels());
}

const Node& annotations_of(const PodMetadata& metadata, Arena& arena) {
  yaml::Overlay annotations(arena);
  add_annotations(annotations, metadata.runtime_spec["annotations"]);
  add_annotations(annotations, metadata.object.annotations());
  add_annotations(annotations, metadata.written["annotations"]);
  return annotations.mapping(metadata.object.annotations());
}

}  // namespace

void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata, Arena& arena) {
  pod.name = metadata.name;
  pod.labels = &labels_of(metadata, arena);
  pod.annotations = &annotations_of(metadata, arena);
}

}  // namespace cnsched::kserve
