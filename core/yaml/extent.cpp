#include "core/yaml/extent.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

/// `at`, or the end of the text if it is npos.
std::size_t within(std::string_view text, std::size_t at) { return std::min(at, text.size()); }

bool is_tag_character(char c) {
  return is_alphanumeric(c) ||
         std::string_view("-#;/?:@&=+$_.~*'()%!").find(c) != std::string_view::npos;
}

/// The end of the anchor or tag at `at` according to yaml-cpp, which ends a tag at other
/// characters.
std::size_t end_of_property(std::string_view text, std::size_t at) {
  if (text[at] == '&') return within(text, text.find_first_of(" \t\r\n[]{},", at));
  if (text.substr(at).starts_with("!<")) {
    const std::size_t end = text.find('>', at);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  for (++at; at < text.size() && is_tag_character(text[at]);) ++at;
  return at;
}

/// The digit of a block scalar's header, such as the 2 of "|2-".
std::optional<std::size_t> indentation_indicator(std::string_view header) {
  for (const char c : header.substr(1, 2)) {
    if (c >= '1' && c <= '9') return static_cast<std::size_t>(c - '0');
  }
  return std::nullopt;
}

}  // namespace

std::size_t skip_blank(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '#' && (at == 0 || is_blank(text[at - 1]))) {
      at = within(text, text.find('\n', at));
    } else {
      break;
    }
  }
  return at;
}

std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = end_of_property(text, at);
    const std::size_t next = skip_blank(text, at);
    // An empty value: the next token belongs to another node.
    if (next == text.size()) return at;
    at = next;
  }
  return at;
}

std::size_t end_of_properties_on_line(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    end = end_of_property(text, at);
    at = within(text, text.find_first_not_of(" \t", end));
  }
  return end;
}

std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::nullopt;
}

std::size_t end_of_plain(std::string_view text, std::size_t begin, std::string_view value) {
  std::size_t at = begin;
  std::size_t end = begin;
  // Folding changes only blanks, so the other characters determine the end.
  for (const char c : value) {
    if (is_blank(c)) continue;
    at = within(text, text.find_first_not_of(kBlanks, at));
    if (at == text.size() || text[at] != c) break;
    end = ++at;
  }
  return end;
}

std::size_t end_of_alias(std::string_view text, std::size_t begin) {
  return within(text, text.find_first_of(" \t\r\n,[]{}", begin + 1));
}

std::size_t end_of_block_scalar(std::string_view text, std::size_t begin,
                                std::optional<std::size_t> outer) {
  std::size_t end = end_of_line(text, begin);
  std::size_t at = text.find('\n', begin);
  std::optional<std::size_t> least;  // the indentation of its lines
  if (const auto indicated = indentation_indicator(text.substr(begin, end - begin))) {
    least = outer.value_or(0) + *indicated;
  }
  while (at < text.size()) {
    const std::size_t line = at + 1;
    at = within(text, text.find('\n', line));
    const std::string_view content = trim(text.substr(line, at - line));
    if (content.empty()) continue;
    const std::size_t indent = text.find_first_not_of(' ', line) - line;
    if ((outer && indent <= *outer) || indent < least.value_or(0)) break;
    if (!least) least = indent;
    end = static_cast<std::size_t>(content.data() + content.size() - text.data());
  }
  return end;
}

std::size_t column_of(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? at : at - newline - 1;
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t end = within(text, text.find('\n', at));
  return end > at && text[end - 1] == '\r' ? end - 1 : end;
}

namespace {

/// Walks over the text between scalars and tracks, as libyaml and so kubectl does, whether a key or
/// an item could begin: libyaml rejects a tab there.
class GapWalk {
 public:
  GapWalk(const SourceFile& file, Span where)
      : file_(file), text_(file.text(where)), base_(where.begin) {}

  std::optional<Problem> run(const std::vector<Span>& scalars) {
    std::size_t at = 0;
    for (const Span& scalar : scalars) {
      if (auto problem = check(at, scalar.begin - base_)) return problem;
      at = std::max<std::size_t>(at, scalar.end - base_);
      in_header_ = false;
      key_may_begin_ = false;
    }
    return check(at, text_.size());
  }

