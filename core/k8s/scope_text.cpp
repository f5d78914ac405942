#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/k8s/label.h"
#include "core/k8s/scope.h"
#include "core/k8s/scope_table.h"
#include "core/yaml/template_text.h"

namespace cnsched::k8s {

namespace {

/// Where `word` stands in `text`, at `from` or behind it; npos if nowhere. At the speed of memory.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* found = ::memmem(text.data() + from, text.size() - from, word.data(), word.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool holds(std::string_view text, std::string_view word) {
  return find_word(text, word, 0) != std::string_view::npos || word.empty();
}

/// What the text of an object of that row must contain.
std::string_view telling_word(const ScopeRow& row) {
  if (!row.name.empty()) return row.name;
  return row.kind == "*" ? row.group : row.kind;
}

bool holds_telling_word(std::string_view text) {
  return holds(text, kKnativeFlag) ||
         std::ranges::any_of(kScope,
                             [&](const ScopeRow& row) { return holds(text, telling_word(row)); }) ||
         std::ranges::any_of(kServingKinds,
                             [&](std::string_view kind) { return holds(text, kind); });
}

bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

/// Whether a character of our words may be spelt by the escape whose hexadecimal digits these are.
bool may_spell_letter(std::string_view digits) {
  unsigned code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  // Go's encoder writes \u003c for '<', and nearly no other.
  return error != std::errc() || end != digits.data() + digits.size() ||
         (code < 0x80 && code != '<' && code != '>' && code != '&');
}

/// A double-quoted scalar may spell a word in escapes, or break it over two lines.
bool may_hide_words(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos;
       at = text.find('\\', at + 2)) {
    const std::string_view escape = text.substr(at + 1, 5);
    if (escape.empty()) return false;
    const char c = escape.front();
    if (c == 'x' || c == 'U') return true;
    // A shell's line ends so behind a blank, a word that is broken within does not.
    const bool in_word = at > 0 && is_part_of_word(text[at - 1]);
    if ((c == '\n' || c == '\r') && in_word) return true;
    if (c == 'u' && may_spell_letter(escape.substr(1))) return true;
  }
  return false;
}

bool holds_zeros(std::string_view text) { return text.find('\0') != std::string_view::npos; }

/// UTF-16 is refused, but PowerShell writes it: without its zeros its words can be found.
std::string without_zeros(std::string_view text) {
  std::string words(text);
  std::erase(words, '\0');
  return words;
}

/// Behind blanks, line ends and comments.
std::size_t skip_to_token(std::string_view text, std::size_t at) {
  while (true) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (at == text.size() || text[at] != '#') return at;
    at = std::min(text.find_first_of("\r\n", at), text.size());
  }
}

/// A scalar that a key may have, as far as a search can tell.
struct FoundValue {
  std::string_view word;
  bool unclear = false;  ///< an alias, a block, an escape, a template: only a parser can tell
};

/// What `key`, which stands at `at`, has for its value; nothing if it is no key there.
std::optional<FoundValue> value_behind(std::string_view text, std::string_view key,
                                       std::size_t at) {
  std::size_t next = at + key.size();
  if (at > 0 && is_part_of_word(text[at - 1])) return std::nullopt;
  if (next < text.size() && (text[next] == '"' || text[next] == '\'')) ++next;
  next = skip_to_token(text, next);
  if (next == text.size() || text[next] != ':') {
    // What an alias may repeat as a key.
    const std::size_t blank = at == 0 ? std::string_view::npos : text.find_last_of(" \t\r\n", at);
    if (blank == std::string_view::npos) return std::nullopt;
    const std::size_t last = text.find_last_not_of(" \t\r\n", blank);
    if (last == std::string_view::npos) return std::nullopt;
    const std::size_t before = text.find_last_of(" \t\r\n", last);
    const char c = text[before == std::string_view::npos ? 0 : before + 1];
    if (c != '&' && c != '!') return std::nullopt;
    return FoundValue{.word = {}, .unclear = true};
  }
  next = skip_to_token(text, next + 1);
  if (next == text.size()) return FoundValue{};
  const char first = text[next];
  if (std::string_view("&*!|>").find(first) != std::string_view::npos ||
      text.substr(next).starts_with("{{") || text.substr(next).starts_with("{%")) {
    return FoundValue{.word = {}, .unclear = true};
  }
  if (first == '"' || first == '\'') {
    ++next;
    const std::string_view line = text.substr(next, text.find_first_of("\r\n", next) - next);
    const std::size_t end = line.find(first);
    const std::string_view word = line.substr(0, end);
    if (end != std::string_view::npos) {
      return FoundValue{.word = word, .unclear = word.find('\\') != std::string_view::npos};
    }
  }
  const std::size_t end = std::min(text.find_first_of(" \t\r\n\"',}]#", next), text.size());
  const std::string_view word = text.substr(next, end - next);
  return FoundValue{.word = word, .unclear = word.find_first_of("\\{") != std::string_view::npos};
}

/// Where objects stand in a text, as far as a search can tell.
class Levels {
 public:
  explicit Levels(std::string_view text) : text_(text), in_block_(has_block_root(text)) {}

