#include "core/k8s/pod_resources.h"

namespace cnsched::k8s {

std::vector<ResourceAmount> rejected_at_pod_level(const PodSpec& pod) {
  std::vector<ResourceAmount> rejected;
  for (const std::string_view list : {"limits", "requests"}) {
    for (const yaml::Entry& entry : pod["resources"][list].entries()) {
      const std::string_view name = entry.key->text();
      if (entry.overridden || name == "cpu" || name == "memory") continue;
      if (!name.starts_with("hugepages-")) rejected.push_back({name, entry.value});
    }
  }
  return rejected;
}

}  // namespace cnsched::k8s
