#include "cli/output/message_text.h"
#include "testdata/support.h"

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
  const Diagnostic finding{.rule = "r", .message = "wrong\x1b", .help = "mend\nit"};
  CHECK(message_text(finding, "; ") == "wrong\\x1b; help: mend\\x0ait");
  CHECK(message_text({.rule = "r", .message = "wrong"}, "; ") == "wrong");
}

}  // namespace cnsched::cli::message_text_test
