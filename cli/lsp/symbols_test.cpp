#include "cli/lsp/requests.h"
#include "testdata/lsp_client.h"

namespace cnsched::cli::lsp::symbols_test {

constexpr const char* kService =
    "# A service.\n"
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: llama, namespace: chat}\n"
    "spec:\n"
    "  predictor:\n"
    "    model:\n"
    "      modelFormat: {name: huggingface}\n"
    "  transformer:\n"
    "    containers:\n"
    "    - name: kserve-container\n"
    "      image: a:1\n"
    "    - name: proxy\n"
    "      image: b:1\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: a}\n"
    "spec:\n"
    "  containers: [{name: b, image: c:1}]\n";

const Json kHierarchical = {
    {"textDocument", {{"documentSymbol", {{"hierarchicalDocumentSymbolSupport", true}}}}}};

/// "InferenceService llama(predictor(), …)", of each symbol.
std::string outline(const Json& symbols) {
  std::string text;
  for (const Json& symbol : symbols) {
    const auto range = range_in(symbol["range"]);
    const auto selection = range_in(symbol["selectionRange"]);
    REQUIRE(range);
    REQUIRE(selection);
    CHECK(range->start <= selection->start);
    CHECK(selection->end <= range->end);
    text += (text.empty() ? "" : ", ") + symbol["name"].get<std::string>();
    if (symbol.contains("children")) text += "(" + outline(symbol["children"]) + ")";
  }
  return text;
}

TEST_CASE("the outline has objects, components and containers") {
  Client client;
  client.folder().write("a.yaml", kService);
  client.initialize(kHierarchical);
  const Json symbols = client.result_of("textDocument/documentSymbol", client.at("a.yaml", {}));
  CHECK(outline(symbols) ==
        "InferenceService llama(predictor(kserve-container), "
        "transformer(kserve-container, proxy)), Pod a(pod(b))");
  CHECK(symbols[0]["detail"] == "chat");
  CHECK(symbols[0]["range"]["start"]["line"] == 1);
  CHECK(symbols[0]["selectionRange"]["start"] == Json{{"line", 3}, {"character", 17}});
  CHECK(symbols[0]["children"][0]["selectionRange"]["start"] ==
        Json{{"line", 5}, {"character", 2}});
}

TEST_CASE("a client without nested symbols gets a flat list") {
  Client client;
  client.folder().write("a.yaml", kService);
  client.initialize();
  const Json symbols = client.result_of("textDocument/documentSymbol", client.at("a.yaml", {}));
  REQUIRE(symbols.size() == 9);
  CHECK(symbols[2]["name"] == "kserve-container");
  CHECK(symbols[2]["containerName"] == "predictor");
  CHECK(symbols[2]["location"]["uri"] == client.uri("a.yaml"));
}

TEST_CASE("a file without objects has no symbols") {
  Client client;
  client.folder().write("a.yaml", "a: b\n");
  client.folder().write("broken.yaml", std::string(kService) + "  x: [\n");
  client.initialize(kHierarchical);
  const auto symbols_of = [&](const std::string& name) {
    return client.result_of("textDocument/documentSymbol", client.at(name, {}));
  };
  CHECK(symbols_of("a.yaml") == Json::array());
  CHECK(symbols_of("missing.yaml") == Json::array());
  CHECK(symbols_of("broken.yaml").size() == 1);
}

}  // namespace cnsched::cli::lsp::symbols_test
