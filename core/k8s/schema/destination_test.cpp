#include "core/k8s/schema/destination.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/yaml/node_text.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema {

namespace {

/// Where the only unknown field of the object belongs: the path for messages; empty if unknown.
std::string place_in(const std::string& text) {
  const test::Parsed parsed(text);
  const auto objects = objects_in(parsed.document);
  REQUIRE(objects.size() == 1);
  const auto found = deviations(objects.front(), {});
  const auto unknown = std::ranges::find(found, Deviation::Kind::unknown_field, &Deviation::kind);
  REQUIRE(unknown != found.end());
  const auto place = destination_of(objects.front(), {}, *unknown);
  if (!place) return {};
  // The existing part and the rest of the path.
  const std::string existing = yaml::pointer_to(*place->mapping, *objects.front().root);
  return fmt::format("{} ({} {})", place->path, existing.empty() ? "." : existing, place->pointer);
}

std::string in_service(const std::string& entries) {
  return place_in("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n" + entries);
}

std::string in_predictor(const std::string& entries) {
  return in_service("spec: {predictor: {" + entries + "}}\n");
}

std::string in_pod(const std::string& entries) {
  return place_in("apiVersion: v1\nkind: Pod\n" + entries);
}

/// The path to the first key or value `word` of the text.
std::string path_of(const std::string& text, std::string_view word) {
  const test::Parsed parsed(text);
  const auto objects = objects_in(parsed.document);
  REQUIRE(objects.size() == 1);
  std::string path = "nowhere";
  yaml::walk(parsed.root(), [&](const yaml::Node& node) {
    const bool keyed = node.key() != nullptr && node.key()->text() == word;
    if (path == "nowhere" && (keyed || node.text() == word)) path = path_to(node, objects.front());
  });
  return path;
}

}  // namespace

TEST_CASE("finds a field one level below in a written object") {
  CHECK(in_predictor("model: {}, storageUri: 'gs://a'") ==
        "spec.predictor.model.storageUri (/spec/predictor /model/storageUri)");
  CHECK(in_predictor("triton: {}, storageUri: 'gs://a'") ==
        "spec.predictor.triton.storageUri (/spec/predictor /triton/storageUri)");
  CHECK(in_service("spec: {predictor: {model: {}}, tolerations: []}\n") ==
        "spec.predictor.tolerations (/spec /predictor/tolerations)");
}

TEST_CASE("finds a field one level below in the only possible object") {
  CHECK(place_in("apiVersion: apps/v1\nkind: Deployment\n"
                 "spec: {selector: {}, template: {nodeSelector: {a: b}}}\n") ==
        "spec.template.spec.nodeSelector (/spec/template /spec/nodeSelector)");
  CHECK(in_pod("spec: {containers: []}\nhostNetwork: true\n") ==
        "spec.hostNetwork (. /spec/hostNetwork)");
  CHECK(in_pod("hostNetwork: true\n") == "spec.hostNetwork (. /spec/hostNetwork)");
}

TEST_CASE("finds nothing where several places are equally near") {
  CHECK(in_predictor("storageUri: 'gs://a'").empty());
  CHECK(in_predictor("model: {}, triton: {}, storageUri: 'gs://a'").empty());
  CHECK(in_service("spec: {predictor: {}, transformer: {}, tolerations: []}\n").empty());
}

TEST_CASE("finds the nearest enclosing object with the field") {
  CHECK(in_predictor("model: {tolerations: []}") ==
        "spec.predictor.tolerations (/spec/predictor /tolerations)");
  CHECK(in_predictor("model: {minReplicas: 1}") ==
        "spec.predictor.minReplicas (/spec/predictor /minReplicas)");
  CHECK(in_pod("spec: {affinity: {nodeAffinity: {nodeSelector: {a: b}}}}\n") ==
        "spec.nodeSelector (/spec /nodeSelector)");
  CHECK(place_in("apiVersion: batch/v1\nkind: Job\n"
                 "spec: {template: {spec: {containers: [], backoffLimit: 1}}}\n") ==
        "spec.backoffLimit (/spec /backoffLimit)");
}

TEST_CASE("finds enclosing objects of list items and map values") {
  CHECK(in_pod("spec: {containers: [{name: a, nodeSelector: {a: b}}]}\n") ==
        "spec.nodeSelector (/spec /nodeSelector)");
  CHECK(place_in("apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\n"
                 "spec: {nodes: {root: {routerType: Sequence, tolerations: []}}}\n") ==
        "spec.tolerations (/spec /tolerations)");
}

TEST_CASE("prefers objects below to enclosing ones, and those to siblings") {
  CHECK(in_service("spec: {transformer: {containers: []}, predictor: {workerSpec: {}, "
                   "pipelineParallelSize: 2}}\n") ==
        "spec.predictor.workerSpec.pipelineParallelSize "
        "(/spec/predictor /workerSpec/pipelineParallelSize)");
  CHECK(in_service("spec: {predictor: {workerSpec: {}, logger: {minReplicas: 1}}}\n") ==
        "spec.predictor.minReplicas (/spec/predictor /minReplicas)");
}

