#include "core/base/text.h"
#include "testdata/cel_value.h"

namespace cnsched::cel::functions_test {

TEST_CASE("each function of the tables is found by its name") {
  for (const Function& function : functions()) {
    CAPTURE(function.name);
    const bool as_member = function.style != Function::Style::global;
    CHECK(find_function(function.name, as_member) == &function);
  }
  CHECK(find_function("nothing", false) == nullptr);
}

TEST_CASE("each function rejects arguments of other types, and accepts any number of them") {
  // Nothing may crash, whatever the values are.
  const std::vector<std::string> values = {"null",
                                           "true",
                                           "-1",
                                           "1u",
                                           "1.5",
                                           "'a'",
                                           "b'\\xff'",
                                           "[1]",
                                           "[[]]",
                                           "{'a': [1]}",
                                           "timestamp(0)",
                                           "duration('-1s')",
                                           "int",
                                           "optional.none()",
                                           "quantity('1')",
                                           "ip('::1')",
                                           "cidr('::1/3')",
                                           "url('/')",
                                           "semver('1.0.0')"};
  for (const Function& function : functions()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::string text = fmt::format("{}(", function.name);
      const bool as_member = function.style == Function::Style::member;
      if (as_member) text = fmt::format("dyn({}).{}(", values[i], function.name);
      const bool repeats = function.signature.ends_with('*');
      const auto letters = std::ranges::count_if(function.signature, is_alphanumeric);
      const auto any = std::ranges::count(function.signature, '.');
      const std::size_t most = repeats ? 4 : static_cast<std::size_t>(letters + any);
      for (std::size_t j = as_member ? 1 : 0; j < most; ++j) {
        if (!text.ends_with('(')) text += ", ";
        text += values[(i * (j + 1) + j) % values.size()];
      }
      CAPTURE(text);
      CHECK_FALSE(evaluated(text + ")").starts_with("syntax error"));
    }
  }
}

}  // namespace cnsched::cel::functions_test
