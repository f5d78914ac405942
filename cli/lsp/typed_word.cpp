#include "cli/lsp/completion_place.h"

#include <algorithm>

#include "core/base/scan.h"

namespace cnsched::cli::lsp {

namespace {

constexpr CharSet kBlanks(" \t");
constexpr CharSet kFlowMarks(",[]{}");
constexpr CharSet kOpeningBrackets("[{");
constexpr CharSet kClosingBrackets("]}");

/// Reads a line from its beginning to the cursor. Lines that are no YAML may give any word: what is
/// made of it is parsed.
class WordReader {
 public:
  WordReader(std::string_view line, std::size_t cursor, bool in_flow)
      : line_(line), cursor_(std::min(cursor, line.size())), starts_in_flow_(in_flow) {}

  std::optional<TypedWord> read() {
    skip_blanks();
    while (!is_in_flow() && !is_at_end() && peek() == '-' && is_blank_or_end(at_ + 1)) {
      if (cursor_ <= at_) return std::nullopt;
      word_.is_item = true;
      ++at_;
      introduced_ = at_;
      skip_blanks();
    }
    while (!is_done_) {
      skip_blanks();
      if (!step()) return std::nullopt;
    }
    word_.lacks_blank = word_.begin > 0 && word_.begin == introduced_;
    return word_;
  }

 private:
  bool is_at_end() const { return at_ >= line_.size(); }
  char peek() const { return line_[at_]; }
  bool is_blank_or_end(std::size_t at) const {
    return at >= line_.size() || kBlanks.has(line_[at]);
  }
  bool is_in_flow() const { return starts_in_flow_ || word_.is_in_flow(); }
  bool is_comment(std::size_t at) const {
    return line_[at] == '#' && (at == 0 || kBlanks.has(line_[at - 1]));
  }
  void skip_blanks() { at_ = std::min(kBlanks.find_first_not_in(line_, at_), line_.size()); }

  bool finish(std::size_t begin, std::size_t end) {
    word_.begin = begin;
    word_.end = end;
    is_done_ = true;
    return true;
  }

  /// Reads what begins at `at_`. False if there is no word at the cursor.
  bool step() {
    if (is_at_end()) return finish(cursor_, cursor_);
    if (is_comment(at_)) return at_ > cursor_ && finish(cursor_, cursor_);
    const char c = peek();
    const bool is_mark = is_in_flow() && kFlowMarks.has(c) && !kOpeningBrackets.has(c);
    if (is_mark && cursor_ <= at_) return finish(cursor_, cursor_);
    if (cursor_ < at_) return false;
    if (is_mark) return after_word();
    if (kOpeningBrackets.has(c)) return open_bracket(c);
    if (c == '"' || c == '\'') return quoted(c);
    return plain();
  }

  bool open_bracket(char bracket) {
    if (cursor_ == at_) return false;
    word_.open_brackets += bracket;
    word_.is_value = false;
    word_.is_item = false;
    ++at_;
    return true;
  }

  bool quoted(char quote) {
    const std::size_t begin = at_ + 1;
    if (cursor_ < begin) return false;
    const std::size_t close = closing_quote(quote, begin);
    if (close >= cursor_) {
      word_.quote = quote;
      word_.is_quote_open = close == std::string_view::npos;
      return finish(begin, word_.is_quote_open ? cursor_ : close);
    }
    at_ = close + 1;
    return after_word();
  }

  std::size_t closing_quote(char quote, std::size_t from) const {
    for (std::size_t i = from; i < line_.size(); ++i) {
      if (quote == '"' && line_[i] == '\\') {
        ++i;
      } else if (line_[i] == quote) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  bool plain() {
    const std::size_t begin = at_;
    std::size_t end = begin;
    while (end < line_.size() && !ends_plain(end)) ++end;
    end = kBlanks.find_last_not_in(line_.substr(0, end)) + 1;
    if (cursor_ <= end) return finish(begin, end);
    at_ = end;
    return after_word();
  }

  bool ends_plain(std::size_t at) const {
    if (is_in_flow() && kFlowMarks.has(line_[at])) return true;
    return is_comment(at) || (ends_key(at) && (is_in_flow() || !word_.is_value));
  }

  bool ends_key(std::size_t at) const {
    if (line_[at] != ':') return false;
    return is_blank_or_end(at + 1) || (is_in_flow() && kFlowMarks.has(line_[at + 1]));
  }

  /// Reads what separates the next word. False if the cursor is before it.
  bool after_word() {
    for (skip_blanks(); !is_at_end() && at_ < cursor_; skip_blanks()) {
      const char c = line_[at_++];
      if (is_in_flow() && kClosingBrackets.has(c)) {
        if (!word_.open_brackets.empty()) word_.open_brackets.pop_back();
        if (!is_in_flow()) return false;
        continue;
      }
      word_.is_value = c == ':';
      word_.is_item = false;
      introduced_ = word_.is_value ? at_ : 0;
      return word_.is_value || (is_in_flow() && c == ',');
    }
    return false;
  }

  std::string_view line_;
  std::size_t cursor_;
  bool starts_in_flow_;
  std::size_t at_ = 0;
  std::size_t introduced_ = 0;  ///< the end of the last ':' or dash
  bool is_done_ = false;
  TypedWord word_;
};

}  // namespace

std::optional<TypedWord> typed_word(std::string_view line, std::size_t cursor, bool in_flow) {
  return WordReader(line, cursor, in_flow).read();
}

}  // namespace cnsched::cli::lsp
