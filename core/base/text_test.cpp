#include "core/base/text.h"

#include "core/yaml/scalar.h"
#include "testdata/support.h"

namespace cnsched::text_test {

TEST_CASE("blanks and line ends are trimmed from both ends") {
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(trim("").empty());
}

TEST_CASE("splitting keeps empty parts") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split(",a,", ',') == Parts{"", "a", ""});
  CHECK(split("", ',') == Parts{""});
}

TEST_CASE("lowers and compares ASCII letters only") {
  CHECK(lower("NVIDIA.com/GPU-É") == "nvidia.com/gpu-É");
  CHECK(equals_ignoring_case("NoSchedule", "noschedule"));
  CHECK_FALSE(equals_ignoring_case("a", "ab"));
}

TEST_CASE("joins words with commas and 'and'") {
  CHECK(join_words({}).empty());
  CHECK(join_words({"a"}) == "a");
  CHECK(join_words({"a", "b"}) == "a and b");
  CHECK(join_words({"a", "b", "c"}, "or") == "a, b or c");
}

TEST_CASE("uses the singular for one") {
  CHECK(count_of(0, "object") == "0 objects");
  CHECK(count_of(1, "object") == "1 object");
  CHECK(count_of(2, "object") == "2 objects");
}

TEST_CASE("code points are counted, and an invalid byte counts as one") {
  CHECK(code_points("größe") == 5);
  CHECK(code_points("\xF0\x9F\x98\x80") == 1);
  CHECK(code_points("a\xFF\xFEz") == 4);
  CHECK(utf8_length("é") == 2);
  CHECK(utf8_length("\xC3") == 0);
  CHECK(utf8_length("") == 0);
}

TEST_CASE("a whole number has digits only, and fits") {
  CHECK(whole_number("10") == 10);
  CHECK(whole_number("18446744073709551615") == 18446744073709551615U);
  for (const char* text : {"10%", "1Gi", "-1", "+1", "1.5", "", " 1", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_FALSE(whole_number(text));
  }
  CHECK(whole_number<int>("-7") == -7);
  CHECK(whole_number<unsigned>("fF", 16) == 255);
  CHECK_FALSE(whole_number<int>("2147483648"));
}

TEST_CASE("a number is taken from the start of a text") {
  std::string_view text = "12Gi";
  CHECK(take_number<int>(text) == 12);
  CHECK(text == "Gi");
  CHECK_FALSE(take_number<int>(text));
  CHECK(text == "Gi");
}

TEST_CASE("shortens between characters") {
  CHECK(shortened("größe", 5) == "größe");
  CHECK(shortened("größe", 3) == "grö…");
  CHECK(shortened("\xFF\xFF\xFF", 2) == "\xFF\xFF…");
  CHECK(first_code_points("größe", 4) == "größ");
  CHECK(shortened("", 0) == "");
}

TEST_CASE("lists the first words and the number of others") {
  CHECK(join_words({"a", "b", "c"}, "or") == "a, b or c");
  CHECK(join_words({"a", "b", "c"}, "and", 3) == "a, b and c");
  CHECK(join_words({"a", "b", "c"}, "and", 2) == "a, b and 1 more");
  CHECK(join_words({"a", "b", "c"}, "and", 1) == "a and 2 more");
}

TEST_CASE("wide characters take two columns and combining ones none") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\xCC\x81") == 1);
  CHECK(display_width("\xFF") == 1);
}

TEST_CASE("escapes terminal control characters in printable text") {
  CHECK(printable("a\x1b[31m") == "a\\x1b[31m");
  CHECK(printable("tab\tend\n") == "tab\\x09end\\x0a");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xC2\x9B") == "\\u{009b}");
  CHECK(printable("\xE2\x80\xAE") == "\\u{202e}");
  CHECK(printable("\xEF\xBB\xBF") == "\\u{feff}");
  CHECK(printable("bad \xFF") == "bad \\xff");
  CHECK(printable("größe 日本") == "größe 日本");
}

TEST_CASE("wraps lines at blanks, a long word on its own line") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two", 3) == Lines{"one", "two"});
  CHECK(wrap("a verylongword b", 5) == Lines{"a", "verylongword", "b"});
  CHECK(wrap("日本 語", 4) == Lines{"日本", "語"});
}

TEST_CASE("shows the first line of a message without blanks around it") {
  CHECK(first_line("\n  Error: a \r\nb", 100) == "Error: a");
  CHECK(first_line("äbc\n", 2) == "äb…");
  CHECK(first_line(" \n", 2).empty());
}

}  // namespace cnsched::text_test

namespace cnsched::ci_command_test {

TEST_CASE("distinguishes CI commands from similar text") {
  CHECK(contains_ci_command("::error::x"));
  CHECK(contains_ci_command("  ::set-output name=a::b"));
  CHECK(contains_ci_command("a\n::add-mask::b"));
  CHECK(contains_ci_command("wrapped ::stop-commands::x"));
  CHECK(contains_ci_command("x##[warning]y"));
  CHECK(contains_ci_command("x##vso[task.setvariable variable=a]b"));
  CHECK(contains_ci_command("##teamcity[message]"));
  CHECK_FALSE(contains_ci_command("std::string"));
  CHECK_FALSE(contains_ci_command("::1"));
  CHECK_FALSE(contains_ci_command("fd00:: ::"));
  CHECK_FALSE(contains_ci_command("## [title](x)"));
  CHECK_FALSE(contains_ci_command("# [title]"));
  CHECK_FALSE(contains_ci_command("##vso"));
  CHECK_FALSE(contains_ci_command(""));
}

TEST_CASE("printable text contains no CI command") {
  for (const char* text : {"::error::x", "a ::error::x", "a##vso[b]c", "###[x]", "##a##b[c]",
                           "\t::error::x", "::a ::b"}) {
    INFO(text);
    CHECK_FALSE(contains_ci_command(printable(text)));
    CHECK_FALSE(contains_ci_command(yaml::quoted_for_yaml(text)));
    CHECK_FALSE(contains_ci_command(yaml::quoted_for_flow(text, false)));
    CHECK_FALSE(contains_ci_command(yaml::quoted_for_json(text)));
    CHECK_FALSE(yaml::fits_block_scalar(std::string("first\n") + text + "\n"));
  }
  CHECK(printable("::error::x") == "\\x3a:error::x");
  CHECK(printable("a##vso[b]") == "a\\x23#vso[b]");
  CHECK(printable("std::string ::1 ## [x]") == "std::string ::1 ## [x]");
  CHECK(yaml::quoted_for_yaml("::error::x") == "\"\\u003a:error::x\"");
  CHECK(yaml::quoted_for_json("##vso[b]") == "\"\\u0023#vso[b]\"");
}

}  // namespace cnsched::ci_command_test
