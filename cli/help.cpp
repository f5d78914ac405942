#include "cli/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/embedded_file.h"
#include "core/base/text.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> manuals();  // man/*.1.md
}

namespace cnsched::cli {

namespace {

constexpr std::size_t kHelpWidth = 80;

/// The text of "man/cnsched-lint.1.md"; empty if there is none, which a test reports.
std::string_view manual_of(const Command& command) {
  std::string path = "man/" + command.full_name() + ".1.md";
  std::ranges::replace(path, ' ', '-');
  const auto all = embedded::manuals();
  const auto found = std::ranges::find(all, path, &EmbeddedFile::path);
  return found == all.end() ? std::string_view() : found->text;
}

/// What is between `begin` and the next `end` or the end; empty if there is no `begin`.
std::string_view between(std::string_view begin, std::string_view end, std::string_view text) {
  const std::size_t start = text.find(begin);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + begin.size());
  return text.substr(0, text.find(end));
}

/// In one line, without backticks.
std::string plain(std::string_view markdown) {
  std::string text(markdown);
  std::erase(text, '`');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// "- `code`: text" in a list. Two blanks begin each further line.
struct Item {
  std::string_view code;
  std::string text;
};

std::vector<Item> list_below(std::string_view heading, std::string_view manual) {
  std::vector<Item> items;
  const std::string title = fmt::format("\n## {}\n\n", heading);
  for (const std::string_view line : split(trim(between(title, "\n\n", manual)), '\n')) {
    if (line.starts_with("- ")) {
      items.push_back({between("`", "`", line), plain(between("`: ", "\n", line))});
    } else if (!items.empty()) {
      items.back().text += " " + plain(trim(line));
    }
  }
  return items;
}

/// `left` and, at the column beside it, or below it if it is too long, `text`.
std::string row(std::string_view left, std::string_view text, std::size_t column = 28) {
  std::string result = fmt::format("  {}", left);
  const bool fits = result.size() + 2 <= column;
  result += fits ? std::string(column - result.size(), ' ') : "\n" + std::string(column, ' ');
  const auto lines = wrap(text, kHelpWidth - column);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += std::string(column, ' ');
    result += lines[i] + "\n";
  }
  return result;
}

std::string usage_of(const Command& command) {
  if (command.name.empty()) return "Usage: cnsched COMMAND" + command.usage() + "\n";
  std::string usage = "Usage: " + command.full_name() + command.usage() + "\n";
  for (const Command& sub : command.commands) {
    usage += "       " + sub.full_name() + sub.usage() + "\n";
  }
  return usage;
}

std::string row_of(const Argument& flag) {
  std::string left;
  for (const std::string& name : flag.names) left += (left.empty() ? "" : ", ") + name;
  if (!flag.value.empty()) left += " " + flag.value;
  return row(left, flag.text);
}

/// The flags by heading, in the order in which the headings first occur.
std::string flag_rows(const Command& command) {
  std::vector<std::string_view> headings;
  for (const Argument& flag : command.flags) {
    if (std::ranges::find(headings, flag.group) == headings.end()) headings.push_back(flag.group);
  }
  std::string text;
  for (const std::string_view heading : headings) {
    text += fmt::format("\n{}:\n", heading);
    for (const Argument& flag : command.flags) {
      if (flag.group == heading) text += row_of(flag);
    }
  }
  return text;
}

/// The words of a command; a flag and its value are one.
std::vector<std::string> units_of(std::string_view command) {
  std::vector<std::string> units;
  for (const std::string_view word : split(command, ' ')) {
    const bool is_value = !units.empty() && units.back().starts_with('-') && !word.starts_with('-');
    if (is_value) {
      units.back() += " " + std::string(word);
    } else {
      units.emplace_back(word);
    }
  }
  return units;
}

/// The command on one line or, continued as shells have it, on several.
std::string command_lines(std::string_view command) {
  constexpr std::string_view kContinued = " \\\n   ";
  std::string text = " ";
  std::size_t line = text.size();
  for (const std::string& unit : units_of(command)) {
    // A blank and a backslash may follow the word.
    if (line + 1 + unit.size() + 2 > kHelpWidth) {
      text += kContinued;
      line = 3;
    }
    text += " " + unit;
    line += 1 + unit.size();
  }
  return text + "\n";
}

std::string examples_in(std::string_view manual) {
  std::string text;
  for (const Item& example : list_below("Examples", manual)) {
    text += (text.empty() ? "\nExamples:\n" : "") + command_lines(example.code);
    if (!example.text.empty()) text += fmt::format("      {}\n", example.text);
  }
  return text;
}

/// Nothing if there is only one.
std::string exit_codes_in(std::string_view manual) {
  constexpr std::size_t kColumn = 5;
  const std::vector<Item> codes = list_below("Exit codes", manual);
  if (codes.size() < 2) return {};
  std::string text = "\nExit codes:\n";
  for (const Item& code : codes) text += row(code.code, code.text, kColumn);
  return text;
}

}  // namespace

std::string_view summary_of(const Command& command) {
  return between(" - ", "\n", manual_of(command));
}

std::string help_of(const Command& command) {
  const std::string_view manual = manual_of(command);
  std::string text;
  for (const std::string& line : wrap(plain(between("\n\n", "\n\n", manual)), kHelpWidth)) {
    text += line + "\n";
  }
  text += "\n" + usage_of(command);
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const Argument& argument : command.positionals) text += row(argument.value, argument.text);
  text += flag_rows(command);
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const Command& sub : command.commands) text += row(last_word(sub.name), summary_of(sub));
  return text + examples_in(manual) + exit_codes_in(manual);
}

}  // namespace cnsched::cli
