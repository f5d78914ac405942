#include "core/workloads/known_pools.h"

#include <deque>

#include "testdata/support.h"

namespace cnsched::known_pools_test {

TEST_CASE("known pools are found by taint, by value and by label, in the order of their names") {
  const Parsed parsed(
      "{kind: List, items: ["
      "{apiVersion: v1, kind: Node, metadata: {name: b, labels: {nvidia.com/gpu.present: 'true', "
      "pool: x}}, spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {nvidia.com/gpu.present: 'true', "
      "pool: x}}, spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: c, labels: {nvidia.com/gpu.present: 'true'}}, "
      "spec: {taints: [{key: dedicated, value: y, effect: PreferNoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: d, labels: {pool: y}}}]}");
  std::vector<NodePool> pools;
  for (const k8s::Object& object : parsed.objects) pools.push_back(node_pools_in(object).at(0));
  const KnownPools known(pools);

  std::string names;
  for (const auto& pool : known.with_accelerators()) names += pool.pool->name;
  CHECK(names == "cab");
  CHECK(known.with_accelerators().front().first_taint == "");
  CHECK(known.with_accelerators().back().first_taint == "nvidia.com/gpu=present:NoSchedule");
  CHECK(known.carries("nvidia.com/gpu", "present"));
  CHECK(known.carries("dedicated", "y"));
  CHECK_FALSE(known.carries("nvidia.com/gpu", "true"));
  CHECK(known.tainted_with("nvidia.com/gpu").size() == 2);
  CHECK(known.tainted_with("nvidia.com/gpu").front().pool->name == "a");
  CHECK(known.tainted_with("dedicated").empty());
  CHECK(known.labelled({"pool", "x"}).size() == 2);
  CHECK(known.labelled({"pool", "z"}).empty());
}

}  // namespace cnsched::known_pools_test
