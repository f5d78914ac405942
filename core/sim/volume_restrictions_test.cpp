#include "testdata/scenario.h"
#include "testdata/volumes.h"

namespace cnsched::sim::volume_restrictions_test {

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

}  // namespace cnsched::sim::volume_restrictions_test
