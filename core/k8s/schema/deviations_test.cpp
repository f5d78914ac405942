#include "core/k8s/schema/deviations.h"
#include "core/yaml/node.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::deviations_test {

using Kind = Deviation::Kind;

constexpr auto kNames =
    std::to_array<std::string_view>({"unknown", "type", "missing", "choice", "quantity", "format",
                                     "range", "length", "count", "placeholder", "repeated"});

/// "type /spec/nodeSelector/a", in file order; "(pod)" marks those for which only pods are
/// rejected. A key is printed as its text.
std::string deviations_in(const std::string& text) {
  const Parsed parsed(text);
  auto found = deviations(parsed.object(), {});
  std::ranges::stable_sort(found, {}, [](const Deviation& d) { return d.node->span; });
  std::string words;
  for (const Deviation& d : found) {
    const bool absent = d.kind == Kind::missing_field;
    std::string place = yaml::pointer_to(*d.node, *parsed.object().root);
    if (place.empty() && !absent) place = std::string(parsed.at(d.node->span));
    if (absent) place += fmt::format("/{}", d.field->name);
    words += fmt::format("{}{} {}{}", words.empty() ? "" : "; ",
                         kNames[static_cast<std::size_t>(d.kind)], place,
                         d.rejected_in_pod ? " (pod)" : "");
  }
  return words;
}

/// A Pod whose spec also has these entries.
std::string pod_with(const std::string& entries) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  " + entries +
         "\n  containers: [{name: a, image: b}]\n";
}

std::string in_pod(const std::string& entries) { return deviations_in(pod_with(entries)); }

/// The deviations of a Pod whose container also has these entries.
std::string in_container(const std::string& entries) {
  return deviations_in("apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b, " +
                       entries + "}]}\n");
}

