// A parser reports a mistake late: an unclosed quote ends at the next quote, a line without a colon
// continues the value above it. So this file reads an invalid document line by line, with a stack
// of the open lists and mappings and the columns of their entries. It supports keys, items, text,
// quotes, brackets and block scalars and gives up on anything else. The first line that fits no
// open collection is the syntax error.
#include "core/yaml/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/extent.h"

namespace cnsched::yaml {

namespace {

/// The content of the last entry of a level so far.
enum class Value : unsigned char { none, plain, complete, entries };

/// An open list or mapping: the next entry at its column belongs to it.
struct Level {
  int column = -1;  ///< -1: the document, which has one value
  bool is_list = false;
  Value value = Value::none;
  Span entry{};      ///< the key, or the '-', of the last entry
  Span first_key{};  ///< of the mapping in the last entry, if any
  Span text_line{};  ///< plain text on its own line below the last entry
  Span whole{};      ///< the first line of the last entry
};

/// A block scalar whose lines are skipped.
struct Block {
  Span header;
  int outer = -1;         ///< its lines are indented deeper than this
  std::size_t least = 0;  ///< the indentation of its first line
};

class SyntaxErrorLocator {
 public:
  SyntaxErrorLocator(const SourceFile& file, Span where)
      : file_(file), text_(file.text(where)), base_(where.begin), levels_(1) {}

  std::optional<Problem> run() {
    while (at_ < text_.size() && !gave_up_) {
      line_ = at_;
      const std::size_t end = end_of_line(text_, at_);
      const std::size_t content = std::min(text_.find_first_not_of(' ', at_), end);
      next_line_from(at_);
      if (content == end || text_[content] == '#') continue;
      if (block_ && is_block_line(content)) continue;
      if (auto problem = read_line(content, end)) return problem;
    }
    return std::nullopt;
  }

 private:
  // ---- positions

  Span span(std::size_t begin, std::size_t end) const {
    return {file_.id(), base_ + static_cast<std::uint32_t>(begin),
            base_ + static_cast<std::uint32_t>(end)};
  }
  std::string_view text(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::size_t line_number(Span where) const { return file_.line_of(where.begin); }

  /// Continues at the line after that of `at`.
  void next_line_from(std::size_t at) {
    const std::size_t newline = text_.find('\n', at);
    at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
  }

  /// The end of the content of a line, before its comment and trailing blanks.
  std::size_t end_of_content(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (text_[i] == '#' && (i == line_ || text_[i - 1] == ' ' || text_[i - 1] == '\t')) end = i;
    }
    while (end > begin && kBlanks.find(text_[end - 1]) != std::string_view::npos) --end;
    return end;
  }

  // ---- lines

  std::optional<Problem> read_line(std::size_t at, std::size_t end) {
    const bool at_line_start = at == line_;
    if (text_[at] == '\t') return tab(at);
    if (at_line_start && text_[at] == '%') {
      if (auto problem = check_directive(file_, span(at, end))) return problem;
      return std::nullopt;
    }
    if (at_line_start && text(at, end) == "...") {
      gave_up_ = true;
      return std::nullopt;
    }
    if (at_line_start && text(at, at + 3) == "---" && (at + 3 == end || text_[at + 3] == ' ')) {
      return read_after_marker(at + 3, end);
    }
    return read_entry(at, end);
  }

  /// `--- # comment`, `--- {a: b}`; a key is not allowed there.
  std::optional<Problem> read_after_marker(std::size_t at, std::size_t end) {
    at = std::min(text_.find_first_not_of(' ', at), end);
    const std::size_t content_end = end_of_content(at, end);
    if (at >= content_end) return std::nullopt;
    if (const auto colon = end_of_key(at, content_end)) {
      return Problem{span(at, *colon), "a key cannot be on the line of '---'",
                     "start it on the next line"};
    }
    return read_value(at, end);
  }

