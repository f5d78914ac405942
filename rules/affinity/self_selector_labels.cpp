#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/workloads/pod_labels.h"
#include "rules/affinity/wording.h"
#include "rules/engine/each.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule affinity_self_selector_labels = {
    .id = "self-selector-labels",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "a spread or pod affinity whose selector misses the pod's own replicas",
    .why =
        "All replicas may end up on one node: a spread constraint whose selector matches none of "
        "the pods does nothing, and a pod anti-affinity keeps nothing apart. A required pod "
        "affinity that no pod matches leaves the pod Pending.\n\n"
        "Pods do not have the labels that one may expect. KServe puts "
        "serving.kserve.io/inferenceservice on them and, in raw (RawDeployment, Standard) mode, "
        "sets 'app' itself; an LLMInferenceService does not pass its metadata.labels on; Seldon "
        "sets app.kubernetes.io/name to seldon-server on every Server's pods, whatever the Server "
        "says, and seldon-server-name to its name. A selector that is left out matches no pod at "
        "all, an empty one ({}) all of the namespace.\n\n"
        "Affinities may well mean pods of others: they are reported only if their selector has "
        "the object's own name or labels. Nothing is reported if any pod of the linted files and "
        "those given by --cluster matches.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    minReplicas: 2
    topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {app: llama}
    model:
      modelFormat: {name: onnx}
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    minReplicas: 2
    topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {serving.kserve.io/inferenceservice: llama}
    model:
      modelFormat: {name: onnx}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    .check = check,
};

using k8s::Requirement;
using yaml::Node;

namespace {

/// A selector of pods, and what it is for.
struct PodTerm {
  const Node* node = nullptr;  ///< holds labelSelector, topologyKey, …
  bool is_spread = false;
  std::string_view outcome;  ///< what comes of it if it selects none
};

/// Looks at the pods of a run; knows all their labels from the first time that it has to.
class Checker {
 public:
  Checker(const Workspace& run, Report& report) : run_(run), report_(report) {}

  void check_pod(const Workload& workload) {
    const k8s::PodSpec& pod = workload.pod;
    for (const Node* item : pod["topologySpreadConstraints"].items()) {
      check_term(workload, {item, true, "the constraint spreads nothing"});
    }
    check_affinity(workload, pod["affinity"]["podAntiAffinity"],
                   {"the term keeps nothing apart", "the term keeps nothing apart"});
    check_affinity(
        workload, pod["affinity"]["podAffinity"],
        {"the required affinity leaves the pod Pending", "the preference scores nothing"});
  }

 private:
  /// What comes of terms that select none.
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
        requirements, [&](const Requirement& r) { return surely_misses(r, workload); });
    if (unmet == requirements.end() || (!term.is_spread && !means_itself(*unmet, workload))) return;
    if (!all_pods().may_hold(requirements)) report_unmet(workload, *unmet, term);
  }

  /// Whether the requirement has a name or a label of the object, which its pods do not have.
  static bool means_itself(const Requirement& r, const Workload& workload) {
    const k8s::Object& object = *workload.object;
    return r.op == "In" && std::ranges::any_of(r.values, [&](const Node* value) {
             const std::string_view text = value->text();
             return (!text.empty() && (text == object.name || text == workload.name ||
                                       text == fmt::format("isvc.{}", workload.name))) ||
                    (object.labels()[r.key] && object.labels()[r.key].text() == text);
           });
  }

  const PodsByLabel& all_pods() {
    if (!pods_) {
      pods_ = std::make_unique<PodsByLabel>();
      for (const Workload& workload : run_.workloads()) pods_->add(workload);
    }
    return *pods_;
  }

  void report_missing(const Workload& workload, const PodTerm& term) {
    auto finding =
        report_.add(*term.node, "without a labelSelector this selects no pod, so {}", term.outcome);
    add_help(workload, term, finding);
  }

  void report_unmet(const Workload& workload, const Requirement& unmet, const PodTerm& term) {
    auto finding = report_.add(place_of(unmet), "{} selects none of the pod's own replicas, so {}",
                               described(unmet), term.outcome);
    const Node& own = (*workload.labels)[unmet.key];
    const Node& of_object = workload.object->labels()[unmet.key];
    std::string remark;
    if (own.is_scalar() && own.span == Span()) {
      remark = fmt::format("the pods have '{}: {}', whatever is written: ", unmet.key, own.text());
    } else if (own.is_scalar()) {
      finding.note(own, "the pods have '{}: {}'", unmet.key, own.text());
    } else if (of_object.is_scalar()) {
      finding.note(of_object, "this label is not passed on to the pods");
    }
    add_help(workload, term, finding, remark);
  }

  void add_help(const Workload& workload, const PodTerm& term, Report::Finding& finding,
                std::string_view remark = {}) const {
    const auto label = identifying_label(workload);
    if (!label) return;
    const k8s::Object& object = *workload.object;
    if (run_.object_around(term.node->span) != &object) {
      // What is shared by many cannot select the pods of one.
      finding.help("move it to {} '{}', with a label that its pods get, such as '{}: {}'",
                   object.kind, object.name, label->key, label->value);
      return;
    }
    finding.help("{}select a label that the pods get, such as '{}: {}'", remark, label->key,
                 label->value);
  }

  const Workspace& run_;
  Report& report_;
  std::unique_ptr<PodsByLabel> pods_;
};

}  // namespace

/// Whether all labels of the pod are known, and its placement is our business.
static bool is_judged(const Workload& workload) {
  return !workload.fragment && !workload.is_incomplete() && workload.never_created.empty() &&
         workload.labels->is_mapping() && workload.takes_placement_advice();
}

static void check(const Workspace& run, Report& report) {
  Checker checker(run, report);
  each_linted_pod(run, report, [&](const Workload& workload) {
    if (is_judged(workload)) checker.check_pod(workload);
  });
}

}  // namespace cnsched::rules
