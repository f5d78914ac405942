#include "core/yaml/quote.h"
#include "testdata/support.h"

namespace cnsched::yaml::quote_test {

/// What a list with the string reads back as, by our own parser.
std::string read_back(const std::string& text) {
  const Parsed parsed("- " + quoted_for_yaml(text) + "\n");
  REQUIRE(parsed.document.problems.empty());
  const Node& item = parsed.root().at(0);
  CHECK(item.is_string());
  return std::string(item.text());
}

TEST_CASE("does not quote an unambiguous string") {
  for (const std::string text : {"a",
                                 "nvidia-l4",
                                 "--port",
                                 "-x",
                                 "/usr/bin:/bin",
                                 "registry.example.com/a:1.4",
                                 "1Gi",
                                 "500m",
                                 "1.2.3",
                                 "10.0.0.1",
                                 "a b",
                                 "?a",
                                 ":a",
                                 "x]",
                                 "a#b",
                                 "tRue",
                                 "v1",
                                 "é",
                                 "😀",
                                 "it's",
                                 "a, b",
                                 "1 GB"}) {
    CAPTURE(text);
    CHECK(quoted_for_yaml(text) == text);
    CHECK(read_back(text) == text);
  }
}

TEST_CASE("quotes a string that some parser reads as another type") {
  for (const std::string text :
       {"",     "true", "yes",   "No",   "on",       "null",       "~",
        "8",    "0x1F", "010",   "1e3",  "1.5",      ".5",         ".inf",
        "-1",   "+1",   "1_000", "1:30", "12:30:45", "2024-01-01", "2001-12-14t21:59:43.10-05:00",
        "=",    "<<",   "- a",   "? a",  ": a",      "a:",         "a: b",
        "a #b", "#a",   "&a",    "*a",   "!a",       "|",          ">",
        "%a",   "@a",   "`a",    "'a'",  "\"a\"",    "[a",         "{a",
        "]",    "}",    ",",     " a",   "a ",       "---",        "--- a",
        "...",  "-",    "{}x"}) {
    CAPTURE(text);
    CHECK(quoted_for_yaml(text).front() == '"');
    CHECK(read_back(text) == text);
  }
}

TEST_CASE("escapes terminal control characters") {
  CHECK(quoted_for_yaml("a\x1b[31m") == "\"a\\x1B[31m\"");
  CHECK(quoted_for_yaml("\u202e"
                        "a") == "\"\\u202Ea\"");
  CHECK(quoted_for_yaml("\ufeff"
                        "a") == "\"\\uFEFFa\"");
  CHECK(quoted_for_yaml("a\u0085") == "\"a\\x85\"");
  CHECK(quoted_for_yaml("\u2028") == "\"\\u2028\"");
  CHECK(quoted_for_yaml("\x7f") == "\"\\x7F\"");
  CHECK(quoted_for_yaml(std::string(1, '\0')) == "\"\\x00\"");
  CHECK(quoted_for_yaml("a\tb\r\n") == "\"a\\tb\\r\\n\"");
  CHECK(quoted_for_json("\x1b\u202e😀\"\\\n") == "\"\\u001b\\u202e\\ud83d\\ude00\\\"\\\\\\n\"");
}

TEST_CASE("quotes a question mark in flow style") {
  CHECK(quoted_for_flow("http://a/b?c", false) == "\"http://a/b?c\"");
  CHECK(quoted_for_yaml("http://a/b?c") == "http://a/b?c");
}

TEST_CASE("uses only JSON's escapes in flow style") {
  CHECK(quoted_for_flow("a\u0085", true) == "\"a\\u0085\"");
  CHECK(quoted_for_flow("\x1b\\", true) == "\"\\u001B\\\\\"");
}

TEST_CASE("replaces or escapes characters that are invalid in YAML") {
  CHECK(quoted_for_yaml("\xff"
                        "a") ==
        "\"\uFFFD"
        "a\"");
  CHECK(quoted_for_yaml("\uFFFE") == "\"\\uFFFE\"");
  CHECK(quoted_for_json("\xff"
                        "a") == "\"\\ufffda\"");
  CHECK(quoted_for_json("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");
}

TEST_CASE("uses a literal block scalar only if it is exact") {
  for (const std::string text : {"a\nb", "a\nb\n", "a\n\nb\n", "a\n  b\n", "a\n#b\n", "a\n---\nb\n",
                                 "a \nb\n", "a\n\tb\n", "null\nnull\n", "a\n"}) {
    CAPTURE(text);
    REQUIRE(fits_block_scalar(text));
    const Parsed parsed("- " + block_scalar_header(text) + "\n" + block_scalar_lines(text, 4) +
                        "- end\n");
    REQUIRE(parsed.document.problems.empty());
    CHECK(parsed.root().at(0).text() == text);
    CHECK(parsed.root().at(1).text() == "end");
  }
  for (const std::string text : {"a", "", "\na", " a\nb", "\ta\nb", "a\n\n", "a\nb ", "a\n  \n",
                                 "a\r\nb", "a\n\x1b[31m", "a\n\u202e", "\n", "\n\n"}) {
    CAPTURE(text);
    CHECK_FALSE(fits_block_scalar(text));
    CHECK(read_back(text) == text);
  }
}

}  // namespace cnsched::yaml::quote_test