  /// `- - key: value`: any number of dashes, then perhaps a key, then perhaps a value.
  std::optional<Problem> read_entry(std::size_t at, std::size_t end) {
    const std::size_t content_end = end_of_content(at, end);
    bool compact = false;  // after a dash on the same line
    while (text_[at] == '-' && (at + 1 == content_end || text_[at + 1] == ' ')) {
      if (auto problem = enter(at, at + 1, true, compact)) return problem;
      current().whole = span(at, content_end);
      compact = true;
      at = std::min(text_.find_first_not_of(' ', at + 1), content_end);
      if (at == content_end) return std::nullopt;
    }
    if (text_[at] == '\t') return tab(at);
    if (text_[at] == '?' && (at + 1 == content_end || text_[at + 1] == ' ')) gave_up_ = true;
    if (gave_up_) return std::nullopt;
    if (const auto colon = end_of_key(at, content_end)) {
      return read_key(at, *colon, end, compact);
    }
    return compact ? read_value(at, end) : read_text(at, end);
  }

  /// The end of the key at `at`: a ':' before a blank or the line's end.
  std::optional<std::size_t> end_of_key(std::size_t at, std::size_t end) const {
    if (std::string_view("[{|>@`%*&!").find(text_[at]) != std::string_view::npos)
      return std::nullopt;
    std::size_t colon = at;
    if (text_[at] == '"' || text_[at] == '\'') {
      const auto closing = end_of_quoted(text_.substr(0, end), at);
      if (!closing) return std::nullopt;
      colon = std::min(text_.find_first_not_of(' ', *closing), end);
      return colon < end && text_[colon] == ':' ? std::optional(colon) : std::nullopt;
    }
    for (; colon < end; ++colon) {
      if (text_[colon] == ':' && (colon + 1 == end || text_[colon + 1] == ' ')) return colon;
    }
    return std::nullopt;
  }

  std::optional<Problem> read_key(std::size_t at, std::size_t colon, std::size_t end,
                                  bool compact) {
    if (auto problem = enter(at, colon, false, compact)) return problem;
    const std::size_t content_end = end_of_content(at, end);
    current().whole = span(at, content_end);
    const std::size_t value = text_.find_first_not_of(" \t", colon + 1);
    if (value >= content_end) return std::nullopt;
    return read_value(value, end);
  }

  /// A line without key or dash: the value of the key above, or more of its text.
  std::optional<Problem> read_text(std::size_t at, std::size_t end) {
    Level& level = current();
    const Span line = span(at, end_of_content(at, end));
    const bool deeper = column(at) > level.column;
    if (deeper && level.value == Value::plain) return std::nullopt;
    if (level.column < 0 && level.value != Value::none && text_[at] == '{') return second_json(at);
    if (!deeper || level.value != Value::none) return unexpected(line);
    level.text_line = line;
    return read_value(at, end);
  }

  // ---- entries

  Level& current() { return levels_.back(); }
  int column(std::size_t at) const { return static_cast<int>(at - line_); }

  /// Finds the level that the key or dash at `at` belongs to, or opens one for it.
  std::optional<Problem> enter(std::size_t at, std::size_t end, bool is_list, bool compact) {
    const Span entry = span(at, end);
    std::optional<Level> left;  // the outermost level that ends here
    while (!compact && current().column > column(at)) {
      left = current();
      levels_.pop_back();
    }
    if (current().column == column(at)) return join(entry, column(at), is_list);
    if (left) return between(entry, column(at), *left);
    if (current().value != Value::none && !compact) return second_value(entry, is_list);
    open(entry, column(at), is_list);
    return std::nullopt;
  }

  void open(Span entry, int at, bool is_list) {
    current().value = Value::entries;
    current().first_key = is_list ? Span{} : entry;
    levels_.push_back({.column = at, .is_list = is_list, .entry = entry});
  }

  /// An entry at the column of the current level.
  std::optional<Problem> join(Span entry, int at, bool is_list) {
    if (current().is_list && !is_list && levels_[levels_.size() - 2].column == at) {
      levels_.pop_back();  // the end of a list at the column of its key
    }
    Level& level = current();
    if (level.is_list == is_list) {
      level = {.column = at, .is_list = is_list, .entry = entry};
      return std::nullopt;
    }
    if (!is_list) return key_among_items(entry);
    if (level.value != Value::none) return item_among_keys(entry);
    open(entry, at, is_list);
    return std::nullopt;
  }

