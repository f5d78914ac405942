#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::cli::policy_test {

const char* const kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  priorityClassName: low\n"
    "  containers: [{name: c, image: i}]\n";

const char* const kPolicies =
    "policies:\n- id: priority\n  severity: error\n  summary: pods have a high priority\n"
    "  help: write high\n  require: {priorityClassName: high}\n";

/// A directory with a pod and a configuration, which is the working directory.
struct Project : WorkingTree {
  explicit Project(const std::string& config) {
    write("pod.yaml", kPod);
    write(".cnsched.yaml", config);
  }
};

Ran lint_with(const std::vector<std::string>& flags) {
  return run_program({"lint", "pod.yaml", "--format", "concise"}, flags);
}

TEST_CASE("policies are selected, configured and suppressed like rules") {
  const Project project(kPolicies);
  const std::string finding =
      "pod.yaml:5:22: error: priorityClassName is 'low', not 'high': pods have a high priority "
      "[priority]\n";
  CHECK(lint_with({}).out == finding);
  CHECK(lint_with({}).exit == 1);
  CHECK(lint_with({"--select", "priority"}).out == finding);
  CHECK(lint_with({"--select", "policy"}).out == finding);
  CHECK(lint_with({"--select", "taint"}).out == "");
  CHECK(lint_with({"--ignore", "priority"}).out == "");
  CHECK(has(lint_with({"--severity", "priority=info"}).out, " info: "));
  CHECK(lint_with({"--no-config"}).out == "");
  const Ran unknown = lint_with({"--select", "priorty"});
  CHECK(unknown.exit == 2);
  CHECK(has(unknown.err, "did you mean 'priority'?"));

  project.write(".cnsched.yaml", std::string(kPolicies) + "rules: {priority: off}\n");
  CHECK(lint_with({}).out == "");
  project.write(".cnsched.yaml", std::string(kPolicies) + "rules: {policy: warning}\n");
  CHECK(has(lint_with({}).out, " warning: "));
  project.write(".cnsched.yaml", std::string(kPolicies) + "rules: {prioritty: off}\n");
  CHECK(has(lint_with({}).err,
            ".cnsched.yaml:7:9: 'prioritty' is not a valid rule or group of "
            "rules ('cnsched rules' lists them), did you mean 'priority'?"));

  project.write(".cnsched.yaml", kPolicies);
  project.write("pod.yaml", "# cnsched: ignore-file=priority -- no\n" + std::string(kPod));
  CHECK(lint_with({}).out == "");
  CHECK(lint_with({}).exit == 0);
}

TEST_CASE("a configuration's policies are for its files only, and extends keeps them") {
  const TemporaryDirectory tree;
  tree.write("org.yaml", kPolicies);
  tree.write("a/.cnsched.yaml", "extends: ../org.yaml\npolicyFiles: [policies]\n");
  tree.write(
      "a/policies/p.yaml",
      "apiVersion: cnsched/v1\nkind: Policy\nid: image\nsummary: S\nforbid: {image: i}\n---\n"
      "apiVersion: v1\nkind: Pod\n");
  tree.write("a/pod.yaml", kPod);
  tree.write("b/.cnsched.yaml", "rules: {}\n");
  tree.write("b/pod.yaml", kPod);
  const WorkingDirectory here(tree.root());
  const Ran ran = run_program({"lint", "a/pod.yaml", "b/pod.yaml", "--format", "concise"});
  CHECK(ran.out ==
        "a/pod.yaml:5:22: error: priorityClassName is 'low', not 'high': pods have a high priority "
        "[priority]\na/pod.yaml:6:33: warning: image is 'i': S [image]\n");
  const Ran config = run_program({"config", "a/pod.yaml"});
  CHECK(has(config.out, "  priority: error  # org.yaml:2\n"));
  CHECK(has(config.out, "- id: priority  # org.yaml:2\n"));
}

TEST_CASE("rules, explain and reports show policies") {
  const Project project(std::string(kPolicies) +
                        "  why: because\n  bad: [{apiVersion: v1, kind: "
                        "Pod, metadata: {name: b}, spec: {containers: "
                        "[{name: c, image: i}]}}]\n");
  const Ran rules = run_program({"rules", "--color", "never"});
  CHECK(has(rules.out, "\npolicy\n  priority  error\n      pods have a high priority\n"));
  const Ran page = run_program({"explain", "priority", "--color", "never"});
  CHECK(page.exit == 0);
  for (const char* part :
       {"priority (error, group policy)", "Pods have a high priority.",
        "Defined in .cnsched.yaml:2.", "because", "priorityClassName is not set"}) {
    CAPTURE(part);
    CHECK(has(page.out, part));
  }
  for (const char* format : {"json", "sarif", "github", "gitlab", "junit", "checkstyle"}) {
    CAPTURE(format);
    const Ran report = run_program({"lint", "pod.yaml", "--format", format});
    CHECK(report.exit == 1);
    CHECK(has(report.out, "priority"));
  }
}

