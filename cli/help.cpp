#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::size_t kColumn = 28;  // where the descriptions begin

/// `left` and, beside it or below it if it is too long, `text`.
std::string row(const std::string& left, std::string_view text) {
  std::string result = "  " + left;
  const bool fits = result.size() + 2 <= kColumn;
  result += fits ? std::string(kColumn - result.size(), ' ') : "\n" + std::string(kColumn, ' ');
  const auto lines = wrap(text, kHelpWidth - kColumn);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += std::string(kColumn, ' ');
    result += lines[i] + "\n";
  }
  return result;
}

/// The first paragraph of the manual's description.
std::string description_of(const Command& command) {
  const std::string_view text = command.manual->description;
  std::string first(text.substr(0, text.find("\n\n")));
  std::erase(first, '`');
  std::string result;
  for (const std::string& line : wrap(first, kHelpWidth)) result += line + "\n";
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
std::string flags_of(const Command& command) {
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

}  // namespace

std::string help_of(const Command& command) {
  std::string text = description_of(command) + "\n" + usage_of(command);
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const Argument& argument : command.positionals) text += row(argument.value, argument.text);
  text += flags_of(command);
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const Command& sub : command.commands) {
    text += row(std::string(last_word(sub.name)), sub.manual->summary);
  }
  return text + "\n" + help_footer(*command.manual, kHelpWidth);
}

}  // namespace cnsched::cli