  // ---- values

  std::optional<Problem> read_value(std::size_t at, std::size_t end) {
    Level& level = current();
    at = skip_properties_on_line(at, end);
    if (at == end || text_[at] == '#') return std::nullopt;
    level.value = Value::complete;
    switch (text_[at]) {
      case '"':
      case '\'':
        return read_quoted(at);
      case '[':
      case '{':
        return read_flow(at);
      case '|':
      case '>':
        return read_block(at, end);
      case '*':
        return std::nullopt;
      case '@':
      case '`':
      case '%':
      case ',':
      case ']':
      case '}':
        return bad_first(at, end);
      default:
        level.value = Value::plain;
        return read_plain(at, end);
    }
  }

  std::size_t skip_properties_on_line(std::size_t at, std::size_t end) const {
    while (at < end && (text_[at] == '&' || text_[at] == '!')) {
      at = std::min(text_.find_first_of(" \t\r", at), end);
      at = std::min(text_.find_first_not_of(" \t\r", at), end);
    }
    return at;
  }

  std::optional<Problem> read_plain(std::size_t at, std::size_t end) {
    end = end_of_content(at, end);
    if (text(at, end).starts_with("- ")) {
      return Problem{span(at, end), "a list cannot start on the line of its key",
                     "start it on the next line"};
    }
    for (std::size_t i = at; i < end; ++i) {
      if (text_[i] != ':' || (i + 1 < end && text_[i + 1] != ' ')) continue;
      return Problem{span(i, i + 1),
                     "second ':' on this line: an unquoted value cannot contain ': '",
                     "quote the value, or put the second key on its own line"};
    }
    return std::nullopt;
  }

  std::optional<Problem> read_quoted(std::size_t begin) {
    const auto end = end_of_quoted(text_, begin);
    if (!end) {
      return Problem{span(begin, end_of_content(begin, end_of_line(text_, begin))),
                     "unclosed quote", fmt::format("add the closing {}", text_[begin])};
    }
    return expect_end_of_value(begin, *end);
  }

  std::optional<Problem> read_flow(std::size_t begin) {
    std::vector<std::size_t> open;
    for (std::size_t at = begin; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '[' || c == '{') {
        open.push_back(at);
      } else if (c == ']' || c == '}') {
        if (text_[open.back()] != (c == ']' ? '[' : '{')) return wrong_bracket(open.back(), at);
        open.pop_back();
        if (open.empty()) return expect_end_of_value(begin, at + 1);
      } else if (c == '#' && kBlanks.find(text_[at - 1]) != std::string_view::npos) {
        at = end_of_line(text_, at);
      } else if ((c == '"' || c == '\'') && begins_flow_value(at)) {
        const auto end = end_of_quoted(text_, at);
        if (!end) return read_quoted(at);
        if (auto problem = expect_separator(at, *end)) return problem;
        at = *end - 1;
      } else if (c == '"' && begins_line(at)) {
        return missing_comma(at);
      }
    }
    return Problem{span(open.back(), open.back() + 1),
                   fmt::format("unclosed '{}'", text_[open.back()]),
                   fmt::format("add the missing '{}'", closer_of(text_[open.back()]))};
  }

  /// A string within brackets must be followed by ',', ':' or a closing bracket.
  std::optional<Problem> expect_separator(std::size_t begin, std::size_t end) {
    const std::size_t at = skip_blank(text_, end);
    if (at == text_.size() || std::string_view(",:]}").find(text_[at]) != std::string_view::npos) {
      return std::nullopt;
    }
    const bool attached = at == end;
    if (!attached) return missing_comma(at);
    return text_after_value(begin, end, at, end_of_content(at, end_of_line(text_, at)));
  }

  Problem missing_comma(std::size_t at) const {
    return {span(at, at + 1), "missing ',' before this", "add it after the previous value"};
  }

  static char closer_of(char opener) { return opener == '[' ? ']' : opener == '{' ? '}' : opener; }

