#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

/// An expression of a Go template. A pipeline is nested calls: `a | f b` is `f b a`.
struct TemplateExpression {
  enum class Kind : std::uint8_t { unknown, string, other_literal, dot, variable, call };
  Kind kind = Kind::unknown;
  /// Of a literal its value, of a variable its name with "$", of a call the function.
  std::string text{};
  std::vector<std::string> path{};              ///< `.a.b` after it
  std::vector<TemplateExpression> arguments{};  ///< of a call
  std::uint32_t begin = 0;                      ///< bytes of the template
  std::uint32_t end = 0;

  bool is_empty() const { return kind == Kind::unknown && begin == end; }
};

/// Whether the expression calls the function.
bool is_call(const TemplateExpression& expression, std::string_view function);
/// Whether it calls a function that prints a definition: its first argument is the name.
bool is_include(const TemplateExpression& expression);

/// A part of a template: text, or an action with its braces.
struct TemplatePiece {
  enum class Kind : std::uint8_t {
    text,
    output,      ///< prints the value of its expression
    assignment,  ///< `$x := …`, `$x = …`
    open,        ///< of a block
    otherwise,   ///< `else`, `else if`, `else with`
    close,       ///< `end`
    jump,        ///< `break`, `continue`
    comment,
  };
  Kind kind = Kind::text;
  std::uint32_t begin = 0;  ///< of text, without what the actions around it trim
  std::uint32_t end = 0;
  std::size_t block = 0;  ///< the innermost block around it; of `open` and `close`, their own
  bool trims_line_break = false;         ///< of text: the action after it trims the end of its line
  bool trims_before = false;             ///< of text: the action before it trims its start
  TemplateExpression expression{};       ///< of `output`, `assignment`, `open` and `otherwise`
  std::vector<std::string> variables{};  ///< that it sets
};

/// A block of actions up to its `end`.
struct TemplateBlock {
  enum class Kind : std::uint8_t { file, define, range, with, condition };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  Kind kind = Kind::file;
  std::size_t parent = 0;
  std::size_t open = kNone;       ///< its pieces
  std::size_t otherwise = kNone;  ///< the first `else`
  std::size_t close = kNone;
  std::string name{};  ///< of a template that it defines
};

/// The structure of a Go template as Helm reads it. It says which text is printed as it is, and
/// which expressions print the rest; it evaluates nothing. Source: Go text/template/parse (1.24).
struct GoTemplate {
  std::vector<TemplatePiece> pieces{};
  std::vector<TemplateBlock> blocks{};  ///< the first one is the file
  bool is_complete = false;  ///< false: its actions do not nest, and nothing is known about it

  /// The nearest block around `block`, or itself, that is a definition or the file.
  std::size_t definition_of(std::size_t block) const;
};

GoTemplate read_go_template(std::string_view text);

}  // namespace cnsched
