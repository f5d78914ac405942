#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::run_test {

constexpr const char* kBadPod = R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  tolerations: [{key: nvidia.com/gpu, operator: exists}]
  containers: [{name: c, image: x}]
)";

std::vector<Diagnostic> findings_of(const Workspace& workspace, std::string_view rule) {
  std::vector<Diagnostic> findings = run(workspace, Selection::everything()).findings;
  std::erase_if(findings, [&](const Diagnostic& d) { return d.rule != rule; });
  return findings;
}

using Names = std::vector<std::string>;

Names names_of_findings(const Rule& rule, const Workspace& workspace) {
  const Listed listed{"toleration", &rule};
  Names names;
  for (const Diagnostic& d : run(workspace, Selection::everything(), {&listed, 1}).findings) {
    names.push_back(d.message);
  }
  return names;
}

/// The names of the objects whose pods a rule for the domain gets, in the order of the file.
Names pods_in(Domain domain, const Workspace& workspace) {
  const WorkloadCheck name = [](const Workload& workload, Findings& findings) {
    findings.add((*workload.object)["metadata"]["name"], "{}", workload.object->name);
  };
  return names_of_findings({.id = "invalid-toleration", .of = domain, .check = name}, workspace);
}

/// The names of the objects that a rule for the domain gets.
Names objects_in(Domain domain, const Workspace& workspace) {
  const ObjectCheck name = [](const k8s::Object& object, Findings& findings) {
    findings.add(object["metadata"]["name"], "{}", object.name);
  };
  return names_of_findings({.id = "invalid-toleration", .of = domain, .check = name}, workspace);
}

TEST_CASE("sorts findings by path and place, whatever the order of the files") {
  const auto one = workspace_of({{"a.yaml", kBadPod}, {"b.yaml", kBadPod}});
  const auto other = workspace_of({{"b.yaml", kBadPod}, {"a.yaml", kBadPod}});
  const auto paths = [](const Workspace& workspace) {
    std::vector<std::string> result;
    for (const Diagnostic& d : findings_of(workspace, "invalid-toleration")) {
      result.push_back(workspace.file_of(d.where).path());
    }
    return result;
  };
  CHECK(paths(*one) == std::vector<std::string>{"a.yaml", "b.yaml"});
  CHECK(paths(*other) == paths(*one));
}

