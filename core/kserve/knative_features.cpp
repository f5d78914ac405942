#include "core/kserve/knative_features.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

constexpr FlagState kOff = FlagState::disabled;
constexpr FlagState kOn = FlagState::enabled;

constexpr auto kFeatures = std::to_array<Feature>({
    {"kubernetes.podspec-nodeselector"},
    {"kubernetes.podspec-tolerations"},
    {"kubernetes.podspec-affinity"},
    {"kubernetes.podspec-topologyspreadconstraints"},
    {"kubernetes.podspec-runtimeclassname"},
    {"kubernetes.podspec-priorityclassname"},
    {"kubernetes.podspec-schedulername"},
    {"kubernetes.podspec-securitycontext"},
    {"kubernetes.podspec-shareprocessnamespace"},
    {"kubernetes.podspec-hostipc"},
    {"kubernetes.podspec-hostpid"},
    {"kubernetes.podspec-hostnetwork"},
    {"kubernetes.podspec-hostaliases"},
    {"kubernetes.podspec-dnspolicy"},
    {"kubernetes.podspec-dnsconfig"},
    {"kubernetes.podspec-fieldref"},
    {"kubernetes.podspec-init-containers", kOff, false},
    {"kubernetes.podspec-volumes-emptydir", kOn, false},
    {"kubernetes.podspec-persistent-volume-claim", kOff, false},
    {"kubernetes.podspec-persistent-volume-write", kOff, false},
    {"kubernetes.podspec-volumes-hostpath", kOff, false},
    {"kubernetes.podspec-volumes-csi", kOff, false},
    {"kubernetes.podspec-volumes-mount-propagation", kOff, false},
    {"kubernetes.podspec-volumes-image", kOff, false},
    {"kubernetes.podspec-volumes-ephemeral", kOff, false},
    {"kubernetes.containerspec-addcapabilities", kOff, false},
    {"multi-container", kOn, false},
    {"multi-container-probing", kOff, false},
});

/// Fields of the pod spec itself that one flag gates.
struct PodField {
  std::string_view field;
  std::string_view flag;
  bool kept_when_empty = false;  ///< a pointer in Go: {}, "" and false still reach Knative
};

constexpr auto kPodFields = std::to_array<PodField>({
    {"nodeSelector", "kubernetes.podspec-nodeselector"},
    {"tolerations", "kubernetes.podspec-tolerations"},
    {"affinity", "kubernetes.podspec-affinity", true},
    {"topologySpreadConstraints", "kubernetes.podspec-topologyspreadconstraints"},
    {"runtimeClassName", "kubernetes.podspec-runtimeclassname", true},
    {"priorityClassName", "kubernetes.podspec-priorityclassname"},
    {"schedulerName", "kubernetes.podspec-schedulername"},
    {"securityContext", "kubernetes.podspec-securitycontext", true},
    {"shareProcessNamespace", "kubernetes.podspec-shareprocessnamespace", true},
    {"hostIPC", "kubernetes.podspec-hostipc"},
    {"hostPID", "kubernetes.podspec-hostpid"},
    {"hostNetwork", "kubernetes.podspec-hostnetwork"},
    {"hostAliases", "kubernetes.podspec-hostaliases"},
    {"dnsPolicy", "kubernetes.podspec-dnspolicy"},
    {"dnsConfig", "kubernetes.podspec-dnsconfig", true},
    {"initContainers", "kubernetes.podspec-init-containers"},
});

/// Kinds of volume that a flag gates.
constexpr auto kVolumeKinds = std::to_array<PodField>({
    {"emptyDir", "kubernetes.podspec-volumes-emptydir"},
    {"persistentVolumeClaim", "kubernetes.podspec-persistent-volume-claim"},
    {"hostPath", "kubernetes.podspec-volumes-hostpath"},
    {"csi", "kubernetes.podspec-volumes-csi"},
    {"image", "kubernetes.podspec-volumes-image"},
    {"ephemeral", "kubernetes.podspec-volumes-ephemeral"},
});

/// Whether KServe passes the field on: an empty value, false and "" are left out of its JSON, save
/// for what Go holds by a pointer.
bool is_set(const Node& node, bool kept_when_empty = false) {
  if (node.is_missing() || node.is_null()) return false;
  if (kept_when_empty) return true;
  if (node.is_scalar()) return !node.text().empty() && yaml::boolean_of(node.text()) != false;
  return !node.is_empty();
}

/// Collects fields under the flags that gate them.
class Collector {
 public:
  void add(std::string field, std::string_view flag, const Node& node) {
    fields_.push_back({std::move(field), &find_feature(flag), &node});
  }

