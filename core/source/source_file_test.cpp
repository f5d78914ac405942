#include "core/source/source_file.h"

#include "testdata/support.h"

namespace cnsched::source_file_test {

std::string place(const SourceFile& file, std::uint32_t offset) {
  const Position position = file.position(offset);
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

TEST_CASE("lines end with LF, CRLF or a lone CR") {
  const SourceFile file(0, "x", "a\nb\r\nc\rd");
  CHECK(file.line_count() == 4);
  CHECK(file.line(1) == "a");
  CHECK(file.line(2) == "b");
  CHECK(file.line(3) == "c");
  CHECK(file.line(4) == "d");
  CHECK(place(file, 7) == "4:1");
}

TEST_CASE("an empty file has one empty line, and a last line end begins another") {
  CHECK(SourceFile(0, "x", "").line_count() == 1);
  CHECK(SourceFile(0, "x", "").line(1).empty());
  CHECK(SourceFile(0, "x", "a\n").line_count() == 2);
  CHECK(SourceFile(0, "x", "a\n").line(2).empty());
}

TEST_CASE("positions count from one, columns in code points") {
  const SourceFile file(0, "x", "größe: x\n日本: y\n");
  CHECK(place(file, 0) == "1:1");
  CHECK(place(file, 9) == "1:8");
  CHECK(place(file, 11) == "2:1");
  CHECK(place(file, 19) == "2:5");
  CHECK(place(file, static_cast<std::uint32_t>(file.bytes().size())) == "3:1");
}

TEST_CASE("a byte order mark takes no column in the first line") {
  const SourceFile file(0, "x",
                        "\xEF\xBB\xBF"
                        "a: b\n\xEF\xBB\xBF"
                        "c\n");
  CHECK(place(file, 3) == "1:1");
  CHECK(place(file, 6) == "1:4");
  CHECK(place(file, 11) == "2:2");
}

TEST_CASE("the line of an offset contains its byte") {
  const SourceFile file(0, "x", "ab\ncd\n");
  CHECK(file.line_of(0) == 1);
  CHECK(file.line_of(2) == 1);
  CHECK(file.line_of(3) == 2);
  CHECK(file.line_of(6) == 3);
  CHECK(file.text({0, 3, 5}) == "cd");
}

TEST_CASE("counts columns of long lines across blocks") {
  std::string line;
  while (line.size() < 20000) line += "aé";
  const SourceFile file(0, "a.json", "first\n" + line + "x\n");
  const auto at = static_cast<std::uint32_t>(6 + line.size());
  CHECK(file.position(at).line == 2);
  CHECK(file.position(at).column == line.size() / 3 * 2 + 1);
}

}  // namespace cnsched::source_file_test

namespace cnsched::edit_test {

TEST_CASE("edits replace, insert and delete in any order") {
  CHECK(apply("abcdef", {{{0, 4, 5}, ""}, {{0, 1, 3}, "XYZ"}, {{0, 0, 0}, ">"}}) == ">aXYZdf");
  CHECK(apply("abc", {}) == "abc");
  CHECK(apply("", {{{0, 0, 0}, "x"}}) == "x");
  CHECK(apply("abc", {{{7, 0, 3}, ""}}).empty());
  CHECK(apply("abc", {{{0, 3, 3}, "d"}}) == "abcd");
}

TEST_CASE("insertions at one position keep their order and precede a replacement") {
  CHECK(apply("abc", {{{0, 1, 2}, "X"}, {{0, 1, 1}, "1"}, {{0, 1, 1}, "2"}}) == "a12Xc");
  CHECK(apply("abc", {{{0, 2, 2}, "1"}, {{0, 1, 2}, ""}}) == "a1c");
}

TEST_CASE("throws for edits that overlap or are outside the text") {
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 2}, ""}, {{0, 1, 3}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 3}, ""}, {{0, 1, 1}, "x"}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 2, 3}, ""}, {{0, 2, 3}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 3, 5}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 3, 2}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 1}, ""}, {{1, 2, 3}, ""}}), std::logic_error);
}

}  // namespace cnsched::edit_test
