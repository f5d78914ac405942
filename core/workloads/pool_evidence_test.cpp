#include "core/workloads/pool_evidence.h"

#include <doctest/doctest.h>

#include "core/k8s/exclusion.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

/// A node whose labels should not go together, and that offers two devices.
struct Odd {
  test::Parsed parsed{
      "{apiVersion: v1, kind: Node, metadata: {name: odd, labels: {product: Tesla-T4, pool: l4}}, "
      "status: {allocatable: {nvidia.com/gpu: 2}}}"};
  std::vector<k8s::Object> objects = k8s::objects_in(parsed.document);
  std::vector<NodePool> pools = node_pools_in(objects.front());
};

}  // namespace

TEST_CASE("a node that has both labels is evidence that there is one") {
  const Odd node;
  const accelerators::Evidence evidence = evidence_in(node.pools);
  const test::Parsed selector("{product: Tesla-T4, pool: l4, zone: a}");
  const auto labels = k8s::labels_in(selector.root());
  const auto demand = [&](std::size_t i) { return k8s::requirement_of(labels[i]); };
  CHECK(evidence.of(demand(0), demand(1)));
  CHECK_FALSE(evidence.of(demand(0), demand(2)));
  CHECK(evidence.of(demand(0), accelerators::AskedDevice{"nvidia.com/gpu", 2, nullptr}));
  CHECK_FALSE(evidence.of(demand(0), accelerators::AskedDevice{"nvidia.com/gpu", 3, nullptr}));
  CHECK_FALSE(evidence.of(demand(0), accelerators::AskedDevice{"amd.com/gpu", 1, nullptr}));
  CHECK_FALSE(evidence.of(demand(2), accelerators::AskedDevice{"nvidia.com/gpu", 1, nullptr}));
}

TEST_CASE("where no node is known there is no evidence") {
  const test::Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  const std::vector<NodePool> none;
  CHECK_FALSE(evidence_in(none).of(demand, demand));
}

TEST_CASE("evidence is not looked for again and again") {
  const Odd node;
  const accelerators::Evidence evidence = evidence_in(node.pools);
  const test::Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  int found = 0;
  for (int i = 0; i < 1000; ++i) found += evidence.of(demand, demand) ? 1 : 0;
  CHECK(found > 0);
  CHECK(found < 1000);
}

}  // namespace cnsched
