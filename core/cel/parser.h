#pragma once

#include <optional>
#include <string_view>

#include "core/cel/ast.h"
#include "core/cel/lexer.h"

namespace cnsched::cel {

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
