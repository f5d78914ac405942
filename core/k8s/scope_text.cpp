#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/char_set.h"
#include "core/base/scan.h"
#include "core/k8s/label.h"
#include "core/k8s/scope.h"
#include "core/k8s/scope_table.h"
#include "core/yaml/template_text.h"

namespace cnsched::k8s {

namespace {

constexpr CharSet kBlanks(" \t");
constexpr CharSet kEndsOfWords(" \t\r\n\"',}]#");
constexpr CharSet kEndsInFlow(",}]");
constexpr CharSet kEndsOfSingle("'\r\n");
constexpr CharSet kEndsOfDouble("\"\r\n");
constexpr CharSet kOpening("{[");
constexpr CharSet kNotPlain("&*!|>");  // an anchor, an alias, a tag, a block
constexpr CharSet kBeforeAlias(" \t\r\n{[,?");
constexpr CharSet kEndsOfAlias(" \t\r\n{}[],");
constexpr CharSet kHidesWords("\\{");  // an escape, a template

/// `std::string_view::find` takes several times as long.
bool holds(std::string_view text, std::string_view word) {
  if (word.empty() || text.empty()) return word.empty();
  return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
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
  return is_alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

/// Whether an escape with these hexadecimal digits may be a character of our words.
bool may_spell_letter(std::string_view digits) {
  unsigned code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  // Go's encoder writes \u003c for '<' and hardly any other escape.
  return error != std::errc() || end != digits.data() + digits.size() ||
         (code < 0x80 && code != '<' && code != '>' && code != '&');
}

/// UTF-16 is rejected later, but PowerShell writes it: without the zeros its words are found.
std::string without_zeros(std::string_view text) {
  std::string words(text);
  std::erase(words, '\0');
  return words;
}

/// The position after blanks, line ends and comments.
std::size_t skip_to_token(std::string_view text, std::size_t at) {
  while (true) {
    at = std::min(kBlanksAndLineEnds.find_first_not_in(text, at), text.size());
    if (at == text.size() || text[at] != '#') return at;
    at = std::min(kLineEnds.find_first_in(text, at), text.size());
  }
}

/// Skips likewise, but each comment once only: a text may have a million keys in comments.
class TokenSearch {
 public:
  explicit TokenSearch(std::string_view text) : text_(text) {}

  std::size_t behind(std::size_t at) {
    at = std::min(kBlanks.find_first_not_in(text_, at), text_.size());
    if (at == text_.size() || (text_[at] != '#' && !kLineEnds.has(text_[at]))) return at;
    const auto known = skipped_.upper_bound(at);
    if (known != skipped_.end() && known->second <= at) return known->first;
    const std::size_t token = skip_to_token(text_, at);
    skipped_[token] = at;
    return token;
  }

 private:
  std::string_view text_;
  std::map<std::size_t, std::size_t> skipped_{};  ///< where what was skipped ends, and begins
};

/// The end of a word before one of `ends`; nothing if it is longer than any of ours. The limit
/// keeps the search linear in a text without ends.
std::optional<std::size_t> end_of_word(std::string_view text, std::size_t begin,
                                       const CharSet& ends) {
  constexpr std::size_t kLongest = 512;
  const std::string_view near = text.substr(begin, kLongest);
  const std::size_t end = ends.find_first_in(near);
  if (end != std::string_view::npos) return begin + end;
  if (near.size() < kLongest) return text.size();
  return std::nullopt;
}

/// A scalar that a key may have as value.
struct FoundValue {
  std::string_view word;
  bool unclear = false;  ///< an alias, a block, an escape, several words: only a parser can read it
};

/// Whether the plain scalar of the key at `at` may continue after its first word, which ends at
/// `end`.
bool may_go_on(std::string_view text, std::size_t at, std::size_t end) {
  constexpr std::size_t kFar = 200;  // a line may have a megabyte, and as many keys
  const std::size_t far = at - std::min(at, kFar);
  std::string_view before = text.substr(far, at - far);
  const std::size_t line = kLineEnds.find_last_in(before);
  if (line != std::string_view::npos) before.remove_prefix(line + 1);
  const bool in_brackets = kOpening.find_first_in(before) != std::string_view::npos;

  std::size_t next = kBlanks.find_first_not_in(text, end);
  if (next == std::string_view::npos) return false;
  const bool ends_line = kLineEnds.has(text[next]);
  if (ends_line) next = kBlanksAndLineEnds.find_first_not_in(text, next);
  if (next == std::string_view::npos || (text[next] == '#' && next > end)) return false;
  if (kEndsInFlow.has(text[next])) return !in_brackets;
  if (!ends_line) return true;
  const std::size_t column = next - kLineEnds.find_last_in(text, next) - 1;
  return column > before.size();
}

/// Whether an alias stands for a key, which may be any that the text has elsewhere.
bool has_alias_key(std::string_view text) {
  TokenSearch tokens(text);
  for (std::size_t at = text.find('*'); at != std::string_view::npos; at = text.find('*', at + 1)) {
    if (at > 0 && !kBeforeAlias.has(text[at - 1])) continue;
    const auto end = end_of_word(text, at, kEndsOfAlias);
    if (!end) return true;
    const std::size_t next = tokens.behind(*end);
    if (next < text.size() && text[next] == ':') return true;
  }
  return false;
}

/// Finds values of one key, at places in the order of the text.
class ValueSearch {
 public:
  ValueSearch(std::string_view text, std::string_view key)
      : text_(text), key_(key), tokens_(text) {}

  /// The value of the key at `at`; nothing if there is no key.
  std::optional<FoundValue> value_behind(std::size_t at) {
    std::size_t next = at + key_.size();
    if (next < text_.size() && (text_[next] == '"' || text_[next] == '\'')) ++next;
    next = tokens_.behind(next);
    if (next == text_.size() || text_[next] != ':') return std::nullopt;
    next = tokens_.behind(next + 1);
    if (next == text_.size()) return FoundValue{};
    const char first = text_[next];
    if (first == '{' || first == '[') return FoundValue{};
    if (kNotPlain.has(first)) return FoundValue{.word = {}, .unclear = true};
    return first == '"' || first == '\'' ? quoted(next + 1, first) : plain(next, at);
  }

 private:
  FoundValue quoted(std::size_t begin, char quote) const {
    const auto end = end_of_word(text_, begin, quote == '"' ? kEndsOfDouble : kEndsOfSingle);
    const std::string_view word = text_.substr(begin, end.value_or(begin) - begin);
    const bool goes_on = !end || *end == text_.size() || text_[*end] != quote;
    return {.word = word, .unclear = goes_on || word.find('\\') != std::string_view::npos};
  }

  FoundValue plain(std::size_t begin, std::size_t key) const {
    const auto end = end_of_word(text_, begin, kEndsOfWords);
    if (!end) return {.word = {}, .unclear = true};
    const std::string_view word = text_.substr(begin, *end - begin);
    return {.word = word,
            .unclear = kHidesWords.find_first_in(word) != std::string_view::npos ||
                       may_go_on(text_, key, *end)};
  }

  std::string_view text_;
  std::string_view key_;
  TokenSearch tokens_;
};

/// The result of one pass over a text.
struct Marks {
  bool zeros = false;                   ///< it may be UTF-16
  bool hidden_words = false;            ///< a double-quoted scalar may escape or break a word
  bool braces = false;                  ///< `{{` or `{%`: it may be a template
  bool odd_keys = false;                ///< `?` or `*` at the start of a line, or `<<`
  std::vector<std::size_t> versions{};  ///< positions of the word apiVersion
  std::vector<std::size_t> kinds{};     ///< positions of the word kind
};

/// Whether a walk has to stop at `place`, which has another behind it (scan.h).
unsigned char is_worth_a_stop(const char* place) {
  const char c = place[0];
  const auto both = [&](char first, char second) { return (c == first) & (place[1] == second); };
  return static_cast<unsigned char>((c == '\0') | (c == '\\') | both('k', 'i') | both('V', 'e') |
                                    both('{', '{') | both('{', '%') | both('<', '<') |
                                    both('\n', '?') | both('\n', '*'));
}

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  Marks run() {
    scan(text_, 0, is_worth_a_stop, [&](std::size_t at) {
      note(at);
      return false;
    });
    return std::move(marks_);
  }

 private:
  void note(std::size_t at) {
    switch (text_[at]) {
      case '\0':
        marks_.zeros = true;
        break;
      case '\\':
        escape(at);
        break;
      case 'k':
        add_word("kind", at, marks_.kinds);
        break;
      case 'V':
        if (at >= kApi.size()) add_word("apiVersion", at - kApi.size(), marks_.versions);
        break;
      case '{':
        marks_.braces = true;
        break;
      default:
        marks_.odd_keys = true;
        break;
    }
  }

  void add_word(std::string_view word, std::size_t at, std::vector<std::size_t>& places) const {
    const bool begins = at == 0 || !is_part_of_word(text_[at - 1]);
    if (begins && text_.substr(at).starts_with(word)) places.push_back(at);
  }

  void escape(std::size_t at) {
    if (at < behind_escape_) return;
    behind_escape_ = at + 2;
    const std::string_view escape = text_.substr(at + 1, 5);
    const char c = escape.empty() ? ' ' : escape.front();
    // A continued shell line ends like this after a blank; a broken word does not.
    const bool breaks_word = (c == '\n' || c == '\r') && at > 0 && is_part_of_word(text_[at - 1]);
    if (c == 'x' || c == 'U' || breaks_word || (c == 'u' && may_spell_letter(escape.substr(1)))) {
      marks_.hidden_words = true;
    }
  }

  static constexpr std::string_view kApi = "api";

  std::string_view text_;
  Marks marks_;
  std::size_t behind_escape_ = 0;
};

/// Whether the text begins with a plain key in the first column.
bool begins_with_key(std::string_view text) {
  std::size_t first = skip_to_token(text, 0);
  if (text.substr(first).starts_with("---")) first = skip_to_token(text, first + 3);
  if (first == text.size() || !is_part_of_word(text[first])) return false;
  return first == 0 || text[first - 1] == '\n';
}

/// Whether the line before `at` has only blanks, dashes and quotes, and at least a blank or a dash.
bool is_indented(std::string_view text, std::size_t at) {
  bool any = false;
  while (at > 0) {
    const char c = text[--at];
    if (c == '\n' || c == '\r') break;
    if (c != ' ' && c != '-' && c != '"' && c != '\'') return false;
    any = any || c == ' ' || c == '-';
  }
  return any;
}

/// The values of `key` at those places that an object may have, however they are written. In a
/// block mapping only the keys in the first column are an object's, unless it `wraps` others.
std::vector<FoundValue> values_at(const std::vector<std::size_t>& places, std::string_view key,
                                  std::string_view text, bool wraps) {
  std::vector<FoundValue> values;
  ValueSearch search(text, key);
  for (const std::size_t at : places) {
    if (!wraps && is_indented(text, at)) continue;
    if (const auto value = search.value_behind(at)) values.push_back(*value);
  }
  return values;
}

bool wraps_objects(const FoundValue& kind) {
  return kind.unclear || kind.word.ends_with("List") || kind.word == "Template";
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

/// The distinct words of some values: each may need a search of the whole text.
std::vector<std::string_view> words_of(const std::vector<FoundValue>& values) {
  std::vector<std::string_view> words;
  for (const FoundValue& value : values) words.push_back(value.word);
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

/// Whether every object of a group is in scope.
bool is_group_in_scope(std::string_view group) {
  return std::ranges::any_of(
      kScope, [&](const ScopeRow& row) { return row.kind == "*" && row.group == group; });
}

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(kBlanks.find_first_not_in(text), text.size()));
}

/// Whether a key may begin after `before`: at the start of a line, an item or a flow mapping.
bool may_begin_key(std::string_view before) {
  if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
  const std::size_t last = kBlanks.find_last_not_in(before);
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
    if (const auto end = end_of_word(rest, 0, kEndsOfWords)) values.push_back(rest.substr(0, *end));
  }
  return values;
}

}  // namespace

