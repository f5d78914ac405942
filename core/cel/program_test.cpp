#include "core/cel/program.h"

#include <chrono>
#include <thread>

#include "testdata/cel_value.h"

namespace cnsched::cel::program_test {

std::string repeat_text(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Fails on the conversion of a key, as a schema may.
class Unreadable : public Map {
 public:
  std::size_t size() const override { return 1; }
  std::optional<Value> find(const Value& /*key*/) const override {
    return Value::unknown("the default of a field");
  }
  std::vector<Value> keys() const override { return {Value::string("a")}; }
};

TEST_CASE("evaluates expressions as cel-go in the API server does") {
  check_cases("core/cel/evaluations.cases", [](std::string_view text) { return evaluated(text); });
}

TEST_CASE("locates the first syntax error of unusual texts") {
  CHECK(evaluated("") == "syntax error at 0: unexpected end of the expression");
  CHECK(evaluated("a \x01") == "syntax error at 2: unexpected character '\\x01'");
  CHECK(evaluated("'\xff'") == "syntax error at 0: string literal is not valid UTF-8");
}

TEST_CASE("a failure of the caller's map passes through") {
  const Value map = std::shared_ptr<const Map>(std::make_shared<Unreadable>());
  const std::vector<Variable> variables = {{"self", map}};
  const std::string unknown = "unknown: the default of a field";
  CHECK(evaluated("self.a", variables) == unknown);
  CHECK(evaluated("has(self.a)", variables) == unknown);
  CHECK(evaluated("'a' in self", variables) == unknown);
  CHECK(evaluated("self == {'a': 1}", variables) == unknown);
  CHECK(evaluated("[self] == [{'a': 1}]", variables) == unknown);
  CHECK(evaluated("self.all(k, v, v == 1)", variables) == unknown);
  CHECK(evaluated("self.a == 1 || true", variables) == "true");
}

TEST_CASE("variables are found by name, and macros hide them") {
  const std::vector<Variable> variables = {{"x", std::int64_t{5}}, {"net", Value::string("n")}};
  CHECK(evaluated("x + 1", variables) == "6");
  CHECK(evaluated("[1].map(x, x)", variables) == "[1]");
  CHECK(evaluated("[1].map(x, .x)", variables) == "[5]");
  CHECK(evaluated("[1].map(x, x) + [x]", variables) == "[1, 5]");
  CHECK(evaluated("net.IP", variables) == "error: type 'string' has no field 'IP'");
  CHECK(evaluated("net.IP") == "type net.IP");
  const Compiled compiled = compile("oldSelf.a == self.a");
  REQUIRE(compiled);
  CHECK(compiled.program->mentions("oldSelf"));
  CHECK_FALSE(compiled.program->mentions("a"));
}

TEST_CASE("limits the depth of expressions") {
  constexpr std::size_t kDeep = 40'000;
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"[", "]"}, {"{1:", "}"}, {"f(", ")"}, {"a[", "]"}, {"true?1:", ""}}) {
    CAPTURE(open);
    const std::string text =
        repeat_text(open, kDeep / open.size()) + "1" + repeat_text(close, kDeep / open.size());
    CHECK(has(evaluated(text), "nested too deeply"));
  }
  CHECK(evaluated(repeat_text("(", 200) + "1" + repeat_text(")", 200)) == "1");
  CHECK(has(evaluated("1" + repeat_text("+1", 40'000)), "nested too deeply"));
  CHECK(evaluated("1" + repeat_text("+1", 400)) == "401");
  CHECK(evaluated("true" + repeat_text("&&true", 10'000)) == "true");
  CHECK(evaluated(repeat_text("!", 90'000) + "true") == "true");
  CHECK(evaluated(repeat_text("-", 90'001) + "x").starts_with("unknown"));
  CHECK(has(evaluated("a" + repeat_text(".a", 40'000)), "nested too deeply"));
  CHECK(has(evaluated(repeat_text(" ", 100'001)), "100,000 characters"));
}

TEST_CASE("ends what costs too much, and says so") {
  const std::string list = "lists.range(1000)";
  const std::string text = "'" + repeat_text("a", 2000) + "'";
  const std::vector<std::string> expensive = {
      list + ".all(a, " + list + ".all(b, " + list + ".all(c, a + b + c >= 0)))",
      list + ".map(a, " + list + ".map(b, " + list + ".map(c, c)))",
      "lists.range(9223372036854775807)",
      list + ".map(x, " + text + ").join()" + repeat_text(".split('').join('bbbbbbbbbbbbbb')", 3),
      "cel.bind(a, " + text + repeat_text(".replace('', 'aaaaaaaaaaaa')", 8) + ", a)",
      list + ".map(x, " + list + ").flatten().map(x, " + list + ").flatten()",
      list + ".map(x, [x]).distinct().map(x, " + list + ".distinct())",
      "'aaaaaaaaaaaaaaaa'" + repeat_text(".replace('a', 'aaaaaaaaaaaaaaaa')", 10),
      "[0]" + repeat_text(".map(x, [1, 2]).flatten().map(x, [x, x, x, x, x, x]).flatten()", 10),
      list + ".map(x, " + list + ").flatten().all(x, '" + repeat_text("a", 500) +
          "'.matches('(a|aa|aaa)*b'))",
      list + ".exists(x, 'a'.matches('(\\\\pL{30}){30}' + string(x)))",
      list + ".map(x, 'a'.matches('[a-z]{500}' + string(x)))",
      "'" + repeat_text("a", 50'000) + "'.findAll('a.*b|a')",
      list + ".exists(x, " + list + " == [x] || " + list + ".map(y, -1).sum() > 0)",
  };
  for (const std::string& expression : expensive) {
    CAPTURE(expression.substr(0, 200));
    const auto start = std::chrono::steady_clock::now();
    CHECK(evaluated(expression) == "unknown: the cost limit");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }
}

TEST_CASE("compares values that share their parts without doubling the cost in secret") {
  std::string expression = "[1]";
  for (int i = 0; i < 60; ++i) expression = "cel.bind(a, " + expression + ", [a, a])";
  CHECK(evaluated("cel.bind(l, " + expression + ", l == l)") == "unknown: the cost limit");
}

TEST_CASE("evaluations share a budget") {
  const Compiled compiled = compile("[1, 2, 3].all(x, x > 0)");
  REQUIRE(compiled);
  Budget budget;
  CHECK(compiled.program->evaluate({}, budget).is_true());
  const std::uint64_t cost = Budget::kPerExpression - budget.steps;
  CHECK(cost > 3);
  CHECK(cost < 30);
  budget.steps = 5;
  CHECK(compiled.program->evaluate({}, budget).message() == "the cost limit");
  CHECK(budget.steps == 0);
}

TEST_CASE("a program may run in several threads at once") {
  const Compiled compiled = compile("'abc'.matches('b.*') && [1, 2].exists(x, x == 2)");
  REQUIRE(compiled);
  std::vector<std::thread> threads;
  std::array<bool, 4> results{};
  for (bool& result : results) {
    threads.emplace_back([&] {
      Budget budget;
      result = compiled.program->evaluate({}, budget).is_true();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(results == std::array<bool, 4>{true, true, true, true});
}

}  // namespace cnsched::cel::program_test
