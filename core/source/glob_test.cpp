#include "core/source/glob.h"

#include <doctest/doctest.h>

#include <string>

namespace cnsched {

namespace {

/// One question of git's own table (t/t3070-wildmatch.sh), in its mode WM_PATHNAME.
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

}  // namespace

TEST_CASE("plain characters, ? and * stay within a name") {
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

TEST_CASE("a backslash takes away a character's meaning") {
  check({{true, "foo*", "foo\\*"},
         {false, "foobar", "foo\\*bar"},
         {true, "f\\oo", "f\\\\oo"},
         {true, "[ab]", "\\[ab]"},
         {true, "?a?b", "\\??\\?b"},
         {true, "abc", "\\a\\b\\c"},
         {true, "-", "[\\-]"},
         {true, "]", "[\\]]"}});
}

TEST_CASE("brackets hold sets, ranges and their opposites") {
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

TEST_CASE("two stars between slashes cross names, or none") {
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

TEST_CASE("only a whole name of two stars crosses names") {
  check({{false, "foo/baz/bar", "foo**bar"},
         {false, "a/b/c.yaml", "a/**.yaml"},
         {true, "a/c.yaml", "a/**.yaml"},
         {false, "xx/foo", "x**/foo/bar"}});
}

TEST_CASE("an unclosed bracket stands for itself or matches nothing, but never crashes") {
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

}  // namespace cnsched