  void pod(const Node& spec) {
    for (const PodField& row : kPodFields) {
      const Node& node = spec[row.field];
      if (is_set(node, row.kept_when_empty)) add(std::string(row.field), row.flag, node);
    }
    for (const Node* volume : spec["volumes"].items()) this->volume(*volume);
    const auto containers = spec["containers"].items();
    for (const Node* container : spec["initContainers"].items()) this->container(*container);
    for (const Node* container : containers) this->container(*container);
    if (containers.size() < 2) return;
    add("containers", "multi-container", spec["containers"]);
    for (const Node* container : containers) {
      const bool serves = !(*container)["ports"].is_empty();
      if (!serves && containers.front() != container) probes(*container);
    }
  }

  std::vector<GatedField> result() && {
    std::ranges::stable_sort(fields_, {}, &GatedField::feature);
    return std::move(fields_);
  }

 private:
  void volume(const Node& volume) {
    for (const PodField& row : kVolumeKinds) {
      const Node& source = volume[row.field];
      if (source.is_missing() || source.is_null()) continue;
      add("volumes[]." + std::string(row.field), row.flag, source);
      if (row.field == "persistentVolumeClaim" &&
          yaml::boolean_of(source["readOnly"].text()) != true) {
        add("volumes[].persistentVolumeClaim without readOnly",
            "kubernetes.podspec-persistent-volume-write", source);
      }
    }
  }

  void container(const Node& container) {
    for (const Node* variable : container["env"].items()) {
      for (const std::string_view source : {"fieldRef", "resourceFieldRef"}) {
        const Node& node = (*variable)["valueFrom"][source];
        if (is_set(node)) {
          add("env[].valueFrom." + std::string(source), "kubernetes.podspec-fieldref", node);
        }
      }
    }
    for (const Node* mount : container["volumeMounts"].items()) {
      if (const Node& node = (*mount)["mountPropagation"]; is_set(node)) {
        add("volumeMounts[].mountPropagation", "kubernetes.podspec-volumes-mount-propagation",
            node);
      }
    }
    if (const Node& node = container["securityContext"]["capabilities"]["add"]; is_set(node)) {
      add("securityContext.capabilities.add", "kubernetes.containerspec-addcapabilities", node);
    }
  }

  void probes(const Node& container) {
    for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      if (const Node& node = container[probe]; is_set(node)) {
        add(std::string(probe) + " of a second container", "multi-container-probing", node);
      }
    }
  }

  std::vector<GatedField> fields_;
};

/// Compared without case, not trimmed; anything else leaves the default.
FlagState state_of(const Node& value, FlagState by_default) {
  for (const auto& [word, state] :
       {std::pair{"enabled", FlagState::enabled}, std::pair{"allowed", FlagState::allowed},
        std::pair{"disabled", FlagState::disabled}}) {
    if (equals_ignoring_case(value.text(), word)) return state;
  }
  return by_default;
}

/// Knative Eventing has a ConfigMap of the same name.
bool is_of_eventing(const k8s::Object& object) {
  if (object.ns == "knative-eventing") return true;
  return std::ranges::any_of(object.labels().entries(), [](const yaml::Entry& label) {
    return label.key->text().starts_with("eventing.knative.dev/") ||
           label.value->text() == "knative-eventing";
  });
}

}  // namespace

std::span<const Feature> features() { return kFeatures; }

const Feature& find_feature(std::string_view flag) {
  return *std::ranges::find(kFeatures, flag, &Feature::flag);
}

const Node& FeatureMap::operator[](std::string_view flag) const {
  return flags == nullptr ? yaml::missing_node() : (*flags)[flag];
}

std::vector<FeatureMap> feature_maps_in(const k8s::Object& object) {
  if (object.is("", "ConfigMap") && object.name == "config-features") {
    if (is_of_eventing(object)) return {};
    const Node& data = object["data"];
    if (data.is_mapping()) return {{&data, data.key()}};
    return {{nullptr, &object["metadata"]["name"]}};
  }
  if (!object.is("operator.knative.dev", "KnativeServing")) return {};
  const Node& config = object.spec()["config"];
  for (const std::string_view name : {"config-features", "features"}) {
    if (const Node& flags = config[name]; flags.is_mapping()) return {{&flags, flags.key()}};
  }
  return {};
}

FeatureVerdict verdict_on(const Feature& feature, const std::vector<FeatureMap>& maps) {
  using Kind = FeatureVerdict::Kind;
  FeatureVerdict verdict;
  const auto lets_through = [&](FlagState state) {
    return state == FlagState::enabled || (state == FlagState::allowed && feature.allowed_suffices);
  };
  for (const FeatureMap& map : maps) {
    const Node& value = map[feature.flag];
    const FlagState state = state_of(value, feature.by_default);
    if (lets_through(state)) return {Kind::accepts, state, &value};
    if (verdict.kind == Kind::unknown) {
      verdict = {Kind::refuses, state, value ? &value : map.place};
    }
  }
  if (maps.empty() && lets_through(feature.by_default)) return {Kind::accepts, kOn, nullptr};
  return verdict;
}

std::vector<GatedField> gated_fields(const Node& pod_spec) {
  Collector collector;
  collector.pod(pod_spec);
  return std::move(collector).result();
}

}  // namespace cnsched::kserve
