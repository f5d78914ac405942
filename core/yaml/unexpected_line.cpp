#include "core/base/ascii.h"
#include "core/yaml/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

constexpr std::size_t kExcerptLength = 40;

bool is_key_character(char c) {
  return is_alphanumeric(c) || std::string_view("_-./$").find(c) != std::string_view::npos;
}

/// The word at the start of `line` that could be a key.
std::string_view leading_word(std::string_view line) {
  const auto end = std::ranges::find_if_not(line, is_key_character);
  return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

Span part(Span line, std::size_t begin, std::size_t length) {
  const auto at = static_cast<std::uint32_t>(line.begin + begin);
  return {line.file, at, at + static_cast<std::uint32_t>(length)};
}

bool is_conflict_marker(std::string_view line) {
  return line.starts_with("<<<<<<<") || line.starts_with("=======") ||
         line.starts_with(">>>>>>>") || line.starts_with("|||||||");
}

/// `name:llama`: a ':' without a space is not a separator.
std::optional<Problem> explain_tight_colon(std::string_view text, Span line) {
  const std::string_view word = leading_word(text);
  const std::string_view rest = text.substr(word.size());
  if (word.empty() || rest.size() < 2 || rest[0] != ':' || rest.starts_with("://")) {
    return std::nullopt;
  }
  return Problem{part(line, word.size(), 1), "missing space after ':'",
                 fmt::format("write '{}: {}'", word, excerpt(rest.substr(1)))};
}

/// `name = llama`.
std::optional<Problem> explain_equals(std::string_view text, Span line) {
  const std::string_view word = leading_word(text);
  const std::size_t sign = text.find_first_not_of(' ', word.size());
  if (word.empty() || sign == std::string_view::npos || text[sign] != '=') return std::nullopt;
  return Problem{part(line, sign, 1), "'=' does not separate a key from its value",
                 fmt::format("write '{}: …', or remove the line", word)};
}

/// `-name: llama`.
std::optional<Problem> explain_tight_dash(std::string_view text, Span line) {
  if (!text.starts_with('-') || leading_word(text.substr(1)).empty() || text.starts_with("--")) {
    return std::nullopt;
  }
  return Problem{part(line, 0, 1), "missing space after '-'",
                 fmt::format("write '- {}'", excerpt(text.substr(1)))};
}

}  // namespace

std::string excerpt(std::string_view text) { return shortened(text, kExcerptLength); }

Problem explain_unexpected_line(const SourceFile& file, Span line) {
  const std::string_view text = file.text(line);
  if (text.starts_with("...") || text.starts_with("…")) {
    return {line, "'...' in place of omitted lines is not YAML",
            "write the omitted lines, or put a # before the dots"};
  }
  if (is_conflict_marker(text)) {
    return {line, "unresolved merge conflict", "resolve the conflict and remove its markers"};
  }
  if (text.starts_with("```")) {
    return {line, "a Markdown fence is not part of a manifest", "remove the line"};
  }
  if (auto problem = explain_tight_colon(text, line)) return *problem;
  if (auto problem = explain_tight_dash(text, line)) return *problem;
  if (auto problem = explain_equals(text, line)) return *problem;
  if (text.size() > 1 && text[0] == '$' && (text[1] == '{' || is_key_character(text[1]))) {
    return {line, fmt::format("shell placeholder '{}' is not substituted", excerpt(text)),
            "lint the manifest after the substitution"};
  }
  if (leading_word(text) == text) {
    return {line, fmt::format("'{}' is neither 'key: value' nor a list item", excerpt(text)),
            "add the missing ':', or remove the line"};
  }
  return {line, "this line is neither 'key: value' nor a list item",
          "remove it or put a # before it, or indent it if it continues the text above"};
}

}  // namespace cnsched::yaml
