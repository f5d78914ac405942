#include "core/workloads/injected_placement.h"
#include "testdata/support.h"

namespace cnsched::injected_placement_test {

bool is_injected(const std::string& metadata, const std::string& spec = "{}") {
  const Parsed parsed("{apiVersion: v1, kind: Pod, metadata: " + metadata + ", spec: " + spec +
                      "}");
  const yaml::Node& pod = parsed.object().spec();
  return gets_placement_from_others({k8s::plain_pod("", pod, pod), nullptr, &parsed.object()});
}

TEST_CASE("profiles, queues and runtime classes place pods as well") {
  CHECK(is_injected("{name: a, annotations: {opendatahub.io/hardware-profile-name: gpu}}"));
  CHECK(is_injected("{name: a, labels: {kueue.x-k8s.io/queue-name: gpus}}"));
  CHECK(is_injected("{name: a}", "{runtimeClassName: nvidia}"));
  CHECK_FALSE(is_injected("{name: a, labels: {app: a}}", "{nodeSelector: {pool: gpu}}"));
}

}  // namespace cnsched::injected_placement_test
