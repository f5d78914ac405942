// A pattern is read into tokens and run as a nondeterministic automaton over the path: a set of
// token positions is kept and advanced by each character, so there is no backtracking.
#include "core/source/ignore_patterns.h"

#include "core/base/text.h"

namespace cnsched {

namespace {

struct Token {
  enum class Kind : unsigned char {
    literal,
    any,          // ?
    set,          // [...]
    star,         // *
    directories,  // **/ at the start of a name: zero or more whole names
    rest,         // ** elsewhere: anything, including slashes
  };
  Kind kind;
  char character = 0;
  bool negated = false;
  std::string_view set;
};

/// Reads the set that opens at `i` and sets `i` to its closing bracket. False if there is none (the
/// bracket is then literal).
bool read_set(std::string_view pattern, std::size_t& i, Token& token) {
  std::size_t begin = i + 1;
  if (begin < pattern.size() && (pattern[begin] == '!' || pattern[begin] == '^')) {
    token.negated = true;
    ++begin;
  }
  std::size_t end = begin;
  if (end < pattern.size() && pattern[end] == ']') ++end;  // a first ] is a member
  while (end < pattern.size() && pattern[end] != ']') end += pattern[end] == '\\' ? 2 : 1;
  if (end >= pattern.size()) return false;
  token.kind = Token::Kind::set;
  token.set = pattern.substr(begin, end - begin);
  i = end;
  return true;
}

std::vector<Token> tokens_of(std::string_view pattern) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool at_name_start = i == 0 || pattern[i - 1] == '/';
    Token token{.kind = Token::Kind::literal, .character = pattern[i], .set = {}};
    if (pattern[i] == '?') {
      token.kind = Token::Kind::any;
    } else if (pattern.substr(i).starts_with("**") && at_name_start &&
               (i + 2 == pattern.size() || pattern[i + 2] == '/')) {
      const bool last = i + 2 == pattern.size();
      token.kind = last ? Token::Kind::rest : Token::Kind::directories;
      i += last ? 1 : 2;
    } else if (pattern[i] == '*') {
      token.kind = Token::Kind::star;
    } else if (pattern[i] == '[') {
      if (!read_set(pattern, i, token)) token.negated = false;
    } else if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      token.character = pattern[++i];
    }
    tokens.push_back(token);
  }
  return tokens;
}

bool in_set(const Token& token, char c) {
  bool found = false;
  const std::string_view set = token.set;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '\\' && i + 1 < set.size()) ++i;
    const char low = set[i];
    char high = low;
    if (i + 2 < set.size() && set[i + 1] == '-') {
      high = set[i + 2];
      i += 2;
    }
    if (low <= c && c <= high) found = true;
  }
  return found != token.negated;
}

using States = std::vector<char>;

/// Adds `state` and all states that it reaches without a character.
void enter(const std::vector<Token>& tokens, States& states, std::size_t state) {
  while (state <= tokens.size() && !states[state]) {
    states[state] = 1;
    if (state == tokens.size()) return;
    const Token::Kind kind = tokens[state].kind;
    if (kind != Token::Kind::star && kind != Token::Kind::rest && kind != Token::Kind::directories)
      return;
    ++state;
  }
}

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view path) {
  const std::vector<Token> tokens = tokens_of(pattern);
  States states(tokens.size() + 1);
  enter(tokens, states, 0);
  for (const char c : path) {
    States after(tokens.size() + 1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!states[i]) continue;
      const Token& token = tokens[i];
      switch (token.kind) {
        case Token::Kind::literal:
          if (c == token.character) enter(tokens, after, i + 1);
          break;
        case Token::Kind::any:
          if (c != '/') enter(tokens, after, i + 1);
          break;
        case Token::Kind::set:
          if (c != '/' && in_set(token, c)) enter(tokens, after, i + 1);
          break;
        case Token::Kind::star:
          if (c != '/') enter(tokens, after, i);
          break;
        case Token::Kind::directories:
          // Stays in this state within a name; only a slash ends it.
          if (c == '/')
            enter(tokens, after, i);
          else
            after[i] = 1;
          break;
        case Token::Kind::rest:
          enter(tokens, after, i);
          break;
      }
    }
    states = std::move(after);
  }
  return states[tokens.size()] != 0;
}

IgnorePatterns IgnorePatterns::from_lines(std::string_view text) {
  IgnorePatterns patterns;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with('#')) patterns.add(line);
  }
  return patterns;
}

void IgnorePatterns::add(std::string_view pattern) {
  Pattern entry;
  if (pattern.starts_with('!')) {
    entry.negated = true;
    pattern.remove_prefix(1);
  }
  if (pattern.starts_with("./")) pattern.remove_prefix(1);
  if (pattern.ends_with('/')) {
    entry.directories_only = true;
    pattern.remove_suffix(1);
  }
  const bool anchored = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return;
  entry.glob = anchored ? std::string(pattern) : "**/" + std::string(pattern);
  patterns_.push_back(std::move(entry));
}

IgnorePatterns::Verdict IgnorePatterns::verdict(std::string_view path, bool is_directory) const {
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->directories_only && !is_directory) continue;
    if (wildmatch(pattern->glob, path)) {
      return pattern->negated ? Verdict::included : Verdict::ignored;
    }
  }
  return Verdict::unmatched;
}

bool IgnorePatterns::ignores(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (verdict(path.substr(0, slash), true) == Verdict::ignored) return true;
  }
  return verdict(path, false) == Verdict::ignored;
}

}  // namespace cnsched
