#include "core/snapshot/reduce.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::snapshot::reduce_test {

const Resource& resource_of(std::string_view kind) {
  return *std::ranges::find(resources(), kind, &Resource::kind);
}

/// The object as it is kept; empty if it is no fact.
std::string kept_text(const std::string& text) {
  const Parsed parsed(text);
  const k8s::Object& object = parsed.object();
  const Resource& resource = resource_of(object.kind);
  if (!is_fact(object, resource)) return {};
  Arena arena;
  return yaml::to_yaml(reduced(object, resource, arena));
}

std::string masked_text(std::string_view text) {
  bool is_value = false;
  return masked(text, is_value);
}

TEST_CASE("of a Node the fields that rules and simulation read are kept, names first") {
  CHECK(kept_text("kind: Node\nstatus: {allocatable: {cpu: '8'}, images: [{names: [a]}], "
                  "nodeInfo: {kubeletVersion: v1.31.2, machineID: x}}\n"
                  "spec: {taints: [{key: a, effect: NoSchedule}], podCIDR: x}\n"
                  "metadata: {annotations: {a/b: c}, labels: {x: 'true'}, name: a, uid: u}\n"
                  "apiVersion: v1\n") ==
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    x: \"true\"\n"
        "status:\n  allocatable:\n    cpu: \"8\"\n  nodeInfo:\n    kubeletVersion: v1.31.2\n"
        "spec:\n  taints:\n  - key: a\n    effect: NoSchedule\n");
}

TEST_CASE("pods that occupy no node are no facts") {
  const std::string pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, ";
  CHECK(kept_text(pod + "spec: {containers: []}}").empty());
  CHECK(kept_text(pod + "spec: {nodeName: n}, status: {phase: Failed}}").empty());
  CHECK_FALSE(kept_text(pod + "spec: {nodeName: n}, status: {phase: Running}}").empty());
  CHECK(kept_text(pod + "spec: {}, status: {phase: Pending}}").empty());
  CHECK_FALSE(kept_text(pod + "spec: {}, status: {nominatedNodeName: n}}").empty());
  const Parsed secret("{apiVersion: v1, kind: Secret, metadata: {name: a}, spec: {nodeName: n}}");
  CHECK_FALSE(is_fact(secret.object(), resource_of("Pod")));
}

TEST_CASE("pods keep no arguments, environment or images") {
  const std::string kept = kept_text(
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n, containers: [{name: c, "
      "image: hidden, args: [--enable-admission-plugins=hidden], command: [hidden], "
      "env: [{name: hidden, value: hidden}], ports: [{hostPort: 80}], lifecycle: {hidden: 1}}], "
      "volumes: [{name: v, secret: {secretName: hidden}}, "
      "{name: w, persistentVolumeClaim: {claimName: c}}]}}");
  CHECK_FALSE(has(kept, "hidden"));
  CHECK(has(kept, "hostPort: 80"));
  CHECK_FALSE(has(kept, "name: v"));
  CHECK(has(kept, "claimName: c"));
}

TEST_CASE("the admission plugins of the API server are kept") {
  CHECK(has(kept_text("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {component: "
                      "kube-apiserver}}, spec: {nodeName: n, containers: [{name: c, command: "
                      "[kube-apiserver, --etcd=x, --enable-admission-plugins=A]}]}}"),
            "command:\n    - --enable-admission-plugins=A\n"));
}

TEST_CASE("properties of definitions stay, their descriptions do not") {
  CHECK(kept_text("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                  "metadata: {name: a}\nspec:\n  versions:\n  - name: v1\n    schema:\n"
                  "      openAPIV3Schema:\n        description: x\n        properties:\n"
                  "          description: {type: string, title: x, default: {title: kept}}\n"
                  "          env: {items: {description: x, type: object}}\n"
                  "          annotations: {additionalProperties: {type: string}}\n") ==
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
        "  name: a\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"
        "        properties:\n          description:\n            type: string\n"
        "            default:\n              title: kept\n          env:\n            items:\n"
        "              type: object\n          annotations:\n"
        "            additionalProperties:\n              type: string\n");
}

TEST_CASE("values of flags for credentials are masked") {
  CHECK(masked_text("--api-key=a") == "--api-key=REDACTED");
  CHECK(masked_text("vllm serve --hf_token 'a' --port 80 -password=\"b\"") ==
        "vllm serve --hf_token 'REDACTED' --port 80 -password=\"REDACTED\"");
  CHECK(masked_text("--api-key=$(KEY)") == "--api-key=$(KEY)");
  CHECK(masked_text("--max-num-batched-tokens=1 --tokenizer a --keyed b") ==
        "--max-num-batched-tokens=1 --tokenizer a --keyed b");
  CHECK(masked_text("--token --port 80") == "--token --port 80");
  CHECK(masked_text("a--token b") == "a--token b");
  CHECK(masked_text("--api-key 'two WORDS' -v") == "--api-key 'REDACTED' -v");
  CHECK(masked_text("export HF_TOKEN=a; MODE=b") == "export HF_TOKEN=REDACTED; MODE=b");
  CHECK(masked_text("--hftoken=a") == "--hftoken=REDACTED");
  CHECK(masked_text("--secret=$abc") == "--secret=REDACTED");
  CHECK(masked_text("--model=https://user:word@host") == "REDACTED");
  CHECK(masked_text("Authorization: Bearer a") == "REDACTED");
  CHECK(masked_text("--config={\"api_key\": \"a\"}") == "REDACTED");
  bool is_value = false;
  CHECK(masked("--token", is_value) == "--token");
  CHECK(is_value);
  CHECK(masked("two words", is_value) == "REDACTED");
  CHECK_FALSE(is_value);
  CHECK(masked_text("").empty());
}

TEST_CASE("deep and repeated values are kept without a crash") {
  std::string deep = "x";
  for (int i = 0; i < 450; ++i) deep = "{a: " + deep + "}";
  CHECK_FALSE(kept_text("apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\n"
                        "metadata: {name: a}\nspec:\n  x: &x [1, 2]\n  y: [*x, *x]\n  z: " +
                        deep + "\n")
                  .empty());
}

}  // namespace cnsched::snapshot::reduce_test
