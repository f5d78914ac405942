#include "testdata/scenario.h"
#include "testdata/volumes.h"

namespace cnsched::sim::volume_zone_test {

constexpr const char* kNoZone = "node(s) had no available volume zone";

/// The verdict on a node with these labels, for a bound volume with those.
std::string with_labels(const std::string& of_node, const std::string& of_volume) {
  const std::string facts =
      whole_cluster() + node("n", of_node) +
      volume("pv", "storageClassName: s", "Bound", "labels: {" + of_volume + "}") +
      bound_claim("c", "pv");
  return Scenario(facts, pod("containers: [], " + volumes_of_claims("c"))).on("n");
}

TEST_CASE("a node must be in the zone and the region of the labels of a volume") {
  CHECK(with_labels("topology.kubernetes.io/zone: a", "topology.kubernetes.io/zone: a") == "ok");
  CHECK(with_labels("topology.kubernetes.io/zone: b", "topology.kubernetes.io/zone: a") == kNoZone);
  CHECK(with_labels("topology.kubernetes.io/zone: b", "topology.kubernetes.io/zone: a__b") == "ok");
  CHECK(with_labels("topology.kubernetes.io/region: r", "topology.kubernetes.io/zone: a") ==
        kNoZone);
  CHECK(with_labels("topology.kubernetes.io/region: r", "topology.kubernetes.io/region: q") ==
        kNoZone);
}

TEST_CASE("nodes without any topology label and labels with empty zones are ignored") {
  CHECK(with_labels("zone: b", "topology.kubernetes.io/zone: a") == "ok");
  CHECK(with_labels("topology.kubernetes.io/zone: b", "topology.kubernetes.io/zone: a__") == "ok");
}

TEST_CASE("the labels before Kubernetes 1.17 match those of the node") {
  const std::string old = "failure-domain.beta.kubernetes.io/zone: a";
  CHECK(with_labels("topology.kubernetes.io/zone: a", old) == "ok");
  CHECK(with_labels("topology.kubernetes.io/zone: b", old) == kNoZone);
  CHECK(with_labels(old, "topology.kubernetes.io/zone: a") == kNoZone);
}

}  // namespace cnsched::sim::volume_zone_test
