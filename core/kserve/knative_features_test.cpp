#include "core/kserve/knative_features.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::kserve {

namespace {

using Kind = FeatureVerdict::Kind;

/// "flag field" of everything gated in a pod spec, in order.
std::vector<std::string> gated(const std::string& pod) {
  const test::Parsed parsed(pod);
  std::vector<std::string> lines;
  for (const GatedField& field : gated_fields(parsed.root())) {
    lines.push_back(std::string(field.feature->flag) + " " + field.field);
  }
  return lines;
}

std::string flag_of(const std::string& pod) {
  const auto lines = gated(pod);
  REQUIRE(lines.size() == 1);
  return lines.front().substr(0, lines.front().find(' '));
}

/// What the flag is where a ConfigMap holds these data.
FeatureVerdict verdict(const std::string& flag, const std::string& data) {
  const test::Parsed parsed(data);
  FeatureVerdict result =
      verdict_on(find_feature(flag), {{.flags = &parsed.root(), .place = &parsed.root()}});
  result.said = nullptr;  // its document ends here
  return result;
}

Kind kind_of(const std::string& flag, const std::string& state) {
  return verdict(flag, "{" + flag + ": '" + state + "'}").kind;
}

constexpr const char* kSelector = "kubernetes.podspec-nodeselector";
constexpr const char* kVolume = "kubernetes.podspec-persistent-volume-claim";

/// What `feature_maps_in` finds in an object: the text at each map, or "none".
std::string maps_in(const std::string& text) {
  const test::Parsed parsed(text);
  std::string found;
  for (const FeatureMap& map : feature_maps_in(k8s::objects_in(parsed.document).front())) {
    CHECK(map.place != nullptr);
    found += parsed.at(map.place->span);
    found += "=" + std::string(map[kSelector].text());
  }
  return found.empty() ? "none" : found;
}

/// A pod spec that sets the field which a row of the oracle speaks of; empty where the field is one
/// that Knative's schema does not even have, which is not for flags to gate.
std::string pod_with(const std::string& field) {
  static const std::map<std::string, std::string> kPods = {
      {"nodeSelector", "nodeSelector: {a: b}"},
      {"tolerations", "tolerations: [{key: a, operator: Exists}]"},
      {"affinity.nodeAffinity",
       "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
       "1}]}}"},
      {"affinity.podAntiAffinity",
       "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}}"},
      {"topologySpreadConstraints", "topologySpreadConstraints: [{maxSkew: 1}]"},
      {"runtimeClassName", "runtimeClassName: nvidia"},
      {"priorityClassName", "priorityClassName: high"},
      {"schedulerName", "schedulerName: volcano"},
      {"securityContext", "securityContext: {fsGroup: 1}"},
      {"securityContext.runAsNonRoot", "securityContext: {runAsNonRoot: true}"},
      {"shareProcessNamespace", "shareProcessNamespace: true"},
      {"hostIPC", "hostIPC: true"},
      {"hostPID", "hostPID: true"},
      {"hostNetwork", "hostNetwork: true"},
      {"hostAliases", "hostAliases: [{ip: 10.0.0.1}]"},
      {"dnsPolicy", "dnsPolicy: Default"},
      {"dnsConfig", "dnsConfig: {nameservers: [1.1.1.1]}"},
      {"initContainers", "initContainers: [{name: a}]"},
      {"containers (two)", "containers: [{name: a, ports: [{containerPort: 80}]}, {name: b}]"},
      {"volumes.emptyDir", "volumes: [{name: v, emptyDir: {}}]"},
      {"volumes.hostPath", "volumes: [{name: v, hostPath: {path: /x}}]"},
      {"volumes.persistentVolumeClaim (readOnly)",
       "volumes: [{name: v, persistentVolumeClaim: {claimName: c, readOnly: true}}]"},
      {"affinity (empty)", "affinity: {}"},
      // Knative refuses these as well, but KServe leaves empty lists and maps out of the Knative
      // Service, so they never get there.
      {"nodeSelector (empty)", ""},
      {"tolerations (empty)", ""},
  };
  const auto found = kPods.find(field);
  return found == kPods.end() ? "" : found->second;
}

/// Whether Knative would let the pod through, with one flag in this state ("(default)": absent).
bool accepted(const std::string& pod, const std::string& flag, const std::string& state) {
  const test::Parsed parsed(pod);
  const auto fields = gated_fields(parsed.root());
  const std::string data = state == "(default)" ? "{}" : "{" + flag + ": '" + state + "'}";
  for (const GatedField& field : fields) {
    if (field.feature->flag != flag) continue;
    return verdict(flag, data).kind == Kind::accepts;
  }
  FAIL("nothing is gated by " << flag);
  return true;
}

}  // namespace

