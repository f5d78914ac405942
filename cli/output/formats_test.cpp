#include "cli/output/output.h"
#include "core/base/text.h"
#include "testdata/reported.h"
#include "testdata/support.h"

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

/// The excerpt of the first `marked` in `text`.
Excerpt excerpt(const std::string& text, const std::string& marked, std::size_t width = 80) {
  const SourceFile file(0, "a.yaml", text);
  const std::size_t at = text.find(marked);
  REQUIRE(at != std::string::npos);
  const auto begin = static_cast<std::uint32_t>(at);
  return excerpt_of(file, {0, begin, begin + static_cast<std::uint32_t>(marked.size())}, width);
}

/// The text above the carets. It is ASCII except the ellipsis before it.
std::string above_carets(const Excerpt& excerpt) {
  std::string text = excerpt.text;
  constexpr std::string_view kEllipsis = "…";
  for (std::size_t at = text.find(kEllipsis); at != std::string::npos; at = text.find(kEllipsis)) {
    text.replace(at, kEllipsis.size(), "~");
  }
  return text.substr(excerpt.caret, excerpt.caret_size);
}

TEST_CASE("the line of a span is shown, with carets below the span") {
  const Excerpt shown = excerpt("a: 1\nkey: value\n", "value");
  CHECK(shown.line == 2);
  CHECK(shown.text == "key: value");
  CHECK(shown.caret == 5);
  CHECK(shown.caret_size == 5);
}

TEST_CASE("shows the first line of a span over several lines") {
  const Excerpt shown = excerpt("a:\n  b: 1\n  c: 2\n", "b: 1\n  c: 2");
  CHECK(shown.line == 2);
  CHECK(shown.text == "  b: 1");
  CHECK(above_carets(shown) == "b: 1");
}

TEST_CASE("an empty span has one caret, at the end of the file too") {
  const SourceFile file(0, "a.yaml", "key:\n");
  const Excerpt shown = excerpt_of(file, {0, 4, 4}, 80);
  CHECK(shown.text == "key:");
  CHECK(shown.caret == 4);
  CHECK(shown.caret_size == 1);
  CHECK(excerpt_of(file, {0, 5, 5}, 80).caret_size == 1);
  CHECK(excerpt_of(SourceFile(0, "", ""), {0, 0, 0}, 80).text.empty());
}

TEST_CASE("line ends are not shown") {
  CHECK(excerpt("key: a\r\nb: c\r\n", "a").text == "key: a");
  CHECK(excerpt("key: a\rb: c\r", "c").text == "b: c");
}

TEST_CASE("tabs are shown as blanks, and the carets keep their place") {
  const Excerpt shown = excerpt("\tkey:\tvalue\n", "value");
  CHECK(shown.text == "    key:    value");
  CHECK(above_carets(shown) == "value");
}

TEST_CASE("wide and combining characters occupy the right number of columns") {
  CHECK(excerpt("# 日本 gpu\n", "gpu").caret == 7);
  CHECK(excerpt("'日本': x\n", "日本").caret_size == 4);
  CHECK(excerpt("e\xCC\x81: x\n", "x").caret == 3);
}

TEST_CASE("control characters and broken UTF-8 are shown as escapes") {
  const Excerpt shown = excerpt("a: \x1b[31mred\x07 \xff\n", "red");
  CHECK(shown.text == "a: \\x1b[31mred\\x07 \\xff");
  CHECK(above_carets(shown) == "red");
  CHECK(excerpt("a: \xE2\x80\xAE x\n", "x").text == "a: \\u{202e} x");
  CHECK_FALSE(has(excerpt("a: \xC2\x9B x\n", "x").text, "\xC2\x9B"));
}

TEST_CASE("a byte order mark is not shown and takes no column") {
  const Excerpt shown = excerpt("\xEF\xBB\xBFkey: value\n", "key");
  CHECK(shown.text == "key: value");
  CHECK(shown.caret == 0);
  CHECK(above_carets(shown) == "key");
}

TEST_CASE("a long line is cropped around the span") {
  const std::string filler(500, 'x');
  for (const std::string& text :
       {"HERE" + filler, filler + "HERE", filler + "HERE" + filler, "a" + filler + "HERE"}) {
    for (const std::size_t width : {20U, 40U, 80U, 117U}) {
      CAPTURE(width);
      const Excerpt shown = excerpt(text, "HERE", width);
      CHECK(display_width(shown.text) <= width);
      CHECK(above_carets(shown) == "HERE");
      CHECK(has(shown.text, "…"));
    }
  }
}

TEST_CASE("a line that just fits is not cropped") {
  const std::string text = std::string(76, 'x') + "HERE";
  CHECK(excerpt(text, "HERE", 80).text == text);
  CHECK(excerpt(text, "HERE", 79).text.starts_with("…"));
}

TEST_CASE("carets end where the cropped line ends") {
  const std::string text = "a: " + std::string(500, 'y');
  const Excerpt shown = excerpt(text, std::string(500, 'y'), 40);
  CHECK(shown.caret == 3);
  CHECK(shown.caret + shown.caret_size <= 40);
}

TEST_CASE("a cut through a wide character or an escape does not move the carets") {
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "日";
  for (const std::string& prefix : {wide, "a" + wide, std::string(60, '\x01'), "b" + wide + "\t"}) {
    for (std::size_t width = 20; width < 30; ++width) {
      CAPTURE(width);
      const Excerpt shown = excerpt(prefix + "HERE" + wide, "HERE", width);
      CHECK(display_width(shown.text) <= width);
      const std::size_t here = shown.text.find("HERE");
      REQUIRE(here != std::string::npos);
      CHECK(display_width(std::string_view(shown.text).substr(0, here)) == shown.caret);
    }
  }
}

}  // namespace cnsched::cli::formats_test