TEST_CASE("reports a value that an alias repeats once") {
  const auto workspace = workspace_of({{"a.yaml", R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations: {serving.kserve.io/deploymentMode: RawDeployment}
spec:
  predictor:
    tolerations: &gpu
    - {key: nvidia.com/gpu, operator: exists}
    model: {modelFormat: {name: onnx}}
  transformer:
    tolerations: *gpu
    containers: [{name: t, image: x}]
)"}});
  CHECK(findings_of(*workspace, "invalid-toleration").size() == 1);
}

TEST_CASE("keeps the first findings up to the limit and reports where it was reached") {
  const auto workspace =
      workspace_of({{"a.yaml", kBadPod}, {"b.yaml", kBadPod}, {"c.yaml", kBadPod}});
  const auto selection = *Selection::from({.select = {"invalid-toleration"}});
  const auto found = [&](std::size_t max) {
    return run(*workspace, selection, all_rules(), {}, max);
  };
  CHECK(found(3).findings.size() == 3);
  CHECK_FALSE(found(3).left_out);
  const RunResult two = found(2);
  REQUIRE(two.findings.size() == 2);
  CHECK(workspace->file_of(two.findings.back().where).path() == "b.yaml");
  REQUIRE(two.left_out);
  CHECK(two.left_out->path == "b.yaml");
  CHECK(two.left_out->line == 5);
  CHECK(
      two.left_out->reason ==
      "more than 2 mistakes were found and the others are left out: correct these first, or raise "
      "--max-findings");
}

TEST_CASE("applies the limit to the findings of all rules together") {
  const auto workspace = workspace_of({{"a.yaml", kBadPod}});
  const std::size_t all = run(*workspace, Selection::everything()).findings.size();
  REQUIRE(all > 1);
  const RunResult cut = run(*workspace, Selection::everything(), all_rules(), {}, all - 1);
  CHECK(cut.findings.size() == all - 1);
  CHECK(cut.left_out);
  CHECK_FALSE(run(*workspace, Selection::everything(), all_rules(), {}, all).left_out);
}

TEST_CASE("reports no unused suppression if findings were left out") {
  const std::string suppressed =
      std::string(kBadPod) + "---\n# cnsched: ignore=invalid-toleration -- known\n" + kBadPod;
  const auto workspace = workspace_of({{"a.yaml", suppressed}});
  const auto selection = *Selection::from({.select = {"invalid-toleration", "ignore-unused"}});
  const RunResult cut = run(*workspace, selection, all_rules(), {}, 1);
  REQUIRE(cut.findings.size() == 1);
  CHECK(cut.findings.front().rule == "invalid-toleration");
}

TEST_CASE("does not lint files that only give facts") {
  const auto workspace = workspace_of({{"a.yaml", kBadPod}, {"facts.yaml", kBadPod, false}});
  const auto findings = findings_of(*workspace, "invalid-toleration");
  REQUIRE(findings.size() == 1);
  CHECK(workspace->file_of(findings.front().where).path() == "a.yaml");
}

TEST_CASE("applies a configured severity to every finding of the rule") {
  const auto workspace = workspace_of({{"a.yaml", kBadPod}});
  const auto selection = Selection::from({.severity = {"invalid-toleration=info"}});
  REQUIRE(selection);
  for (const Diagnostic& d : run(*workspace, *selection).findings) {
    if (d.rule == "invalid-toleration") CHECK(d.severity == Severity::info);
  }
}

TEST_CASE("sets the object, component and pointer of a finding") {
  const auto workspace = workspace_of({{"a.yaml", R"(apiVersion: v1
kind: List
items:
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata: {name: llama, namespace: chat}
  spec:
    predictor:
      tolerations:
      - {key: nvidia.com/gpu, operator: exists}
      model: {modelFormat: {name: onnx}}
)"}});
  const auto findings = findings_of(*workspace, "invalid-toleration");
  REQUIRE(findings.size() == 1);
  const Subject& subject = findings.front().subject;
  CHECK(subject.api_version == "serving.kserve.io/v1beta1");
  CHECK(subject.kind == "InferenceService");
  CHECK(subject.ns == "chat");
  CHECK(subject.name == "llama");
  CHECK(subject.component == "predictor");
  CHECK(subject.pointer == "/spec/predictor/tolerations/0/operator");
}

TEST_CASE("includes the chart that a finding was rendered from") {
  const auto workspace = workspace_of(
      {{"a.yaml", std::string("---\n# Source: chart/templates/pod.yaml\n") + kBadPod}});
  const auto findings = findings_of(*workspace, "invalid-toleration");
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().rendered_from == "chart/templates/pod.yaml");
}

TEST_CASE("a rule gets the objects and pods of its domain only") {
  const auto workspace = workspace_of({{"a.yaml", R"(apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: used}
spec: {supportedModelFormats: [{name: onnx}], containers: [{name: kserve-container, image: x}]}
---
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: unused}
spec: {containers: [{name: kserve-container, image: x}]}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: known, annotations: {serving.kserve.io/deploymentMode: Standard}}
spec: {predictor: {model: {modelFormat: {name: onnx}, runtime: used}}}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: open, annotations: {serving.kserve.io/deploymentMode: Standard}}
spec: {predictor: {model: {modelFormat: {name: onnx}, runtime: elsewhere}}}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: never-built, annotations: {serving.kserve.io/stop: "true"}}
spec: {predictor: {model: {modelFormat: {name: onnx}, runtime: used}}}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: config}
spec: {podSpec: {containers: [{name: server, image: x}]}}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: merged}
spec: {serverConfig: config, podSpec: {nodeSelector: {a: b}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      containers: [{name: c, image: x}]
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: patch}
spec:
  $patch: merge
  containers: [{name: c, image: x}]
)"}});
  const Names all = pods_in(Domain::all, *workspace);
  const auto without = [&](Names names) {
    Names rest = all;
    std::erase_if(rest, [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    });
    return rest;
  };
  CHECK(all == Names{"used", "unused", "known", "open", "never-built", "config", "merged", "agent",
                     "plain", "patch"});
  CHECK(pods_in(Domain::whole, *workspace) == without({"used", "unused", "config"}));
  CHECK(pods_in(Domain::unused_parts, *workspace) == without({"used", "config"}));
  CHECK(pods_in(Domain::built, *workspace) == without({"never-built"}));
  CHECK(pods_in(Domain::complete, *workspace) == without({"open", "patch"}));
  CHECK(pods_in(Domain::finished, *workspace) ==
        without({"used", "unused", "config", "open", "never-built", "patch"}));
  CHECK(pods_in(Domain::scheduled, *workspace) == without({"agent"}));
  CHECK(pods_in(Domain::no_patches, *workspace) == without({"patch"}));
  CHECK(pods_in(Domain::placed, *workspace) == without({"plain", "patch"}));
  CHECK(pods_in(Domain::serving, *workspace) == without({"agent", "plain", "patch"}));
  CHECK(pods_in(Domain::kserve, *workspace) ==
        Names{"used", "unused", "known", "open", "never-built"});
  CHECK(pods_in(Domain::merged_by_seldon, *workspace) == Names{"merged"});
  CHECK(pods_in(Domain::kserve | Domain::finished, *workspace) == Names{"known"});
  CHECK(objects_in(Domain::kserve | Domain::no_patches, *workspace) ==
        pods_in(Domain::kserve, *workspace));
  CHECK(objects_in(Domain::no_patches, *workspace) == without({"patch"}));
  Names linted;
  std::vector<Diagnostic> diagnostics;
  const ClusterScope& scope = workspace->scopes().front();
  Findings findings(scope, "a", Severity::error, diagnostics);
  each_linted_pod(scope, findings, Domain::complete | Domain::kserve,
                  [&](const Workload& workload) { linted.emplace_back(workload.object->name); });
  CHECK(linted == Names{"used", "unused", "known", "never-built"});
}

}  // namespace cnsched::rules::run_test