bool may_be_in_scope(std::string_view text) {
  const Marks marks = Walk(text).run();
  if (marks.zeros) return holds_telling_word(without_zeros(text));
  if (marks.hidden_words) return true;
  // The object of a template is known only after rendering; the report mentions the template.
  if (marks.braces && yaml::has_template_actions(text)) return holds_telling_word(text);

  bool wraps = marks.odd_keys || !begins_with_key(text);
  std::vector<FoundValue> kinds = values_at(marks.kinds, "kind", text, wraps);
  if (!wraps && std::ranges::any_of(kinds, wraps_objects)) {
    wraps = true;
    kinds = values_at(marks.kinds, "kind", text, wraps);
  }
  if (wraps && has_alias_key(text)) return holds_telling_word(text);
  const std::vector<FoundValue> versions = values_at(marks.versions, "apiVersion", text, wraps);
  const bool has_open_version =
      versions.empty() || std::ranges::any_of(versions, is_placeholder, &FoundValue::word);
  return std::ranges::any_of(versions, is_group_in_scope,
                             [](const FoundValue& v) { return group_of(v.word); }) ||
         std::ranges::any_of(
             words_of(kinds),
             [&](std::string_view kind) { return may_be_of_kind(kind, text, has_open_version); }) ||
         ((std::ranges::any_of(versions, &FoundValue::unclear) ||
           std::ranges::any_of(kinds, &FoundValue::unclear)) &&
          holds_telling_word(text));
}

bool broken_text_in_scope(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return broken_text_in_scope(without_zeros(text));
  std::vector<std::string_view> groups = values_of("apiVersion", text);
  for (std::string_view& version : groups) version = group_of(version);
  const std::vector<std::string_view> kinds = values_of("kind", text);
  const auto among = [](const std::vector<std::string_view>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  // Excerpts in documentation begin at the kind; these names are in scope in any group.
  if (groups.empty()) {
    return std::ranges::any_of(kServingKinds,
                               [&](std::string_view kind) { return among(kinds, kind); });
  }
  // In text that cannot be parsed, kinds and apiVersions cannot be paired.
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return among(groups, row.group) && (row.kind == "*" || among(kinds, row.kind)) &&
           holds(text, row.name);
  });
}

}  // namespace cnsched::k8s
