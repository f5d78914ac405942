#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pattern.h"
#include "core/cel/lexer.h"
#include "core/cel/value.h"

namespace cnsched::cel {

struct Function;

enum class Op : std::uint8_t {
  literal,
  variable,         ///< `name`
  global_variable,  ///< `.name`
  type_name,        ///< net.IP, unless the variable `name` exists; then the one operand
  select,           ///< operand.name
  optional_select,  ///< operand.?name
  has,              ///< has(operand.name)
  index,            ///< a[b]
  optional_index,   ///< a[?b]
  all_of,           ///< &&, of two and more operands
  any_of,           ///< ||
  conditional,
  negate,
  invert,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  contained,  ///< in
  add,
  subtract,
  multiply,
  divide,
  modulo,
  list,
  map,      ///< keys and values in turn
  maybe,    ///< `?x` in a list, or before a key
  call,     ///< of `function`
  loop,     ///< a macro with a range: range, then the arguments behind the variables
  bind,     ///< cel.bind(name, a, b)
  opt_map,  ///< a.optMap(name, b)
  opt_flat_map,
  unsupported,  ///< `name` says what
};

enum class Loop : std::uint8_t {
  all,
  exists,
  exists_one,
  filter,
  map,
  transform_list,
  transform_map,
  transform_map_entry,
  sort_by,
};

/// One node of a parsed expression. Names, operands and literals are indices into Program's parts.
struct Expression {
  Op op = Op::literal;
  Loop loop = Loop::all;
  std::uint16_t depth = 1;
  std::uint32_t at = 0;             ///< the byte in the text
  std::uint32_t first_operand = 0;  ///< in Ast::operands
  std::uint32_t operand_count = 0;
  std::uint32_t name = 0;         ///< of a variable or a field, or of a loop's first variable
  std::uint32_t second_name = 0;  ///< of a loop with two variables
  std::uint32_t literal = 0;      ///< in Ast::literals
  const Function* function = nullptr;
  const Pattern* pattern = nullptr;  ///< of `matches` with a literal
};

struct Ast {
  std::vector<Expression> expressions;
  std::vector<std::uint32_t> operands;
  std::vector<std::string> names;
  std::vector<Value> literals;
  std::vector<std::unique_ptr<const Pattern>> patterns;
  std::uint32_t root = 0;

  std::uint32_t operand(const Expression& expression, std::size_t index) const {
    return operands[expression.first_operand + index];
  }
  bool has_two_variables(const Expression& loop) const { return loop.second_name != loop.name; }
};

/// The result of parsing: `error`, or a tree.
struct Parsed {
  Ast ast;
  std::optional<SyntaxError> error;
};

/// Parses an expression and expands its macros. As in cel-go, an expression has at most 100,000
/// code points, and at most 250 expressions are nested in parentheses, brackets and calls.
/// Source: https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax.
Parsed parse(std::string_view text);

}  // namespace cnsched::cel
