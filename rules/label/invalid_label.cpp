#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/string_fields.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_label {

using yaml::Node;
using Where = k8s::StringField::Where;

static void check_value(const k8s::StringField& field, Findings& findings) {
  const Node& value = *field.value;
  if (!value.is_string() || k8s::is_placeholder(value.text())) return;
  const auto problem = k8s::label_value_problem(value.text());
  if (!problem) return;
  const bool preferred = field.where == Where::preference;
  // "app: server-{{ .Values.team }}" without a team.
  constexpr std::string_view kSeparators = "-_.";
  const bool is_cut = kSeparators.find(value.text().front()) != std::string_view::npos ||
                      kSeparators.find(value.text().back()) != std::string_view::npos;
  const bool is_left = is_cut && may_be_left_to_values(value, findings);
  auto finding = findings.add(
      value, "{}invalid label value '{}': it {}{}", is_left ? kWithoutValues : "", value.text(),
      *problem, preferred ? "; the scheduler fails (SchedulerError) when two nodes qualify" : "");
  if (is_left) {
    leave_to_values(finding);
    return;
  }
  if (preferred) finding.severity(Severity::warning);
  if (value.text().find(' ') != std::string_view::npos) {
    finding.help("replace spaces with '-'{}",
                 field.where == Where::label ? "" : ", as the tools that label nodes do");
  } else if (field.where == Where::requirement &&
             value.text().find(',') != std::string_view::npos) {
    finding.help("split it into several list items");
  }
}

static void check_key(const Node& key, const Node& about, bool caret_on_key, Findings& findings) {
  if (!key.is_scalar() || k8s::is_placeholder(key.text())) return;
  const auto problem = k8s::label_key_problem(key.text());
  if (!problem) return;
  if (caret_on_key) {
    findings.add_at_key(about, "invalid label key '{}': it {}", key.text(), *problem);
  } else {
    findings.add(about, "invalid label key '{}': it {}", key.text(), *problem);
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    switch (field.where) {
      case Where::node_selector:
      case Where::label:
        check_key(*field.value->key(), *field.value, true, findings);
        check_value(field, findings);
        break;
      case Where::requirement:
      case Where::preference:
        check_value(field, findings);
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
      check_key(key, key, false, findings);
    }
  });
}

extern constinit const Rule rule = {
    .id = "invalid-label",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::invalid_label
