// What policies find, and what their reader rejects.
#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/example.h"
#include "rules/engine/run.h"
#include "rules/engine/selection.h"
#include "rules/policy/policy_reader.h"
#include "testdata/support.h"

namespace cnsched::rules::policy_test {

/// The policy with the body, or the errors.
struct Read {
  explicit Read(std::string body)
      : file(0, "p.yaml", "id: p\nsummary: S\n" + std::move(body)),
        document(yaml::parse(file, file.whole())) {
    yaml::StrictReader reader(file, errors);
    check_shape(*document.root, "the policy", policy_shape(), reader);
    policy = read_policy(*document.root, file, reader);
  }

  std::string all_errors() const { return joined(errors).message; }

  SourceFile file;
  yaml::Document document;
  std::vector<Error> errors;
  std::shared_ptr<const Policy> policy;
};

/// What the policy with that body finds in a manifest, a finding a line.
std::string found_by(const std::string& body, const std::string& manifest) {
  const Read read(body);
  if (!read.errors.empty()) return read.all_errors();
  Workspace workspace;
  const auto findings = lint_policy_example(*read.policy, {"m.yaml", manifest}, workspace);
  std::ostringstream out;
  cli::write_concise({workspace, findings}, false, out);
  return std::string(trim(out.str()));
}

std::string error_of(const std::string& body) { return Read(body).all_errors(); }

/// A Pod with these fields, which begin in line 4.
std::string pod(const std::string& spec) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n, labels: {team: "
         "x}}\nspec:\n" +
         spec;
}

const char* const kOneContainer = "  containers:\n  - {name: c, image: \"r.io/i:1\"}\n";

TEST_CASE("a requirement is reported at the value that violates it") {
  CHECK(found_by("require: {nodeSelector.pool: {in: [a, b]}}",
                 pod(std::string("  nodeSelector: {pool: c}\n") + kOneContainer)) ==
        "m.yaml:5:24: warning: nodeSelector.pool is 'c', not 'a' or 'b': S [p]");
  CHECK(found_by("require: {nodeSelector.pool: {in: [a, b]}}",
                 pod(std::string("  nodeSelector: {pool: b}\n") + kOneContainer)) == "");
}

TEST_CASE("what is not set is reported at the object's name") {
  CHECK(found_by("severity: error\nrequire: {priorityClassName: {exists: true}}",
                 pod(kOneContainer)) == "m.yaml:3:18: error: priorityClassName is not set: S [p]");
}

TEST_CASE("several values must all pass in require, and one is enough in forbid") {
  const std::string two =
      pod("  containers:\n  - {name: c, image: \"r.io/i:1\"}\n  - {name: d, image: "
          "\"docker.io/i:1\"}\n");
  CHECK(found_by("require: {image: {matches: ^r.io/}}", two) ==
        "m.yaml:7:22: warning: image is 'docker.io/i:1', which does not match '^r.io/': S [p]");
  CHECK(found_by("forbid: {image: {matches: ^docker}}", two) ==
        "m.yaml:7:22: warning: image is 'docker.io/i:1', which matches '^docker': S [p]");
  CHECK(found_by("forbid: {not: {image: {matches: ^r.io/}}}", two) ==
        found_by("require: {image: {matches: ^r.io/}}", two));
  CHECK(found_by("require: {image: {any: {matches: ^r.io/}}}", two) == "");
}

TEST_CASE("items of lists are tested by their fields") {
  const std::string manifest =
      pod("  tolerations:\n  - {key: dedicated, operator: Exists}\n  - {key: spot, value: a}\n" +
          std::string(kOneContainer));
  CHECK(found_by("forbid: {tolerations: {any: {key: dedicated}}}", manifest) ==
        "m.yaml:6:11: warning: tolerations[0].key is 'dedicated': S [p]");
  CHECK(
      found_by("require: {tolerations: {none: {key: [dedicated, spot], value: a}}}", manifest) ==
      "m.yaml:7:11: warning: tolerations[1].key is 'spot', and tolerations[1].value is 'a': S [p]");
  CHECK(found_by("require: {tolerations: {all: {operator: Exists}}}", manifest) ==
        "m.yaml:7:5: warning: tolerations[1].operator is not set: S [p]");
  CHECK(found_by("require: {tolerations: {any: {key: x}}}", manifest) ==
        "m.yaml:5:3: warning: no item of tolerations is as required: S [p]");
  CHECK(found_by("require: {tolerations: {count: {atMost: 1}}}", manifest) ==
        "m.yaml:5:3: warning: tolerations has 2 items: S [p]");
}

TEST_CASE("quantities of items are compared as such") {
  const std::string manifest = pod(
      "  containers:\n  - {name: c, image: i, resources: {limits: {memory: 1024Mi, cpu: 0.1}}}\n");
  for (const char* field : {"resources.limits.memory: 1Gi", "resources.limits.cpu: 100m"}) {
    CAPTURE(field);
    const std::string body = fmt::format("require: {{containers: {{any: {{{}}}}}}}", field);
    CHECK(found_by(body, manifest) == "");
  }
  CHECK(found_by("forbid: {containers: {any: {resources.limits: {count: {moreThan: 1}}}}}",
                 manifest) ==
        "m.yaml:6:37: warning: containers[0].resources.limits has 2 items: S [p]");
}

TEST_CASE("a required label without values may have any") {
  const std::string manifest =
      pod("  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
          "        nodeSelectorTerms:\n        - matchExpressions: [{key: zone, operator: "
          "Exists}]\n" +
          std::string(kOneContainer));
  CHECK(found_by("require: {nodeLabels.zone: {exists: true}}", manifest) == "");
  const std::string any = "m.yaml:9:30: warning: nodeLabels.zone may have any value: S [p]";
  for (const char* body :
       {"require: {nodeLabels.zone: [a, b]}", "require: {nodeLabels.zone: {notIn: [a]}}",
        "forbid: {nodeLabels.zone: a}", "require: {nodeLabels.zone: {all: {in: [a]}}}"}) {
    CAPTURE(body);
    CHECK(found_by(body, manifest) == any);
  }
}

TEST_CASE("values of environment variables are not shown") {
  const std::string manifest =
      pod("  containers:\n  - {name: c, image: i, env: [{name: TOKEN, value: secret}]}\n");
  for (const char* body : {"forbid: {containers: {any: {env: {any: {value: {exists: true}}}}}}",
                           "forbid: {containers: {any: {env: {any: {value: {matches: s}}}}}}",
                           "forbid: {/spec/containers/*/env/*/value: {notIn: x}}",
                           "require: {/spec/containers/*/env/*/value: {in: x}}"}) {
    CAPTURE(body);
    const std::string found = found_by(body, manifest);
    CHECK(has(found, " is set"));
    CHECK_FALSE(has(found, "secret"));
  }
}

TEST_CASE("any and all combine conditions") {
  const std::string manifest = pod("  priorityClassName: low\n" + std::string(kOneContainer));
  const std::string any =
      "require: {any: [{priorityClassName: high}, {runtimeClassName: {exists: true}}]}";
  CHECK(found_by(any, manifest) ==
        "m.yaml:5:22: warning: priorityClassName is 'low', not 'high', and runtimeClassName is not "
        "set: S [p]");
  CHECK(found_by("require: {all: [{priorityClassName: high}, {runtimeClassName: {exists: true}}]}",
                 manifest) ==
        "m.yaml:3:18: warning: runtimeClassName is not set: S [p]\n"
        "m.yaml:5:22: warning: priorityClassName is 'low', not 'high': S [p]");
}

TEST_CASE("amounts are sums of the pod, and limits of memory need every container") {
  const std::string both =
      pod("  containers:\n  - {name: c, image: i, resources: {limits: {memory: 3Gi}}}\n"
          "  - {name: d, image: i, resources: {limits: {memory: 2Gi}}}\n");
  CHECK(found_by("require: {resources.limits.memory: {atMost: 5Gi}}", both) == "");
  CHECK(found_by("require: {resources.limits.memory: {atMost: 4Gi}}", both) ==
        "m.yaml:6:54: warning: resources.limits.memory is 5Gi (3Gi of 'c' and 2Gi of 'd'), more "
        "than 4Gi: S [p]");
  CHECK(found_by("require: {resources.limits.memory: {atMost: 4Gi}}",
                 pod("  containers:\n  - {name: c, image: i, resources: {limits: {memory: 3Gi}}}\n"
                     "  - {name: d, image: i}\n")) ==
        "m.yaml:7:12: warning: resources.limits.memory is not set: S [p]");
}

TEST_CASE("an init container counts with the sidecars before it") {
  const std::string manifest =
      pod("  initContainers:\n"
          "  - {name: s, image: i, restartPolicy: Always, resources: {limits: {memory: 1Gi}}}\n"
          "  - {name: l, image: i, resources: {limits: {memory: 4Gi}}}\n"
          "  containers:\n  - {name: c, image: i, resources: {limits: {memory: 3Gi}}}\n");
  CHECK(found_by("require: {resources.limits.memory: {atMost: 4Gi}}", manifest) ==
        "m.yaml:7:54: warning: resources.limits.memory is 5Gi (1Gi of 's' and 4Gi of 'l'), more "
        "than 4Gi: S [p]");
}

TEST_CASE("accelerators are counted and known by any name") {
  const std::string manifest =
      pod("  nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}\n  containers:\n"
          "  - {name: c, image: i, resources: {limits: {nvidia.com/gpu: 8}}}\n");
  CHECK(found_by("forbid: {accelerators.count: {moreThan: 4}}", manifest) ==
        "m.yaml:7:62: warning: accelerators.count is 8, more than 4: S [p]");
  CHECK(found_by("require: {accelerators.product: nvidia-a100-80gb}", manifest) == "");
  CHECK(found_by("require: {accelerators.product: nvidia-l4}", manifest) ==
        "m.yaml:5:42: warning: accelerators.product is 'NVIDIA-A100-SXM4-80GB', not 'nvidia-l4': S "
        "[p]");
  CHECK(found_by("require: {accelerators.memory: {atMost: 40Gi}}", manifest) ==
        "m.yaml:5:42: warning: accelerators.memory is 80Gi, more than 40Gi: S [p]");
  CHECK(found_by("match: {accelerators: false}\nrequire: {schedulerName: x}", manifest) == "");
}

TEST_CASE("match and exclude choose the pods") {
  const std::string manifest = pod(kOneContainer);
  const std::string violated = "require: {priorityClassName: x}\n";
  const auto is_found = [&](const std::string& body) {
    return found_by(violated + body, manifest).ends_with("[p]");
  };
  CHECK(is_found("match: {kinds: Pod, names: a, namespaces: [m, \"n*\"], labels: {team: x}}"));
  CHECK(is_found("match: {labels: {team: \"*\"}}\nexclude: {names: b}"));
  CHECK_FALSE(is_found("match: {kinds: Deployment}"));
  CHECK_FALSE(is_found("match: {labels: {tier: \"*\"}}"));
  CHECK_FALSE(is_found("match: {components: predictor}"));
  CHECK_FALSE(is_found("exclude: {namespaces: n}"));
  CHECK_FALSE(is_found("when: {schedulerName: other}"));
}

TEST_CASE("what an unknown runtime may set is undecided") {
  const std::string service =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\nspec:\n"
      "  predictor:\n    model:\n      modelFormat: {name: x}\n      runtime: theirs\n";
  const std::string body = "severity: error\nrequire: {priorityClassName: x}\n";
  CHECK(found_by(body, service).starts_with("m.yaml:3:18: info: not decided (unknown: "));
  CHECK(found_by(body + "onUnknown: warning", service).starts_with("m.yaml:3:18: warning: not"));
  CHECK(found_by(body + "onUnknown: silent", service) == "");
}

/// An InferenceService in raw mode, with the fields of its model.
std::string service_with(std::string_view model, std::string_view name = "a") {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {{name: {}, "
      "annotations: {{serving.kserve.io/deploymentMode: Standard}}}}\nspec:\n  predictor:\n    "
      "model: {{modelFormat: {{name: sklearn}}, {}}}\n",
      name, model);
}

TEST_CASE("what an unknown runtime may set in a container is undecided") {
  const auto found = [](const std::string& condition, std::string_view model) {
    const std::string body = "severity: error\nrequire: {containers: {all: " + condition + "}}";
    const std::string line = found_by(body, service_with(model));
    return line.substr(0, line.find(" ("));
  };
  const std::string limit = "{resources.limits.memory: {exists: true}}";
  CHECK(found(limit, "image: a:1") == "m.yaml:3:18: info: not decided");
  CHECK(found("{image: \"a:1\"}", "image: b:1") ==
        "m.yaml:6:50: error: containers[0].image is 'b:1', not 'a:1': S [p]");
  CHECK(found("{env: {none: {name: a}}}", "env: [{name: b, value: c}]") ==
        "m.yaml:3:18: info: not decided");
}

TEST_CASE("the image of a container of KServe's is unknown without its ConfigMap") {
  const std::string body = "severity: error\nrequire: {image: {matches: \"^a:\"}}\n";
  const std::string custom =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a, "
      "annotations: {serving.kserve.io/deploymentMode: Standard}}\nspec:\n  predictor:\n    "
      "containers:\n    - {name: kserve-container, image: \"a:1\", env: [{name: STORAGE_URI, "
      "value: \"s3://a\"}]}\n";
  CHECK(found_by(body, custom) ==
        "m.yaml:3:18: info: not decided (unknown: the image of 'storage-initializer'): S [p]");
  CHECK(found_by("require: {/spec/initContainers/*/image: {matches: \"^a:\"}}\n", custom)
            .starts_with("m.yaml:3:18: info: not decided"));
  const std::string config =
      "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config, namespace: "
      "kserve}\ndata:\n  storageInitializer: '{\"image\": \"a:2\"}'\n";
  CHECK(found_by(body, custom + config) == "");
}

TEST_CASE("one finding stands for all pods for which a policy is not decided") {
  const std::string three = service_with("image: a") + "---\n" + service_with("image: a", "b") +
                            "---\n" + service_with("image: a", "c");
  CHECK(found_by("require: {priorityClassName: x}\n", three)
            .starts_with("m.yaml:3:18: info: not decided for this and 2 others (unknown: "));
  // A violated policy is decided.
  CHECK(found_by("require:\n- {priorityClassName: x}\n- {object.labels.team: {exists: true}}\n",
                 service_with("image: a")) ==
        "m.yaml:3:18: warning: object.labels.team is not set: S [p]");
}

TEST_CASE("JSON Pointers lead into the pod and into the object") {
  const std::string manifest = pod("  hostNetwork: yes\n" + std::string(kOneContainer));
  CHECK(found_by("forbid: {/spec/hostNetwork: true}", manifest) ==
        "m.yaml:5:16: warning: /spec/hostNetwork is true: S [p]");
  CHECK(found_by("forbid: {object/metadata/labels/team: x}", manifest) ==
        "m.yaml:3:50: warning: object/metadata/labels/team is 'x': S [p]");
  CHECK(found_by("require: {/spec/containers/*/command: {exists: true}}", manifest) ==
        "m.yaml:3:18: warning: /spec/containers/*/command is not set: S [p]");
}

TEST_CASE("mistakes have a place and a suggestion") {
  const auto cases = std::to_array<std::pair<std::string, std::string>>({
      {"require: {priorityClasName: x}",
       "p.yaml:3:11: unknown field 'priorityClasName', did you mean 'priorityClassName'?"},
      {"require: {nodeSelector: {in: [a]}}",
       "p.yaml:3:11: 'nodeSelector' needs a key: write nodeSelector['KEY']"},
      {"require: {image: {mathces: a}}",
       "p.yaml:3:19: unknown operator 'mathces' of 'image', did you mean 'matches'?"},
      {"require: {image: {regex: a}}",
       "p.yaml:3:19: unknown operator 'regex' of 'image', did you mean 'matches'?"},
      {"require: {image: {matches: \"(\"}}", "p.yaml:3:28: invalid pattern: missing ): ("},
      {"require: {image: }", "p.yaml:3:11: 'image' needs a test, such as {exists: true}"},
      {"require: {tolerations: {in: [a]}}",
       "p.yaml:3:25: 'tolerations' is a list: test its items with 'any', 'all', 'none' or 'count', "
       "such as "
       "{any: {…}}"},
      {"require: {tolerations: {any: {keys: a}}}",
       "p.yaml:3:31: Toleration has no field 'keys', did you mean 'key'?"},
      {"require: {tolerations: {any: {effect: NoSchedul}}}",
       "p.yaml:3:39: 'NoSchedul' is never a value of 'effect', did you mean 'NoSchedule'?"},
      {"require: {/spec/hostNetwrk: true}",
       "p.yaml:3:11: PodSpec has no field 'hostNetwrk', did you mean 'hostNetwork'?"},
      {"require: {resources.limits.memory: {atMost: 16GB}}",
       "p.yaml:3:45: '16GB' has unknown suffix 'GB', did you mean 'Gi' or 'G'?"},
      {"require: {mode: Standrd}",
       "p.yaml:3:17: 'Standrd' is not a deployment mode, did you mean 'Standard'?"},
      {"match: {kinds: InferenceServise}\nrequire: {mode: Standard}",
       "p.yaml:3:16: unknown kind 'InferenceServise', did you mean 'InferenceService'? ('cnsched "
       "rules --kinds' lists them)"},
      {"requires: {mode: Standard}",
       "p.yaml:3:1: unknown key 'requires' in 'the policy', did you mean 'require'?\n"
       "p.yaml:1:1: the policy checks nothing: it needs 'require' or 'forbid'"},
      {"severity: high\nrequire: {mode: Standard}",
       "p.yaml:3:11: 'high' is not a valid severity: use error, warning or info"},
      {"require: {image: {exists: maybe}}", "p.yaml:3:27: 'exists' must be true or false"},
      {"require: image", "p.yaml:3:10: 'require' must be a mapping or a list, not a string"},
      {"match: {kinds: Pod}\nforbid: {/spec/hostNetwrk: true}",
       "p.yaml:4:10: PodSpec has no field 'hostNetwrk', did you mean 'hostNetwork'?"},
      {"match: {kinds: [Deployment]}\nforbid: {/spec/volumes/*/emptydir: {exists: true}}",
       "p.yaml:4:10: Volume has no field 'emptydir', did you mean 'emptyDir'?"},
      {"match: {kinds: Node}\nforbid: {/spec/taintz: {exists: true}}",
       "p.yaml:4:10: NodeSpec has no field 'taintz', did you mean 'taints'?"},
      {"match: {kinds: InferenceService}\nforbid: {object/spec/predictr/minReplicas: 1}",
       "p.yaml:4:10: InferenceServiceSpec has no field 'predictr', did you mean 'predictor'?"},
      {"match: {namespaces: \"a[\"}\nforbid: {image: x}", "p.yaml:3:21: '[' in 'a[' has no ']'"},
      {"forbid: {containers: {any: {image.tag: x}}}",
       "p.yaml:3:29: 'tag' in 'image.tag' is below a text, which has no fields"},
      {"forbid: {containers: {any: {resources: 3}}}",
       "p.yaml:3:29: 'resources' is a mapping: test one of its fields, or {exists: true}"},
      {"forbid: {/spec/hostNetwork: \"yes\"}",
       "p.yaml:3:29: 'yes' is never a value of '/spec/hostNetwork', which is true or false"},
      {"forbid: {/spec/priority: high}",
       "p.yaml:3:26: 'high' is never a value of '/spec/priority', which is a whole number"},
      {"forbid: {priorityClassName: {atLeast: 2}}",
       "p.yaml:3:30: 'priorityClassName' is a text: 'atLeast' compares numbers"},
      {"forbid: {containers: {any: {image: {atLeast: 2}}}}",
       "p.yaml:3:37: 'image' is a text: 'atLeast' compares numbers"},
      {"forbid: {resources.limits.nvidia*: {exists: true}}",
       "p.yaml:3:10: the key in 'resources.limits.nvidia*' is not a pattern: name one key"},
      {"forbid: {replicas: {min: 2}}",
       "p.yaml:3:21: unknown operator 'min' of 'replicas', did you mean 'atLeast'?"},
      {"forbid: {or: [{image: x}]}", "p.yaml:3:10: unknown field 'or', did you mean 'any'?"},
      {"forbid: {containers: {any: [{name: x}]}}",
       "p.yaml:3:28: 'any' takes one condition of an item: write {any: [...]} in it for "
       "alternatives"},
      {"forbid: {image: {matches: \"*.vllm\"}}",
       "p.yaml:3:27: invalid pattern: no argument for repetition operator: * ('matches' takes a "
       "regular expression: write '.*' for '*')"},
      {"require: {any: {image: x}}",
       "p.yaml:3:16: 'any' must be a list of conditions, not a mapping"},
  });
  for (const auto& [body, error] : cases) {
    CAPTURE(body);
    CHECK(error_of(body) == error);
  }
}

TEST_CASE("hostile policies are bounded") {
  std::string deep = "require: ";
  for (int i = 0; i < 60; ++i) deep += "{not: ";
  CHECK(has(error_of(deep + "{mode: Standard}" + std::string(60, '}')), "nested"));
  CHECK(error_of("require: {image: {matches: \"((a{1,100}){1,100}){1,100}\"}}")
            .starts_with("p.yaml:3:28: "));
  CHECK(
      has(error_of(fmt::format("require: {{image: {{matches: \"{}\"}}}}", std::string(2000, 'a'))),
          "longer than"));
  std::string wide = "require:\n";
  for (int i = 0; i < 5000; ++i) wide += "- {mode: Standard}\n";
  CHECK(has(error_of(wide), "more than 2000 conditions"));
}

TEST_CASE("a pattern made for backtracking and a huge pod end") {
  std::string spec = "  containers:\n";
  for (int i = 0; i < 2000; ++i) {
    spec += fmt::format("  - {{name: c{}, image: i, args: [{}, {}]}}\n", i, std::string(500, 'a'),
                        std::string(500, 'b'));
  }
  std::string body = "require:\n";
  for (int i = 0; i < 100; ++i) {
    body += "- containers: {all: {args: {all: {matches: \"^(a|aa)+(b|bb)+$\"}}}}\n";
  }
  const std::string found = found_by(body, pod(spec));
  CHECK(has(found, "[p]"));
}

}  // namespace cnsched::rules::policy_test
