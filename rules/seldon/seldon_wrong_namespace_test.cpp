// A repository may contain several clusters, each in its own directory. One directory is no
// evidence for another.
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::seldon_wrong_namespace_test {

std::string object(const std::string& kind, const std::string& name, const std::string& ns,
                   const std::string& spec) {
  return "apiVersion: mlops.seldon.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name +
         ", namespace: " + ns + "}\nspec: {" + spec + "}\n---\n";
}

std::size_t count_of_findings(std::vector<MemoryFile> files) {
  Workspace scope;
  scope.load({.memory_files = std::move(files)});
  std::size_t count = 0;
  for (const Diagnostic& finding : run(scope, Selection::everything()).findings) {
    if (finding.rule == "seldon-wrong-namespace") ++count;
  }
  return count;
}

TEST_CASE("compares a Server with a SeldonRuntime of a parent directory, but not of another one") {
  const std::string runtime = object("SeldonRuntime", "a", "models-a", "seldonConfig: default");
  const std::string server = object("Server", "b", "models-b", "serverConfig: mlserver");
  CHECK(count_of_findings({{"a/runtime.yaml", runtime}, {"b/server.yaml", server}}) == 0);
  CHECK(count_of_findings({{"a/runtime.yaml", runtime}, {"a/b/server.yaml", server}}) == 1);
  CHECK(count_of_findings({{"cluster/runtime.yaml", runtime, false}, {"b.yaml", server}}) == 1);
}

TEST_CASE("compares a Model with a Server of a parent directory, but not of another one") {
  const std::string server =
      object("Server", "a", "models-a", "serverConfig: mlserver, capabilities: [llm]");
  const std::string model =
      object("Model", "b", "models-b", "storageUri: 'gs://b', requirements: [llm]");
  CHECK(count_of_findings({{"a/server.yaml", server}, {"b/model.yaml", model}}) == 0);
  CHECK(count_of_findings({{"a/server.yaml", server}, {"model.yaml", model}}) == 1);
}

TEST_CASE("accepts ServerConfigs in two namespaces if they are for Servers of two directories") {
  const auto config = [](const std::string& name, const std::string& ns) {
    return object("ServerConfig", name, ns, "podSpec: {containers: [{name: mlserver}]}");
  };
  const auto server = [](const std::string& name) {
    return object("Server", name, "models", "serverConfig: " + name);
  };
  CHECK(count_of_findings({{"a/all.yaml", config("a", "seldon-a") + server("a")},
                           {"b/all.yaml", config("b", "seldon-b") + server("b")}}) == 0);
  CHECK(count_of_findings({{"all.yaml", config("a", "seldon-a") + server("a") +
                                            config("b", "seldon-b") + server("b")}}) == 1);
}

}  // namespace cnsched::rules::seldon_wrong_namespace_test