TEST_CASE("Knative's own validator agrees on every field and every state of its flag") {
  const std::string path = test::project_file("../shared/oracle/knative/feature-gates.tsv");
  if (!std::filesystem::exists(path)) return;
  const std::string text = test::read_all(path);
  std::size_t compared = 0;
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, '\t');
    if (line.starts_with('#') || cells.size() < 4 || cells[0] == "field") continue;
    const std::string pod = pod_with(std::string(cells[0]));
    if (pod.empty() || cells[1].empty()) continue;
    CAPTURE(std::string(line));
    CHECK(accepted(pod, std::string(cells[1]), std::string(cells[2])) == (cells[3] == "accepted"));
    ++compared;
  }
  CHECK(compared == 23 * 8);
}

TEST_CASE("every flag is found, and no two rows speak of one flag") {
  for (const Feature& feature : features()) CHECK(&find_feature(feature.flag) == &feature);
}

TEST_CASE("each field is gated by its own flag") {
  CHECK(flag_of("nodeSelector: {a: b}") == "kubernetes.podspec-nodeselector");
  CHECK(flag_of("volumes: [{csi: {driver: d}}]") == "kubernetes.podspec-volumes-csi");
  CHECK(flag_of("volumes: [{image: {reference: r}}]") == "kubernetes.podspec-volumes-image");
  CHECK(flag_of("volumes: [{ephemeral: {}}]") == "kubernetes.podspec-volumes-ephemeral");
  CHECK(flag_of("containers: [{env: [{valueFrom: {fieldRef: {fieldPath: status.podIP}}}]}]") ==
        "kubernetes.podspec-fieldref");
  CHECK(flag_of("containers: [{env: [{valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]") ==
        "kubernetes.podspec-fieldref");
  CHECK(flag_of("containers: [{volumeMounts: [{mountPropagation: None}]}]") ==
        "kubernetes.podspec-volumes-mount-propagation");
  CHECK(flag_of("containers: [{securityContext: {capabilities: {add: [IPC_LOCK]}}}]") ==
        "kubernetes.containerspec-addcapabilities");
}

TEST_CASE("a claim that may be written to needs a second flag") {
  CHECK(gated("volumes: [{persistentVolumeClaim: {claimName: c}}]") ==
        std::vector<std::string>{
            "kubernetes.podspec-persistent-volume-claim volumes[].persistentVolumeClaim",
            "kubernetes.podspec-persistent-volume-write "
            "volumes[].persistentVolumeClaim without readOnly"});
  CHECK(gated("volumes: [{persistentVolumeClaim: {claimName: c, readOnly: true}}]").size() == 1);
}

TEST_CASE("a second container needs a flag, its probes another") {
  CHECK(gated("containers: [{name: a}]").empty());
  CHECK(gated("containers: [{name: a, ports: [{containerPort: 80}]}, {name: b}]") ==
        std::vector<std::string>{"multi-container containers"});
  CHECK(gated("containers: [{name: a, ports: [{containerPort: 80}]},"
              " {name: b, readinessProbe: {httpGet: {port: 80}}}]") ==
        std::vector<std::string>{"multi-container containers",
                                 "multi-container-probing readinessProbe of a second container"});
}

TEST_CASE("what KServe leaves out of the Knative Service is not gated") {
  for (const std::string pod :
       {"nodeSelector: {}", "nodeSelector: null", "tolerations: []", "initContainers: []",
        "hostAliases: []", "hostNetwork: false", "hostIPC: false", "schedulerName: ''",
        "priorityClassName: ''", "topologySpreadConstraints: []", "volumes: []", "{}"}) {
    CAPTURE(pod);
    CHECK(gated(pod).empty());
  }
}

TEST_CASE("what Go holds by a pointer reaches Knative even if it is empty") {
  for (const std::string pod : {"affinity: {}", "securityContext: {}", "dnsConfig: {}",
                                "shareProcessNamespace: false", "runtimeClassName: ''"}) {
    CAPTURE(pod);
    CHECK(gated(pod).size() == 1);
  }
  CHECK(gated("affinity: null").empty());
}

TEST_CASE("fields without a flag are not gated") {
  for (const std::string pod :
       {"nodeName: a", "priority: 1", "preemptionPolicy: Never",
        "volumes: [{secret: {secretName: s}}]", "volumes: [{configMap: {name: c}}]"}) {
    CAPTURE(pod);
    CHECK(gated(pod).empty());
  }
}

TEST_CASE("gated fields come in the order of the flags and point at their values") {
  const test::Parsed parsed("affinity: {nodeAffinity: {x: y}}\nnodeSelector: {a: b}\n");
  const auto fields = gated_fields(parsed.root());
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].field == "nodeSelector");
  CHECK(parsed.at(fields[0].node->span) == "{a: b}");
  CHECK(fields[1].field == "affinity");
}

