#include "core/sim/placement.h"
#include "testdata/scenario.h"

namespace cnsched::sim::dynamic_resources_test {

constexpr const char* kShort = "cannot allocate all claims";

/// Makes the facts those of a whole cluster.
const std::string kWhole =
    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1}\n";

const std::string kTwoNodes = kWhole + node("n1") + node("n2");

/// A document of a kind of resource.k8s.io.
std::string object(std::string_view kind, std::string_view name, std::string_view spec,
                   std::string_view more = "", std::string_view version = "v1") {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/{}, kind: {}, metadata: {{name: {}{}}}, spec: "
      "{{{}}}{}}}\n",
      version, kind, name, kind.starts_with("ResourceClaim") ? ", namespace: ml" : "", spec, more);
}

std::string device_class(std::string_view name = "gpu", std::string_view spec = "") {
  return object("DeviceClass", name, spec);
}

/// A slice with all devices of the pool.
std::string slice(std::string_view node, std::string_view devices, std::string_view more = "") {
  return object("ResourceSlice", fmt::format("slice-{}", node),
                fmt::format("driver: d.io, nodeName: {0}, pool: {{name: {0}, generation: 1, "
                            "resourceSliceCount: 1}}, devices: [{1}]{2}",
                            node, devices, more));
}

std::string request(std::string_view more = "", std::string_view name = "r") {
  return fmt::format("{{name: {}, exactly: {{deviceClassName: gpu{}{}}}}}", name,
                     more.empty() ? "" : ", ", more);
}

std::string claim(std::string_view requests, std::string_view constraints = "",
                  std::string_view more = "") {
  return object(
      "ResourceClaim", "c",
      fmt::format("devices: {{requests: [{}], constraints: [{}]}}", requests, constraints), more);
}

std::string selector(std::string_view expression) {
  return fmt::format("selectors: [{{cel: {{expression: '{}'}}}}]", expression);
}

const std::string kPod = pod("containers: [], resourceClaims: [{name: g, resourceClaimName: c}]");

/// Two devices on n1, of models a and b; one on n2, of model a.
const std::string kDevices = kTwoNodes + device_class() +
                             slice("n1",
                                   "{name: d0, attributes: {model: {string: a}}}, "
                                   "{name: d1, attributes: {model: {string: b}}}") +
                             slice("n2", "{name: d0, attributes: {model: {string: a}}}");

std::string allocated(std::string_view device, std::string_view more = "") {
  return fmt::format(
      ", status: {{allocation: {{devices: {{results: [{{request: r, driver: d.io, pool: n1, "
      "device: {}{}}}]}}}}}}",
      device, more);
}

TEST_CASE("a node needs as many devices as the claim requests") {
  CHECK(Scenario(kDevices + claim(request()), kPod).event() == "2/2 nodes are available.");
  const Scenario two(kDevices + claim(request("count: 2")), kPod);
  CHECK(two.on("n1") == "ok");
  CHECK(two.on("n2") == kShort);
  CHECK(two.explained("n2") ==
        "request 'r' of ResourceClaim 'ml/c' needs 2 devices of DeviceClass 'gpu': the node has "
        "1");
}

TEST_CASE("selectors of requests and classes choose devices") {
  const std::string is_b = selector("device.attributes[\"d.io\"].model == \"b\"");
  const Scenario by_request(kDevices + claim(request(is_b)), kPod);
  CHECK(by_request.on("n1") == "ok");
  CHECK(by_request.on("n2") == kShort);
  CHECK(by_request.explained("n2").ends_with(
      "of 1 on the node, 1 does not match 'device.attributes[\"d.io\"].model == \"b\"'"));
  const std::string by_class = kTwoNodes + device_class("gpu", is_b) +
                               slice("n1",
                                     "{name: d0, attributes: {model: "
                                     "{string: b}}}");
  CHECK(Scenario(by_class + claim(request()), kPod).on("n1") == "ok");
  CHECK(Scenario(by_class + claim(request()), kPod).on("n2") == kShort);
}

TEST_CASE("an error of a selector fails the attempt") {
  const std::string bad = selector("device.attributes[\"d.io\"].none == 1");
  CHECK(Scenario(kDevices + claim(request(bad)), kPod).event() ==
        "running \"DynamicResources\" filter plugin: claim ml/c: selector #0: CEL runtime error: "
        "no such key: none");
  const std::string other_domain = selector("device.attributes[\"x.io\"].?none.hasValue()");
  CHECK(Scenario(kDevices + claim(request(other_domain)), kPod).on("n1") == kShort);
  const std::string version =
      selector("\"x.io\" in device.attributes || device.driver == \"d.io\"");
  CHECK(Scenario(kDevices + claim(request(version)), kPod).on("n1") == "ok");
}

