#include "cli/commands/suppression.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/output/output.h"
#include "testdata/support.h"

namespace cnsched::cli::suppression_test {

/// A pod with an invalid toleration for each of `keys`, after the text `above`.
std::string pod(const std::string& name, const std::vector<std::string>& keys,
                const std::string& above = "") {
  std::string text = above + "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                     "}\nspec:\n  containers: [{name: c, image: x}]\n  tolerations:\n";
  for (const std::string& key : keys) text += "  - {key: " + key + ", operator: exists}\n";
  return text;
}

Ran lint(std::vector<std::string> arguments, const std::string& format = "concise") {
  arguments.insert(arguments.begin(), {"lint", "--format", format, "--color", "never", "--select",
                                       "invalid-toleration,ignore"});
  return run_program(arguments);
}

/// The messages without the summary.
std::string messages(const Ran& ran) { return ran.err.substr(0, ran.err.rfind("checked ")); }

TEST_CASE("counts suppressed findings, which do not fail a run") {
  const Repository repository;
  repository.write("a.yaml", pod("a", {"x"}, "# cnsched: ignore=all -- an example\n"));
  const Ran ran = lint({});
  CHECK(ran.exit == 0);
  CHECK(ran.out == "");
  CHECK(messages(ran) == "found nothing (1 suppressed)\n");
  CHECK(lint({"--no-inline-ignores"}).exit == 1);
  repository.write("b.yaml", pod("b", {"x"}));
  CHECK(messages(lint({})) == "found 1 error (1 suppressed)\n");
  CHECK(has(lint({"--statistics"}).err, "      1  error     invalid-toleration\n"));
}

TEST_CASE("shows suppressed findings with the reason on request") {
  const Repository repository;
  repository.write("a.yaml", pod("a", {"x"}, "# cnsched: ignore=all -- an example\n"));
  const Ran ran = lint({"--show-suppressed"});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "a.yaml:8:24: error: invalid toleration operator 'exists': the API server rejects the pod "
        "spec [invalid-toleration] (suppressed by a comment: an example)\n");
  const Ran pretty = lint({"--show-suppressed"}, "pretty");
  CHECK(has(pretty.out, "  = suppressed: by a comment: an example\n"));
}

TEST_CASE("SOURCE_DATE_EPOCH sets the date") {
  const Repository repository;
  repository.write("a.yaml",
                   pod("a", {"x"}, "# cnsched: ignore=all until=2026-06-30 -- an example\n"));
  {
    const EnvironmentVariable last_second("SOURCE_DATE_EPOCH", "1782863999");
    CHECK(lint({}).exit == 0);
  }
  {
    const EnvironmentVariable next_day("SOURCE_DATE_EPOCH", "1782864000");
    CHECK(lint({}).exit == 1);
    CHECK(has(lint({}, "pretty").out, "note: this suppression expired on 2026-06-30"));
  }
  for (const char* wrong : {"-1", "soon", "1782864000x", "99999999999999999999", "253402300800"}) {
    const EnvironmentVariable clock("SOURCE_DATE_EPOCH", wrong);
    const Ran ran = lint({});
    CHECK(ran.exit == 2);
    CHECK(ran.err.starts_with("error: SOURCE_DATE_EPOCH is '"));
  }
}

TEST_CASE("reports only findings that are not in the baseline") {
  const Repository repository;
  repository.write("a.yaml", pod("a", {"x", "y"}));
  repository.write("b.yaml", pod("b", {"x"}));
  const Ran written = lint({"--write-baseline", "known.json"});
  CHECK(written.exit == 0);
  CHECK(written.out == "");
  CHECK(messages(written) ==
        "wrote a baseline of 3 findings to 'known.json'\nfound nothing (3 suppressed)\n");
  CHECK(lint({"--baseline", "known.json"}).exit == 0);

  // Lines move, and one finding is new.
  repository.write("a.yaml", pod("a", {"x", "y", "z"}, "# A comment.\n\n"));
  const Ran checked = lint({"--baseline", "known.json"});
  CHECK(checked.exit == 1);
  CHECK(checked.out ==
        "a.yaml:11:24: error: invalid toleration operator 'exists': the API server rejects the pod "
        "spec [invalid-toleration]\n");
  CHECK(messages(checked) == "found 1 error (3 suppressed)\n");

  // A known finding is corrected.
  repository.write("a.yaml", pod("a", {"x"}));
  const Ran corrected = lint({"--baseline", "known.json"});
  CHECK(corrected.exit == 0);
  CHECK(messages(corrected) ==
        "1 entry of the baseline is no longer found: update it with --write-baseline\n"
        "found nothing (2 suppressed)\n");
  CHECK(lint({"--baseline", "known.json", "-q"}).err == "");
}

