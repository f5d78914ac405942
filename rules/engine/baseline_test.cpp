#include "rules/engine/baseline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules {

namespace {

/// Why a baseline of that text is refused.
std::string refusal_of(const std::string& text) {
  const test::TemporaryDirectory tree;
  const std::string path = tree.write("b.json", text);
  const auto baseline = Baseline::read(path);
  return baseline ? "" : baseline.error().message.substr(path.size());
}

std::string listing(const std::string& entries) {
  return "{\"schemaVersion\": 1, \"findings\": [" + entries + "]}";
}

}  // namespace

TEST_CASE("a baseline is read as it was written") {
  const auto run_over =
      test::workspace_of({{"\xff\"\n.yaml",
                           "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\u202e\\\"\"}\n"
                           "spec:\n  tolerations: [{key: a, operator: exists}]\n"}});
  const auto findings = run(*run_over, Selection::everything()).findings;
  const Baseline written = Baseline::of(*run_over, findings);
  const std::string text = written.text();
  CHECK(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); }));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["schemaVersion"] == 1);
  CHECK(json["findings"].size() == findings.size());

  const test::TemporaryDirectory tree;
  const auto read = Baseline::read(tree.write("b.json", text));
  REQUIRE(read);
  CHECK(read->text() == text);
  auto again = findings;
  read->hide(*run_over, again);
  CHECK(std::ranges::all_of(again, [](const Diagnostic& d) { return d.suppression && !d.fix; }));
  CHECK(read->stale(*run_over, Selection::everything(), again).size() == 0);
}

TEST_CASE("a baseline without findings is one") {
  const test::TemporaryDirectory tree;
  const auto read = Baseline::read(tree.write("b.json", Baseline().text()));
  REQUIRE(read);
  CHECK(read->size() == 0);
}

TEST_CASE("a file that is no baseline is refused, with the place") {
  CHECK(refusal_of("[]").starts_with(":1:1: this is no baseline"));
  CHECK(refusal_of("").starts_with(":1:1: this is no baseline"));
  CHECK(refusal_of(listing("null")).find("has to be a mapping") != std::string::npos);
  CHECK(refusal_of("{\"schemaVersion\": 2, \"findings\": []}") ==
        ":1:19: 'schemaVersion' has to be 1: write the baseline anew");
  CHECK(refusal_of("{\"schemaVersion\": 1, \"finding\": []}").find("unknown key 'finding'") !=
        std::string::npos);
  CHECK(refusal_of(listing("{\"rule\": \"a\"}")).find("has no 'fingerprint'") != std::string::npos);
  CHECK(refusal_of(listing("{\"fingerprint\": 1}")).find("has to be a string") !=
        std::string::npos);
  CHECK(refusal_of(listing("7")).starts_with(":1:35: "));
  CHECK_FALSE(refusal_of("{\"schemaVersion\": 1,\n <<<<<<< HEAD\n").empty());
  CHECK_FALSE(refusal_of(std::string("\0\x04\xff", 3)).empty());
  CHECK_FALSE(Baseline::read("/nowhere/b.json"));
}

TEST_CASE("of a baseline full of mistakes only some are told, and depth does no harm") {
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += i == 0 ? "7" : ",\n7";
  CHECK(std::ranges::count(refusal_of(listing(many)), '\n') < 50);
  CHECK_FALSE(refusal_of(std::string(1'000'000, '[')).empty());
}

TEST_CASE("a baseline of a hundred megabytes is refused without being read") {
  const test::TemporaryDirectory tree;
  const std::string path = tree.write("b.json");
  std::filesystem::resize_file(path, 100'000'000);
  CHECK_FALSE(Baseline::read(path));
}

}  // namespace cnsched::rules
