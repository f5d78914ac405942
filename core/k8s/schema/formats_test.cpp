#include "core/k8s/schema/schema.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::formats_test {

bool fits(std::string_view format, std::string_view text) {
  REQUIRE(find_format(format) != nullptr);
  return find_format(format)->fits(text);
}

void check_all(std::string_view format, const std::vector<std::string>& good,
               const std::vector<std::string>& bad) {
  CAPTURE(format);
  for (const std::string& text : good) {
    CAPTURE(text);
    CHECK(fits(format, text));
  }
  for (const std::string& text : bad) {
    CAPTURE(text);
    CHECK_FALSE(fits(format, text));
  }
}

TEST_CASE("an unknown format is not found") {
  CHECK(find_format("kind") != nullptr);
  CHECK(find_format("Kind") == nullptr);
  CHECK(find_format("") == nullptr);
  CHECK(find_format("regex") == nullptr);
}

TEST_CASE("every format has a description") {
  for (const std::string name :
       {"dns-1035-label", "dns-1123-label", "dns-1123-subdomain", "dns-1123-subdomain-or-empty",
        "kind", "decimal", "gateway-duration", "http-header-name", "http-path"}) {
    CAPTURE(name);
    REQUIRE(find_format(name) != nullptr);
    CHECK(find_format(name)->name == name);
    CHECK_FALSE(find_format(name)->words.empty());
  }
}

TEST_CASE("a DNS 1035 label begins with a lower case letter") {
  check_all("dns-1035-label", {"a", "z", "a0", "a-b", "a--b", "abc9", std::string(64, 'a')},
            {"", "0", "9a", "-", "-a", "a-", "A", "aB", "a.b", "a_b", " a", "a ", "a\n", "ä"});
}

TEST_CASE("a DNS 1123 label may begin with a digit") {
  check_all("dns-1123-label", {"a", "0", "9", "0a", "a0", "a-b", "0-0", "a--b"},
            {"", "-", "-a", "a-", "A", "aB", "a.b", ".", "a_b", "a\n", "a/b", "ä"});
}

TEST_CASE("a DNS 1123 subdomain is labels with dots between") {
  check_all(
      "dns-1123-subdomain", {"a", "0", "a.b", "0.0", "a-b.c-d", "a.b.c", "1.2.3.4"},
      {"", ".", "a.", ".a", "a..b", "a.-b", "a-.b", "-", "A.b", "a.B", "*.a", "a b", "a.b\n"});
}

TEST_CASE("an optional subdomain may be empty") {
  check_all("dns-1123-subdomain-or-empty", {"", "a", "gateway.networking.k8s.io"},
            {".", "a.", " ", "A", "-a", "a..b"});
}

TEST_CASE("a kind begins with a letter and does not end with a dash") {
  check_all("kind", {"a", "Z", "Service", "HTTPRoute", "service", "A-b", "A--b", "S3", "s0"},
            {"", "3S", "-", "-a", "a-", "A.b", "A_b", "A b", "A\n", "Ä", "0"});
}

TEST_CASE("a decimal has digits on both sides of its dot") {
  check_all("decimal", {"0", "9", "10.0", "0.5", "007", "1234567890.1234567890"},
            {"", ".", "1.", ".5", "1.2.3", "-1", "+1", "1e3", "1,5", " 1", "1 ", "1.0\n", "a"});
}

TEST_CASE("a duration of the Gateway API is one to four parts of one to five digits") {
  check_all(
      "gateway-duration",
      {"0s", "1h", "1m", "1s", "1ms", "99999h", "1m30s", "1h1m1s1ms", "5s5s5s5s", "1s2h", "00000ms",
       "1ms1m"},
      {"",    "1",  "s",   "ms",  "100000s", "1s1s1s1s1s", "1h1m1s1ms1", "1.5s", "-1s",  "1d",
       "1us", "1S", "1 s", "1s ", " 1s",     "1m30",       "1m 30s",     "1s\n", "1msm", "1hs"});
}

TEST_CASE("the name of an HTTP header is a token") {
  check_all("http-header-name",
            {"a", "Z", "0", "x-api-key", "X_Y", "!#$%&'*+-.^_`|~", "a.b", "-", "~"},
            {"",    " ",   "a b", "a:b",  ":authority", "a/b", "a,b", "a;b", "a@b", "a=b", "a(b",
             "a)b", "a[b", "a{b", "a\"b", "a\\b",       "a<b", "a?b", "a\t", "a\n", "ä"});
}

TEST_CASE("a path has the characters of a URL path, others as percent and two hex digits") {
  check_all("http-path",
            {"/", "a", "/v1/models:predict", "-/._~!$&'()*+,;=:@", "%41", "%aF", "/%2f", "%00%FF",
             "/a%20b", "//"},
            {"",     " ",    "/a b", "%",    "%4",   "/%",   "/a%2", "%zz",
             "%4g",  "%g4",  "%%41", "/a?b", "/a#b", "/[a]", "/{a}", "/a\\b",
             "/a|b", "/a^b", "/\"",  "/<a>", "/`",   "/a\n", "/ä"});
}

}  // namespace cnsched::k8s::schema::formats_test
