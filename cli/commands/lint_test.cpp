#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "testdata/support.h"

namespace cnsched::cli::lint_test {

using Json = nlohmann::ordered_json;
struct Folder : TemporaryDirectory {
  Folder() { write(".git/HEAD"); }  // ends the search for configurations
};

/// `count` tolerations that the API server rejects, one per line from line 7 on.
std::string manifest(int count = 1) {
  std::string text =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata: {name: llama, namespace: team}\nspec:\n  predictor:\n    tolerations:\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("    - {{key: k{}, operator: Exists, value: x}}\n", i);
  }
  return text;
}

const std::string kClean =
    "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
    "metadata: {name: fine}\nspec: {predictor: {model: {modelFormat: {name: onnx}}}}\n";

/// Lints with one rule only, so that findings of other rules do not matter.
Ran lint(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"lint", "--color", "never"});
  arguments.insert(arguments.end(), {"--select", "invalid-toleration"});
  return run_program(arguments);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST_CASE("exit code 0 is clean, 1 findings, 3 unreadable") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const std::string good = folder.write("good.yaml", kClean);
  const std::string missing = folder.path("missing.yaml");
  CHECK(lint({good}).exit == 0);
  CHECK(lint({bad}).exit == 1);
  CHECK(lint({good, bad}).exit == 1);
  CHECK(lint({missing}).exit == 3);
  CHECK(lint({folder.path("empty")}).exit == 3);
}

TEST_CASE("exit code 2 takes precedence over 3, and 3 over 1") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const std::string missing = folder.path("missing.yaml");
  const std::string config = folder.write("config.yaml", "cluster: {kserv: '1'}\n");
  CHECK(lint({bad, missing}).exit == 3);
  CHECK(lint({bad, "--min-objects", "9", missing}).exit == 3);
  CHECK(lint({bad, missing, "--config", config}).exit == 2);
  CHECK(lint({bad, missing, "--ignore", "no-such-rule"}).exit == 2);
  CHECK(lint({bad, missing, "--no-such-flag"}).exit == 2);
}

TEST_CASE("lints the readable files if others are unreadable") {
  const Folder folder;
  const Ran ran = lint(
      {folder.write("bad.yaml", manifest()), folder.path("missing.yaml"), "--format", "concise"});
  CHECK(lines_in(ran.out) == 1);
  CHECK(has(ran.err, "error: " + folder.path("missing.yaml") + ": no such file or directory\n"));
  CHECK(has(ran.err, ", 1 unreadable)\n"));
}

TEST_CASE("--exit-zero ignores findings and missing objects, but not failures") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  CHECK(lint({bad, "--exit-zero"}).exit == 0);
  CHECK(has(lint({bad, "--exit-zero"}).out, "invalid-toleration"));
  CHECK(lint({bad, "--exit-zero", "--min-objects", "9"}).exit == 0);
  CHECK(lint({folder.path("missing"), "--exit-zero"}).exit == 3);
  CHECK(lint({bad, "--exit-zero", "--ignore", "nonsense"}).exit == 2);
}

TEST_CASE("--fail-on sets the least severity that fails") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  struct Row {
    std::string severity;
    std::string fail_on;
    int exit;
  };
  for (const auto& [severity, fail_on, exit] : {
           Row{"error", "error", 1},
           Row{"error", "warning", 1},
           Row{"error", "info", 1},
           Row{"warning", "error", 0},
           Row{"warning", "warning", 1},
           Row{"warning", "info", 1},
           Row{"info", "error", 0},
           Row{"info", "warning", 0},
           Row{"info", "info", 1},
       }) {
    CAPTURE(severity);
    CAPTURE(fail_on);
    CHECK(lint({bad, "--severity", "invalid-toleration=" + severity, "--fail-on", fail_on}).exit ==
          exit);
  }
  CHECK(lint({bad, "--severity", "invalid-toleration=info"}).exit == 0);
}

TEST_CASE("--min-objects fails a run with too few objects") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", kClean);
  CHECK(lint({good, "--min-objects", "1"}).exit == 0);
  const Ran ran = lint({good, "--min-objects", "2"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.err, "error: checked 1 object, fewer than --min-objects 2 ("));
  CHECK(lint({folder.write("other.yaml", "kind: Service\n"), "--min-objects", "1"}).exit == 1);
}

