#include "rules/engine/baseline.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::baseline_test {

/// The error for a baseline with that text.
std::string error_of(const std::string& text) {
  const TemporaryDirectory tree;
  const std::string path = tree.write("b.json", text);
  const auto baseline = Baseline::read(path);
  return baseline ? "" : baseline.error().message.substr(path.size());
}

std::string listing(const std::string& entries) {
  return "{\"schemaVersion\": 1, \"findings\": [" + entries + "]}";
}

TEST_CASE("reads a baseline as it was written") {
  const auto workspace =
      workspace_of({{"\xff\"\n.yaml",
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\u202e\\\"\"}\n"
                     "spec:\n  tolerations: [{key: a, operator: exists}]\n"}});
  const auto findings = run(*workspace, Selection::everything()).findings;
  const Baseline written = Baseline::of(*workspace, findings);
  const std::string text = written.text();
  CHECK(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); }));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["schemaVersion"] == 1);
  CHECK(json["findings"].size() == findings.size());

  const TemporaryDirectory tree;
  const auto read = Baseline::read(tree.write("b.json", text));
  REQUIRE(read);
  CHECK(read->text() == text);
  auto again = findings;
  read->hide(*workspace, again);
  CHECK(std::ranges::all_of(again, [](const Diagnostic& d) { return d.suppression && !d.fix; }));
  CHECK(read->stale(*workspace, Selection::everything(), again).size() == 0);
}

TEST_CASE("accepts a baseline without findings") {
  const TemporaryDirectory tree;
  const auto read = Baseline::read(tree.write("b.json", Baseline().text()));
  REQUIRE(read);
  CHECK(read->size() == 0);
}

TEST_CASE("rejects a file that is not a baseline, with the place") {
  CHECK(error_of("[]").starts_with(":1:1: not a baseline"));
  CHECK(error_of("").starts_with(":1:1: not a baseline"));
  CHECK(has(error_of(listing("null")), "must be a mapping"));
  CHECK(error_of("{\"schemaVersion\": 2, \"findings\": []}") ==
        ":1:19: 'schemaVersion' must be 1: write the baseline again");
  CHECK(has(error_of("{\"schemaVersion\": 1, \"finding\": []}"), "unknown key 'finding'"));
  CHECK(has(error_of(listing("{\"rule\": \"a\"}")), "has no 'fingerprint'"));
  CHECK(has(error_of(listing("{\"fingerprint\": 1}")), "must be a string"));
  CHECK(error_of(listing("7")).starts_with(":1:35: "));
  CHECK_FALSE(error_of("{\"schemaVersion\": 1,\n <<<<<<< HEAD\n").empty());
  CHECK_FALSE(error_of(std::string("\0\x04\xff", 3)).empty());
  CHECK_FALSE(Baseline::read("/nowhere/b.json"));
}

TEST_CASE("limits the errors of an invalid baseline and its depth") {
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += i == 0 ? "7" : ",\n7";
  CHECK(std::ranges::count(error_of(listing(many)), '\n') < 50);
  CHECK_FALSE(error_of(std::string(1'000'000, '[')).empty());
}

TEST_CASE("rejects a baseline of a hundred megabytes without reading it") {
  const TemporaryDirectory tree;
  const std::string path = tree.write("b.json");
  std::filesystem::resize_file(path, 100'000'000);
  CHECK_FALSE(Baseline::read(path));
}

}  // namespace cnsched::rules::baseline_test
