#include "core/facts/pool_fit.h"
#include "testdata/support.h"

namespace cnsched::pool_fit_test {

std::string node_with(const std::string& labels) {
  return "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {" + labels + "}}}";
}

std::string node_pool(const std::string& labels) {
  return "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a}, spec: {template: "
         "{metadata: {labels: {" +
         labels + "}}}}}";
}

Fit fit(const std::string& pod, const std::string& manifest) {
  const Parsed spec(pod);
  const Parsed parsed(manifest);
  return NodeDemands(k8s::PodSpec(spec.root())).fit(node_pools_in(parsed.object()).at(0));
}

std::string with_term(const std::string& expressions) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchExpressions: [" +
         expressions + "]}]}}}";
}

TEST_CASE("fits a pod without constraints on every pool") {
  CHECK(fit("containers: []", node_with("")) == Fit::yes);
  CHECK(fit("containers: []", node_pool("")) == Fit::yes);
}

TEST_CASE("treats a missing label as absent on a Node, as unknown in a pool") {
  CHECK(fit("nodeSelector: {pool: gpu}", node_with("pool: gpu")) == Fit::yes);
  CHECK(fit("nodeSelector: {pool: gpu}", node_with("")) == Fit::no);
  CHECK(fit("nodeSelector: {pool: gpu}", node_pool("pool: gpu")) == Fit::yes);
  CHECK(fit("nodeSelector: {pool: gpu}", node_pool("")) == Fit::perhaps);
  CHECK(fit("nodeSelector: {pool: gpu}", node_pool("pool: cpu")) == Fit::no);
}

TEST_CASE("uses the best term together with the selector") {
  const std::string exists = with_term("{key: pool, operator: Exists}");
  CHECK(fit(exists, node_pool("pool: gpu")) == Fit::yes);
  CHECK(fit(exists, node_pool("")) == Fit::perhaps);
  CHECK(fit(exists, node_with("")) == Fit::no);
  CHECK(fit(with_term("{key: pool, operator: DoesNotExist}"), node_pool("pool: gpu")) == Fit::no);
  CHECK(fit("{nodeSelector: {pool: cpu}, " + exists + "}", node_pool("pool: gpu")) == Fit::no);
  CHECK(fit(with_term(""), node_pool("")) == Fit::no);
}

TEST_CASE("ignores taints that are temporary, advisory or tolerated") {
  const Parsed parsed(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {taints: ["
      "{key: nvidia.com/gpu, value: present, effect: NoSchedule}, "
      "{key: dedicated, effect: NoExecute}, {key: slow, effect: PreferNoSchedule}, "
      "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}}");
  const auto pools = node_pools_in(parsed.object());
  const k8s::Toleration exists{nullptr, "nvidia.com/gpu", "Exists", "", "NoSchedule"};
  CHECK(repelling_taints(pools.at(0), {}).size() == 2);
  CHECK(repelling_taints(pools.at(0), {exists}).at(0).key == "dedicated");
}

}  // namespace cnsched::pool_fit_test
