#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"

namespace cnsched {

/// The priority of a pod.
struct PodPriority {
  std::optional<std::int64_t> value;  ///< nothing if its PriorityClass is not known
  bool never_preempts = false;        ///< preemptionPolicy Never
  /// Why the API server rejects the pod: "no PriorityClass with name high was found".
  std::string rejection{};
  const yaml::Node* rejected = nullptr;  ///< the field that it rejects
};

/// The PriorityClasses of a cluster.
class PriorityClasses {
 public:
  struct Class {
    std::int64_t value = 0;
    bool never_preempts = false;
  };

  PriorityClasses() = default;
  /// `is_complete`: the cluster has no others.
  PriorityClasses(const std::vector<const k8s::Object*>& objects, bool is_complete);

  bool is_complete() const { return is_complete_; }
  std::optional<Class> find(std::string_view name) const;
  /// That of pods without a class.
  const Class& global_default() const { return default_; }

 private:
  std::map<std::string_view, Class> by_name_;
  Class default_;
  bool is_complete_ = false;
};

/// The priority that the API server gives to a new pod.
PodPriority priority_of_new(const k8s::PodSpec& spec, const PriorityClasses& classes);
/// The priority of a pod that the API server has admitted.
PodPriority priority_of_running(const k8s::PodSpec& spec, const PriorityClasses& classes);

}  // namespace cnsched
