#include "core/k8s/scope.h"

#include "testdata/support.h"

namespace cnsched::k8s::scope_test {

struct InScope {
  std::string api_version;
  std::string kind;
  std::string name = "a";
};

/// An object of every row of the table, and some of a group that is in scope as a whole.
std::vector<InScope> objects_in_scope() {
  return {
      {"serving.kserve.io/v1beta1", "InferenceService"},
      {"serving.kserve.io/v1alpha1", "ServingRuntime"},
      {"serving.kserve.io/v1alpha1", "ClusterServingRuntime"},
      {"serving.kserve.io/v1alpha1", "InferenceGraph"},
      {"serving.kserve.io/v1alpha2", "LLMInferenceService"},
      {"serving.kserve.io/v1alpha1", "TrainedModel"},
      {"serving.kubeflow.org/v1beta1", "InferenceService"},
      {"mlops.seldon.io/v1alpha1", "Server"},
      {"mlops.seldon.io/v1alpha1", "Model"},
      {"machinelearning.seldon.io/v1", "SeldonDeployment"},
      {"operator.knative.dev/v1beta1", "KnativeServing"},
      {"v1", "Pod"},
      {"apps/v1", "Deployment"},
      {"extensions/v1beta1", "Deployment"},
      {"apps/v1", "StatefulSet"},
      {"apps/v1", "DaemonSet"},
      {"extensions/v1beta1", "DaemonSet"},
      {"apps/v1", "ReplicaSet"},
      {"batch/v1", "Job"},
      {"batch/v1", "CronJob"},
      {"v1", "Node"},
      {"karpenter.sh/v1", "NodePool"},
      {"karpenter.sh/v1alpha5", "Provisioner"},
      {"eksctl.io/v1alpha5", "ClusterConfig"},
      {"machine.openshift.io/v1beta1", "MachineSet"},
      {"bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate"},
      {"bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfig"},
      {"bootstrap.cluster.x-k8s.io/v1beta2", "EKSConfigTemplate"},
      {"infrastructure.cluster.x-k8s.io/v1beta2", "AWSManagedMachinePool"},
      {"infrastructure.cluster.x-k8s.io/v1beta1", "AzureManagedMachinePool"},
      {"infrastructure.cluster.x-k8s.io/v1beta1", "GCPManagedMachinePool"},
      {"nvidia.com/v1", "ClusterPolicy"},
      {"v1", "ConfigMap", "config-features"},
      {"v1", "ConfigMap", "inferenceservice-config"},
      {"v1", "ConfigMap", "seldon-config"},
  };
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

std::vector<std::string> filled_in(const std::vector<std::string>& shapes, const InScope& object) {
  std::vector<std::string> texts;
  for (const std::string& shape : shapes) {
    texts.push_back(
        replaced(replaced(replaced(shape, "API", object.api_version), "KIND", object.kind), "NAME",
                 object.name));
  }
  return texts;
}

/// The ways in which an author may write that object.
std::vector<std::string> spellings(const InScope& object) {
  const std::vector<std::string> shapes = {
      "apiVersion: API\nkind: KIND\nmetadata:\n  name: NAME\n",
      "kind: KIND\nmetadata: {name: NAME}\napiVersion: API\n",
      "apiVersion:   'API'   # comment\nkind:\t\"KIND\"\nmetadata:\n    name:     \"NAME\"\n",
      "{apiVersion: API, kind: KIND, metadata: {name: NAME}}",
      R"({"apiVersion":"API","kind":"KIND","metadata":{"name":"NAME"}})",
      "{\n  \"apiVersion\" : \"API\",\n  \"kind\" : \"KIND\",\n  \"metadata\" : "
      "{\"name\":\"NAME\"}\n}",
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: API\n  kind: KIND\n  metadata: {name: "
      "NAME}\n",
      "? apiVersion\n: API\n? kind\n: KIND\nmetadata: {name: NAME}\n",
      "apiVersion: API\r\nkind: KIND\r\nmetadata: {name: NAME}\r\n",
      "apiVersion: >-\n  API\nkind: |-\n  KIND\nmetadata: {name: NAME}\n",
      "apiVersion: !!str API\nkind: &kind KIND\nmetadata: {name: NAME, labels: {kind: *kind}}\n",
      "---\napiVersion: API\nkind: KIND\nmetadata: {name: NAME}\n...\n",
  };
  return filled_in(shapes, object);
}

/// Ways that only a parser is sure to understand.
std::vector<std::string> rare_spellings(const InScope& object) {
  const std::vector<std::string> shapes = {
      "{\"apiVersion\":\n\"API\",\"kind\":\n\n\"KIND\",\"metadata\":{\"name\":\"NAME\"}}",
      "apiVersion:\n  API\nkind:  # of object\n  # this:\n  KIND\nmetadata: {name: NAME}\n",
      "&v apiVersion: API\n&k kind: KIND\nmetadata: {name: NAME}\n",
      "!!str apiVersion: API\n!!str kind: KIND\nmetadata: {name: NAME}\n",
      "? apiVersion  # it\n: API\n? 'kind'\n: 'KIND'\nmetadata: {name: NAME}\n",
      "x: {&v apiVersion: 1, y: &k kind, z: &p KIND}\n*v : API\n*k : *p\nmetadata: {name: NAME}\n",
      "a: &all\n  apiVersion: API\n  kind: KIND\n  metadata: {name: NAME}\n<<: *all\n",
      "apiVersion : API\nkind : KIND\nmetadata : {name : NAME}\n",
      "kind: List\nitems:\n- kind: List\n  items:\n  - apiVersion: API\n    kind: KIND\n"
      "    metadata: {name: NAME}\n",
      "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n  - apiVersion: API\n"
      "    kind: KIND\n    metadata: {name: NAME}\n",
      "  apiVersion: API\n  kind: KIND\n  metadata: {name: NAME}\n",
      "&a\napiVersion: API\nkind: KIND\nmetadata: {name: NAME}\n",
      "x: 1\n?\n  apiVersion\n: API\n?\n  kind\n: KIND\nmetadata: {name: NAME}\n",
      "metadata: {name: NAME, kind: x, apiVersion: y}\n# kind: Service\napiVersion: API\nkind: "
      "KIND\n",
      "x: [&v apiVersion, &k kind, &p KIND]\n*v : API\n*k : *p\nmetadata: {name: NAME}\n",
      "x: &v >-\n  apiVersion\ny: &k |-\n  kind\n*v : API\n*k : KIND\nmetadata: {name: NAME}\n",
      "x:\n  &v apiVersion: 1\ny:\n  &k kind: 1\n*v : API\n*k : KIND\nmetadata: {name: NAME}\n",
      "{x: {&v apiVersion: 1}, y: {&k kind: 1},*v : API, *k : KIND, metadata: {name: NAME}}",
      "x: {&v apiVersion: 1, &k kind: 1}\nkind: List\nitems:\n- *v : API\n  *k : KIND\n"
      "  metadata: {name: NAME}\n",
      "x: &v >-  # c\n  apiVersion\ny:\n- &k  # c\n  # c\n\n  kind\n*v : API\n*k : KIND\n"
      "metadata: {name: NAME}\n",
      "apiVersion:\n# apiVersion: v1\n# apiVersion\n  API\nkind:\n# kind\n# kind:\n# kind: x\n"
      "  KIND\nmetadata: {name: NAME}\n",
  };
  return filled_in(shapes, object);
}

/// `text` with every letter of `word` as an escape, as only a double-quoted scalar may have it.
std::string escaped(const std::string& word) {
  std::string result = "\"";
  for (const char c : word) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    result += "\\x";
    result += kDigits[static_cast<std::size_t>(c) / 16];
    result += kDigits[static_cast<std::size_t>(c) % 16];
  }
  return result + "\"";
}

bool holds_object_in_scope(const std::string& text) {
  const Parsed parsed(text);
  CHECK(parsed.document.problems.empty());
  return std::ranges::any_of(objects_in(parsed.document), in_scope);
}

std::string utf16(const std::string& text) {
  std::string result = "\xFF\xFE";
  for (const char c : text) {
    result += c;
    result += '\0';
  }
  return result;
}

TEST_CASE("a model server's kind with a placeholder group is in scope") {
  const auto scope_of = [](const std::string& api_version, const std::string& kind) {
    const Parsed parsed("apiVersion: \"" + api_version + "\"\nkind: " + kind +
                        "\nmetadata: {name: a}\n");
    const auto objects = objects_in(parsed.document);
    const bool is_in_scope = objects.size() == 1 && in_scope(objects.front());
    return is_in_scope;
  };
  CHECK(scope_of("{}", "InferenceService"));
  CHECK(scope_of("${GROUP}/v1beta1", "SeldonDeployment"));
  CHECK(scope_of("<a group>/v1beta1", "InferenceGraph"));
  CHECK(scope_of("group{x}/v1beta1", "InferenceGraph"));
  CHECK_FALSE(scope_of("{}", "Deployment"));
  CHECK_FALSE(scope_of("example.com/v1", "InferenceService"));
}

TEST_CASE("a placeholder may follow the first word") {
  for (const std::string version :
       {"group \"{}\"", "group ${VERSION}", "group\n      ${VERSION}", "group\n\n      ${VERSION}",
        "a<b,c>", "a,{b}", "a<#b>", "a<'b>", "\"group\n      ${VERSION}\"",
        "'group\n      ${VERSION}'"}) {
    for (const std::string& text :
         {"apiVersion: " + version + "\nkind: InferenceService\n",
          "kind: List\nitems:\n- kind: InferenceService\n  apiVersion: " + version + "\n"}) {
      CAPTURE(text);
      CHECK(holds_object_in_scope(text));
    }
  }
  for (const std::string text :
       {"apiVersion: g.io/v1  # ${VERSION}\nkind: InferenceService\n",
        "apiVersion: g.io/v1\n# ${VERSION}\nkind: InferenceService\n",
        "- apiVersion: g.io/v1\n  kind: InferenceService\n  name: a\n",
        "{apiVersion: g.io/v1, kind: InferenceService}\n",
        "{\"apiVersion\": \"g.io/v1\",\n \"kind\": \"InferenceService\"}\n"}) {
    CAPTURE(text);
    CHECK_FALSE(holds_object_in_scope(text));
  }
}

TEST_CASE("an object is in scope however it is written") {
  for (const InScope& object : objects_in_scope()) {
    for (const auto& texts : {spellings(object), rare_spellings(object)}) {
      for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(holds_object_in_scope(text));
      }
    }
  }
}

TEST_CASE("an object is in scope with escaped words and words broken across lines") {
  for (const InScope& object : objects_in_scope()) {
    const std::string text = "apiVersion: " + escaped(object.api_version) +
                             "\nkind: " + escaped(object.kind) +
                             "\nmetadata: {name: " + escaped(object.name) + "}\n";
    CAPTURE(text);
    CHECK(holds_object_in_scope(text));
  }
  for (const std::string text :
       {"apiVersion: v1\nkind: \"Po\\\n  d\"\n", "apiVersion: v1\nkind: \"\\\n  Pod\"\n",
        "apiVersion: v1\n\"\\u006bind\": Pod\n", "apiVersion: v1\nkind: \"P\\U0000006fd\"\n",
        "{\"kind\": \"\\u0050od\"}"}) {
    CAPTURE(text);
    CHECK(holds_object_in_scope(text));
  }
}

TEST_CASE("a kind is in scope by its group only") {
  for (const InScope& object : objects_in_scope()) {
    const std::string text = "apiVersion: example.com/v1\nkind: " + object.kind +
                             "\nmetadata: {name: " + object.name + "}\n";
    CAPTURE(text);
    CHECK_FALSE(holds_object_in_scope(text));
  }
}

TEST_CASE("other kinds of a known group and other ConfigMaps are out of scope") {
  for (const std::string text :
       {"apiVersion: v1\nkind: Service\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        "apiVersion: apps/v1\nkind: ControllerRevision\n",
        "apiVersion: serving.knative.dev/v1\nkind: Service\n",
        "apiVersion: karpenter.sh/v1\nkind: NodeClaim\n", "apiVersion: apps/v1\nkind: pod\n",
        "kind: Deployment\n", "apiVersion: v1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(holds_object_in_scope(text));
  }
}

TEST_CASE("a ConfigMap of another name is in scope if it sets Knative flags") {
  const std::string text =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: knative-features}\n"
      "data: {kubernetes.podspec-affinity: enabled}\n";
  CHECK(holds_object_in_scope(text));
}

TEST_CASE("an object overwritten by another in the same document is in scope") {
  const std::string buried =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n";
  const std::string other = "apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n";
  CHECK(holds_object_in_scope(buried + other));
  CHECK(holds_object_in_scope(other + buried));
  CHECK_FALSE(holds_object_in_scope(other + other));
}

TEST_CASE("a template is in scope by a word anywhere") {
  CHECK(template_may_be_in_scope("kind: Service\n{{- if .x }}\n# of the Pod\n{{- end }}\n"));
  CHECK(template_may_be_in_scope("{{- if .x }}\n  kubernetes.podspec-affinity: enabled\n"));
  CHECK_FALSE(template_may_be_in_scope("kind: Service\n{{- if .x }}\na: b\n{{- end }}\n"));
  // The named template shows what it is, and is in another file.
  CHECK(template_may_be_in_scope("{{- include \"serving.isvc\" . }}\n"));
  CHECK(template_may_be_in_scope("{{- if .x }}\n{{ template \"serving.isvc\" . }}\n{{- end }}\n"));
  CHECK_FALSE(template_may_be_in_scope("kind: Service\nname: {{ include \"name\" . }}\n"));
  CHECK_FALSE(template_may_be_in_scope("a: {{ b }}\n{% include \"x\" %}\n"));
}

TEST_CASE("an object that misspells an API of a model server is in scope") {
  for (const std::string text :
       {"apiVersion: kserve.io/v1beta1\nkind: InferenceService\n",
        "apiversion: serving.kserve.io/v1beta1\nkind: InferenceService\n",
        "apiVersion: serving.kserve.io/v1beta1\nKind: InferenceService\n",
        "APIVERSION: mlops.seldon.io/v1alpha1\nKIND: Model\n", "Kind: InferenceService\n",
        "apiVersion: apps/v1\nKind: Deployment\n",
        "kind: InferenceService\nmetadata: {name: a}\n"}) {
    CAPTURE(text);
    CHECK(holds_object_in_scope(text));
  }
  for (const std::string text :
       {"Kind: Deployment\n", "apiversion: example.com/v1\nkind: InferenceService\n",
        "apiversion: v1\nkind: Service\n", "kind: Model\n", "kind: Server\nname: a\n"}) {
    CAPTURE(text);
    CHECK_FALSE(holds_object_in_scope(text));
  }
}

TEST_CASE("broken text is in scope by its apiVersion and kind in any style and order") {
  for (const InScope& object : objects_in_scope()) {
    for (const std::string& text : spellings(object)) {
      // Explicit keys, block scalars and tags are not looked into.
      if (text.starts_with('?') || has(text, ">-") || has(text, "!!str")) {
        continue;
      }
      CAPTURE(text);
      CHECK(broken_text_in_scope(text + "\n\tspec: ]"));
      CHECK(broken_text_in_scope("\xEF\xBB\xBF" + text));
    }
  }
}

TEST_CASE("UTF-16 text is recognized as in scope") {
  for (const InScope& object : objects_in_scope()) {
    const std::string text = utf16(spellings(object).front());
    CAPTURE(object.kind);
    CHECK(broken_text_in_scope(text));
  }
  CHECK_FALSE(broken_text_in_scope(utf16("apiVersion: v1\nkind: Service\n")));
}

TEST_CASE("broken text of other kinds is out of scope") {
  for (const std::string text :
       {"", "a: [", "apiVersion: v1\nkind: Service\n\tspec: ]",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n",
        "# apiVersion: v1\n# kind: Pod\na: [", "note: an apiVersion: v1 and a kind: Pod\na: [",
        "myapiVersion: v1\nmykind: Pod\n", "apiVersions: v1\nkinds: Pod\n",
        "apiVersion: example.com/v1\nkind: InferenceService\n", "kind: Pod\na: ["}) {
    CAPTURE(text);
    CHECK_FALSE(broken_text_in_scope(text));
  }
}

TEST_CASE("the serving groups are KServe's and Seldon's") {
  for (const std::string group : {"serving.kserve.io", "serving.kubeflow.org", "mlops.seldon.io",
                                  "machinelearning.seldon.io"}) {
    CHECK(is_serving_group(group));
  }
  for (const std::string group : {"", "apps", "serving.knative.dev", "operator.knative.dev"}) {
    CHECK_FALSE(is_serving_group(group));
  }
}

TEST_CASE("broken text without an apiVersion is in scope by a model server's kind") {
  CHECK(broken_text_in_scope("kind: InferenceGraph\nmetadata:\n\tname: x\n"));
  CHECK_FALSE(broken_text_in_scope("kind: Deployment\nmetadata:\n\tname: x\n"));
  CHECK_FALSE(
      broken_text_in_scope("apiVersion: ome.io/v1beta1\nkind: InferenceService\n\tname: x\n"));
}

}  // namespace cnsched::k8s::scope_test

