#include "core/base/ci_command.h"
#include "core/base/text.h"
#include "core/yaml/quote.h"
#include "testdata/support.h"

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