TEST_CASE("--severity sets a rule's severity, or switches it off") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  CHECK(has(lint({bad, "--severity", "invalid-toleration=info"}).out, "info[invalid-toleration]"));
  CHECK(has(lint({bad, "--severity", "toleration=warning"}).out, "warning[invalid-toleration]"));
  CHECK(lint({bad, "--severity", "invalid-toleration=off"}).out.empty());
  CHECK(lint({bad, "--severity", "invalid-toleration=off", "--severity", "all=info"}).out.empty());
  for (const std::string setting : {"invalid-toleration", "invalid-toleration=fatal", "=info",
                                    "no-such=info", "invalid-toleration="}) {
    CAPTURE(setting);
    CHECK(lint({bad, "--severity", setting}).exit == 2);
  }
}

TEST_CASE("--select, --ignore and --extend-select choose rules by id, by group and all") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const auto found = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"lint", bad, "--format", "concise", "--color", "never"});
    const Ran ran = run_program(arguments);
    CHECK(ran.exit <= 1);
    return has(ran.out, "[invalid-toleration]");
  };
  CHECK(found({}));
  CHECK(found({"--select", "invalid-toleration"}));
  CHECK(found({"--select", "toleration"}));
  CHECK(found({"--select", "all"}));
  CHECK(found({"--select", "label,toleration"}));
  CHECK(found({"--select", "label", "--select", "toleration"}));
  CHECK_FALSE(found({"--select", "label"}));
  CHECK_FALSE(found({"--ignore", "invalid-toleration"}));
  CHECK_FALSE(found({"--ignore", "toleration"}));
  CHECK_FALSE(found({"--ignore", "all"}));
  CHECK_FALSE(found({"--select", "all", "--ignore", "invalid-toleration"}));
  CHECK(found({"--select", "label", "--extend-select", "invalid-toleration"}));
  CHECK(found({"--ignore", "all", "--extend-select", "toleration"}));
}

TEST_CASE("rejects an unknown rule or group and suggests the nearest") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", kClean);
  for (const std::string flag : {"--select", "--ignore", "--extend-select"}) {
    CAPTURE(flag);
    const Ran ran = lint({good, flag, "invalid-tolerations"});
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, "'invalid-tolerations', did you mean 'invalid-toleration'?"));
    CHECK(lint({good, flag, ""}).exit == 2);
  }
}

TEST_CASE("a repeatable option takes one value and not the paths after it") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const std::string nodes = folder.write("nodes.yaml", "apiVersion: v1\nkind: Node\n");
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"--cluster", nodes, bad},
           {"--cluster", nodes, "--cluster", nodes, bad},
           {"--exclude", "x", bad},
           {"--ignore", "label", bad},
           {"--extend-select", "label", bad},
           {"--severity", "label=info", bad},
       }) {
    CAPTURE(arguments.front());
    const Ran ran = lint(arguments);
    CHECK(ran.exit == 1);
    CHECK(has(ran.err, "checked 1 object in 1 document of 1 file "));
  }
}

TEST_CASE("--cluster files give facts and are not linted") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const std::string good = folder.write("good.yaml", kClean);
  const Ran ran = lint({good, "--cluster", bad});
  CHECK(ran.exit == 0);
  CHECK(ran.out.empty());
  CHECK(lint({good, "--cluster", folder.path("missing.yaml")}).exit == 3);
}

TEST_CASE("--show-files lists the files to lint, and the skipped ones with the reason") {
  const Folder folder;
  const std::string bad = folder.write("b.yaml", manifest());
  folder.write("a.yml", kClean);
  folder.write("sub/c.json", "{}");
  folder.write("notes.txt", "");
  folder.write("charts/d.yaml", "{}");
  folder.write(".cnsched.yaml", "# ours\nexclude: [charts/]\n");
  const Ran ran = lint({folder.path(), "--show-files", "--exclude", "sub/"});
  CHECK(ran.exit == 0);
  CHECK_FALSE(has(ran.out, "/d.yaml"));
  CHECK(has(ran.err, "/sub/: excluded by --exclude\n"));
  CHECK(has(ran.err, "/charts/: excluded by 'charts/' ("));
  CHECK(has(ran.err, "/.cnsched.yaml:2)\n"));
  CHECK(has(ran.out, "/a.yml\n"));
  CHECK(has(ran.out, "/b.yaml\n"));
  CHECK_FALSE(has(ran.out, "notes.txt"));
  CHECK(lint({folder.path("missing"), "--show-files"}).exit == 3);
  CHECK(lint({bad, bad, "--show-files"}).out == bad + "\n");
}

TEST_CASE("the summary counts what .gitignore excludes") {
  const Folder folder;
  folder.write("a.yaml", manifest());
  folder.write("b.yaml", manifest());
  folder.write("build/c.yaml", manifest());
  CHECK_FALSE(has(lint({folder.path()}).err, ".gitignore"));
  folder.write(".gitignore", "b.yaml\nbuild/\n");
  CHECK(has(lint({folder.path()}).err,
            "0 unreadable, 1 file and 1 directory excluded by .gitignore)"));
}

