#include "rules/engine/suppress.h"
#include "core/yaml/change.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::suppress_test {

using Files = std::vector<MemoryFile>;

/// Findings of the rules under test: "4 invalid-toleration", followed by "(by comment: why)" if
/// suppressed, then by the notes.
std::vector<std::string> found_in(const Files& files, const SuppressionSettings& options = {}) {
  const auto workspace = workspace_of(files);
  const auto selection = Selection::from(
      {.select = {"invalid-toleration,toleration-of-everything,node-name-pin,yaml-syntax,ignore"}});
  std::vector<std::string> result;
  for (const Diagnostic& d : run(*workspace, *selection, all_rules(), options).findings) {
    std::string text =
        fmt::format("{} {}", workspace->file_of(d.where).position(d.where.begin).line, d.rule);
    if (d.suppression) {
      const bool comment = d.suppression->by == Suppression::By::comment;
      text +=
          fmt::format(" (by {}: {})", comment ? "comment" : "annotation", d.suppression->reason);
      CHECK_FALSE(d.fix);
    }
    for (const Note& note : d.notes) text += " + " + note.message;
    result.push_back(std::move(text));
  }
  return result;
}

/// A pod with two bad tolerations, on lines 6 and 7; lines may be added.
std::string commented_pod(const std::string& above = "", const std::string& after = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" + above +
         "  tolerations:\n  - {key: a, operator: exists}" + after +
         "\n  - {key: b, operator: exists}\n  containers: [{name: c, image: x}]\n";
}

using Lines = std::vector<std::string>;

/// The text after all fixes of the rules about suppressions, applied one at a time.
std::string fixed(std::string text) {
  for (int pass = 0; pass < 20; ++pass) {
    const auto workspace = workspace_of({{"a.yaml", text}});
    const auto selection = Selection::everything();
    const auto findings = run(*workspace, selection).findings;
    const auto fixed = std::ranges::find_if(
        findings, [](const Diagnostic& d) { return d.fix && d.rule.starts_with("ignore-"); });
    if (fixed == findings.end()) return text;
    CHECK(fixed->fix->safety == Safety::safe);
    const auto edits = yaml::edits_for(workspace->file_of(fixed->where), *fixed->fix->document,
                                       fixed->fix->changes);
    REQUIRE_MESSAGE(edits, (edits ? "" : edits.error().message));
    text = cnsched::apply(text, *edits);
  }
  return "never done";
}

TEST_CASE("applies a comment on its own line to the entry or item below it") {
  CHECK(found_in({{"a.yaml", commented_pod()}}) ==
        Lines{"6 invalid-toleration", "7 invalid-toleration"});
  CHECK(
      found_in({{"a.yaml",
                 commented_pod("  # cnsched: ignore=invalid-toleration -- ours\n\n  # more\n")}}) ==
      Lines{"9 invalid-toleration (by comment: ours)", "10 invalid-toleration (by comment: ours)"});
  CHECK(found_in({{"a.yaml", commented_pod("", "\n  # cnsched: ignore=toleration -- ours")}}) ==
        Lines{"6 invalid-toleration", "8 invalid-toleration (by comment: ours)"});
}

TEST_CASE("applies a comment above the first entry of a document to the document") {
  const std::string above = "# cnsched: ignore=all -- ours\n";
  CHECK(found_in({{"a.yaml", above + "---\n" + commented_pod() + "---\n" + commented_pod()}}) ==
        Lines{"8 invalid-toleration (by comment: ours)", "9 invalid-toleration (by comment: ours)",
              "17 invalid-toleration", "18 invalid-toleration"});
}

TEST_CASE("applies a comment at the end of a line to that line") {
  CHECK(
      found_in({{"a.yaml", commented_pod("", "  # cnsched: ignore=invalid-toleration -- ours")}}) ==
      Lines{"6 invalid-toleration (by comment: ours)", "7 invalid-toleration"});
  CHECK(found_in({{"a.yaml",
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                   "spec:  # cnsched: ignore=invalid-toleration -- ours\n"
                   "  tolerations:\n  - {key: a, operator: exists}\n"}}) ==
        Lines{"4 ignore-unused", "6 invalid-toleration"});
}

TEST_CASE("uses only the nearest of several suppressions") {
  const std::string outer = "  # cnsched: ignore=invalid-toleration -- outer\n";
  const std::string inner = "  # cnsched: ignore=invalid-toleration -- inner";
  CHECK(found_in({{"a.yaml", commented_pod(outer, inner)}}) ==
        Lines{"7 invalid-toleration (by comment: inner)",
              "8 invalid-toleration (by comment: outer)"});
  CHECK(found_in({{"a.yaml", commented_pod(outer + outer)}}) ==
        Lines{"6 ignore-unused", "8 invalid-toleration (by comment: outer)",
              "9 invalid-toleration (by comment: outer)"});
}

