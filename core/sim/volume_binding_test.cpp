#include "core/sim/placement.h"
#include "testdata/scenario.h"
#include "testdata/volumes.h"

namespace cnsched::sim::volume_binding_test {

constexpr const char* kAffinity = "node(s) didn't match PersistentVolume's node affinity";
constexpr const char* kUnbound = "node(s) didn't find available persistent volumes to bind";
constexpr const char* kSpace = "node(s) did not have enough free storage";

const std::string kTwoNodes = whole_cluster() + node("a1", "zone: a, kubernetes.io/hostname: a1") +
                              node("b1", "zone: b, kubernetes.io/hostname: b1");
const std::string kLocal = kTwoNodes + storage_class("local");

std::string pod_with_claims(std::string_view names) {
  return pod("containers: [], " + volumes_of_claims(names));
}

std::string on_a(std::string_view more = "") {
  return "storageClassName: local, " + affinity("zone", "a") + std::string(more);
}

std::string event_of(const std::string& facts, std::string_view claims = "c") {
  return Scenario(facts, pod_with_claims(claims)).event();
}

TEST_CASE("a bound volume rejects the nodes outside its node affinity") {
  const Scenario scenario(kTwoNodes + volume("pv", on_a(), "Bound") + bound_claim("c", "pv"),
                          pod_with_claims("c"));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == kAffinity);
  CHECK(scenario.explained("b1") ==
        "PersistentVolume 'pv' of PersistentVolumeClaim 'ml/c' cannot be used on the node: label "
        "'zone' is 'b', not 'a'");
}

TEST_CASE("claims that are missing, lost, deleted or unbound reject the pod") {
  CHECK(event_of(kTwoNodes) == "0/2 nodes are available: persistentvolumeclaim \"c\" not found.");
  CHECK(event_of(kTwoNodes + claim("c", "volumeName: gone", "", "Lost")) ==
        "0/2 nodes are available: persistentvolumeclaim \"c\" bound to non-existent "
        "persistentvolume \"gone\".");
  CHECK(event_of(kLocal + claim("c", "storageClassName: local", "deletionTimestamp: x")) ==
        "0/2 nodes are available: persistentvolumeclaim \"c\" is being deleted.");
  const std::string unbound =
      "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
  CHECK(event_of(kTwoNodes + claim("c", "storageClassName: absent")) == unbound);
  CHECK(event_of(kTwoNodes + storage_class("now", "x/y", "", "Immediate") +
                 claim("c", "storageClassName: now")) == unbound);
  // The PV controller has not confirmed it.
  CHECK(event_of(kLocal + volume("pv") + claim("c", "storageClassName: local, volumeName: pv")) ==
        unbound);
}

TEST_CASE("the volume of a bound claim that does not exist rejects the pod") {
  CHECK(event_of(kTwoNodes + bound_claim("c", "gone")) ==
        "0/2 nodes are available: persistentvolume \"gone\" not found.");
}

TEST_CASE("a claim that waits for a consumer gets the volumes of the node") {
  const Scenario one(kLocal + volume("pv", on_a()) + claim("c", "storageClassName: local"),
                     pod_with_claims("c"));
  CHECK(one.on("a1") == "ok");
  CHECK(one.on("b1") == kUnbound);
  const auto on_a1 = [](const std::string& volume_spec, const std::string& claim_spec,
                        const std::string& phase = "Available") {
    return Scenario(kLocal + volume("pv", volume_spec, phase) +
                        claim("c", "storageClassName: local" + claim_spec),
                    pod_with_claims("c"))
        .on("a1");
  };
  CHECK(on_a1(on_a(), "", "Released") == kUnbound);
  CHECK(on_a1(on_a(", volumeMode: Block"), "") == kUnbound);
  CHECK(on_a1(on_a(", volumeMode: Block"), ", volumeMode: Block") == "ok");
  CHECK(on_a1(on_a(), ", selector: {matchLabels: {tier: fast}}") == kUnbound);
  CHECK(on_a1(on_a(", volumeAttributesClassName: gold"), "") == kUnbound);
  CHECK(on_a1(on_a(", claimRef: {namespace: ml, name: other}"), "") == kUnbound);
  CHECK(on_a1(on_a(", claimRef: {namespace: ml, name: c}"), "", "Released") == "ok");
  CHECK(on_a1(on_a(", claimRef: {namespace: ml, name: c, uid: old}"), "") == kUnbound);
}

TEST_CASE("several claims of a pod take different volumes") {
  const std::string two = kLocal + claim("c", "storageClassName: local") +
                          claim("d", "storageClassName: local") + volume("pv", on_a());
  CHECK(Scenario(two, pod_with_claims("c,d")).on("a1") == kUnbound);
  CHECK(Scenario(two + volume("pw", on_a()), pod_with_claims("c,d")).on("a1") == "ok");
}

TEST_CASE("a volume that names the claim is the only one for it") {
  const std::string both = kLocal + claim("c", "storageClassName: local") +
                           volume("pv", on_a(", claimRef: {namespace: ml, name: c}")) +
                           volume("pw");
  CHECK(Scenario(both, pod_with_claims("c")).on("a1") == "ok");
  CHECK(Scenario(both, pod_with_claims("c")).on("b1") == kUnbound);
}

TEST_CASE("a class provisions volumes within its allowedTopologies") {
  const std::string topologies =
      "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]";
  const Scenario scenario(
      kTwoNodes + storage_class("fast", "x/y", topologies) + claim("c", "storageClassName: fast"),
      pod_with_claims("c"));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == kUnbound);
}