std::string in_predictor(const std::string& entries) {
  return deviations_in(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: {" +
      entries + "}}\n");
}

std::string in_predictor_container(const std::string& entries) {
  return in_predictor("containers: [{name: a, image: b, " + entries + "}]");
}

std::string in_spec(const std::string& api_version, const std::string& kind,
                    const std::string& entries) {
  return deviations_in("apiVersion: " + api_version + "\nkind: " + kind + "\nspec: {" + entries +
                       "}\n");
}

/// The deviations of an LLMInferenceService, or its Config, whose route has these entries.
std::string in_route(const std::string& kind, const std::string& entries) {
  return in_spec("serving.kserve.io/v1alpha2", kind,
                 "model: {uri: \"hf://a/b\"}, router: {route: {" + entries + "}}");
}

TEST_CASE("an object that matches its table has no deviation") {
  CHECK(in_pod("nodeSelector: {gpu: a100}").empty());
  CHECK(in_predictor("minReplicas: 1, model: {modelFormat: {name: onnx}}").empty());
}

TEST_CASE("finds an unknown field at every depth and ignores what is below it") {
  CHECK(deviations_in(
            "apiVersion: v1\nkind: Pod\nspecs: {}\nspec: {containers: [{name: a, image: b}]}\n") ==
        "unknown /specs");
  CHECK(in_pod("nodeselector: {a: 1, b: {c: [true]}}") == "unknown /spec/nodeselector");
  CHECK(in_container("imagePullpolicy: [1]") == "unknown /spec/containers/0/imagePullpolicy");
  CHECK(in_predictor("model: {framework: {name: 1}}") == "unknown /spec/predictor/model/framework");
  CHECK(in_pod("Hostname: a") == "unknown /spec/Hostname");
}

TEST_CASE("finds an empty unknown field") {
  CHECK(in_pod("gpu:") == "unknown /spec/gpu");
  CHECK(in_predictor("gpu: null") == "unknown /spec/predictor/gpu");
  CHECK(in_pod("gpu: {}") == "unknown /spec/gpu");
}

TEST_CASE("finds a key that no field can have") {
  CHECK(in_pod("1: b") == "unknown /spec/1");
  CHECK(in_pod("true: b") == "unknown /spec/true");
  CHECK(in_pod("'': b") == "unknown /spec/");
}

TEST_CASE("keys of a map are the user's") {
  CHECK(in_pod("nodeSelector: {anything: a, 'example.com/x y': b}").empty());
  CHECK(deviations_in("apiVersion: v1\nkind: ConfigMap\ndata: {a: b, '': c}\n").empty());
}

TEST_CASE("status may contain anything in a custom resource, but not in a pod") {
  CHECK(deviations_in("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
                      "spec: {predictor: {}}\nstatus: {anything: [1, {a: b}]}\n")
            .empty());
  CHECK(deviations_in("apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}]}\n"
                      "status: {phase: Running, anything: 1}\n") == "unknown /status/anything");
}

TEST_CASE("a required field is missing if it is absent or null, but not if it is empty") {
  CHECK(in_spec("v1", "Pod", "restartPolicy: Never") == "missing /spec/containers");
  CHECK(in_spec("v1", "Pod", "containers: null") == "missing /spec/containers");
  CHECK(in_spec("mlops.seldon.io/v1alpha1", "ServerConfig", "podSpec: {containers: []}").empty());
  CHECK(in_spec("v1", "Pod", "containers: [{image: a}]") == "missing /spec/containers/0/name");
  CHECK(in_spec("v1", "Pod", "containers: [{name: '', image: ''}]").empty());
  CHECK(deviations_in("apiVersion: v1\nkind: Pod\n") == "missing /spec");
  CHECK(deviations_in("apiVersion: v1\nkind: Pod\nspec:\n") == "missing /spec");
  CHECK(deviations_in("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n").empty());
  CHECK(in_spec("serving.kserve.io/v1beta1", "InferenceService", "") == "missing /spec/predictor");
}

TEST_CASE("reports each missing required field") {
  CHECK(in_pod("topologySpreadConstraints: [{labelSelector: {}}]") ==
        "missing /spec/topologySpreadConstraints/0/maxSkew; "
        "missing /spec/topologySpreadConstraints/0/topologyKey; "
        "missing /spec/topologySpreadConstraints/0/whenUnsatisfiable");
}

TEST_CASE("reports a missing field with its mapping, field and type") {
  const Parsed parsed("apiVersion: v1\nkind: Pod\nspec: {}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  CHECK(found.front().node == &parsed.root()["spec"]);
  CHECK(found.front().type->name == "RunnablePodSpec");
  CHECK(found.front().holder->name == "RunnablePodSpec");
  CHECK(found.front().field->name == "containers");
}

TEST_CASE("reports a deviating value with its type, its field and the field's type") {
  const Parsed parsed(
      "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}], priority: high}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  CHECK(found.front().node == &parsed.root()["spec"]["priority"]);
  CHECK(found.front().type->name == "int32");
  CHECK(found.front().holder->name == "RunnablePodSpec");
  CHECK(found.front().field->name == "priority");
}

TEST_CASE("null counts as absent in a pod and in a custom resource") {
  CHECK(in_pod("nodeSelector: null").empty());
  CHECK(in_pod("nodeSelector: {a: null}").empty());
  CHECK(in_pod("priority: ~").empty());
  CHECK(in_predictor("nodeSelector: null").empty());
  CHECK(in_predictor("nodeSelector: {a: null}").empty());
  CHECK(in_predictor("minReplicas:").empty());
  CHECK(in_predictor("minReplicas: ''") == "type /spec/predictor/minReplicas");
}

TEST_CASE("null in a list of strings is the empty string in a pod only") {
  CHECK(in_container("args: [a, null]").empty());
  CHECK(in_predictor_container("args: [a, null]") == "type /spec/predictor/containers/0/args/1");
}

TEST_CASE("null is not an object of a list") {
  CHECK(in_spec("v1", "Pod", "containers: [null]") == "type /spec/containers/0");
  CHECK(in_pod("tolerations: [~]") == "type /spec/tolerations/0");
  CHECK(in_predictor("tolerations: [~]") == "type /spec/predictor/tolerations/0");
}

TEST_CASE("a string is not a number, boolean, list or mapping") {
  CHECK(in_pod("hostname: a").empty());
  CHECK(in_pod("hostname: '8'").empty());
  CHECK(in_pod("hostname: 2024-01-01").empty());
  CHECK(in_pod("hostname: 8") == "type /spec/hostname");
  CHECK(in_pod("hostname: 1.10") == "type /spec/hostname");
  CHECK(in_pod("hostname: 0x10") == "type /spec/hostname");
  CHECK(in_pod("hostname: true") == "type /spec/hostname");
  CHECK(in_pod("hostname: y") == "type /spec/hostname");
  CHECK(in_pod("hostname: [a]") == "type /spec/hostname");
  CHECK(in_pod("hostname: {a: b}") == "type /spec/hostname");
  CHECK(in_pod("hostname: {}") == "type /spec/hostname");
}

TEST_CASE("a number that JSON does not have reaches the API server as a string") {
  CHECK(in_pod("hostname: .inf").empty());
  CHECK(in_pod("hostname: .NaN").empty());
  CHECK(in_pod("priority: .inf") == "type /spec/priority");
}

TEST_CASE("checks every value of a map and every item of a list") {
  CHECK(in_pod("nodeSelector: {a: b, c: 1, d: true}") ==
        "type /spec/nodeSelector/c; type /spec/nodeSelector/d");
  CHECK(in_container("args: [a, 1, 'b', off]") ==
        "type /spec/containers/0/args/1; type /spec/containers/0/args/3");
}

TEST_CASE("lists, mappings and scalars are distinct") {
  CHECK(in_pod("tolerations: {key: a}") == "type /spec/tolerations");
  CHECK(in_pod("tolerations: {}") == "type /spec/tolerations");
  CHECK(in_pod("tolerations: a") == "type /spec/tolerations");
  CHECK(in_pod("tolerations: ''") == "type /spec/tolerations");
  CHECK(in_pod("nodeSelector: [a]") == "type /spec/nodeSelector");
  CHECK(in_pod("nodeSelector: a") == "type /spec/nodeSelector");
  CHECK(in_pod("affinity: []") == "type /spec/affinity");
  CHECK(in_pod("tolerations: [key]") == "type /spec/tolerations/0");
  CHECK(in_pod("tolerations: [[{key: a}]]") == "type /spec/tolerations/0");
}

TEST_CASE("an integer is a JSON number without a dot") {
  for (const std::string number : {"0", "8", "-8", "+8", "1.0", "1e3", "010", "0x10", "0b11",
                                   "0o17", "1_000", "2147483647", "-2147483648"}) {
    CAPTURE(number);
    CHECK(in_pod("priority: " + number).empty());
    CHECK(in_predictor("scaleTarget: " + number).empty());
  }
  for (const std::string other :
       {"1.5", "1e-1", "'8'", "\"8\"", "eight", "true", "''", "[8]", "8m", "1e30", "1:30", "0x"}) {
    CAPTURE(other);
    CHECK(in_predictor("scaleTarget: " + other) == "type /spec/predictor/scaleTarget");
  }
}

TEST_CASE("an integer has to fit its width") {
  CHECK(in_pod("priority: 2147483648") == "range /spec/priority");
  CHECK(in_pod("priority: 3000000000") == "range /spec/priority");
  CHECK(in_pod("priority: -2147483649") == "range /spec/priority");
  CHECK(in_pod("priority: 3e9") == "range /spec/priority");
  CHECK(in_predictor("minReplicas: 3000000000") == "range /spec/predictor/minReplicas");
  CHECK(in_pod("activeDeadlineSeconds: 3000000000").empty());
  CHECK(in_pod("activeDeadlineSeconds: 9223372036854775807").empty());
  CHECK(in_pod("activeDeadlineSeconds: 9223372036854775808") ==
        "range /spec/activeDeadlineSeconds");
}

TEST_CASE("a boolean is what YAML 1.1 reads as one") {
  for (const std::string truth : {"true", "false", "yes", "on", "off", "n", "True", "NO"}) {
    CAPTURE(truth);
    CHECK(in_pod("hostNetwork: " + truth).empty());
  }
  for (const std::string other : {"'true'", "\"yes\"", "1", "0", "tRUE", "t", "''", "[true]"}) {
    CAPTURE(other);
    CHECK(in_pod("hostNetwork: " + other) == "type /spec/hostNetwork");
  }
}

TEST_CASE("a quantity is a string or an integer, and in a pod any number") {
  for (const std::string quantity : {"'1'", "1", "500m", "'0.5'", "16Gi", "1e3", "1.0"}) {
    CAPTURE(quantity);
    CHECK(in_container("resources: {limits: {cpu: " + quantity + "}}").empty());
    CHECK(in_predictor_container("resources: {limits: {cpu: " + quantity + "}}").empty());
  }
  CHECK(in_container("resources: {limits: {cpu: 0.5}}").empty());
  CHECK(in_predictor_container("resources: {limits: {cpu: 0.5}}") ==
        "type /spec/predictor/containers/0/resources/limits/cpu");
  CHECK(in_container("resources: {limits: {cpu: true}}") ==
        "type /spec/containers/0/resources/limits/cpu");
  CHECK(in_container("resources: {limits: {cpu: [1]}}") ==
        "type /spec/containers/0/resources/limits/cpu");
}

TEST_CASE("finds a string that is not a quantity") {
  CHECK(in_container("resources: {limits: {memory: 4GB}}") ==
        "quantity /spec/containers/0/resources/limits/memory");
  CHECK(in_predictor_container("resources: {limits: {memory: 4 Gi}}") ==
        "quantity /spec/predictor/containers/0/resources/limits/memory");
  CHECK(in_container("resources: {limits: {memory: ''}}") ==
        "quantity /spec/containers/0/resources/limits/memory");
  CHECK(in_spec("mlops.seldon.io/v1alpha1", "Model", "storageUri: a, memory: lots") ==
        "quantity /spec/memory");
}

TEST_CASE("a port of a probe is an integer or a string") {
  const auto probe = [](const std::string& port) {
    return in_container("readinessProbe: {tcpSocket: {port: " + port + "}}");
  };
  const std::string place = "/spec/containers/0/readinessProbe/tcpSocket/port";
  CHECK(probe("8080").empty());
  CHECK(probe("http").empty());
  CHECK(probe("'8080'").empty());
  CHECK(probe("8080.0").empty());
  CHECK(probe("80.5") == "type " + place);
  CHECK(probe("true") == "type " + place);
  CHECK(probe("[8080]") == "type " + place);
}

TEST_CASE("a time is a string, which YAML's dates are") {
  const auto taint = [](const std::string& time) {
    return in_spec("v1", "Node", "taints: [{key: a, effect: NoSchedule, timeAdded: " + time + "}]");
  };
  CHECK(taint("2024-01-01T00:00:00Z").empty());
  CHECK(taint("'2024-01-01T00:00:00Z'").empty());
  CHECK(taint("2024") == "type /spec/taints/0/timeAdded");
}

TEST_CASE("an enum value is case-sensitive, quotes do not matter") {
  CHECK(in_pod("restartPolicy: Never").empty());
  CHECK(in_pod("restartPolicy: 'Never'").empty());
  CHECK(in_pod("restartPolicy: never") == "choice /spec/restartPolicy");
  CHECK(in_pod("restartPolicy: ''") == "choice /spec/restartPolicy");
  CHECK(in_predictor("scaleMetric: rps").empty());
  CHECK(in_predictor("scaleMetric: qps") == "choice /spec/predictor/scaleMetric");
  CHECK(in_predictor("scaleMetric: 1") == "type /spec/predictor/scaleMetric");
}

TEST_CASE("an enum may contain the empty string") {
  const auto host_path = [](const std::string& type) {
    return in_pod("volumes: [{name: a, hostPath: {path: /a, type: " + type + "}}]");
  };
  CHECK(host_path("''").empty());
  CHECK(host_path("File").empty());
  CHECK(host_path("' '") == "choice /spec/volumes/0/hostPath/type");
}

TEST_CASE("an enum may contain numbers") {
  const auto redirect = [](const std::string& code) {
    return in_route("LLMInferenceService",
                    "http: {spec: {rules: [{filters: [{type: RequestRedirect, requestRedirect: "
                    "{statusCode: " +
                        code + "}}]}]}}");
  };
  const std::string place =
      "/spec/router/route/http/spec/rules/0/filters/0/requestRedirect/statusCode";
  CHECK(redirect("301").empty());
  CHECK(redirect("308").empty());
  CHECK(redirect("301.0").empty());
  CHECK(redirect("0x12d").empty());
  CHECK(redirect("304") == "choice " + place);
  CHECK(redirect("'301'") == "type " + place);
}

TEST_CASE("values that pod validation rejects are found in custom resources") {
  CHECK(in_predictor("restartPolicy: never") == "choice /spec/predictor/restartPolicy (pod)");
  CHECK(in_predictor_container("ports: [{containerPort: 65536}]") ==
        "range /spec/predictor/containers/0/ports/0/containerPort (pod)");
  CHECK(in_predictor_container("ports: [{containerPort: 3000000000}]") ==
        "range /spec/predictor/containers/0/ports/0/containerPort");
  CHECK(in_container("ports: [{containerPort: 65536}]") ==
        "range /spec/containers/0/ports/0/containerPort");
}

TEST_CASE("a range includes both ends") {
  const auto port = [](const std::string& number) {
    return in_container("ports: [{containerPort: " + number + "}]");
  };
  CHECK(port("1").empty());
  CHECK(port("65535").empty());
  CHECK(port("65535.0").empty());
  CHECK(port("0") == "range /spec/containers/0/ports/0/containerPort");
  CHECK(port("65536") == "range /spec/containers/0/ports/0/containerPort");
  CHECK(port("-1") == "range /spec/containers/0/ports/0/containerPort");
  const auto tensor = [](const std::string& number) {
    return in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService",
                   "parallelism: {tensor: " + number + "}");
  };
  CHECK(tensor("1").empty());
  CHECK(tensor("0") == "range /spec/parallelism/tensor");
}

TEST_CASE("a length includes both ends and counts characters") {
  const auto gateway = [](const std::string& name) {
    return in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService",
                   "router: {gateway: {refs: [{name: '" + name + "'}]}}");
  };
  CHECK(gateway("a").empty());
  CHECK(gateway(std::string(253, 'a')).empty());
  std::string accented;
  for (int i = 0; i < 253; ++i) accented += "ä";
  CHECK(gateway(accented).empty());
  CHECK(gateway("") == "length /spec/router/gateway/refs/0/name");
  CHECK(gateway(std::string(254, 'a')) == "length /spec/router/gateway/refs/0/name");
}

TEST_CASE("reports a wrong format once, also if the text is too long") {
  const auto group = [](const std::string& name) {
    return in_route("LLMInferenceService", "group: '" + name + "'");
  };
  CHECK(group("a-b").empty());
  CHECK(group("a_b") == "format /spec/router/route/group");
  CHECK(group("-") == "format /spec/router/route/group");
  CHECK(group("") == "length /spec/router/route/group");
  CHECK(group(std::string(64, '_')) == "length /spec/router/route/group");
}

TEST_CASE("a count includes both ends") {
  const auto hostnames = [](std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count; ++i) names += "a,";
    return in_route("LLMInferenceService", "http: {spec: {hostnames: [" + names + "]}}");
  };
  CHECK(hostnames(0).empty());
  CHECK(hostnames(16).empty());
  CHECK(hostnames(17) == "count /spec/router/route/http/spec/hostnames");
  CHECK(in_predictor("storageUris: []") == "count /spec/predictor/storageUris");
  CHECK(in_predictor("storageUris: [{uri: a}]").empty());
}

