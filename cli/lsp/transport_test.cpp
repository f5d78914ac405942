#include "cli/lsp/transport.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::transport_test {

using Kind = Frame::Kind;

/// The frames of an input, up to the one that ends it.
std::vector<Frame> frames_of(const std::string& text, FrameLimits limits = {}) {
  std::istringstream in(text);
  FrameReader reader(in, limits);
  std::vector<Frame> frames;
  do {
    frames.push_back(reader.next());
  } while (frames.back().kind == Kind::body || frames.back().kind == Kind::too_large);
  return frames;
}

TEST_CASE("messages follow each other without a separator") {
  const auto frames = frames_of("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]");
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].text == "{}");
  CHECK(frames[1].text == "[1]");
  CHECK(frames[2].kind == Kind::end);
}

TEST_CASE("header names have any case, other headers are ignored, and LF ends a line as well") {
  const auto frames = frames_of(
      "content-LENGTH:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}"
      "\nContent-Length: 1\n\n7");
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].text == "{}");
  CHECK(frames[1].text == "7");
}

TEST_CASE("the length counts bytes") {
  const auto frames = frames_of("Content-Length: 6\r\n\r\n\"\xF0\x9F\x98\x80\"");
  CHECK(frames.front().text == "\"\xF0\x9F\x98\x80\"");
}

TEST_CASE("a header that does not show where the message ends is broken") {
  for (const char* text : {"Content-Length: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n{}",
                           "Content-Length: 99999999999999999999999\r\n\r\n", "Accept: a\r\n\r\n{}",
                           "no colon\r\n\r\n", "Content-Length:\r\n\r\n{}"}) {
    CAPTURE(text);
    CHECK(frames_of(text).front().kind == Kind::broken);
  }
}

TEST_CASE("a header without an end is read up to its limit only") {
  CHECK(frames_of("A:" + std::string(10'000, 'x')).front().kind == Kind::broken);
}

TEST_CASE("an input that ends within a message just ends") {
  CHECK(frames_of("Content-Length: 5\r\n\r\n{}").front().kind == Kind::end);
  CHECK(frames_of("Content-Length: 5\r\n").front().kind == Kind::end);
  CHECK(frames_of("").front().kind == Kind::end);
}

TEST_CASE("a body that is too large is skipped") {
  const auto frames = frames_of("Content-Length: 9\r\n\r\n123456789Content-Length: 1\r\n\r\n7",
                                {.header = 100, .body = 8});
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].kind == Kind::too_large);
  CHECK(frames[1].text == "7");
}

TEST_CASE("a length that no memory holds is not allocated") {
  CHECK(frames_of("Content-Length: 9000000000000000000\r\n\r\n{}").front().kind == Kind::end);
}

TEST_CASE("JSON that is invalid or nested too deeply is not parsed") {
  CHECK(parse_json("{\"a\": [1, 2]}"));
  CHECK_FALSE(parse_json("{\"a\": "));
  CHECK_FALSE(parse_json(""));
  CHECK_FALSE(parse_json("\"\xFF\""));
  CHECK_FALSE(parse_json(std::string(100'000, '[')));
  CHECK_FALSE(parse_json(std::string(100'000, '[') + std::string(100'000, ']')));
  CHECK(parse_json(std::string(100, '[') + std::string(100, ']')));
}

TEST_CASE("reads members of values of any type") {
  const Json json = Json::parse(R"({"a": {"b": 3}, "c": [1], "d": -1, "e": 1.5, "f": 3000000000})");
  CHECK(number_of(member(json, {"a", "b"})) == 3);
  CHECK(member(json, {"a", "b", "c"}).is_null());
  CHECK(member(json, {"c", "b"}).is_null());
  CHECK_FALSE(number_of(member(json, "d")));
  CHECK_FALSE(number_of(member(json, "e")));
  CHECK_FALSE(number_of(member(json, "f")));
  CHECK(string_of(member(json, "d")).empty());
}

TEST_CASE("a message is written with its length in bytes, whatever its strings hold") {
  std::ostringstream out;
  write_message({{"text", "\xC3\xA4\xFF"}}, out);
  CHECK(out.str() == "Content-Length: 16\r\n\r\n{\"text\":\"\xC3\xA4\xEF\xBF\xBD\"}");
}

}  // namespace cnsched::cli::lsp::transport_test