namespace cnsched::k8s::manifest_place_test {

TEST_CASE("files of tools, values and fixtures are no manifests") {
  for (const std::string path : {".github/workflows/ci.yaml",
                                 "a/.vscode/x.yaml",
                                 ".gitlab-ci.yml",
                                 "mkdocs.yml",
                                 "docs/mkdocs.insiders.yml",
                                 "docker-compose.yaml",
                                 "docker-compose-dev.yml",
                                 "docker/compose.yaml",
                                 "azure-pipelines.yml",
                                 "charts/a/Chart.yaml",
                                 "a/values.yaml",
                                 "a/values-prod.yaml",
                                 "a/prod.values.yaml",
                                 "a/helm-values/b.yaml",
                                 "a/values/b.yaml",
                                 "pkg/testdata/b.yaml",
                                 "test/fixtures/b.yaml",
                                 "Taskfile.yml",
                                 "openapi.yaml",
                                 "keps/1/kep.yaml",
                                 "kustomization.tftpl.yaml"}) {
    CAPTURE(path);
    CHECK(is_other_file(path, "a: ["));
  }
}

TEST_CASE("any other file may be a manifest") {
  for (const std::string path :
       {"a.yaml", "./a.yaml", "../a.yml", "<stdin>", "-", "", "/tmp/a.yaml", "test/a.yaml",
        "composer.yaml", "charts/a/templates/b.yaml", "evaluesx.yaml", "myvalues.yaml",
        "default-valuestore.yaml", "a/fixtures.yaml", "a/b.json.yaml"}) {
    CAPTURE(path);
    CHECK_FALSE(is_other_file(path, "a: ["));
  }
}

TEST_CASE("JSON is a manifest by its keys") {
  CHECK(is_other_file("tsconfig.json", "{// c\n}"));
  CHECK(is_other_file("a.json", R"({"kind": "x")"));
  CHECK_FALSE(is_other_file("a.json", R"({"apiVersion": "v1", "kind": "Service")"));
}

}  // namespace cnsched::k8s::manifest_place_test

namespace cnsched::k8s::snapshot_head_test {

TEST_CASE("finds the types that a snapshot could not read") {
  const std::string head = std::string(kSnapshotLine) +
                           "# Version of cnsched: 1\n# Not in the cluster:\n#   topologies\n";
  CHECK(unread_types(head + "---\n").empty());
  CHECK(unread_types(head +
                     "# Not read, because the user may not:\n#   persistentvolumes\n"
                     "# Not read, because kubectl failed:\n#   csinodes.storage.k8s.io\n---\n"
                     "#   nodes\n") ==
        std::vector<std::string_view>{"persistentvolumes", "csinodes.storage.k8s.io"});
  CHECK(unread_types("# Not read, because the user may not:\n#   nodes\n").empty());
  CHECK(unread_types(head + "# Not read, because kubectl failed:\n#   nodes") ==
        std::vector<std::string_view>{"nodes"});
}

}  // namespace cnsched::k8s::snapshot_head_test
