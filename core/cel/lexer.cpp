#include "core/cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.h"

namespace cnsched::cel {

namespace {

/// Longest first.
constexpr auto kSymbols = std::to_array<std::string_view>({
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/",
    "%",  "!",  "?",  ":",  ".",  ",",  "(", ")", "[", "]", "{", "}",
});

bool starts_identifier(char c) { return c == '_' || (is_alphanumeric(c) && !is_digit(c)); }
bool continues_identifier(char c) { return c == '_' || is_alphanumeric(c); }

/// The value of a digit, or a large number.
unsigned digit_of(char c) {
  constexpr unsigned kNone = 99;
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? static_cast<unsigned>(low - 'a') + 10U : kNone;
}

/// What a backslash before `c` means, except for codes.
std::optional<char> simple_escape(char c) {
  constexpr std::string_view kWritten = R"(abfnrtv\?"'`)";
  constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\?\"'`";
  const std::size_t at = kWritten.find(c);
  return at == std::string_view::npos ? std::nullopt : std::optional(kMeant[at]);
}

}  // namespace

std::optional<double> decimal_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_all = end == text.c_str() + text.size();
  return is_all && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void Lexer::fail(std::size_t at, std::string message) {
  if (!error_) error_ = SyntaxError{at, std::move(message)};
  at_ = text_.size();
}

void Lexer::skip_blanks() {
  constexpr std::string_view kBlanks = " \t\r\n\f";
  while (at_ < text_.size()) {
    if (kBlanks.find(text_[at_]) != std::string_view::npos) {
      ++at_;
    } else if (rest().starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  const std::size_t begin = at_;
  if (begin >= text_.size()) return {.at = text_.size()};
  if (const auto quotes = quotes_at(begin)) return literal(begin, *quotes);
  const char c = text_[begin];
  if (starts_identifier(c)) return word(begin);
  if (c == '`') return quoted_identifier(begin);
  const bool is_fraction = c == '.' && begin + 1 < text_.size() && is_digit(text_[begin + 1]);
  if (is_digit(c) || is_fraction) return number(begin);
  for (const std::string_view symbol : kSymbols) {
    if (!rest().starts_with(symbol)) continue;
    at_ += symbol.size();
    return {.kind = Token::Kind::symbol, .at = begin, .text = symbol};
  }
  const std::size_t length = std::max<std::size_t>(utf8_length(rest()), 1);
  fail(begin, fmt::format("unexpected character '{}'", printable(rest().substr(0, length))));
  return {.at = begin};
}

Token Lexer::word(std::size_t begin) {
  while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
  const std::string_view name = text_.substr(begin, at_ - begin);
  Token token{.kind = Token::Kind::identifier, .at = begin, .text = name};
  if (name == "true" || name == "false" || name == "null") {
    token.kind = Token::Kind::literal;
    token.value = name == "null" ? Value() : Value(name == "true");
  }
  if (name == "in") token.kind = Token::Kind::word;
  return token;
}

Token Lexer::quoted_identifier(std::size_t begin) {
  constexpr std::string_view kOthers = "_.-/ ";
  const std::size_t end = text_.find('`', begin + 1);
  const std::string_view name =
      end == std::string_view::npos ? "" : text_.substr(begin + 1, end - begin - 1);
  const bool is_valid = std::ranges::all_of(name, [&](char c) {
    return is_alphanumeric(c) || kOthers.find(c) != std::string_view::npos;
  });
  if (name.empty() || !is_valid) {
    fail(begin, "invalid quoted identifier");
    return {.at = begin};
  }
  at_ = end + 1;
  return {.kind = Token::Kind::quoted_identifier, .at = begin, .text = name};
}

std::size_t Lexer::digits(std::size_t from, bool hexadecimal) const {
  const unsigned base = hexadecimal ? 16 : 10;
  while (from < text_.size() && digit_of(text_[from]) < base) ++from;
  return from;
}

Token Lexer::number(std::size_t begin) {
  const bool hexadecimal = rest().starts_with("0x") && digits(begin + 2, true) > begin + 2;
  const std::size_t first = hexadecimal ? begin + 2 : begin;
  std::size_t end = digits(first, hexadecimal);
  bool is_floating = false;
  if (!hexadecimal) {
    const std::size_t fraction =
        end < text_.size() && text_[end] == '.' ? digits(end + 1, false) : 0;
    is_floating = fraction > end + 1;
    if (is_floating) end = fraction;
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const bool has_sign =
          end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-');
      const std::size_t power = end + (has_sign ? 2 : 1);
      if (digits(power, false) > power) {
        end = digits(power, false);
        is_floating = true;
      }
    }
  }
  Token token{.kind = Token::Kind::number, .at = begin};
  at_ = end;
  if (is_floating) {
    const std::string_view written = text_.substr(begin, end - begin);
    const auto value = decimal_number(std::string(written));
    if (!value) fail(begin, "invalid double literal");
    token.value = value.value_or(0);
  } else {
    const bool is_unsigned = end < text_.size() && (text_[end] == 'u' || text_[end] == 'U');
    if (is_unsigned) ++at_;
    token.value = value_of_number(text_.substr(first, end - first), hexadecimal, is_unsigned);
  }
  token.text = text_.substr(begin, std::max(at_, begin) - begin);
  if (error_) return {.at = begin};
  return token;
}

/// An integer may be 2^63: with a minus before it, it is the smallest. The parser checks that.
Value Lexer::value_of_number(std::string_view digits, bool hexadecimal, bool is_unsigned) {
  const auto value = whole_number<std::uint64_t>(digits, hexadecimal ? 16 : 10);
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63U;
  if (!value || (!is_unsigned && *value > kSmallest)) {
    fail(at_, is_unsigned ? "invalid uint literal" : "invalid int literal");
    return {};
  }
  if (is_unsigned) return *value;
  return static_cast<std::int64_t>(*value);
}

std::optional<Lexer::Quotes> Lexer::quotes_at(std::size_t at) const {
  Quotes quotes;
  const auto take_prefix = [&](char low, char high) {
    const bool found = at < text_.size() && (text_[at] == low || text_[at] == high);
    at += found ? 1 : 0;
    return found;
  };
  quotes.is_bytes = take_prefix('b', 'B');
  quotes.is_raw = take_prefix('r', 'R');
  for (const std::string_view mark : {R"(""")", "'''", "\"", "'"}) {
    if (!text_.substr(std::min(at, text_.size())).starts_with(mark)) continue;
    quotes.mark = mark;
    return quotes;
  }
  return std::nullopt;
}

Token Lexer::literal(std::size_t begin, const Quotes& quotes) {
  at_ = text_.find(quotes.mark.front(), begin) + quotes.mark.size();
  const bool is_multiline = quotes.mark.size() > 1;
  std::string content;
  while (at_ < text_.size() && !rest().starts_with(quotes.mark)) {
    const char c = text_[at_];
    if (!is_multiline && (c == '\n' || c == '\r')) break;
    if (c == '\\' && !quotes.is_raw) {
      if (!escape(quotes, content)) return {.at = begin};
      continue;
    }
    // In raw text a backslash keeps its meaning for the end: r'\'' has no end.
    content += c;
    ++at_;
  }
  if (!rest().starts_with(quotes.mark)) {
    fail(begin, "string literal is not closed");
    return {.at = begin};
  }
  at_ += quotes.mark.size();
  if (!quotes.is_bytes && !is_utf8(content)) {
    fail(begin, "string literal is not valid UTF-8");
    return {.at = begin};
  }
  Token token{.kind = Token::Kind::literal, .at = begin, .text = text_.substr(begin, at_ - begin)};
  Text text(std::move(content));
  token.value = quotes.is_bytes ? Value(Bytes{std::move(text)}) : Value(std::move(text));
  return token;
}

/// Reads an escape sequence into `content`.
bool Lexer::escape(const Quotes& quotes, std::string& content) {
  const std::size_t begin = at_++;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (const auto simple = simple_escape(c)) {
    content += *simple;
    ++at_;
    return true;
  }
  bool is_valid = false;
  if (c >= '0' && c <= '3') {
    is_valid = code_point(3, 8, quotes, content);
  } else if (c == 'x' || c == 'X') {
    ++at_;
    is_valid = code_point(2, 16, quotes, content);
  } else if ((c == 'u' || c == 'U') && !quotes.is_bytes) {
    ++at_;
    is_valid = code_point(c == 'u' ? 4 : 8, 16, quotes, content);
  }
  if (!is_valid) fail(begin, "invalid escape sequence");
  return is_valid;
}

/// Reads `length` digits.
bool Lexer::code_point(std::size_t length, unsigned base, const Quotes& quotes,
                       std::string& content) {
  constexpr unsigned kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF, kLast = 0x10FFFF;
  unsigned value = 0;
  for (const std::size_t end = at_ + length; at_ < end; ++at_) {
    const unsigned digit = at_ < text_.size() ? digit_of(text_[at_]) : base;
    if (digit >= base || value > kLast) return false;
    value = value * base + digit;
  }
  if (quotes.is_bytes) {
    content += static_cast<char>(value);
    return value <= UINT8_MAX;
  }
  if (value > kLast || (value >= kFirstSurrogate && value <= kLastSurrogate)) return false;
  content += utf8_of(value);
  return true;
}

}  // namespace cnsched::cel
