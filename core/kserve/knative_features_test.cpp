#include "core/kserve/knative_features.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::kserve::knative_features_test {

/// "flag field" for each gated field of a pod spec, in order.
std::vector<std::string> gated(const std::string& pod) {
  const Parsed parsed(pod);
  std::vector<std::string> lines;
  for (const GatedField& field : gated_fields(parsed.root())) {
    lines.push_back(std::string(field.flag->key) + " " + field.field);
  }
  return lines;
}

std::string flag_of(const std::string& pod) {
  const auto lines = gated(pod);
  REQUIRE(lines.size() == 1);
  return lines.front().substr(0, lines.front().find(' '));
}

/// The verdict on the flag if a ConfigMap has this data.
FlagVerdict verdict(const std::string& flag, const std::string& data) {
  const Parsed parsed(data);
  FlagVerdict result =
      verdict_on(*find_knative_flag(flag), {{.flags = &parsed.root(), .place = &parsed.root()}});
  result.node = nullptr;  // its document ends here
  return result;
}

Truth accepts(const std::string& flag, const std::string& state) {
  return verdict(flag, "{" + flag + ": '" + state + "'}").accepts;
}

constexpr const char* kSelector = "kubernetes.podspec-nodeselector";
constexpr const char* kVolume = "kubernetes.podspec-persistent-volume-claim";

/// What `feature_maps_in` finds in an object: the text at each map, or "none".
std::string maps_in(const std::string& text) {
  const Parsed parsed(text);
  std::string found;
  for (const FeatureMap& map : feature_maps_in(parsed.object())) {
    CHECK(map.place != nullptr);
    found += parsed.at(map.place->span);
    found += "=" + std::string(map[kSelector].text());
  }
  return found.empty() ? "none" : found;
}

/// A pod spec that sets the field of an oracle row. Empty if Knative's schema does not have the
/// field, so that no flag gates it.
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
      // Knative rejects these too, but KServe omits empty lists and maps from the Knative Service.
      {"nodeSelector (empty)", ""},
      {"tolerations (empty)", ""},
  };
  const auto found = kPods.find(field);
  return found == kPods.end() ? "" : found->second;
}

/// Whether Knative accepts the pod with one flag in this state ("(default)": not set).
bool accepted(const std::string& pod, const std::string& flag, const std::string& state) {
  const Parsed parsed(pod);
  const auto fields = gated_fields(parsed.root());
  const std::string data = state == "(default)" ? "{}" : "{" + flag + ": '" + state + "'}";
  for (const GatedField& field : fields) {
    if (field.flag->key != flag) continue;
    return verdict(flag, data).accepts == Truth::yes;
  }
  FAIL("nothing is gated by " << flag);
  return true;
}

bool is_of_open_data_hub(const std::string& metadata) {
  const Parsed parsed(inference_service("", metadata));
  return kserve::is_of_open_data_hub(parsed.object());
}

TEST_CASE("accepts the field of each flag in the states in which Knative does [N1, N5]") {
  struct Row {
    std::string field;
    std::string flag;
    bool by_default = false;
    bool allowed_suffices = true;
  };
  const std::vector<Row> rows = {
      {"nodeSelector", "kubernetes.podspec-nodeselector"},
      {"tolerations", "kubernetes.podspec-tolerations"},
      {"affinity.nodeAffinity", "kubernetes.podspec-affinity"},
      {"affinity (empty)", "kubernetes.podspec-affinity"},
      {"topologySpreadConstraints", "kubernetes.podspec-topologyspreadconstraints"},
      {"runtimeClassName", "kubernetes.podspec-runtimeclassname"},
      {"priorityClassName", "kubernetes.podspec-priorityclassname"},
      {"schedulerName", "kubernetes.podspec-schedulername"},
      {"securityContext", "kubernetes.podspec-securitycontext"},
      {"hostNetwork", "kubernetes.podspec-hostnetwork"},
      {"dnsPolicy", "kubernetes.podspec-dnspolicy"},
      {"initContainers", "kubernetes.podspec-init-containers", false, false},
      {"containers (two)", "multi-container", true, false},
      {"volumes.emptyDir", "kubernetes.podspec-volumes-emptydir", true, false},
      {"volumes.hostPath", "kubernetes.podspec-volumes-hostpath", false, false},
      {"volumes.persistentVolumeClaim (readOnly)", "kubernetes.podspec-persistent-volume-claim",
       false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.field);
    const auto is_accepted = [&](const std::string& state) {
      return accepted(pod_with(row.field), row.flag, state);
    };
    CHECK(is_accepted("enabled"));
    CHECK(is_accepted("ENABLED"));
    CHECK(is_accepted("allowed") == row.allowed_suffices);
    CHECK_FALSE(is_accepted("disabled"));
    for (const std::string state : {"(default)", "true", " enabled"}) {
      CHECK(is_accepted(state) == row.by_default);
    }
  }
}

