#include "core/workspace/pod_priority.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched {

// Source: plugin/pkg/admission/priority/admission.go; pkg/apis/scheduling/types.go; of Kubernetes
// 1.36.

namespace {

constexpr std::int64_t kSystemClusterCritical = 2'000'000'000;
constexpr std::int64_t kSystemNodeCritical = 2'000'001'000;

bool is_never(const yaml::Node& policy) { return policy.text() == "Never"; }

std::string_view policy_name(bool never_preempts) {
  return never_preempts ? "Never" : "PreemptLowerPriority";
}

}  // namespace

PriorityClasses::PriorityClasses(const std::vector<const k8s::Object*>& objects, bool is_complete)
    : is_complete_(is_complete) {
  // The API server creates both at its start.
  by_name_ = {{"system-cluster-critical", {kSystemClusterCritical}},
              {"system-node-critical", {kSystemNodeCritical}}};
  bool has_default = false;
  for (const k8s::Object* object : objects) {
    const yaml::Node& root = *object->root;
    const Class read{yaml::integer_of(root["value"]).value_or(0),
                     is_never(root["preemptionPolicy"])};
    if (!by_name_.try_emplace(object->name, read).second) continue;
    if (yaml::boolean_of(root["globalDefault"].text()) != true) continue;
    // Of several that were created at the same time, the lowest one counts.
    if (!has_default || read.value < default_.value) default_ = read;
    has_default = true;
  }
}

std::optional<PriorityClasses::Class> PriorityClasses::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

PodPriority priority_of_running(const k8s::PodSpec& spec, const PriorityClasses& classes) {
  PodPriority priority{yaml::integer_of(spec["priority"]), is_never(spec["preemptionPolicy"])};
  if (priority.value) return priority;
  const std::string_view name = spec["priorityClassName"].text();
  const auto of_pod = name.empty() ? classes.global_default() : classes.find(name);
  if (!of_pod) return priority;
  return {of_pod->value, of_pod->never_preempts};
}

PodPriority priority_of_new(const k8s::PodSpec& spec, const PriorityClasses& classes) {
  const std::string_view name = spec["priorityClassName"].text();
  const auto of_pod = name.empty() ? classes.global_default() : classes.find(name);
  if (!of_pod && classes.is_complete()) {
    return {.rejection = fmt::format("no PriorityClass with name {} was found", printable(name)),
            .rejected = &spec["priorityClassName"]};
  }
  if (!classes.is_complete()) {
    // Without the PriorityClasses, what the manifest says is the best guess.
    if (of_pod && !name.empty()) return {of_pod->value, of_pod->never_preempts};
    return priority_of_running(spec, classes);
  }
  const auto written = yaml::integer_of(spec["priority"]);
  if (written && *written != of_pod->value) {
    return {.rejection = fmt::format("the integer value of priority ({}) must not be provided in "
                                     "pod spec; priority admission controller computed {} from "
                                     "the given PriorityClass name",
                                     *written, of_pod->value),
            .rejected = &spec["priority"]};
  }
  const std::string_view policy = spec["preemptionPolicy"].text();
  if (!policy.empty() && policy != policy_name(of_pod->never_preempts)) {
    return {.rejection = fmt::format("the string value of PreemptionPolicy ({}) must not be "
                                     "provided in pod spec; priority admission controller "
                                     "computed {} from the given PriorityClass name",
                                     printable(policy), policy_name(of_pod->never_preempts)),
            .rejected = &spec["preemptionPolicy"]};
  }
  return {of_pod->value, of_pod->never_preempts};
}

}  // namespace cnsched
