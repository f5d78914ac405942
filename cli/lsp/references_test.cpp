#include "cli/lsp/requests.h"
#include "testdata/lsp_client.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::references_test {

constexpr const char* kService =
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: llama}\n"
    "spec:\n"
    "  predictor:\n"
    "    model:\n"
    "      modelFormat: {name: huggingface}\n"
    "      runtime: vllm\n";

constexpr const char* kRuntime =
    "apiVersion: serving.kserve.io/v1alpha1\n"
    "kind: ServingRuntime\n"
    "metadata: {name: vllm}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: huggingface, autoSelect: true}]\n"
    "  containers: [{name: kserve-container, image: a:1}]\n";

/// "b.yaml:2:17", of each location.
std::vector<std::string> places(const Json& locations) {
  std::vector<std::string> all;
  for (const Json& location : locations) {
    const std::string uri = location["uri"].get<std::string>();
    const Json& start = location["range"]["start"];
    all.push_back(fmt::format("{}:{}:{}", uri.substr(uri.rfind('/') + 1), start["line"].get<int>(),
                              start["character"].get<int>()));
  }
  return all;
}

using Places = std::vector<std::string>;

class Navigation : public Client {
 public:
  Places definition_at(const std::string& name, Place place) {
    return places(result_of("textDocument/definition", at(name, place)));
  }
  Places references_at(const std::string& name, Place place, bool with_declaration = false) {
    Json params = at(name, place);
    params["context"] = {{"includeDeclaration", with_declaration}};
    return places(result_of("textDocument/references", params));
  }
};

TEST_CASE("definition leads from a field to the name of the object") {
  Navigation client;
  client.folder().write("a.yaml", kService);
  client.folder().write("b.yaml", kRuntime);
  client.initialize();
  const Places runtime = {"b.yaml:2:17"};
  CHECK(client.definition_at("a.yaml", {7, 15}) == runtime);  // the value
  CHECK(client.definition_at("a.yaml", {7, 19}) == runtime);  // after it
  CHECK(client.definition_at("a.yaml", {7, 8}) == runtime);   // the key
  CHECK(client.definition_at("a.yaml", {6, 10}) == runtime);  // modelFormat
  CHECK(client.definition_at("a.yaml", {5, 5}) == runtime);   // model
  CHECK(client.definition_at("b.yaml", {2, 18}) == runtime);  // itself
  CHECK(client.definition_at("a.yaml", {4, 4}).empty());
  CHECK(client.definition_at("a.yaml", {70, 4}).empty());
  CHECK(client.definition_at("missing.yaml", {0, 0}).empty());
}

TEST_CASE("definition finds an object of the same file and follows what is typed") {
  Navigation client;
  client.folder().write("a.yaml", std::string(kService) + "---\n" + kRuntime);
  client.folder().write("c/b.yaml", kRuntime);
  client.initialize();
  CHECK(client.definition_at("a.yaml", {7, 15}) == Places{"a.yaml:11:17"});
  client.open("a.yaml", std::string(kService) + "---\n");
  CHECK(client.definition_at("a.yaml", {7, 15}) == Places{"b.yaml:2:17"});
}

TEST_CASE("definition uses the last good tree while a line is half typed") {
  Navigation client;
  client.folder().write("b.yaml", kRuntime);
  client.initialize();
  client.open("a.yaml", kService);
  client.change("a.yaml", {5, 0}, {5, 0}, "    tolerations: [{key\n");
  CHECK(client.definition_at("a.yaml", {8, 15}) == Places{"b.yaml:2:17"});
}

TEST_CASE("definition finds the objects of files of facts") {
  Settings settings;
  const TemporaryDirectory facts;
  settings.input.facts.cluster = {facts.write("runtimes.yaml", kRuntime)};
  Client client(settings);
  client.folder().write("a.yaml", kService);
  client.initialize();
  const Json found = client.result_of("textDocument/definition", client.at("a.yaml", {7, 15}));
  REQUIRE(found.size() == 1);
  CHECK(found[0]["uri"] == uri_of_path(facts.path("runtimes.yaml")));
}

