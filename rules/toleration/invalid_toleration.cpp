#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_invalid_toleration = {
    .id = "invalid-toleration",
    .severity = Severity::error,
    .summary = "a toleration that the API server refuses",
    .why =
        "No pod ever appears: the CRDs of KServe and Seldon do not check tolerations, so the "
        "manifest is accepted, and the API server refuses the Deployment, StatefulSet or pod that "
        "the controller makes from it. Operators are Equal (the default) and Exists, effects are "
        "NoSchedule, PreferNoSchedule and NoExecute, all case-sensitive; Exists takes no value, "
        "only Exists goes without a key, and only NoExecute takes tolerationSeconds.",
    .bad = R"(
tolerations:
- key: nvidia.com/gpu
  operator: Exists
  value: present
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
tolerations:
- key: nvidia.com/gpu
  operator: Exists
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
};

static void check_operator(const k8s::Toleration& t, Report& report) {
  const yaml::Node& node = (*t.node)["operator"];
  if (t.op == "Equal" || t.op == "Exists" || k8s::is_placeholder(t.op)) return;
  if (t.op == "Lt" || t.op == "Gt") {
    report.add(node, "toleration operator '{}' is refused unless an alpha feature gate is on", t.op)
        .help("use Equal or Exists");
    return;
  }
  report
      .add(node, "'{}' is no toleration operator{}", t.op, did_you_mean(t.op, {"Equal", "Exists"}))
      .help("use Equal or Exists, with a capital E");
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    const yaml::Node& node = *t.node;
    check_operator(t, report);
    if (t.op == "Exists" && !t.value.empty()) {
      report
          .add(node["value"], "toleration of '{}' has operator Exists, so it cannot have a value",
               t.key)
          .note(node["operator"], "the operator is here")
          .help("remove the value, or use operator Equal");
    }
    if (t.key.empty() && t.op == "Equal") {
      report.add(node, "toleration without a key has to have operator Exists")
          .help("name the key of the taint, or write 'operator: Exists' to tolerate every taint");
    }
    if (const auto problem = k8s::label_key_problem(t.key);
        problem && !t.key.empty() && !k8s::is_placeholder(t.key)) {
      auto finding = report.add(node["key"], "'{}' is no taint key: it {}", t.key, *problem);
      if (t.key.find('=') != std::string_view::npos) {
        finding.help("write its parts apart: key, value and effect");
      }
    }
    if (const auto problem = k8s::label_value_problem(t.value);
        problem && t.op == "Equal" && !k8s::is_placeholder(t.value)) {
      report.add(node["value"], "'{}' is no value of a taint: it {}", t.value, *problem);
    }
    const bool known_effect = k8s::is_taint_effect(t.effect);
    if (!t.effect.empty() && !known_effect && !k8s::is_placeholder(t.effect)) {
      report
          .add(node["effect"], "'{}' is no taint effect{}", t.effect,
               did_you_mean(t.effect, {k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute}))
          .help("use NoSchedule, PreferNoSchedule or NoExecute, or none for all three");
    }
    const yaml::Node& seconds = node["tolerationSeconds"];
    const bool evicts = t.effect == k8s::kNoExecute;
    if (seconds && !seconds.is_null() && !evicts && (t.effect.empty() || known_effect)) {
      report.add_at_key(seconds, "tolerationSeconds is only allowed with effect NoExecute")
          .help("remove it, or write 'effect: NoExecute'");
    }
  }
}

}  // namespace cnsched::rules
