#include "cli/lsp/proposals.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "cli/lsp/session.h"
#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/yaml/layout.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

/// Is the same in any style.
constexpr std::string_view kPlaceholder = "cnsched-placeholder";
constexpr std::string_view kItem = "[]";

std::string brackets_that_close(std::string_view open) {
  std::string closing(open.rbegin(), open.rend());
  std::ranges::transform(closing, closing.begin(), [](char c) { return c == '[' ? ']' : '}'; });
  return closing;
}

/// The document around the cursor; empty if it would be a new one.
Span document_at(const SourceFile& file, std::uint32_t cursor) {
  Span found{file.id(), cursor, cursor};
  for (const Span& span : yaml::split(file)) {
    if (span.begin <= cursor && cursor <= span.end) found = span;
  }
  return found;
}

/// The parts of a line around the word.
struct LineParts {
  LineParts(std::string_view line, const TypedWord& word) : head(line.substr(0, word.begin)) {
    std::string_view rest = line.substr(word.end);
    if (word.quote != '\0') quote = word.quote;
    if (!quote.empty() && !word.is_quote_open) rest.remove_prefix(1);
    tail = rest;
    has_colon = trim(tail).starts_with(':');
  }
  std::string_view head;
  std::string quote;
  std::string_view tail;
  bool has_colon;
};

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

/// A text for the line of the cursor.
struct CompletionPlace::Attempt {
  TypedWord word{};
  std::string line{};
  std::size_t placeholder = 0;  ///< where it begins in the line
  std::string introduction{};
  bool has_colon = false;
  bool in_flow = false;
};

/// The cursor's line, and what it may become.
class CompletionPlace::Attempts {
 public:
  Attempts(std::string_view line, std::size_t cursor) : line_(line) {
    const auto word = WordReader(line, cursor, false).read();
    if (word && word->is_in_flow()) {
      add_flow(*word, true);
      add_flow(*word, false);
    } else if (word && word->is_value) {
      add(*word, {}, {});
    } else if (word) {
      add(*word, {}, ":");
      const bool may_be_item = !word->is_item && word->quote == '\0' && !list_.back().has_colon;
      if (may_be_item) add(*word, "- ", ":");
    }
    if (word && word->is_in_flow()) return;
    // Another line may have opened the brackets.
    if (const auto in_flow = WordReader(line, cursor, true).read()) add_flow(*in_flow, true);
  }

  const std::vector<Attempt>& list() const { return list_; }

 private:
  /// `colon`: what makes the word a key, if it is none yet.
  Attempt& add(const TypedWord& word, std::string_view dash, std::string_view colon) {
    const LineParts parts(line_, word);
    Attempt attempt{.word = word, .has_colon = parts.has_colon};
    attempt.introduction = (word.lacks_blank ? " " : "") + std::string(dash);
    attempt.line = std::string(parts.head) + attempt.introduction;
    attempt.placeholder = attempt.line.size();
    attempt.line += kPlaceholder;
    attempt.line += parts.quote;
    if (!parts.has_colon) attempt.line += colon;
    attempt.line += parts.tail;
    list_.push_back(std::move(attempt));
    return list_.back();
  }

  void add_flow(const TypedWord& word, bool keeps_tail) {
    Attempt& attempt = add(word, {}, {});
    attempt.in_flow = true;
    if (keeps_tail) return;
    attempt.line.resize(attempt.placeholder + kPlaceholder.size());
    if (word.quote != '\0') attempt.line += word.quote;
    attempt.line += brackets_that_close(word.open_brackets);
  }

  std::string_view line_;
  std::vector<Attempt> list_;
};

std::unique_ptr<CompletionPlace> CompletionPlace::find(FileId id, const std::string& path,
                                                       std::string_view text,
                                                       std::uint32_t cursor) {
  std::unique_ptr<CompletionPlace> place(new CompletionPlace);
  place->text_ = std::make_unique<SourceFile>(id, path, std::string(text));
  const SourceFile& file = *place->text_;
  const Span document = document_at(file, cursor);
  const std::size_t number = file.line_of(cursor);
  std::uint32_t begin = file.line_start(number);
  std::string_view line = file.line(number);
  if (number == 1 && line.starts_with(kByteOrderMark)) {
    begin = static_cast<std::uint32_t>(kByteOrderMark.size());
    line.remove_prefix(begin);
  }
  const std::size_t column = std::max(cursor, begin) - begin;
  const std::size_t end = begin + line.size();
  const std::uint32_t first = std::min(document.begin, begin);
  const std::string before(text.substr(first, begin - first));
  const std::string_view after = text.substr(end, std::max<std::size_t>(document.end, end) - end);
  const Attempts attempts(line, column);
  // The second time without the lines after the cursor, of which one may be half typed too.
  for (const std::string_view rest : {after, std::string_view()}) {
    for (const Attempt& attempt : attempts.list()) {
      const std::size_t placeholder = before.size() + attempt.placeholder;
      if (!place->parse(id, path, before + attempt.line + std::string(rest), placeholder)) continue;
      place->describe(attempt, line, column, begin);
      return place;
    }
  }
  return nullptr;
}

void CompletionPlace::describe(const Attempt& attempt, std::string_view line, std::size_t column,
                               std::uint32_t line_begin) {
  word_ = attempt.word;
  typed_ = line.substr(word_.begin, column - word_.begin);
  replaced_ = {file_->id(), line_begin + static_cast<std::uint32_t>(word_.begin),
               line_begin + static_cast<std::uint32_t>(word_.end)};
  introduction_ = attempt.introduction;
  has_colon_ = attempt.has_colon;
  is_in_flow_ = attempt.in_flow;
  const std::size_t key_column = attempt.placeholder - (word_.quote == '\0' ? 0 : 1);
  const yaml::Layout layout(*file_, document_);
  next_line_ = std::string(layout.line_break()) + std::string(key_column, ' ');
  mapping_indent_ = std::string(layout.usual_indent(Node::Kind::mapping), ' ');
  list_indent_ = std::string(layout.usual_indent(Node::Kind::sequence), ' ');
}

bool CompletionPlace::parse(FileId id, const std::string& path, std::string text,
                            std::size_t placeholder) {
  file_ = std::make_unique<SourceFile>(id, path, std::move(text));
  document_ = yaml::parse(*file_, file_->whole(), std::make_shared<Arena>());
  const Node* node = node_at(*document_.root, static_cast<std::uint32_t>(placeholder));
  if (node == nullptr) return false;
  is_key_ = node->key() != nullptr && node->key()->text() == kPlaceholder;
  if (!is_key_ && node->text() != kPlaceholder) return false;
  node_ = is_key_ ? node->parent() : node;
  return node_ != nullptr && find_object();
}

bool CompletionPlace::find_object() {
  std::unordered_set<const Node*> above;
  for (const Node* at = node_; at != nullptr; at = at->parent()) above.insert(at);
  const auto objects = k8s::objects_in(document_);
  const auto object = std::ranges::find_if(
      objects, [&](const k8s::Object& each) { return above.contains(each.root); });
  if (object == objects.end()) return false;
  object_ = *object;
  steps_.clear();
  for (const Node* at = node_; at != object_.root; at = at->parent()) {
    steps_.push_back(at->key() == nullptr ? kItem : at->key()->text());
  }
  std::ranges::reverse(steps_);
  return true;
}

}  // namespace cnsched::cli::lsp