TEST_CASE(".gitignore and --exclude exclude files, unless they are named") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  folder.write(".gitignore", "bad.yaml\n");
  CHECK(lint({folder.path()}).exit == 0);
  CHECK(lint({folder.path(), "--no-gitignore"}).exit == 1);
  CHECK(lint({folder.path(), "--no-gitignore", "--exclude", "bad.yaml"}).exit == 0);
  CHECK(lint({bad}).exit == 1);
  CHECK(lint({bad, "--exclude", "bad.yaml"}).exit == 1);
  CHECK(lint({bad, "--exclude", "bad.yaml", "--force-exclude"}).exit == 0);
}

TEST_CASE("the nearest configuration applies; --config replaces it, --no-config ignores it") {
  const Folder folder;
  const std::string good = folder.write("sub/good.yaml", kClean);
  CHECK(lint({good}).exit == 0);
  folder.write(".cnsched.yaml", "cluster: {kserv: '0.15'}\n");
  const Ran ran = lint({good});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(
      has(ran.err, ".cnsched.yaml:1:11: unknown key 'kserv' in 'cluster', did you mean 'kserve'?"));
  CHECK(lint({good, "--no-config"}).exit == 0);
  CHECK(lint({good, "--config", folder.write("other.yaml", "cluster: {}\n")}).exit == 0);
  CHECK(lint({good, "--config", folder.path("missing.yaml")}).exit == 2);
  folder.write("sub/.cnsched.yaml", "cluster: {}\n");
  CHECK(lint({good}).exit == 0);
}

TEST_CASE("reports every error of a configuration, one per line") {
  const Folder folder;
  const std::string config =
      folder.write("c.yaml", "cluster: {kserv: '1', kubernetes: 1.30, nodePools: 1}\nmore: 1\n");
  const Ran ran = lint({folder.write("good.yaml", kClean), "--config", config});
  CHECK(ran.exit == 2);
  CHECK(lines_in(ran.err) == 4);
}

TEST_CASE("does not report missing fields of a patch whose kustomization is not linted") {
  const Folder folder;
  const std::string patch = folder.write("app/patch.yaml",
                                         "apiVersion: serving.kserve.io/v1beta1\n"
                                         "kind: InferenceService\nmetadata: {name: llama}\n"
                                         "spec:\n  predictor:\n    model:\n      resources:\n"
                                         "        requests: {nvidia.com/gpu: 1}\n");
  const auto lint_all = [&] { return run_program({"lint", "--color", "never", patch}); };
  CHECK(has(lint_all().out, "warning[accelerator-request-limit]"));
  folder.write("kustomization.yaml", "patches: [{path: app/patch.yaml}]\n");
  const Ran ran = lint_all();
  CHECK(ran.out == "");
  CHECK(ran.err ==
        "checked 1 object in 1 document of 1 file (0 out of scope, 0 Helm templates "
        "skipped, 0 unreadable)\n");
}

TEST_CASE("the summary on standard error counts all files and documents") {
  const Folder folder;
  const Ran ran = lint({folder.write("a.yaml", kClean + "---\nkind: Service\n")});
  CHECK(ran.out.empty());
  CHECK(ran.err ==
        "checked 1 object in 2 documents of 1 file "
        "(1 out of scope, 0 Helm templates skipped, 0 unreadable)\n");
}

TEST_CASE("counts the findings, and gives advice for skipped Helm templates") {
  const Folder folder;
  const Ran found = lint({folder.write("bad.yaml", manifest(2))});
  CHECK(found.err.starts_with("found 2 errors\n"));
  const Ran skipped =
      lint({folder.write("t.yaml", "apiVersion: v1\nkind: Pod\n{{- if .x }}\na: b\n{{- end }}\n")});
  CHECK(skipped.exit == 0);
  CHECK(has(skipped.err, "1 Helm template skipped: lint what Helm renders"));
}

TEST_CASE("--quiet prints only errors, --verbose how each file and document was handled") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest() + "---\nkind: Service\n");
  const Ran quiet = lint({bad, "--quiet"});
  CHECK(quiet.exit == 1);
  CHECK(quiet.err.empty());
  CHECK_FALSE(quiet.out.empty());
  CHECK_FALSE(lint({bad, folder.path("missing"), "-q"}).err.empty());

  const Ran verbose = lint({bad, "--verbose"});
  CHECK(has(verbose.err, bad + ":1: checked\n"));
  CHECK(has(verbose.err, bad + ":8: out of scope\n"));
  CHECK(has(lint({bad, "-v", "--exclude", "bad.yaml", "--force-exclude"}).err,
            ": excluded by --exclude\n"));
}

