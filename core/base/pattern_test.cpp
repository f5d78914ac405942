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

}  // namespace cnsched::pattern_test
