// Builds the tree from the events of yaml-cpp. Events have start marks only, counted in bytes: the
// mark of an anchored or tagged value is that of the anchor or tag, and that of an empty value is
// the beginning of the next token. So the builder keeps a cursor at the end of the last token and
// finds the ends of scalars and flow collections in the text.
//
// This file and extent.cpp report what yaml-cpp 0.7 accepts although it is invalid YAML (an
// unclosed quote at the end of the input, empty entries in a flow collection, a second document
// without
// `---`), and what YAML allows but Kubernetes does not: a key that is a mapping, a list or null.
#include "core/yaml/tree_builder.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>

#include "core/base/text.h"
#include "core/yaml/bytes.h"
#include "core/yaml/extent.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/syntax_error.h"
#include "core/yaml/template_text.h"

namespace cnsched::yaml {

namespace {

/// The bytes of a document as a stream, without a copy.
class MemoryStream : private std::streambuf, public std::istream {
 public:
  explicit MemoryStream(std::string_view text) : std::istream(this) {
    char* begin = const_cast<char*>(text.data());  // the get area is only read  NOLINT
    setg(begin, begin, begin + text.size());
  }
};

/// Thrown to leave the parser at the first problem; caught in this file.
struct Stop {};

class Events : public YAML::EventHandler {
 public:
  Events(const SourceFile& file, Span where, std::string_view parsed, Document& document)
      : file_(file),
        text_(file.text(where)),
        parsed_(parsed),
        base_(where.begin),
        document_(document),
        tree_(where, document),
        arena_(tree_.arena()) {}

  bool finished() const { return finished_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (finished_) stop(explain_early_end(file_, document_.span, offset_of(mark)));
  }

  void OnDocumentEnd() override {
    set_null_span(std::nullopt);
    finished_ = true;
    check_expansion();
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    set_null_span(offset_of(mark));
    Node* node = tree_.make(Node::Kind::null, 0, 0);
    pending_null_ = node;
    // The mark may be that of the next value, which then has the properties.
    const bool has_properties = anchor != 0 || !tree_.any_open();
    pending_null_at_ = has_properties ? skip_properties(text_, offset_of(mark)) : offset_of(mark);
    properties_end_ = has_properties ? end_of_properties_on_line(text_, offset_of(mark)) : 0;
    add(node, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t begin = offset_of(mark);
    set_null_span(begin);
    const std::size_t end = end_of_alias(text_, begin);
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) {
      stop_at_valid_yaml(
          {span(begin, end),
           fmt::format("anchor '{}' contains itself", text_.substr(begin + 1, end - begin - 1)),
           "replace the alias with a copy of the value"});
    }
    if (tree_.depth() + target->second.size.height > kDepthLimit) {
      stop_at_valid_yaml(
          {span(begin, end),
           fmt::format("this alias nests the document too deeply: {} levels are the limit",
                       kDepthLimit),
           "replace the alias with a flatter value"});
    }
    Node* node = arena_.make<Node>();
    node->span = span(begin, end);
    node->set_anchored(*target->second.node);
    cursor_ = end;
    aliased_ = true;
    add(node, 0, target->second.size);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    set_null_span(offset_of(mark));
    const std::size_t begin = begin_of_scalar(offset_of(mark), value);
    const char first = begin < text_.size() ? text_[begin] : '\0';
    const bool in_quotes = first == '"' || first == '\'';
    const bool is_block = first == '|' || first == '>';
    const std::size_t end = in_quotes  ? end_of_quoted_at(begin)
                            : is_block ? end_of_block_scalar(text_, begin, outer_column())
                                       : end_of_plain(parsed_, begin, value);
    Node* node = arena_.make<Node>();
    node->kind = Node::Kind::scalar;
    node->quoted = in_quotes || is_block;
    node->span = span(begin, end);
    node->set_text(keep(value, begin, end, in_quotes ? first : '\0'));
    set_type(*node, tag);
    cursor_ = end;
    scalars_.push_back(node->span);
    add(node, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::sequence, mark, anchor, style == YAML::EmitterStyle::Flow);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::mapping, mark, anchor, style == YAML::EmitterStyle::Flow);
    // `{{ name }}` parses as a mapping that is a key.
    if (text_.substr(tree_.top().begin).starts_with("{{")) document_.templated = true;
  }

  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  const std::vector<Span>& scalars() const { return scalars_; }