TEST_CASE("baseline entries of files that are not linted are not stale") {
  const Repository repository;
  repository.write("a.yaml", pod("a", {"x"}));
  repository.write("b.yaml", pod("b", {"x"}));
  repository.write("c.yaml", pod("c", {"x"}));
  CHECK(lint({"--write-baseline", "known.json"}).exit == 0);
  repository.write("a.yaml", pod("a", {}));
  repository.write("b.yaml", pod("b", {}));
  repository.write("c.yaml", "apiVersion: v1\nkind: Pod\nspec: {a: [}\n");
  CHECK(messages(lint({"--baseline", "known.json", "a.yaml"})) ==
        "1 entry of the baseline is no longer found: update it with --write-baseline\n");
  CHECK(messages(lint({"--baseline", "known.json", "c.yaml"})) == "");
  CHECK(messages(lint({"--baseline", "known.json", "--ignore", "invalid-toleration"})) == "");

  CHECK(lint({"--baseline", "known.json", "--write-baseline", "known.json", "a.yaml"}).exit == 0);
  const auto json = nlohmann::json::parse(read_all("known.json"));
  REQUIRE(json["findings"].size() == 2);
  CHECK(json["findings"][0]["file"] == "b.yaml");
  CHECK(json["findings"][1]["file"] == "c.yaml");
}

TEST_CASE("a baseline does not depend on the working directory within the repository") {
  const Repository repository;
  repository.write("deploy/a.yaml", pod("a", {"x"}));
  CHECK(lint({"--write-baseline", "known.json"}).exit == 0);
  const WorkingDirectory deeper(repository.root() / "deploy");
  CHECK(lint({"--baseline", "../known.json", "a.yaml"}).exit == 0);
  CHECK(lint({"--baseline", "../known.json"}).exit == 0);
}

TEST_CASE("a baseline contains unsuppressed findings, one per line, and is stable") {
  const Repository repository;
  repository.write("b.yaml", pod("b", {"x", "y"}));
  repository.write("a.yaml", pod("a", {"x"}));
  repository.write("c.yaml", pod("c", {"x"}, "# cnsched: ignore=all -- an example\n"));
  CHECK(lint({"--write-baseline", "known.json"}).exit == 0);
  const std::string first = read_all("known.json");
  CHECK(std::ranges::count(first, '\n') == 3 + 5);
  CHECK(has(first, "    {\"fingerprint\": \""));
  CHECK(has(first,
            "\"rule\": \"invalid-toleration\", \"file\": \"a.yaml\", "
            "\"object\": \"v1/Pod//a\", \"message\": \"invalid toleration operator 'exists'"));
  CHECK(lint({"--write-baseline", "known.json", "c.yaml", "b.yaml", "a.yaml"}).exit == 0);
  CHECK(read_all("known.json") == first);
}

TEST_CASE("exits with 2 for a missing or malformed baseline, and with 3 if it cannot be written") {
  const Repository repository;
  repository.write("a.yaml", pod("a", {"x"}));
  const Ran missing = lint({"--baseline", "known.json"});
  CHECK(missing.exit == 2);
  CHECK(missing.err.starts_with("error: known.json: "));
  repository.write("bad.json", "{\n  \"schemaVersion\": 7\n}\n");
  const Ran malformed = lint({"--baseline", "bad.json"});
  CHECK(malformed.exit == 2);
  CHECK(malformed.err ==
        "error: bad.json:2:20: 'schemaVersion' must be 1: write the baseline again\n");
  const Ran unwritten = lint({"--write-baseline", "nowhere/known.json"});
  CHECK(unwritten.exit == 3);
  CHECK(has(unwritten.out, "[invalid-toleration]"));
}

TEST_CASE("every format shows that a suppression expired") {
  const Repository repository;
  repository.write("a.yaml",
                   pod("a", {"x"}, "# cnsched: ignore=all until=2026-06-30 -- an example\n"));
  const EnvironmentVariable next_day("SOURCE_DATE_EPOCH", "1782864000");
  for (const Format& format : all_formats()) {
    CAPTURE(std::string(format.name));
    CHECK(has(lint({}, std::string(format.name)).out, "expired on 2026-06-30"));
  }
}

}  // namespace cnsched::cli::suppression_test
