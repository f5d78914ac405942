#include "rules/engine/ignore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/scan.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/findings.h"

namespace cnsched::rules {

namespace {

/// More than there are rules and groups.
constexpr std::size_t kMaxNames = 200;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Reads a text from its start.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }
  bool is_at(char c) const { return rest().starts_with(c); }
  std::size_t skip_blanks() { return take(is_blank).size(); }
  void skip(std::size_t n) { at_ += n; }
  /// The next characters, as long as `wanted` accepts them.
  template <typename Wanted>
  std::string_view take(Wanted wanted) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && wanted(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view take_token() {
    return take([](char c) { return !is_blank(c); });
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Whether a text that begins with '#' is intended as a suppression. Prose may begin with the name
/// too, but then no '=' or ':' follows.
bool is_for_cnsched(std::string_view text) {
  Cursor cursor(text);
  cursor.take([](char c) { return c == '#'; });
  cursor.skip_blanks();
  if (!equals_ignoring_case(cursor.rest().substr(0, kToolName.size()), kToolName)) return false;
  cursor.skip(kToolName.size());
  const std::size_t gap = cursor.take([](char c) { return is_blank(c) || c == '-'; }).size();
  if (cursor.is_at(':')) return true;
  if (gap == 0 || !lower(cursor.take(is_letter)).starts_with("ignor")) return false;
  cursor.skip_blanks();
  return cursor.is_at('=') || cursor.is_at(':');
}

/// The start of the suppression in a comment. After other words it has its own '#'.
std::optional<std::size_t> suppression_start(std::string_view comment) {
  for (std::size_t at = 0; at < comment.size(); at = comment.find('#', at + 1)) {
    if ((at == 0 || is_blank(comment[at - 1])) && is_for_cnsched(comment.substr(at))) return at;
  }
  return std::nullopt;
}

/// Parses one comment, from its '#'.
class Parser {
 public:
  Parser(std::string_view text, Span where)
      : text_(text), cursor_(text), ignore_{.where = where, .wrong = where} {}

  Ignore read() {
    if (read_head() && read_names() && read_until()) read_reason();
    return std::move(ignore_);
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    const auto base = ignore_.where.begin;
    return {ignore_.where.file, base + static_cast<std::uint32_t>(begin),
            base + static_cast<std::uint32_t>(end)};
  }
  Span span_of(std::string_view part) const {
    const auto begin = static_cast<std::size_t>(part.data() - text_.data());
    return span(begin, begin + part.size());
  }

  bool fail(std::string problem, std::string_view part = {}) {
    ignore_.problem = std::move(problem);
    if (!part.empty()) ignore_.wrong = span_of(part);
    return false;
  }

  /// "# cnsched: ignore=".
  bool read_head() {
    cursor_.take([](char c) { return c == '#'; });
    cursor_.skip_blanks();
    const std::string_view name = cursor_.rest().substr(0, kToolName.size() + 1);
    if (name != "cnsched:") return fail("it must begin with 'cnsched: ignore='");
    cursor_.skip(name.size());
    if (cursor_.skip_blanks() == 0) return fail("a space must follow 'cnsched:'", name);
    const std::string_view verb = cursor_.take(is_letter);
    ignore_.of_file = verb == "ignore-file";
    if (!ignore_.of_file && verb != "ignore") {
      return fail(fmt::format("unknown word '{}'{}", shown(verb),
                              did_you_mean(verb, {"ignore", "ignore-file"})),
                  verb);
    }
    if (!cursor_.is_at('=')) {
      return fail(fmt::format("'=' and the names of rules must follow '{}' without spaces", verb),
                  verb);
    }
    cursor_.skip(1);
    return true;
  }

  bool read_names() {
    const std::string_view list = cursor_.take_token();
    if (list.empty()) return fail("names of rules must follow '=' without spaces");
    const std::vector<std::string_view> names = split(list, ',');
    if (names.size() > kMaxNames) return fail("it names more rules than there are", list);
    for (const std::string_view name : names) {
      if (name.empty()) {
        return fail("a name is empty: write the names without spaces, separated by one comma",
                    list);
      }
      ignore_.names.push_back({.text = name, .where = span_of(name)});
    }
    return true;
  }

  /// Reads "until=" between the names and the reason.
  bool read_until() {
    constexpr std::string_view kUntil = "until=";
    while (true) {
      cursor_.skip_blanks();
      const std::string_view rest = cursor_.rest();
      if (rest.starts_with("--") && (rest.size() == 2 || is_blank(rest[2]))) return true;
      const std::string_view token = cursor_.take_token();
      if (token.empty() || (!token.starts_with("until") && !ignore_.until)) {
        return fail("the reason is missing: add ' -- ' and the reason", token);
      }
      if (ignore_.until) {
        return fail(fmt::format("unexpected '{}': ' -- ' and the reason must follow", shown(token)),
                    token);
      }
      if (token.starts_with(kUntil)) ignore_.until = day_named(token.substr(kUntil.size()));
      if (!ignore_.until) {
        return fail(fmt::format("'{}' must have the form until=YYYY-MM-DD and name a valid day",
                                shown(token)),
                    token);
      }
    }
  }

  bool read_reason() {
    cursor_.skip(2);
    ignore_.reason = shown(trim(cursor_.rest()));
    return !ignore_.reason.empty() || fail("the reason after '--' is missing");
  }

  std::string_view text_;
  Cursor cursor_;
  Ignore ignore_;
};

Ignore with_problem(const yaml::Node& value, Span wrong, std::string problem) {
  return {.where = value.span, .annotation = &value, .problem = std::move(problem), .wrong = wrong};
}

constexpr std::string_view kBlanks = " \t\r";

std::size_t indentation_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// What an action, which begins the text, has after its braces.
std::string_view inside_action(std::string_view text) {
  return trim(text.substr(text.starts_with("{{-") ? 3 : 2));
}

/// `{{- /*` at the start of a line: the rest is a comment of the template.
std::string_view without_template_comment(std::string_view text) {
  if (!text.starts_with("{{")) return text;
  text = inside_action(text);
  return text.starts_with("/*") ? trim(text.substr(2)) : std::string_view();
}

/// Whether the line is an action that prints nothing itself.
bool is_control(std::string_view line) {
  if (!line.starts_with("{{")) return false;
  line = inside_action(line);
  constexpr std::array<std::string_view, 9> kWords = {
      "if ", "else", "end", "with ", "range ", "define ", "/*", "block ", "$"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return line.starts_with(word); });
}

/// Where the comment of a line begins; npos if it has none. In quotes `#` is text.
std::size_t comment_in(std::string_view line) {
  constexpr std::string_view kBeforeQuote = " \t[{,:(";
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char before = i == 0 ? ' ' : line[i - 1];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && kBeforeQuote.find(before) != std::string_view::npos) {
      quote = c;
    } else if (c == '#' && kBlanks.find(before) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Where a comment of the template begins in the line; npos if there is none.
std::size_t template_comment_in(std::string_view line) {
  for (std::size_t at = line.find("/*"); at != std::string_view::npos;
       at = line.find("/*", at + 1)) {
    const std::string_view before = trim(line.substr(0, at));
    if (before.ends_with("{{") || before.ends_with("{{-")) return line.rfind("{{", at);
  }
  return std::string_view::npos;
}

bool is_item(std::string_view line) {
  line = trim(line);
  return line == "-" || line.starts_with("- ");
}

/// The comment of a line that may be a suppression, and whether it has the line for itself.
struct LineComment {
  Span where;
  bool own_line = false;
};

std::optional<LineComment> comment_on(const SourceFile& file, std::size_t number) {
  const std::string_view line = file.line(number);
  if (!mentions_cnsched(line)) return std::nullopt;
  const std::string_view content = trim(line);
  const std::size_t action = template_comment_in(content);
  const bool is_of_template = action != std::string_view::npos;
  const std::size_t begins = is_of_template ? action : comment_in(content);
  if (begins == std::string_view::npos) return std::nullopt;
  const bool own_line = begins == 0;
  std::string_view comment = trim(content.substr(begins));
  if (is_of_template) comment = without_template_comment(comment);
  const std::size_t end = is_of_template ? comment.find("*/") : std::string_view::npos;
  comment = trim(comment.substr(0, end));
  const std::uint32_t begin =
      file.line_start(number) + static_cast<std::uint32_t>(comment.data() - line.data());
  return LineComment{{file.id(), begin, begin + static_cast<std::uint32_t>(comment.size())},
                     own_line};
}

/// The lines of the entry that begins below the line: those that are further indented, and the
/// items of its list.
Span entry_below(const SourceFile& file, std::size_t number) {
  const std::size_t count = file.line_count();
  std::size_t first = number + 1;
  while (first <= count) {
    const std::string_view line = trim(file.line(first));
    if (!line.empty() && !line.starts_with('#') && !is_control(line)) break;
    ++first;
  }
  if (first > count) return {file.id(), 0, 0};
  const std::string_view head = file.line(first);
  const std::size_t indentation = indentation_of(head);
  const std::string_view key = trim(head.substr(0, comment_in(head)));
  const bool has_list = key.ends_with(':') && !is_item(head);
  std::size_t last = first;
  for (std::size_t next = first + 1; next <= count; ++next) {
    const std::string_view line = file.line(next);
    const std::string_view content = trim(line);
    if (content.empty() || content.starts_with('#') || is_control(content)) continue;
    const std::size_t depth = indentation_of(line);
    const bool is_of_list = has_list && depth == indentation && is_item(line);
    if (depth <= indentation && !is_of_list) break;
    last = next;
  }
  const auto end =
      static_cast<std::uint32_t>(last < count ? file.line_start(last + 1) : file.bytes().size());
  return {file.id(), file.line_start(first), end};
}

Span line_span(const SourceFile& file, std::size_t number) {
  const std::uint32_t begin = file.line_start(number);
  return {file.id(), begin, begin + static_cast<std::uint32_t>(file.line(number).size())};
}

}  // namespace

bool mentions_cnsched(std::string_view text) {
  const auto equals = [](char a, char b) { return (a | 0x20) == b; };
  const auto may_begin = [&](const char* place) {
    const auto is = [&](std::size_t i) {
      return static_cast<unsigned>(equals(place[i], kToolName[i]));
    };
    return static_cast<unsigned char>(is(0) & is(1) & is(2));
  };
  const std::size_t place = scan(text, 0, may_begin, [&](std::size_t at) {
    return std::ranges::equal(text.substr(at, kToolName.size()), kToolName, equals);
  });
  return place != std::string_view::npos;
}

std::optional<std::chrono::sys_days> day_named(std::string_view text) {
  constexpr std::string_view kForm = "YYYY-MM-DD";
  if (text.size() != kForm.size()) return std::nullopt;
  int parts[3] = {};
  std::size_t part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] == '-') {
      if (text[i] != '-') return std::nullopt;
      ++part;
    } else {
      if (!is_digit(text[i])) return std::nullopt;
      parts[part] = parts[part] * 10 + (text[i] - '0');
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day);
}