TEST_CASE("policy test says what each policy finds") {
  const Project project(
      "policies:\n- id: a\n  summary: S\n  require: {priorityClassName: high}\n  good:\n"
      "  - \"priorityClassName: high\\ncontainers: [{name: c, image: i}]\"\n"
      "  - \"priorityClassName: low\\ncontainers: [{name: c, image: i}]\"\n  bad: pod.yaml\n");
  const Ran ran = run_program({"policy", "test"});
  CHECK(ran.exit == 1);
  CHECK_FALSE(has(ran.out, "a (./.cnsched.yaml:2)\n"));
  CHECK(
      ran.out.starts_with("a (.cnsched.yaml:2)\n  good[0]: ok\n  good[1]: FAILED, the policy "
                          "reports a good manifest\n    good[1]:10:24: warning: "));
  CHECK(has(ran.out, "  bad: pod.yaml: ok\n    pod.yaml:5:22: warning: "));
  CHECK(ran.err == "1 policy with 3 manifests: 1 failed\n");
}

TEST_CASE("policy test shows where in the policy's file a manifest is") {
  const Project project(
      "policies:\n- id: a\n  summary: S\n  match: {namespaces: x}\n  require: {priorityClassName: "
      "high}\n  bad:\n"
      "  - {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}, spec: "
      "{priorityClassName: "
      "low, containers: [{name: c, image: i}]}}\n"
      "  - |\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a, namespace: x}\n    spec:\n"
      "      priorityClassName: low\n      containers: [{name: c, image: i}]\n"
      "  - apiVersion: v1\n    kind: Pod\n    metadata: {name: a, namespace: x}\n    spec:\n"
      "      priorityClassName: low\n      containers: [{name: c, image: i}]\n"
      "- id: b\n  summary: S\n  require: {priorityClassName: high}\n  bad:\n  - |\n"
      "    priorityClassName: low\n    containers: [{name: c, image: i}]\n");
  const Ran ran = run_program({"policy", "test"});
  for (const char* place : {".cnsched.yaml:7:94: ", ".cnsched.yaml:13:26: ",
                            ".cnsched.yaml:19:26: ", ".cnsched.yaml:26:24: "}) {
    CAPTURE(place);
    CHECK(has(ran.out, std::string("    ") + place + "warning: priorityClassName is 'low'"));
  }
  CHECK(ran.exit == 0);
}

TEST_CASE("policy test says that a policy is not for a manifest") {
  const Project project(
      "policies:\n- id: a\n  summary: S\n  match: {namespaces: x}\n  require: {priorityClassName: "
      "high}\n  good: pod.yaml\n  bad: pod.yaml\n");
  const Ran ran = run_program({"policy", "test"});
  CHECK(has(ran.out,
            "  good: pod.yaml: ok, left out by 'match', 'exclude' or 'when'\n"
            "  bad: pod.yaml: FAILED, 'match', 'exclude' or 'when' leaves it out\n"));
}

TEST_CASE("policies name manifests of their repository only") {
  const TemporaryDirectory elsewhere;
  const std::string secret = elsewhere.write("secret.yaml", "SECRET: 1\n");
  const Repository tree;
  tree.write("more/q.txt");
  fs::create_symlink(secret, "link.yaml");
  fs::create_symlink(secret, "more/p.yaml");
  for (const std::string& name :
       {secret, std::string("link.yaml"), std::string("/proc/self/x.yaml"),
        fs::relative(secret).string()}) {
    tree.write(".cnsched.yaml",
               "policies:\n- id: a\n  summary: S\n  require: {priorityClassName: "
               "high}\n  bad: [" +
                   name + "]\n");
    const Ran ran = run_program({"policy", "test"});
    CHECK(ran.exit == 2);
    CHECK_FALSE(has(ran.out + ran.err, "SECRET"));
  }
  CHECK(has(run_program({"policy", "check", "more"}).err, "a link out of the repository"));
  // A directory is named, but the configuration in it is found.
  tree.write(".cnsched.yaml", "extends: " + secret + "\n");
  const Ran found = run_program({"policy", "check", "."});
  CHECK(has(found.err, ".cnsched.yaml:1:10: '"));
  CHECK_FALSE(has(found.err, "SECRET"));
  CHECK(has(run_program({"policy", "check", ".cnsched.yaml"}).err, "SECRET"));
}

TEST_CASE("policy check reports mistakes with their places") {
  const Project project("policies:\n- {id: taint, summary: S, require: {mod: x}}\n");
  const Ran ran = run_program({"policy", "check"});
  CHECK(ran.exit == 2);
  CHECK(ran.out == "");
  CHECK(ran.err ==
        "error: .cnsched.yaml:2:8: 'taint' is the id of a built-in rule or group: choose another "
        "id\nerror: .cnsched.yaml:2:37: unknown field 'mod', did you mean 'mode'?\n");
  CHECK(run_program({"lint", "pod.yaml"}).exit == 2);
  CHECK(run_program({"policy"}).exit == 2);
  project.write(".cnsched.yaml", kPolicies);
  CHECK(run_program({"policy"}).out ==
        ".cnsched.yaml:2: priority (error): pods have a high priority\n");
  CHECK(run_program({"policy", "test", "no-such-file"}).exit == 2);
}

}  // namespace cnsched::cli::policy_test
