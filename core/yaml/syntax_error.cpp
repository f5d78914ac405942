#include "core/yaml/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/yaml/extent.h"

namespace cnsched::yaml {

namespace {

/// The beginning of a yaml-cpp message, and our message for it.
struct Translation {
  std::string_view yaml_cpp;
  std::string_view message;
  std::string_view help;
};

/// Errors that `locate_syntax_error` cannot find; checked first.
constexpr std::array kCertain = {
    Translation{"bad file", "nested too deeply: 500 levels are the limit", "flatten the document"},
    Translation{"unknown escape character", "invalid escape",
                "write \\\\ for a backslash, or put the string in single quotes"},
    Translation{"bad character found while scanning hex", "missing hexadecimal digits in an escape",
                "write \\xNN, \\uNNNN or \\UNNNNNNNN, or \\\\ for a backslash"},
    Translation{"invalid unicode", "this escape is not a Unicode character",
                "write the character itself; beyond U+FFFF an escape has the form \\U0001F600"},
};

/// Other errors; checked if all lines look right.
constexpr std::array kOther = {
    Translation{"end of sequence flow not found", "missing ',' or ']' before this",
                "separate the items of a [list] with commas"},
    Translation{"end of map flow not found", "missing ',' or '}' before this",
                "separate the entries of a {mapping} with commas"},
    Translation{"alias not found after *", "missing alias name after '*'", "quote the value"},
    Translation{"illegal character found while scanning alias", "invalid alias name",
                "quote the value if it is not an alias"},
    Translation{"anchor not found after &", "missing anchor name after '&'", "quote the value"},
    Translation{"illegal character found while scanning anchor", "invalid anchor name",
                "quote the value if it is not an alias"},
    Translation{"cannot assign multiple tags", "a value cannot have two tags", "remove one '!…'"},
    Translation{"cannot assign multiple anchors", "a value cannot have two anchors",
                "remove one '&…'"},
    Translation{"aliases can't have any content", "unexpected text next to an alias",
                "remove it, or quote the value"},
    Translation{"illegal character found while scanning tag", "invalid tag", "quote the value"},
    Translation{"tag handle with no suffix", "invalid tag", "quote the value"},
    Translation{"end of verbatim tag not found", "unclosed tag '!<': missing '>'",
                "quote the value"},
    Translation{"cannot set zero indentation", "a block scalar cannot be indented by 0",
                "remove the digit after '|' or '>'"},
    Translation{"illegal document indicator", "the document ends in a quoted string",
                "close the quote above this line"},
    Translation{"illegal tab", "tab in the indentation: YAML allows only spaces",
                "replace the tab with spaces"},
    Translation{"illegal flow end", "unmatched closing bracket", "remove it, or quote the value"},
    Translation{"illegal map value", "a key cannot be here", "start it on its own line"},
    Translation{"illegal map key", "a key cannot be here", "start it on its own line"},
    Translation{"illegal block entry", "a list item cannot be here", "start it on its own line"},
};

/// The content of the line of the byte at `at`, limited to the document, which excludes a byte
/// order mark and the line after its end.
Span line_at(const SourceFile& file, Span where, std::uint32_t at) {
  const bool is_at_end = at == where.end && at > where.begin;
  const std::size_t number = file.line_of(is_at_end ? at - 1 : at);
  const std::uint32_t first = std::max(file.line_start(number), where.begin);
  const std::string_view line = file.line(number);
  const auto end = static_cast<std::uint32_t>(file.line_start(number) + line.size());
  const std::string_view content = trim(file.text({file.id(), first, std::max(first, end)}));
  if (content.empty()) return {file.id(), at, at};
  const auto begin = static_cast<std::uint32_t>(content.data() - file.bytes().data());
  return {file.id(), begin, begin + static_cast<std::uint32_t>(content.size())};
}

template <std::size_t N>
std::optional<Problem> translate(const std::array<Translation, N>& table, Span where,
                                 std::string_view yaml_cpp) {
  const auto known = std::ranges::find_if(
      table, [&](const Translation& line) { return yaml_cpp.starts_with(line.yaml_cpp); });
  if (known == table.end()) return std::nullopt;
  return Problem{where, std::string(known->message), std::string(known->help)};
}

/// `*name` without `&name`; yaml-cpp stops after the name.
std::optional<Problem> explain_unknown_alias(const SourceFile& file, Span where, std::size_t offset,
                                             std::string_view yaml_cpp) {
  if (!yaml_cpp.starts_with("the referenced anchor is not defined")) return std::nullopt;
  const std::string_view text = file.text(where);
  const std::size_t begin = text.rfind('*', offset);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = end_of_alias(text, begin);
  return Problem{{file.id(), where.begin + static_cast<std::uint32_t>(begin),
                  where.begin + static_cast<std::uint32_t>(end)},
                 fmt::format("alias '{}' has no anchor '&{}' above it",
                             excerpt(text.substr(begin, end - begin)),
                             excerpt(text.substr(begin + 1, end - begin - 1))),
                 "quote the value if it is not an alias, or define the anchor"};
}

/// The unknown escape; yaml-cpp stops after it.
Span escape_before(const SourceFile& file, std::uint32_t at) {
  constexpr std::size_t kMaxLength = 10;  // \UNNNNNNNN
  const std::size_t begin = file.bytes().rfind('\\', at == 0 ? 0 : at - 1);
  if (begin == std::string_view::npos || at - begin > kMaxLength) return {file.id(), at, at};
  return {file.id(), static_cast<std::uint32_t>(begin), at};
}

/// `- !!str |`, which yaml-cpp 0.7 cannot read.
std::optional<Problem> explain_tagged_text(const SourceFile& file, Span where, std::uint32_t at) {
  const std::size_t number = file.line_of(at);
  for (const std::size_t candidate : {number, number - 1}) {
    if (candidate < file.line_of(where.begin)) continue;
    const std::string_view line = trim(file.line(candidate));
    const std::size_t tag = line.find('!');
    const bool text_follows = line.ends_with(" |") || line.ends_with(" >") ||
                              line.ends_with(" |-") || line.ends_with(" >-");
    if (!line.starts_with("- ") || tag == std::string_view::npos || !text_follows) continue;
    const Span content = line_at(file, where, file.line_start(candidate));
    return Problem{.where = content,
                   .message = "cnsched cannot read a tag before a block scalar in a list",
                   .help = "remove the tag: a block scalar is a string without it",
                   .is_syntax_error = false};
  }
  return std::nullopt;
}

/// The line `...` above `offset` that ends the document, if any.
std::optional<Span> end_marker(const SourceFile& file, Span where, std::size_t offset) {
  const std::string_view text = file.text(where).substr(0, offset);
  for (std::size_t at = text.rfind("\n..."); at != std::string_view::npos && at > 0;
       at = text.rfind("\n...", at - 1)) {
    const std::size_t begin = at + 1;
    if (trim(text.substr(begin, end_of_line(text, begin) - begin)) != "...") continue;
    const auto first = where.begin + static_cast<std::uint32_t>(begin);
    return Span{file.id(), first, first + 3};
  }
  return std::nullopt;
}

}  // namespace

Problem explain(const SourceFile& file, Span where, std::size_t offset,
                std::string_view yaml_cpp_message) {
  const std::uint32_t at = std::min(where.begin + static_cast<std::uint32_t>(offset), where.end);
  const Span place{file.id(), at, std::min(at + 1, where.end)};
  if (auto problem = translate(kCertain, place, yaml_cpp_message)) {
    if (yaml_cpp_message != "bad file") problem->where = escape_before(file, at);
    return *problem;
  }
  if (auto problem = explain_unknown_alias(file, where, offset, yaml_cpp_message)) return *problem;
  if (auto problem = locate_syntax_error(file, where)) return *problem;
  if (auto problem = explain_tagged_text(file, where, at)) return *problem;
  if (auto problem = translate(kOther, place, yaml_cpp_message)) return *problem;
  return {line_at(file, where, at), "this line does not fit the lines above it",
          "check indentation, quotes and brackets"};
}

Problem explain_early_end(const SourceFile& file, Span where, std::size_t offset) {
  const Span rest = line_at(file, where, where.begin + static_cast<std::uint32_t>(offset));
  if (const auto marker = end_marker(file, where, offset)) {
    return {*marker,
            "the line '...' ends the document: kubectl silently drops the rest",
            "remove the line, or put a # before the dots if lines are omitted",
            {{rest, "dropped from here on"}}};
  }
  if (auto problem = locate_syntax_error(file, where)) return *problem;
  return {rest, "the document ends before this text: kubectl silently drops it",
          "start a new document with a line '---', or fix the end of the one above"};
}

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
