#include "testdata/scenario.h"
#include "testdata/volumes.h"

namespace cnsched::sim::volume_filters_test {

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

constexpr const char* kDisk = "node(s) had no available disk";
constexpr const char* kSingleUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";

/// The verdict for a pod with one disk, on a node where a pod runs with another.
std::string beside(const std::string& running, const std::string& added) {
  const auto volumes = [](const std::string& disk) { return "volumes: [{name: v, " + disk + "}]"; };
  return Scenario(whole_cluster() + node("n") + running_pod("w", "n", "", volumes(running)),
                  test::pod("containers: [], " + volumes(added)))
      .on("n");
}

TEST_CASE("a disk that a pod of the node writes cannot be used by another") {
  CHECK(beside("gcePersistentDisk: {pdName: d}", "gcePersistentDisk: {pdName: d}") == kDisk);
  CHECK(beside("gcePersistentDisk: {pdName: d}", "gcePersistentDisk: {pdName: e}") == "ok");
  const std::string read_only = "gcePersistentDisk: {pdName: d, readOnly: true}";
  CHECK(beside(read_only, read_only) == "ok");
  CHECK(beside("iscsi: {iqn: i}", "iscsi: {iqn: i, readOnly: true}") == kDisk);
  const std::string aws = "awsElasticBlockStore: {volumeID: vol-1, readOnly: true}";
  CHECK(beside(aws, aws) == kDisk);
  CHECK(beside("rbd: {monitors: [a, b], image: i}", "rbd: {monitors: [b], pool: rbd, image: i}") ==
        kDisk);
  CHECK(beside("rbd: {monitors: [a], image: i}", "rbd: {monitors: [b], image: i}") == "ok");
}

TEST_CASE("only one pod can use a claim with ReadWriteOncePod") {
  const std::string facts =
      whole_cluster() + node("a") + node("b") + volume("pv", "storageClassName: local", "Bound") +
      object("v1", "PersistentVolumeClaim", "c",
             "spec: {accessModes: [ReadWriteOncePod], volumeName: pv}, status: {phase: Bound}",
             "namespace: ml, annotations: {pv.kubernetes.io/bind-completed: 'yes'}");
  const std::string pod = test::pod("containers: [], " + volumes_of_claims("c"));
  CHECK(Scenario(facts, pod).on("a") == "ok");
  const Scenario used(facts + running_pod("w", "b", "", volumes_of_claims("c")), pod);
  CHECK(used.on("a") == kSingleUse);
  CHECK(used.explained("a") ==
        "PersistentVolumeClaim 'ml/c' has access mode 'ReadWriteOncePod' and is in use by pod "
        "'ml/w'");
}

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

}  // namespace cnsched::sim::volume_filters_test
