#include "rules/page.h"
#include "rules/admission/admission_check.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::rules::page_test {

constexpr std::string_view kPage = R"(# a mistake

Details that continue
on the next line.

More.

## Why it matters

The pod stays Pending.

## Limits

None.

## Example

```diff
 a: 1
-b: 2
+b: 3

+c: 4
```

## In the cluster

Not exported: it depends on
other objects.

## Source

https://example.com/
)";

Page read(const std::string& text) { return read_page({"rules/x/a-rule.md", text}); }

/// The page with one part replaced.
std::string with(std::string_view part, std::string_view replacement) {
  std::string text(kPage);
  return text.replace(text.find(part), part.size(), replacement);
}

AdmissionCheck check_of(std::string_view text) {
  return read_admission_check({"rules/x/a-rule.cel", text});
}

TEST_CASE("a page has one text under each heading") {
  const Page page = read(std::string(kPage));
  CHECK(page.summary == "a mistake");
  CHECK(page.details == "Details that continue on the next line.\n\nMore.");
  CHECK(page.why == "The pod stays Pending.");
  CHECK(page.limits == "None.");
  CHECK(page.bad == "\na: 1\nb: 2\n\n");
  CHECK(page.good == "\na: 1\nb: 3\n\nc: 4\n");
  CHECK(page.not_exported == "it depends on other objects");
  CHECK(page.source == "https://example.com/");
  const Page shorter =
      read(with("## In the cluster\n\nNot exported: it depends on\nother objects.\n\n", ""));
  CHECK(shorter.not_exported.empty());
  CHECK(read(with("Details that continue\non the next line.\n\nMore.\n\n", "")).details.empty());
  CHECK(shorter.source == page.source);
}

TEST_CASE("a page without its headings in their order is an error that names the place") {
  const auto fails = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(read(text), message.c_str(), std::logic_error);
  };
  fails("", "rules/x/a-rule.md: '#' is missing at ''");
  fails(with("## Limits\n\nNone.\n\n", ""),
        "rules/x/a-rule.md: '## Limits' is missing at '## Example'");
  fails(with("## Limits", "## Limit"), "rules/x/a-rule.md: '## Limits' is missing at '## Limit'");
  fails(with("## Source", "## Sources"),
        "rules/x/a-rule.md: '## Source' is missing at '## Sources'");
  fails(with("## Limits", "## Also\n\nMore.\n\n## Limits"),
        "rules/x/a-rule.md: '## Limits' is missing at '## Also'");
  fails(std::string(kPage) + "\n## Fix\n", "rules/x/a-rule.md: '## Fix' is not a heading of pages");
  fails(with("```diff", "```yaml"), "rules/x/a-rule.md: the example is not a block '```diff'");
  fails(with(" a: 1", "a: 1"), "rules/x/a-rule.md: 'a: 1' does not begin with ' ', '-' or '+'");
  fails(with("Not exported: ", ""),
        "rules/x/a-rule.md: 'it depends on\nother objects.' is not of the form 'Not exported: "
        "REASON.'");
}

TEST_CASE("the file of expressions names its parts") {
  const AdmissionCheck check = check_of(
      "// of: object\n// kinds: Node Pod\n// without: a\n// errors:\n[]\n  + []\n// "
      "infos:\n['//']\n");
  CHECK(check.of == AdmissionCheck::Of::object);
  CHECK(check.kinds == "Node Pod");
  CHECK(check.without == "a");
  CHECK(check.errors == "[]\n  + []");
  CHECK(check.warnings.empty());
  CHECK(check.infos == "['//']");
  CHECK_THROWS_WITH_AS(check_of("// errors:\n[]\n// note: b\n[]"),
                       "rules/x/a-rule.cel: unknown '// note: b'", std::logic_error);
  CHECK_THROWS_WITH_AS(check_of("//errors:\n[]\n"), "rules/x/a-rule.cel: unknown '//errors:'",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(check_of("[]\n"), "rules/x/a-rule.cel: unknown '[]'", std::logic_error);
}

TEST_CASE("every rule has a page beside its code, and every page and expression a rule") {
  std::set<std::string> expected;
  for (const Listed& listed : all_rules()) {
    const std::string file = fmt::format("{}/{}", listed.group, listed.rule->id);
    expected.insert(file + ".md");
    if (admission_of(*listed.rule) != nullptr) expected.insert(file + ".cel");
  }
  std::set<std::string> found;
  const std::string root = project_file("rules/");
  for (const std::string& path : files_below(root, {".md", ".cel"})) {
    const std::string file = path.substr(root.size());
    if (!file.starts_with("admission/cel/")) found.insert(file);
  }
  CHECK(found == expected);
}

}  // namespace cnsched::rules::page_test
