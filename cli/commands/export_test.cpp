#include "testdata/support.h"

namespace cnsched::cli::export_test {

Ran export_with(const std::vector<std::string>& flags) {
  return run_program({"export", "vap"}, flags);
}

/// The binding of that name; empty if there is none.
std::string binding_of(const std::string& stream, const std::string& name) {
  const std::size_t at =
      stream.find("kind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: " + name + "\n");
  return at == std::string::npos ? "" : stream.substr(at, stream.find("---\n", at) - at);
}

/// The actions of the binding: "Deny Audit"; empty if there is none.
std::string actions_of(const std::string& stream, const std::string& name) {
  const std::string rest = binding_of(stream, name);
  std::string actions;
  for (const std::string action : {"Deny", "Warn", "Audit"}) {
    if (!has(rest, "  - " + action + "\n")) continue;
    actions += (actions.empty() ? "" : " ") + action;
  }
  return actions;
}

TEST_CASE("export prints policies, and with -v the other rules with reasons on stderr") {
  const WorkingTree tree;
  const Ran ran = export_with({});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "name: cnsched-invalid-toleration\n"));
  CHECK(ran.err == "");
  CHECK(export_with({}).out == ran.out);
  const std::string reason =
      "not exported: yaml-syntax: it reads the text of a file, which the API server does not get\n";
  CHECK(has(export_with({"-v"}).err, reason));
  CHECK(export_with({"--select", "yaml-syntax"}).err == reason);
  CHECK(export_with({"--select", "yaml-syntax", "--quiet"}).err == "");
  CHECK(has(export_with({"--list"}).out, "| `yaml-syntax` | error | no: "));
  CHECK(run_program({"export"}).exit == 2);
}

TEST_CASE("export selects rules as lint does") {
  const WorkingTree tree;
  const std::string one = export_with({"--select", "invalid-toleration"}).out;
  CHECK(has(one, "cnsched-invalid-toleration"));
  CHECK_FALSE(has(one, "cnsched-invalid-label"));
  CHECK_FALSE(has(export_with({"--ignore", "toleration"}).out, "cnsched-invalid-toleration"));
  CHECK(export_with({"--select", "nothing"}).exit == 2);
  tree.write(".cnsched.yaml", "rules: {invalid-toleration: off}\n");
  CHECK_FALSE(has(export_with({}).out, "cnsched-invalid-toleration"));
  CHECK(has(export_with({"--no-config"}).out, "cnsched-invalid-toleration"));
}

TEST_CASE("actions follow the severities, and policies about Nodes never deny") {
  const WorkingTree tree;
  const auto actions = [](const std::vector<std::string>& flags, const std::string& name) {
    return actions_of(export_with(flags).out, name);
  };
  CHECK(actions({}, "cnsched-invalid-toleration") == "Audit");
  CHECK(actions({"--action", "warn"}, "cnsched-invalid-toleration") == "Warn Audit");
  const std::vector<std::string> deny = {"--action", "deny"};
  CHECK(actions(deny, "cnsched-invalid-toleration") == "Deny Audit");
  CHECK(actions(deny, "cnsched-invalid-label-warning") == "Warn Audit");
  CHECK(actions(deny, "cnsched-knative-feature-disabled-info") == "Audit");
  CHECK(actions(deny, "cnsched-custom-gpu-taint") == "Warn Audit");
  tree.write(".cnsched.yaml", "rules: {invalid-label: info, toleration-of-everything: error}\n");
  CHECK(actions(deny, "cnsched-invalid-label") == "Audit");
  CHECK(actions(deny, "cnsched-invalid-label-warning") == "");
  CHECK(actions(deny, "cnsched-toleration-of-everything") == "Deny Audit");
}

