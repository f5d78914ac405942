#include "cli/lsp/documents.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::position_test {

using enum PositionEncoding;

/// ä has 2 bytes and 1 unit, € 3 and 1, 😀 4 and 2.
constexpr std::string_view kText = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z\r\nb\rc\n\nd";

SourceFile file_of(std::string_view text) { return {0, "a.yaml", std::string(text)}; }

TEST_CASE("positions count UTF-16 units or bytes, and lines end with LF, CRLF or CR") {
  CHECK(offset_of(kText, {0, 0}, utf16) == 0);
  CHECK(offset_of(kText, {0, 2}, utf16) == 3);
  CHECK(offset_of(kText, {0, 3}, utf16) == 6);
  CHECK(offset_of(kText, {0, 5}, utf16) == 10);
  CHECK(offset_of(kText, {0, 10}, utf8) == 10);
  CHECK(kText.substr(offset_of(kText, {1, 0}, utf16)).starts_with("b\r"));
  CHECK(kText.substr(offset_of(kText, {2, 0}, utf16)).starts_with("c\n"));
  CHECK(kText.substr(offset_of(kText, {4, 0}, utf8)) == "d");
}

TEST_CASE("a position within a character is its beginning") {
  CHECK(offset_of(kText, {0, 4}, utf16) == 6);
  CHECK(offset_of(kText, {0, 2}, utf8) == 1);
  CHECK(offset_of(kText, {0, 9}, utf8) == 6);
}

TEST_CASE("a position after the end of its line or of the text is clamped") {
  CHECK(offset_of(kText, {0, 99}, utf16) == 11);
  CHECK(offset_of(kText, {1, 99}, utf8) == 14);
  CHECK(offset_of(kText, {3, 1}, utf16) == 17);
  CHECK(offset_of(kText, {99, 0}, utf16) == kText.size());
  CHECK(offset_of("", {0, 3}, utf16) == 0);
  CHECK(offset_of("a\n", {1, 5}, utf16) == 2);
}

TEST_CASE("every offset between characters survives the way to a position and back") {
  const SourceFile file = file_of(kText);
  for (const PositionEncoding encoding : {utf8, utf16}) {
    for (std::uint32_t at = 0; at <= kText.size(); ++at) {
      const bool is_within =
          at < kText.size() && (static_cast<unsigned char>(kText[at]) & 0xC0U) == 0x80U;
      const bool is_in_crlf = at > 0 && kText.substr(at - 1).starts_with("\r\n");
      if (is_within || is_in_crlf) continue;
      CAPTURE(at);
      CHECK(offset_of(kText, place_of(file, at, encoding, true), encoding) == at);
    }
  }
}

TEST_CASE("a byte that is not UTF-8 is one character") {
  const SourceFile file = file_of("\xE4\xF0z");
  CHECK(place_of(file, 2, utf16, true) == Place{0, 2});
  CHECK(offset_of(file.bytes(), {0, 2}, utf16) == 2);
}

TEST_CASE("the byte order mark of a file on the disk takes no character") {
  const SourceFile file = file_of("\xEF\xBB\xBFkind: Pod\n");
  CHECK(place_of(file, 3, utf16, false) == Place{0, 0});
  CHECK(place_of(file, 0, utf16, false) == Place{0, 0});
  CHECK(place_of(file, 5, utf8, false) == Place{0, 2});
  CHECK(place_of(file, 3, utf16, true) == Place{0, 1});
  CHECK(place_of(file, 3, utf8, true) == Place{0, 3});
}

TEST_CASE("ranges are written and read") {
  const PlaceRange range{{1, 2}, {3, 4}};
  const Json json = json_of(range);
  CHECK(json["end"]["character"] == 4);
  REQUIRE(range_in(json));
  CHECK(range_in(json)->start == range.start);
  CHECK_FALSE(range_in(Json::parse(R"({"start": {"line": -1, "character": 0}, "end": 1})")));
  CHECK(range.touches({{3, 4}, {9, 9}}));
  CHECK_FALSE(range.touches({{3, 5}, {9, 9}}));
}

}  // namespace cnsched::cli::lsp::position_test
