#include "cli/help.h"

#include <fmt/format.h>

#include "cli/manual.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::size_t kColumn = 28;  // where the descriptions begin

/// `left` and, beside it or below it if it is too long, `text`.
std::string row(const std::string& left, const std::string& text) {
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

/// `text` in lines that fit; nothing stays nothing.
std::string paragraph(const std::string& text) {
  if (text.empty()) return text;
  std::string result;
  for (const std::string& line : wrap(text, kHelpWidth)) result += line + "\n";
  return result;
}

}  // namespace

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string name_in_manual(const CLI::App& command) {
  const std::string name = full_name(command);
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? std::string() : name.substr(blank + 1);
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::string arguments_of(const CLI::App& command) {
  std::string required;
  std::string optional;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_name(true);
    const std::string more = option->get_expected_max() > 1 ? "..." : "";
    (option->get_required() ? required : optional) +=
        option->get_required() ? " " + word + more : " [" + word + "]" + more;
  }
  return required + " [OPTIONS]" + optional;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return row(option->get_name(true), option->get_description());
  std::string left = option->get_name(false, true);
  std::size_t comma = left.find(',');
  if (comma != std::string::npos) left.replace(comma, 1, ", ");
  if (!option->get_type_name().empty() && option->get_expected_max() > 0) {
    // CLI11 adds what a check allows behind a colon; our descriptions say it in words.
    const std::string type = option->get_type_name();
    left += " " + type.substr(0, type.find(':'));
  }
  return row(left, option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return row(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* command) const {
  const std::string_view text = manual_of(name_in_manual(*command)).description;
  std::string first(text.substr(0, text.find("\n\n")));
  std::erase(first, '`');
  return paragraph(first) + "\n";
}

std::string HelpFormatter::make_footer(const CLI::App* command) const {
  return help_footer(manual_of(name_in_manual(*command)), kHelpWidth);
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name,
                                     CLI::AppFormatMode mode) const {
  // CLI11 puts two empty lines between groups.
  std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string name) const {
  // CLI11 passes the name that `help` was given and appends the command's own.
  name = "Usage: " + full_name(*command);
  const bool needs_command = command->get_require_subcommand_min() > 0;
  std::string usage = name + (needs_command ? " COMMAND" : "") + arguments_of(*command) + "\n";
  if (needs_command) return usage;
  for (const CLI::App* sub : subcommands_of(*command)) {
    usage += "       " + full_name(*sub) + arguments_of(*sub) + "\n";
  }
  return usage;
}

}  // namespace cnsched::cli