TEST_CASE("findings of a rule with different actions are selected by parameters") {
  const WorkingTree tree;
  const std::vector<std::string> rule = {"--select", "knative-feature-disabled"};
  const std::string audited = export_with(rule).out;
  CHECK(actions_of(audited, "cnsched-knative-feature-disabled") == "Audit");
  CHECK(binding_of(audited, "cnsched-knative-feature-disabled-info").empty());
  CHECK(has(audited, "\n  name: cnsched-facts\n"));
  CHECK_FALSE(has(audited, "severities"));

  std::vector<std::string> flags = rule;
  flags.insert(flags.end(), {"--action", "warn"});
  const std::string warned = export_with(flags).out;
  CHECK(actions_of(warned, "cnsched-knative-feature-disabled") == "Warn Audit");
  CHECK(has(binding_of(warned, "cnsched-knative-feature-disabled"),
            "    name: cnsched-facts-error-warning\n"));
  CHECK(has(warned, "  severities: error warning\n"));
  CHECK(actions_of(warned, "cnsched-knative-feature-disabled-info") == "Audit");
  CHECK(has(binding_of(warned, "cnsched-knative-feature-disabled-info"),
            "    name: cnsched-facts-info\n"));
  CHECK(has(warned, "  severities: info\n"));
  CHECK_FALSE(has(warned, "\n  name: cnsched-facts\n"));
}

TEST_CASE("pods are never denied, and have a binding of their own where others are") {
  const WorkingTree tree;
  const std::string name = "cnsched-invalid-toleration";
  const std::string out = export_with({"--action", "deny", "--pods"}).out;
  const auto binding = [&](const std::string& of) { return binding_of(out, of); };
  CHECK(has(binding(name), "excludeResourceRules:"));
  CHECK(has(binding(name), "- Deny\n"));
  CHECK(has(binding(name + "-pods"), "  resourceRules:"));
  CHECK(has(binding(name + "-pods"), "policyName: " + name + "\n"));
  CHECK(has(binding(name + "-pods"), "- Warn\n"));
  CHECK_FALSE(has(binding(name + "-pods"), "Deny"));
  CHECK_FALSE(has(export_with({"--action", "deny"}).out, name + "-pods"));
  CHECK_FALSE(has(export_with({"--action", "warn", "--pods"}).out, name + "-pods"));
}

TEST_CASE("a message says once that policies of the configuration are not exported") {
  const WorkingTree tree;
  tree.write(".cnsched.yaml",
             "policies:\n"
             "- {id: classes, summary: s, require: {priorityClassName: high}}\n"
             "- {id: pods, summary: s, match: {kinds: Pod}, require: {priorityClassName: high}}\n");
  CHECK_FALSE(has(export_with({}).out, "classes"));
  CHECK(export_with({}).err == "");
  const std::string reason = "policies of a configuration are not exported\n";
  CHECK(export_with({"-v", "--select", "policy"}).err == reason);
  CHECK(export_with({"--select", "classes,pods"}).err == reason);
  CHECK_FALSE(has(run_program({"explain", "classes"}).out, "In the cluster"));
  CHECK(has(export_with({"--list"}).out,
            "| `classes` | warning | no: policies of a configuration are not exported |"));
}

TEST_CASE("options change what policies match and how they fail") {
  const WorkingTree tree;
  const std::string usual = export_with({}).out;
  CHECK_FALSE(has(usual, "- deployments\n"));
  CHECK_FALSE(has(usual, "cnsched/ignore"));
  CHECK_FALSE(has(usual, "failurePolicy: Fail"));
  CHECK(has(export_with({"--pods"}).out, "- deployments\n"));
  CHECK(has(export_with({"--honor-ignore"}).out, "cnsched/ignore"));
  CHECK(has(export_with({"--failure-policy", "fail"}).out, "failurePolicy: Fail"));
  CHECK(has(export_with({"--params-namespace", "platform"}).out, "namespace: platform\n"));
  CHECK(export_with({"--params-namespace", "A B"}).exit == 2);
}

TEST_CASE("facts about the cluster are parameters") {
  const WorkingTree tree;
  CHECK_FALSE(has(export_with({}).out, "knative.kubernetes.podspec-nodeselector"));
  tree.write("cluster.yaml",
             "apiVersion: v1\nkind: ConfigMap\n"
             "metadata: {name: config-features, namespace: knative-serving}\n"
             "data: {kubernetes.podspec-nodeselector: enabled}\n");
  const std::string out = export_with({"--cluster", "cluster.yaml"}).out;
  CHECK(has(out, "  knative.kubernetes.podspec-nodeselector: enabled\n"));
  CHECK(has(out, "  knative.kubernetes.podspec-affinity: disabled\n"));
  CHECK(export_with({"--cluster", "missing.yaml"}).exit == 3);
}

}  // namespace cnsched::cli::export_test
