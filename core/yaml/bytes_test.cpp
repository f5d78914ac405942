#include "core/yaml/bytes.h"
#include "testdata/support.h"

namespace cnsched::yaml::bytes_test {

std::string bad_byte(std::string text) {
  const SourceFile file(0, "test.yaml", std::move(text));
  const auto problem = find_bad_byte(file, file.whole());
  if (!problem) return "none";
  return std::to_string(problem->where.begin) + ": " + problem->message;
}

TEST_CASE("accepts tabs, line ends and printable characters") {
  CHECK(bad_byte("a:\tb\r\nc: \xC3\xA9 \xF0\x9F\x98\x80 \xC2\x85\n") == "none");
  CHECK(bad_byte("") == "none");
}

TEST_CASE("rejects a control character at its position") {
  CHECK(bad_byte("a: \x1b[0m\n") == "3: control character \\x1b is not allowed in YAML");
  CHECK(bad_byte("ab\x7f") == "2: control character \\x7f is not allowed in YAML");
  CHECK(bad_byte("\xC2\x9B").starts_with("0: control character"));
  CHECK(bad_byte("ab\x04").starts_with("2: control character"));
}

TEST_CASE("rejects invalid UTF-8 at its first byte") {
  CHECK(bad_byte("a: \xE9t\xE9\n") == "3: byte 0xe9 is not UTF-8");
  CHECK(bad_byte("\xC3") == "0: byte 0xc3 is not UTF-8");
  CHECK(bad_byte("\xC0\x80").starts_with("0: byte"));
  CHECK(bad_byte("\xED\xA0\x80").starts_with("0: byte"));
}

TEST_CASE("recognizes UTF-16 and UTF-32 with and without a byte order mark") {
  using std::string_literals::operator""s;
  for (const std::string& text :
       {"\xFF\xFE"s + "a\0"s, "\xFE\xFF\0a"s, "a\0:\0"s, "\0a\0:"s, "\xFF\xFE\0\0a\0\0\0"s}) {
    CHECK(has(bad_byte(text), "not UTF-8 (it looks like UTF-16"));
  }
}

TEST_CASE("rejects a byte order mark in a document's text") {
  CHECK(bad_byte("\uFEFFa: b\n").starts_with("0: byte order mark at the start"));
  CHECK(bad_byte("a: \uFEFF\n") == "none");
}

TEST_CASE("rejects a carriage return without a line feed") {
  CHECK(bad_byte("a\r\nb\r").starts_with("4: carriage return without"));
  CHECK(bad_byte("a\rb\n").starts_with("1: carriage return without"));
}

TEST_CASE("masks a surrogate pair by the same number of bytes and restores it") {
  const std::string text = R"("x\ud83d\ude00y")";
  const auto masked = mask_surrogates(text);
  REQUIRE(masked);
  CHECK(masked->size() == text.size());
  CHECK(masked->find("ud83d") == std::string::npos);
  const std::string value = masked->substr(1, masked->size() - 2);
  CHECK(unmask_surrogates(value, R"(x\ud83d\ude00y)", true) == "x\xF0\x9F\x98\x80y");
  CHECK(unmask_surrogates(value, R"(x\ud83d\ude00y)", false) == R"(x\ud83d\ude00y)");
}

TEST_CASE("does not change other escapes") {
  CHECK_FALSE(mask_surrogates(R"("\u00e9")"));
  CHECK_FALSE(mask_surrogates(R"("\ud83d")"));
  CHECK_FALSE(mask_surrogates(R"("\ude00\ud83d")"));
  CHECK_FALSE(mask_surrogates(R"("\\ud83d\\ude00")"));
  CHECK_FALSE(mask_surrogates(R"("\ud83dx\ude00")"));
  CHECK_FALSE(mask_surrogates("\"\\ud83d"));
}

TEST_CASE("replaces the invalid bytes of \\N and \\_") {
  CHECK(with_whole_characters("a\x85\xC3\xA9\xA0") == "a\u0085é\u00a0");
  CHECK(with_whole_characters("é\u0085\u2028😀") == "é\u0085\u2028😀");
}

}  // namespace cnsched::yaml::bytes_test
