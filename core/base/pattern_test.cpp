#include "core/base/pattern.h"

#include <chrono>

#include "testdata/support.h"

namespace cnsched::pattern_test {

bool matches_pattern(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  REQUIRE(compiled);
  return compiled->matches(text);
}

TEST_CASE("matches a part of a text, like Go's MatchString") {
  CHECK(matches_pattern("b", "abc"));
  CHECK(matches_pattern("", ""));
  CHECK(matches_pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-name"));
  CHECK_FALSE(matches_pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-name-"));
  CHECK_FALSE(matches_pattern("^a$", "a\n"));
  CHECK_FALSE(matches_pattern("^b$", "a\nb"));
  CHECK(matches_pattern("(?m)^b$", "a\nb"));
  CHECK(matches_pattern("^.$", "é"));
  CHECK(matches_pattern("(?i)A", "a"));
  CHECK_FALSE(matches_pattern("\\w", "é"));
}

TEST_CASE("reads invalid UTF-8 as Go does") {
  CHECK(matches_pattern("^.$", "\xff"));
  CHECK(matches_pattern("^a.b$",
                        "a\xc3"
                        "b"));
  CHECK(matches_pattern("\\x{fffd}", "\x80"));
  CHECK_FALSE(Pattern::compile("\xff"));
}

TEST_CASE("an invalid pattern has an error") {
  const auto error = [](std::string_view pattern) {
    const auto compiled = Pattern::compile(pattern);
    return compiled ? std::string() : compiled.error().message;
  };
  CHECK(error("(") == "missing ): (");
  CHECK(error("a{1001}") == "invalid repetition size: {1001}");
  CHECK(error("(?=a)") == "invalid perl operator: (?=");
  CHECK(error("\\C") == "invalid escape sequence: \\C in '\\C'");
  CHECK_FALSE(error("((((a{100}){100}){100}){100})").empty());
  CHECK_FALSE(error("((a{100}){10}b{1000}[\\pL]{1000}){1}[\\pN]{1000}").empty());
}

TEST_CASE("finds matches from left to right, like Go's FindAllString") {
  const auto found = [](std::string_view pattern, std::string_view text, std::size_t most = 99) {
    return Pattern::compile(pattern)->find_all(text, most, [](std::size_t) { return true; });
  };
  using Texts = std::vector<std::string>;
  CHECK(found("[0-9]+", "1 a 22 b") == Texts{"1", "22"});
  CHECK(found("[0-9]", "1 2 3", 2) == Texts{"1", "2"});
  CHECK(found("a*", "baaac") == Texts{"", "aaa", ""});
  CHECK(found("", "é") == Texts{"", ""});
  CHECK(found("x", "abc").empty());
  const auto once = [count = 0](std::size_t /*bytes*/) mutable { return ++count < 2; };
  CHECK(Pattern::compile("a")->find_all("aaa", 99, once) == Texts{"a"});
}

TEST_CASE("patterns made for backtracking take linear time") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(matches_pattern("^(a+)+$", std::string(100'000, 'a') + "b"));
  CHECK_FALSE(matches_pattern("^(a|aa)*(b|bb)*c$", std::string(100'000, 'a')));
  CHECK_FALSE(matches_pattern("(x+x+)+y", std::string(100'000, 'x')));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

/// One row of git's test table (t/t3070-wildmatch.sh) in mode WM_PATHNAME.
struct Row {
  bool matches;
  const char* path;
  const char* pattern;
};

void check_rows(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(row.path, " against ", row.pattern);
    CHECK(Glob(row.pattern).matches(row.path) == row.matches);
  }
}

TEST_CASE("plain characters, ? and * match within a name") {
  check_rows({{true, "foo", "foo"},
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
  check_rows({{true, "foo*", "foo\\*"},
              {false, "foobar", "foo\\*bar"},
              {true, "f\\oo", "f\\\\oo"},
              {true, "[ab]", "\\[ab]"},
              {true, "?a?b", "\\??\\?b"},
              {true, "abc", "\\a\\b\\c"},
              {true, "-", "[\\-]"},
              {true, "]", "[\\]]"}});
}

TEST_CASE("brackets match sets, ranges and their complements") {
  check_rows({{true, "ball", "*[al]?"},
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
  check_rows({{true, "foo", "**/foo"},
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
  check_rows({{false, "foo/baz/bar", "foo**bar"},
              {false, "a/b/c.yaml", "a/**.yaml"},
              {true, "a/c.yaml", "a/**.yaml"},
              {false, "xx/foo", "x**/foo/bar"}});
}

TEST_CASE("an unclosed bracket is literal or matches nothing") {
  for (const char* pattern : {"[", "[]", "[!", "[^]", "[a-", "[\\", "a[", "\\"}) {
    INFO(pattern);
    (void)Glob(pattern).matches("a");
    (void)Glob(pattern).matches("");
  }
  CHECK_FALSE(Glob("[a").matches("a"));
}

TEST_CASE("hostile patterns take no exponential time") {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  CHECK_FALSE(Glob(pattern + "b").matches(std::string(5000, 'a')));
  std::string directories;
  for (int i = 0; i < 50; ++i) directories += "**/";
  std::string path;
  for (int i = 0; i < 500; ++i) path += "a/";
  CHECK_FALSE(Glob(directories + "b").matches(path + "c"));
}

}  // namespace cnsched::pattern_test