TEST_CASE("agrees with Knative's validator on every field and every state of its flag") {
  const std::string path = project_file("../shared/oracle/knative/feature-gates.tsv");
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_all(path);
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

TEST_CASE("gates a field of the pod or of a volume by the flag of its row") {
  for (const KnativeFlag& flag : knative_flags()) {
    CAPTURE(flag.key);
    const std::string field(flag.field);
    CHECK(field.empty() == (flag.gate == Gate::none || flag.gate == Gate::other));
    if (flag.gate == Gate::pod_field || flag.gate == Gate::pointer) {
      CHECK(flag_of(field + ": {a: b}") == flag.key);
      CHECK(gated(field + ": {}").size() == (flag.gate == Gate::pointer ? 1 : 0));
    } else if (flag.gate == Gate::volume) {
      CHECK(gated("volumes: [{" + field + ": {}}]").front().starts_with(std::string(flag.key)));
    }
  }
}

TEST_CASE("accepts the fields of every enabled flag, and of an allowed one if allowed_suffices") {
  for (const KnativeFlag& flag : knative_flags()) {
    CAPTURE(flag.key);
    const std::string key(flag.key);
    CHECK(accepts(key, "enabled") == Truth::yes);
    CHECK(accepts(key, "allowed") == (flag.allowed_suffices ? Truth::yes : Truth::no));
    CHECK(accepts(key, "disabled") == Truth::no);
  }
}

TEST_CASE("lists only fields that Knative rejects or may reject") {
  const Parsed pod("nodeSelector: {a: b}\nruntimeClassName: c\nvolumes: [{emptyDir: {}}]\n");
  const auto fields = [&](const std::vector<FeatureMap>& maps, bool open_data_hub) {
    std::string names;
    for (const UnacceptedField& field : unaccepted_fields(pod.root(), maps, open_data_hub)) {
      names += field.gated.field + (field.verdict.accepts == Truth::no ? "! " : "? ");
    }
    return names;
  };
  CHECK(fields({}, false) == "nodeSelector? runtimeClassName? ");
  CHECK(fields({}, true) == "runtimeClassName? ");
  const Parsed flags("{kubernetes.podspec-runtimeclassname: enabled}");
  const FeatureMap map{.flags = &flags.root(), .place = &flags.root()};
  CHECK(fields({map}, false) == "nodeSelector! ");
  CHECK(fields({map}, true) == "nodeSelector! ");
}

TEST_CASE("gates each field by its own flag") {
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

TEST_CASE("requires a second flag for a claim without readOnly") {
  CHECK(gated("volumes: [{persistentVolumeClaim: {claimName: c}}]") ==
        std::vector<std::string>{
            "kubernetes.podspec-persistent-volume-claim volumes[].persistentVolumeClaim",
            "kubernetes.podspec-persistent-volume-write "
            "volumes[].persistentVolumeClaim without readOnly"});
  CHECK(gated("volumes: [{persistentVolumeClaim: {claimName: c, readOnly: true}}]").size() == 1);
}

TEST_CASE("requires a flag for a second container and another for its probes") {
  CHECK(gated("containers: [{name: a}]").empty());
  CHECK(gated("containers: [{name: a, ports: [{containerPort: 80}]}, {name: b}]") ==
        std::vector<std::string>{"multi-container containers"});
  CHECK(gated("containers: [{name: a, ports: [{containerPort: 80}]},"
              " {name: b, readinessProbe: {httpGet: {port: 80}}}]") ==
        std::vector<std::string>{"multi-container containers",
                                 "multi-container-probing readinessProbe of a second container"});
}

TEST_CASE("does not gate fields that KServe omits from the Knative Service") {
  for (const std::string pod :
       {"nodeSelector: {}", "nodeSelector: null", "tolerations: []", "initContainers: []",
        "hostAliases: []", "hostNetwork: false", "hostIPC: false", "schedulerName: ''",
        "priorityClassName: ''", "topologySpreadConstraints: []", "volumes: []", "{}"}) {
    CAPTURE(pod);
    CHECK(gated(pod).empty());
  }
}

TEST_CASE("gates empty fields that are pointers in Go") {
  for (const std::string pod : {"affinity: {}", "securityContext: {}", "dnsConfig: {}",
                                "shareProcessNamespace: false", "runtimeClassName: ''"}) {
    CAPTURE(pod);
    CHECK(gated(pod).size() == 1);
  }
  CHECK(gated("affinity: null").empty());
}

TEST_CASE("does not gate fields without a flag") {
  for (const std::string pod :
       {"nodeName: a", "priority: 1", "preemptionPolicy: Never",
        "volumes: [{secret: {secretName: s}}]", "volumes: [{configMap: {name: c}}]"}) {
    CAPTURE(pod);
    CHECK(gated(pod).empty());
  }
}

TEST_CASE("lists gated fields in the order of the flags, with their values") {
  const Parsed parsed("affinity: {nodeAffinity: {x: y}}\nnodeSelector: {a: b}\n");
  const auto fields = gated_fields(parsed.root());
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].field == "nodeSelector");
  CHECK(parsed.at(fields[0].node->span) == "{a: b}");
  CHECK(fields[1].field == "affinity");
}