TEST_CASE("the state of a flag is compared without case, not trimmed, and knows three words") {
  CHECK(kind_of(kSelector, "enabled") == Kind::accepts);
  CHECK(kind_of(kSelector, "ENABLED") == Kind::accepts);
  CHECK(kind_of(kSelector, "allowed") == Kind::accepts);
  for (const std::string state : {"disabled", "true", "on", "enable", " enabled", "enabled ", ""}) {
    CAPTURE(state);
    CHECK(kind_of(kSelector, state) == Kind::refuses);
  }
}

TEST_CASE("allowed is not enough for volumes, init containers and a second container") {
  for (const std::string flag :
       {kVolume, "kubernetes.podspec-init-containers", "kubernetes.podspec-volumes-emptydir",
        "kubernetes.containerspec-addcapabilities", "multi-container"}) {
    CAPTURE(flag);
    CHECK(kind_of(flag, "allowed") == Kind::refuses);
    CHECK(verdict(flag, "{" + flag + ": allowed}").state == FlagState::allowed);
    CHECK(kind_of(flag, "enabled") == Kind::accepts);
  }
}

TEST_CASE("a flag that the map does not hold has its default") {
  CHECK(verdict(kSelector, "{}").kind == Kind::refuses);
  CHECK(verdict("multi-container", "{}").kind == Kind::accepts);
  CHECK(verdict("kubernetes.podspec-volumes-emptydir", "{}").kind == Kind::accepts);
  CHECK(verdict("multi-container", "{multi-container: nonsense}").kind == Kind::accepts);
}

TEST_CASE("without any map a flag is unknown, unless it is on by default") {
  CHECK(verdict_on(find_feature(kSelector), {}).kind == Kind::unknown);
  CHECK(verdict_on(find_feature("multi-container"), {}).kind == Kind::accepts);
}

TEST_CASE("of several maps one that lets the field through is enough") {
  const test::Parsed off("{kubernetes.podspec-nodeselector: disabled}");
  const test::Parsed on("{kubernetes.podspec-nodeselector: enabled}");
  const FeatureMap refusing{.flags = &off.root(), .place = &off.root()};
  const FeatureMap accepting{.flags = &on.root(), .place = &on.root()};
  const Feature& feature = find_feature(kSelector);
  CHECK(verdict_on(feature, {refusing, accepting}).kind == Kind::accepts);
  CHECK(verdict_on(feature, {accepting, refusing}).kind == Kind::accepts);
  CHECK(verdict_on(feature, {refusing, refusing}).kind == Kind::refuses);
}

TEST_CASE("a refusal points at the value, or at the map that lacks the flag") {
  const test::Parsed set("{kubernetes.podspec-nodeselector: disabled}");
  const test::Parsed unset("{}");
  const Feature& feature = find_feature(kSelector);
  CHECK(verdict_on(feature, {{&set.root(), &set.root()}}).said->text() == "disabled");
  CHECK(verdict_on(feature, {{&unset.root(), &unset.root()}}).said == &unset.root());
  CHECK(verdict_on(feature, {{nullptr, &unset.root()}}).said == &unset.root());
}

TEST_CASE("the flags stand in the ConfigMap's data, not in its example") {
  const std::string head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features}\n";
  CHECK(maps_in(head + "data: {kubernetes.podspec-nodeselector: enabled}\n") == "data=enabled");
  CHECK(maps_in(head + "data:\n  _example: |\n    kubernetes.podspec-nodeselector: enabled\n") ==
        "data=");
  CHECK(maps_in(head) == "config-features=");
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-defaults}\n"
                "data: {kubernetes.podspec-nodeselector: enabled}\n") == "none");
}

TEST_CASE("Knative Eventing's config-features is another one") {
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
                "knative-eventing}\ndata: {x: enabled}\n") == "none");
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, labels: "
                "{app.kubernetes.io/name: knative-eventing}}\ndata: {x: enabled}\n") == "none");
}

TEST_CASE("a KnativeServing has the flags under two names, and config-features wins") {
  const std::string head =
      "apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nspec: {config: ";
  const std::string on = "{kubernetes.podspec-nodeselector: enabled}";
  CHECK(maps_in(head + "{features: " + on + "}}\n") == "features=enabled");
  CHECK(maps_in(head + "{config-features: " + on + "}}\n") == "config-features=enabled");
  CHECK(maps_in(head + "{features: " + on + ", config-features: {}}}\n") == "config-features=");
  CHECK(maps_in(head + "{config-feature: " + on + "}}\n") == "none");
  CHECK(maps_in("apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\n") == "none");
  CHECK(maps_in("apiVersion: operator.knative.dev/v1beta1\nkind: KnativeEventing\n"
                "spec: {config: {features: " +
                on + "}}\n") == "none");
}

}  // namespace cnsched::kserve
