// A reader for an unambiguous subset of YAML: it gives up on tabs, anchors, tags, scalars of
// several lines and unusual indentation, and yaml-cpp then parses the document. Giving up is cheap;
// a wrong tree is not.
#include "core/base/ascii.h"
#include "core/yaml/readers.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "core/base/text.h"
#include "core/yaml/tree_builder.h"

namespace cnsched::yaml {

namespace {

bool is_among(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

bool is_letter_or_digit(char c) { return is_alphanumeric(c); }

/// Whether a plain scalar may begin with the character. ('-' may if no blank follows.)
bool may_begin_plain(char c) { return is_letter_or_digit(c) || is_among(c, "_./$(+~\\"); }

/// The characters of a plain scalar in a flow collection that this reader accepts, besides ':'
/// before one of them.
bool is_plain_in_flow(char c) { return is_letter_or_digit(c) || is_among(c, "_./+-=@%"); }

/// The character of a short JSON escape, if it is one.
std::optional<char> unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

/// Every member function that reads returns false to give up.
class QuickReader {
 public:
  QuickReader(const SourceFile& file, Span where, Document& document)
      : text_(file.text(where)), tree_(where, document) {}

  bool run() {
    if (text_.find('\t') != kNpos || text_.find('\r') != kNpos) return false;
    if (!next_content() || at_end_) return false;
    const char c = text_[at_];
    if (c == '{' || c == '[') return flow_collection(true) && end_line() && at_end_;
    return block_collection() && at_end_;
  }

  std::vector<Comment> comments() { return std::move(comments_); }

 private:
  static constexpr std::size_t kNpos = std::string_view::npos;
  /// yaml-cpp rejects keys of more than 1024 characters, and nesting below 500 levels.
  static constexpr std::size_t kMaxKeyLength = 1000;
  static constexpr std::size_t kMaxDepth = 100;

  char char_at(std::size_t at) const { return at < text_.size() ? text_[at] : '\n'; }
  bool is_blank_at(std::size_t at) const { return char_at(at) == ' ' || char_at(at) == '\n'; }
  bool is_item_at(std::size_t at) const { return char_at(at) == '-' && is_blank_at(at + 1); }
  std::size_t end_of_line(std::size_t at) const {
    return std::min(text_.find('\n', at), text_.size());
  }
  std::size_t skip_spaces(std::size_t at) const {
    while (at < text_.size() && text_[at] == ' ') ++at;
    return at;
  }

  /// Advances from the beginning of a line to the next with more than a comment.
  bool next_content() {
    while (at_ < text_.size()) {
      const std::size_t line = at_;
      at_ = skip_spaces(at_);
      if (at_ == text_.size()) break;
      column_ = at_ - line;
      if (text_[at_] == '\n') {
        ++at_;
      } else if (text_[at_] == '#') {
        comment(true);
      } else if (column_ > 0) {
        return true;
      } else if (text_[at_] == '%' || text_.substr(at_).starts_with("...")) {
        return false;
      } else if (text_.substr(at_).starts_with("---")) {
        if (begun_) return false;
        begun_ = true;
        const std::size_t end = end_of_line(at_);
        if (skip_spaces(at_ + 3) != end) return false;
        at_ = std::min(end + 1, text_.size());
      } else {
        begun_ = true;
        return true;
      }
    }
    at_end_ = true;
    return true;
  }

  /// Advances from the '#' to the beginning of the next line.
  void comment(bool own_line) {
    const std::size_t end = end_of_line(at_);
    comments_.push_back({tree_.span(at_, end), own_line});
    at_ = std::min(end + 1, text_.size());
  }

  /// Expects only a comment after a value; advances to the next content.
  bool end_line() {
    const std::size_t next = skip_spaces(at_);
    if (char_at(next) == '#' && next > at_) {
      at_ = next;
      comment(false);
    } else if (char_at(next) == '\n') {
      at_ = std::min(next + 1, text_.size());
    } else {
      return false;
    }
    return next_content();
  }

  /// Reads the list or mapping that begins at `at_`, in `column_`.
  bool block_collection() {
    if (tree_.depth() >= kMaxDepth) return false;
    return is_item_at(at_) ? sequence() : mapping();
  }

  /// Whether the collection in `column` continues at `at_`; gives up on unexpected content.
  bool continues(std::size_t column) const { return !at_end_ && column_ == column; }
  bool ends(std::size_t column) const { return at_end_ || column_ < column; }

  bool sequence() {
    const std::size_t column = column_;
    tree_.open(Node::Kind::sequence, at_, false);
    while (continues(column) && is_item_at(at_)) {
      ++at_;
      if (!value(column)) return false;
    }
    // The next key may follow in the column of the list's key.
    if (!ends(column) && column_ != column) return false;
    close();
    return true;
  }

  bool mapping() {
    const std::size_t column = column_;
    tree_.open(Node::Kind::mapping, at_, false);
    while (continues(column)) {
      if (is_item_at(at_) || !block_key() || !value(column)) return false;
    }
    if (!ends(column)) return false;
    close();
    return true;
  }

  void close() {
    const TreeBuilder::Closed closed = tree_.close(cursor_);
    tree_.add(closed.node, closed.size);
  }

  /// Advances to the end of the ':' of a key.
  bool block_key() {
    const std::size_t begin = at_;
    if (text_[begin] == '"' || text_[begin] == '\'') {
      if (!quoted()) return false;
    } else {
      const Plain plain = plain_at(begin);
      if (!plain.is_key || !add_plain(begin, plain.end) || last_is_null_) return false;
    }
    if (char_at(at_) != ':' || !is_blank_at(at_ + 1) || at_ - begin > kMaxKeyLength) return false;
    ++at_;
    return true;
  }

  /// Reads the value after a ':' or '-' of a collection in `column`, up to the next content.
  bool value(std::size_t column) {
    const std::size_t sign_end = at_;
    const bool is_item = tree_.top().node->is_sequence();
    const std::size_t begin = skip_spaces(at_);
    switch (char_at(begin)) {
      case '\n':
      case '#':
        return end_line() && value_below(column, sign_end, is_item);
      case '"':
      case '\'':
        if (is_item && is_quoted_key(begin)) return inline_collection(begin, sign_end, column);
        at_ = begin;
        return quoted() && end_line();
      case '{':
      case '[':
        at_ = begin;
        return flow_collection(false) && end_line();
      case '|':
        at_ = begin;
        return literal(column);
      default:
        break;
    }
    if (is_item_at(begin)) return is_item && inline_collection(begin, sign_end, column);
    const Plain plain = plain_at(begin);
    if (plain.is_key) return is_item && inline_collection(begin, sign_end, column);
    // Indented content below continues the scalar.
    return plain.end > begin && add_plain(begin, plain.end) && end_line() &&
           (at_end_ || column_ <= column);
  }

  /// Reads a value below its key or dash, or none.
  bool value_below(std::size_t column, std::size_t sign_end, bool is_item) {
    if (!at_end_ && column_ > column) return block_collection();
    if (!is_item && !at_end_ && column_ == column && is_item_at(at_)) return sequence();
    tree_.add(tree_.make(Node::Kind::null, sign_end, sign_end));
    cursor_ = sign_end;
    return true;
  }

  /// Reads a collection that begins on the line of its dash.
  bool inline_collection(std::size_t begin, std::size_t sign_end, std::size_t column) {
    at_ = begin;
    column_ = column + 1 + (begin - sign_end);
    return block_collection();
  }

  bool is_quoted_key(std::size_t begin) const {
    const char quote = text_[begin];
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != quote) {
      end += text_[end] == '\\' && quote == '"' ? 2 : 1;
    }
    return char_at(end) == quote && char_at(end + 1) == ':' && is_blank_at(end + 2);
  }

  /// The extent of a plain scalar without trailing blanks.
  struct Plain {
    std::size_t end = 0;  ///< equal to the beginning if there is no scalar
    bool is_key = false;
  };
  Plain plain_at(std::size_t begin) const {
    const char first = char_at(begin);
    const bool begins = may_begin_plain(first) || static_cast<unsigned char>(first) >= 0x80 ||
                        (first == '-' && !is_blank_at(begin + 1));
    if (!begins) return {begin, false};
    std::size_t end = begin;
    for (std::size_t at = begin; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == ' ') {
        if (char_at(at + 1) == '#') break;
        continue;
      }
      if (text_[at] == ':' && is_blank_at(at + 1)) return {at, end == at};
      end = at + 1;
    }
    return {end, false};
  }

