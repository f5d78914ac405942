#include "core/yaml/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/yaml/extent.h"
#include "core/yaml/slip.h"
#include "core/yaml/stray_line.h"

namespace cnsched::yaml {

namespace {

/// A message of yaml-cpp (how it begins) in words for the author.
struct Translation {
  std::string_view yaml_cpp;
  std::string_view message;
  std::string_view help;
};

/// What no look at the lines would show: these come first.
constexpr std::array kCertain = {
    Translation{"bad file", "nested too deeply: 500 levels are the limit", "flatten the document"},
    Translation{"unknown escape character", "a backslash begins no escape of YAML here",
                "write \\\\ for a backslash, or put the string in single quotes"},
    Translation{"bad character found while scanning hex", "an escape lacks hexadecimal digits here",
                "write \\xNN, \\uNNNN or \\UNNNNNNNN, or \\\\ for a backslash"},
    Translation{"invalid unicode", "this escape stands for no character",
                "write the character itself; beyond U+FFFF an escape has the form \\U0001F600"},
};

/// What remains when all lines look well.
constexpr std::array kOther = {
    Translation{"end of sequence flow not found", "a ',' or the closing ']' is missing before this",
                "separate the items of a [list] by commas"},
    Translation{"end of map flow not found", "a ',' or the closing '}' is missing before this",
                "separate the entries of a {mapping} by commas"},
    Translation{"alias not found after *", "no name follows this '*', which begins an alias",
                "put the value in quotes"},
    Translation{"illegal character found while scanning alias", "an alias has a simple name",
                "put the value in quotes if it is none"},
    Translation{"anchor not found after &", "no name follows this '&', which begins an anchor",
                "put the value in quotes"},
    Translation{"illegal character found while scanning anchor", "an anchor has a simple name",
                "put the value in quotes if it is none"},
    Translation{"cannot assign multiple tags", "a value cannot have two tags", "remove one '!…'"},
    Translation{"cannot assign multiple anchors", "a value cannot have two anchors",
                "remove one '&…'"},
    Translation{"aliases can't have any content", "nothing may be before or after an alias",
                "remove it, or put the value in quotes"},
    Translation{"illegal character found while scanning tag", "'!' begins a tag, and this is none",
                "put the value in quotes"},
    Translation{"tag handle with no suffix", "'!' begins a tag, and this is none",
                "put the value in quotes"},
    Translation{"end of verbatim tag not found", "'!<' begins a tag, which '>' has to end",
                "put the value in quotes"},
    Translation{"cannot set zero indentation", "the text below cannot be indented by 0",
                "remove the digit after '|' or '>'"},
    Translation{"illegal document indicator", "the document ends within a quoted string",
                "close the quote above this line"},
    Translation{"illegal tab", "a tab is where YAML counts spaces", "replace the tab by spaces"},
    Translation{"illegal flow end", "this closes a bracket that was never opened",
                "remove it, or put the value in quotes"},
    Translation{"illegal map value", "a key cannot stand here", "begin it on a line of its own"},
    Translation{"illegal map key", "a key cannot stand here", "begin it on a line of its own"},
    Translation{"illegal block entry", "a list item cannot stand here",
                "begin it on a line of its own"},
};

/// The content of the line that holds the byte at `at`, as far as it is of the document: a byte
/// order mark is not, nor is the line behind its end.
Span line_at(const SourceFile& file, Span where, std::uint32_t at) {
  const bool is_behind = at == where.end && at > where.begin;
  const std::size_t number = file.line_of(is_behind ? at - 1 : at);
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

/// `*name` without `&name`; yaml-cpp stops behind the name.
std::optional<Problem> explain_unknown_alias(const SourceFile& file, Span where, std::size_t offset,
                                             std::string_view yaml_cpp) {
  if (!yaml_cpp.starts_with("the referenced anchor is not defined")) return std::nullopt;
  const std::string_view text = file.text(where);
  const std::size_t begin = text.rfind('*', offset);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = end_of_alias(text, begin);
  return Problem{{file.id(), where.begin + static_cast<std::uint32_t>(begin),
                  where.begin + static_cast<std::uint32_t>(end)},
                 fmt::format("'{}' is an alias, but no anchor '&{}' is above it",
                             excerpt(text.substr(begin, end - begin)),
                             excerpt(text.substr(begin + 1, end - begin - 1))),
                 "put the value in quotes if it is no alias, or define the anchor"};
}

/// yaml-cpp stops behind an escape that it does not know; this is the escape.
Span escape_before(const SourceFile& file, std::uint32_t at) {
  constexpr std::size_t kLongest = 10;  // \UNNNNNNNN
  const std::size_t begin = file.bytes().rfind('\\', at == 0 ? 0 : at - 1);
  if (begin == std::string_view::npos || at - begin > kLongest) return {file.id(), at, at};
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
    return Problem{content, "cnsched cannot read a tag before a text of several lines in a list",
                   "remove the tag: such a text is a string anyway"};
  }
  return std::nullopt;
}

/// The line `...` above `offset` that ends the document, if there is one.
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
  if (auto problem = find_slip(file, where)) return *problem;
  if (auto problem = explain_tagged_text(file, where, at)) return *problem;
  if (auto problem = translate(kOther, place, yaml_cpp_message)) return *problem;
  return {line_at(file, where, at), "this line does not fit the ones above it",
          "check indentation, quotes and brackets"};
}

Problem explain_early_end(const SourceFile& file, Span where, std::size_t offset) {
  const Span rest = line_at(file, where, where.begin + static_cast<std::uint32_t>(offset));
  if (const auto marker = end_marker(file, where, offset)) {
    return {*marker,
            "a line '...' ends the document, and kubectl silently drops what follows",
            "remove it, or put a # before the dots if they stand for lines left out",
            {{rest, "dropped from here on"}}};
  }
  if (auto problem = find_slip(file, where)) return *problem;
  return {rest, "the document has ended before this text, which kubectl silently drops",
          "begin a new document with a line '---', or mend what ends the one above"};
}

}  // namespace cnsched::yaml
