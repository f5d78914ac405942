#include "core/k8s/label.h"
#include "core/k8s/string_fields.h"
#include "core/yaml/walk.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule label_invalid_label = {
    .id = "invalid-label",
    .severity = Severity::error,
    .summary = "a label key or value that the API server rejects",
    .details =
        "A key is a name of at most 63 letters, digits, '-', '_' and '.', optionally after a DNS "
        "prefix and '/'. A value is such a name, or empty.\n\n"
        "In a preferred term the finding is a warning: the API server accepts an invalid value "
        "there, and the scheduler fails (SchedulerError) when two nodes are feasible.",
    .why =
        "The pods are not created: the API server rejects every pod that selects such a label, "
        "and no node can have it. The CRDs of KServe and Seldon do not validate labels, so the "
        "API server accepts the manifest.",
    .limits =
        "Placeholders such as ${NAME} are not checked. Tolerations and taints are checked by "
        "invalid-toleration and invalid-taint.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.product: NVIDIA A100 80GB PCIe
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
nodeSelector:
  nvidia.com/gpu.product: NVIDIA-A100-80GB-PCIe
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/"
        "#syntax-and-character-set",
    .check = check,
    .admission =
        AdmissionCheck{
            .errors = R"cel(
([[pod.nodeSelector, pod.labels, map_of(pod.object.metadata.?labels)] + pod_selectors(pod).map(s, map_of(s.?matchLabels))].map(all, all.map(l, [dyn(l.map(k, k)), dyn(l.map(k, l[k]))])) +
 (pod.required + pod_selectors(pod)).map(t, list(t.?matchExpressions).map(r, [dyn([any_text(r.?key)].filter(k, k != '')), dyn(list(r.?values))])) +
 pod.preferred.map(t, list(t.?matchExpressions).map(r, [dyn([any_text(r.?key)].filter(k, k != '')), dyn([])])))
.map(all, all.map(l, (label_key_problems(l[0]) + label_value_problems(l[1], '')).join('\n')).join('\n')))cel",
            .warnings = R"cel(
pod.preferred.map(t, list(t.?matchExpressions).map(r, label_value_problems(list(r.?values),
  '; the scheduler fails (SchedulerError) when two nodes qualify').join('\n')).join('\n')))cel",
        },
};

using yaml::Node;
using Where = k8s::StringField::Where;

static void check_value(const k8s::StringField& field, Report& report) {
  const Node& value = *field.value;
  if (!value.is_string() || k8s::is_placeholder(value.text())) return;
  const auto problem = k8s::label_value_problem(value.text());
  if (!problem) return;
  const bool preferred = field.where == Where::preference;
  auto finding =
      report.add(value, "invalid label value '{}': it {}{}", value.text(), *problem,
                 preferred ? "; the scheduler fails (SchedulerError) when two nodes qualify" : "");
  if (preferred) finding.severity(Severity::warning);
  if (value.text().find(' ') != std::string_view::npos) {
    finding.help("replace spaces with '-'{}",
                 field.where == Where::label ? "" : ", as the tools that label nodes do");
  } else if (field.where == Where::requirement &&
             value.text().find(',') != std::string_view::npos) {
    finding.help("split it into several list items");
  }
}

static void check_key(const Node& key, const Node& about, bool caret_on_key, Report& report) {
  if (!key.is_scalar() || k8s::is_placeholder(key.text())) return;
  const auto problem = k8s::label_key_problem(key.text());
  if (!problem) return;
  if (caret_on_key) {
    report.add_at_key(about, "invalid label key '{}': it {}", key.text(), *problem);
  } else {
    report.add(about, "invalid label key '{}': it {}", key.text(), *problem);
  }
}

static void check(const k8s::Object& object, Report& report) {
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    switch (field.where) {
      case Where::node_selector:
      case Where::label:
        check_key(*field.value->key(), *field.value, true, report);
        check_value(field, report);
        break;
      case Where::requirement:
      case Where::preference:
        check_value(field, report);
        break;
      case Where::annotation:
      case Where::toleration:
      case Where::taint:
      case Where::environment:
        break;
    }
  }
  yaml::walk(*object.root, [&](const Node& node) {
    if (node.key() == nullptr) return;
    // Karpenter's requirements are match expressions too.
    if (node.key()->text() != "matchExpressions" && node.key()->text() != "requirements") return;
    for (const Node* requirement : node.items()) {
      const Node& key = (*requirement)["key"];
      check_key(key, key, false, report);
    }
  });
}

}  // namespace cnsched::rules
