// Functions of strings. Positions count code points.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

Value text_out_of_range(std::int64_t index) {
  return Value::error(fmt::format("index out of range: {}", index));
}

/// Charges a search for `part` in `text`.
bool charge_search(Context& context, std::string_view text, std::string_view part) {
  return context.charge(text_cost(text.size()) + text.size() * (part.size() / 256 + 1) / 64);
}

/// The byte where the code point begins; npos after the end.
std::size_t byte_of(std::string_view text, std::size_t code_point) {
  std::size_t at = 0;
  for (; code_point > 0; --code_point) {
    if (at >= text.size()) return std::string_view::npos;
    at += std::max<std::size_t>(utf8_length(text.substr(at)), 1);
  }
  return at;
}

/// The value as a position in `text`: a byte; nothing if it is outside.
std::optional<std::size_t> position_in(std::string_view text, const Value& value) {
  const auto index = value.get<std::int64_t>();
  if (index < 0 || static_cast<std::uint64_t>(index) > text.size()) return std::nullopt;
  const std::size_t at = byte_of(text, static_cast<std::size_t>(index));
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

template <char (*kMap)(char)>
Value mapped_ascii(Context& context, Arguments arguments) {
  std::string text(arguments[0].text());
  if (!context.charge(text_cost(text.size()))) return {};
  std::ranges::transform(text, text.begin(), kMap);
  return Value::string(std::move(text));
}

/// The bytes of a blank at the start, as Unicode defines White_Space; 0 if there is none.
std::size_t blank_at(std::string_view text) {
  constexpr auto kWide = std::to_array<std::string_view>(
      {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005",
       "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f",
       "\u3000"});
  if (text.empty()) return 0;
  if (std::string_view(" \t\n\v\f\r").find(text.front()) != std::string_view::npos) return 1;
  const auto* wide =
      std::ranges::find_if(kWide, [&](std::string_view each) { return text.starts_with(each); });
  return wide == kWide.end() ? 0 : wide->size();
}

/// How often Go's Split or Replace with a limit acts: all if it is negative or missing.
std::size_t limit_of(Arguments arguments, std::size_t index) {
  if (arguments.size() <= index) return std::numeric_limits<std::size_t>::max();
  const auto limit = arguments[index].get<std::int64_t>();
  return limit < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(limit);
}

/// The pattern in the argument; or the failure.
struct PatternOrFailure {
  std::optional<Pattern> pattern;
  Value failure{};
};

PatternOrFailure compiled_pattern(Context& context, const Value& text) {
  auto pattern = Pattern::compile(text.text());
  if (!context.charge(pattern_cost(pattern))) return {};
  if (pattern) return {*std::move(pattern)};
  return {std::nullopt, Value::unknown(fmt::format("pattern '{}': {}", printable(text.text()),
                                                   pattern.error().message))};
}

Value found_by_pattern(Context& context, Arguments arguments, std::size_t most, bool only_first) {
  const auto [pattern, failure] = compiled_pattern(context, arguments[1]);
  if (!pattern) return failure;
  const std::size_t size = pattern->size();
  std::vector<std::string> found =
      pattern->find_all(arguments[0].text(), most,
                        [&](std::size_t bytes) { return context.charge(match_cost(size, bytes)); });
  if (only_first) return Value::string(found.empty() ? "" : std::move(found.front()));
  std::vector<Value> items;
  for (std::string& each : found) items.push_back(Value::string(std::move(each)));
  return Value::list(std::move(items));
}

/// The text of an argument of format(); nothing for what is not supported.
std::optional<std::string> formatted(char verb, const Value& value) {
  if (value.is(Kind::integer) && (verb == 'd' || verb == 's')) {
    return fmt::format("{}", value.get<std::int64_t>());
  }
  if (value.is(Kind::unsigned_integer) && (verb == 'd' || verb == 's')) {
    return fmt::format("{}", value.get<std::uint64_t>());
  }
  if (verb != 's') return std::nullopt;
  if (value.is(Kind::string)) return std::string(value.text());
  if (value.is(Kind::boolean)) return value.get<bool>() ? "true" : "false";
  return std::nullopt;
}

Value contains(Context& context, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  if (!charge_search(context, text, arguments[1].text())) return {};
  return text.find(arguments[1].text()) != std::string_view::npos;
}

Value starts_with(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[1].text().size()))) return {};
  return arguments[0].text().starts_with(arguments[1].text());
}