  /// Whether only blanks precede `at` on its line. Takes time proportional to the blanks.
  bool begins_line(std::size_t at) const {
    const std::size_t before = text_.find_last_not_of(" \t\r", at - 1);
    return before == std::string_view::npos || text_[before] == '\n';
  }

  /// Within a plain value a quote has no meaning.
  bool begins_flow_value(std::size_t at) const {
    const std::size_t before = text_.find_last_not_of(kBlanks, at - 1);
    return std::string_view("[{,:\"'").find(text_[before]) != std::string_view::npos;
  }

  std::optional<Problem> read_block(std::size_t at, std::size_t end) {
    end = end_of_content(at, end);
    const std::size_t header = text_.find_first_not_of("|>+-0123456789", at);
    if (header < end) {
      return Problem{
          span(at, end),
          fmt::format("unexpected text after '{}', which starts a block scalar", text_[at]),
          "start the text on the next line, or quote the value"};
    }
    block_ = Block{.header = span(at, end), .outer = current().column};
    return std::nullopt;
  }

  /// Whether a line belongs to the block scalar above it; if not, ends the block scalar.
  bool is_block_line(std::size_t content) {
    const std::size_t indent = content - line_;
    const bool deeper = static_cast<int>(indent) > block_->outer;
    if (deeper && block_->least == 0) block_->least = indent;
    if (deeper && indent >= block_->least) return true;
    last_block_ = block_;
    last_block_end_ = line_;
    block_.reset();
    return false;
  }

  std::optional<Problem> expect_end_of_value(std::size_t begin, std::size_t end) {
    next_line_from(end);
    const std::size_t line_end = end_of_line(text_, end);
    const std::size_t at = text_.find_first_not_of(" \t", end);
    if (at >= line_end || (text_[at] == '#' && at > end)) return std::nullopt;
    return text_after_value(begin, end, at, end_of_content(at, line_end));
  }

  // ---- problems

  Problem tab(std::size_t at) const {
    return {span(at, at + 1), "tab in the indentation: YAML allows only spaces",
            "replace the tab with spaces"};
  }

  Problem bad_first(std::size_t at, std::size_t end) const {
    return {span(at, end_of_content(at, end)),
            fmt::format("an unquoted value cannot start with '{}'", text_[at]),
            text(at, end).starts_with("```") ? "remove the Markdown fence" : "quote the value"};
  }

  Problem wrong_bracket(std::size_t opener, std::size_t closer) const {
    return {span(closer, closer + 1),
            fmt::format("'{}' does not match '{}'", text_[closer], text_[opener]),
            fmt::format("write '{}' first", closer_of(text_[opener])),
            {{span(opener, opener + 1), "opened here"}}};
  }

  /// Text at `at` after a quoted or bracketed value.
  Problem text_after_value(std::size_t begin, std::size_t value_end, std::size_t at,
                           std::size_t end) {
    const char opener = text_[begin];
    const bool is_quoted = opener == '"' || opener == '\'';
    const std::size_t first_line_end = end_of_content(begin, end_of_line(text_, begin));
    if (is_quoted && first_line_end < value_end && text_.find('\n', begin) < value_end) {
      return {span(begin, first_line_end),
              fmt::format("unclosed quote: the string ends at the next quote, on line {}",
                          line_number(span(at, at))),
              fmt::format("add the closing {}", opener)};
    }
    const bool attached = at == value_end;
    if (text_[at] == ']' || text_[at] == '}') {
      return {span(at, at + 1), fmt::format("unmatched '{}'", text_[at]), "remove it"};
    }
    if (!is_quoted && attached) {
      return {span(begin, end),
              fmt::format("a value that starts with '{}' ends with '{}', but text follows", opener,
                          closer_of(opener)),
              "quote the whole value"};
    }
    return {span(at, end),
            fmt::format("unexpected '{}' after the closing {}", excerpt(text(at, end)),
                        is_quoted ? "quote" : "bracket"),
            help_for_text_after_value(opener, attached && is_quoted, text(at, end))};
  }

