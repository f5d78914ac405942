#include "core/kserve/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/kserve/knative_features.h"
#include "core/kserve/replicas.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Entry;
using yaml::Node;

class RouterPod {
 public:
  RouterPod(const k8s::Object& object, const ControllerContext& context)
      : object_(object),
        context_(context),
        arena_(context.arena),
        mode_(deployment_mode_of(object, context.default_mode, context.version).mode) {}

  PodTemplate result() const {
    const Node& spec = object_.spec();
    PodTemplate pod = k8s::plain_pod("router", effective(), spec);
    if (on_knative()) {
      pod.created = k8s::PodSpec(kept_by_knative(pod.created.node(), arena_));
      pod.pod = pod.created;
    } else if (mode_ == DeploymentMode::unknown) {
      using Kind = k8s::Unknown::Kind;
      pod.unknown.push_back(spec["nodeName"]
                                ? k8s::Unknown{"the deployment mode (Knative drops 'nodeName')",
                                               Kind::creation, k8s::Unknown::Fact::deployment_mode}
                                : k8s::Unknown{"the deployment mode", Kind::mode,
                                               k8s::Unknown::Fact::deployment_mode});
    }
    pod.own = k8s::PodSpec(own());
    pod.name = object_.name;
    pod.labels = &labels();
    pod.annotations = &object_.annotations();
    pod.replicas = least_replicas(object_, spec["minReplicas"], mode_);
    return pod;
  }

 private:
  /// KServe creates a Knative Service in all modes but Standard, ModelMesh included.
  bool on_knative() const {
    return mode_ == DeploymentMode::knative || mode_ == DeploymentMode::model_mesh;
  }

  std::vector<Entry> flat_fields() const {
    constexpr auto kFields = std::to_array<std::string_view>(
        {"nodeSelector", "affinity", "tolerations", "nodeName", "serviceAccountName"});
    return yaml::pick(object_.spec(), kFields);
  }

  const Node& own() const {
    std::vector<Entry> entries = flat_fields();
    if (const Node& resources = object_.spec()["resources"]; resources.is_mapping()) {
      const Node& container =
          yaml::mapping_like(arena_, resources, {name_entry(), {*resources.key(), resources}});
      add_container(entries, container);
    }
    return yaml::mapping_like(arena_, object_.spec(), entries);
  }

  const Node& effective() const {
    std::vector<Entry> entries = flat_fields();
    add_image_pull_secrets(entries);
    add_container(entries, router());
    return yaml::mapping_like(arena_, object_.spec(), entries);
  }

  void add_container(std::vector<Entry>& entries, const Node& container) const {
    entries.push_back(yaml::entry_of(arena_, "containers"_key,
                                     yaml::sequence_like(arena_, object_.spec(), {&container})));
  }

  /// The name that Knative gives the unnamed container of a Knative Service.
  Entry name_entry() const {
    const Node& name = on_knative()
                           ? yaml::string_like(arena_, yaml::nowhere(), "user-container")
                           : yaml::string_like(arena_, object_["metadata"]["name"], object_.name);
    return yaml::entry_of(arena_, "name"_key, name);
  }

  const Node& router() const {
    const Node& image = context_.config.find("router/image", arena_);
    std::vector<Entry> entries = {
        name_entry(), yaml::entry_of(arena_, "image"_key, image ? image : k8s::configured_image())};
    add_setting(entries, "imagePullPolicy"_key, "router/imagePullPolicy", "IfNotPresent");
    entries.push_back(yaml::entry_of(arena_, "resources"_key, resources()));
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }

  void add_setting(std::vector<Entry>& entries, yaml::Key field, std::string_view path,
                   std::string_view shipped) const {
    const Node& value = context_.config.find_or(path, shipped, arena_);
    if (value) entries.push_back(yaml::entry_of(arena_, field, value));
  }

  /// The spec's resources without `claims`, if they have any key (even `limits: {}`); else the
  /// controller's [K23]. Source: knative_reconciler.go, constructResourceRequirements.
  const Node& resources() const {
    constexpr auto kKept = std::to_array<std::string_view>({"limits", "requests"});
    const Node& own = object_.spec()["resources"];
    const bool has_any_key = std::ranges::any_of(
        yaml::entries_of(own), [](const Entry& entry) { return !entry.value->is_null(); });
    if (has_any_key) return yaml::mapping_like(arena_, own, yaml::pick(own, kKept));
    std::vector<Entry> limits;
    std::vector<Entry> requests;
    add_setting(limits, "cpu"_key, "router/cpuLimit", "1");
    add_setting(limits, "memory"_key, "router/memoryLimit", "1Gi");
    add_setting(requests, "cpu"_key, "router/cpuRequest", "100m");
    add_setting(requests, "memory"_key, "router/memoryRequest", "100Mi");
    const Node& nowhere = yaml::nowhere();
    return yaml::mapping_like(
        arena_, nowhere,
        {yaml::entry_of(arena_, "limits"_key, yaml::mapping_like(arena_, nowhere, limits)),
         yaml::entry_of(arena_, "requests"_key, yaml::mapping_like(arena_, nowhere, requests))});
  }

  void add_image_pull_secrets(std::vector<Entry>& entries) const {
    std::vector<const Node*> secrets;
    while (true) {
      const Node& name =
          context_.config.find(fmt::format("router/imagePullSecrets/{}", secrets.size()), arena_);
      if (name.is_missing()) break;
      secrets.push_back(
          &yaml::mapping_like(arena_, name, {yaml::entry_of(arena_, "name"_key, name)}));
    }
    if (secrets.empty()) return;
    entries.push_back(yaml::entry_of(arena_, "imagePullSecrets"_key,
                                     yaml::sequence_like(arena_, *secrets.front(), secrets)));
  }

  const Node& labels() const {
    const Node& name = object_["metadata"]["name"];
    yaml::Overlay labels(arena_);
    for (const Entry& entry : yaml::entries_of(object_.labels())) {
      // KServe does not copy this label to revisions.
      if (on_knative() && entry.key->text() == "networking.knative.dev/visibility") continue;
      labels.add(entry);
    }
    labels.add("serving.kserve.io/inferencegraph"_key,
               yaml::string_like(arena_, name, object_.name));
    if (on_knative()) {
      if (is_at_least(context_.version, {0, 15, 0})) {
        labels.add("serving.kserve.io/kind"_key,
                   yaml::string_like(arena_, yaml::nowhere(), "InferenceGraph"));
      }
      add_knative_labels(labels, std::string(object_.name), arena_);
    } else if (mode_ == DeploymentMode::standard) {
      labels.add("app"_key, yaml::string_like(arena_, name, fmt::format("isvc.{}", object_.name)));
    }
    return labels.mapping(object_.labels());
  }

  const k8s::Object& object_;
  const ControllerContext& context_;
  Arena& arena_;
  DeploymentMode mode_;
};

}  // namespace

std::vector<PodTemplate> inference_graph_pods(const k8s::Object& object,
                                              const ControllerContext& context) {
  if (!object.spec().is_mapping()) return {};
  return {RouterPod(object, context).result()};
}

}  // namespace cnsched::kserve