TEST_CASE("--statistics counts the findings of each rule, before the summary") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest(3));
  const Ran ran = lint({bad, "--statistics", "--select", "invalid-toleration"});
  CHECK(has(ran.err, "\n      3  error     invalid-toleration\nfound 3 errors\n"));
  CHECK_FALSE(has(lint({bad, "--statistics", "--ignore", "all"}).err, "severity"));
}

TEST_CASE("reports why nothing was read") {
  const Folder folder;
  folder.write("notes.txt", "");
  CHECK(has(lint({folder.path("")}).err,
            "nothing to check: no .yaml, .yml or .json file was found\nchecked 0 objects"));
  const std::string empty = folder.write("empty.yaml", "");
  CHECK(has(lint({empty}).err, "nothing to check: the files are empty\nchecked 0 objects"));
  CHECK(has(lint({folder.path(""), "--exclude", "empty.yaml"}).err,
            "file was found (-v shows what was skipped)\n"));
  CHECK_FALSE(has(lint({empty, "-q"}).err, "nothing"));
  CHECK(has(run_program({"render", empty}).err, "nothing to check: the files are empty\n"));
}

TEST_CASE("concise output has one line per finding, sorted by place") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest(2));
  const Ran ran = lint({bad, "--format", "concise"});
  CHECK(ran.out == bad +
                       ":7:42: error: toleration of 'k0' must not have a value when its operator "
                       "is Exists: the API server rejects the pod spec "
                       "[invalid-toleration]\n" +
                       bad +
                       ":8:42: error: toleration of 'k1' must not have a value when its operator "
                       "is Exists: the API server rejects the pod spec "
                       "[invalid-toleration]\n");
}

TEST_CASE("output has colors only if requested") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  for (const std::string format : {"pretty", "concise"}) {
    CAPTURE(format);
    CHECK_FALSE(has(lint({bad, "--format", format}).out, "\x1b"));
    CHECK(has(run_program({"lint", bad, "--format", format, "--color", "always"}).out, "\x1b["));
  }
  CHECK_FALSE(has(run_program({"lint", bad, "--format", "json", "--color", "always"}).out, "\x1b"));
}

TEST_CASE("the output does not depend on the number of threads") {
  const Folder folder;
  for (int i = 0; i < 40; ++i) folder.write(fmt::format("f{}.yaml", i), manifest(3));
  const Ran one = lint({folder.path(), "--format", "json", "--jobs", "1"});
  CHECK(lint({folder.path(), "--format", "json", "--jobs", "8"}).out == one.out);
  CHECK(lint({folder.path(), folder.path(), "--format", "json"}).out == one.out);
}

TEST_CASE("JSON has exactly the documented keys") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const Json json = Json::parse(lint({bad, "--format", "json"}).out);
  const auto keys = [](const Json& object) {
    std::string names;
    for (const auto& [key, value] : object.items()) names += (names.empty() ? "" : " ") + key;
    return names;
  };
  CHECK(keys(json) == "schemaVersion findings ledger summary");
  CHECK(json["schemaVersion"] == 1);
  REQUIRE(json["findings"].size() == 1);
  const Json& finding = json["findings"][0];
  CHECK(keys(finding) ==
        "rule severity message file line column endLine endColumn object component path notes help "
        "fingerprint");
  CHECK(keys(finding["object"]) == "apiVersion kind namespace name");
  REQUIRE(finding["notes"].size() == 1);
  CHECK(keys(finding["notes"][0]) == "message file line column endLine endColumn");
  CHECK(keys(json["ledger"]) == "files documents objects outOfScope templates unreadable skipped");
  CHECK(keys(json["summary"]) == "errors warnings infos");
}

