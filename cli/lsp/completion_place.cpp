#include "cli/lsp/completion_place.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "cli/lsp/session.h"
#include "core/base/text.h"
#include "core/yaml/layout.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched::cli::lsp {

/// A text for the line of the cursor.
struct CompletionPlace::Attempt {
  TypedWord word{};
  std::string line{};
  std::size_t placeholder = 0;  ///< where it begins in the line
  std::string introduction{};
  bool has_colon = false;
  bool in_flow = false;
};

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

}  // namespace

/// The cursor's line, and what it may become.
class CompletionPlace::Attempts {
 public:
  Attempts(std::string_view line, std::size_t cursor) : line_(line) {
    const auto word = typed_word(line, cursor, false);
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
    if (const auto in_flow = typed_word(line, cursor, true)) add_flow(*in_flow, true);
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