TEST_CASE("definition names all objects of the name if several are equally near") {
  Navigation client;
  client.folder().write("a.yaml", kService);
  client.folder().write("x/b.yaml", kRuntime);
  client.folder().write("y/c.yaml", kRuntime);
  client.initialize();
  CHECK(client.definition_at("a.yaml", {7, 15}) == Places{"b.yaml:2:17", "c.yaml:2:17"});
}

TEST_CASE("references lists the fields that name an object or make KServe choose it") {
  Navigation client;
  client.folder().write("a.yaml", kService);
  client.folder().write("b.yaml", kRuntime);
  std::string chosen = kService;
  chosen.erase(chosen.find("      runtime"));
  chosen.replace(chosen.find("llama"), 5, "other");
  client.folder().write("c.yaml", chosen);
  client.initialize();
  const Places all = {"a.yaml:7:15", "c.yaml:6:26"};
  CHECK(client.references_at("b.yaml", {2, 18}) == all);
  CHECK(client.references_at("b.yaml", {1, 8}) == all);
  CHECK(client.references_at("a.yaml", {7, 15}) == all);
  CHECK(client.references_at("b.yaml", {2, 18}, true) ==
        Places{"a.yaml:7:15", "b.yaml:2:17", "c.yaml:6:26"});
  CHECK(client.references_at("a.yaml", {2, 18}).empty());
  CHECK(client.references_at("b.yaml", {4, 10}).empty());
}

}  // namespace cnsched::cli::lsp::references_test

namespace cnsched::cli::lsp::reference_fields_test {

/// "vllm -> ServingRuntime vllm", for each reference of each object with the name.
std::vector<std::string> found(const ClusterScope& scope, std::string_view name) {
  std::vector<std::string> all;
  for (const k8s::Object& object : scope.objects()) {
    if (object.name != name) continue;
    for (const Reference& reference : references_of(object, scope)) {
      for (const k8s::Object* target : reference.targets(scope, 2)) {
        CHECK(reference.is_to(*target, scope));
        all.push_back(
            fmt::format("{} -> {} {}", reference.field->text(), target->kind, target->name));
      }
    }
  }
  std::ranges::sort(all);
  return all;
}

using Found = std::vector<std::string>;

TEST_CASE("references lead from fields to the objects that they name") {
  const auto workspace =
      workspace_of({{"services.yaml", project_text("testdata/references/services.yaml")},
                    {"targets.yaml", project_text("testdata/references/targets.yaml")}});
  const ClusterScope& scope = scope_of(*workspace);
  CHECK(found(scope, "llama") ==
        Found{"cache -> PersistentVolumeClaim cache", "gpus -> LocalQueue gpus",
              "high -> PriorityClass high", "huggingface -> ServingRuntime vllm",
              "large -> HardwareProfile large", "nvidia -> RuntimeClass nvidia",
              "pvc://models/llama -> PersistentVolumeClaim models", "vllm -> ServingRuntime vllm"});
  CHECK(found(scope, "iris") == Found{"sklearn -> ClusterServingRuntime sklearn"});
  CHECK(found(scope, "chain") == Found{"iris -> InferenceService iris"});
  CHECK(found(scope, "llm") == Found{"preset -> LLMInferenceServiceConfig preset"});
  CHECK(found(scope, "model") == Found{"mlserver -> Server mlserver"});
  CHECK(found(scope, "mlserver") == Found{"config -> ServerConfig config"});
  CHECK(found(scope, "test") == Found{"one -> Pipeline one"});
  CHECK(found(scope, "gpus") == Found{"all -> ClusterQueue all"});
}

TEST_CASE("a reference leads to all objects of the name if several are equally near") {
  const std::string server =
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: mlserver}\n";
  const auto workspace = workspace_of(
      {{"a.yaml",
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: m, namespace: x}\n"
        "spec: {server: mlserver}\n"},
       {"dev/b.yaml", server},
       {"prod/c.yaml", server}});
  CHECK(found(scope_of(*workspace), "m") ==
        Found{"mlserver -> Server mlserver", "mlserver -> Server mlserver"});
}

}  // namespace cnsched::cli::lsp::reference_fields_test
