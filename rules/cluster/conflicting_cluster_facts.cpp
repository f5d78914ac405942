#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/yaml/write.h"
#include "rules/rule.h"

namespace cnsched::rules::conflicting_cluster_facts {

using yaml::Node;

namespace {

/// Collects the facts of a scope by name and compares those of one name.
class FactComparison {
 public:
  FactComparison(const ClusterScope& scope, Findings& findings)
      : scope_(scope), findings_(findings) {}

  void check() {
    for (const k8s::Object& object : scope_.objects()) {
      if (scope_.is_overridden(object) || scope_.is_patch(object)) continue;
      check_features(object);
      check_default_mode(object);
      if (object.is("", "Node")) check_node(object);
    }
    for (auto& [name, facts] : facts_) report_conflicts(name, facts);
  }

 private:
  struct Fact {
    const k8s::Object* object = nullptr;
    const Node* node = nullptr;
    std::string text;
  };

  void add(const k8s::Object& object, const std::string& name, const Node& node, std::string text) {
    facts_[name].push_back({&object, &node, std::move(text)});
  }

  /// Compares with the first by text, so that the order of files does not matter.
  void report_conflicts(const std::string& name, std::vector<Fact>& facts) {
    std::ranges::stable_sort(facts, {}, &Fact::text);
    for (const Fact& fact : facts) {
      if (fact.text != facts.front().text) report(name, fact, facts.front());
    }
  }

  /// The finding is in a linted file, if one of the two is.
  void report(const std::string& name, const Fact& fact, const Fact& other) {
    const bool is_linted = scope_.is_linted(fact.node->span.file);
    const Fact& at = is_linted ? fact : other;
    findings_.set_subject(at.object);
    findings_
        .add(*at.node,
             "{} differs between two objects of one cluster: findings that depend on it may be "
             "missing or wrong",
             name)
        .note(is_linted ? *other.node : *fact.node, "the other value is here")
        .help("correct one of them, or name the clusters under 'clusters' in .cnsched.yaml");
  }

  void check_features(const k8s::Object& object) {
    for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
      if (map.flags == nullptr) continue;
      for (const yaml::Entry& flag : map.flags->entries()) {
        const kserve::KnativeFlag* known = kserve::find_knative_flag(flag.key->text());
        if (known == nullptr || flag.overridden) continue;
        if (!kserve::reads_value(*known, flag.value->text())) continue;  // knative-feature-value
        add(object, fmt::format("the flag '{}'", flag.key->text()), *flag.value,
            lower(flag.value->text()));
      }
    }
  }

  void check_default_mode(const k8s::Object& object) {
    if (!object.is("", "ConfigMap") || object.name != "inferenceservice-config") return;
    const auto mode = kserve::default_mode_in(object);
    if (!mode) return;
    add(object, "the default deployment mode", *mode->node,
        std::to_string(static_cast<int>(mode->mode)));
  }

  void check_node(const k8s::Object& object) {
    const Node& name = object["metadata"]["name"];
    if (!name) return;
    add(object, fmt::format("Node '{}'", object.name), name,
        yaml::to_json(object.labels()) + yaml::to_json(object.spec()["taints"]) +
            yaml::to_json(object["status"]["allocatable"]));
  }

  const ClusterScope& scope_;
  Findings& findings_;
  std::map<std::string, std::vector<Fact>> facts_;
};

}  // namespace

static void check(const ClusterScope& scope, Findings& findings) {
  FactComparison(scope, findings).check();
}

extern constinit const Rule rule = {
    .id = "conflicting-cluster-facts",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::conflicting_cluster_facts
