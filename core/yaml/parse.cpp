// yaml-cpp scans and parses; this file turns its events into our tree. Events carry start marks
// only, counted in bytes: the mark of an anchored or tagged value is that of the anchor or tag, and
// that of an empty value is where the next token begins. So the builder keeps a cursor behind the
// last token and finds the ends of scalars and flow collections in the text itself.
//
// What yaml-cpp 0.7 accepts although it is no YAML (an unclosed quote at the end of the input, empty
// entries in a flow collection, a second document without `---`) is found here as well.
#include "core/yaml/parse.h"

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
#include <unordered_map>

#include "core/base/text.h"
#include "core/yaml/bytes.h"
#include "core/yaml/comments.h"
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

constexpr std::string_view kBlanks = " \t\r\n";

/// Thrown to leave the parser as soon as the first problem is found; never leaves this file.
struct Stop {};

class Builder : public YAML::EventHandler {
 public:
  Builder(const SourceFile& file, Span where, std::string_view parsed, Document& document)
      : file_(file),
        text_(file.text(where)),
        parsed_(parsed),
        base_(where.begin),
        document_(document),
        arena_(*document.arena) {}

  bool finished() const { return finished_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (finished_) stop_at_second_document(offset_of(mark));
  }

  void OnDocumentEnd() override {
    settle_null(std::nullopt);
    finished_ = true;
    check_expansion();
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    settle_null(offset_of(mark));
    Node* node = arena_.make<Node>();
    node->kind = Node::Kind::null;
    pending_null_ = node;
    pending_null_at_ = skip_properties(offset_of(mark));
    add(node, anchor, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t begin = offset_of(mark);
    settle_null(begin);
    std::size_t end = begin + 1;
    while (end < text_.size() && std::string_view(" \t\r\n,[]{}").find(text_[end]) == std::string_view::npos) ++end;
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) {
      stop({span(begin, end),
            fmt::format("anchor '{}' contains itself", text_.substr(begin + 1, end - begin - 1)),
            "write the value out where the alias stands"});
    }
    Node* node = arena_.make<Node>(*target->second.node);
    node->span = span(begin, end);
    node->anchored = target->second.node;
    node->key = nullptr;
    cursor_ = end;
    aliased_ = true;
    add(node, 0, target->second.weight);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    settle_null(offset_of(mark));
    const std::size_t begin = skip_properties(offset_of(mark));
    const char first = begin < text_.size() ? text_[begin] : '\0';
    Node* node = arena_.make<Node>();
    node->kind = Node::Kind::scalar;
    std::size_t end = begin;
    if (tag == "!" && (first == '"' || first == '\'')) {
      end = first == '"' ? end_of_double_quoted(begin) : end_of_single_quoted(begin);
    } else if (tag == "!" || ((first == '|' || first == '>') && !value.starts_with(first))) {
      end = end_of_block_scalar(begin);
    } else if (first == '"' || first == '\'') {  // quoted behind an explicit tag
      end = first == '"' ? end_of_double_quoted(begin) : end_of_single_quoted(begin);
    } else {
      end = end_of_plain(begin, value);
    }
    node->quoted = tag == "!" || first == '"' || first == '\'';
    node->span = span(begin, end);
    node->text = keep(value, begin, end, node->quoted);
    cursor_ = end;
    scalars_.push_back(node->span);
    set_type(*node, tag);
    add(node, anchor, 1);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::sequence, mark, anchor, style == YAML::EmitterStyle::Flow);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::mapping, mark, anchor, style == YAML::EmitterStyle::Flow);
    if (text_.substr(open_.back().begin).starts_with("{{")) document_.templated = true;
  }

  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  const std::vector<Span>& scalars() const { return scalars_; }

 private:
  /// A collection that is still being read.
  struct Open {
    Node* node = nullptr;
    std::size_t begin = 0;
    bool flow = false;
    YAML::anchor_t anchor = 0;
    std::size_t weight = 1;
    std::vector<const Node*> items{};
    std::vector<Entry> entries{};
    const Node* key = nullptr;  ///< of a mapping: waits for its value
    bool merges = false;        ///< holds a `<<`
  };

  struct Anchored {
    const Node* node = nullptr;
    std::size_t weight = 1;
  };

  std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(text_.size(), static_cast<std::size_t>(std::max(mark.pos, 0)));
  }

  Span span(std::size_t begin, std::size_t end) const {
    return {file_.id(), base_ + static_cast<std::uint32_t>(begin),
            base_ + static_cast<std::uint32_t>(end)};
  }

  [[noreturn]] void stop(Problem problem) {
    document_.problems.push_back(std::move(problem));
    throw Stop();
  }

  [[noreturn]] void stop_at_second_document(std::size_t begin) {
    const std::size_t line_end = std::min(text_.find('\n', begin), text_.size());
    stop({span(begin, std::max(begin, line_end)),
          "the document has ended before this text, which kubectl would drop in silence",
          "begin a new document with a line '---', or mend what ends the one above"});
  }

  /// Past blanks, line ends and comments.
  std::size_t skip_blank(std::size_t at) const {
    while (at < text_.size()) {
      if (kBlanks.find(text_[at]) != std::string_view::npos) {
        ++at;
      } else if (text_[at] == '#' &&
                 (at == 0 || kBlanks.find(text_[at - 1]) != std::string_view::npos)) {
        at = std::min(text_.find('\n', at), text_.size());
      } else {
        break;
      }
    }
    return at;
  }

  /// Past anchors and tags, to where the value itself begins.
  std::size_t skip_properties(std::size_t at) const {
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      while (at < text_.size() && kBlanks.find(text_[at]) == std::string_view::npos) ++at;
      const std::size_t next = skip_blank(at);
      // An empty value: the properties are all there is, what follows belongs to another node.
      if (next == text_.size()) return at;
      at = next;
    }
    return at;
  }

  std::size_t end_of_double_quoted(std::size_t begin) {
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        return i + 1;
      }
    }
    stop(unclosed_quote(begin));
  }

  std::size_t end_of_single_quoted(std::size_t begin) {
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] != '\'') continue;
      if (i + 1 == text_.size() || text_[i + 1] != '\'') return i + 1;
      ++i;
    }
    stop(unclosed_quote(begin));
  }

  Problem unclosed_quote(std::size_t begin) const {
    return {span(begin, begin + 1), "the quote that opens here is never closed",
            fmt::format("end the string with {}", text_[begin])};
  }

  /// Folding changes nothing but blanks, so the end is found by walking over everything else.
  std::size_t end_of_plain(std::size_t begin, const std::string& value) const {
    std::size_t at = begin;
    std::size_t end = begin;
    for (const char c : value) {
      if (c == ' ' || c == '\n' || c == '\t') continue;
      while (at < text_.size() && kBlanks.find(text_[at]) != std::string_view::npos) ++at;
      if (at == text_.size() || text_[at] != c) break;
      end = ++at;
    }
    return end;
  }

  std::size_t column_of(std::size_t at) const {
    const std::size_t newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return newline == std::string_view::npos ? at : at - newline - 1;
  }

  /// The lines below the header that are indented more than what holds the scalar.
  std::size_t end_of_block_scalar(std::size_t begin) const {
    const bool at_root = open_.empty();
    const std::size_t outer = at_root ? 0 : column_of(open_.back().begin);
    std::size_t at = text_.find('\n', begin);
    std::size_t end = std::min(at, text_.size());
    if (end > begin && text_[end - 1] == '\r') --end;
    while (at < text_.size()) {
      const std::size_t line = at + 1;
      at = std::min(text_.find('\n', line), text_.size());
      const std::string_view content = trim(text_.substr(line, at - line));
      if (content.empty()) continue;
      const std::size_t indent = text_.find_first_not_of(' ', line) - line;
      if (!at_root && indent <= outer) break;
      end = static_cast<std::size_t>(content.data() + content.size() - text_.data());
    }
    return end;
  }

  /// A view on the source where it reads as it is written, otherwise a copy.
  std::string_view keep(const std::string& value, std::size_t begin, std::size_t end, bool quoted) {
    std::string_view raw = text_.substr(begin, end - begin);
    if (quoted && raw.size() >= 2) raw = raw.substr(1, raw.size() - 2);
    if (raw == value) return raw;
    if (parsed_.data() != text_.data()) return arena_.copy(unmask_surrogates(value, raw));
    return arena_.copy(value);
  }

  static void set_type(Node& node, const std::string& tag) {
    if (node.quoted || tag == "tag:yaml.org,2002:str") return;
    if (const auto type = resolve_plain(node.text)) {
      node.type = *type;
    } else {
      node.kind = Node::Kind::null;
    }
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, bool flow) {
    settle_null(offset_of(mark));
    Node* node = arena_.make<Node>();
    node->kind = kind;
    const std::size_t begin = skip_properties(offset_of(mark));
    open_.push_back({.node = node, .begin = begin, .flow = flow, .anchor = anchor});
    if (flow && begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{')) {
      cursor_ = begin + 1;
    } else {
      cursor_ = std::max(cursor_, begin);
    }
  }

  void close(char bracket) {
    settle_null(std::nullopt);
    Open closed = std::move(open_.back());
    open_.pop_back();
    const char opener = bracket == ']' ? '[' : '{';
    // `[a: b]` holds a mapping that has no braces of its own.
    if (closed.flow && text_[closed.begin] == opener) {
      std::size_t at = skip_blank(cursor_);
      while (at < text_.size() && text_[at] != bracket) at = skip_blank(at + 1);
      cursor_ = std::min(at + 1, text_.size());
    }
    Node* node = closed.node;
    node->span = span(closed.begin, std::max(cursor_, closed.begin));
    if (node->is_mapping()) {
      if (closed.merges) merge(closed);
      mark_overridden(closed.entries);
      node->entries = arena_.copy(closed.entries);
    } else {
      node->items = arena_.copy(closed.items);
    }
    add(node, closed.anchor, closed.weight);
  }

  /// Hands a finished node to what holds it.
  void add(Node* node, YAML::anchor_t anchor, std::size_t weight) {
    if (anchor != 0) anchors_[anchor] = {node, weight};
    if (open_.empty()) {
      document_.root = node;
      weight_ = weight;
      return;
    }
    Open& top = open_.back();
    node->parent = top.node;
    top.weight = std::min(top.weight + weight, 2 * kExpansionLimit);
    if (top.node->is_sequence()) {
      top.items.push_back(node);
    } else if (top.key == nullptr) {
      top.key = node;
    } else {
      if (!top.key->quoted && top.key->text == "<<") top.merges = true;
      node->key = top.key;
      top.entries.push_back({.key = top.key, .value = node});
      top.key = nullptr;
    }
  }

  /// Decides where a null stands, now that the place of the next token is known: an empty value was
  /// given the place of that token.
  void settle_null(std::optional<std::size_t> next) {
    if (pending_null_ == nullptr) return;
    Node* node = pending_null_;
    pending_null_ = nullptr;
    const std::size_t at = pending_null_at_;
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (next != at && text_.substr(at).starts_with(word)) {
        node->span = span(at, at + word.size());
        cursor_ = at + word.size();
        return;
      }
    }
    const std::size_t sign = skip_blank(cursor_);
    const char c = sign < text_.size() ? text_[sign] : '\0';
    const bool in_flow = !open_.empty() && open_.back().flow;
    const bool is_value = node->key != nullptr;
    if (in_flow && !is_value && c == ',') {
      stop({span(sign, sign + 1), "nothing stands before this comma", "remove the comma"});
    }
    if (c == ':' || c == '?' || (c == '-' && !in_flow)) cursor_ = sign + 1;
    node->span = span(cursor_, cursor_);
  }

  /// Replaces each `<<` by the entries that it brings in, which come first: they are weaker.
  void merge(Open& mapping) {
    std::vector<Entry> own;
    std::vector<Entry> brought;
    std::unordered_map<std::string_view, bool> taken;
    for (const Entry& entry : mapping.entries) {
      const bool is_merge = !entry.key->quoted && entry.key->text == "<<";
      if (!is_merge) {
        own.push_back(entry);
        taken[entry.key->text] = true;
      }
    }
    const auto bring = [&](const Node& source) {
      if (!source.is_mapping()) {
        stop({source.span, "'<<' merges mappings, and this is none",
              "give it an alias of a mapping, such as *defaults, or a list of such aliases"});
      }
      for (auto entry = source.entries.rbegin(); entry != source.entries.rend(); ++entry) {
        if (!taken.emplace(entry->key->text, true).second) continue;
        Entry copy = *entry;
        copy.merged = true;
        copy.overridden = false;
        brought.push_back(copy);
        if (++merged_entries_ > kExpansionLimit) {
          stop({source.span, fmt::format("'<<' brings in more than {} entries", kExpansionLimit),
                "write the mappings out"});
        }
      }
    };
    for (const Entry& entry : mapping.entries) {
      if (entry.key->quoted || entry.key->text != "<<") continue;
      if (entry.value->is_sequence()) {
        for (const Node* source : entry.value->items) bring(*source);
      } else {
        bring(*entry.value);
      }
    }
    mapping.entries.assign(brought.rbegin(), brought.rend());
    mapping.entries.insert(mapping.entries.end(), own.begin(), own.end());
  }

  static void mark_overridden(std::vector<Entry>& entries) {
    constexpr std::size_t kFew = 12;
    if (entries.size() <= kFew) {
      for (std::size_t i = 0; i < entries.size(); ++i) {
        for (std::size_t j = i + 1; j < entries.size(); ++j) {
          if (entries[i].key->text == entries[j].key->text) entries[i].overridden = true;
        }
      }
      return;
    }
    std::unordered_map<std::string_view, Entry*> last;
    for (Entry& entry : entries) {
      const auto [place, first] = last.emplace(entry.key->text, &entry);
      if (first) continue;
      place->second->overridden = true;
      place->second = &entry;
    }
  }

  void check_expansion() {
    if (!aliased_ || weight_ <= kExpansionLimit) return;
    stop({span(0, 0), fmt::format("its aliases unfold to more than {} values", kExpansionLimit),
          "write the values out; the API server refuses such documents as well"});
  }

  const SourceFile& file_;
  std::string_view text_;    ///< the document as written
  std::string_view parsed_;  ///< what yaml-cpp was given: the same bytes, but for surrogates
  std::uint32_t base_;       ///< where the document begins in the file
  Document& document_;
  Arena& arena_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t cursor_ = 0;  ///< behind the last token, as an offset in text_
  Node* pending_null_ = nullptr;
  std::size_t pending_null_at_ = 0;
  std::vector<Span> scalars_;
  std::size_t weight_ = 0;
  std::size_t merged_entries_ = 0;
  bool aliased_ = false;
  bool finished_ = false;
};