TEST_CASE("the router of an LLMInferenceServiceConfig may contain templates") {
  const std::string empty_name = "group: ''";
  CHECK(in_route("LLMInferenceServiceConfig", empty_name).empty());
  CHECK(in_route("LLMInferenceService", empty_name) == "length /spec/router/route/group");
  const std::string format = "group: '{{ .Name }}'";
  CHECK(in_route("LLMInferenceServiceConfig", format).empty());
  CHECK(in_route("LLMInferenceService", format) == "placeholder /spec/router/route/group");
  const std::string no_rules = "http: {spec: {rules: []}}";
  CHECK(in_route("LLMInferenceServiceConfig", no_rules).empty());
  CHECK(in_route("LLMInferenceService", no_rules) == "count /spec/router/route/http/spec/rules");
}

TEST_CASE("the pods of an LLMInferenceServiceConfig may contain templates") {
  const std::string memory =
      "template: {containers: [{name: a, image: b, resources: {limits: {memory: '{{ .Memory "
      "}}'}}}]}";
  CHECK(in_spec("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig", memory).empty());
  CHECK(in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService", memory) ==
        "placeholder /spec/template/containers/0/resources/limits/memory");
}

TEST_CASE("a templated field is checked for everything but formats") {
  CHECK(in_route("LLMInferenceServiceConfig", "group: '" + std::string(64, 'a') + "'") ==
        "length /spec/router/route/group");
  CHECK(in_route("LLMInferenceServiceConfig", "weight: -1") == "range /spec/router/route/weight");
  CHECK(in_route("LLMInferenceServiceConfig", "weight: a") == "type /spec/router/route/weight");
  CHECK(in_route("LLMInferenceServiceConfig", "wait: 1") == "unknown /spec/router/route/wait");
  CHECK(in_spec("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig",
                "router: {}, scaling: {maxReplicas: 1, wva: {variantCost: ten}}") ==
        "format /spec/scaling/wva/variantCost");
}