  bool add_plain(std::size_t begin, std::size_t end) {
    Node* node = tree_.scalar(begin, end, text_.substr(begin, end - begin), false);
    last_is_null_ = node->is_null();
    tree_.add(node);
    at_ = cursor_ = end;
    return true;
  }

  /// Reads a quoted scalar that ends on its line.
  bool quoted() {
    const std::size_t begin = at_;
    const char quote = text_[begin];
    std::size_t end = begin + 1;
    for (bool plain = true;; ++end) {
      const char c = char_at(end);
      if (c == '\n') return false;
      if (quote == '"' && c == '\\') {
        if (plain) unescaped_.assign(text_.substr(begin + 1, end - begin - 1));
        plain = false;
        if (!escape(end)) return false;
        continue;
      }
      if (c == quote) {
        if (quote == '\'' && char_at(end + 1) == quote) {
          if (plain) unescaped_.assign(text_.substr(begin + 1, end - begin - 1));
          plain = false;
          ++end;
        } else {
          add_quoted(begin, end + 1,
                     plain ? text_.substr(begin + 1, end - begin - 1)
                           : tree_.arena().copy(std::string_view(unescaped_)));
          return true;
        }
      }
      if (!plain) unescaped_ += c;
    }
  }

  /// Reads the escape at `at`; sets `at` to its last character.
  bool escape(std::size_t& at) {
    const char c = char_at(++at);
    if (const auto character = unescaped(c)) {
      unescaped_ += *character;
      return true;
    }
    constexpr std::size_t kDigits = 4;
    const std::string_view digits = text_.substr(std::min(at + 1, text_.size()), kDigits);
    unsigned code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    const bool is_code = c == 'u' && error == std::errc() && end == digits.data() + kDigits;
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    // yaml-cpp treats control characters specially.
    if (!is_code || is_surrogate || code < ' ' || code > 0xFFFD) return false;
    unescaped_ += utf8_of(code);
    at += kDigits;
    return true;
  }

