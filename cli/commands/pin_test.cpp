#include <cstdlib>

#include "testdata/support.h"

namespace cnsched::cli::pin_test {

const std::string kPod =
    "# mine\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: a}\n"
    "spec:\n"
    "  containers:\n"
    "  - name: a\n"
    "    image: a:1\n"
    "    resources: {limits: {nvidia.com/gpu: 1}}\n";
const std::string kPin =
    "  nodeSelector:\n"
    "    cloud.google.com/gke-accelerator: nvidia-l4\n";

Ran pin(const std::string& file, const std::vector<std::string>& more = {}) {
  return run_program({"generate", "pin", file, "--set", "platform=gke", "--set",
                      "accelerator=nvidia-l4", "--no-config", "--color", "never"},
                     more);
}

TEST_CASE("generate pin prints the manifest with the placement, and nothing else") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("pod.yaml", kPod);
  const Ran ran = pin(file);
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
  CHECK(ran.out == kPod + kPin);
  CHECK(read_all(file) == kPod);
}

TEST_CASE("generate pin --diff shows the changes, and as --check exits with 1 if there are any") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("pod.yaml", kPod);
  const Ran diff = pin(file, {"--diff"});
  CHECK(diff.exit == 1);
  CHECK(diff.out.starts_with("--- " + file + "\n+++ " + file + "\n@@ "));
  CHECK(
      diff.out.ends_with("\n+  nodeSelector:\n+    cloud.google.com/gke-accelerator: nvidia-l4\n"));
  const Ran check = pin(file, {"--check"});
  CHECK(check.exit == 1);
  CHECK(check.out == "");
  CHECK(pin(directory.write("done.yaml", kPod + kPin), {"--check"}).exit == 0);
}

TEST_CASE("generate pin writes another file, and its own only with --force") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("pod.yaml", kPod);
  const std::string other = directory.path("other.yaml");
  CHECK(pin(file, {"-o", other}).exit == 0);
  CHECK(read_all(other) == kPod + kPin);
  CHECK(pin(file, {"-o", file}).exit == 3);
  CHECK(read_all(file) == kPod);
  CHECK(pin(file, {"-o", file, "--force"}).exit == 0);
  CHECK(read_all(file) == kPod + kPin);
  const Ran again = pin(file, {"-o", file});
  CHECK(again.exit == 0);
  CHECK(again.err ==
        "nothing to add: Pod 'a' already has the placement\nunchanged: " + file + "\n");
}

TEST_CASE("existing findings do not prevent the output of pin, new ones do") {
  const TemporaryDirectory directory;
  const std::string bad = kPod + "  tolerations: [{key: a, operator: Exists, value: b}]\n";
  const Ran before = pin(directory.write("bad.yaml", bad));
  CHECK(before.exit == 0);
  CHECK(before.err == "");
  CHECK(before.out == bad + kPin);
  const std::string service = directory.write(
      "isvc.yaml",
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a, "
      "annotations: {serving.kserve.io/deploymentMode: Serverless}}\nspec:\n  predictor:\n    "
      "minReplicas: 0\n    model:\n      modelFormat: {name: onnx}\n      resources: {limits: "
      "{nvidia.com/gpu: 1}}\n");
  const std::string features = directory.write(
      "features.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
      "knative-serving}\ndata: {kubernetes.podspec-nodeselector: disabled}\n");
  const Ran rejected = pin(service, {"--cluster", features});
  CHECK(rejected.exit == 1);
  CHECK(rejected.out == "");
  CHECK(rejected.err.starts_with("error[knative-feature-disabled]"));
  CHECK(rejected.err.ends_with("because of its findings (--no-lint skips the check)\n"));
  CHECK(pin(service, {"--cluster", features, "--no-lint"}).exit == 0);
}

TEST_CASE("generate pin reports all invalid parameters, with a valid command") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("pod.yaml", kPod);
  const Ran ran = run_program({"generate", "pin", file, "--set", "platfrom=gke", "--set", "gpus=0",
                               "--component", "a", "--no-config"});
  CHECK(ran.exit == 2);
  CHECK(ran.out == "");
  CHECK(
      ran.err ==
      "error: 'pin' has no parameter 'platfrom', did you mean 'platform'?\n"
      "error: 'platform' is required: where the cluster runs, which decides the labels and taints "
      "of its nodes\n"
      "error: 'accelerator' is required: the accelerator that the pod runs on\n"
      "error: 'gpus' must be an integer of 1 or more, not '0'\n"
      "Try: cnsched generate pin " +
          file + " --component a --set platform=gke --set accelerator=nvidia-l4\n");
  const Ran impossible = pin(file, {"--set", "gpus=1000"});
  CHECK(impossible.exit == 2);
  CHECK_FALSE(has(impossible.err, "Try:"));
}