TEST_CASE("compares the state of a flag without case and without trimming") {
  CHECK(accepts(kSelector, "enabled") == Truth::yes);
  CHECK(accepts(kSelector, "ENABLED") == Truth::yes);
  CHECK(accepts(kSelector, "allowed") == Truth::yes);
  for (const std::string state : {"disabled", "true", "on", "enable", " enabled", "enabled ", ""}) {
    CAPTURE(state);
    CHECK(accepts(kSelector, state) == Truth::no);
  }
}

TEST_CASE("requires enabled, not allowed, for volumes, init containers and a second container") {
  for (const std::string flag :
       {kVolume, "kubernetes.podspec-init-containers", "kubernetes.podspec-volumes-emptydir",
        "kubernetes.containerspec-addcapabilities", "multi-container"}) {
    CAPTURE(flag);
    CHECK(accepts(flag, "allowed") == Truth::no);
    CHECK(verdict(flag, "{" + flag + ": allowed}").state == FlagState::allowed);
    CHECK(accepts(flag, "enabled") == Truth::yes);
  }
}

TEST_CASE("uses the default of a flag that the map does not set") {
  CHECK(verdict(kSelector, "{}").accepts == Truth::no);
  CHECK(verdict("multi-container", "{}").accepts == Truth::yes);
  CHECK(verdict("kubernetes.podspec-volumes-emptydir", "{}").accepts == Truth::yes);
  CHECK(verdict("multi-container", "{multi-container: nonsense}").accepts == Truth::yes);
}

TEST_CASE("without a map, the state of a flag is unknown unless it is enabled by default") {
  CHECK(verdict_on(*find_knative_flag(kSelector), {}).accepts == Truth::unknown);
  CHECK(verdict_on(*find_knative_flag("multi-container"), {}).accepts == Truth::yes);
}

