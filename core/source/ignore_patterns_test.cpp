#include "core/source/ignore_patterns.h"
#include "testdata/support.h"

namespace cnsched::ignore_patterns_test {

bool ignored(std::string_view lines, std::string_view path) {
  return IgnorePatterns::from_lines(lines).ignores(path);
}

TEST_CASE("a pattern without a slash matches at any depth") {
  CHECK(ignored("*.yaml", "a.yaml"));
  CHECK(ignored("*.yaml", "x/y/a.yaml"));
  CHECK_FALSE(ignored("*.yaml", "a.yml"));
}

TEST_CASE("a leading or inner slash anchors a pattern") {
  CHECK(ignored("/a.yaml", "a.yaml"));
  CHECK_FALSE(ignored("/a.yaml", "x/a.yaml"));
  CHECK(ignored("x/a.yaml", "x/a.yaml"));
  CHECK_FALSE(ignored("x/a.yaml", "y/x/a.yaml"));
  CHECK(ignored("./a.yaml", "a.yaml"));
  CHECK(ignored("**/x/a.yaml", "y/x/a.yaml"));
}

TEST_CASE("a trailing slash matches directories with everything below") {
  CHECK(ignored("build/", "build/a.yaml"));
  CHECK(ignored("build/", "x/build/y/a.yaml"));
  CHECK_FALSE(ignored("build/", "build"));
  CHECK(ignored("build", "build/a.yaml"));
}

TEST_CASE("the last match wins, and ! negates") {
  CHECK_FALSE(ignored("*.yaml\n!keep.yaml\n", "keep.yaml"));
  CHECK(ignored("!keep.yaml\n*.yaml\n", "keep.yaml"));
  CHECK(ignored("*.yaml\n!keep.yaml\n", "other.yaml"));
}

TEST_CASE("a file below an ignored directory cannot be included again") {
  CHECK(ignored("out/\n!out/keep.yaml\n", "out/keep.yaml"));
  CHECK_FALSE(ignored("out/*\n!out/keep.yaml\n", "out/keep.yaml"));
}

TEST_CASE("comments, blank lines, trailing blanks and CRLF are read as git reads them") {
  CHECK_FALSE(ignored("# a.yaml\n\n", "a.yaml"));
  CHECK(ignored("a.yaml   \r\n", "a.yaml"));
  CHECK(ignored("a\\ \n", "a "));
  CHECK(ignored("\\#a\n", "#a"));
  CHECK(ignored("\\!a\n", "!a"));
}

TEST_CASE("a pattern that is only a slash matches nothing") {
  CHECK_FALSE(ignored("/\n", "a"));
  CHECK_FALSE(ignored("!\n", "a"));
}

}  // namespace cnsched::ignore_patterns_test