TEST_CASE("only the node that is selected for the claim fits") {
  const Scenario scenario(kTwoNodes + storage_class("fast", "x/y") +
                              claim("c", "storageClassName: fast",
                                    "annotations: {volume.kubernetes.io/selected-node: a1}"),
                          pod_with_claims("c"));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == kUnbound);
}

TEST_CASE("a driver that checks capacity needs a large enough object for the node") {
  const auto on = [](const std::string& capacity, const std::string& checks = "true") {
    return Scenario(kTwoNodes + storage_class("fast", "x.y") +
                        object("storage.k8s.io/v1", "CSIDriver", "x.y",
                               "spec: {storageCapacity: " + checks + "}") +
                        object("storage.k8s.io/v1", "CSIStorageCapacity", "k",
                               "storageClassName: fast" + capacity, "namespace: ml") +
                        claim("c", "storageClassName: fast"),
                    pod_with_claims("c"))
        .on("a1");
  };
  const std::string on_zone = ", nodeTopology: {matchLabels: {zone: a}}";
  CHECK(on(on_zone + ", capacity: 5Gi") == "ok");
  CHECK(on(on_zone + ", capacity: 4Gi") == kSpace);
  CHECK(on(on_zone + ", capacity: 9Gi, maximumVolumeSize: 4Gi") == kSpace);
  CHECK(on(on_zone) == kSpace);
  CHECK(on(", capacity: 5Gi") == kSpace);
  CHECK(on(", nodeTopology: {}, capacity: 5Gi") == "ok");
  CHECK(on(", nodeTopology: {matchLabels: {zone: b}}, capacity: 5Gi") == kSpace);
  CHECK(on(on_zone + ", capacity: 4Gi", "false") == "ok");
}

TEST_CASE("says what to give for a verdict") {
  const std::string nodes = node("a1");
  CHECK(Scenario(nodes, pod_with_claims("c")).on("a1") ==
        "? PersistentVolumeClaim 'ml/c' is not given (kubectl get pvc -A -o yaml prints it)");
  CHECK(Scenario(nodes + claim("c", "storageClassName: s"), pod_with_claims("c")).on("a1") ==
        "? StorageClass 's' of PersistentVolumeClaim 'ml/c' is not given (kubectl get "
        "storageclasses -o yaml prints it)");
  CHECK(Scenario(nodes + bound_claim("c", "pv"), pod_with_claims("c")).on("a1") ==
        "? PersistentVolume 'pv' of PersistentVolumeClaim 'ml/c' is not given (kubectl get pv -o "
        "yaml prints it)");
}

TEST_CASE("an ephemeral claim of a pod must belong to it") {
  const std::string ephemeral =
      "containers: [], volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: "
      "{storageClassName: fast, accessModes: [ReadWriteOnce]}}}}]";
  const std::string fast = kTwoNodes + storage_class("fast", "x/y");
  CHECK(Scenario(fast, pod(ephemeral)).event() ==
        "0/2 nodes are available: waiting for ephemeral volume controller to create the "
        "persistentvolumeclaim \"new-v\".");
  CHECK(Scenario(fast + claim("new-v", "storageClassName: fast"), pod(ephemeral)).event() ==
        "0/2 nodes are available: PVC ml/new-v was not created for pod ml/new (pod is not owner).");
  const std::string deployment =
      object("apps/v1", "Deployment", "new", "spec: {template: {spec: {" + ephemeral + "}}}",
             "namespace: ml");
  CHECK(Scenario(fast, deployment).on("a1") == "ok");
}

TEST_CASE("claims that a manifest or a StatefulSet creates are not missing") {
  const std::string manifest =
      "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: ml}, "
      "spec: "
      "{storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: "
      "1Gi}}}}\n";
  const Scenario scenario(kLocal + volume("pv", on_a()), pod_with_claims("c") + manifest);
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == kUnbound);
  const std::string set = object(
      "apps/v1", "StatefulSet", "web",
      "spec: {replicas: 3, template: {spec: {containers: []}}, volumeClaimTemplates: [{metadata: "
      "{name: data}, spec: {storageClassName: local, accessModes: [ReadWriteOnce]}}]}",
      "namespace: ml");
  const Scenario of_set(kLocal + volume("pv", on_a()) + volume("pw", on_a()), set);
  CHECK(of_set.on("a1") == "ok");
  CHECK(of_set.on("b1") == kUnbound);
  const std::vector<Placement> placements = of_set.placements();
  CHECK(placements.at(0).nodes.size() == 2);
}

TEST_CASE("an immediate claim of a manifest is bound before the pod is scheduled") {
  const std::string manifest =
      "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: ml}, "
      "spec: "
      "{storageClassName: now, accessModes: [ReadWriteOnce]}}\n";
  const std::string facts = kTwoNodes + storage_class("now", "x.y", "", "Immediate");
  const std::string csi =
      object("storage.k8s.io/v1", "CSINode", "a1", "spec: {drivers: [{name: x.y, nodeID: a1}]}");
  CHECK(Scenario(facts + csi, pod_with_claims("c") + manifest).on("a1") == "ok");
  CHECK(Scenario(facts, pod_with_claims("c") + manifest).on("a1") ==
        "? unknown on which nodes the volume can be used that StorageClass 'now' will provision "
        "for PersistentVolumeClaim 'ml/c'");
  const Scenario one(facts + volume("pv", "storageClassName: now, " + affinity("zone", "a")),
                     pod_with_claims("c") + manifest);
  CHECK(one.on("a1") == "ok");
  CHECK(one.on("b1") == kAffinity);
}

}  // namespace cnsched::sim::volume_binding_test
