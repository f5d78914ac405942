#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/workspace/pod_metadata.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::self_selector_labels {

using k8s::Requirement;
using yaml::Node;

namespace {

/// A term with a selector of pods.
struct PodTerm {
  const Node* node = nullptr;  ///< holds labelSelector, topologyKey, …
  bool is_spread = false;
  std::string_view outcome;  ///< if it selects no pod
};

/// Checks the pods of a workspace; indexes the labels of all pods when first needed.
class Checker {
 public:
  Checker(const ClusterScope& scope, Findings& findings) : scope_(scope), findings_(findings) {}

  void check_pod(const Workload& workload) {
    const k8s::PodSpec& pod = workload.pod;
    for (const Node* item : pod["topologySpreadConstraints"].items()) {
      check_term(workload, {item, true, "the constraint has no effect on them"});
    }
    check_affinity(workload, pod["affinity"]["podAntiAffinity"],
                   {"the term has no effect on them", "the term has no effect on them"});
    check_affinity(workload, pod["affinity"]["podAffinity"],
                   {"the required affinity leaves the pod Pending",
                    "the preference does not affect the score"});
  }

 private:
  /// The results of terms that select no pod.
  struct Outcomes {
    std::string_view required;
    std::string_view preferred;
  };

  void check_affinity(const Workload& workload, const Node& affinity, const Outcomes& outcomes) {
    for (const Node* item : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
      check_term(workload, {item, false, outcomes.required});
    }
    for (const Node* item : affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
      check_term(workload, {&(*item)["podAffinityTerm"], false, outcomes.preferred});
    }
  }

  void check_term(const Workload& workload, const PodTerm& term) {
    const Node& node = *term.node;
    if (!node.is_mapping() || node["namespaces"] || node["namespaceSelector"] ||
        !node["mismatchLabelKeys"].is_empty()) {
      return;
    }
    const Node& selector = node["labelSelector"];
    if (selector.is_missing() || selector.is_null()) {
      report_missing(workload, term);
      return;
    }
    const auto requirements = k8s::label_selector_in(selector);
    const auto unmet = std::ranges::find_if(
        requirements, [&](const Requirement& r) { return certainly_lacks(r, workload); });
    if (unmet == requirements.end() || (!term.is_spread && !names_own_object(*unmet, workload)))
      return;
    if (!all_pods().may_hold(requirements)) report_unmet(workload, *unmet, term);
  }

  /// Whether the required value is a name or a label of the workload's object.
  static bool names_own_object(const Requirement& r, const Workload& workload) {
    const k8s::Object& object = *workload.object;
    return r.op == "In" && std::ranges::any_of(r.values, [&](const Node* value) {
             const std::string_view text = value->text();
             return (!text.empty() && (text == object.name || text == workload.name ||
                                       text == fmt::format("isvc.{}", workload.name))) ||
                    (object.labels().under(r.key) && object.labels().under(r.key).text() == text);
           });
  }

  const PodsByLabel& all_pods() {
    if (!pods_) {
      pods_ = std::make_unique<PodsByLabel>();
      for (const Workload& workload : scope_.workloads()) pods_->add(workload);
    }
    return *pods_;
  }

  void report_missing(const Workload& workload, const PodTerm& term) {
    auto finding =
        findings_.add(*term.node, "missing 'labelSelector' selects no pod, so {}", term.outcome);
    add_help(workload, term, finding);
  }

  void report_unmet(const Workload& workload, const Requirement& unmet, const PodTerm& term) {
    auto finding = findings_.add(place_of(unmet),
                                 "{} does not match the labels of the pod's own replicas, so {}",
                                 described(unmet), term.outcome);
    const Node& own = workload.labels->under(unmet.key);
    const Node& of_object = workload.object->labels().under(unmet.key);
    std::string remark;
    if (own.is_scalar() && own.span == Span()) {
      remark = fmt::format("the controller sets '{}: {}' on the pods: ", unmet.key, own.text());
    } else if (own.is_scalar()) {
      finding.note(own, "the pods have '{}: {}'", unmet.key, own.text());
    } else if (of_object.is_scalar()) {
      finding.note(of_object, "this label is not copied to the pods");
    }
    add_help(workload, term, finding, remark);
  }

  void add_help(const Workload& workload, const PodTerm& term, Findings::Finding& finding,
                std::string_view remark = {}) const {
    const auto label = identifying_label(workload);
    if (!label) return;
    const k8s::Object& object = *workload.object;
    if (scope_.object_around(term.node->span) != &object) {
      // A selector in a shared object cannot select the pods of one object.
      finding.help("move it to {} '{}', and select a label that its pods have, such as '{}: {}'",
                   object.kind, object.name, label->key, label->value);
      return;
    }
    finding.help("{}select a label that the pods have, such as '{}: {}'", remark, label->key,
                 label->value);
  }

  const ClusterScope& scope_;
  Findings& findings_;
  std::unique_ptr<PodsByLabel> pods_;
};

}  // namespace

static void check(const ClusterScope& scope, Findings& findings) {
  Checker checker(scope, findings);
  each_linted_pod(scope, findings, Domain::finished | Domain::placed,
                  [&](const Workload& workload) {
                    if (workload.labels->is_mapping()) checker.check_pod(workload);
                  });
}

extern constinit const Rule rule = {
    .id = "self-selector-labels",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::self_selector_labels
