#include "core/workloads/known_nodes.h"
#include "core/k8s/exclusion.h"
#include "testdata/support.h"

namespace cnsched::known_nodes_test {

/// A node whose labels should not go together, and that offers two devices.
struct Odd {
  Parsed parsed{
      "{apiVersion: v1, kind: Node, metadata: {name: odd, labels: {product: Tesla-T4, pool: l4}}, "
      "status: {allocatable: {nvidia.com/gpu: 2}}}"};
  std::vector<NodePool> pools = node_pools_in(parsed.object());
};

TEST_CASE("a known node with both labels, or with label and device, is found") {
  const Odd node;
  const accelerators::KnownNodes known = known_nodes(node.pools);
  const Parsed selector("{product: Tesla-T4, pool: l4, zone: a}");
  const auto labels = k8s::labels_in(selector.root());
  const auto demand = [&](std::size_t i) { return k8s::requirement_of(labels[i]); };
  CHECK(known.any(demand(0), demand(1)));
  CHECK_FALSE(known.any(demand(0), demand(2)));
  CHECK(known.any(demand(0), accelerators::DeviceRequest{"nvidia.com/gpu", 2, nullptr}));
  CHECK_FALSE(known.any(demand(0), accelerators::DeviceRequest{"nvidia.com/gpu", 3, nullptr}));
  CHECK_FALSE(known.any(demand(0), accelerators::DeviceRequest{"amd.com/gpu", 1, nullptr}));
  CHECK_FALSE(known.any(demand(2), accelerators::DeviceRequest{"nvidia.com/gpu", 1, nullptr}));
}

TEST_CASE("finds nothing without nodes") {
  const Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  const std::vector<NodePool> none;
  CHECK_FALSE(known_nodes(none).any(demand, demand));
}

TEST_CASE("stops searching after a few questions") {
  const Odd node;
  const accelerators::KnownNodes known = known_nodes(node.pools);
  const Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  int found = 0;
  for (int i = 0; i < 1000; ++i) found += known.any(demand, demand) ? 1 : 0;
  CHECK(found > 0);
  CHECK(found < 1000);
}

}  // namespace cnsched::known_nodes_test