 private:
  struct Anchored {
    const Node* node = nullptr;
    TreeSize size{};
  };

  std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(text_.size(), static_cast<std::size_t>(std::max(mark.pos, 0)));
  }

  Span span(std::size_t begin, std::size_t end) const { return tree_.span(begin, end); }

  [[noreturn]] void stop(Problem problem) {
    document_.problems.push_back(std::move(problem));
    throw Stop();
  }

  /// Stops at valid YAML that Kubernetes, or this reader, does not accept.
  [[noreturn]] void stop_at_valid_yaml(Problem problem) {
    problem.is_syntax_error = false;
    stop(std::move(problem));
  }

  std::size_t end_of_quoted_at(std::size_t begin) {
    if (const auto end = end_of_quoted(text_, begin)) return *end;
    stop({span(begin, end_of_line(text_, begin)), "unclosed quote",
          fmt::format("add the closing {}", text_[begin])});
  }

  /// The column of the collection that is being read; none at the root.
  std::optional<std::size_t> outer_column() const {
    if (!tree_.any_open()) return std::nullopt;
    return column_of(text_, tree_.top().begin);
  }

  /// A view of the source if the text has no escapes, otherwise a copy.
  std::string_view keep(const std::string& value, std::size_t begin, std::size_t end, char quote) {
    std::string_view raw = text_.substr(begin, end - begin);
    if (quote != '\0' && raw.size() >= 2) raw = raw.substr(1, raw.size() - 2);
    if (raw == value) return raw;
    std::string decoded = value;
    if (parsed_.data() != text_.data()) decoded = unmask_surrogates(value, raw, quote == '"');
    if (quote == '"') decoded = with_whole_characters(decoded);
    return arena_.copy(decoded);
  }

  /// An explicit tag of a YAML type also applies to quoted scalars; any other tag makes a string.
  static void set_type(Node& node, std::string_view tag) {
    constexpr std::string_view kStandard = "tag:yaml.org,2002:";
    const bool untagged = tag.empty() || tag == "?" || tag == "!";
    if (untagged ? node.quoted || tag == "!" : !tag.starts_with(kStandard)) return;
    const std::string_view name = untagged ? "" : tag.substr(kStandard.size());
    if (!untagged && name != "int" && name != "float" && name != "bool" && name != "null") return;
    if (const auto type = resolve_plain(node.text())) {
      node.type = *type;
    } else {
      node.kind = Node::Kind::null;
    }
  }

  /// The beginning of the value after its anchor and tag. If the value is empty (`a: !!str`), the
  /// next token belongs to another value.
  std::size_t begin_of_scalar(std::size_t mark, std::string_view value) {
    const std::size_t begin = skip_properties(text_, mark);
    if (value.empty() && begin > mark && !is_empty_string(begin)) {
      // A mapping with properties begins after those before its first key.
      const std::size_t outer = tree_.any_open() ? tree_.top().begin : 0;
      return std::max(end_of_properties_on_line(text_, mark), outer);
    }
    check_blank_before(begin, mark);
    return begin;
  }

  /// Whether the string at `begin`, after a tag, can be the value: it is in quotes, or a block
  /// scalar, and if on its own line, it is within the current collection.
  bool is_empty_string(std::size_t begin) const {
    if (begin >= text_.size()) return false;
    if (std::string_view("\"'|>").find(text_[begin]) == std::string_view::npos) return false;
    const std::size_t before = text_.find_last_not_of(' ', begin == 0 ? 0 : begin - 1);
    const bool own_line = before == std::string_view::npos || text_[before] == '\n';
    if (!own_line || !tree_.any_open() || tree_.top().flow) return true;
    return column_of(text_, begin) > *outer_column();
  }

  /// yaml-cpp accepts a value directly after a tag; libyaml does not.
  void check_blank_before(std::size_t begin, std::size_t mark) {
    if (begin <= mark || begin >= text_.size()) return;
    if (kBlanks.find(text_[begin - 1]) != std::string_view::npos) return;
    stop(
        {span(mark, begin),
         fmt::format("missing space after the tag '{}'", excerpt(text_.substr(mark, begin - mark))),
         "add a space before the value"});
  }

