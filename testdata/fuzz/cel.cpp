// Fuzzes CEL and patterns. Whatever the expression is, it ends within its budget, gives the same
// result twice, and its errors can be printed. The input is split at lines "=== NAME": first the
// expression, then "self" (YAML), which the expression may name.
#include <fmt/format.h>

#include "core/base/pattern.h"
#include "core/cel/program.h"
#include "core/cel/value.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

/// Visits at most `left` parts of a value.
void visit(const cel::Value& value, std::size_t& left) {
  if (left == 0) return;
  --left;
  if (value.is_failure()) require_harmless(value.message(), "an error");
  if (value.is(cel::Kind::list)) {
    for (std::size_t i = 0; i < value.list().size() && left > 0; ++i) {
      visit(value.list().at(i), left);
    }
  }
  if (!value.is(cel::Kind::map)) return;
  for (const cel::Value& key : value.map().keys()) {
    const auto found = value.map().find(key);
    require(found.has_value(), "a map lacks one of its keys");
    visit(*found, left);
  }
}

void check_pattern(const std::string& text) {
  const auto pattern = Pattern::compile(text);
  if (!pattern) return require_harmless(pattern.error().message, "an error of a pattern");
  const auto found = pattern->find_all(text, 10, [](std::size_t) { return true; });
  require(pattern->matches(text) == !found.empty(), "a pattern matches but is not found");
}

void check(const std::vector<Part>& parts) {
  const std::string& text = parts.front().text;
  check_pattern(text);
  const cel::Compiled compiled = cel::compile(text);
  if (!compiled) {
    require(compiled.error.at <= text.size(), "an error is located outside the expression");
    return require_harmless(compiled.error.message, "a syntax error");
  }
  const Documents self(parts.size() > 1 ? parts[1].text : "a: [1, {b: x}]\nc: 2.5\nd: ~\n");
  const yaml::Node& root = self.all.empty() ? yaml::missing_node() : *self.all.front().root;
  const std::vector<cel::Variable> variables = {{"self", cel::value_of(root)}};
  constexpr std::uint64_t kSteps = 20'000;
  cel::Budget budget{.steps = kSteps};
  cel::Budget again{.steps = kSteps};
  const cel::Value value = compiled.program->evaluate(variables, budget);
  const cel::Value twice = compiled.program->evaluate(variables, again);
  require(value.kind() == twice.kind() && budget.steps == again.steps,
          "an expression has two results");
  std::size_t left = 10'000;
  visit(value, left);
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  check(parts_of(text_of(data, size), "expression"));
  return 0;
}
