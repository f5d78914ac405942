#include "core/kserve/knative_pod.h"

#include <algorithm>
#include <array>
#include <string>

namespace cnsched::kserve {

namespace {

using yaml::Node;

bool is_dropped_from_pod(std::string_view field) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"nodeName", "priority", "preemptionPolicy", "schedulingGates", "resourceClaims", "resources",
       "overhead", "terminationGracePeriodSeconds", "activeDeadlineSeconds", "restartPolicy",
       "hostname", "subdomain", "setHostnameAsFQDN", "hostnameOverride", "readinessGates",
       "ephemeralContainers", "serviceAccount", "os", "hostUsers"});
  return std::ranges::find(kFields, field) != kFields.end();
}

constexpr auto kContainerFields = std::to_array<std::string_view>(
    {"lifecycle", "stdin", "stdinOnce", "tty", "volumeDevices", "resizePolicy", "restartPolicy"});

const Node& kept_container(const Node& container, Arena& arena) {
  const Node* kept = &container;
  for (const std::string_view field : kContainerFields) {
    if ((*kept)[field]) kept = &yaml::without(arena, *kept, field);
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
    if (const Node& value = container[field]) dropped.push_back(&value);
  }
  if (const Node& claims = container["resources"]["claims"]) dropped.push_back(&claims);
  return dropped;
}

bool decides_placement(std::string_view dropped_field) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"nodeName", "schedulingGates", "resourceClaims", "resources", "overhead"});
  return std::ranges::find(kFields, dropped_field) != kFields.end();
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
