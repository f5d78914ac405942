#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_toleration {

static void check_operator(const k8s::Toleration& t, Findings& findings) {
  const yaml::Node& node = (*t.node)["operator"];
  if (t.op == "Equal" || t.op == "Exists" || k8s::is_placeholder(t.op)) return;
  if (t.op == "Lt" || t.op == "Gt") {
    findings
        .add(node,
             "toleration operator '{}' requires the alpha feature gate "
             "TaintTolerationComparisonOperators: without it the API server rejects the pod spec",
             t.op)
        .help("use Equal or Exists");
    return;
  }
  findings.add(node, "invalid toleration operator '{}': the API server rejects the pod spec", t.op)
      .help("use Equal or Exists{}", did_you_mean(t.op, {"Equal", "Exists"}));
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    const yaml::Node& node = *t.node;
    check_operator(t, findings);
    if (t.op == "Exists" && !t.value.empty()) {
      findings
          .add(node["value"],
               "toleration of '{}' must not have a value when its operator is Exists: the API "
               "server rejects the pod spec",
               t.key)
          .note(node["operator"], "the operator")
          .help("remove the value, or use operator Equal");
    }
    if (t.key.empty() && t.op == "Equal") {
      findings
          .add(node,
               "toleration without a key must have operator Exists: the API server rejects the pod "
               "spec")
          .help("add the key of the taint, or write 'operator: Exists' to tolerate every taint");
    }
    if (const auto problem = k8s::label_key_problem(t.key);
        problem && !t.key.empty() && !k8s::is_placeholder(t.key)) {
      auto finding = findings.add(
          node["key"], "invalid toleration key '{}': it {}; the API server rejects the pod spec",
          t.key, *problem);
      if (t.key.find('=') != std::string_view::npos) {
        finding.help("write key, value and effect as separate fields");
      }
    }
    if (const auto problem = k8s::label_value_problem(t.value);
        problem && t.op == "Equal" && !k8s::is_placeholder(t.value)) {
      findings.add(node["value"],
                   "invalid toleration value '{}': it {}; the API server rejects the pod spec",
                   t.value, *problem);
    }
    const bool known_effect = k8s::is_taint_effect(t.effect);
    if (!t.effect.empty() && !known_effect && !k8s::is_placeholder(t.effect)) {
      findings
          .add(node["effect"],
               "invalid toleration effect '{}': the API server rejects the pod spec", t.effect)
          .help(
              "use NoSchedule, PreferNoSchedule or NoExecute, or no effect for all three{}",
              did_you_mean(t.effect, {k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute}));
    }
    const yaml::Node& seconds = node["tolerationSeconds"];
    const bool evicts = t.effect == k8s::kNoExecute;
    if (seconds && !seconds.is_null() && !evicts && (t.effect.empty() || known_effect)) {
      findings
          .add_at_key(
              seconds,
              "'tolerationSeconds' requires effect NoExecute: the API server rejects the pod spec")
          .help("remove 'tolerationSeconds', or write 'effect: NoExecute'");
    }
  }
}

extern constinit const Rule rule = {
    .id = "invalid-toleration",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::invalid_toleration