TEST_CASE("finds a sibling object with the field") {
  CHECK(in_pod("metadata: {name: a, nodeSelector: {a: b}}\nspec: {containers: []}\n") ==
        "spec.nodeSelector (. /spec/nodeSelector)");
  CHECK(in_predictor("model: {}, workerSpec: {storageUri: 'gs://a'}") ==
        "spec.predictor.model.storageUri (/spec/predictor /model/storageUri)");
  CHECK(in_pod("spec: {containers: [], dnsConfig: {runAsUser: 1}}\n") ==
        "spec.securityContext.runAsUser (/spec /securityContext/runAsUser)");
}

TEST_CASE("does not search in lists or two levels below") {
  CHECK(in_pod("spec: {image: a, containers: [{name: a}]}\n").empty());
  CHECK(place_in("apiVersion: apps/v1\nkind: Deployment\n"
                 "spec: {selector: {}, template: {}, nodeSelector: {a: b}}\n")
            .empty());
}

TEST_CASE("the field has to accept the value") {
  CHECK(in_predictor("model: {tolerations: {key: a}}").empty());
  CHECK(in_predictor("model: {tolerations: a}").empty());
  CHECK(in_predictor("model: {minReplicas: [1]}").empty());
  CHECK(in_predictor("model: {minReplicas: one}") ==
        "spec.predictor.minReplicas (/spec/predictor /minReplicas)");
  CHECK(in_pod("metadata: {nodeSelector: [a]}\nspec: {containers: []}\n").empty());
  CHECK(in_pod("metadata: {nodeSelector: null}\nspec: {containers: []}\n") ==
        "spec.nodeSelector (. /spec/nodeSelector)");
}

TEST_CASE("ignores places that do not accept the value") {
  // Only metadata.labels is a map.
  CHECK(in_service("spec: {predictor: {labels: {a: b}}}\nlabels: {a: b}\n") ==
        "metadata.labels (. /metadata/labels)");
}

TEST_CASE("at the top level an object's name and labels belong in its metadata") {
  CHECK(in_service("name: a\nspec: {predictor: {}}\n") == "metadata.name (. /metadata/name)");
  CHECK(place_in("apiVersion: machinelearning.seldon.io/v1\nkind: SeldonDeployment\nname: a\n"
                 "spec: {predictors: []}\n") == "metadata.name (. /metadata/name)");
  CHECK(place_in("apiVersion: machinelearning.seldon.io/v1\nkind: SeldonDeployment\n"
                 "annotations: {a: b}\nspec: {predictors: []}\n") ==
        "metadata.annotations (. /metadata/annotations)");
}

TEST_CASE("finds no place for a merged field that is right where it is written") {
  CHECK(in_pod("spec:\n  containers: []\n  nodeSelector: &labels {hostname: b}\n"
               "  securityContext: {<<: *labels}\n")
            .empty());
}

TEST_CASE("an aliased field belongs where the original does") {
  CHECK(in_pod("spec: {containers: [&c {name: a, nodeSelector: {a: b}}, *c]}\n") ==
        "spec.nodeSelector (/spec /nodeSelector)");
}

TEST_CASE("finds nothing for a name that no object has") {
  CHECK(in_predictor("anything: 1").empty());
  CHECK(in_pod("anything: {a: b}\n").empty());
  CHECK(in_pod("spec: {containers: [], '': b}\n").empty());
}

TEST_CASE("does not search among more fields than any object has") {
  std::string many = "apiVersion: v1\nkind: Pod\nmetadata:\n  hostNetwork: true\n";
  CHECK(place_in(many) == "spec.hostNetwork (. /spec/hostNetwork)");
  for (int i = 0; i < 1000; ++i) many += fmt::format("  label{}: a\n", i);
  CHECK(place_in(many).empty());
}

TEST_CASE("a path names keys, and lists by brackets") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    args: [b, c]\n"
      "    lists: [[d]]\n";
  CHECK(path_of(pod, "spec") == "spec");
  CHECK(path_of(pod, "containers") == "spec.containers");
  CHECK(path_of(pod, "name") == "spec.containers[].name");
  CHECK(path_of(pod, "c") == "spec.containers[].args[]");
  CHECK(path_of(pod, "d") == "spec.containers[].lists[]");
}

TEST_CASE("a path shortens a long key") {
  const std::string pod = "apiVersion: v1\nkind: Pod\nspec: {" + std::string(200, 'a') + ": b}\n";
  CHECK(path_of(pod, "b") == "spec." + std::string(63, 'a'));
}

TEST_CASE("a path begins at its object") {
  const std::string list =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec: {hostname: a}\n";
  CHECK(path_of(list, "hostname") == "spec.hostname");
  const test::Parsed parsed(list);
  const auto objects = objects_in(parsed.document);
  REQUIRE(objects.size() == 1);
  CHECK(path_to(*objects.front().root, objects.front()).empty());
}

}  // namespace cnsched::k8s::schema
