#include "core/kserve/knative_features.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

/// Whether the field reaches Knative: KServe's JSON omits empty values, false and "", except for
/// pointers in Go.
bool is_set(const Node& node, bool kept_when_empty = false) {
  if (node.is_missing() || node.is_null()) return false;
  if (kept_when_empty) return true;
  if (node.is_scalar()) return !node.text().empty() && yaml::boolean_of(node.text()) != false;
  return !node.is_empty();
}

/// Collects fields under the flags that gate them.
class Collector {
 public:
  void add(std::string field, const KnativeFlag& flag, const Node& node) {
    fields_.push_back({std::move(field), &flag, &node});
  }
  void add(std::string field, std::string_view key, const Node& node) {
    add(std::move(field), *find_knative_flag(key), node);
  }

  void pod(const Node& spec) {
    for (const KnativeFlag& flag : knative_flags()) {
      if (flag.gate != Gate::pod_field && flag.gate != Gate::pointer) continue;
      const Node& node = spec.under(flag.field);
      if (is_set(node, flag.gate == Gate::pointer)) add(std::string(flag.field), flag, node);
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
    std::ranges::stable_sort(fields_, {}, &GatedField::flag);
    return std::move(fields_);
  }

 private:
  void volume(const Node& volume) {
    for (const KnativeFlag& flag : knative_flags()) {
      if (flag.gate != Gate::volume) continue;
      const Node& source = volume.under(flag.field);
      if (source.is_missing() || source.is_null()) continue;
      add("volumes[]." + std::string(flag.field), flag, source);
      if (flag.field == "persistentVolumeClaim" &&
          yaml::boolean_of(source["readOnly"].text()) != true) {
        add("volumes[].persistentVolumeClaim without readOnly",
            "kubernetes.podspec-persistent-volume-write", source);
      }
    }
  }

  void container(const Node& container) {
    for (const Node* variable : container["env"].items()) {
      for (const std::string_view source : {"fieldRef", "resourceFieldRef"}) {
        const Node& node = (*variable)["valueFrom"].under(source);
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
      if (const Node& node = container.under(probe); is_set(node)) {
        add(std::string(probe) + " of a second container", "multi-container-probing", node);
      }
    }
  }

  std::vector<GatedField> fields_;
};

/// Compares without case and does not trim; the default for any other value.
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
  if (object.ns.name == "knative-eventing") return true;
  return std::ranges::any_of(object.labels().entries(), [](const yaml::Entry& label) {
    return label.key->text().starts_with("eventing.knative.dev/") ||
           label.value->text() == "knative-eventing";
  });
}

}  // namespace

const Node& FeatureMap::operator[](std::string_view flag) const {
  return flags == nullptr ? yaml::missing_node() : flags->under(flag);
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
    if (const Node& flags = config.under(name); flags.is_mapping()) return {{&flags, flags.key()}};
  }
  return {};
}

FlagVerdict verdict_on(const KnativeFlag& flag, const std::vector<FeatureMap>& maps) {
  FlagVerdict verdict;
  const auto admits = [&](FlagState state) {
    return state == FlagState::enabled || (state == FlagState::allowed && flag.allowed_suffices);
  };
  const bool is_patched = std::ranges::any_of(
      maps, [&](const FeatureMap& map) { return map.is_patch && map[flag.key]; });
  for (const FeatureMap& map : maps) {
    const Node& value = map[flag.key];
    if (is_patched ? !map.is_patch || !value : map.is_patch) continue;
    const FlagState state = state_of(value, flag.by_default);
    if (admits(state)) return {Truth::yes, state, &value};
    if (verdict.accepts == Truth::unknown) {
      verdict = {Truth::no, state, value ? &value : map.place};
    }
  }
  if (maps.empty() && admits(flag.by_default)) return {Truth::yes, flag.by_default, nullptr};
  return verdict;
}

std::vector<GatedField> gated_fields(const Node& pod_spec) {
  Collector collector;
  collector.pod(pod_spec);
  return std::move(collector).result();
}

bool is_of_open_data_hub(const k8s::Object& object) {
  return object.labels()["opendatahub.io/dashboard"] ||
         object.annotations()["serving.knative.openshift.io/enablePassthrough"];
}