TEST_CASE("devices of other claims are in use, but not those with admin access") {
  const std::string other =
      object("ResourceClaim", "other", "devices: {requests: [" + request() + "]}", allocated("d0"));
  const Scenario used(kDevices + claim(request("count: 2")) + other, kPod);
  CHECK(used.on("n1") == kShort);
  CHECK(used.explained("n1").ends_with("of 2 on the node, 1 in use"));
  const std::string admin = object("ResourceClaim", "other", "devices: {requests: []}",
                                   allocated("d0", ", adminAccess: true"));
  CHECK(Scenario(kDevices + claim(request("count: 2")) + admin, kPod).on("n1") == "ok");
  const std::string with_access = claim(request("count: 2, adminAccess: true"));
  CHECK(Scenario(kDevices + with_access + other, kPod).on("n1") == "ok");
}

TEST_CASE("mode All takes every device, and none if one is in use") {
  const std::string all = claim(request("allocationMode: All"));
  CHECK(Scenario(kDevices + all, kPod).event() == "2/2 nodes are available.");
  const std::string other =
      object("ResourceClaim", "other", "devices: {requests: []}", allocated("d1"));
  CHECK(Scenario(kDevices + all + other, kPod).on("n1") == kShort);
  CHECK(Scenario(kTwoNodes + device_class() + all, kPod).on("n1") == kShort);
}

TEST_CASE("a claim that is allocated keeps its devices") {
  const std::string pinned =
      ", status: {allocation: {devices: {results: []}, nodeSelector: {nodeSelectorTerms: "
      "[{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}}";
  const Scenario scenario(kDevices + claim(request(), "", pinned), kPod);
  CHECK(scenario.on("n1") == "resourceclaim not available on the node");
  CHECK(scenario.on("n2") == "ok");
}

TEST_CASE("constraints compare attributes of the devices of a claim") {
  const std::string both = request("", "a") + ", " + request("", "b");
  const auto on_n1 = [&](const std::string& constraint) {
    return Scenario(kDevices + claim(both, constraint), kPod).on("n1");
  };
  CHECK(on_n1("{matchAttribute: d.io/model}") == kShort);
  CHECK(on_n1("{matchAttribute: d.io/model, requests: [a]}") == "ok");
  CHECK(on_n1("{distinctAttribute: d.io/model}") == "ok");
  CHECK(on_n1("{matchAttribute: d.io/none}") == kShort);
}

TEST_CASE("the first alternative with devices is taken") {
  const std::string alternatives =
      "{name: r, firstAvailable: [{name: many, deviceClassName: gpu, count: 9}, {name: one, "
      "deviceClassName: gpu}]}";
  CHECK(Scenario(kDevices + claim(alternatives), kPod).on("n2") == "ok");
  const std::string absent =
      "{name: r, firstAvailable: [{name: a, deviceClassName: none}, {name: b, deviceClassName: "
      "gpu}]}";
  CHECK(Scenario(kDevices + claim(absent), kPod).event() ==
        "0/2 nodes are available: request r/a: device class none does not exist.");
}

TEST_CASE("a missing claim or class rejects the pod, if all are known") {
  CHECK(Scenario(kDevices, kPod).event() ==
        "0/2 nodes are available: could not find ResourceClaim \"ml/c\".");
  CHECK(Scenario(kTwoNodes + claim(request()), kPod).event() ==
        "0/2 nodes are available: request r: device class gpu does not exist.");
  const std::string deleted =
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: "
      "ml, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {devices: {}}}\n";
  CHECK(Scenario(kDevices + deleted, kPod).event() ==
        "0/2 nodes are available: resourceclaim \"c\" is being deleted.");
  CHECK(Scenario(node("n1"), kPod).on("n1") ==
        "? ResourceClaim 'ml/c' is not given (kubectl get resourceclaims -o yaml prints it)");
  CHECK(Scenario(node("n1") + claim(request()), kPod).on("n1") ==
        "? DeviceClass 'gpu' is not given (kubectl get deviceclasses -o yaml prints it)");
  CHECK(Scenario(node("n1") + claim(request()) + device_class(), kPod)
            .on("n1")
            .starts_with("? the devices of the node are not known"));
}