TEST_CASE("no two items of a list may share its keys") {
  CHECK(in_spec("v1", "Pod", "containers: [{name: a, image: b}, {name: b, image: b}]").empty());
  CHECK(in_spec("v1", "Pod",
                "containers: [{name: a, image: b}, {name: b, image: b}, {name: 'a', image: b}, "
                "{name: a, image: b}]") ==
        "repeated /spec/containers/2; repeated /spec/containers/3");
  CHECK(in_spec("v1", "Pod",
                "containers: [{name: a, image: b}], initContainers: [{name: a, image: b}]")
            .empty());
}

TEST_CASE("reports a repeated item with the first item and the list") {
  const Parsed parsed(
      "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}, {name: b, image: b}, "
      "{name: b, image: b}]}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  const yaml::Node& containers = parsed.root()["spec"]["containers"];
  CHECK(found.front().node == &containers.at(2));
  CHECK(found.front().first == &containers.at(1));
  CHECK(found.front().field->name == "containers");
  CHECK(found.front().holder->name == "RunnablePodSpec");
}

TEST_CASE("items without keys are distinct") {
  CHECK(in_spec("v1", "Pod", "containers: [{image: b}, {image: b}]") ==
        "missing /spec/containers/0/name; missing /spec/containers/1/name");
  CHECK(in_spec("v1", "Pod", "containers: [{name: [a], image: b}, {name: [a], image: b}]") ==
        "type /spec/containers/0/name; type /spec/containers/1/name");
  CHECK(in_spec("v1", "Pod", "containers: [a, a]") ==
        "type /spec/containers/0; type /spec/containers/1");
}

TEST_CASE("the protocol of a port defaults to TCP") {
  const auto ports = [](const std::string& second) {
    return in_container("ports: [{containerPort: 80}, " + second + "]");
  };
  CHECK(ports("{containerPort: 81}").empty());
  CHECK(ports("{containerPort: 80, protocol: UDP}").empty());
  CHECK(ports("{containerPort: 80}") == "repeated /spec/containers/0/ports/1");
  CHECK(ports("{containerPort: 0x50}") == "repeated /spec/containers/0/ports/1");
  CHECK(ports("{containerPort: 80.0}") == "repeated /spec/containers/0/ports/1");
  CHECK(ports("{containerPort: 80, protocol: TCP}") == "repeated /spec/containers/0/ports/1");
  CHECK(ports("{containerPort: 80, protocol: null}") == "repeated /spec/containers/0/ports/1");
}

TEST_CASE("keys are compared one by one") {
  CHECK(in_pod("topologySpreadConstraints: ["
               "{maxSkew: 1, topologyKey: zoneDoNotSchedule, whenUnsatisfiable: ScheduleAnyway}, "
               "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, "
               "{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}, "
               "{maxSkew: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]") ==
        "repeated /spec/topologySpreadConstraints/3");
  CHECK(in_pod("topologySpreadConstraints: ["
               "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, "
               "{maxSkew: 1, topologyKey: zoneDo, whenUnsatisfiable: NotSchedule}]") ==
        "choice /spec/topologySpreadConstraints/1/whenUnsatisfiable");
}

TEST_CASE("the kind decides whether the object or its pod is rejected for a repeated container") {
  CHECK(in_predictor("containers: [{name: a, image: b}, {name: a}]") ==
        "repeated /spec/predictor/containers/1 (pod)");
  CHECK(in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService",
                "template: {containers: [{name: a, image: b}, {name: a}]}") ==
        "repeated /spec/template/containers/1");
}