std::vector<UnacceptedField> unaccepted_fields(const Node& pod_spec,
                                               const std::vector<FeatureMap>& maps,
                                               bool open_data_hub) {
  std::vector<UnacceptedField> fields;
  for (GatedField& gated : gated_fields(pod_spec)) {
    const FlagVerdict verdict = verdict_on(*gated.flag, maps);
    if (verdict.accepts == Truth::yes) continue;
    if (verdict.accepts == Truth::unknown && open_data_hub && gated.flag->open_data_hub) continue;
    fields.push_back({std::move(gated), verdict});
  }
  return fields;
}

namespace {

using yaml::Node;

bool is_dropped_from_pod(std::string_view field) {
  return is_one_of(
      field, {"nodeName", "priority", "preemptionPolicy", "schedulingGates", "resourceClaims",
              "resources", "overhead", "terminationGracePeriodSeconds", "activeDeadlineSeconds",
              "restartPolicy", "hostname", "subdomain", "setHostnameAsFQDN", "hostnameOverride",
              "readinessGates", "ephemeralContainers", "serviceAccount", "os", "hostUsers"});
}

constexpr auto kContainerFields = std::to_array<std::string_view>(
    {"lifecycle", "stdin", "stdinOnce", "tty", "volumeDevices", "resizePolicy", "restartPolicy"});

const Node& kept_container(const Node& container, Arena& arena) {
  const Node* kept = &container;
  for (const std::string_view field : kContainerFields) {
    if (kept->under(field)) kept = &yaml::without(arena, *kept, field);
  }
  const Node& resources = (*kept)["resources"];
  if (!resources["claims"]) return *kept;
  return yaml::with(arena, *kept, "resources"_key, yaml::without(arena, resources, "claims"));
}

}  // namespace

std::vector<const Node*> fields_dropped_by_knative(const Node& pod) {
  std::vector<const Node*> dropped;
  for (const yaml::Entry& entry : yaml::entries_of(pod)) {
    if (is_dropped_from_pod(entry.key->text())) dropped.push_back(entry.value);
  }
  return dropped;
}

std::vector<const Node*> container_fields_dropped_by_knative(const Node& container) {
  std::vector<const Node*> dropped;
  for (const std::string_view field : kContainerFields) {
    if (const Node& value = container.under(field)) dropped.push_back(&value);
  }
  if (const Node& claims = container["resources"]["claims"]) dropped.push_back(&claims);
  return dropped;
}

bool decides_placement(std::string_view dropped_field) {
  return is_one_of(dropped_field,
                   {"nodeName", "schedulingGates", "resourceClaims", "resources", "overhead"});
}

const Node& kept_by_knative(const Node& pod, Arena& arena) {
  std::vector<yaml::Entry> entries = yaml::entries_of(pod);
  std::erase_if(entries,
                [](const yaml::Entry& entry) { return is_dropped_from_pod(entry.key->text()); });
  for (yaml::Entry& entry : entries) {
    const std::string_view field = entry.key->text();
    // The schema of initContainers keeps all fields.
    if (field != "containers") continue;
    std::vector<const Node*> containers;
    for (const Node* container : entry.value->items()) {
      containers.push_back(&kept_container(*container, arena));
    }
    entry.value = &yaml::sequence_like(arena, *entry.value, containers);
  }
  return yaml::mapping_like(arena, pod, entries);
}

void add_knative_labels(yaml::Overlay& labels, std::string_view service, Arena& arena) {
  const std::string revision = std::string(service) + "-00001";
  const auto add = [&](yaml::Key key, std::string_view value) {
    labels.add(key, yaml::string_like(arena, yaml::nowhere(), value));
  };
  add("serving.knative.dev/service"_key, service);
  add("serving.knative.dev/configuration"_key, service);
  add("serving.knative.dev/revision"_key, revision);
  // knative/serving pkg/reconciler/revision/resources/meta.go, makeLabels: keeps a user's `app`.
  if (!labels.has("app")) add("app"_key, revision);
}

}  // namespace cnsched::kserve
