#pragma once

// The one evaluator of CEL (Common Expression Language), for the rules of CRDs
// (x-kubernetes-validations) and the selectors of devices (DRA).
//
// Evaluated are all operators, literals and macros of the language (has, all, exists, exists_one,
// filter, map, cel.bind, two-variable comprehensions, optional values), and the functions of
// `functions()` in core/cel/functions.h, which is the one list of them. There are no protocol
// buffers, no time zones by name and no authorizer. Types are checked when a value is used, not
// before. Whatever is not evaluated gives "unknown" with its name, never a value.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/cel/lexer.h"
#include "core/cel/parser.h"
#include "core/cel/value.h"

namespace cnsched::cel {

struct Variable {
  std::string_view name;
  Value value;
};

/// The number of steps that evaluations may take together: visited nodes, and pieces of text. A
/// step takes about 0.1 µs. The API server's own limit for an expression is about the same number.
struct Budget {
  static constexpr std::uint64_t kPerExpression = 1'000'000;
  std::uint64_t steps = kPerExpression;
};

/// A compiled expression. It may be evaluated from several threads at once.
class Program {
 public:
  /// A value, an error of CEL ("no such key: x"), or unknown: a variable that is not given, a
  /// function that this evaluator lacks, or "the cost limit". Takes from `budget` what it costs.
  /// The value may refer to the program and the variables.
  Value evaluate(std::span<const Variable> variables, Budget& budget) const;

  /// Whether the expression names that variable, such as `oldSelf`.
  bool mentions(std::string_view variable) const;

 private:
  friend struct Compiled compile(std::string_view text);
  explicit Program(std::shared_ptr<const Ast> ast) : ast_(std::move(ast)) {}

  std::shared_ptr<const Ast> ast_;
};

/// A program, or why there is none.
struct Compiled {
  std::optional<Program> program;
  SyntaxError error{};
  explicit operator bool() const { return program.has_value(); }
};

/// Compiles an expression. Functions that are not known are found when the program runs.
Compiled compile(std::string_view text);

}  // namespace cnsched::cel
