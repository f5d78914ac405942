#include "core/kserve/pod_metadata.h"

#include <algorithm>
#include <array>

#include "core/yaml/tree.h"

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

class Union {
 public:
  explicit Union(Arena& arena) : arena_(arena) {}

  void add(const Node& mapping) {
    for (const yaml::Entry& entry : yaml::entries_of(mapping)) set(entry.key->text, entry);
  }
  void add_annotations(const Node& mapping) {
    for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
      if (!is_kept_from_pods(entry.key->text)) set(entry.key->text, entry);
    }
  }
  void add(std::string_view key, const std::string& value, const Node& like) {
    set(key, yaml::entry_of(arena_, key, yaml::string_like(arena_, like, value)));
  }
  const Node& result(const Node& like) const { return yaml::mapping_like(arena_, like, entries_); }

 private:
  void set(std::string_view key, const yaml::Entry& entry) {
    const auto [place, is_new] = places_.emplace(key, entries_.size());
    if (is_new) {
      entries_.push_back(entry);
    } else {
      entries_[place->second] = entry;
    }
  }

  Arena& arena_;
  std::vector<yaml::Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// What Knative adds to the pods of a service's first revision.
void add_knative_labels(Union& labels, const std::string& service) {
  const std::string revision = service + "-00001";
  const Node& nowhere = yaml::nowhere();
  labels.add("serving.knative.dev/service", service, nowhere);
  labels.add("serving.knative.dev/configuration", service, nowhere);
  labels.add("serving.knative.dev/revision", revision, nowhere);
  labels.add("app", revision, nowhere);
}

const Node& labels_of(const PodMetadata& metadata, Arena& arena) {
  const k8s::Object& object = metadata.object;
  const Node& name = object["metadata"]["name"];
  Union labels(arena);
  labels.add(metadata.runtime_spec["labels"]);
  labels.add(object.labels());
  labels.add(metadata.written["labels"]);
  labels.add("serving.kserve.io/inferenceservice", std::string(object.name), name);
  labels.add("component", std::string(metadata.component), yaml::nowhere());
  if (metadata.multi_node) labels.add("isvc.generation", "1", yaml::nowhere());
  if (metadata.mode == DeploymentMode::standard) {
    labels.add("app", "isvc." + metadata.name, name);
  } else if (metadata.mode == DeploymentMode::knative) {
    add_knative_labels(labels, metadata.name);
  }
  return labels.result(object.labels());
}

const Node& annotations_of(const PodMetadata& metadata, Arena& arena) {
  Union annotations(arena);
  annotations.add_annotations(metadata.runtime_spec["annotations"]);
  annotations.add_annotations(metadata.object.annotations());
  annotations.add_annotations(metadata.written["annotations"]);
  return annotations.result(metadata.object.annotations());
}

}  // namespace

void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata, Arena& arena) {
  pod.name = metadata.name;
  pod.labels = &labels_of(metadata, arena);
  pod.annotations = &annotations_of(metadata, arena);
}

}  // namespace cnsched::kserve