TEST_CASE("applies ignore-file to the whole file, if it is above everything else") {
  const std::string line = "# cnsched: ignore-file=invalid-toleration -- ours\n";
  for (const std::string& top : {line, "\xEF\xBB\xBF" + line, "# other\n\n" + line + "---\n",
                                 "%YAML 1.1\n" + line + "---\n", "--- " + line, "---\n" + line}) {
    CAPTURE(top);
    for (const std::string& found :
         found_in({{"a.yaml", top + commented_pod() + "---\n" + commented_pod()}})) {
      CHECK(has(found, "(by comment: ours)"));
    }
  }
  CHECK(
      found_in({{"a.yaml", commented_pod() + line}, {"b.yaml", line}}) ==
      Lines{"6 invalid-toleration", "7 invalid-toleration", "9 ignore-unknown", "1 ignore-unused"});
}

TEST_CASE("suppresses invalid YAML for the whole file") {
  const std::string broken = "apiVersion: v1\nkind: Pod\nspec: {a: [}\n";
  CHECK(found_in({{"a.yaml", "# cnsched: ignore-file=yaml-syntax -- an example\n" + broken}}) ==
        Lines{"4 yaml-syntax (by comment: an example) + opened here"});
  CHECK(found_in({{"a.yaml", "# cnsched: ignore-file=yaml-sintax -- a slip\n" + broken}}) ==
        Lines{"1 ignore-unknown", "4 yaml-syntax + opened here"});
  // Whether this suppression is used cannot be decided.
  CHECK(found_in({{"a.yaml", "# cnsched: ignore-file=node-name-pin -- later\n" + broken}}) ==
        Lines{"4 yaml-syntax + opened here"});
}

TEST_CASE("applies an annotation to its object or component") {
  const std::string service = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment{}
spec:
  predictor:{}
    tolerations:
    - {{key: a, operator: exists}}
    model: {{modelFormat: {{name: onnx}}}}
  transformer:
    tolerations:
    - {{key: b, operator: exists}}
    containers: [{{name: t, image: x}}]
)";
  CHECK(found_in(
            {{"a.yaml", fmt::format(fmt::runtime(service),
                                    "\n    cnsched/ignore: 'node-name-pin, toleration'", "")}}) ==
        Lines{"7 ignore-unused", "11 invalid-toleration (by annotation: )",
              "15 invalid-toleration (by annotation: )"});
  CHECK(found_in(
            {{"a.yaml", fmt::format(fmt::runtime(service), "",
                                    "\n    annotations: {cnsched/ignore: invalid-toleration}")}}) ==
        Lines{"11 invalid-toleration (by annotation: )", "15 invalid-toleration"});
}