TEST_CASE("only tolerated taints of devices allow allocation") {
  const std::string tainted =
      kTwoNodes + device_class() +
      slice("n1", "{name: d0, taints: [{key: k, value: v, effect: NoSchedule}]}") +
      slice("n2", "{name: d0, taints: [{key: k, value: v, effect: None}]}");
  const Scenario plain(tainted + claim(request()), kPod);
  CHECK(plain.on("n1") == kShort);
  CHECK(plain.on("n2") == "ok");
  CHECK(plain.explained("n1").ends_with("1 with taint 'k=v:NoSchedule', which is not tolerated"));
  const std::string tolerating = claim(request("tolerations: [{key: k, operator: Exists}]"));
  CHECK(Scenario(tainted + tolerating, kPod).on("n1") == "ok");
}

TEST_CASE("partitions of a device share its counters") {
  const std::string counters =
      object("ResourceSlice", "counters",
             "driver: d.io, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 2}, "
             "sharedCounters: [{name: g, counters: {memory: {value: 40Gi}}}]");
  const auto part = [](std::string_view name, std::string_view memory) {
    return fmt::format(
        "{{name: {}, consumesCounters: [{{counterSet: g, counters: {{memory: {{value: {}}}}}}}]}}",
        name, memory);
  };
  const std::string devices =
      object("ResourceSlice", "devices",
             "driver: d.io, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 2}, "
             "devices: [" +
                 part("whole", "40Gi") + ", " + part("half-0", "20Gi") + ", " +
                 part("half-1", "20Gi") + "]");
  const std::string facts = kTwoNodes + device_class() + counters + devices;
  CHECK(Scenario(facts + claim(request("count: 2")), kPod).on("n1") == "ok");
  CHECK(Scenario(facts + claim(request("count: 3")), kPod).on("n1") == kShort);
  const std::string other =
      object("ResourceClaim", "other", "devices: {requests: []}", allocated("whole"));
  CHECK(Scenario(facts + claim(request()) + other, kPod).on("n1") == kShort);
  CHECK(Scenario(kTwoNodes + device_class() + devices + claim(request()), kPod).on("n1") == kShort);
}

TEST_CASE("claims share the capacity of a device that allows it") {
  const std::string shared =
      kTwoNodes + device_class() +
      slice("n1",
            "{name: d0, allowMultipleAllocations: true, capacity: {memory: {value: 10Gi, "
            "requestPolicy: {default: 4Gi, validRange: {min: 2Gi, step: 2Gi}}}}}");
  const auto on_n1 = [&](const std::string& more, const std::string& other = "") {
    return Scenario(shared + claim(request(more)) + other, kPod).on("n1");
  };
  CHECK(on_n1("capacity: {requests: {memory: 9Gi}}") == "ok");
  CHECK(on_n1("capacity: {requests: {memory: 11Gi}}") == kShort);
  CHECK(on_n1("capacity: {requests: {cores: 1}}") == kShort);
  const std::string other =
      object("ResourceClaim", "other", "devices: {requests: []}",
             allocated("d0", ", shareID: s, consumedCapacity: {memory: 8Gi}"));
  CHECK(on_n1("capacity: {requests: {memory: 1Gi}}", other) == "ok");
  CHECK(on_n1("", other) == kShort);  // by default 4Gi
}

TEST_CASE("a pool without all its slices gives no devices") {
  const std::string pool =
      "driver: d.io, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 2}, devices: "
      "[{name: d0}]";
  const std::string facts = kTwoNodes + device_class() + object("ResourceSlice", "s", pool);
  CHECK(Scenario(facts + claim(request()), kPod).on("n1") == kShort);
  CHECK(Scenario(facts + claim(request("allocationMode: All")), kPod).event() ==
        "running \"DynamicResources\" filter plugin: claim ml/c, request r: asks for all devices, "
        "but resource pool d.io/p is currently being updated");
  const std::string twice = kTwoNodes + device_class() + slice("n1", "{name: d0}, {name: d0}");
  CHECK(Scenario(twice + claim(request()), kPod).on("n1") ==
        "invalid resource pools were encountered");
}

