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

TEST_CASE("evaluates operators and literals") {
  constexpr auto kEvaluations = std::to_array<Evaluation>({
      {"1 + 2 * 3 - 4 / 2 % 3", "5"},
      {"-7 / 2", "-3"},
      {"-7 % 3", "-1"},
      {"7u / 2u", "3u"},
      {"9223372036854775807 + 1", "error: integer overflow"},
      {"-9223372036854775808 - 1", "error: integer overflow"},
      {"-9223372036854775808 / -1", "error: integer overflow"},
      {"-9223372036854775808 % -1", "error: integer overflow"},
      {"-(-9223372036854775808)", "error: integer overflow"},
      {"1 / 0", "error: division by zero"},
      {"1 % 0", "error: modulus by zero"},
      {"1.0 / 0.0", "double inf"},
      {"18446744073709551615u + 1u", "error: integer overflow"},
      {"0u - 1u", "error: integer overflow"},
      {"null == null", "true"},
      {"{'a': 1} == {'a': 1}", "true"},
      {"[] == []", "true"},
      {"0.0/0.0 == 0.0/0.0", "false"},
      {"[0.0/0.0] == [0.0/0.0]", "false"},
      {"1 < 2u", "true"},
      {"1 < 1.5", "true"},
      {"-1 < 0u", "true"},
      {"'a' < 'b'", "true"},
      {"'a' < 'B'", "false"},
      {"b'a' < b'b'", "true"},
      {"false < true", "true"},
      {"1 in [1, 2]", "true"},
      {"'a' in {'a': 1}", "true"},
      {"1 in dyn(5)", "error: no such overload"},
      {"true || 1/0 == 1", "true"},
      {"1/0 == 1 || true", "true"},
      {"1/0 == 1 || false", "error: division by zero"},
      {"1/0 == 1 && false", "false"},
      {"false && 1/0 == 1", "false"},
      {"!dyn(1)", "error: no such overload"},
      {"-dyn('a')", "error: no such overload"},
      {"true ? 1 : 1/0", "1"},
      {"1/0 > 0 ? 1 : 2", "error: division by zero"},
      {"{'a': 1}.a", "1"},
      {"{'a': 1}.b", "error: no such key: b"},
      {"{'a': {'b': 1}}.a.b", "1"},
      {"[1, 2, 3][1]", "2"},
      {"[1, 2, 3][3]", "error: index out of bounds: 3"},
      {"[1, 2, 3][-1]", "error: index out of bounds: -1"},
      {"[1, 2, 3][dyn(1.0)]", "2"},
      {"[1, 2, 3][dyn(1.5)]", "error: invalid index of a list"},
      {"[1, 2, 3][dyn(1u)]", "2"},
      {"[1, 2, 3][dyn('a')]", "error: invalid index of a list"},
      {"{1: 'a'}[1]", "'a'"},
      {"{1: 'a'}[dyn(1.0)]", "'a'"},
      {"{1: 'a'}[dyn(1u)]", "'a'"},
      {"{1: 'a'}[dyn('1')]", "error: no such key: 1"},
      {"{1: 'a'}[2]", "error: no such key: 2"},
      {"{true: 'a'}[true]", "'a'"},
      {"'a' + 'b'", "'ab'"},
      {"b'a' + b'b'", "2 bytes"},
      {"[1] + [2]", "[1, 2]"},
      {R"('\x41\u00e9\U0001F600\101')", "'Aé😀A'"},
      {R"(r'\n')", R"('\n')"},
      {R"(R"a\b")", R"('a\b')"},
      {"'''a", "syntax error at 0: string literal is not closed"},
      {"b'''", "syntax error at 0: string literal is not closed"},
      {R"("""a"b""")", R"('a"b')"},
      {R"(r'''\a'b''')", R"('\a'b')"},
      {R"(b'\xff\101é')", "4 bytes"},
      {R"(br'\xff')", "4 bytes"},
      {R"(rb'\xff')", R"(syntax error at 2: unexpected ''\xff'')"},
      {R"(b'\u00e9')", "syntax error at 2: invalid escape sequence"},
      {R"('\400')", "syntax error at 1: invalid escape sequence"},
      {R"('\q')", "syntax error at 1: invalid escape sequence"},
      {R"('\ud800')", "syntax error at 1: invalid escape sequence"},
      {R"('\x4')", "syntax error at 1: invalid escape sequence"},
      {"'a", "syntax error at 0: string literal is not closed"},
      {"'abc", "syntax error at 0: string literal is not closed"},
      {"0x1F", "31"},
      {"0xffffffffffffffff", "syntax error at 18: invalid int literal"},
      {"0xFFu", "255u"},
      {"-0x1", "-1"},
      {"9223372036854775808", "syntax error at 0: invalid int literal"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551616u", "syntax error at 21: invalid uint literal"},
      {"1e3", "double 1000"},
      {"1.5e-3", "double 0.0015"},
      {".5", "double 0.5"},
      {"1.",
       "syntax error at 2: unexpected end of the expression, expected the name of a field or "
       "function"},
      {"1e", "syntax error at 1: unexpected 'e'"},
      {"00012", "12"},
      {"1 // comment", "1"},
      {"1 /* x */", "syntax error at 3: unexpected '*'"},
      {"(1)", "1"},
      {"()", "syntax error at 1: unexpected ')'"},
      {"[1,]", "[1]"},
      {"{'a': 1,}", "{'a': 1}"},
      {"[,]", "[]"},
      {"{,}", "{}"},
      {"f(1,)", "syntax error at 4: unexpected ')'"},
      {"1 +", "syntax error at 3: unexpected end of the expression"},
      {"+ 1", "syntax error at 0: unexpected '+'"},
      {"1 2", "syntax error at 2: unexpected '2'"},
      {"a b", "syntax error at 2: unexpected 'b'"},
      {"!true", "false"},
      {"!!true", "true"},
      {"--1", "1"},
      {"---1", "-1"},
      {"- 1", "-1"},
      {"-(1)", "-1"},
      {"-!true", "syntax error at 1: unexpected '!'"},
      {"!(-1 < 0)", "false"},
      {"1 - -1", "2"},
      {"1--1", "2"},
      {"1 == 1 == true", "true"},
      {"1 < 2 == true", "true"},
      {"true ? 1 : false ? 2 : 3", "1"},
      {"true ? true ? 1 : 2 : 3", "syntax error at 12: unexpected '?', expected ':'"},
      {"true || false && false", "true"},
      {"if", "syntax error at 0: 'if' is a reserved word"},
      {"for + 1", "syntax error at 0: 'for' is a reserved word"},
      {"self.in", "syntax error at 5: unexpected 'in', expected the name of a field or function"},
      {"`a`", "syntax error at 0: unexpected 'a'"},
      {"{'if': 1}.if", "1"},
      {"{'true': 1}.true",
       "syntax error at 12: unexpected 'true', expected the name of a field or function"},
      {"$a", "syntax error at 0: unexpected character '$'"},
      {"a@b", "syntax error at 1: unexpected character '@'"},
      {R"(")", "syntax error at 0: string literal is not closed"},
      {R"(\)", R"(syntax error at 0: unexpected character '\')"},
      {"1 = 1", "syntax error at 2: unexpected character '='"},
      {"1 & 1", "syntax error at 2: unexpected character '&'"},
      {"a ? b", "syntax error at 5: unexpected end of the expression, expected ':'"},
      {"[1][0", "syntax error at 5: unexpected end of the expression, expected ']'"},
      {"'a' in ['a', 'b'] && !('c' in ['a', 'b'])", "true"},
      {"{'a': [1, 2]}.a[1]", "2"},
      {"{'a': [{'b': 2}]}.a[0].b", "2"},
      {"1.0 / 3.0", "double 0.3333333333333333"},
  });
  check_all(kEvaluations);
}

TEST_CASE("evaluates macros") {
  constexpr auto kEvaluations = std::to_array<Evaluation>({
      {"has({'a': 1}.a)", "true"},
      {"has({'a': 1}.b)", "false"},
      {"has({'a': null}.a)", "true"},
      {"has(dyn(1).a)", "false"},
      {"has(dyn([1]).a)", "error: no such overload"},
      {"has(dyn(null).a)", "false"},
      {"has({'a': {'b': 1}}.a.b)", "true"},
      {"has({}.a.b)", "error: no such key: a"},
      {"[1, 2, 3].all(x, x > 0)", "true"},
      {"[1, 2, 3].all(x, x > 1)", "false"},
      {"[1, 2, 0].all(x, 1/x > 0)", "false"},
      {"[0, 1, -1].all(x, 1/x > 0)", "false"},
      {"[1, 2, 3].exists(x, x == 2)", "true"},
      {"[0, 2].exists(x, 1/x == 0)", "true"},
      {"[0, 0].exists(x, 1/x == 0)", "error: division by zero"},
      {"[1, 2, 2].exists_one(x, x == 2)", "false"},
      {"[1, 2, 3].exists_one(x, x == 2)", "true"},
      {"[0, 1].exists_one(x, 1/x == 1)", "error: division by zero"},
      {"[1, 2, 3].filter(x, x > 1)", "[2, 3]"},
      {"[1, 2, 3].map(x, x * 2)", "[2, 4, 6]"},
      {"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
      {"{'a': 1, 'b': 2}.map(k, k)", "['a', 'b']"},
      {"{'a': 1}.all(k, k == 'a')", "true"},
      {"{'a': 1}.exists(k, v, v == 1)", "true"},
      {"[1, 2].all(i, v, i + 1 == v)", "true"},
      {"[1, 2].transformList(i, v, i * v)", "[0, 2]"},
      {"[1, 2, 3].transformList(i, v, i > 0, i * v)", "[2, 6]"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", "{'a': 2, 'b': 3}"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1)", "{'b': 3}"},
      {"{'a': 'x'}.transformMapEntry(k, v, {v: k})", "{'x': 'a'}"},
      {"{'a': 'x', 'b': 'x'}.transformMapEntry(k, v, {v: k})", "error: repeated key: x"},
      {"['x', 'y'].transformMapEntry(i, v, {v: i})", "{'x': 0, 'y': 1}"},
      {"[1, 2].existsOne(i, v, v == 1)", "true"},
      {"[dyn(1)].all(x, x)", "error: no such overload"},
      {"[1].map(x, [2].map(x, x))", "[[2]]"},
      {"[1].map(x, [2].map(y, x + y))", "[[3]]"},
      {"[1, 2].map(type, type + 1)", "[2, 3]"},
      {"cel.bind(x, 5, x + x)", "10"},
      {"cel.bind(x, 1/0, true)", "true"},
      {"cel.bind(x, 1/0, x)", "error: division by zero"},
      {"has(a)", "syntax error at 0: the argument of has() must select a field"},
      {"has(a[0])", "syntax error at 0: the argument of has() must select a field"},
      {"[1].all(1, true)", "syntax error at 8: the argument must be the name of a variable"},
      {"[1].all(x.y, true)", "syntax error at 9: the argument must be the name of a variable"},
      {"[1].exists(x, x, true)", "syntax error at 4: the names of the variables must differ"},
      {"[1].all(self, self == 1)", "true"},
      {"[1].map(x, [x].exists(y, y == x))", "[true]"},
      {"[[1, 2], [3]].map(x, x.map(y, y + 1))", "[[2, 3], [4]]"},
      {"[1, 2, 3].exists(i, v, i == 0 && v == 1)", "true"},
      {"{'a': 1}.transformList(k, v, k + string(v))", "['a1']"},
      {"{'a': {'b': {'c': 1}}}.a.b.c == 1 && has({'a': {'b': 1}}.a.b)", "true"},
  });
  check_all(kEvaluations);
}

TEST_CASE("evaluates optional values") {
  constexpr auto kEvaluations = std::to_array<Evaluation>({
      {"optional.of(1)", "some(1)"},
      {"optional.none()", "none"},
      {"optional.of(1).value()", "1"},
      {"optional.none().value()", "error: optional.none() dereference"},
      {"optional.of(1).hasValue()", "true"},
      {"optional.none().orValue(5)", "5"},
      {"optional.of(1).orValue(1/0)", "1"},
      {"optional.of(1).or(optional.of(1/0))", "some(1)"},
      {"optional.none().or(optional.of(2))", "some(2)"},
      {"optional.ofNonZeroValue(0)", "none"},
      {"optional.ofNonZeroValue('')", "none"},
      {"optional.ofNonZeroValue(1)", "some(1)"},
      {"{'a': 1}.?a", "some(1)"},
      {"{'a': 1}.?b", "none"},
      {"{'a': {'b': 1}}.?a.b", "some(1)"},
      {"{'a': {'b': 1}}.?c.b", "none"},
      {"{'a': {'b': 1}}.?c.?b.orValue(3)", "3"},
      {"{'a': 1}[?'a']", "some(1)"},
      {"[1, 2][?0]", "some(1)"},
      {"[1, 2][?5]", "none"},
      {"[1, 2][?-1]", "none"},
      {"[?optional.of(1), ?optional.none(), 3]", "[1, 3]"},
      {"{?'a': optional.of(1), ?'b': optional.none()}", "{'a': 1}"},
      {"optional.of(1).optMap(x, x + 1)", "some(2)"},
      {"optional.none().optMap(x, x + 1)", "none"},
      {"optional.of(1).optFlatMap(x, optional.of(x + 1))", "some(2)"},
      {"optional.of(1) == optional.of(1)", "true"},
      {"optional.of(1) == optional.none()", "false"},
      {"has(optional.of({'a': 1}).a)", "true"},
      {"has(optional.of({'a': 1}).b)", "false"},
      {"has({}.?a.b)", "false"},
      {"type(optional.of(1))", "type optional_type"},
      {"dyn(1).?a", "none"},
      {"dyn('a').?a", "none"},
      {"dyn(null).?a", "none"},
      {"dyn([1]).?a", "error: invalid index of a list"},
      {"dyn([1])[?'a']", "error: invalid index of a list"},
      {"dyn(1)[?0]", "none"},
      {"dyn('a')[?0]", "none"},
      {"optional.of(dyn(1)).a", "none"},
      {"optional.of([1])[0]", "some(1)"},
      {"optional.of([1])[5]", "none"},
      {"optional.of({'a': 1}).b", "none"},
      {"dyn(optional.of(1)).orValue(2)", "1"},
      {"dyn(5).or(optional.of(1))", "5"},
  });
  check_all(kEvaluations);
}

TEST_CASE("an unknown operand counts unless another one decides") {
  constexpr auto kEvaluations = std::to_array<Evaluation>({
      {"f() || true", "true"},
      {"f() && false", "false"},
      {"f() || false", "unknown: function 'f'"},
      {"1 / 0 > 0 || f()", "unknown: function 'f'"},
      {"f() && 1 / 0 > 0", "unknown: function 'f'"},
      {"[1, 2].exists(x, x == 2 || f())", "true"},
      {"[1, 2].all(x, x == 1 && f())", "false"},
      {"true ? 1 : f()", "1"},
      {"f() ? 1 : 2", "unknown: function 'f'"},
      {"1 / 0 + f()", "unknown: function 'f'"},
      {"[f()].size()", "unknown: function 'f'"},
      {"optional.of(1).orValue(f())", "1"},
  });
  check_all(kEvaluations);
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

TEST_CASE("locates the first syntax error") {
  constexpr auto kEvaluations = std::to_array<Evaluation>({
      {"", "syntax error at 0: unexpected end of the expression"},
      {"a.all(1, true)", "syntax error at 6: the argument must be the name of a variable"},
      {"a +* b", "syntax error at 3: unexpected '*'"},
      {"a b", "syntax error at 2: unexpected 'b'"},
      {"f(a", "syntax error at 3: unexpected end of the expression, expected ')'"},
      {"'a", "syntax error at 0: string literal is not closed"},
      {"has(a)", "syntax error at 0: the argument of has() must select a field"},
      {"a \x01", "syntax error at 2: unexpected character '\\x01'"},
      {"'\xff'", "syntax error at 0: string literal is not valid UTF-8"},
      {"while", "syntax error at 0: 'while' is a reserved word"},
      {"a.1", "syntax error at 1: unexpected '.1'"},
  });
  check_all(kEvaluations);
}

TEST_CASE("limits the depth of expressions") {
  constexpr std::size_t kDeep = 40'000;
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"[", "]"}, {"{1:", "}"}, {"f(", ")"}, {"a[", "]"}, {"true?1:", ""}}) {
    CAPTURE(open);
    const std::string text =
        repeat_text(open, kDeep / open.size()) + "1" + repeat_text(close, kDeep / open.size());
    CHECK(evaluated(text).find("nested too deeply") != std::string::npos);
  }
  CHECK(evaluated(repeat_text("(", 200) + "1" + repeat_text(")", 200)) == "1");
  CHECK(evaluated("1" + repeat_text("+1", 40'000)).find("nested too deeply") != std::string::npos);
  CHECK(evaluated("1" + repeat_text("+1", 400)) == "401");
  CHECK(evaluated("true" + repeat_text("&&true", 10'000)) == "true");
  CHECK(evaluated(repeat_text("!", 90'000) + "true") == "true");
  CHECK(evaluated(repeat_text("-", 90'001) + "x").starts_with("unknown"));
  CHECK(evaluated("a" + repeat_text(".a", 40'000)).find("nested too deeply") != std::string::npos);
  CHECK(evaluated(repeat_text(" ", 100'001)).find("100,000 characters") != std::string::npos);
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
