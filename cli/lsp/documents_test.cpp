#include "cli/lsp/documents.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::documents_test {

using enum PositionEncoding;

Json change_at(Place start, Place end, const std::string& text) {
  return {{"range", json_of({start, end})}, {"text", text}};
}

std::string changed(std::string text, const Json& change, PositionEncoding encoding) {
  REQUIRE(apply_change(change, encoding, text));
  return text;
}

Json opened(const std::string& uri, const std::string& text) {
  return {{"textDocument", {{"uri", uri}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}};
}

TEST_CASE("URIs of files are read and written") {
  CHECK(path_of_uri("file:///a/b%20c/%C3%A4.yaml") == "/a/b c/\xC3\xA4.yaml");
  CHECK(path_of_uri("file://localhost/a/./b/../c.yaml") == "/a/c.yaml");
  CHECK(path_of_uri("file:///a/b/") == "/a/b");
  CHECK(path_of_uri("file:///a%3Fb?x#y") == "/a?b");
  CHECK_FALSE(path_of_uri("untitled:Untitled-1"));
  CHECK_FALSE(path_of_uri("file://server/share/a.yaml"));
  CHECK_FALSE(path_of_uri("file:///a%00b"));
  CHECK_FALSE(path_of_uri("file:///a%2"));
  CHECK_FALSE(path_of_uri(""));
  CHECK(uri_of_path("/a/b c/\xC3\xA4.yaml") == "file:///a/b%20c/%C3%A4.yaml");
}

TEST_CASE("a change replaces a range, also with text beyond the BMP before it") {
  const std::string text = "a: \xF0\x9F\x98\x80x\r\nb: 1\r\n";
  CHECK(changed(text, change_at({0, 5}, {0, 6}, "y"), utf16) == "a: \xF0\x9F\x98\x80y\r\nb: 1\r\n");
  CHECK(changed(text, change_at({0, 7}, {0, 8}, "y"), utf8) == "a: \xF0\x9F\x98\x80y\r\nb: 1\r\n");
  CHECK(changed(text, change_at({0, 6}, {1, 0}, "\n"), utf16) == "a: \xF0\x9F\x98\x80x\nb: 1\r\n");
  CHECK(changed(text, change_at({2, 0}, {2, 0}, "c: 2"), utf16) == text + "c: 2");
  CHECK(changed(text, {{"text", "all"}}, utf16) == "all");
}

TEST_CASE("an invalid change is rejected") {
  std::string text = "abc";
  CHECK_FALSE(apply_change({{"text", 1}}, utf16, text));
  CHECK_FALSE(apply_change(change_at({0, 2}, {0, 1}, ""), utf16, text));
  CHECK_FALSE(apply_change({{"text", ""}, {"range", {{"start", 1}}}}, utf16, text));
  CHECK(text == "abc");
}

TEST_CASE("open documents are changed and closed by their URIs") {
  Documents documents;
  CHECK(*documents.open(opened("file:///w/a%2Eyaml", "a: 1\n")));
  CHECK_FALSE(*documents.open(opened("untitled:1", "a: 1\n")));
  CHECK_FALSE(documents.open(Json::object()));
  const Json change = {
      {"textDocument", {{"uri", "file:///w/a.yaml"}, {"version", 7}}},
      {"contentChanges", {change_at({0, 3}, {0, 4}, "22"), change_at({0, 4}, {0, 5}, "3")}}};
  CHECK(*documents.change(change, utf16));
  REQUIRE(documents.find("/w/a.yaml") != nullptr);
  CHECK(documents.find("/w/a.yaml")->text == "a: 23\n");
  CHECK(documents.find("/w/a.yaml")->version == 7);
  CHECK(*documents.close({{"textDocument", {{"uri", "file:///w/a.yaml"}}}}));
  CHECK(documents.all().empty());
  CHECK_FALSE(*documents.change(change, utf16));
}

TEST_CASE("offsets outside of an edit correspond in the text before it") {
  const LastGoodText text(SourceFile(0, "m.yaml", "a: 1\nb: [\nc: 3\n"), "a: 1\nb: 2\nc: 3\n");
  CHECK(text.from_current(0) == 0);
  CHECK(text.from_current(8) == 8);
  CHECK(text.from_current(10) == 10);
  CHECK(text.to_current(12) == 12);
}

TEST_CASE("offsets within an edit correspond to nothing") {
  const LastGoodText text(SourceFile(0, "m.yaml", "a: {{{{\nb: 1\n"), "a: 1\nb: 1\n");
  CHECK(text.from_current(3) == 3);
  CHECK_FALSE(text.from_current(5));
  CHECK(text.from_current(8) == 5);
  CHECK(text.to_current(3) == 3);
  CHECK(text.to_current(5) == 8);
  CHECK(text.to_current(10) == 13);
}

TEST_CASE("a text that is a part of the other one corresponds to it") {
  const LastGoodText shorter(SourceFile(0, "m.yaml", "aa"), "aaaa");
  CHECK(shorter.from_current(2) == 2);
  CHECK(shorter.to_current(4) == 2);
  const LastGoodText longer(SourceFile(0, "m.yaml", "aaaa"), "aa");
  CHECK(longer.from_current(4) == 2);
  CHECK(longer.to_current(2) == 2);
}

}  // namespace cnsched::cli::lsp::documents_test