Value ends_with(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[1].text().size()))) return {};
  return arguments[0].text().ends_with(arguments[1].text());
}

Value matches(Context& context, Arguments arguments) {
  const auto [pattern, failure] = compiled_pattern(context, arguments[1]);
  if (!pattern) return failure;
  const std::string_view text = arguments[0].text();
  if (!context.charge(match_cost(pattern->size(), text.size()))) return {};
  return pattern->matches(text);
}

Value find_match(Context& context, Arguments arguments) {
  return found_by_pattern(context, arguments, 1, true);
}

Value find_matches(Context& context, Arguments arguments) {
  return found_by_pattern(context, arguments, limit_of(arguments, 2), false);
}

Value char_at(Context& context, Arguments arguments) {
  const Text& text = arguments[0].get<Text>();
  if (!context.charge(text_cost(text.view().size()))) return {};
  const auto at = position_in(text.view(), arguments[1]);
  if (!at) return text_out_of_range(arguments[1].get<std::int64_t>());
  return text.part(*at, utf8_length(text.view().substr(*at)));
}

Value substring(Context& context, Arguments arguments) {
  const Text& text = arguments[0].get<Text>();
  if (!context.charge(text_cost(text.view().size()))) return {};
  const auto begin = position_in(text.view(), arguments[1]);
  if (!begin) return text_out_of_range(arguments[1].get<std::int64_t>());
  if (arguments.size() == 2) return text.part(*begin, std::string_view::npos);
  const auto end = position_in(text.view(), arguments[2]);
  if (!end) return text_out_of_range(arguments[2].get<std::int64_t>());
  if (*end < *begin) return Value::error("invalid substring range");
  return text.part(*begin, *end - *begin);
}

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper_ascii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

Value trim_text(Context& context, Arguments arguments) {
  const Text& text = arguments[0].get<Text>();
  if (!context.charge(text_cost(text.view().size()))) return {};
  const std::string_view all = text.view();
  std::size_t begin = 0;
  while (const std::size_t length = blank_at(all.substr(begin))) begin += length;
  std::size_t end = begin;  // of what is not blank
  for (std::size_t at = begin; at < all.size();) {
    if (const std::size_t length = blank_at(all.substr(at))) {
      at += length;
    } else {
      at += std::max<std::size_t>(utf8_length(all.substr(at)), 1);
      end = at;
    }
  }
  return text.part(begin, end - begin);
}

Value replace_text(Context& context, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view old = arguments[1].text();
  const std::string_view replacement = arguments[2].text();
  if (!charge_search(context, text, old)) return {};
  std::string result;
  std::size_t at = 0;
  for (std::size_t left = limit_of(arguments, 3); left > 0; --left) {
    std::size_t found = text.find(old, at);
    // An empty text matches at the start and after each code point.
    if (old.empty() && (at > 0 || !result.empty())) {
      const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
      found = at == text.size() ? std::string_view::npos : at + length;
    }
    if (found == std::string_view::npos) break;
    if (!context.charge(text_cost(found - at + replacement.size()))) return {};
    result.append(text.substr(at, found - at)).append(replacement);
    if (old.empty() && replacement.empty()) return arguments[0];
    at = found + old.size();
  }
  return Value::string(result.append(text.substr(at)));
}

Value split_text(Context& context, Arguments arguments) {
  const Text& text = arguments[0].get<Text>();
  const std::string_view all = text.view();
  const std::string_view separator = arguments[1].text();
  if (!charge_search(context, all, separator)) return {};
  const std::size_t limit = limit_of(arguments, 2);
  std::vector<Value> parts;
  if (limit == 0 || (all.empty() && separator.empty())) return Value::list({});
  std::size_t at = 0;
  while (parts.size() + 1 < limit) {
    const std::size_t found = separator.empty()
                                  ? at + std::max<std::size_t>(utf8_length(all.substr(at)), 1)
                                  : all.find(separator, at);
    if (found == std::string_view::npos || (separator.empty() && found >= all.size())) break;
    if (!context.charge(1)) return {};
    parts.emplace_back(text.part(at, found - at));
    at = found + separator.size();
  }
  parts.emplace_back(text.part(at, std::string_view::npos));
  return Value::list(std::move(parts));
}