 private:
  std::optional<Problem> check(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end && !ended_; ++at) {
      const char c = text_[at];
      const bool line_begins = at == 0 || text_[at - 1] == '\n';
      if (c == '%' && line_begins) {
        if (auto problem = directive(at)) return problem;
      }
      if (c == '\t' && key_may_begin_ && depth_ == 0) return tab(at);
      if (c == '#' || c == '%') {
        at = end_of_line(text_, at);
      } else if (line_begins && text_.substr(at).starts_with("...")) {
        ended_ = true;
      }
      if (at < end) step(text_[at]);
    }
    return std::nullopt;
  }

  void step(char c) {
    if (c == ' ' || c == '\t' || c == '\r') return;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    key_may_begin_ = c == '\n' || c == '-' || c == '?';
    if (c != '\n') in_header_ = false;
  }

  Problem tab(std::size_t at) const {
    return {span(at, at + 1), "tab in the indentation: YAML allows only spaces",
            "replace the tab with spaces"};
  }

  std::optional<Problem> directive(std::size_t at) const {
    const Span line = span(at, end_of_line(text_, at));
    if (auto problem = check_directive(file_, line)) return problem;
    const bool begins_document = text_.find("\n---", at) != std::string_view::npos;
    if (in_header_ && begins_document) return std::nullopt;
    return Problem{line, "a directive must be above the line '---' that starts its document",
                   in_header_ ? "add a line '---' below it" : "remove the line"};
  }

  Span span(std::size_t begin, std::size_t end) const {
    return {file_.id(), base_ + static_cast<std::uint32_t>(begin),
            base_ + static_cast<std::uint32_t>(end)};
  }

  const SourceFile& file_;
  std::string_view text_;
  std::uint32_t base_;
  bool in_header_ = true;
  bool key_may_begin_ = true;
  bool ended_ = false;  ///< after `...`, where kubectl stops
  int depth_ = 0;       ///< of flow collections
};

}  // namespace

std::optional<Problem> find_bad_gap(const SourceFile& file, Span where,
                                    const std::vector<Span>& scalars) {
  return GapWalk(file, where).run(scalars);
}

std::optional<Problem> check_directive(const SourceFile& file, Span line) {
  const std::string_view text = file.text(line);
  if (text.starts_with("%TAG ")) return std::nullopt;
  if (!text.starts_with("%YAML ")) {
    return Problem{line,
                   "a line cannot start with '%', which is reserved for directives such as %YAML",
                   "remove the line, or put a # before it"};
  }
  const std::string_view version = text.substr(6, text.find('#') - 6);
  if (trim(version) == "1.1") return std::nullopt;
  return Problem{line,
                 "kubectl reads YAML 1.1 and rejects a document that declares another version",
                 "remove the line"};
}

std::vector<Comment> find_comments(const SourceFile& file, Span where,
                                   const std::vector<Span>& scalars) {
  std::vector<Comment> comments;
  const std::string_view bytes = file.bytes();
  auto scalar = scalars.begin();
  for (std::uint32_t at = where.begin; at < where.end;) {
    while (scalar != scalars.end() && scalar->end <= at) ++scalar;
    if (scalar != scalars.end() && scalar->begin <= at) {
      at = scalar->end;
      continue;
    }
    const bool begins = at == where.begin || bytes[at - 1] == ' ' || bytes[at - 1] == '\t' ||
                        bytes[at - 1] == '\n' || bytes[at - 1] == '\r';
    if (bytes[at] != '#' || !begins) {
      ++at;
      continue;
    }
    const std::size_t line = file.line_of(at);
    const auto end = static_cast<std::uint32_t>(file.line_start(line) + file.line(line).size());
    // A byte order mark does not count.
    const std::uint32_t line_start = std::max(file.line_start(line), where.begin);
    const bool own_line = trim(bytes.substr(line_start, at - line_start)).empty();
    comments.push_back({{file.id(), at, end}, own_line});
    at = end;
  }
  return comments;
}

}  // namespace cnsched::yaml
