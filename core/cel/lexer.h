#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/cel/value.h"

namespace cnsched::cel {

/// What is wrong with the text of an expression, and where: a byte offset.
struct SyntaxError {
  std::size_t at = 0;
  std::string message;
};

/// The value of a decimal number such as "-1.5e3", 0 for one that is too small; nothing for one
/// that is too large or invalid. The locale is always "C".
std::optional<double> decimal_number(const std::string& text);

struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,
    quoted_identifier,
    number,
    literal,
    symbol,
    word
  };
  Kind kind = Kind::end;
  std::size_t at = 0;
  std::string_view text;  ///< as written; of a quoted identifier without the quotes
  Value value{};          ///< of a literal

  /// Whether it is that operator, bracket or word of the grammar (`in`).
  bool is(std::string_view symbol) const {
    return (kind == Kind::symbol || kind == Kind::word) && text == symbol;
  }
};

/// Splits an expression into tokens, with blanks and comments removed.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  /// The first error. The lexer returns `end` from there on.
  const std::optional<SyntaxError>& error() const { return error_; }
  void fail(std::size_t at, std::string message);

 private:
  struct Quotes {
    std::string_view mark;  ///< ' " ''' or """
    bool is_raw = false;
    bool is_bytes = false;
  };

  void skip_blanks();
  Token word(std::size_t begin);
  Token number(std::size_t begin);
  Token quoted_identifier(std::size_t begin);
  Token literal(std::size_t begin, const Quotes& quotes);
  std::optional<Quotes> quotes_at(std::size_t at) const;
  std::size_t digits(std::size_t from, bool hexadecimal) const;
  Value value_of_number(std::string_view digits, bool hexadecimal, bool is_unsigned);
  bool escape(const Quotes& quotes, std::string& content);
  bool code_point(std::size_t length, unsigned base, const Quotes& quotes, std::string& content);
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace cnsched::cel
