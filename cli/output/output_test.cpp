#include <nlohmann/json.hpp>

#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::cli::output_test {

/// The reports for one file.
struct Printed {
  Printed(const std::string& path, const std::string& text)
      : workspace(workspace_of({{path, text}})),
        findings(rules::run(*workspace, *rules::Selection::from({.select = {"invalid-toleration"}}))
                     .findings) {
    REQUIRE_FALSE(findings.empty());
  }

  std::string pretty(std::size_t width = 80, bool colored = false) const {
    std::ostringstream out;
    write_pretty({*workspace, findings}, width, colored, out);
    return out.str();
  }
  std::string concise() const {
    std::ostringstream out;
    write_concise({*workspace, findings}, false, out);
    return out.str();
  }
  std::string json() const {
    std::ostringstream out;
    write_json({*workspace, findings}, out);
    return out.str();
  }

  std::unique_ptr<Workspace> workspace;
  std::vector<Diagnostic> findings;
};

/// A pod with a toleration that the API server rejects, on line 6.
std::string pod(const std::string& name, const std::string& op) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  tolerations:\n  - {key: a, operator: " + op + "}\n";
}

/// Terminal escape sequences: ESC, CSI in eight bits, a bidirectional override.
const std::string kHostile =
    "\x1b[31mx\r\ny\xC2\x9B"
    "31m\xE2\x80\xAEz\x07";

/// Whether the text contains control characters other than line ends.
bool has_controls(const std::string& text) {
  for (const char c : text) {
    if (c != '\n' && static_cast<unsigned char>(c) < 0x20) return true;
  }
  return has(text, "\xC2\x9B") || has(text, "\xE2\x80\xAE") || has(text, '\x7f');
}

TEST_CASE("a finding is shown with its place, its line, its notes and its help") {
  const Printed printed("pod.yaml", pod("p", "exists"));
  CHECK(printed.pretty() ==
        "error[invalid-toleration]: invalid toleration operator 'exists': the API server\n"
        "  rejects the pod spec\n"
        " --> pod.yaml:6:24  Pod p\n"
        "  |\n"
        "6 |   - {key: a, operator: exists}\n"
        "  |                        ^^^^^^\n"
        "  = help: use Equal or Exists, did you mean 'Exists'?\n"
        "\n");
}