TEST_CASE("the last of a duplicate key counts") {
  CHECK(in_pod("hostname: 1\n  hostname: a").empty());
  CHECK(in_pod("hostname: a\n  hostname: 1") == "type /spec/hostname");
  CHECK(in_pod("gpu: 1\n  gpu: 2") == "unknown /spec/gpu");
  CHECK(in_pod("nodeSelector: {a: 1, a: b}").empty());
  CHECK(in_spec("v1", "Pod", "containers: [{name: a, image: b}], containers: null") ==
        "missing /spec/containers");
}

TEST_CASE("patch directives are not fields") {
  CHECK(in_pod("$patch: replace").empty());
  CHECK(in_container("$patch: delete").empty());
  CHECK(in_pod("$setElementOrder/containers: [{name: a, image: b}]").empty());
  CHECK(in_pod("$retainKeys: [a]").empty());
  CHECK(in_pod("$deleteFromPrimitiveList/finalizers: [a]").empty());
}

TEST_CASE("reports a placeholder where the field does not accept it") {
  CHECK(in_pod("hostname: ${HOST}").empty());
  CHECK(in_pod("nodeSelector: {gpu: <gpu>}").empty());
  CHECK(in_pod("priority: ${PRIORITY}") == "placeholder /spec/priority");
  CHECK(in_pod("hostNetwork: '{{ .Values.host }}'") == "placeholder /spec/hostNetwork");
  CHECK(in_pod("restartPolicy: ${POLICY}") == "placeholder /spec/restartPolicy");
  CHECK(in_container("resources: {limits: {memory: '${MEMORY}'}}") ==
        "placeholder /spec/containers/0/resources/limits/memory");
  CHECK(in_pod("tolerations: ${TOLERATIONS}") == "placeholder /spec/tolerations");
  CHECK(in_pod("tolerations: [$TOLERATION]") == "placeholder /spec/tolerations/0");
  CHECK(in_predictor("scaleMetric: <metric>") == "placeholder /spec/predictor/scaleMetric");
}