  /// Properties on the line of a block mapping belong to its first key.
  std::size_t begin_of_collection(std::size_t mark, bool flow) const {
    const std::size_t begin = skip_properties(text_, mark);
    return flow || end_of_line(text_, mark) < begin ? begin : mark;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, bool flow) {
    set_null_span(offset_of(mark));
    const std::size_t begin = begin_of_collection(offset_of(mark), flow);
    check_blank_before(begin, offset_of(mark));
    tree_.open(kind, begin, flow);
    anchors_of_open_.push_back(anchor);
    if (flow && begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{')) {
      cursor_ = begin + 1;
    } else {
      cursor_ = std::max(cursor_, begin);
    }
  }

  void close(char bracket) {
    set_null_span(std::nullopt);
    const std::size_t begin = tree_.top().begin;
    const char opener = bracket == ']' ? '[' : '{';
    // `[a: b]` contains a mapping without braces.
    if (tree_.top().flow && text_[begin] == opener) {
      std::size_t at = skip_blank(text_, cursor_);
      while (at < text_.size() && text_[at] != bracket) at = skip_blank(text_, at + 1);
      cursor_ = std::min(at + 1, text_.size());
    }
    TreeBuilder::Closed closed = tree_.close(cursor_);
    if (closed.problem) stop_at_valid_yaml(*std::move(closed.problem));
    const YAML::anchor_t anchor = anchors_of_open_.back();
    anchors_of_open_.pop_back();
    add(closed.node, anchor, closed.size);
  }

  /// Adds a finished node to its parent.
  void add(Node* node, YAML::anchor_t anchor, TreeSize size = {}) {
    if (anchor != 0) anchors_[anchor] = {node, size};
    if (!tree_.any_open()) {
      weight_ = size.weight;
    } else if (const Node* key = tree_.top().key) {
      check_key(*key);
      check_indentation(*node, *key);
    }
    tree_.add(node, size);
  }

  /// Kubernetes converts to JSON, where every key is a string.
  void check_key(const Node& key) {
    if (key.is_scalar() || document_.templated) return;
    if (key.span.begin == key.span.end) {
      const std::size_t sign = key.span.begin - base_;  // the end of the ':' without a key
      stop({span(sign > 0 ? sign - 1 : 0, sign), "missing key", "write a key before the ':'"});
    }
    if (key.is_null()) {
      stop_at_valid_yaml(
          {key.span,
           fmt::format("'{}' cannot be a key because it means null",
                       text_.substr(key.span.begin - base_, key.span.end - key.span.begin)),
           "quote it"});
    }
    stop_at_valid_yaml({key.span, fmt::format("{} cannot be a key", describe(key)), "quote it"});
  }

  /// yaml-cpp accepts a value below its key without indentation; libyaml only a list in block
  /// style.
  void check_indentation(const Node& value, const Node& key) {
    if (tree_.top().flow || value.span.begin <= key.span.end) return;
    const std::size_t begin = value.span.begin - base_;
    const bool below =
        text_.substr(key.span.end - base_, begin - (key.span.end - base_)).find('\n') !=
        std::string_view::npos;
    const bool block_list = value.is_sequence() && text_[begin] == '-';
    if (!below || block_list || column_of(text_, begin) > column_of(text_, tree_.top().begin))
      return;
    stop({{file_.id(), value.span.begin, value.span.begin + 1},
          "a value below its key must be indented more than the key",
          "indent it, or write it after the ':'"});
  }

  /// Sets the span of a null now that the next token is known: yaml-cpp gives an empty value the
  /// mark of that token.
  void set_null_span(std::optional<std::size_t> next) {
    if (pending_null_ == nullptr) return;
    Node* node = pending_null_;
    pending_null_ = nullptr;
    const std::size_t at = pending_null_at_;
    const std::size_t word_end = end_of_null_word(at, node->key() != nullptr);
    // The value of a key without a ':' has the mark of the key.
    if (next != at && word_end > at && at >= cursor_) {
      node->span = span(at, word_end);
      cursor_ = word_end;
    } else if (properties_end_ != 0) {
      node->span = span(properties_end_, properties_end_);
      cursor_ = properties_end_;
    } else {
      set_empty_span(*node);
    }
  }

  /// The end of the null, Null, NULL or ~ at `at`, or `at` if there is none: the word may be the
  /// key of the next entry.
  std::size_t end_of_null_word(std::size_t at, bool is_value) const {
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (!text_.substr(at).starts_with(word)) continue;
      const std::size_t end = at + word.size();
      const std::size_t next = std::min(text_.find_first_not_of(" \t", end), text_.size());
      const bool is_key = next < text_.size() && text_[next] == ':' && is_blank_at(next + 1);
      const bool ends = next == text_.size() || is_key || (text_[next] == '#' && next > end) ||
                        std::string_view("\r\n,]}").find(text_[next]) != std::string_view::npos;
      if (ends && !(is_key && is_value)) return end;
    }
    return at;
  }