TEST_CASE("accepts a field that any of several maps allows") {
  const Parsed off("{kubernetes.podspec-nodeselector: disabled}");
  const Parsed on("{kubernetes.podspec-nodeselector: enabled}");
  const FeatureMap refusing{.flags = &off.root(), .place = &off.root()};
  const FeatureMap accepting{.flags = &on.root(), .place = &on.root()};
  const KnativeFlag& flag = *find_knative_flag(kSelector);
  CHECK(verdict_on(flag, {refusing, accepting}).accepts == Truth::yes);
  CHECK(verdict_on(flag, {accepting, refusing}).accepts == Truth::yes);
  CHECK(verdict_on(flag, {refusing, refusing}).accepts == Truth::no);
}

TEST_CASE("points a rejection at the value, or at the map without the flag") {
  const Parsed set("{kubernetes.podspec-nodeselector: disabled}");
  const Parsed unset("{}");
  const KnativeFlag& flag = *find_knative_flag(kSelector);
  CHECK(verdict_on(flag, {{&set.root(), &set.root()}}).node->text() == "disabled");
  CHECK(verdict_on(flag, {{&unset.root(), &unset.root()}}).node == &unset.root());
  CHECK(verdict_on(flag, {{nullptr, &unset.root()}}).node == &unset.root());
}

TEST_CASE("reads flags from the ConfigMap's data, not from its example") {
  const std::string head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features}\n";
  CHECK(maps_in(head + "data: {kubernetes.podspec-nodeselector: enabled}\n") == "data=enabled");
  CHECK(maps_in(head + "data:\n  _example: |\n    kubernetes.podspec-nodeselector: enabled\n") ==
        "data=");
  CHECK(maps_in(head) == "config-features=");
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-defaults}\n"
                "data: {kubernetes.podspec-nodeselector: enabled}\n") == "none");
}

TEST_CASE("ignores Knative Eventing's config-features") {
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
                "knative-eventing}\ndata: {x: enabled}\n") == "none");
  CHECK(maps_in("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, labels: "
                "{app.kubernetes.io/name: knative-eventing}}\ndata: {x: enabled}\n") == "none");
}

TEST_CASE("prefers config-features to features in a KnativeServing") {
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

TEST_CASE("recognises Open Data Hub's objects by the label, of any value, or the annotation") {
  CHECK(is_of_open_data_hub("name: a, labels: {opendatahub.io/dashboard: \"true\"}"));
  CHECK(is_of_open_data_hub("name: a, labels: {opendatahub.io/dashboard: \"false\"}"));
  CHECK(is_of_open_data_hub(
      "name: a, annotations: {serving.knative.openshift.io/enablePassthrough: \"true\"}"));
  CHECK_FALSE(is_of_open_data_hub("name: a"));
  CHECK_FALSE(is_of_open_data_hub("name: a, labels: {app: opendatahub.io}"));
}

TEST_CASE("knows the flags that Open Data Hub enables: placement and persistent volume claims") {
  std::string keys;
  for (const KnativeFlag& flag : knative_flags()) {
    if (flag.open_data_hub) keys += std::string(flag.key) + " ";
  }
  CHECK(keys ==
        "kubernetes.podspec-nodeselector kubernetes.podspec-tolerations "
        "kubernetes.podspec-affinity kubernetes.podspec-persistent-volume-claim "
        "kubernetes.podspec-persistent-volume-write ");
}

}  // namespace cnsched::kserve::knative_features_test