  /// Whether what stands at `at` may be a key of an object. In a block mapping that is no list of
  /// objects only the keys in the first column are, which have nothing in front of them.
  bool may_be_key_of_object(std::size_t at) {
    if (!in_block_ || at == 0) return true;
    std::size_t line = text_.find_last_of("\r\n", at - 1);
    line = line == std::string_view::npos ? 0 : line + 1;
    const std::string_view before = text_.substr(line, at - line);
    const bool is_deeper = before.find_first_not_of(" -\"'") == std::string_view::npos &&
                           before.find_first_of(" -") != std::string_view::npos;
    return !is_deeper || wraps_objects();
  }

 private:
  /// Whether the text begins with a plain key in the first column, and is all in block style there.
  static bool has_block_root(std::string_view text) {
    std::size_t first = skip_to_token(text, 0);
    if (text.substr(first).starts_with("---")) first = skip_to_token(text, first + 3);
    if (first == text.size() || !is_part_of_word(text[first])) return false;
    const bool begins_line = first == 0 || text[first - 1] == '\n';
    return begins_line && !holds(text, "\n?") && !holds(text, "<<");
  }

  bool wraps_objects() {
    if (!wraps_) wraps_ = holds(text_, "items") || holds(text_, "objects");
    return *wraps_;
  }

  std::string_view text_;
  bool in_block_;
  std::optional<bool> wraps_;
};

/// Whether `matches` any value of `key` that an object may have, however it is written.
template <typename Matches>
bool any_value(std::string_view text, std::string_view key, Levels& levels, Matches matches) {
  for (std::size_t at = find_word(text, key, 0); at != std::string_view::npos;
       at = find_word(text, key, at + key.size())) {
    const auto value = value_behind(text, key, at);
    if (value && levels.may_be_key_of_object(at) && matches(*value)) return true;
  }
  return false;
}

/// Whether an object of that kind and text may be in scope.
bool may_be_of_kind(std::string_view kind, std::string_view text, bool has_open_version) {
  if (kind == "ConfigMap" && holds(text, kKnativeFlag)) return true;
  if (has_open_version && std::ranges::find(kServingKinds, kind) != kServingKinds.end()) {
    return true;
  }
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return row.kind == kind && holds(text, row.group) && holds(text, row.name);
  });
}

/// Whether every object of a group is in scope.
bool is_group_in_scope(std::string_view group) {
  return std::ranges::any_of(
      kScope, [&](const ScopeRow& row) { return row.kind == "*" && row.group == group; });
}

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Whether a key may begin behind `before`: at the start of a line, an item or a flow mapping.
bool may_begin_key(std::string_view before) {
  if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
  const std::size_t last = before.find_last_not_of(" \t");
  if (last == std::string_view::npos) return true;
  const char c = before[last];
  const bool byte_order_mark = static_cast<unsigned char>(c) >= 0x80;
  return byte_order_mark || std::string_view("\n\r-{,").find(c) != std::string_view::npos;
}

/// Every value of `key` in broken text, be it YAML or JSON: `kind: Pod`, `"kind":"Pod",`.
std::vector<std::string_view> values_of(std::string_view key, std::string_view text) {
  std::vector<std::string_view> values;
  for (std::size_t at = text.find(key); at != std::string_view::npos;
       at = text.find(key, at + key.size())) {
    if (!may_begin_key(text.substr(0, at))) continue;
    std::string_view rest = text.substr(at + key.size());
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    rest = skip_blanks(rest);
    if (!rest.starts_with(':')) continue;
    rest = skip_blanks(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    values.push_back(rest.substr(0, rest.find_first_of(" \t\r\n\"',}#")));
  }
  return values;
}

}  // namespace

bool may_be_in_scope(std::string_view text) {
  if (holds_zeros(text)) return holds_telling_word(without_zeros(text));
  if (may_hide_words(text)) return true;
  // Which object a template becomes is seen once it is rendered; that it is one is worth telling.
  const bool may_be_template = holds(text, "{{") || holds(text, "{%");
  if (may_be_template && yaml::has_template_actions(text)) return holds_telling_word(text);
  Levels levels(text);
  bool unclear = false;
  bool has_version = false;
  bool has_placeholder = false;
  const bool group_in_scope = any_value(text, "apiVersion", levels, [&](const FoundValue& version) {
    has_version = true;
    unclear = unclear || version.unclear;
    has_placeholder = has_placeholder || is_placeholder(version.word);
    return is_group_in_scope(group_of(version.word));
  });
  if (group_in_scope) return true;
  const bool has_open_version = has_placeholder || !has_version;
  const bool kind_in_scope = any_value(text, "kind", levels, [&](const FoundValue& kind) {
    unclear = unclear || kind.unclear;
    return may_be_of_kind(kind.word, text, has_open_version);
  });
  return kind_in_scope || (unclear && holds_telling_word(text));
}

bool broken_text_in_scope(std::string_view text) {
  if (holds_zeros(text)) return broken_text_in_scope(without_zeros(text));
  std::vector<std::string_view> groups = values_of("apiVersion", text);
  for (std::string_view& version : groups) version = group_of(version);
  const std::vector<std::string_view> kinds = values_of("kind", text);
  const auto among = [](const std::vector<std::string_view>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  // Cut-outs of documentation begin at the kind; these names are ours whatever the group.
  if (groups.empty()) {
    return std::ranges::any_of(kServingKinds,
                               [&](std::string_view kind) { return among(kinds, kind); });
  }
  // Which kind belongs to which apiVersion is not known of text that cannot be parsed.
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return among(groups, row.group) && (row.kind == "*" || among(kinds, row.kind)) &&
           holds(text, row.name);
  });
}

}  // namespace cnsched::k8s
