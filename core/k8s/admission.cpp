#include "core/k8s/admission.h"

#include <algorithm>
#include <set>

#include "core/yaml/scalar.h"

namespace cnsched::k8s {

namespace {

Toleration added(std::string_view key, std::string_view effect, const yaml::Node* cause = nullptr) {
  return {.node = cause, .key = key, .op = "Exists", .value = {}, .effect = effect};
}

}  // namespace

std::vector<Toleration> default_tolerations(const std::vector<Toleration>& own) {
  constexpr std::int64_t kSeconds = 300;
  std::vector<Toleration> tolerations;
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool is_set = std::ranges::any_of(own, [&](const Toleration& t) {
      return (t.key == key || t.key.empty()) && (t.effect == kNoExecute || t.effect.empty());
    });
    if (is_set) continue;
    tolerations.push_back(added(key, kNoExecute));
    tolerations.back().seconds = kSeconds;
  }
  return tolerations;
}

std::vector<Toleration> resource_tolerations(const PodSpec& pod) {
  std::vector<Toleration> tolerations;
  std::set<std::string_view> seen;
  for (const Container& container : pod.all_containers()) {
    for (const ResourceAmount& amount : container.amounts()) {
      if (!is_extended_resource(amount.name) || !seen.insert(amount.name).second) continue;
      tolerations.push_back(added(amount.name, kNoSchedule, amount.node));
    }
  }
  std::ranges::sort(tolerations, {}, &Toleration::key);
  return tolerations;
}

std::vector<Toleration> daemon_tolerations(const PodSpec& pod) {
  std::vector<Toleration> tolerations = {added("node.kubernetes.io/not-ready", kNoExecute),
                                         added("node.kubernetes.io/unreachable", kNoExecute)};
  for (const std::string_view key :
       {"node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/pid-pressure", "node.kubernetes.io/unschedulable"}) {
    tolerations.push_back(added(key, kNoSchedule));
  }
  if (yaml::boolean_of(pod["hostNetwork"].text()) == true) {
    tolerations.push_back(added("node.kubernetes.io/network-unavailable", kNoSchedule));
  }
  return tolerations;
}

const Object* runtime_class_of(const PodSpec& pod, const std::vector<const Object*>& classes) {
  const std::string_view name = pod["runtimeClassName"].text();
  if (name.empty()) return nullptr;
  const auto found =
      std::ranges::find(classes, name, [](const Object* object) { return object->name; });
  return found == classes.end() ? nullptr : *found;
}

}  // namespace cnsched::k8s