  void add_quoted(std::size_t begin, std::size_t end, std::string_view text) {
    tree_.add(tree_.scalar(begin, end, text, true));
    at_ = cursor_ = end;
  }

  /// Reads a `|` or `|-` block whose lines are indented deeper than `column`.
  bool literal(std::size_t column) {
    const std::size_t begin = at_;
    const bool strips = char_at(begin + 1) == '-';
    std::size_t line = skip_spaces(begin + (strips ? 2 : 1));
    if (line >= text_.size() || text_[line] != '\n') return false;
    ++line;
    std::size_t indent = 0;  // of its lines; 0: unknown
    std::size_t end = 0;
    std::size_t blank_lines = 0;
    std::size_t max_blank_width = 0;
    unescaped_.clear();
    while (line < text_.size()) {
      const std::size_t content = skip_spaces(line);
      const std::size_t line_end = end_of_line(line);
      if (content == line_end) {
        max_blank_width = std::max(max_blank_width, content - line);
        ++blank_lines;
      } else {
        if (content - line <= column) break;
        if (indent == 0) indent = content - line;
        if (content - line < indent || line_end == text_.size()) return false;
        unescaped_.append(blank_lines, '\n');
        blank_lines = 0;
        unescaped_.append(text_.substr(line + indent, line_end + 1 - line - indent));
        end = text_.find_last_not_of(' ', line_end - 1) + 1;
      }
      line = line_end + 1;
    }
    if (indent == 0 || max_blank_width > indent) return false;
    if (strips) unescaped_.pop_back();
    add_quoted(begin, end, tree_.arena().copy(std::string_view(unescaped_)));
    at_ = std::min(line, text_.size());
    return next_content();
  }

