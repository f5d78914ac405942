#include "core/kserve/open_data_hub.h"

#include <algorithm>
#include <array>

namespace cnsched::kserve {

bool is_of_open_data_hub(const k8s::Object& object) {
  return object.labels()["opendatahub.io/dashboard"] ||
         object.annotations()["serving.knative.openshift.io/enablePassthrough"];
}

bool is_set_by_open_data_hub(std::string_view flag) {
  constexpr auto kFlags = std::to_array<std::string_view>(
      {"kubernetes.podspec-affinity", "kubernetes.podspec-nodeselector",
       "kubernetes.podspec-tolerations", "kubernetes.podspec-persistent-volume-claim",
       "kubernetes.podspec-persistent-volume-write"});
  return std::ranges::find(kFlags, flag) != kFlags.end();
}

}  // namespace cnsched::kserve