TEST_CASE("no line of a finding is wider than the terminal, except paths") {
  const Printed printed("pod.yaml", pod("p", std::string(300, 'x')));
  for (const std::size_t width : {60U, 80U, 120U}) {
    const std::string text = printed.pretty(width);
    for (const std::string_view line : split(text, '\n')) {
      if (has(line, "xxxx' is no") || has(line, "'xxxx")) {
        continue;  // a word that long cannot be wrapped
      }
      CAPTURE(std::string(line));
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("escapes a hostile file name") {
  const Printed printed("a" + kHostile + ".yaml", pod("p", "exists"));
  for (const std::string& text : {printed.pretty(), printed.concise(), printed.json()}) {
    CAPTURE(printable(text));
    CHECK_FALSE(has_controls(text));
  }
  CHECK(std::ranges::count(printed.concise(), '\n') == 1);
  CHECK(std::ranges::count(printed.pretty(), '\n') == 8);
}

TEST_CASE("escapes hostile values") {
  const std::string quoted = R"("\x1b[31mx\r\ny\x9b31m\u202ez\x07")";
  const Printed printed("pod.yaml", pod(quoted, quoted));
  for (const std::string& text : {printed.pretty(), printed.concise(), printed.json()}) {
    CAPTURE(printable(text));
    CHECK_FALSE(has_controls(text));
  }
  CHECK(std::ranges::count(printed.concise(), '\n') == 1);
}

TEST_CASE("JSON is ASCII and keeps names") {
  const std::string path = "größe-日本\xff.yaml";
  const Printed printed(path, pod("p", "exists"));
  const std::string text = printed.json();
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  CHECK(nlohmann::json::parse(text)["findings"][0]["file"] == "größe-日本\xEF\xBF\xBD.yaml");
}

TEST_CASE("describes a subject by kind, namespace, name and component") {
  CHECK(describe(Subject{}).empty());
  CHECK(describe(Subject{.kind = "Pod"}) == "Pod");
  CHECK(describe(Subject{.kind = "Pod", .name = "p"}) == "Pod p");
  CHECK(describe(Subject{.kind = "Pod", .ns = "n", .name = "p"}) == "Pod n/p");
  CHECK(describe(Subject{.kind = "InferenceService", .name = "p", .component = "worker"}) ==
        "InferenceService p, worker");
}

TEST_CASE("findings are counted by severity") {
  const Totals totals = totals_of({{.rule = "a", .severity = Severity::error},
                                   {.rule = "a", .severity = Severity::info},
                                   {.rule = "a", .severity = Severity::info}});
  CHECK(totals.errors == 1);
  CHECK(totals.warnings == 0);
  CHECK(totals.infos == 2);
}

}  // namespace cnsched::cli::output_test

namespace cnsched::cli::message_text_test {

/// "line:column-end" of the first line of a span.
std::string region(const std::string& text, std::uint32_t begin, std::uint32_t end) {
  const SourceFile file(0, "a.yaml", text);
  const Region region = region_of(file, {0, begin, end});
  return fmt::format("{}:{}-{}", region.line, region.column, region.end_column);
}

TEST_CASE("a region is the part of a span on its first line") {
  CHECK(region("a: bcd\ne: f\n", 3, 6) == "1:4-7");
  CHECK(region("a: bcd\ne: f\n", 3, 11) == "1:4-7");
  CHECK(region("a: bcd\r\ne: f\r\n", 3, 12) == "1:4-7");
  CHECK(region("a: bcd\re: f\r", 7, 11) == "2:1-5");
}

TEST_CASE("a region is at least a column wide") {
  CHECK(region("a:\nb: c\n", 2, 2) == "1:3-4");
  CHECK(region("a:\nb: c\n", 8, 8) == "3:1-2");
  CHECK(region("", 0, 0) == "1:1-2");
}

TEST_CASE("columns of a region are code points, and a byte order mark is none") {
  CHECK(region("\xEF\xBB\xBFgröße: 日本\n", 3, 10) == "1:1-6");
  CHECK(region("größe: 😀日本\n", 9, 19) == "1:8-11");
}

TEST_CASE("the help follows the message, printable") {
  const Diagnostic finding{.rule = "r", .message = "wrong\x1b", .help = "fix\nit"};
  CHECK(message_text(finding, "; ") == "wrong\\x1b; help: fix\\x0ait");
  CHECK(message_text({.rule = "r", .message = "wrong"}, "; ") == "wrong");
}

}  // namespace cnsched::cli::message_text_test

namespace cnsched::cli::statistics_test {

Diagnostic finding(std::string_view rule, Severity severity, std::optional<Safety> fix = {}) {
  Diagnostic result{.rule = rule, .severity = severity};
  if (fix) result.fix = Fix{.safety = *fix};
  return result;
}

std::string statistics_of(const std::vector<Diagnostic>& findings) {
  std::ostringstream out;
  write_statistics(findings, out);
  return out.str();
}

TEST_CASE("statistics count by rule and severity, the most frequent first, and what can be fixed") {
  Diagnostic hidden = finding("wrong-type", Severity::error);
  hidden.suppression = Suppression();
  CHECK(statistics_of({
            finding("wrong-type", Severity::error, Safety::safe),
            finding("deprecated-api", Severity::warning),
            finding("wrong-type", Severity::warning, Safety::unsafe),
            finding("wrong-type", Severity::error, Safety::unsafe),
            finding("deprecated-api", Severity::warning),
            finding("deprecated-api", Severity::warning),
            hidden,
        }) ==
        "  count  severity  rule            --fix  --unsafe-fixes\n"
        "      3  warning   deprecated-api\n"
        "      2  error     wrong-type          1               1\n"
        "      1  warning   wrong-type                          1\n");
}

TEST_CASE("statistics without findings are empty") { CHECK(statistics_of({}).empty()); }

}  // namespace cnsched::cli::statistics_test