TEST_CASE("accepts a placeholder where only pod validation rejects it") {
  CHECK(in_predictor("restartPolicy: $POLICY").empty());
  CHECK(in_predictor("priority: $PRIORITY") == "placeholder /spec/predictor/priority");
}

TEST_CASE("reports a placeholder key at the key") {
  CHECK(in_pod("${KEY}: a") == "placeholder /spec/${KEY}");
  CHECK(in_pod("'{{ .key }}': {a: 1}") == "placeholder /spec/{{ .key }}");
  CHECK(in_pod("nodeSelector: {<label>: a}").empty());
}

TEST_CASE("checks common fields below an open type") {
  const auto knative = [](const std::string& entries) {
    return in_spec("operator.knative.dev/v1beta1", "KnativeServing", entries);
  };
  CHECK(knative("anything: {goes: [1, true]}, ingress: 1").empty());
  CHECK(knative("config: {features: {a: enabled}}").empty());
  CHECK(knative("config: {features: {a: true}}") == "type /spec/config/features/a");
  CHECK(knative("config: {features: [a]}") == "type /spec/config/features");
  CHECK(knative("deployments: [{name: a, nodeSelector: {a: 1}}]") ==
        "type /spec/deployments/0/nodeSelector/a");
  CHECK(knative("workloads: [{tolerations: [{key: a, value: true}]}]") ==
        "type /spec/workloads/0/tolerations/0/value");
}