/// The file that Helm says a document was rendered from: its `# Source:` comment.
std::string helm_source(std::string_view text) {
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    constexpr std::string_view kMark = "# Source:";
    if (line.starts_with(kMark)) return std::string(trim(line.substr(kMark.size())));
    if (!line.empty() && !line.starts_with('#') && line != "---") break;
  }
  return {};
}

}  // namespace

Document parse(const SourceFile& file, Span where) {
  Document document;
  document.span = where;
  document.arena = std::make_unique<Arena>();
  const std::string_view text = file.text(where);
  document.rendered_from = helm_source(text);
  if (auto problem = find_bad_byte(file, where)) {
    document.problems.push_back(std::move(*problem));
    return document;
  }

  const std::optional<std::string> masked = mask_surrogates(text);
  const std::string_view parsed = masked ? std::string_view(*masked) : text;
  Builder builder(file, where, parsed, document);
  try {
    MemoryStream stream(parsed);
    YAML::Parser parser(stream);
    // yaml-cpp 0.7 hands out empty documents for ever after a stray token: the builder stops at the
    // second one, whatever it is.
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const Stop&) {
  } catch (const YAML::ParserException& error) {
    const std::size_t offset = std::min<std::size_t>(
        text.size(), error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.pos));
    document.problems.push_back(explain(file, where, offset, error.msg));
  }
  if (document.problems.empty()) {
    document.comments = find_comments(file, where, builder.scalars());
  } else {
    document.root = &missing_node();
    document.templated = has_template_actions(text);
  }
  return document;
}

}  // namespace cnsched::yaml
