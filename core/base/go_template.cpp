#include "core/base/go_template.h"

#include <optional>

#include "core/base/text.h"

namespace cnsched {

namespace {

constexpr std::size_t kMaxDepth = 100;  ///< of expressions and blocks

bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }

/// The end of the literal that begins at `at` with a quote; the end of the text if it is open.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote != '`') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return text.size();
}

/// Parses what is between the braces of an action.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::size_t at, std::size_t end)
      : text_(text.substr(0, end)), at_(at) {}

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool is_at(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  bool take(std::string_view token) {
    skip_space();
    if (!is_at(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// `$x, $y :=` or `=`; nothing is taken if there is no such sign.
  std::vector<std::string> take_variables() {
    const std::size_t begin = at_;
    std::vector<std::string> names;
    do {
      skip_space();
      if (!is_at("$")) break;
      ++at_;
      names.push_back("$" + std::string(take_word()));
    } while (take(","));
    if (!names.empty() && (take(":=") || (take("=") && !is_at("=")))) return names;
    at_ = begin;
    return {};
  }

  TemplateExpression pipeline(std::size_t depth = 0) {
    TemplateExpression value = command(depth);
    for (std::size_t length = 1; take("|"); ++length) {
      TemplateExpression next = command(depth);
      next.begin = value.begin;
      if (length >= kMaxDepth) {
        value = {.begin = next.begin, .end = next.end};  // unknown
        continue;
      }
      if (next.kind != TemplateExpression::Kind::call)
        next.kind = TemplateExpression::Kind::unknown;
      next.arguments.push_back(std::move(value));
      value = std::move(next);
    }
    return value;
  }

 private:
  TemplateExpression command(std::size_t depth) {
    TemplateExpression first = operand(depth);
    if (first.kind != TemplateExpression::Kind::call || !first.arguments.empty()) {
      // A field that is a method may have arguments.
      while (starts_operand()) {
        first.kind = TemplateExpression::Kind::unknown;
        operand(depth);
      }
      return first;
    }
    while (starts_operand()) first.arguments.push_back(operand(depth));
    first.end = static_cast<std::uint32_t>(at_);
    return first;
  }

  bool starts_operand() {
    skip_space();
    return at_ < text_.size() && text_[at_] != ')' && text_[at_] != '|' && text_[at_] != ',';
  }

  TemplateExpression operand(std::size_t depth) {
    skip_space();
    TemplateExpression value;
    value.begin = value.end = static_cast<std::uint32_t>(at_);
    if (at_ >= text_.size()) return value;
    const char c = text_[at_];
    if (c == '(' && depth < kMaxDepth) {
      ++at_;
      value = pipeline(depth + 1);
      take(")");
    } else if (c == '"' || c == '`' || c == '\'') {
      value.kind = TemplateExpression::Kind::string;
      const std::size_t end = end_of_quoted(text_, at_);
      value.text = unquoted(text_.substr(at_, end - at_));
      at_ = end;
    } else if (c == '$') {
      ++at_;
      value.kind = TemplateExpression::Kind::variable;
      value.text = "$" + std::string(take_word());
    } else if (c == '.') {
      value.kind = TemplateExpression::Kind::dot;
      if (at_ + 1 >= text_.size() || !is_word(text_[at_ + 1])) ++at_;
    } else if (is_word(c) || c == '-' || c == '+') {
      take_name_or_number(value);
    } else {
      ++at_;
    }
    take_path(value);
    value.end = static_cast<std::uint32_t>(at_);
    return value;
  }

  void take_name_or_number(TemplateExpression& value) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() &&
           (is_word(text_[at_]) || (text_[begin] < 'A' && text_[at_] == '.'))) {
      ++at_;
    }
    value.text = text_.substr(begin, at_ - begin);
    const bool is_name = (text_[begin] >= 'A' && value.text != "true" && value.text != "false" &&
                          value.text != "nil");
    value.kind = is_name ? TemplateExpression::Kind::call : TemplateExpression::Kind::other_literal;
  }

  void take_path(TemplateExpression& value) {
    while (at_ + 1 < text_.size() && text_[at_] == '.' && is_word(text_[at_ + 1])) {
      ++at_;
      value.path.emplace_back(take_word());
    }
  }

  /// The value of a Go literal; of one with other escapes than \" and \\ the source.
  static std::string unquoted(std::string_view literal) {
    if (literal.size() < 2) return {};
    const std::string_view inner = literal.substr(1, literal.size() - 2);
    if (literal.front() == '`') return std::string(inner);
    std::string text;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const bool escapes =
          inner[i] == '\\' && i + 1 < inner.size() && (inner[i + 1] == '"' || inner[i + 1] == '\\');
      text += inner[escapes ? ++i : i];
    }
    return text;
  }

  std::string_view text_;
  std::size_t at_;
};

