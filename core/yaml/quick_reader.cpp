// A reader for an unambiguous subset of YAML: it gives up on anchors, tags, merge keys, tabs in
// block collections and unusual indentation, and yaml-cpp then parses the document. Giving up is
// cheap; a wrong tree is not.
#include <algorithm>
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
bool may_begin_plain(char c) { return is_letter_or_digit(c) || is_among(c, "_./$(+~\\^=;"); }

/// The characters of a plain scalar in a flow collection that this reader accepts, besides ':'
/// before one of them.
bool is_plain_in_flow(char c) { return is_letter_or_digit(c) || is_among(c, "_./+-=@%()$>|;^"); }

/// The character of a short escape that is common, if it is one.
std::optional<char> unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
    case ' ':
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
    if (text_.find('\r') != kNpos || !next_content() || at_end_) return false;
    const char c = text_[at_];
    if (c == '{' || c == '[') return flow_collection() && end_line() && at_end_;
    return text_.find('\t') == kNpos && block_collection() && at_end_;
  }

  /// Whether it has given up at an action of a template. What precedes that is YAML, and `{{` is a
  /// mapping as a key, which no manifest has.
  bool is_at_action() const { return text_.substr(at_).starts_with("{{"); }

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
        return quoted(column) && ends_value(column);
      case '{':
      case '[':
        at_ = begin;
        return flow_collection() && end_line();
      case '|':
      case '>':
        at_ = begin;
        return block_scalar(column);
      default:
        break;
    }
    if (is_item_at(begin)) return is_item && inline_collection(begin, sign_end, column);
    const Plain plain = plain_at(begin);
    if (plain.is_key) return is_item && inline_collection(begin, sign_end, column);
    return plain.end > begin && plain_value(begin, plain.end, column);
  }

  /// Reads the plain scalar at `begin`, whose first line ends at `end`. Its other lines are
  /// indented deeper than `column`.
  bool plain_value(std::size_t begin, std::size_t end, std::size_t column) {
    Continuation next = plain_continuation(end, column);
    if (next.at == kNpos) return add_plain(begin, end) && ends_value(column);
    unescaped_.assign(text_.substr(begin, end - begin));
    while (next.at != kNpos) {
      const std::size_t line_end = end_of_plain_line(next.at);
      fold(next.blank_lines);
      unescaped_.append(text_.substr(next.at, line_end - next.at));
      end = line_end;
      next = plain_continuation(end, column);
    }
    last_is_null_ = false;
    tree_.add(tree_.scalar(begin, end, tree_.arena().copy(std::string_view(unescaped_)), false));
    at_ = cursor_ = end;
    return ends_value(column);
  }

  /// Expects the end of a scalar: no content below it is indented deeper than `column`.
  bool ends_value(std::size_t column) { return end_line() && (at_end_ || column_ <= column); }

  /// The next line of a scalar.
  struct Continuation {
    std::size_t at = kNpos;  ///< its content; kNpos: there is none
    std::size_t blank_lines = 0;
  };
  /// Of a scalar with a line that ends at `end`, in a collection in `column`.
  Continuation continuation(std::size_t end, std::size_t column) const {
    std::size_t line = skip_spaces(end);
    if (char_at(line) != '\n') return {};
    for (std::size_t blank_lines = 0; ++line < text_.size(); ++blank_lines) {
      const std::size_t content = skip_spaces(line);
      if (char_at(content) != '\n') {
        return content - line > column ? Continuation{content, blank_lines} : Continuation{};
      }
      line = content;
    }
    return {};
  }
  /// Of a plain scalar, which a comment ends.
  Continuation plain_continuation(std::size_t end, std::size_t column) const {
    const Continuation next = continuation(end, column);
    return next.at != kNpos && text_[next.at] == '#' ? Continuation{} : next;
  }

  /// Line breaks in a scalar of several lines.
  void fold(std::size_t blank_lines) {
    unescaped_.append(std::max<std::size_t>(blank_lines, 1), blank_lines == 0 ? ' ' : '\n');
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
                        (first == '-' && !is_blank_at(begin + 1)) ||
                        (first == '<' && char_at(begin + 1) != '<');  // no merge key
    if (!begins) return {begin, false};
    const std::size_t end = end_of_plain_line(begin);
    return {end, char_at(end) == ':'};
  }

  /// The end of what a plain scalar may have of the line at `begin`: a comment, a ':' and the
  /// blanks before them are no part of it.
  std::size_t end_of_plain_line(std::size_t begin) const {
    std::size_t end = begin;
    for (std::size_t at = begin; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == ' ') {
        if (char_at(at + 1) == '#') break;
        continue;
      }
      if (text_[at] == ':' && is_blank_at(at + 1)) break;
      end = at + 1;
    }
    return end;
  }

  bool add_plain(std::size_t begin, std::size_t end) {
    Node* node = tree_.scalar(begin, end, text_.substr(begin, end - begin), false);
    last_is_null_ = node->is_null();
    tree_.add(node);
    at_ = cursor_ = end;
    return true;
  }

  /// Reads a quoted scalar. Its other lines are indented deeper than `column`; kNpos: it has none.
  bool quoted(std::size_t column = kNpos) {
    const std::size_t begin = at_;
    const char quote = text_[begin];
    std::size_t end = begin + 1;
    escaped_ = 0;
    for (bool plain = true;; ++end) {
      const char c = char_at(end);
      if (c == '\n') {
        if (plain) unescaped_.assign(text_.substr(begin + 1, end - begin - 1));
        plain = false;
        if (!fold_quoted(end, column)) return false;
        continue;
      }
      if (quote == '"' && c == '\\') {
        if (plain) unescaped_.assign(text_.substr(begin + 1, end - begin - 1));
        plain = false;
        if (!escape(end, column)) return false;
        escaped_ = unescaped_.size();
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

  /// Reads the line break at `at` in a quoted scalar; sets `at` to the blank before the next line.
  bool fold_quoted(std::size_t& at, std::size_t column) {
    if (column == kNpos) return false;
    const Continuation next = continuation(at, column);
    // yaml-cpp drops line breaks before a quote at the start of a line.
    if (next.at == kNpos || is_among(text_[next.at], "\"'")) return false;
    unescaped_.erase(std::max(escaped_, unescaped_.find_last_not_of(' ') + 1));
    fold(next.blank_lines);
    at = next.at - 1;
    return true;
  }

  /// Reads the escape at `at`; sets `at` to its last character.
  bool escape(std::size_t& at, std::size_t column) {
    const char c = char_at(++at);
    if (c == '\n') {  // the next line continues without a blank
      const Continuation next = column == kNpos ? Continuation() : continuation(at, column);
      at = next.at - 1;
      return next.at != kNpos && next.blank_lines == 0;
    }
    if (const auto character = unescaped(c)) {
      unescaped_ += *character;
      return true;
    }
    constexpr std::size_t kDigits = 4;
    const std::string_view digits = text_.substr(std::min(at + 1, text_.size()), kDigits);
    if (c != 'u' || digits.size() < kDigits) return false;
    const unsigned code = whole_number<unsigned>(digits, 16).value_or(0);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    // yaml-cpp treats control characters specially.
    if (is_surrogate || code < ' ' || code > 0xFFFD) return false;
    unescaped_ += utf8_of(code);
    at += kDigits;
    return true;
  }

  void add_quoted(std::size_t begin, std::size_t end, std::string_view text) {
    tree_.add(tree_.scalar(begin, end, text, true));
    at_ = cursor_ = end;
  }

  /// Reads a `|`, `|-`, `>` or `>-` block whose lines are indented deeper than `column`.
  bool block_scalar(std::size_t column) {
    const std::size_t begin = at_;
    const bool folds = char_at(begin) == '>';
    const bool strips = char_at(begin + 1) == '-';
    std::size_t line = skip_spaces(begin + (strips ? 2 : 1));
    if (line >= text_.size() || text_[line] != '\n') return false;
    ++line;
    std::size_t indent = 0;  // of its lines; 0: unknown
    std::size_t end = 0;
    std::size_t blank_lines = 0;      // since the last line with content
    std::size_t max_blank_width = 0;  // before the first
    std::string blanks;               // of the blank lines, beyond the indentation
    unescaped_.clear();
    while (line < text_.size()) {
      const std::size_t content = skip_spaces(line);
      const std::size_t line_end = end_of_line(line);
      if (content == line_end) {
        if (folds && line_end == text_.size() && content > line) return false;
        if (indent == 0) {
          max_blank_width = std::max(max_blank_width, content - line);
        } else if (content - line > indent) {
          blanks.append(content - line - indent, ' ');
        }
        blanks += '\n';
        ++blank_lines;
      } else {
        if (content - line <= column) break;
        if (indent == 0) indent = content - line;
        const bool is_cut = line_end == text_.size();  // the last line of a file without a line end
        if (content - line < indent || (is_cut && !strips)) return false;
        if (folds && content - line > indent) return false;  // its line breaks are kept
        if (folds && end > 0) {
          if (blanks.size() > blank_lines) return false;
          unescaped_.pop_back();
          fold(blank_lines);
        } else {
          unescaped_ += blanks;
        }
        blank_lines = 0;
        blanks.clear();
        unescaped_.append(text_.substr(line + indent, line_end - line - indent)) += '\n';
        end = text_.find_last_not_of(' ', line_end - 1) + 1;
      }
      line = line_end + 1;
    }
    if (indent == 0 || max_blank_width > indent || blanks.size() > blank_lines) return false;
    if (strips) unescaped_.pop_back();
    add_quoted(begin, end, tree_.arena().copy(std::string_view(unescaped_)));
    at_ = std::min(line, text_.size());
    return next_content();
  }

  /// Skips blanks and line breaks in a flow collection.
  bool skip_in_flow() {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ' || text_[at_] == '\t') {
        ++at_;
      } else if (text_[at_] == '\n') {
        ++at_;
        if (is_among(char_at(at_), "-.%")) return false;
      } else {
        return true;
      }
    }
    return false;
  }

  bool flow_collection() {
    if (tree_.depth() >= kMaxDepth) return false;
    const bool is_mapping = text_[at_] == '{';
    // `{{ name }}` is a template.
    if (is_mapping && char_at(at_ + 1) == '{') return false;
    const char bracket = is_mapping ? '}' : ']';
    tree_.open(is_mapping ? Node::Kind::mapping : Node::Kind::sequence, at_, true);
    ++at_;
    if (!skip_in_flow()) return false;
    for (bool first = true; first ? text_[at_] != bracket : true; first = false) {
      if (is_mapping && (!flow_key() || !skip_in_flow())) return false;
      if (!flow_value() || !skip_in_flow()) return false;
      if (text_[at_] == bracket) break;
      if (text_[at_] != ',') return false;
      ++at_;
      if (!skip_in_flow()) return false;
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
    if (in_quotes) at_ = skip_spaces(at_);
    if (char_at(at_) != ':' || at_ - begin > kMaxKeyLength) return false;
    ++at_;
    return in_quotes || is_blank_at(at_);
  }

  bool flow_value() {
    return text_[at_] == '{' || text_[at_] == '[' ? flow_collection() : flow_scalar();
  }

  /// Whether the character belongs to a plain scalar that has begun before it.
  bool is_plain_in_flow_at(std::size_t at) const {
    return is_plain_in_flow(char_at(at)) ||
           (char_at(at) == ':' && is_plain_in_flow(char_at(at + 1)));
  }

  bool flow_scalar() {
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted();
    const std::size_t begin = at_;
    std::size_t end = begin;
    for (std::size_t next = begin; is_plain_in_flow_at(next); next = skip_spaces(end)) {
      end = next + 1;
    }
    const bool begins = may_begin_plain(char_at(begin)) ||
                        (char_at(begin) == '-' && is_plain_in_flow(char_at(begin + 1)));
    if (!begins || end == begin) return false;
    return add_plain(begin, end);
  }

  std::string_view text_;
  TreeBuilder tree_;
  std::vector<Comment> comments_;
  std::string unescaped_;      ///< the text of the current scalar if it has escapes or lines
  std::size_t escaped_ = 0;    ///< its size after the last escape
  std::size_t at_ = 0;         ///< the next position
  std::size_t column_ = 0;     ///< of the content found by `next_content`
  std::size_t cursor_ = 0;     ///< the end of the last token
  bool begun_ = false;         ///< after the line `---`, or the first content
  bool at_end_ = false;        ///< no content follows
  bool last_is_null_ = false;  ///< the last plain scalar means null
};

}  // namespace

QuickEnd read_quickly(const SourceFile& file, Span where, Document& document) {
  const Arena::Mark mark = document.arena->mark();
  QuickReader reader(file, where, document);
  if (!reader.run()) {
    document.arena->rewind(mark);
    document.root = &missing_node();
    return reader.is_at_action() ? QuickEnd::action : QuickEnd::given_up;
  }
  document.comments = reader.comments();
  return QuickEnd::read;
}

}  // namespace cnsched::yaml
