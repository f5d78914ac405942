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
  const Found two = found(2);
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
  const Found cut = run(*workspace, Selection::everything(), all_rules(), {}, all - 1);
  CHECK(cut.findings.size() == all - 1);
  CHECK(cut.left_out);
  CHECK_FALSE(run(*workspace, Selection::everything(), all_rules(), {}, all).left_out);
}

TEST_CASE("reports no unused suppression if findings were left out") {
  const std::string suppressed =
      std::string(kBadPod) + "---\n# cnsched: ignore=invalid-toleration -- known\n" + kBadPod;
  const auto workspace = workspace_of({{"a.yaml", suppressed}});
  const auto selection = *Selection::from({.select = {"invalid-toleration", "ignore-unused"}});
  const Found cut = run(*workspace, selection, all_rules(), {}, 1);
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

}  // namespace cnsched::rules::run_test
