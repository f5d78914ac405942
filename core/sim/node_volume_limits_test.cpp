#include "testdata/scenario.h"
#include "testdata/volumes.h"

namespace cnsched::sim::node_volume_limits_test {

constexpr const char* kTooMany = "node(s) exceed max volume count";

std::string csi_volume(const std::string& name) {
  return volume("pv-" + name,
                "storageClassName: s, csi: {driver: x.y, volumeHandle: h-" + name + "}", "Bound") +
         bound_claim(name, "pv-" + name);
}

std::string csi_node(const std::string& limit) {
  return object("storage.k8s.io/v1", "CSINode", "n",
                "spec: {drivers: [{name: x.y, allocatable: {count: " + limit + "}}]}");
}

const std::string kVolumes = whole_cluster() + node("n") + csi_volume("c") + csi_volume("d");

std::string verdict(const std::string& facts, const std::string& claims = "c") {
  return Scenario(kVolumes + facts, pod("containers: [], " + volumes_of_claims(claims))).on("n");
}

TEST_CASE("a node attaches no more volumes than its CSINode allows") {
  const std::string with_d = running_pod("w", "n", "", volumes_of_claims("d"));
  CHECK(verdict(csi_node("1")) == "ok");
  CHECK(verdict(csi_node("1"), "c,d") == kTooMany);
  CHECK(verdict(csi_node("1") + with_d) == kTooMany);
  CHECK(verdict(csi_node("2") + with_d) == "ok");
  CHECK(verdict(with_d) == "ok");
}

TEST_CASE("a volume that the node has already is not counted twice") {
  const std::string with_c = running_pod("w", "n", "", volumes_of_claims("c"));
  CHECK(verdict(csi_node("1") + with_c) == "ok");
}

TEST_CASE("VolumeAttachments count without pods") {
  const std::string attached =
      object("storage.k8s.io/v1", "VolumeAttachment", "va",
             "spec: {attacher: x.y, nodeName: n, source: {persistentVolumeName: pv-d}}");
  CHECK(verdict(csi_node("1") + attached) == kTooMany);
  CHECK(verdict(csi_node("2") + attached) == "ok");
}

TEST_CASE("a claim without a volume counts for the provisioner of its class") {
  const std::string unbound = storage_class("fast", "x.y") + claim("e", "storageClassName: fast");
  CHECK(verdict(csi_node("1") + unbound, "e") == "ok");
  CHECK(verdict(csi_node("0") + unbound, "e") == kTooMany);
}

TEST_CASE("an in-tree volume counts for the driver that replaces its plugin") {
  const std::string csi =
      object("storage.k8s.io/v1", "CSINode", "n",
             "spec: {drivers: [{name: ebs.csi.aws.com, allocatable: {count: 0}}]}");
  CHECK(Scenario(whole_cluster() + node("n") + csi,
                 pod("containers: [], volumes: [{name: v, awsElasticBlockStore: "
                     "{volumeID: vol-1}}]"))
            .on("n") == kTooMany);
}

}  // namespace cnsched::sim::node_volume_limits_test
