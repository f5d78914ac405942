#include "rules/engine/fix.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::fix_check_test {

/// A Pod with these lines in its spec.
std::string pod(const std::string& lines) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + lines +
         "  containers: [{name: a, image: b}]\n";
}

/// A service with a field beside its model.
std::string service(const std::string& line) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
         "metadata: {name: a, annotations: {serving.kserve.io/deploymentMode: Standard}}\n"
         "spec:\n  predictor:\n    " +
         line +
         "\n    volumes: [{name: disk, emptyDir: {}}]\n"
         "    model: {modelFormat: {name: onnx}, storageUri: 'gs://a/b'}\n";
}

/// The findings of unknown-field, as "fix TITLE" or "help TEXT".
std::vector<std::string> advice_in(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  std::vector<std::string> advice;
  for (const Diagnostic& finding : run(*workspace, Selection::everything()).findings) {
    if (finding.rule != "unknown-field") continue;
    advice.push_back(finding.fix ? "fix " + finding.fix->title : "help " + finding.help);
  }
  return advice;
}

using Advice = std::vector<std::string>;

TEST_CASE("offers a move that fits") {
  CHECK(advice_in(service("volumeMounts: [{name: disk, mountPath: /mnt/disk}]")) ==
        Advice{"fix move it to spec.predictor.model.volumeMounts"});
}

TEST_CASE("does not offer a move that makes an error, and names the error") {
  CHECK(advice_in(service("volumeMounts: [{name: disk, mountPath: /mnt/models}]")) ==
        Advice{"help move it to spec.predictor.model.volumeMounts and correct it: two mounts at "
               "'/mnt/models': the API server rejects the pod"});
}

TEST_CASE("does not offer a new name for a value that does not fit") {
  const Advice advice = advice_in(pod("  nodeselector: a\n  hostnetwork: true\n"));
  REQUIRE(advice.size() == 2);
  CHECK(advice[0].starts_with("help rename it to 'nodeSelector' and correct it: "));
  CHECK(advice[1] == "fix rename it to 'hostNetwork'");
}

TEST_CASE("a mistake within a renamed field does not prevent the new name") {
  CHECK(advice_in(pod("  Volumes:\n  - name: a\n    emptyDir: {sizelimit: 1Gi}\n")) ==
        Advice{"fix rename it to 'volumes'"});
}

TEST_CASE("an error that was there before does not prevent a fix") {
  const Advice advice = advice_in(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n"
      "spec:\n  predictor:\n    args: [a]\n"
      "    model: {modelFormat: {name: onnx}, args: [b, {c: d}]}\n");
  CHECK(advice == Advice{"fix move it to spec.predictor.model.args"});
}

TEST_CASE("checks many fixes of a document together, and few of them alone") {
  constexpr int kCount = 2000;
  std::string volumes = "  volumes:\n";
  for (int i = 0; i < kCount; ++i) {
    volumes += fmt::format("  - {{name: v{}, secret: {{name: a}}}}\n", i);
  }
  const Advice together = advice_in(pod(volumes));
  CHECK(std::ranges::count(together, "fix rename it to 'secretName'") == kCount);
  // One of the first 500 does not fit.
  const Advice alone = advice_in(pod(volumes + "  nodeselector: a\n"));
  CHECK(alone.size() == kCount + 1);
}

}  // namespace cnsched::rules::fix_check_test
