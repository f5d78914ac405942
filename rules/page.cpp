#include "rules/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>

#include "core/base/text.h"
#include "rules/rule.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> rule_pages();
}

namespace cnsched::rules {

namespace {

/// Reads a page from its start. No line of a paragraph or of an example begins with '#'.
class PageReader {
 public:
  explicit PageReader(const EmbeddedFile& file) : file_(file), rest_(file.text) {}

  bool is_next(std::string_view heading) const { return rest_.starts_with(heading); }

  /// The text below the heading, which must be the next one.
  std::string_view section(std::string_view heading) {
    if (!is_next(heading)) {
      fail(fmt::format("'{}' is missing at '{}'", trim(heading), first_line()));
    }
    rest_.remove_prefix(heading.size());
    const std::size_t end = std::min(rest_.find("\n#"), rest_.size() - 1) + 1;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return trim(text);
  }

  void finish() const {
    if (!rest_.empty()) fail(fmt::format("'{}' is not a heading of pages", first_line()));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw std::logic_error(fmt::format("{}: {}", file_.path, problem));
  }

 private:
  std::string_view first_line() const { return rest_.substr(0, rest_.find('\n')); }

  const EmbeddedFile& file_;
  std::string_view rest_;
};

/// Paragraphs, each in one line, separated by empty lines.
std::string paragraphs(std::string_view text) {
  std::string result;
  if (text.empty()) return result;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) {
      result += "\n\n";
      continue;
    }
    if (!result.empty() && !result.ends_with('\n')) result += ' ';
    result += line;
  }
  return result;
}

/// Reads the mistake and the correction from the lines that a diff removes and adds.
void read_example(std::string_view text, const PageReader& reader, Page& page) {
  constexpr std::string_view kBegin = "```diff\n";
  constexpr std::string_view kEnd = "\n```";
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) {
    reader.fail("the example is not a block '```diff'");
  }
  text.remove_prefix(kBegin.size());
  text.remove_suffix(kEnd.size());
  page.bad = page.good = "\n";
  for (const std::string_view line : split(text, '\n')) {
    const char mark = line.empty() ? ' ' : line.front();
    const std::string_view rest = line.substr(std::min<std::size_t>(1, line.size()));
    if (mark != ' ' && mark != '-' && mark != '+') {
      reader.fail(fmt::format("'{}' does not begin with ' ', '-' or '+'", line));
    }
    if (mark != '+') page.bad += fmt::format("{}\n", rest);
    if (mark != '-') page.good += fmt::format("{}\n", rest);
  }
}

/// "Not exported: it depends on other objects."
std::string clause_of(std::string_view text, const PageReader& reader) {
  constexpr std::string_view kBegin = "Not exported: ";
  if (!text.starts_with(kBegin) || !text.ends_with('.')) {
    reader.fail(fmt::format("'{}' is not of the form '{}REASON.'", text, kBegin));
  }
  text.remove_prefix(kBegin.size());
  text.remove_suffix(1);
  return paragraphs(text);
}

std::map<std::string_view, Page> all_pages() {
  std::map<std::string_view, Page> pages;
  for (const EmbeddedFile& file : embedded::rule_pages()) {
    pages.emplace(file.stem(), read_page(file));
  }
  return pages;
}

}  // namespace

const Page& page_of(const Rule& rule) {
  if (rule.page != nullptr) return *rule.page;
  static const std::map<std::string_view, Page> pages = all_pages();
  return pages.at(rule.id);
}

Page read_page(const EmbeddedFile& file) {
  PageReader reader(file);
  Page page;
  const std::string_view start = reader.section("# ");
  const std::size_t line = std::min(start.find('\n'), start.size());
  page.summary = start.substr(0, line);
  page.details = paragraphs(trim(start.substr(line)));
  page.why = paragraphs(reader.section("## Why it matters\n"));
  page.limits = paragraphs(reader.section("## Limits\n"));
  read_example(reader.section("## Example\n"), reader, page);
  constexpr std::string_view kNotExported = "## In the cluster\n";
  if (reader.is_next(kNotExported)) {
    page.not_exported = clause_of(reader.section(kNotExported), reader);
  }
  page.source = reader.section("## Source\n");
  reader.finish();
  return page;
}

}  // namespace cnsched::rules
