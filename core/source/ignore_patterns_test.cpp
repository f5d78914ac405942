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

/// One row of git's test table (t/t3070-wildmatch.sh) in mode WM_PATHNAME.
struct Row {
  bool matches;
  const char* path;
  const char* pattern;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(row.path, " against ", row.pattern);
    CHECK(wildmatch(row.pattern, row.path) == row.matches);
  }
}

TEST_CASE("plain characters, ? and * match within a name") {
  check({{true, "foo", "foo"},
         {false, "foo", "bar"},
         {true, "", ""},
         {true, "foo", "???"},
         {false, "foo", "??"},
         {true, "foo", "*"},
         {true, "foo", "f*"},
         {false, "foo", "*f"},
         {true, "foo", "*foo*"},
         {true, "foobar", "*ob*a*r*"},
         {true, "aaaaaaabababab", "*ab"},
         {false, "foo/bar", "foo*bar"},
         {false, "foo/bar", "foo?bar"},
         {false, "foo/baz/bar", "foo/*"},
         {true, "foo/bar", "foo/*"},
         {false, "foo/bba/arr", "foo/*arr"},
         {true, "foobar", "foo**bar"}});
}

TEST_CASE("a backslash escapes a character") {
  check({{true, "foo*", "foo\\*"},
         {false, "foobar", "foo\\*bar"},
         {true, "f\\oo", "f\\\\oo"},
         {true, "[ab]", "\\[ab]"},
         {true, "?a?b", "\\??\\?b"},
         {true, "abc", "\\a\\b\\c"},
         {true, "-", "[\\-]"},
         {true, "]", "[\\]]"}});
}

TEST_CASE("brackets match sets, ranges and their complements") {
  check({{true, "ball", "*[al]?"},
         {true, "ten", "t[a-g]n"},
         {false, "ten", "[ten]"},
         {true, "ton", "t[!a-g]n"},
         {true, "ton", "t[^a-g]n"},
         {false, "ten", "t[!a-g]n"},
         {true, "a]b", "a[]]b"},
         {true, "a-b", "a[]-]b"},
         {true, "a]b", "a[]-]b"},
         {false, "aab", "a[]-]b"},
         {true, "aab", "a[]a-]b"},
         {true, "]", "]"},
         {true, "5", "[1-9]"},
         {false, "0", "[1-9]"},
         {true, "-", "[,-.]"},
         {false, "foo/bar", "foo[/]bar"},
         {false, "foo/bar", "f[^eiu][^eiu][^eiu][^eiu][^eiu]r"},
         {true, "foo-bar", "f[^eiu][^eiu][^eiu][^eiu][^eiu]r"}});
}

TEST_CASE("two stars between slashes match any number of names") {
  check({{true, "foo", "**/foo"},
         {true, "XXX/foo", "**/foo"},
         {true, "bar/baz/foo", "**/foo"},
         {false, "bar/baz/foo", "*/foo"},
         {false, "foo/bar/baz", "**/bar*"},
         {true, "deep/foo/bar/baz", "**/bar/*"},
         {false, "deep/foo/bar", "**/bar/*"},
         {true, "deep/foo/bar/baz", "**/bar/**"},
         {true, "foo/bar", "foo/**/bar"},
         {true, "foo/a/b/bar", "foo/**/bar"},
         {true, "foo/b/a/z/bar", "foo/**/**/bar"},
         {true, "foo/bar", "foo/**/**/bar"},
         {false, "foobar", "foo/**/bar"},
         {true, "foo/a/b", "foo/**"},
         {false, "foo", "foo/**"},
         {false, "deep/foo/bar/baz/x", "**/bar/*/*/*"},
         {true, "a/b/c", "**"}});
}

TEST_CASE("two stars match across slashes only as a whole name") {
  check({{false, "foo/baz/bar", "foo**bar"},
         {false, "a/b/c.yaml", "a/**.yaml"},
         {true, "a/c.yaml", "a/**.yaml"},
         {false, "xx/foo", "x**/foo/bar"}});
}

TEST_CASE("an unclosed bracket is literal or matches nothing") {
  for (const char* pattern : {"[", "[]", "[!", "[^]", "[a-", "[\\", "a[", "\\"}) {
    INFO(pattern);
    (void)wildmatch(pattern, "a");
    (void)wildmatch(pattern, "");
  }
  CHECK_FALSE(wildmatch("[a", "a"));
}

TEST_CASE("hostile patterns take no exponential time") {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  CHECK_FALSE(wildmatch(pattern + "b", std::string(5000, 'a')));
  std::string directories;
  for (int i = 0; i < 50; ++i) directories += "**/";
  std::string path;
  for (int i = 0; i < 500; ++i) path += "a/";
  CHECK_FALSE(wildmatch(directories + "b", path + "c"));
}

}  // namespace cnsched::ignore_patterns_test