  bool is_blank_at(std::size_t at) const {
    return at >= text_.size() || kBlanks.find(text_[at]) != std::string_view::npos;
  }

  /// An implicit null is at the end of its ':' or '-'.
  void set_empty_span(Node& node) {
    const std::size_t sign = skip_blank(text_, cursor_);
    const char c = sign < text_.size() ? text_[sign] : '\0';
    const bool in_flow = tree_.any_open() && tree_.top().flow;
    const bool is_value = node.key() != nullptr;
    // The token after a '? key' may begin with a colon, such as ":able".
    const bool is_colon = c == ':' && (in_flow || is_blank_at(sign + 1));
    if (in_flow && !is_value && c == ',') {
      stop({span(sign, sign + 1), "missing value before ','", "remove the comma"});
    }
    if (is_value && !in_flow && !is_colon && !is_explicit_key(*node.key())) {
      stop(explain_unexpected_line(file_, node.key()->span));
    }
    const bool is_item = tree_.any_open() && tree_.top().node->is_sequence();
    const bool signs = is_item ? c == '-' && !in_flow : is_colon || (c == '?' && !is_value);
    if (signs) cursor_ = sign + 1;
    node.span = span(cursor_, cursor_);
  }

  /// Whether '?' precedes the key, which then needs no ':'.
  bool is_explicit_key(const Node& key) const {
    const std::size_t begin = key.span.begin - base_;
    const std::size_t before =
        begin == 0 ? std::string_view::npos : text_.find_last_not_of(kBlanks, begin - 1);
    return before != std::string_view::npos && text_[before] == '?';
  }

  void check_expansion() {
    if (!aliased_ || weight_ <= kExpansionLimit) return;
    stop_at_valid_yaml({span(0, 0),
                        fmt::format("its aliases expand to more than {} values", kExpansionLimit),
                        "replace aliases with values; the API server rejects such documents too"});
  }

  const SourceFile& file_;
  std::string_view text_;    ///< the document as written
  std::string_view parsed_;  ///< the input of yaml-cpp: the same bytes except surrogates
  std::uint32_t base_;       ///< the offset of the document in the file
  Document& document_;
  TreeBuilder tree_;
  Arena& arena_;
  std::vector<YAML::anchor_t> anchors_of_open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t cursor_ = 0;  ///< the end of the last token in text_
  Node* pending_null_ = nullptr;
  std::size_t pending_null_at_ = 0;
  std::size_t properties_end_ = 0;  ///< the end of the pending null's anchor or tag; 0: none
  std::vector<Span> scalars_;
  std::size_t weight_ = 0;
  bool aliased_ = false;
  bool finished_ = false;
};

/// kubectl reads a document that begins with a brace as JSON.
bool is_json(std::string_view text) { return trim(text).starts_with('{'); }

}  // namespace

void read_events(const SourceFile& file, Span where, Document& document) {
  const std::string_view text = file.text(where);
  const std::optional<std::string> masked = is_json(text) ? mask_surrogates(text) : std::nullopt;
  const std::string_view parsed = masked ? std::string_view(*masked) : text;
  Events events(file, where, parsed, document);
  try {
    MemoryStream stream(parsed);
    YAML::Parser parser(stream);
    // yaml-cpp 0.7 returns empty documents endlessly after an unexpected token, so the reader stops
    // at the second document.
    while (parser.HandleNextDocument(events)) continue;
  } catch (const Stop&) {
  } catch (const YAML::ParserException& error) {
    const std::size_t offset = std::min<std::size_t>(
        text.size(), error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.pos));
    document.problems.push_back(explain(file, where, offset, error.msg));
  }
  if (document.problems.empty() && !document.templated) {
    if (auto problem = find_bad_gap(file, where, events.scalars())) {
      document.problems.push_back(std::move(*problem));
    }
  }
  if (document.problems.empty()) {
    document.comments = find_comments(file, where, events.scalars());
  } else {
    document.root = &missing_node();
    document.templated = has_template_actions(text);
  }
}

}  // namespace cnsched::yaml