  /// Skips blanks in a flow collection; line breaks only if it is not in a block collection.
  bool skip_in_flow(bool lines) {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ') {
        ++at_;
      } else if (text_[at_] == '\n' && lines) {
        ++at_;
        if (is_among(char_at(at_), "-.%")) return false;
      } else {
        return text_[at_] != '\n';
      }
    }
    return false;
  }

  bool flow_collection(bool lines) {
    if (tree_.depth() >= kMaxDepth) return false;
    const bool is_mapping = text_[at_] == '{';
    // `{{ name }}` is a template.
    if (is_mapping && char_at(at_ + 1) == '{') return false;
    const char bracket = is_mapping ? '}' : ']';
    tree_.open(is_mapping ? Node::Kind::mapping : Node::Kind::sequence, at_, true);
    ++at_;
    if (!skip_in_flow(lines)) return false;
    for (bool first = true; first ? text_[at_] != bracket : true; first = false) {
      if (is_mapping && (!flow_key() || !skip_in_flow(lines))) return false;
      if (!flow_value(lines) || !skip_in_flow(lines)) return false;
      if (text_[at_] == bracket) break;
      if (text_[at_] != ',') return false;
      ++at_;
      if (!skip_in_flow(lines)) return false;
    }
    cursor_ = ++at_;
    close();
    return true;
  }

  /// Advances to the end of the ':' of a key.
  bool flow_key() {
    const std::size_t begin = at_;
    const bool in_quotes = text_[at_] == '"' || text_[at_] == '\'';
    if (!flow_scalar() || (!in_quotes && last_is_null_)) return false;
    if (char_at(at_) != ':' || at_ - begin > kMaxKeyLength) return false;
    ++at_;
    return in_quotes || is_blank_at(at_);
  }

  bool flow_value(bool lines) {
    return text_[at_] == '{' || text_[at_] == '[' ? flow_collection(lines) : flow_scalar();
  }

  bool flow_scalar() {
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted();
    const std::size_t begin = at_;
    std::size_t end = begin;
    while (is_plain_in_flow(char_at(end)) ||
           (char_at(end) == ':' && is_plain_in_flow(char_at(end + 1)))) {
      ++end;
    }
    const bool begins = may_begin_plain(char_at(begin)) || char_at(begin) == '-';
    if (!begins || end == begin || (text_[begin] == '-' && end == begin + 1)) return false;
    return add_plain(begin, end);
  }

  std::string_view text_;
  TreeBuilder tree_;
  std::vector<Comment> comments_;
  std::string unescaped_;      ///< the text of the current scalar if it has escapes
  std::size_t at_ = 0;         ///< the next position
  std::size_t column_ = 0;     ///< of the content found by `next_content`
  std::size_t cursor_ = 0;     ///< the end of the last token
  bool begun_ = false;         ///< after the line `---`, or the first content
  bool at_end_ = false;        ///< no content follows
  bool last_is_null_ = false;  ///< the last plain scalar means null
};

}  // namespace

bool read_quickly(const SourceFile& file, Span where, Document& document) {
  const Arena::Mark mark = document.arena->mark();
  QuickReader reader(file, where, document);
  if (!reader.run()) {
    document.arena->rewind(mark);
    document.root = &missing_node();
    return false;
  }
  document.comments = reader.comments();
  return true;
}

}  // namespace cnsched::yaml
