#include "cli/output/safe_text.h"
#include "testdata/support.h"

namespace cnsched::cli::safe_text_test {

TEST_CASE("a path in a URI is percent-encoded, byte by byte") {
  CHECK(uri_path("deploy/a-b_c.~1.yaml") == "deploy/a-b_c.~1.yaml");
  CHECK(uri_path("a b#c?d%e:f\\g") == "a%20b%23c%3Fd%25e%3Af%5Cg");
  CHECK(uri_path("ö\xff\n") == "%C3%B6%FF%0A");
  CHECK(uri_path("<stdin>") == "%3Cstdin%3E");
}

TEST_CASE("escapes Markdown, HTML and links") {
  CHECK(markdown_text("a|b `c` *d* _e_ ~f~") == R"(a\|b \`c\` \*d\* \_e\_ \~f\~)");
  CHECK(markdown_text("<img src=x> &lt; [a](b) ![c](d)") ==
        R"(\<img src=x\> \&lt; \[a\](b) !\[c\](d))");
  CHECK(markdown_text(R"(\| # $x$ @me)") == R"(\\\| \# \$x\$ \@me)");
  CHECK(markdown_text("https://evil.example WWW.evil.example") ==
        R"(https\://evil.example WWW\.evil.example)");
}

TEST_CASE("does not change text without markup") {
  const std::string text = "'nvidia.com/gpu' requests 1: größe (see above), svc.yaml:3";
  CHECK(markdown_text(text) == text);
}

/// An element with `text` in it and in an attribute, without the declaration.
std::string element(std::string_view text) {
  std::ostringstream out;
  XmlWriter xml(out);
  xml.text("a", {{"b", std::string(text)}}, text);
  return out.str().substr(out.str().find('\n') + 1);
}

TEST_CASE("writes nested elements, one per line") {
  std::ostringstream out;
  XmlWriter xml(out);
  xml.open("a", {{"x", "1"}, {"y", "2"}});
  xml.empty("b", {});
  xml.text("c", {}, "text");
  xml.close();
  CHECK(out.str() ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<a x=\"1\" y=\"2\">\n  <b/>\n  <c>text</c>\n</a>\n");
}

TEST_CASE("a text cannot end an element or an attribute") {
  CHECK(element("]]>") == "<a b=\"]]&gt;\">]]&gt;</a>\n");
  CHECK(element("</a>\"'&lt;") ==
        "<a b=\"&lt;/a&gt;&quot;&apos;&amp;lt;\">&lt;/a&gt;&quot;&apos;&amp;lt;</a>\n");
  CHECK(element("größe 日本 😀") == "<a b=\"größe 日本 😀\">größe 日本 😀</a>\n");
}

TEST_CASE("keeps lines of a text, and escapes them in an attribute") {
  CHECK(element("1\n2") == "<a b=\"1\\x0a2\">1\n2</a>\n");
  CHECK(element("\n\n") == "<a b=\"\\x0a\\x0a\">\n\n</a>\n");
}

TEST_CASE("escapes or omits characters that are invalid in XML or control a terminal") {
  using namespace std::string_view_literals;
  CHECK(element("\x1b[31m\0\xff"sv) == "<a b=\"\\x1b[31m\\x00\\xff\">\\x1b[31m\\x00\\xff</a>\n");
  CHECK(element("\u202e\u2066") == "<a b=\"\\u{202e}\\u{2066}\">\\u{202e}\\u{2066}</a>\n");
  CHECK(element("a\uFFFE\uFFFFb") == "<a b=\"ab\">ab</a>\n");
}

}  // namespace cnsched::cli::safe_text_test
