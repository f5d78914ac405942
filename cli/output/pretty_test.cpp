#include "cli/output/output.h"

#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli::excerpt_test {

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

}  // namespace cnsched::cli::excerpt_test
