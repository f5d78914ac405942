#include "core/k8s/node_label.h"
#include "testdata/support.h"

namespace cnsched::k8s::node_label_test {

TEST_CASE("a deprecated node label names its replacement if there is one") {
  const DeprecatedNodeLabel* zone =
      find_deprecated_node_label("failure-domain.beta.kubernetes.io/zone");
  REQUIRE(zone != nullptr);
  CHECK(zone->current == "topology.kubernetes.io/zone");
  CHECK(zone->beside_current);
  const DeprecatedNodeLabel* role = find_deprecated_node_label("kubernetes.io/role");
  REQUIRE(role != nullptr);
  CHECK(role->current.empty());
  CHECK(role->owner == DeprecatedNodeLabel::Owner::aks);
}

TEST_CASE("current labels are not deprecated") {
  for (const char* key : {"node.kubernetes.io/instance-type", "kubernetes.io/arch",
                          "kubernetes.azure.com/agentpool", "Beta.kubernetes.io/arch", ""}) {
    CAPTURE(key);
    CHECK(find_deprecated_node_label(key) == nullptr);
  }
}

TEST_CASE("replaces a label only if nodes have it together with its replacement") {
  CHECK(current_node_label("beta.kubernetes.io/os") == "kubernetes.io/os");
  CHECK(current_node_label("kubernetes.io/os") == "kubernetes.io/os");
  // Current nodes do not have the first one; the others may be users' labels.
  for (const char* key : {"node-role.kubernetes.io/master", "accelerator", "agentpool", "pool"}) {
    CAPTURE(key);
    CHECK(current_node_label(key) == key);
  }
}

}  // namespace cnsched::k8s::node_label_test