  static std::string help_for_text_after_value(char quote, bool attached, std::string_view rest) {
    if (!attached) return "remove it, or put a # before it";
    if (rest.find(quote) == std::string_view::npos) return "remove it, or move it into the quotes";
    return fmt::format("write {} for a quote in the string", quote == '"' ? "\\\"" : "''");
  }

  Problem second_json(std::size_t at) const {
    return {span(at, at + 1), "second JSON object in the same document",
            "separate the two with a line '---'"};
  }

  /// A line that is not an entry and continues no text.
  Problem unexpected(Span line) const {
    Problem problem = explain_unexpected_line(file_, line);
    if (last_block_ && last_block_end_ == line_) {
      problem = {line,
                 fmt::format("not indented enough for the block scalar that starts at '{}'",
                             file_.text(last_block_->header)),
                 fmt::format("indent it by {} spaces", last_block_->least)};
      problem.notes = {{last_block_->header, "the block scalar starts here"}};
    }
    return problem;
  }

  /// "'image'" for a key, "this list item" for a dash.
  std::string name_of(Span entry, bool is_list) const {
    return is_list ? "this list item" : fmt::format("'{}'", excerpt(file_.text(entry)));
  }

  /// An entry indented below one that has a value already.
  Problem second_value(Span entry, bool is_list) {
    Level& level = current();
    if (level.text_line != Span{}) return unexpected(level.text_line);
    if (level.column < 0) {
      return {entry, "the document ends above this line",
              "remove the rest, or start a new document with a line '---'"};
    }
    const std::string owner = level.is_list ? "the list item above"
                                            : fmt::format("'{}'", excerpt(file_.text(level.entry)));
    return {entry,
            fmt::format("{} is indented below {}, which already has a value",
                        name_of(entry, is_list), owner),
            fmt::format("align it with its siblings, or remove the value of {}", owner),
            {{level.whole, "the value is here"}}};
  }

  /// An entry whose column is between those of two levels.
  Problem between(Span entry, int at, const Level& inner) {
    const Level& outer = current();
    if (outer.column < 0) {
      return {entry,
              "indented less than the first line of the document",
              "start all keys of the document in the same column",
              {{inner.entry, fmt::format("this line is indented by {}", spaces(inner.column))}}};
    }
    const bool inner_is_nearer = inner.column - at <= at - outer.column;
    const Level& neighbour = inner_is_nearer ? inner : outer;
    return {entry,
            fmt::format("indented by {}, but its siblings by {}", spaces(at), neighbour.column),
            fmt::format("indent it by {}", spaces(neighbour.column)),
            {{neighbour.entry, "a sibling"}}};
  }

  static std::string spaces(int count) {
    return count == 0 ? "nothing" : count_of(static_cast<std::size_t>(count), "space");
  }

  Problem item_among_keys(Span entry) {
    const Level& level = current();
    const std::string owner = excerpt(file_.text(level.entry));
    if (level.value == Value::entries && level.first_key != Span{}) {
      return {entry,
              fmt::format("'{}' already contains keys, so it cannot contain list items", owner),
              "start its first key with '- ' too, or indent this item below the key of its list",
              {{level.first_key, fmt::format("the first key of '{}'", owner)}}};
    }
    return {entry,
            "list item among mapping keys",
            "indent it below the key of its list, or remove the '-'",
            {{level.entry, "a key at the same indentation"}}};
  }

  Problem key_among_items(Span entry) {
    return {entry,
            fmt::format("key '{}' among list items", excerpt(file_.text(entry))),
            "indent it by two more spaces to make it part of the item above",
            {{current().entry, "an item at the same indentation"}}};
  }

  const SourceFile& file_;
  std::string_view text_;
  std::uint32_t base_;
  std::vector<Level> levels_;  ///< never empty: the first is the document
  std::size_t at_ = 0;         ///< the beginning of the next line
  std::size_t line_ = 0;       ///< the beginning of the current line
  std::optional<Block> block_;
  std::optional<Block> last_block_;  ///< the one that ended last, and the line that ended it
  std::size_t last_block_end_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::optional<Problem> locate_syntax_error(const SourceFile& file, Span where) {
  return SyntaxErrorLocator(file, where).run();
}

}  // namespace cnsched::yaml