namespace cnsched::kserve::knative_pod_test {

TEST_CASE("drops fields of pods and containers that Knative's schema does not have") {
  const Parsed pod(
      "nodeSelector: {pool: gpu}\nnodeName: a\nschedulingGates: [{name: b}]\n"
      "containers: [{name: c, tty: true, lifecycle: {}, resources: {claims: [{name: d}], "
      "limits: {nvidia.com/gpu: 1}}}]\n");
  std::string dropped;
  for (const yaml::Node* field : fields_dropped_by_knative(pod.root())) {
    dropped += std::string(field->key()->text()) + " ";
  }
  const yaml::Node& container = pod.root()["containers"].at(0);
  for (const yaml::Node* field : container_fields_dropped_by_knative(container)) {
    dropped += std::string(field->key()->text()) + " ";
  }
  CHECK(dropped == "nodeName schedulingGates lifecycle tty claims ");

  Arena arena;
  const yaml::Node& kept = kept_by_knative(pod.root(), arena);
  CHECK(fields_dropped_by_knative(kept).empty());
  CHECK(container_fields_dropped_by_knative(kept["containers"].at(0)).empty());
  CHECK(kept["containers"].at(0)["resources"]["limits"].under("nvidia.com/gpu").text() == "1");
}

}  // namespace cnsched::kserve::knative_pod_test

namespace cnsched::kserve::knative_flags_test {

std::string_view intended(std::string_view key) {
  const KnativeFlag* flag = intended_knative_flag(key);
  return flag == nullptr ? std::string_view() : flag->key;
}

TEST_CASE("finds every flag, and no two flags have the same key") {
  for (const KnativeFlag& flag : knative_flags()) CHECK(find_knative_flag(flag.key) == &flag);
}

TEST_CASE("finds the intended flag for a misspelled key") {
  CHECK(intended("kubernetes.podspec-nodeSelector") == "kubernetes.podspec-nodeselector");
  CHECK(intended("kubernetes.podspec-node-selector") == "kubernetes.podspec-nodeselector");
  CHECK(intended("kubernetes.podspec-toleration") == "kubernetes.podspec-tolerations");
  CHECK(intended("kubernetes-podspec-affinity") == "kubernetes.podspec-affinity");
  CHECK(intended("podspec-affinity") == "kubernetes.podspec-affinity");
  CHECK(intended("kubernetes.containerspec-init-containers") ==
        "kubernetes.podspec-init-containers");
  CHECK(intended("multicontainer") == "multi-container");
}

TEST_CASE("finds no flag for a key that a newer Knative may have") {
  CHECK(intended("kubernetes.podspec-volumes-nfs") == "");
  CHECK(intended("kubernetes.podspec-hostusers") == "");
  CHECK(intended("kubernetes.podspec-") == "");
  CHECK(intended("_example") == "");
  CHECK(intended("") == "");
  CHECK(intended(std::string(100'000, 'k')) == "");
}

TEST_CASE("compares a value without case and without trimming") {
  const KnativeFlag& flag = *find_knative_flag("kubernetes.podspec-affinity");
  CHECK(reads_value(flag, "ENABLED"));
  CHECK_FALSE(reads_value(flag, "enabled "));
  CHECK_FALSE(reads_value(flag, "true"));
  const KnativeFlag& secure = *find_knative_flag("secure-pod-defaults");
  CHECK(reads_value(secure, "AllowRootBounded"));
  CHECK_FALSE(reads_value(secure, "allowed"));
}

TEST_CASE("reports edited lines of the example, not the shipped ones") {
  CHECK(example_flags("# kubernetes.podspec-affinity: enabled\n"
                      "kubernetes.podspec-affinity: \"disabled\"\n"
                      "kubernetes.podspec-volumes-emptydir: \"enabled\"\n"
                      "kubernetes.podspec-dryrun: \"allowed\"\n"
                      "autodetect-http2: \"enabled\"\n"
                      "multi-container: \"enabled\"\n")
            .empty());
  const auto edited = example_flags("  kubernetes.podspec-affinity: \"enabled\" # for GPUs\n");
  REQUIRE(edited.size() == 1);
  CHECK(edited.front().flag->key == "kubernetes.podspec-affinity");
  CHECK(edited.front().value == "enabled");
}

}  // namespace cnsched::kserve::knative_flags_test