/// Divides a template into pieces and blocks.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  GoTemplate read() {
    result_.blocks.emplace_back();
    std::size_t at = 0;
    while (true) {
      const std::size_t open = text_.find("{{", at);
      const std::size_t text_end = open == std::string_view::npos ? text_.size() : open;
      add_text(at, text_end, open != std::string_view::npos && has_trim(open + 2));
      if (open == std::string_view::npos) break;
      const std::optional<std::size_t> end = add_action(open);
      if (!end) return std::move(result_);
      at = *end;
    }
    result_.is_complete = open_.empty();
    return std::move(result_);
  }

 private:
  using Kind = TemplatePiece::Kind;

  bool has_trim(std::size_t at) const {
    return text_.substr(at).starts_with('-') && at + 1 < text_.size() && is_space(text_[at + 1]);
  }
  std::size_t block() const { return open_.empty() ? 0 : open_.back(); }

  void add_text(std::size_t begin, std::size_t end, bool trims_end) {
    TemplatePiece piece{.kind = Kind::text, .block = block(), .trims_before = trims_};
    if (trims_) {
      while (begin < end && is_space(text_[begin])) ++begin;
    }
    if (trims_end) {
      const std::size_t whole = end;
      while (begin < end && is_space(text_[end - 1])) --end;
      piece.trims_line_break = text_.substr(end, whole - end).find('\n') != std::string_view::npos;
    }
    piece.begin = static_cast<std::uint32_t>(begin);
    piece.end = static_cast<std::uint32_t>(end);
    result_.pieces.push_back(std::move(piece));
  }

  /// Where the braces of the action close; nothing if they do not.
  std::optional<std::size_t> close_of(std::size_t at) const {
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '"' || c == '`' || c == '\'') {
        at = end_of_quoted(text_, at) - 1;
      } else if (text_.substr(at).starts_with("}}")) {
        return at;
      }
    }
    return std::nullopt;
  }

  /// Returns the byte after the action; nothing if the template is invalid.
  std::optional<std::size_t> add_action(std::size_t open) {
    std::size_t begin = open + 2;
    if (has_trim(begin)) ++begin;
    while (begin < text_.size() && is_space(text_[begin])) ++begin;
    std::optional<std::size_t> close;
    if (text_.substr(begin).starts_with("/*")) {
      const std::size_t end = text_.find("*/", begin + 2);
      if (end != std::string_view::npos) close = text_.find("}}", end);
      if (!close || *close == std::string_view::npos) return std::nullopt;
    } else {
      close = close_of(begin);
      if (!close) return std::nullopt;
    }
    std::size_t end = *close;
    trims_ = end > begin && text_[end - 1] == '-' && end - 1 > open + 2 && is_space(text_[end - 2]);
    if (trims_) --end;
    TemplatePiece piece{.begin = static_cast<std::uint32_t>(open),
                        .end = static_cast<std::uint32_t>(*close + 2),
                        .block = block()};
    if (text_.substr(begin).starts_with("/*")) {
      piece.kind = Kind::comment;
    } else if (!read_action(begin, end, piece)) {
      return std::nullopt;
    }
    result_.pieces.push_back(std::move(piece));
    return *close + 2;
  }

  /// Reads the keyword and the expression. False if the blocks do not nest.
  bool read_action(std::size_t begin, std::size_t end, TemplatePiece& piece) {
    ExpressionParser parser(text_, begin, end);
    const std::string_view word = parser.take_word();
    if (word == "if" || word == "with" || word == "range" || word == "define" || word == "block") {
      return open(word, parser, piece);
    }
    if (word == "else") {
      if (open_.empty()) return false;
      piece.kind = Kind::otherwise;
      TemplateBlock& opened = result_.blocks[open_.back()];
      if (opened.otherwise == TemplateBlock::kNone) opened.otherwise = result_.pieces.size();
      parser.skip_space();
      parser.take_word();
      piece.variables = parser.take_variables();
      piece.expression = parser.pipeline();
      return true;
    }
    if (word == "end") {
      if (open_.empty()) return false;
      piece.kind = Kind::close;
      result_.blocks[open_.back()].close = result_.pieces.size();
      open_.pop_back();
      return true;
    }
    if (word == "break" || word == "continue") {
      piece.kind = Kind::jump;
      return true;
    }
    ExpressionParser whole(text_, begin, end);
    piece.variables = whole.take_variables();
    piece.kind = piece.variables.empty() ? Kind::output : Kind::assignment;
    piece.expression = whole.pipeline();
    return true;
  }

  bool open(std::string_view word, ExpressionParser& parser, TemplatePiece& piece) {
    if (open_.size() >= kMaxDepth) return false;
    TemplateBlock opened{
        .kind = TemplateBlock::Kind::condition, .parent = block(), .open = result_.pieces.size()};
    if (word == "range") opened.kind = TemplateBlock::Kind::range;
    if (word == "with") opened.kind = TemplateBlock::Kind::with;
    piece.kind = Kind::open;
    piece.variables = parser.take_variables();
    piece.expression = parser.pipeline();
    if (word == "define" || word == "block") {
      opened.kind = TemplateBlock::Kind::define;
      opened.name = piece.expression.text;
    }
    piece.block = result_.blocks.size();
    open_.push_back(result_.blocks.size());
    result_.blocks.push_back(std::move(opened));
    return true;
  }

  std::string_view text_;
  GoTemplate result_;
  std::vector<std::size_t> open_;  ///< blocks
  bool trims_ = false;             ///< the last action trims the text after it
};

}  // namespace

bool is_call(const TemplateExpression& expression, std::string_view function) {
  return expression.kind == TemplateExpression::Kind::call && expression.text == function;
}

bool is_include(const TemplateExpression& expression) {
  return (is_call(expression, "include") || is_call(expression, "template")) &&
         !expression.arguments.empty();
}

std::size_t GoTemplate::definition_of(std::size_t block) const {
  while (block != 0 && blocks[block].kind != TemplateBlock::Kind::define) {
    block = blocks[block].parent;
  }
  return block;
}

GoTemplate read_go_template(std::string_view text) { return Reader(text).read(); }

}  // namespace cnsched
