#include "cli/output/rule_page.h"
#include "core/base/text.h"
#include "rules/page.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::cli::rule_page_test {

using Ids = std::vector<std::string_view>;

Ids related_to(std::string_view id) { return related_rules(*rules::find_rule(id)->rule); }

bool has(const Ids& ids, std::string_view id) { return std::ranges::find(ids, id) != ids.end(); }

/// The lines outside fenced blocks that begin with '#'.
Ids headings_of(std::string_view markdown) {
  Ids headings;
  bool fenced = false;
  for (const std::string_view line : split(markdown, '\n')) {
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced && line.starts_with('#')) headings.push_back(line);
  }
  CHECK_FALSE(fenced);
  return headings;
}

TEST_CASE("the Markdown page of every rule has one title and the same headings") {
  for (const rules::Listed& listed : rules::all_rules()) {
    const std::string id(listed.rule->id);
    CAPTURE(id);
    const Ran ran = run_program({"explain", "--format", "markdown", id});
    CHECK(ran.exit == 0);
    CHECK(ran.err == "");
    const std::string title = "# " + id;
    CHECK(headings_of(ran.out) == Ids{title, "## What it reports", "## Why it matters", "## Limits",
                                      "## Wrong", "## Right", "## How it is reported", "## Fix",
                                      "## In the cluster", "## Related rules", "## Source"});
    CHECK(test::has(ran.out, "[" + id + "]:"));
  }
}

TEST_CASE("a page shows the expressions of an exported rule with --cel only") {
  const auto page = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    return test::run_program(arguments).out;
  };
  const std::string short_page = page({"invalid-toleration"});
  CHECK(test::has(short_page, "'cnsched export vap' exports the rule."));
  CHECK_FALSE(test::has(short_page, "pod.tolerations"));
  CHECK(test::has(page({"--cel", "invalid-toleration"}), "errors: |-"));
  CHECK(test::has(page({"--cel", "--format", "markdown", "invalid-toleration"}), "errors: |-"));
  CHECK(page({"--cel", "yaml-syntax"}) == page({"yaml-syntax"}));
}

TEST_CASE("a Markdown page shows examples and output as blocks, and rules as code") {
  const std::string page =
      run_program({"explain", "--format", "markdown", "knative-feature-disabled"}).out;
  CHECK(page.starts_with("# knative-feature-disabled\n\nSeverity error, group knative.\n\n"));
  CHECK(test::has(page, "\n## Wrong\n\n```yaml\n"));
  CHECK(test::has(page, "\n## How it is reported\n\n```text\nerror[knative-feature-disabled]: "));
  CHECK(test::has(page, "\n## Related rules\n\n`deployment-mode-unknown`, "));
  CHECK(test::has(page, "\n## Source\n\n<https://"));
}

TEST_CASE("related rules are those that a page names, then those that name it") {
  const Ids ids = related_to("gpu-toleration-missing");
  REQUIRE(ids.size() >= 2);
  CHECK(ids[0] == "toleration-value-trap");
  CHECK(ids[1] == "runtime-toleration-replaced");
  CHECK(has(related_to("runtime-toleration-replaced"), "gpu-toleration-missing"));
}

TEST_CASE("related rules are filled up with the nearest of the group") {
  CHECK(related_to("self-selector-labels") ==
        Ids{"node-name-pin", "preferred-only-pin", "accelerator-mismatch"});
  CHECK(related_to("ignore-unused") == Ids{"ignore-unknown"});
}

TEST_CASE("every rule has related rules, each once, and is not related to itself") {
  for (const rules::Listed& listed : rules::all_rules()) {
    const Ids ids = related_rules(*listed.rule);
    CAPTURE(std::string(listed.rule->id));
    CHECK_FALSE(ids.empty());
    CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
    CHECK_FALSE(has(ids, listed.rule->id));
    for (const std::string_view id : ids) CHECK(rules::find_rule(id) != nullptr);
  }
}

TEST_CASE("the page in reports names related rules, without a title") {
  const std::string page = markdown_rule_page(*rules::find_rule("ignore-unused")->rule);
  CHECK(page.starts_with("**What it reports**\n\n"));
  CHECK(test::has(page, "\n**Related rules**\n\n`ignore-unknown`\n"));
  CHECK(headings_of(page).empty());
}

TEST_CASE("help links lead to the site if there is one, else to the source of the rule") {
  const rules::Rule& rule = *rules::find_rule("invalid-toleration")->rule;
  CHECK(help_link(rule, "https://docs.example.invalid/cnsched") ==
        "https://docs.example.invalid/cnsched/rules/invalid-toleration/");
  CHECK(help_link(rule, "") == rules::page_of(rule).source);
}

}  // namespace cnsched::cli::rule_page_test
