#include "core/workspace/model_servers.h"
#include "testdata/support.h"

namespace cnsched::model_servers_test {

std::string server(std::string_view name, std::string_view ns, std::string_view spec) {
  return manifest("Server", fmt::format("name: {}, namespace: {}", name, ns), spec);
}

std::string names(const ModelServers::List& servers) {
  return joined(servers, [](const ModelServer* each) { return each->name(); });
}

TEST_CASE("matches a Model with the Servers that may be in its namespace") {
  const auto workspace =
      workspace_of({{"z.yaml", server("a", "one", "{}") + server("c", "''", "{}")},
                    {"y.yaml", server("b", "two", "{}") + server("a", "two", "{}")}});
  const ModelServers servers(scope_of(*workspace));
  CHECK(names(servers.visible_to({"one"})) == "a c");
  CHECK(names(servers.visible_to({"two"})) == "a b c");
  CHECK(names(servers.visible_to({"three"})) == "c");
  CHECK(names(servers.visible_to({""})) == "a a b c");
  REQUIRE(servers.first_named("b") != nullptr);
  CHECK(servers.first_named("b")->object->ns.name == "two");
  CHECK(servers.first_named("d") == nullptr);
}

TEST_CASE("returns no Servers if there are too many") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += server("s" + std::to_string(i), "models", "{}");
  const auto workspace = workspace_of({{"s.yaml", text}});
  CHECK(ModelServers(scope_of(*workspace)).visible_to({"models"}).empty());
  CHECK(ModelServers(scope_of(*workspace)).visible_to({""}).empty());
}

TEST_CASE("knows whether a Server has a device if the ServerConfig or the Server states it") {
  const std::string gpu =
      ", podSpec: {containers: [{name: mlserver, resources: {limits: {nvidia.com/gpu: 1}}}]}}";
  const auto workspace =
      workspace_of({{"s.yaml", server("a", "x", "{serverConfig: mlserver}") +
                                   server("b", "x", "{serverConfig: own}") +
                                   server("c", "x", "{serverConfig: own" + gpu)}});
  const ModelServers servers(scope_of(*workspace));
  CHECK(servers.first_named("a")->has_device == Truth::no);
  CHECK(servers.first_named("b")->has_device == Truth::unknown);
  CHECK(servers.first_named("c")->has_device == Truth::yes);
}

TEST_CASE("assumes Seldon's own Servers unless a manifest defines one of that name") {
  const auto workspace = workspace_of({{"s.yaml", server("triton", "x", "{serverConfig: own}")}});
  const ModelServers servers(scope_of(*workspace));
  const auto can_run = [&](const std::string& spec, std::string_view ns) {
    const Parsed parsed(spec);
    return can_run_on_shipped(seldon::required_tags(parsed.root()), servers.visible_to({ns}));
  };
  CHECK(can_run("{requirements: [sklearn]}", "x"));
  CHECK(can_run("{requirements: [onnx]}", "y"));
  CHECK_FALSE(can_run("{requirements: [onnx]}", "x"));
  CHECK_FALSE(can_run("{requirements: [sklearn, onnx]}", "y"));
}

}  // namespace cnsched::model_servers_test