Value join_texts(Context& context, Arguments arguments) {
  const List& list = arguments[0].list();
  const std::string_view separator = arguments.size() > 1 ? arguments[1].text() : "";
  std::string joined;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (item.is_failure()) return item;
    if (!item.is(Kind::string)) return Value::error("join: invalid input");
    if (!context.charge(text_cost(item.text().size() + separator.size()))) return {};
    if (i > 0) joined += separator;
    joined += item.text();
  }
  return Value::string(std::move(joined));
}

Value quote_text(Context& context, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  if (!context.charge(text_cost(text.size()))) return {};
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string quoted = "\"";
  for (const char c : text) {
    const std::size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) quoted += '\\';
    quoted += at == std::string_view::npos ? c : kLetters[at];
  }
  return Value::string(quoted + '"');
}

Value format_text(Context& context, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const List& values = arguments[1].list();
  if (!context.charge(text_cost(text.size()))) return {};
  std::string result;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      result += text[at];
      continue;
    }
    ++at;
    if (text.substr(at).starts_with('%')) {
      result += '%';
      continue;
    }
    if (at >= text.size()) return Value::error("unexpected end of the format");
    if (next >= values.size()) return Value::error(fmt::format("index {} out of range", next));
    const auto shown = formatted(text[at], values.at(next));
    if (!shown)
      return Value::unknown(fmt::format("format() with %{}", printable(text.substr(at, 1))));
    if (!context.charge(text_cost(shown->size()))) return {};
    result += *shown;
    ++next;
  }
  if (next < values.size()) return Value::unknown("format() with too many arguments");
  return Value::string(std::move(result));
}

}  // namespace

Value index_in_text(Context& context, Arguments arguments, bool last) {
  if (!arguments[1].is(Kind::string)) return no_such_overload();
  const std::string_view text = arguments[0].text();
  const std::string_view part = arguments[1].text();
  if (!charge_search(context, text, part)) return {};
  std::size_t from = last ? std::string_view::npos : 0;
  if (arguments.size() == 3) {
    const auto index = arguments[2].get<std::int64_t>();
    if (index < 0) return text_out_of_range(index);
    const auto at = position_in(text, arguments[2]);
    // Releases of cel-go differ here.
    if (!at || *at >= text.size()) return Value::unknown("indexOf beyond the end of a string");
    from = *at;
  }
  const std::size_t found = last ? text.rfind(part, from) : text.find(part, from);
  if (found == std::string_view::npos) return std::int64_t{-1};
  return Value::integer(code_points(text.substr(0, found)));
}

Value reverse_text(Context& context, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  if (!context.charge(text_cost(text.size()))) return {};
  std::string reversed(text.rbegin(), text.rend());
  // The bytes of each code point are in order again.
  constexpr auto kIsContinuation = [](char c) {
    return (static_cast<unsigned char>(c) >> 6U) == 2;
  };
  for (std::size_t begin = 0; begin < reversed.size();) {
    std::size_t end = begin;
    while (end + 1 < reversed.size() && kIsContinuation(reversed[end])) ++end;
    std::reverse(reversed.begin() + static_cast<std::ptrdiff_t>(begin),
                 reversed.begin() + static_cast<std::ptrdiff_t>(end) + 1);
    begin = end + 1;
  }
  return Value::string(std::move(reversed));
}

std::span<const Function> string_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"charAt", kMember, "si", char_at},
      {"contains", kMember, "ss", contains},
      {"endsWith", kMember, "ss", ends_with},
      {"find", kMember, "ss", find_match},
      {"findAll", kMember, "ss[i", find_matches},
      {"format", kMember, "sl", format_text},
      {"join", kMember, "l[s", join_texts},
      {"lowerAscii", kMember, "s", mapped_ascii<lower_ascii>},
      {"matches", kBoth, "ss", matches},
      {"replace", kMember, "sss[i", replace_text},
      {"split", kMember, "ss[i", split_text},
      {"startsWith", kMember, "ss", starts_with},
      {"strings.quote", kGlobal, "s", quote_text},
      {"substring", kMember, "si[i", substring},
      {"trim", kMember, "s", trim_text},
      {"upperAscii", kMember, "s", mapped_ascii<upper_ascii>},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
