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