TEST_CASE("generate pin rejects a conflicting placement, or replaces it") {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "eks.yaml", kPod + "  nodeSelector:\n    eks.amazonaws.com/nodegroup: gpu  # old\n");
  const Ran rejected = pin(file);
  CHECK(rejected.exit == 2);
  CHECK(rejected.out == "");
  CHECK(rejected.err == "error: " + file +
                            ":6:3: Pod 'a' has 'eks.amazonaws.com/nodegroup: gpu', which no node "
                            "with 'nvidia-l4' of platform 'gke' has: replace it with --replace\n");
  const Ran replaced = pin(file, {"--replace"});
  CHECK(replaced.exit == 0);
  CHECK(replaced.out == kPod + kPin);
}

TEST_CASE("generate pin uses the facts of the cluster") {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "isvc.yaml",
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a, "
      "annotations: {serving.kserve.io/deploymentMode: RawDeployment}}\nspec:\n  predictor:\n    "
      "model:\n      modelFormat: {name: vLLM}\n      runtime: vllm\n      storageUri: gs://a/b\n");
  const std::string cluster = directory.write(
      "cluster.yaml",
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime\nmetadata: {name: "
      "vllm}\nspec:\n  supportedModelFormats: [{name: vLLM}]\n  containers:\n  - name: "
      "kserve-container\n    image: a:1\n    resources: {limits: {nvidia.com/gpu: 2}}\n");
  const Ran unknown = pin(file, {"-q"});
  CHECK(unknown.exit == 2);
  CHECK(unknown.err ==
        "error: InferenceService 'a', predictor requests no accelerator: to add a request, "
        "pass '--component predictor'\n");
  CHECK(has(pin(file, {"-q", "--component", "predictor"}).out, "nvidia.com/gpu"));
  const Ran ran = pin(file, {"--cluster", cluster, "-q"});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        read_all(file) + "    nodeSelector:\n      cloud.google.com/gke-accelerator: nvidia-l4\n");
}

TEST_CASE("generate pin reports what it cannot read or edit, and where") {
  const TemporaryDirectory directory;
  CHECK(pin(directory.path("none.yaml")).exit == 3);
  const std::string file = directory.write("t.yaml",
                                           "kind: {{ .Values.kind }}\napiVersion: "
                                           "serving.kserve.io/v1beta1\n");
  const Ran ran = pin(file);
  CHECK(ran.exit == 3);
  CHECK(ran.err.starts_with("error: " + file + ":1:1: this is a Helm template: "));
  CHECK(pin("-", {"--cluster", "-"}).exit == 2);
}

TEST_CASE("generate pin is a subcommand with its own help and suggestions") {
  const Ran parent = run_program({"generate", "--help"});
  CHECK(has(parent.out,
            "Usage: cnsched generate [OPTIONS] [TEMPLATE]\n"
            "       cnsched generate pin FILE [OPTIONS]\n"));
  const Ran help = run_program({"generate", "pin", "--help"});
  CHECK(help.exit == 0);
  CHECK(has(help.out, "\nUsage: cnsched generate pin FILE [OPTIONS]\n"));
  CHECK(run_program({"generate", "pin"}).err ==
        "error: 'generate pin' requires a FILE: the manifest; - for standard input\nTry 'cnsched "
        "generate pin --help'.\n");
  CHECK(run_program({"generate", "pin", "a.yaml", "--componnet", "x"}).err ==
        "error: unknown option '--componnet', did you mean '--component'?\n"
        "Try 'cnsched generate pin --help'.\n");
  const Ran early = run_program({"generate", "--set", "platform=gke", "pin", "a.yaml"});
  CHECK(early.exit == 2);
  CHECK(early.err == "error: '--set' must follow 'pin'\n");
}

}  // namespace cnsched::cli::pin_test
