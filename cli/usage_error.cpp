#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "cli/app.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/registry.h"
#include "templates/settings.h"

namespace cnsched::cli {

namespace {

/// The name of a command or flag in other tools, and in cnsched.
struct Alias {
  std::string_view word;
  std::string_view own;
};

constexpr auto kCommandAliases = std::to_array<Alias>({
    {"check", "lint"},
    {"fix", "lint --fix"},
    {"init", "config --init"},
    {"scan", "lint"},
    {"show", "explain"},
    {"validate", "lint"},
});

constexpr auto kFlagAliases = std::to_array<Alias>({
    {"-o", "--format"},
    {"--output", "--format"},
    {"--dry-run", "--diff"},
    {"--enable", "--select"},
    {"--disable", "--ignore"},
    {"--skip", "--ignore"},
    {"--rule", "--select"},
    {"--strict", "--fail-on"},
    {"-v", "--version"},
    {"-V", "--version"},
});

std::string_view own_name(std::span<const Alias> table, std::string_view word) {
  const auto found = std::ranges::find(table, word, &Alias::word);
  return found == table.end() ? std::string_view() : found->own;
}

/// "generate pin", or "cnsched" of the program.
std::string short_name(const Command& command) {
  return command.name.empty() ? command.full_name() : command.name;
}

bool has_flag(const Command& command, std::string_view flag) {
  return command.find_flag(flag) != nullptr;
}

bool takes_value(const Command& command, std::string_view flag) {
  const Argument* argument = command.find_flag(flag);
  return argument != nullptr && argument->takes != Takes::nothing;
}

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> names;
  for (const Argument& flag : command.flags) names.push_back(flag.name());
  return names;
}

std::string like(std::string_view word, const std::vector<std::string>& names) {
  return did_you_mean(word, {names.begin(), names.end()});
}

/// The flag before '=', with a second dash if it is missing.
std::string flag_in(const std::string& word) {
  std::string flag = word.substr(0, word.find('='));
  if (flag.size() > 2 && flag[1] != '-') flag.insert(0, "-");
  return flag;
}

bool is_flag(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The first argument that is a long flag with only one dash; empty if there is none.
std::string with_single_dash(const Command& program, const Command& command,
                             const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    if (!is_flag(word) || word[1] == '-' || word.size() == 2) continue;
    const bool is_value = i > 0 && takes_value(command, arguments[i - 1]);
    const std::string flag = flag_in(word);
    if (!is_value && (has_flag(command, flag) || has_flag(program, flag))) return word;
  }
  return {};
}

/// Whether the word looks like a manifest.
bool is_manifest(const std::string& word) {
  std::error_code error;
  const std::string extension = lower(std::filesystem::path(word).extension().string());
  return word == "-" || extension == ".yaml" || extension == ".yml" || extension == ".json" ||
         (!word.empty() && std::filesystem::exists(word, error));
}

std::string must_follow(const std::string& flag, const Command& command) {
  return fmt::format("'{}' must follow '{}'", flag, last_word(command.name));
}

/// An argument of the command that is given; null if there is none.
const Argument* given_argument(const Command& command) {
  for (const auto* arguments : {&command.positionals, &command.flags}) {
    for (const Argument& argument : *arguments) {
      if (!argument.given.empty()) return &argument;
    }
  }
  return nullptr;
}

/// Describes what is wrong with the arguments.
class UsageError {
 public:
  UsageError(const Command& program, const Command& command,
             const std::vector<std::string>& arguments)
      : program_(program), command_(command), arguments_(arguments) {}

  std::string message_for(const ParseError& error) const {
    const std::string text = about(error);
    return text.empty() ? error.message : text;
  }

  std::string about_flag(const std::string& word) const {
    const std::string shown = printable(word.substr(0, word.find('=')));
    const std::string flag = flag_in(word);
    if (has_flag(command_, flag)) return unknown(shown, did_you_mean(flag, {flag}));
    const std::string own(own_name(kFlagAliases, flag));
    if (has_flag(command_, own)) return unknown(shown, like(own, {own}));
    const std::vector<std::string> owners = owners_of(flag);
    if (!owners.empty()) return unknown(shown, ": it is an option of " + join_words(owners));
    return unknown(shown, like(flag, flags_of(command_)));
  }

 private:
  std::string about(const ParseError& error) const {
    switch (error.kind) {
      case ParseError::Kind::extra:
        return about_extra(error);
      case ParseError::Kind::missing:
        return about_missing();
      case ParseError::Kind::value_count:
        return about_values(error.argument);
      case ParseError::Kind::flag_value:
        return about_value_of_flag();
      case ParseError::Kind::needs:
        return about_needed_flag();
      case ParseError::Kind::excludes:
        return about_excluded_flag();
      case ParseError::Kind::invalid:
        break;
    }
    return {};
  }

  static std::string unknown(const std::string& flag, const std::string& advice) {
    return fmt::format("unknown option '{}'{}", flag, advice);
  }

  std::vector<std::string> owners_of(const std::string& flag) const {
    std::vector<std::string> owners;
    for (const Command* command : flat(program_)) {
      if (has_flag(*command, flag)) owners.push_back("'" + short_name(*command) + "'");
    }
    return owners;
  }

  /// Describes unknown words.
  std::string about_extra(const ParseError& error) const {
    if (!command_.name.empty() && !error.before.empty()) {
      return about_word_before(error.before.front());
    }
    if (error.extra.empty()) return {};
    const std::string& word = error.extra.front();
    return is_flag(word) ? about_flag(word) : about_argument(word);
  }

