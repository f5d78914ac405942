#include "cli/output/output.h"
#include "core/base/text.h"
#include "testdata/reported.h"

namespace cnsched::cli::formats_test {

/// A hostile name or value: ends of lines, of XML, of JSON and of workflow commands, terminal
/// escape sequences, bidirectional controls, bytes that are not UTF-8.
const std::string kHostile =
    "a\n::error::forged\r\n]]>\"'<&>\\ \x1b[31m\xC2\x9B"
    "1m\u202e\u2066\u2028|`%0A::set-output,b:c [x](y) ::add-mask::m ##vso[task.x]\xff\xC3";

/// The same as a double-quoted YAML scalar, with NUL, but without "<…>", which is a placeholder.
const std::string kHostileScalar =
    R"("a\n::error::forged\r\n]]>\"'<&\\ \x1b[31m\x9b1m\u202e\u2066\u2028|`%0A::b [x](y) ::add-mask::m ##vso[task.x]\0")";

Reported hostile() {
  Reported reported("deploy/" + kHostile + ".yaml", rejected_pod(kHostileScalar, kHostileScalar));
  REQUIRE(reported.findings.size() == 1);
  Diagnostic& finding = reported.findings.front();
  finding.rendered_from = kHostile;
  finding.suppression = Suppression{Suppression::By::comment, printable(kHostile)};
  finding.fix =
      Fix{.title = printable(kHostile), .document = &reported.workspace().documents()[0]->document};
  return reported;
}

/// Whether the text is UTF-8 and, except line ends, contains no control characters.
bool is_harmless(std::string text) {
  std::erase(text, '\n');
  return printable(text) == text;
}

/// Whether every element of the XML is closed, and no text contains '<'.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    std::size_t end = at + 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return false;
    }
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  return open.empty() && !has(xml, "]]>");
}

TEST_CASE("hostile names and values are escaped in every format") {
  const Reported reported = hostile();
  for (const Format& format : all_formats()) {
    CAPTURE(format.name);
    const std::string text = reported.as(format.name);
    CHECK(has(text, "invalid-toleration"));
    if (format.name == "json" || format.name == "sarif" || format.name == "gitlab") {
      CHECK(
          std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); }));
    } else if (format.name == "github") {
      CHECK(text.starts_with("::error "));
      CHECK(is_harmless(text.substr(2)));
    } else {
      CHECK(is_harmless(text));
    }
  }
}

TEST_CASE("hostile names and values keep JSON and XML valid") {
  const Reported reported = hostile();
  for (const std::string format : {"json", "sarif", "gitlab"}) {
    CAPTURE(format);
    CHECK(nlohmann::json::accept(reported.as(format)));
  }
  CHECK(reported.json("sarif")["runs"][0]["results"].size() == 1);
  CHECK(reported.json("gitlab").size() == 1);
  for (const std::string format : {"junit", "checkstyle"}) {
    CAPTURE(format);
    CHECK(is_well_formed(reported.as(format)));
  }
}

TEST_CASE("hostile names and values do not begin a line of a line-based report") {
  const Reported reported = hostile();
  for (const std::string format : {"concise", "github"}) {
    CAPTURE(format);
    CHECK(std::ranges::count(reported.as(format), '\n') == 1);
  }
  const std::string pretty = reported.as("pretty");
  for (const std::string_view line : split(pretty, '\n')) CHECK_FALSE(line.starts_with("::error"));
}

TEST_CASE("a report without findings is complete in every format") {
  const Reported reported("good.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n");
  CHECK(reported.findings.empty());
  for (const std::string format : {"pretty", "concise", "github"}) {
    CAPTURE(format);
    CHECK(reported.as(format).empty());
  }
  CHECK(reported.as("gitlab") == "[]\n");
  CHECK(reported.as("checkstyle") ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n"
        "</checkstyle>\n");
  CHECK(has(reported.as("junit"), "<testcase name=\"Pod p\" classname=\"v1/Pod\""));
  const auto run = reported.json("sarif")["runs"][0];
  CHECK(run["results"] == nlohmann::json::array());
  CHECK(run["tool"]["driver"]["rules"].size() == 1);
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("formats without suppressions omit suppressed findings") {
  const Reported reported = hostile();
  for (const Format& format : all_formats()) {
    CAPTURE(format.name);
    std::ostringstream out;
    write_as(format, reported.outcome(), {}, out);
    CHECK(has(out.str(), "toleration") == format.shows_suppressed);
  }
}

TEST_CASE("the same findings result in the same bytes") {
  for (const Format& format : all_formats()) {
    CAPTURE(format.name);
    CHECK(hostile().as(format.name) == hostile().as(format.name));
  }
}

TEST_CASE("rejects an unknown format and suggests the nearest") {
  CHECK(find_format("sarf") == nullptr);
  CHECK(unknown_format("sarf") ==
        "no format is called 'sarf', did you mean 'sarif'? (pretty, concise, json, sarif, github, "
        "gitlab, junit or checkstyle)");
  CHECK(has(unknown_format("\x1b"), "'\\x1b'"));
}

}  // namespace cnsched::cli::formats_test
