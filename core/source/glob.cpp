// The pattern is read into tokens and run as a nondeterministic automaton over the path: a set of
// token positions is kept and advanced by each character, so there is no backtracking to exploit.
#include "core/source/glob.h"

#include <string>
#include <vector>

namespace cnsched {

namespace {

struct Token {
  enum class Kind : unsigned char {
    literal,
    any,          // ?
    set,          // [...]
    star,         // *
    directories,  // **/ at the start of a name: no, one or several whole names
    rest,         // ** elsewhere: anything, slashes too
  };
  Kind kind;
  char character = 0;
  bool negated = false;
  std::string_view set;
};

/// The characters between the brackets that open at `i`, leaving `i` on the closing one; false if
/// there is none (the bracket then stands for itself).
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

/// Adds `state` and all that can be reached from it without a character.
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
          // Within the names it stays here without leaving; only a slash ends a name.
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

}  // namespace cnsched