TEST_CASE("applies an annotation of a pod template to the pod") {
  CHECK(found_in({{"a.yaml", R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  template:
    metadata: {annotations: {cnsched/ignore: invalid-toleration}}
    spec:
      tolerations: [{key: a, operator: exists}]
      containers: [{name: c, image: x}]
)"}}) == Lines{"8 invalid-toleration (by annotation: )"});
}

TEST_CASE("applies a suppression until its last day, then adds a note to the finding") {
  const std::string text =
      commented_pod("  # cnsched: ignore=toleration until=2026-06-30 -- soon\n");
  const auto on = [&](std::string_view day) {
    return found_in({{"a.yaml", text}}, {.today = day_named(day)}).front();
  };
  CHECK(on("2026-06-30") == "7 invalid-toleration (by comment: soon)");
  CHECK(on("2026-07-01") == "7 invalid-toleration + this suppression expired on 2026-06-30");
  CHECK(found_in({{"a.yaml", text}}).front() == "7 invalid-toleration (by comment: soon)");
}

TEST_CASE("an expired suppression does not replace a valid one and counts as used") {
  const std::string old = "  # cnsched: ignore=invalid-toleration until=2020-01-01 -- old\n";
  const std::string other = "  # cnsched: ignore=invalid-toleration -- new\n";
  const SuppressionSettings now = {.today = day_named("2026-01-01")};
  CHECK(found_in({{"a.yaml", commented_pod(old + other)}}, now) ==
        Lines{"5 ignore-unused", "8 invalid-toleration (by comment: new)",
              "9 invalid-toleration (by comment: new)"});
  CHECK(found_in({{"a.yaml", commented_pod(old)}}, now).size() == 2);
}

TEST_CASE("ignores valid and invalid inline suppressions if they are disabled") {
  CHECK(found_in({{"a.yaml", commented_pod("  # cnsched: ignore=invalid-toleration,x -- ours\n")}},
                 {.inline_ignores = false}) ==
        Lines{"7 invalid-toleration", "8 invalid-toleration"});
}

TEST_CASE("reports an unused suppression only for rules that run and depend on the manifest only") {
  const auto unused = [](const std::string& name) {
    const Lines found =
        found_in({{"a.yaml", fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n"
                                         "  # cnsched: ignore={} -- why\n  containers: []\n",
                                         name)}});
    return found == Lines{"5 ignore-unused"};
  };
  CHECK(unused("node-name-pin"));
  CHECK_FALSE(unused("duplicate-key"));                // not selected
  CHECK_FALSE(unused("toleration"));                   // nor are all of these
  CHECK_FALSE(unused("toleration-without-selector"));  // needs other files
  CHECK_FALSE(unused("all"));
}

TEST_CASE("does not read suppressions in files that only give facts") {
  CHECK(found_in({{"a.yaml", commented_pod("  # cnsched: ignore=what\n"), false}}).empty());
}

TEST_CASE("ignore-file hides findings about other suppressions, but not about itself") {
  const std::string unused = "  # cnsched: ignore=node-name-pin -- why\n";
  CHECK(found_in({{"a.yaml", "# cnsched: ignore-file=ignore -- later\n" + commented_pod(unused)}})
            .front() == "6 ignore-unused (by comment: later)");
  CHECK(
      found_in({{"a.yaml", commented_pod("  # cnsched: ignore=ignore,nothing -- why\n")}}) ==
      Lines{"5 ignore-unused", "5 ignore-unknown", "7 invalid-toleration", "8 invalid-toleration"});
  CHECK(found_in({{"a.yaml", "# cnsched: ignore-file=ignore-unknown,nothing -- why\n"}}) ==
        Lines{"1 ignore-unknown"});
}

TEST_CASE("removes an unused name, comment, line or annotation") {
  const std::string found = "invalid-toleration";
  const auto line = [](const std::string& names) {
    return commented_pod("  # cnsched: ignore=" + names + " -- why\n");
  };
  CHECK(fixed(line(found + ",node-name-pin")) == line(found));
  CHECK(fixed(line("node-name-pin," + found)) == line(found));
  CHECK(fixed(line("node-name-pin,invalid-taint," + found + ",nothing")) == line(found));
  CHECK(fixed(line("node-name-pin,invalid-taint")) == commented_pod());
  CHECK(fixed(commented_pod("", "  # cnsched: ignore=node-name-pin -- why")) == commented_pod());
  CHECK(fixed(commented_pod("", "  # Ours.  # cnsched: ignore=node-name-pin -- why")) ==
        commented_pod("", "  # Ours."));
  CHECK(fixed("\xEF\xBB\xBF# cnsched: ignore-file=node-name-pin -- why\r\n" + commented_pod()) ==
        "\xEF\xBB\xBF" + commented_pod());
  CHECK(fixed(commented_pod() + "# cnsched: ignore=node-name-pin -- why") == commented_pod());
}

TEST_CASE("removes names from an annotation, and the annotation with the last name") {
  const auto with = [](const std::string& annotations) {
    return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n" + annotations +
           "spec:\n  tolerations:\n  - {key: a, operator: exists}\n";
  };
  const std::string head = "  annotations:\n    cnsched/ignore: ";
  CHECK(fixed(with(head + "'invalid-toleration, node-name-pin'\n")) ==
        with(head + "'invalid-toleration'\n"));
  CHECK(fixed(with(head + "node-name-pin\n    other: x\n")) ==
        with("  annotations:\n    other: x\n"));
  CHECK(fixed(with(head + "node-name-pin\n")) == with(""));
}

TEST_CASE("corrects a misspelled name instead of removing it") {
  CHECK(fixed(commented_pod("  # cnsched: ignore=invalid-tolerations -- why\n")) ==
        commented_pod("  # cnsched: ignore=invalid-toleration -- why\n"));
  CHECK(fixed(commented_pod("  # cnsched: ignore=nothing-known -- why\n")) == commented_pod());
}

TEST_CASE("handles many suppressions above one place quickly") {
  std::string above;
  for (int i = 0; i < 20'000; ++i) above += "# cnsched: ignore=invalid-toleration -- x\n";
  std::string below;
  for (int i = 0; i < 20'000; ++i) below += "  - {key: a, operator: exists}\n";
  const auto workspace =
      workspace_of({{"a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" + above +
                                   "  tolerations:\n" + below}});
  const auto selection = Selection::from({.select = {"invalid-toleration,ignore"}});
  const auto findings = run(*workspace, *selection).findings;
  CHECK(findings.size() == 20'000 + 19'999);
  CHECK(std::ranges::count_if(
            findings, [](const Diagnostic& d) { return d.suppression.has_value(); }) == 20'000);
}

}  // namespace cnsched::rules::suppress_test