std::string name_of(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<Ignore> read_ignore(const SourceFile& file, Span comment) {
  const auto begin = suppression_start(file.text(comment));
  if (!begin) return std::nullopt;
  comment.begin += static_cast<std::uint32_t>(*begin);
  std::string_view text = file.text(comment);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  comment.end = comment.begin + static_cast<std::uint32_t>(text.size());
  return Parser(text, comment).read();
}

std::optional<Ignore> read_ignore(std::string_view key, const yaml::Node& value) {
  if (!key.starts_with("cnsched/")) return std::nullopt;
  if (key != kIgnoreAnnotation) {
    const Span where = value.key() != nullptr ? value.key()->span : value.span;
    return with_problem(value, where,
                        fmt::format("unknown annotation '{}'{}", shown(key),
                                    did_you_mean(key, {kIgnoreAnnotation})));
  }
  if (!value.is_string()) {
    return with_problem(value, value.span, "its value must be a string with comma-separated names");
  }
  const std::vector<std::string_view> names = split(value.text(), ',');
  if (names.size() > kMaxNames) {
    return with_problem(value, value.span, "it names more rules than there are");
  }
  Ignore ignore{.where = value.span, .annotation = &value, .wrong = value.span};
  for (const std::string_view name : names) {
    if (trim(name).empty()) return with_problem(value, value.span, "a name is empty");
    ignore.names.push_back({.text = trim(name), .where = value.span});
  }
  return ignore;
}

std::vector<SourceIgnore> ignores_in_source(const SourceFile& file) {
  std::vector<SourceIgnore> result;
  if (!mentions_cnsched(file.bytes())) return result;
  for (std::size_t number = 1; number <= file.line_count(); ++number) {
    const std::optional<LineComment> comment = comment_on(file, number);
    if (!comment) continue;
    std::optional<Ignore> ignore = read_ignore(file, comment->where);
    if (!ignore) continue;
    Span lines = line_span(file, number);
    if (ignore->of_file) {
      lines = file.whole();
    } else if (comment->own_line) {
      lines = entry_below(file, number);
    }
    result.push_back({*std::move(ignore), lines});
  }
  return result;
}

}  // namespace cnsched::rules
