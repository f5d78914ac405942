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
  return integer_of(Parsed("a: " + word + "\n").root()["a"]);
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
  CHECK(describe(parsed.root()["a"]) == "a boolean");
  CHECK(describe(parsed.root()["b"]) == "an integer");
  CHECK(describe(parsed.root()["c"]) == "a number");
  CHECK(describe(parsed.root()["d"]) == "a string");
  CHECK(describe(parsed.root()["e"]) == "a list");
  CHECK(describe(parsed.root()["f"]) == "a mapping");
  CHECK(describe(parsed.root()["g"]) == "null");
  CHECK(describe(parsed.root()["h"]) == "nothing");
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