  /// Describes an unknown word before the command's name.
  std::string about_word_before(const std::string& word) const {
    if (!is_flag(word)) return about_command(word);
    const std::string flag = flag_in(word);
    if (!has_flag(command_, flag)) return about_flag(word);
    return must_follow(flag, command_);
  }

  std::string about_command(const std::string& word) const {
    if (is_flag(word)) return about_flag(word);
    const std::string unknown = fmt::format("unknown command '{}'", printable(word));
    if (is_manifest(word)) {
      return fmt::format("{}: to lint a file, run 'cnsched lint {}'", unknown,
                         templates::shell_word(word));
    }
    if (const auto own = own_name(kCommandAliases, word); !own.empty()) {
      return unknown + did_you_mean(own, {own});
    }
    std::vector<std::string> names;
    const std::vector<const Command*> commands = flat(program_);
    for (const Command* command : commands) names.emplace_back(last_word(command->name));
    const auto best = nearest(word, {names.begin() + 1, names.end()});
    if (!best) return unknown;
    const auto index = std::ranges::find(names, *best) - names.begin();
    return fmt::format("{}, did you mean '{}'?", unknown,
                       short_name(*commands[static_cast<std::size_t>(index)]));
  }

  /// Describes a superfluous argument.
  std::string about_argument(const std::string& word) const {
    const std::string shown = printable(word);
    if (command_.name == "rules" && rules::find_rule(word) != nullptr) {
      return fmt::format("'rules' takes no arguments: run 'cnsched explain {}'", word);
    }
    if (command_.positionals.empty() && !command_.commands.empty()) {
      std::vector<std::string> names;
      for (const Command& sub : command_.commands) names.push_back(fmt::format("'{}'", sub.name));
      return fmt::format("unknown command '{} {}': there is {}", short_name(command_), shown,
                         join_words(names));
    }
    if (!command_.positionals.empty()) return about_second(command_.positionals.front(), shown);
    return fmt::format("'{}' takes no arguments: remove '{}'", short_name(command_), shown);
  }

  std::string about_second(const Argument& positional, const std::string& word) const {
    std::vector<std::string> names;
    for (const Command& sub : command_.commands) names.emplace_back(last_word(sub.name));
    const std::string first = positional.given.empty() ? "" : positional.given.front();
    return fmt::format("'{}' takes one {}: remove '{}' after '{}'{}", short_name(command_),
                       positional.value, word, printable(first), like(first, names));
  }

  std::string about_missing() const {
    if (command_.name.empty()) return about_command(arguments_.front());
    for (const Argument& argument : command_.positionals) {
      if (!argument.required || !argument.given.empty()) continue;
      return fmt::format("'{}' requires a {}: {}", short_name(command_), argument.value,
                         argument.text);
    }
    return {};
  }

  /// Too few or too many values of an argument.
  static std::string about_values(const Argument* argument) {
    if (argument == nullptr) return {};
    if (argument->given.size() > 1) {
      return fmt::format("'{}' is given more than once: keep one", argument->name());
    }
    return fmt::format("'{}' requires a value: {}", argument->name(), argument->text);
  }

  std::string about_value_of_flag() const {
    for (const std::string& word : arguments_) {
      const std::size_t equals = word.find('=');
      const std::string flag = word.substr(0, equals);
      if (equals == std::string::npos || !has_flag(command_, flag)) continue;
      if (takes_value(command_, flag)) continue;
      return fmt::format("'{}' takes no value: remove '{}'", flag, printable(word.substr(equals)));
    }
    return {};
  }

  bool is_given(std::string_view flag) const {
    const Argument* argument = command_.find_flag(flag);
    return argument != nullptr && !argument->given.empty();
  }

  std::string about_needed_flag() const {
    for (const Argument& flag : command_.flags) {
      if (flag.given.empty() || flag.needs.empty() || is_given(flag.needs)) continue;
      return fmt::format("'{}' requires '{}'", flag.name(), flag.needs);
    }
    return {};
  }

  std::string about_excluded_flag() const {
    for (const Argument& flag : command_.flags) {
      if (flag.given.empty() || flag.excludes.empty() || !is_given(flag.excludes)) continue;
      return fmt::format("'{}' and '{}' exclude each other: give one of them", flag.excludes,
                         flag.name());
    }
    return {};
  }

  const Command& program_;
  const Command& command_;
  const std::vector<std::string>& arguments_;
};

Exit say(const std::string& message, const Command& command, Console& console) {
  say_error(console, message);
  console.err << fmt::format("Try '{} --help'.\n", command.full_name());
  return Exit::usage;
}

/// Rejects flags of `generate` before `pin`: they would have no effect.
std::optional<Exit> reject_flag_before_subcommand(const Command& program, const Command& command,
                                                  Console& console) {
  for (const Command& parent : program.commands) {
    if (!command.name.starts_with(parent.name + " ")) continue;
    const Argument* argument = given_argument(parent);
    if (argument == nullptr) continue;
    say_error(console, must_follow(argument->name(), command));
    return Exit::usage;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Exit> usage_error(const Command& program, const Parsed& parsed,
                                const std::vector<std::string>& arguments, Console& console) {
  const Command& command = *parsed.command;
  const UsageError error(program, command, arguments);
  // The parser reads '-config' as '-c onfig'.
  const std::string word = with_single_dash(program, command, arguments);
  if (!word.empty()) return say(error.about_flag(word), command, console);
  if (parsed.outcome == Parsed::Outcome::error) {
    return say(error.message_for(parsed.error), command, console);
  }
  return reject_flag_before_subcommand(program, command, console);
}

}  // namespace cnsched::cli
