#include "core/kserve/pod_metadata.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "core/yaml/tree.h"

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
    keys.emplace(key.text);
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

class Union {
 public:
  explicit Union(Arena& arena) : arena_(arena) {}

  void add(const Node& mapping, const Keys& except) {
    for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
      if (!except.contains(entry.key->text)) set(entry.key->text, entry);
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

const Node& labels_of(const PodMetadata& metadata, const Surroundings& around) {
  const k8s::Object& object = metadata.object;
  const Node& name = object["metadata"]["name"];
  const Keys except =
      metadata.mode == DeploymentMode::knative ? labels_kept_from_knative(around) : Keys();
  Union labels(around.arena);
  labels.add(metadata.runtime_spec["labels"], except);
  labels.add(object.labels(), except);
  labels.add(metadata.written["labels"], except);
  labels.add("serving.kserve.io/inferenceservice", std::string(object.name), name);
  labels.add("component", std::string(metadata.component), yaml::nowhere());
  if (metadata.multi_node) labels.add("isvc.generation", "1", yaml::nowhere());
  if (metadata.mode == DeploymentMode::standard) {
    labels.add("app", "isvc." + metadata.app, name);
  } else if (metadata.mode == DeploymentMode::knative) {
    add_knative_labels(labels, metadata.name);
  }
  return labels.result(object.labels());
}

const Node& annotations_of(const PodMetadata& metadata, const Surroundings& around) {
  const Keys except = annotations_kept_from_pods(around);
  Union annotations(around.arena);
  annotations.add(metadata.runtime_spec["annotations"], except);
  annotations.add(metadata.object.annotations(), except);
  annotations.add(metadata.written["annotations"], except);
  return annotations.result(metadata.object.annotations());
}

}  // namespace

void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata, const Surroundings& around) {
  pod.name = metadata.name;
  pod.labels = &labels_of(metadata, around);
  pod.annotations = &annotations_of(metadata, around);
}

}  // namespace cnsched::kserve