TEST_CASE("accepts anything below a field of type any") {
  CHECK(in_spec(
            "machinelearning.seldon.io/v1", "SeldonDeployment",
            "predictors: [{name: a, graph: {name: a}, componentSpecs: [{metadata: [1, {a: no}]}]}]")
            .empty());
  CHECK(in_spec("machinelearning.seldon.io/v1", "SeldonDeployment",
                "predictors: [{name: a, graph: {name: a, children: [{children: [{nam: b}]}]}}]") ==
        "missing /spec/predictors/0/graph/children/0/name; "
        "missing /spec/predictors/0/graph/children/0/children/0/name; "
        "unknown /spec/predictors/0/graph/children/0/children/0/nam");
}

TEST_CASE("reports only wrong types of common fields for a kind without a table") {
  const auto karpenter = [](const std::string& entries) {
    return in_spec("karpenter.sh/v1", "NodePool", entries);
  };
  CHECK(karpenter("anything: 1, weigh: {a: [true]}").empty());
  CHECK(karpenter("template: {spec: {taints: [{key: a, value: true, effect: NoSchedule}]}}") ==
        "type /spec/template/spec/taints/0/value");
  CHECK(karpenter("template: {spec: {requirements: [{key: a, operator: In, values: [1, b]}]}}") ==
        "type /spec/template/spec/requirements/0/values/0");
  CHECK(karpenter("template: {metadata: {labels: {a: true}}}") ==
        "type /spec/template/metadata/labels/a");
  CHECK(karpenter("nodeSelector: a") == "type /spec/nodeSelector");
  CHECK(karpenter("replicas: '1'") == "type /spec/replicas");
}

TEST_CASE("reports nothing else about common fields for a kind without a table") {
  const auto karpenter = [](const std::string& entries) {
    return in_spec("karpenter.sh/v1", "NodePool", entries);
  };
  CHECK(karpenter("taints: [{ky: a, minValues: 1}]").empty());
  CHECK(karpenter("replicas: -1").empty());
  CHECK(karpenter("replicas: $REPLICAS").empty());
  CHECK(karpenter("env: [{name: a, value: b}, {name: a, value: c}]").empty());
  CHECK(karpenter("taints: a").empty());
  CHECK(karpenter("labels: [a]").empty());
  CHECK(karpenter("args: a").empty());
}

TEST_CASE("a version without a table is a kind without a table") {
  CHECK(in_spec("serving.kserve.io/v1alpha1", "InferenceService", "predicter: {}").empty());
  CHECK(in_spec("serving.kserve.io/v1alpha1", "InferenceService",
                "predicter: {nodeSelector: {a: 1}}") == "type /spec/predicter/nodeSelector/a");
}

TEST_CASE("checks the items of a List") {
  CHECK(deviations_in(
            "apiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: Pod, spec: {containers: [{name: a, image: b}], gpu: 1}}\n") ==
        "unknown /spec/gpu");
}

TEST_CASE("an alias is checked against the type of its place") {
  CHECK(in_pod("nodeSelector: &labels {a: b}\n  overhead: *labels") ==
        "quantity /spec/nodeSelector/a");
  CHECK(in_pod("hostname: &number '8'\n  priority: *number") == "type /spec/priority");
  CHECK(in_pod("nodeSelector: &labels {a: b}\n  tolerations: *labels") == "type /spec/tolerations");
}

TEST_CASE("an aliased scalar is checked against each field") {
  CHECK(in_pod("hostname: &x Never\n  subdomain: *x\n  dnsPolicy: *x\n  restartPolicy: *x") ==
        "choice /spec/dnsPolicy");
  CHECK(in_spec("v1", "Pod",
                "priority: &x 0, containers: [{name: a, image: b, ports: [{hostPort: *x, "
                "containerPort: *x}]}]") == "range /spec/containers/0/ports/0/containerPort");
}

TEST_CASE("an aliased list is checked against each field") {
  CHECK(in_spec("serving.kserve.io/v1alpha1", "ServingRuntime",
                "containers: &x [{name: a}, {name: a}], workerSpec: {containers: *x}") ==
        "repeated /spec/containers/1 (pod); repeated /spec/containers/1 (pod)");
  CHECK(in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService",
                "template: {containers: [{name: a, image: b, command: &x [a, a, a, a, a, a, a, a, "
                "a, a, a, "
                "a, a, a, a, a, a], args: *x}]}, "
                "router: {route: {http: {spec: {hostnames: *x}}}}") ==
        "count /spec/router/route/http/spec/hostnames");
}