TEST_CASE("JSON contains message, place and object") {
  const Folder folder;
  const std::string bad = folder.write("bad.yaml", manifest());
  const Json json = Json::parse(lint({bad, "--format", "json"}).out);
  const Json& finding = json["findings"][0];
  CHECK(finding["rule"] == "invalid-toleration");
  CHECK(finding["severity"] == "error");
  CHECK(finding["file"] == bad);
  CHECK(finding["line"] == 7);
  CHECK(finding["column"] == 42);
  CHECK(finding["endLine"] == 7);
  CHECK(finding["endColumn"] == 43);
  CHECK(finding["object"] == Json({{"apiVersion", "serving.kserve.io/v1beta1"},
                                   {"kind", "InferenceService"},
                                   {"namespace", "team"},
                                   {"name", "llama"}}));
  CHECK(finding["component"] == "predictor");
  CHECK(finding["path"] == "/spec/predictor/tolerations/0/value");
  CHECK(finding["notes"][0]["line"] == 7);
  CHECK(json["ledger"] == Json({{"files", 1},
                                {"documents", 1},
                                {"objects", 1},
                                {"outOfScope", 0},
                                {"templates", 0},
                                {"unreadable", 0},
                                {"skipped", Json::array()}}));
  CHECK(json["summary"] == Json({{"errors", 1}, {"warnings", 0}, {"infos", 0}}));
}

TEST_CASE("JSON omits a missing component and source") {
  const Folder folder;
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
      "spec: {tolerations: [{key: a, operator: exists}]}\n";
  const auto finding_in = [&](const std::string& text) {
    const Json json = Json::parse(lint({folder.write("p.yaml", text), "--format", "json"}).out);
    REQUIRE(json["findings"].size() == 1);
    return json["findings"][0];
  };
  CHECK_FALSE(finding_in(pod).contains("component"));
  CHECK_FALSE(finding_in(pod).contains("source"));
  CHECK(finding_in("# Source: chart/templates/pod.yaml\n" + pod)["source"] ==
        "chart/templates/pod.yaml");
}

TEST_CASE("JSON without findings is complete") {
  const Folder folder;
  const Json json = Json::parse(lint({folder.write("good.yaml", kClean), "--format", "json"}).out);
  CHECK(json["findings"] == Json::array());
  CHECK(json["ledger"]["objects"] == 1);
}

/// Lints on a simulated terminal.
Ran lint_on_terminal(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err, .err_is_terminal = true};
  arguments.insert(arguments.begin(), {"lint", "--no-config"});
  const Exit exit = run_app(arguments, console);
  return {static_cast<int>(exit), out.str(), err.str()};
}

TEST_CASE("a clean run says so on a terminal only") {
  constexpr std::string_view kNone = "no problems found\n";
  const auto says = [&](const Ran& ran) { return has(ran.err, kNone); };
  const Folder folder;
  const std::string clean = folder.write("a.yaml", kClean);
  const Ran ran = lint_on_terminal({clean});
  CHECK(ran.exit == 0);
  CHECK(ran.out == "");
  CHECK(ran.err.ends_with(kNone));
  CHECK_FALSE(says(lint_on_terminal({clean, "-q"})));
  CHECK_FALSE(says(run_program({"lint", "--no-config", clean})));
  CHECK_FALSE(says(lint_on_terminal({folder.write("b.yaml", manifest())})));
  CHECK_FALSE(says(lint_on_terminal({clean, "--min-objects", "9"})));
  CHECK_FALSE(says(lint_on_terminal({clean, folder.path("missing.yaml")})));
  CHECK_FALSE(says(lint_on_terminal({folder.write("c.yaml", "a: b\n")})));
}

TEST_CASE("says what to do with kustomizations of the linted objects") {
  constexpr std::string_view kHint = " not built (add --render kustomize)\n";
  const auto hints = [&](const std::vector<std::string>& paths) {
    std::vector<std::string> arguments = {"lint", "--no-config"};
    arguments.insert(arguments.end(), paths.begin(), paths.end());
    const std::string err = run_program(arguments).err;
    const std::size_t at = err.find(kHint);
    return at == std::string::npos
               ? ""
               : err.substr(err.rfind('\n', at) + 1, at - err.rfind('\n', at) - 1);
  };
  const Folder folder;
  folder.write("base/kustomization.yaml", "resources: [a.yaml]\n");
  folder.write("base/a.yaml", kClean);
  CHECK(hints({folder.path("base")}) == "1 kustomization");
  folder.write("overlays/prod/kustomization.yaml", "resources: [../../base]\nnamePrefix: prod-\n");
  CHECK(hints({folder.path()}) == "2 kustomizations");
  // The base is not linted.
  CHECK(hints({folder.path("overlays")}) == "1 kustomization");
  folder.write("unrelated/kustomization.yaml", "resources: [c.yaml]\n");
  folder.write("unrelated/c.yaml", "kind: Service\napiVersion: v1\n");
  CHECK(hints({folder.path("unrelated")}) == "");
  CHECK(hints({folder.path()}) == "2 kustomizations");
  CHECK(hints({folder.path("base/a.yaml")}) == "");
}

}  // namespace cnsched::cli::lint_test
