#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/yaml/write.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const ClusterScope& scope, Report& report);

extern constinit const Rule cluster_conflicting_cluster_facts = {
    .id = "conflicting-cluster-facts",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .summary = "two files give contradicting facts about one cluster",
    .details =
        "A cluster has one ConfigMap config-features, one default deployment mode, and one Node of "
        "a name. The rule compares the states of Knative's feature flags, the default deployment "
        "modes, and the labels, taints and allocatable resources of Nodes with the same name.",
    .why =
        "Findings about pods depend on these facts, so a mistake may not be reported. Where two "
        "feature maps differ, cnsched assumes that a flag is on if one of them turns it on. Where "
        "two default deployment modes differ, the default is unknown. Two Nodes of one name count "
        "as two nodes.",
    .limits =
        "The facts of different clusters are not compared: directories with the same fact, "
        "directories named as clusters or stages, and the clusters of the configuration are "
        "separate. Kustomize patches are not compared.",
    .bad = R"(
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: enabled
---
apiVersion: operator.knative.dev/v1beta1
kind: KnativeServing
metadata:
  name: knative-serving
  namespace: knative-serving
spec:
  config:
    features:
      kubernetes.podspec-nodeselector: disabled
)",
    .good = R"(
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: enabled
---
apiVersion: operator.knative.dev/v1beta1
kind: KnativeServing
metadata:
  name: knative-serving
  namespace: knative-serving
spec:
  config:
    features:
      kubernetes.podspec-nodeselector: enabled
)",
    .source = "https://knative.dev/docs/serving/configuration/feature-flags/",
    .check = check,
};

using yaml::Node;

namespace {

/// The first value of each fact, with which later ones are compared.
class FactComparison {
 public:
  FactComparison(const ClusterScope& scope, Report& report) : scope_(scope), report_(report) {}

  void check() {
    for (const k8s::Object& object : scope_.objects()) {
      if (scope_.is_overridden(object) || scope_.is_patch(object)) continue;
      check_features(object);
      check_default_mode(object);
      if (object.is("", "Node")) check_node(object);
    }
  }

 private:
  struct Fact {
    const Node* node = nullptr;
    std::string text;
  };

  /// Reports the fact if an earlier one of the same name differs. The finding is in a linted file.
  void compare(const k8s::Object& object, const std::string& name, const Node& node,
               std::string text) {
    const auto [first, is_new] = facts_.try_emplace(name, Fact{&node, text});
    if (is_new || first->second.text == text) return;
    const bool is_linted = scope_.is_linted(node.span.file);
    const Node& at = is_linted ? node : *first->second.node;
    const Node& other = is_linted ? *first->second.node : node;
    report_.set_subject(&object);
    report_
        .add(at,
             "{} contradicts another file about the same cluster: findings that depend on it "
             "may be missing or wrong",
             name)
        .note(other, "the other fact is here")
        .help("correct one of them, or name the clusters under 'clusters' in .cnsched.yaml");
  }

  void check_features(const k8s::Object& object) {
    for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
      if (map.flags == nullptr) continue;
      for (const yaml::Entry& flag : map.flags->entries()) {
        if (kserve::find_knative_flag(flag.key->text()) == nullptr) continue;
        compare(object, fmt::format("the flag '{}'", flag.key->text()), *flag.value,
                lower(flag.value->text()));
      }
    }
  }

  void check_default_mode(const k8s::Object& object) {
    if (!object.is("", "ConfigMap") || object.name != "inferenceservice-config") return;
    const auto mode = kserve::default_mode_in(object);
    if (!mode) return;
    compare(object, "the default deployment mode", *mode->node,
            std::to_string(static_cast<int>(mode->mode)));
  }

  void check_node(const k8s::Object& object) {
    const Node& name = object["metadata"]["name"];
    if (!name) return;
    compare(object, fmt::format("Node '{}'", object.name), name,
            yaml::to_json(object.labels()) + yaml::to_json(object.spec()["taints"]) +
                yaml::to_json(object["status"]["allocatable"]));
  }

  const ClusterScope& scope_;
  Report& report_;
  std::map<std::string, Fact> facts_;
};

}  // namespace

static void check(const ClusterScope& scope, Report& report) {
  FactComparison(scope, report).check();
}

}  // namespace cnsched::rules
