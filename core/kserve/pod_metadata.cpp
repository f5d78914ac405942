#include "core/kserve/pod_metadata.h"

#include <fmt/format.h>

#include <set>

#include "core/kserve/knative_pod.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

using Keys = std::set<std::string, std::less<>>;

/// `keys` and those that the controller's configuration adds to them.
Keys with_configured(Keys keys, std::string_view list, const Surroundings& around) {
  constexpr std::size_t kMost = 1000;
  for (std::size_t i = 0; i < kMost; ++i) {
    const Node& key =
        around.config.find(fmt::format("inferenceService/{}/{}", list, i), around.arena);
    if (!key) break;
    keys.emplace(key.text());
  }
  return keys;
}

/// Annotations that KServe keeps from pods. Source: pkg/constants/constants.go.
Keys annotations_kept_from_pods(const Surroundings& around) {
  return with_configured({"autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/max-scale",
                          "internal.serving.kserve.io/storage-initializer-sourceuri",
                          "kubectl.kubernetes.io/last-applied-configuration"},
                         "serviceAnnotationDisallowedList", around);
}

/// Labels that KServe keeps from the pods of a Knative Service. Source: the same.
Keys labels_kept_from_knative(const Surroundings& around) {
  return with_configured({"networking.knative.dev/visibility"}, "serviceLabelDisallowedList",
                         around);
}

void add(yaml::Overlay& overlay, const Node& mapping, const Keys& except) {
  for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
    if (!except.contains(entry.key->text())) overlay.add(entry);
  }
}

const Node& labels_of(const PodMetadata& metadata, const Surroundings& around) {
  const k8s::Object& object = metadata.object;
  const Node& name = object["metadata"]["name"];
  const Keys except =
      metadata.mode == DeploymentMode::knative ? labels_kept_from_knative(around) : Keys();
  yaml::Overlay labels(around.arena);
  const auto text = [&](const Node& like, std::string_view value) -> const Node& {
    return yaml::string_like(around.arena, like, value);
  };
  add(labels, metadata.runtime_spec["labels"], except);
  add(labels, object.labels(), except);
  add(labels, metadata.written["labels"], except);
  labels.add("serving.kserve.io/inferenceservice"_key, text(name, object.name));
  labels.add("component"_key, text(yaml::nowhere(), metadata.component));
  if (metadata.multi_node) labels.add("isvc.generation"_key, text(yaml::nowhere(), "1"));
  if (metadata.mode == DeploymentMode::standard) {
    labels.add("app"_key, text(name, "isvc." + metadata.app));
  } else if (metadata.mode == DeploymentMode::knative) {
    add_knative_labels(labels, metadata.name, around.arena);
  }
  return labels.mapping(object.labels());
}

const Node& annotations_of(const PodMetadata& metadata, const Surroundings& around) {
  const Keys except = annotations_kept_from_pods(around);
  yaml::Overlay annotations(around.arena);
  add(annotations, metadata.runtime_spec["annotations"], except);
  add(annotations, metadata.object.annotations(), except);
  add(annotations, metadata.written["annotations"], except);
  return annotations.mapping(metadata.object.annotations());
}

}  // namespace

void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata, const Surroundings& around) {
  pod.name = metadata.name;
  pod.labels = &labels_of(metadata, around);
  pod.annotations = &annotations_of(metadata, around);
}

}  // namespace cnsched::kserve