TEST_CASE("a mistake in an aliased value is reported once") {
  CHECK(in_spec("v1", "Pod",
                "containers: [{name: a, image: b, env: &env [{name: A, valeu: a}, {name: A}]}, "
                "{name: b, image: b, env: *env}, {name: c, image: b, env: *env}]") ==
        "unknown /spec/containers/0/env/0/valeu; repeated /spec/containers/0/env/1");
  CHECK(in_pod("tolerations: [&t {value: 1}, *t, *t]") == "type /spec/tolerations/0/value");
  CHECK(in_pod("readinessGates: [&gate {}, *gate, *gate]") ==
        "missing /spec/readinessGates/0/conditionType");
}

TEST_CASE("a wrong aliased scalar is reported for each field") {
  CHECK(in_container("args: [&x 1, *x, *x]") ==
        "type /spec/containers/0/args/0; type /spec/containers/0/args/1; "
        "type /spec/containers/0/args/2");
  CHECK(in_predictor("minReplicas: &x '1', maxReplicas: *x") ==
        "type /spec/predictor/minReplicas; type /spec/predictor/maxReplicas");
}

TEST_CASE("each alias of an item is another item") {
  CHECK(in_spec("v1", "Pod", "containers: [{name: a, image: b}, &c {name: a, image: b}, *c]") ==
        "repeated /spec/containers/1; repeated /spec/containers/2");
}

TEST_CASE("merged entries are checked where they are merged") {
  CHECK(in_spec("v1", "Pod", "containers: [&base {name: a, image: a}, {<<: *base, name: b}]")
            .empty());
  CHECK(in_spec("v1", "Pod",
                "containers: [{name: a, image: b, env: [{name: a}, {<<: {name: a}}]}]") ==
        "repeated /spec/containers/0/env/1");
  CHECK(in_spec("v1", "Pod", "containers: [&base {image: a, name: a}, {<<: *base, tty: 1}]") ==
        "repeated /spec/containers/1; type /spec/containers/1/tty");
}

TEST_CASE("a merged mistake is reported once, and not where it is overridden") {
  CHECK(in_spec(
            "v1", "Pod",
            "containers: [&base {name: a, image: b, imagePolicy: a, tty: 1}, {<<: *base, name: b}, "
            "{<<: *base, name: c}]") ==
        "unknown /spec/containers/0/imagePolicy; type /spec/containers/0/tty");
  CHECK(in_spec("v1", "Pod",
                "containers: [{<<: {imagePolicy: a, tty: 1}, tty: true, name: a, image: b}]") ==
        "unknown /spec/containers/0/imagePolicy");
}

TEST_CASE("reports a value that is wrong only where it is merged") {
  CHECK(in_pod("nodeSelector: &labels {a: b}\n  securityContext: {<<: *labels}") ==
        "unknown /spec/nodeSelector/a");
}

TEST_CASE("checks aliases of hundreds of thousands of values in time") {
  std::string graph = "a0: &a0 {name: a, modelUri: 1}";
  for (int level = 1; level <= 5; ++level) {
    std::string children;
    for (int i = 0; i < 9; ++i) children += fmt::format("*a{}, ", level - 1);
    graph += fmt::format(", a{}: &a{} {{name: a, children: [{}]}}", level, level, children);
  }
  CHECK(in_spec(
            "machinelearning.seldon.io/v1", "SeldonDeployment",
            "predictors: [{name: a, componentSpecs: [{metadata: {" + graph + "}}], graph: *a5}]") ==
        "type /spec/predictors/0/componentSpecs/0/metadata/a0/modelUri");
}

TEST_CASE("checks aliases below containers in time") {
  std::string env = "env: &env [";
  for (int i = 0; i < 300; ++i) env += fmt::format("{{name: A{}, valeu: a}}, ", i);
  std::string containers;
  for (int i = 0; i < 300; ++i)
    containers += fmt::format(", {{name: a{}, image: b, env: *env}}", i);
  const std::string found =
      in_spec("v1", "Pod", "containers: [{name: a, image: b, " + env + "]}" + containers + "]");
  CHECK(std::ranges::count(found, ';') == 299);
}

TEST_CASE("checks many merges of a large mapping in time") {
  std::string unknown;
  for (int i = 0; i < 300; ++i) unknown += fmt::format(", unknown{}: a", i);
  std::string containers;
  for (int i = 0; i < 300; ++i) containers += fmt::format(", {{<<: *base, name: a{}}}", i);
  const std::string found = in_spec(
      "v1", "Pod", "containers: [&base {name: a, image: b" + unknown + "}" + containers + "]");
  CHECK(std::ranges::count(found, ';') == 299);
}

}  // namespace cnsched::k8s::schema::deviations_test
