#include "core/yaml/scalar.h"

#include "testdata/support.h"

namespace cnsched::yaml::scalar_test {

void check_all(std::initializer_list<const char*> words, std::optional<ScalarType> type) {
  for (const char* word : words) {
    INFO(word);
    CHECK(resolve_plain(word) == type);
  }
}

std::optional<std::int64_t> integer(const std::string& word) {
  return integer_of(Parsed("a: " + word + "\n").root().under("a"));
}

TEST_CASE("YAML 1.1's booleans are booleans") {
  check_all({"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"},
            ScalarType::boolean);
  check_all({"false", "False", "no", "NO", "off", "Off", "n", "N"}, ScalarType::boolean);
  check_all({"tRUE", "yEs", "oN", "truee", "enabled"}, ScalarType::string);
  CHECK(boolean_of("On") == true);
  CHECK(boolean_of("n") == false);
  CHECK_FALSE(boolean_of("maybe"));
}

TEST_CASE("an empty scalar, ~ and null are null") {
  check_all({"", "~", "null", "Null", "NULL"}, std::nullopt);
  check_all({"nULL", "nil", "~~"}, ScalarType::string);
}

TEST_CASE("integers may be decimal, hexadecimal, binary or octal, with underscores") {
  check_all({"0", "123", "-5", "+5", "1_000", "0x1F", "0b11", "0o17", "010", "-0x1"},
            ScalarType::integer);
  CHECK(integer("1_000") == 1000);
  CHECK(integer("0x1F") == 31);
  CHECK(integer("0b11") == 3);
  CHECK(integer("0o17") == 15);
  CHECK(integer("010") == 8);
  CHECK(integer("-9223372036854775808") == INT64_MIN);
  CHECK_FALSE(integer("9223372036854775808"));
  CHECK_FALSE(integer("'8'"));
  CHECK_FALSE(integer("8.0"));
}

TEST_CASE("08 is not an octal number, so it is a float") {
  check_all({"08", "09", "1.10", ".5", "1.", "1e3", "12e03", "-1.5e-3", ".inf", "-.Inf", ".NaN"},
            ScalarType::floating);
}

TEST_CASE("versions, quantities, dates and malformed numbers are strings") {
  check_all({"1.2.3", "v1", "1g.5gb", "80Gi", "15k", "2024-01-01", "1:30", "12:30:45", "0x", "1e",
             "-", "+", ".", "-x", "740e10x", "NVIDIA-A100", "0xZZ", "1e3e"},
            ScalarType::string);
}

TEST_CASE("describes a node for messages") {
  const Parsed parsed("a: yes\nb: 1\nc: 1.5\nd: x\ne: []\nf: {}\ng:\n");
  CHECK(describe(parsed.root().under("a")) == "a boolean");
  CHECK(describe(parsed.root().under("b")) == "an integer");
  CHECK(describe(parsed.root().under("c")) == "a number");
  CHECK(describe(parsed.root().under("d")) == "a string");
  CHECK(describe(parsed.root().under("e")) == "a list");
  CHECK(describe(parsed.root().under("f")) == "a mapping");
  CHECK(describe(parsed.root().under("g")) == "null");
  CHECK(describe(parsed.root().under("h")) == "nothing");
}

TEST_CASE("a scalar has kubectl's JSON literal") {
  const auto literal = [](const std::string& text) {
    return json_literal(Parsed("- " + text + "\n").root().at(0));
  };
  for (const auto& [text, json] : std::vector<std::pair<std::string, std::string>>{
           {"yes", "true"},
           {"OFF", "false"},
           {"8", "8"},
           {"010", "8"},
           {"0x1F", "31"},
           {"0b11", "3"},
           {"0o17", "15"},
           {"1_000", "1000"},
           {"+1", "1"},
           {"-0", "0"},
           {"-7", "-7"},
           {"-9223372036854775808", "-9223372036854775808"},
           {"0.50", "0.5"},
           {"+.5", "0.5"},
           {"1.", "1"},
           {"1e3", "1000"},
           {"1e+30", "1.0e+30"},
           {"18446744073709551615", "18446744073709551615"},
           {"-1.5", "-1.5"},
           {"!!int '7'", "7"},
           {"1.0e-7", "1.0e-07"},
           {"1_0.5", "10.5"},
       }) {
    CAPTURE(text);
    CHECK(literal(text) == json);
  }
  for (const std::string text :
       {"a", "'8'", "\"yes\"", ".inf", "-.Inf", ".nan", "1e999", "null", "[]"}) {
    CAPTURE(text);
    CHECK(literal(text) == std::nullopt);
  }
}

bool same(const std::string& a, const std::string& b) {
  return same_value(Parsed(a).root(), Parsed(b).root());
}

TEST_CASE("compares values independently of their spelling") {
  CHECK(same("a: 1\nb: [x, {c: z}]\n", "{\"a\": 1, 'b': [\"x\", {c: 'z'}]}"));
  CHECK(same("a: yes\n", "a: true\n"));
  CHECK(same("a: 0x10\n", "a: 16\n"));
  CHECK(same("a: 1.50\n", "a: 1.5\n"));
  CHECK(same("a: |\n  x\n", "a: \"x\\n\"\n"));
  CHECK(same("a:\n", "a: null\n"));
  CHECK(same("yes: a\n", "'true': a\n"));
}

TEST_CASE("distinguishes values by type, kind, order and number") {
  CHECK_FALSE(same("a: 1\n", "a: '1'\n"));
  CHECK_FALSE(same("a: 1\n", "a: 2\n"));
  CHECK_FALSE(same("a: x\n", "a: z\n"));
  CHECK_FALSE(same("a: {}\n", "a: []\n"));
  CHECK_FALSE(same("a: {}\n", "a:\n"));
  CHECK_FALSE(same("a: ''\n", "a:\n"));
  CHECK_FALSE(same("{a: 1, b: 2}", "{b: 2, a: 1}"));
  CHECK_FALSE(same("[a, b]", "[a]"));
  CHECK_FALSE(same("{a: 1}", "{a: 1, b: 2}"));
  CHECK_FALSE(same("{a: 1}", "{b: 1}"));
}

TEST_CASE("compares aliases and merged entries by content, and the last of duplicate keys") {
  CHECK(same("a: &x {b: c}\nd: *x\n", "a: {b: c}\nd: {b: c}\n"));
  CHECK(same("a: &x {b: c}\nd:\n  <<: *x\n", "a: {b: c}\nd: {b: c}\n"));
  CHECK(same("a: 1\na: 2\n", "a: 2\n"));
}

}  // namespace cnsched::yaml::scalar_test

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
