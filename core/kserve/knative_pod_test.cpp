#include "core/kserve/knative_pod.h"
#include "testdata/support.h"

namespace cnsched::kserve::knative_pod_test {

TEST_CASE("drops fields of pods and containers that Knative's schema does not have") {
  const Parsed pod(
      "nodeSelector: {pool: gpu}\nnodeName: a\nschedulingGates: [{name: b}]\n"
      "containers: [{name: c, tty: true, lifecycle: {}, resources: {claims: [{name: d}], "
      "limits: {nvidia.com/gpu: 1}}}]\n");
  std::string dropped;
  for (const yaml::Node* field : fields_dropped_by_knative(pod.root())) {
    dropped += std::string(field->key()->text()) + " ";
  }
  const yaml::Node& container = pod.root()["containers"].at(0);
  for (const yaml::Node* field : container_fields_dropped_by_knative(container)) {
    dropped += std::string(field->key()->text()) + " ";
  }
  CHECK(dropped == "nodeName schedulingGates lifecycle tty claims ");

  Arena arena;
  const yaml::Node& kept = kept_by_knative(pod.root(), arena);
  CHECK(fields_dropped_by_knative(kept).empty());
  CHECK(container_fields_dropped_by_knative(kept["containers"].at(0)).empty());
  CHECK(kept["containers"].at(0)["resources"]["limits"]["nvidia.com/gpu"].text() == "1");
}

}  // namespace cnsched::kserve::knative_pod_test
