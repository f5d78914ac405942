#include "cli/output/line_hash.h"
#include "core/base/text.h"
#include "core/source/source_file.h"
#include "rules/engine/fingerprint.h"
#include "rules/page.h"
#include "testdata/reported.h"

namespace cnsched::cli::sarif_test {

using Json = nlohmann::ordered_json;
Json run_of(const Reported& reported) { return reported.json("sarif")["runs"][0]; }

/// The first location of the only result.
Json place_in(const Reported& reported) {
  return run_of(reported)["results"][0]["locations"][0]["physicalLocation"];
}

/// "6:24-6:30".
std::string shown(const Json& region) {
  return fmt::format("{}:{}-{}:{}", region["startLine"].get<int>(),
                     region["startColumn"].get<int>(), region["endLine"].get<int>(),
                     region["endColumn"].get<int>());
}

/// The byte at a line and column, as SARIF counts them.
std::uint32_t offset_of(const SourceFile& file, std::size_t line, std::size_t column) {
  std::uint32_t offset = file.line_start(line);
  if (line == 1 && file.bytes().starts_with(kByteOrderMark)) offset += 3;
  for (; column > 1; --column) {
    offset += static_cast<std::uint32_t>(utf8_length(file.bytes().substr(offset)));
  }
  return offset;
}

/// The text of the file after the replacements of a fix, as a consumer applies them.
std::string fixed(const SourceFile& file, const Json& fix) {
  std::vector<Edit> edits;
  for (const Json& each : fix["artifactChanges"][0]["replacements"]) {
    const Json& region = each["deletedRegion"];
    edits.push_back({{0, offset_of(file, region["startLine"], region["startColumn"]),
                      offset_of(file, region["endLine"], region["endColumn"])},
                     each["insertedContent"]["text"]});
  }
  return cnsched::apply(file.bytes(), edits);
}

TEST_CASE("SARIF names the rule, the place and the object") {
  const Reported reported("deploy/pod.yaml", rejected_pod("p"));
  const Json result = run_of(reported)["results"][0];
  CHECK(result["ruleId"] == "invalid-toleration");
  CHECK(result["ruleIndex"] == 0);
  CHECK(result["level"] == "error");
  CHECK(result["message"]["text"] ==
        "invalid toleration operator 'exists': the API server rejects the pod spec\n"
        "help: use Equal or Exists, did you mean 'Exists'?");
  const Json& location = result["locations"][0];
  CHECK(location["physicalLocation"]["artifactLocation"] ==
        Json({{"uri", "deploy/pod.yaml"}, {"uriBaseId", "SRCROOT"}}));
  CHECK(shown(location["physicalLocation"]["region"]) == "6:24-6:30");
  CHECK(location["logicalLocations"] ==
        Json::array({{{"name", "p"}, {"fullyQualifiedName", "v1/Pod/p"}, {"kind", "resource"}}}));
  CHECK_FALSE(result.contains("fixes"));
  CHECK_FALSE(result.contains("suppressions"));
}

TEST_CASE("SARIF lists the rules that ran with their descriptions") {
  const Json driver = run_of(Reported("a.yaml", ""))["tool"]["driver"];
  CHECK(driver["name"] == "cnsched");
  REQUIRE(driver["rules"].size() == 1);
  const Json& rule = driver["rules"][0];
  const rules::Page& source = page_of(*rules::find_rule("invalid-toleration")->rule);
  CHECK(rule["id"] == "invalid-toleration");
  CHECK(rule["name"] == "InvalidToleration");
  CHECK(rule["shortDescription"]["text"] == source.summary);
  CHECK(source.why.starts_with(rule["fullDescription"]["text"].get<std::string>()));
  CHECK(rule["helpUri"] == source.source);
  CHECK(has(rule["help"]["text"].get<std::string>(), source.why));
  CHECK(has(rule["help"]["text"].get<std::string>(), source.limits));
  CHECK(has(rule["help"]["markdown"].get<std::string>(), "**Wrong**\n\n```yaml\n"));
  CHECK(rule["defaultConfiguration"]["level"] == "error");
  CHECK(rule["properties"] == Json({{"tags", {"kubernetes", "toleration"}},
                                    {"precision", "very-high"},
                                    {"problem.severity", "error"}}));
}

TEST_CASE("every rule's page is below GitHub's limit") {
  Reported reported("a.yaml", "");
  Outcome outcome = reported.outcome();
  outcome.rules.assign(rules::all_rules().begin(), rules::all_rules().end());
  std::ostringstream out;
  write_sarif(outcome, out);
  const Json log = Json::parse(out.str());
  for (const Json& rule : log["runs"][0]["tool"]["driver"]["rules"]) {
    CAPTURE(rule["id"].get<std::string>());
    for (const std::string text : {"shortDescription", "fullDescription"}) {
      CHECK(rule[text]["text"].get<std::string>().size() > 10);
      CHECK(rule[text]["text"].get<std::string>().size() <= 1024);
    }
    // A fence within the text would end the one around it.
    const std::string page = rule["help"]["markdown"];
    std::size_t fences = 0;
    for (std::size_t at = 0; (at = page.find("```", at)) != std::string::npos; at += 3) ++fences;
    CHECK(fences == 4);
  }
}

TEST_CASE("SARIF has both fingerprints") {
  const std::string text = rejected_pod("p");
  const Reported reported("pod.yaml", text);
  CHECK(run_of(reported)["results"][0]["partialFingerprints"] ==
        Json({{"primaryLocationLineHash", line_hashes(text, {6}).at(6)},
              {"cnsched/v1", rules::fingerprints(reported.workspace(), reported.findings)[0]}}));
}

TEST_CASE("SARIF's regions are one line of code points") {
  CHECK(shown(place_in(Reported("a.yaml", "\xEF\xBB\xBF" + rejected_pod("p")))["region"]) ==
        "6:24-6:30");
  const std::string multibyte =
      "\xEF\xBB\xBF{apiVersion: v1, kind: Pod, metadata: {name: größe😀}, "
      "spec: {tolerations: [{key: a, operator: 日本}]}}\n";
  CHECK(shown(place_in(Reported("a.yaml", multibyte))["region"]) == "1:95-1:97");
  Reported reported("a.yaml", rejected_pod("p"));
  reported.findings.front().where.end += 1;  // the line end's
  CHECK(shown(place_in(reported)["region"]) == "6:24-6:31");
  reported.findings.front().where.begin = 0;
  CHECK(shown(place_in(reported)["region"]) == "1:1-1:15");
  const Json run = run_of(reported);
  CHECK(run["columnKind"] == "unicodeCodePoints");
  CHECK(run["newlineSequences"] == Json({"\r\n", "\n", "\r"}));
}

TEST_CASE("SARIF's paths are percent-encoded, and relative to the repository's root") {
  CHECK(place_in(Reported("./a b#ö.yaml", rejected_pod("p")))["artifactLocation"]["uri"] ==
        "a%20b%23%C3%B6.yaml");
  const TemporaryDirectory tree;
  tree.write("my repo/.git/HEAD");
  const std::string file = tree.write("my repo/team/pod.yaml");
  const Reported reported(file, rejected_pod("p"));
  CHECK(place_in(reported)["artifactLocation"] ==
        Json({{"uri", "team/pod.yaml"}, {"uriBaseId", "SRCROOT"}}));
  CHECK(run_of(reported)["originalUriBaseIds"]["SRCROOT"]["uri"] ==
        fmt::format("file://{}/my%20repo/", tree.root().string()));
}

TEST_CASE("files outside of a repository have absolute URIs") {
  const TemporaryDirectory tree;
  const std::string file = tree.write("pod.yaml");
  CHECK(place_in(Reported(file, rejected_pod("p")))["artifactLocation"] ==
        Json({{"uri", "file://" + file}}));
}

TEST_CASE("notes become related locations") {
  Reported reported("a.yaml", rejected_pod("p"));
  reported.findings.front().notes = {{{0, 0, 10}, "first"}, {{0, 15, 19}, "second"}};
  const Json related = run_of(reported)["results"][0]["relatedLocations"];
  REQUIRE(related.size() == 2);
  CHECK(related[1]["id"] == 2);
  CHECK(related[1]["message"]["text"] == "second");
  CHECK(shown(related[1]["physicalLocation"]["region"]) == "2:1-2:5");
}

TEST_CASE("a fix in SARIF has the same edits as --fix") {
  const std::string text = "\xEF\xBB\xBF" + rejected_pod("p", "\"日本\"") +
                           "  - {key: b, value: größe, operator: exists}\r\n";
  Reported reported("a.yaml", text);
  REQUIRE(reported.findings.size() == 2);
  const yaml::Document& document = reported.workspace().documents()[0]->document;
  const yaml::Node& list = (*document.root)["spec"]["tolerations"];
  const std::vector<yaml::Change> changes = {yaml::to_erase(list.at(0)["operator"]),
                                             yaml::to_erase(list.at(1)["value"])};
  reported.findings[0].fix = Fix{"tidy", Safety::safe, changes, &document, nullptr};
  const Json fix = run_of(reported)["results"][0]["fixes"][0];
  CHECK(fix["description"]["text"] == "tidy");
  CHECK(fix["artifactChanges"][0]["artifactLocation"]["uri"] == "a.yaml");
  const SourceFile& file = *reported.workspace().sources[0];
  CHECK(fixed(file, fix) == cnsched::apply(text, *yaml::edits_for(file, document, changes)));
  CHECK(has(fixed(file, fix), "  - {key: b, operator: exists}\r\n"));

  reported.findings[0].fix->safety = Safety::unsafe;
  CHECK(has(run_of(reported)["results"][0]["fixes"][0]["description"]["text"].get<std::string>(),
            "tidy (unsafe: "));
}

TEST_CASE("fixes that would take too long are left out, and a notification counts them") {
  Reported reported("a.yaml", rejected_pod("p") + "#" + std::string(std::size_t{1} << 20, 'x'));
  const yaml::Document& document = reported.workspace().documents()[0]->document;
  const yaml::Node& toleration = (*document.root)["spec"]["tolerations"].at(0);
  reported.findings[0].fix =
      Fix{"tidy", Safety::safe, {yaml::to_erase(toleration["operator"])}, &document, nullptr};
  reported.findings.resize(70, reported.findings[0]);
  const Json run = run_of(reported);
  CHECK(run["results"][0].contains("fixes"));
  CHECK_FALSE(run["results"][69].contains("fixes"));
  CHECK(has(
      run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
      "7 findings listed without a fix"));
}

TEST_CASE("SARIF has suppressions for all results or for none") {
  Reported reported("a.yaml",
                    rejected_pod("p") + "---\n" + rejected_pod("q") + "---\n" + rejected_pod("r"));
  reported.findings[1].suppression = Suppression{Suppression::By::comment, "known"};
  reported.findings[2].suppression = Suppression{Suppression::By::baseline, ""};
  const Json results = run_of(reported)["results"];
  CHECK(results[0]["suppressions"] == Json::array());
  CHECK(results[1]["suppressions"] ==
        Json::array({{{"kind", "inSource"}, {"justification", "known"}}}));
  CHECK(results[2]["suppressions"] == Json::array({{{"kind", "external"}}}));
}

TEST_CASE("of too many findings SARIF keeps the most severe ones, in their order") {
  Reported reported("a.yaml", rejected_pod("p"));
  reported.findings.front().severity = Severity::info;
  reported.findings.resize(5001, reported.findings.front());
  reported.findings[7].severity = Severity::warning;
  reported.findings.back().severity = Severity::error;
  reported.findings[3].severity = Severity::error;
  reported.findings[3].suppression = Suppression{};
  const Json run = run_of(reported);
  REQUIRE(run["results"].size() == 5000);
  CHECK(run["results"][0]["level"] == "note");
  CHECK(run["results"][6]["level"] == "warning");
  CHECK(run["results"].back()["level"] == "error");
  const Json& notification = run["invocations"][0]["toolExecutionNotifications"][0];
  CHECK(notification["level"] == "warning");
  CHECK(has(notification["message"]["text"].get<std::string>(), "1 of 5001 findings are left out"));
}

TEST_CASE("unreadable files make a SARIF run fail") {
  Workspace workspace;
  workspace.load({.unreadable = {{"gone.yaml", "no such file"}}});
  const std::vector<Diagnostic> none;
  std::ostringstream out;
  write_sarif({workspace, none}, out);
  const Json invocation = Json::parse(out.str())["runs"][0]["invocations"][0];
  CHECK(invocation["executionSuccessful"] == false);
  const Json& notification = invocation["toolExecutionNotifications"][0];
  CHECK(notification["level"] == "error");
  CHECK(notification["message"]["text"] == "gone.yaml: no such file");
  CHECK(notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gone.yaml");
}

TEST_CASE("escapes links in SARIF's messages") {
  Reported reported("a.yaml", rejected_pod("p", "'[click](https://evil.example)'"));
  CHECK(has(run_of(reported)["results"][0]["message"]["text"].get<std::string>(),
            R"('\[click\](https://evil.example)')"));
}

}  // namespace cnsched::cli::sarif_test
