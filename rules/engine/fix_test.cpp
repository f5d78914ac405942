#include "rules/engine/fix.h"
#include "core/yaml/tree.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::fix_test {

constexpr const char* kTwice = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    tolerations:   # of the pool
    - {key: a, operator: Exists}
    # the same again
    - {key: a, operator: Exists}
    - {key: a, operator: Equal, value: x}   # covered
    nodeSelector:
      beta.kubernetes.io/arch: amd64   # ours are
    model: {modelFormat: {name: onnx}}
)";

constexpr const char* kOnce = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    tolerations:   # of the pool
    - {key: a, operator: Exists}
    # the same again
    # covered
    nodeSelector:
      kubernetes.io/arch: amd64   # ours are
    model: {modelFormat: {name: onnx}}
)";

RunResult find_all(const Workspace& workspace) { return run(workspace, Selection::everything()); }

FixResult fixed(const Workspace& workspace, Safety least = Safety::safe) {
  return fix_all(workspace, find_all(workspace), least, find_all);
}

/// A fix of a document that is written by hand.
Diagnostic proposal(const LoadedDocument& loaded, std::vector<yaml::Change> changes,
                    Safety safety = Safety::safe) {
  Diagnostic finding{.rule = "test", .where = loaded.document.span};
  finding.fix = Fix{.title = "correct it",
                    .safety = safety,
                    .changes = std::move(changes),
                    .document = &loaded.document};
  return finding;
}

constexpr const char* kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeName: x
  priority: 1
)";

TEST_CASE("applies all fixes of a file and keeps the other text") {
  const auto workspace = workspace_of({{"llama.yaml", kTwice}});
  const FixResult result = fixed(*workspace);
  REQUIRE(result.texts.size() == 1);
  CHECK(result.texts.at("llama.yaml") == kOnce);
  CHECK(result.made.at("llama.yaml") == 3);
  CHECK(result.failures.empty());
}

TEST_CASE("finds nothing to fix in a fixed file") {
  const auto workspace = workspace_of({{"llama.yaml", kOnce}});
  const FixResult result = fixed(*workspace);
  CHECK(result.texts.empty());
  CHECK(result.workspace == nullptr);
}

TEST_CASE("keeps line ends and the byte order mark") {
  std::string windows = "\xEF\xBB\xBF";
  std::string expected = windows;
  for (const char* line = kTwice; *line != '\0'; ++line)
    windows += *line == '\n' ? "\r\n" : std::string(1, *line);
  for (const char* line = kOnce; *line != '\0'; ++line)
    expected += *line == '\n' ? "\r\n" : std::string(1, *line);
  const auto workspace = workspace_of({{"llama.yaml", windows}});
  CHECK(fixed(*workspace).texts.at("llama.yaml") == expected);
}

TEST_CASE("returns the changed files, and keeps the findings of the others") {
  const auto workspace = workspace_of({{"a.yaml", kOnce}, {"b.yaml", kTwice}});
  const FixResult result = fixed(*workspace);
  CHECK(result.texts.size() == 1);
  CHECK(result.texts.contains("b.yaml"));
  CHECK(result.findings.size() == find_all(*result.workspace).findings.size());
}

TEST_CASE("does not fix files that only give facts") {
  const auto workspace = workspace_of({{"llama.yaml", kTwice, false}});
  CHECK(fixed(*workspace).texts.empty());
}

TEST_CASE("does not fix a suppressed finding, and applies unsafe fixes only on request") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  Diagnostic suppressed = proposal(loaded, {yaml::to_erase(spec["nodeName"])});
  suppressed.suppression = Suppression{};
  const Diagnostic unsafe = proposal(loaded, {yaml::to_erase(spec["priority"])}, Safety::unsafe);
  const Find none = [](const Workspace&) { return RunResult(); };
  CHECK(fix_all(*workspace, {{suppressed, unsafe}}, Safety::safe, none).texts.empty());
  const FixResult result = fix_all(*workspace, {{suppressed, unsafe}}, Safety::unsafe, none);
  CHECK(has(result.texts.at("pod.yaml"), "nodeName"));
  CHECK_FALSE(has(result.texts.at("pod.yaml"), "priority"));
}

TEST_CASE("applies the first of two conflicting fixes and then runs the rules again") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  Arena arena;
  const yaml::Node& value = yaml::string_like(arena, yaml::nowhere(), "z");
  const Diagnostic first = proposal(loaded, {yaml::to_set(spec["nodeName"], value)});
  const Diagnostic second = proposal(loaded, {yaml::to_erase(spec["nodeName"])});
  int looks = 0;
  const Find find = [&](const Workspace&) {
    ++looks;
    return RunResult();
  };
  const FixResult result = fix_all(*workspace, {{first, second}}, Safety::safe, find);
  CHECK(has(result.texts.at("pod.yaml"), "nodeName: z"));
  CHECK(result.made.at("pod.yaml") == 1);
  CHECK(looks == 1);
}

TEST_CASE("does not apply two fixes together that result in a duplicate key") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  const Diagnostic first = proposal(loaded, {yaml::to_rename(spec["nodeName"], "hostname")});
  const Diagnostic second = proposal(loaded, {yaml::to_rename(spec["priority"], "hostname")});
  const Find again = [](const Workspace&) { return RunResult(); };
  const FixResult result = fix_all(*workspace, {{first, second}}, Safety::safe, again);
  CHECK(has(result.texts.at("pod.yaml"), "hostname: x\n  priority: 1\n"));
  CHECK(result.made.at("pod.yaml") == 1);
}

TEST_CASE("applies the other fixes if one cannot be applied") {
  const auto workspace = workspace_of({{"pod.yaml",
                                        "apiVersion: v1\n"
                                        "kind: Pod\n"
                                        "metadata: {name: a, labels: &x {a: b}}\n"
                                        "spec:\n"
                                        "  nodeSelector: *x\n"
                                        "  nodeName: x\n"
                                        "  priority: 1\n"}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& root = *loaded.document.root;
  const Diagnostic bad = proposal(loaded, {yaml::to_erase(root["metadata"]["labels"]["a"])});
  const Diagnostic good = proposal(loaded, {yaml::to_erase(root["spec"]["nodeName"])});
  const Find again = [](const Workspace&) { return RunResult(); };
  const FixResult result = fix_all(*workspace, {{bad, good}}, Safety::safe, again);
  CHECK_FALSE(has(result.texts.at("pod.yaml"), "nodeName"));
  CHECK(result.made.at("pod.yaml") == 1);
}

TEST_CASE("stops at fixes that repeat endlessly") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  Arena arena;
  const Find rename = [&](const Workspace& now) {
    const LoadedDocument& loaded = *now.documents().front();
    const yaml::Node& spec = (*loaded.document.root)["spec"];
    const bool is_x = spec["nodeName"].text() == "x";
    const yaml::Node& other = yaml::string_like(arena, yaml::nowhere(), is_x ? "z" : "x");
    return RunResult{{proposal(loaded, {yaml::to_set(spec["nodeName"], other)})}};
  };
  const FixResult result = fix_all(*workspace, rename(*workspace), Safety::safe, rename);
  CHECK(result.texts.empty());
  REQUIRE(result.failures.size() == 1);
  CHECK(has(result.failures.front(), "test"));
}

}  // namespace cnsched::rules::fix_test