TEST_CASE("slices of older API versions are read") {
  const std::string old = object(
      "ResourceSlice", "s",
      "driver: d.io, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, "
      "devices: [{name: d0, basic: {attributes: {model: {string: a}}, capacity: {memory: {value: "
      "1Gi}}}}]",
      "", "v1beta1");
  const std::string flat =
      object("ResourceClaim", "c",
             "devices: {requests: [{name: r, deviceClassName: gpu, selectors: [{cel: {expression: "
             "'device.attributes[\"d.io\"].model == \"a\" && "
             "device.capacity[\"d.io\"].memory.compareTo(quantity(\"1Gi\")) == 0'}}]}]}",
             "", "v1beta1");
  CHECK(Scenario(kTwoNodes + device_class() + old + flat, kPod).on("n1") == "ok");
}

TEST_CASE("devices in the network are for the nodes that the slice selects") {
  const std::string network =
      object("ResourceSlice", "s",
             "driver: d.io, pool: {name: p, generation: 1, resourceSliceCount: 1}, nodeSelector: "
             "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}, "
             "devices: [{name: d0}]");
  const std::string facts =
      kWhole + node("n1", "zone: a") + node("n2", "zone: b") + device_class() + network;
  CHECK(Scenario(facts + claim(request()), kPod).on("n1") == "ok");
  CHECK(Scenario(facts + claim(request()), kPod).on("n2") == kShort);
}

TEST_CASE("each replica gets a claim of its own from a template") {
  const std::string made =
      object("ResourceClaimTemplate", "t", "spec: {devices: {requests: [" + request() + "]}}");
  const auto deployment = [](std::string_view source) {
    return fmt::format(
        "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: w, namespace: ml}}, spec: "
        "{{replicas: 4, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: "
        "b}}}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, "
        "{}}}]}}}}}}}}\n",
        source);
  };
  const Scenario own(kDevices + made, deployment("resourceClaimTemplateName: t"));
  const auto placements = own.placements();
  CHECK(placements.at(0).nodes.size() == 3);
  CHECK(
      placements.at(0).event.starts_with("0/2 nodes are available: 2 cannot allocate all claims."));
  // All replicas share one claim, and so its node.
  const Scenario shared(kDevices + claim(request()), deployment("resourceClaimName: c"));
  const auto together = shared.placements();
  CHECK(together.at(0).nodes == std::vector<std::size_t>(4, together.at(0).nodes.at(0)));
}

TEST_CASE("DeviceClasses serve extended resources on nodes without device plugin") {
  const std::string facts = kWhole + node("n1") + node("n2") +
                            node("n3", "", "", "cpu: 4, memory: 8Gi, pods: 10, x.io/gpu: 1") +
                            device_class("gpu", "extendedResourceName: x.io/gpu") +
                            slice("n1", "{name: d0}, {name: d1}") + slice("n2", "{name: d0}");
  const auto wants = [](std::string_view amount) {
    return pod_with(fmt::format("resources: {{limits: {{x.io/gpu: {}}}}}", amount));
  };
  CHECK(Scenario(facts, wants("1")).event() == "3/3 nodes are available.");
  const Scenario two(facts, wants("2"));
  CHECK(two.on("n1") == "ok");
  CHECK(two.on("n2") == kShort);
  CHECK(two.on("n3") == "Insufficient x.io/gpu");
  CHECK(two.explained("n2").starts_with(
      "request 'container-0-request-0' of extended resource 'x.io/gpu' needs 2 devices"));
  const std::string implicit =
      pod_with("resources: {limits: {deviceclass.resource.kubernetes.io/gpu: 2}}");
  CHECK(Scenario(facts, implicit).on("n1") == "ok");
  CHECK(Scenario(facts, implicit).on("n2") == kShort);
}

TEST_CASE("nodes that do not exist yet may have any devices") {
  const Scenario scenario(kDevices + node_pool("pool") + claim(request()), kPod);
  CHECK(scenario.on("pool").ends_with(
      "unknown which devices the pool's nodes have: ResourceSlices describe existing nodes"));
}

TEST_CASE("a search that takes too many steps is unknown") {
  std::string devices;
  for (int i = 0; i < 40; ++i) {
    devices += fmt::format("{}{{name: d{}, attributes: {{n: {{int: {}}}}}}}", i == 0 ? "" : ", ", i,
                           i / 2);
  }
  const std::string facts = kWhole + node("n1") + device_class() + slice("n1", devices);
  const std::string many = claim(request("count: 12", "a") + ", " + request("count: 12", "b"),
                                 "{matchAttribute: d.io/none, requests: [b]}");
  const Scenario scenario(facts + many, kPod);
  CHECK(scenario.on("n1").ends_with("the search takes too many steps"));
}

}  // namespace cnsched::sim::dynamic_resources_test
