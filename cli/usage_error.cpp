#include "cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "cli/commands/input.h"
#include "cli/help.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/registry.h"
#include "templates/command.h"

namespace cnsched::cli {

namespace {

/// What other tools call something.
struct Elsewhere {
  std::string_view word;
  std::string_view ours;
};

constexpr auto kCommandsElsewhere = std::to_array<Elsewhere>({
    {"check", "lint"},
    {"fix", "lint --fix"},
    {"help", "--help"},
    {"init", "config --init"},
    {"scan", "lint"},
    {"show", "explain"},
    {"validate", "lint"},
});

constexpr auto kFlagsElsewhere = std::to_array<Elsewhere>({
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

std::string_view ours(std::span<const Elsewhere> table, std::string_view word) {
  const auto found = std::ranges::find(table, word, &Elsewhere::word);
  return found == table.end() ? std::string_view() : found->ours;
}

/// The command and all below it.
std::vector<const CLI::App*> family(const CLI::App& command) {
  std::vector<const CLI::App*> all = {&command};
  for (const CLI::App* sub : subcommands_of(command)) {
    const auto below = family(*sub);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

/// "generate pin": without the program, unless that is all.
std::string short_name(const CLI::App& command) {
  const std::string name = name_in_manual(command);
  return name.empty() ? command.get_name() : name;
}

bool has_flag(const CLI::App& command, const std::string& name) {
  return name.size() > 1 && command.get_option_no_throw(name) != nullptr;
}

bool takes_value(const CLI::App& command, const std::string& flag) {
  const CLI::Option* option = command.get_option_no_throw(flag);
  return option != nullptr && option->get_items_expected_max() > 0;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string like(std::string_view word, const std::vector<std::string>& names) {
  return did_you_mean(word, {names.begin(), names.end()});
}

/// The flag before '=', in full length if only a dash is missing.
std::string flag_in(const std::string& word) {
  std::string flag = word.substr(0, word.find('='));
  if (flag.size() > 2 && flag[1] != '-') flag.insert(0, "-");
  return flag;
}

bool is_flag(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The first argument that has one dash and is a long flag with two; empty if there is none.
std::string with_single_dash(const CLI::App& app, const CLI::App& command,
                             const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    if (!is_flag(word) || word[1] == '-' || word.size() == 2) continue;
    const bool is_value = i > 0 && takes_value(command, arguments[i - 1]);
    const std::string flag = flag_in(word);
    if (!is_value && (has_flag(command, flag) || has_flag(app, flag))) return word;
  }
  return {};
}

/// Whether the word looks like something to lint.
bool is_manifest(const std::string& word) {
  std::error_code error;
  const std::string extension = lower(std::filesystem::path(word).extension().string());
  return word == "-" || extension == ".yaml" || extension == ".yml" || extension == ".json" ||
         (!word.empty() && std::filesystem::exists(word, error));
}

template <typename Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

std::string stands_before(const std::string& flag, const CLI::App& command) {
  return fmt::format("'{}' stands before '{}': write it behind", flag, command.get_name());
}

/// What is set of a command's own flags; empty if nothing is.
std::string flag_set_of(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) return option->get_name();
  }
  return {};
}

/// Finds the words for what is wrong with the arguments.
class Complaint {
 public:
  Complaint(const CLI::App& app, const CLI::App& command, const std::vector<std::string>& arguments)
      : app_(app), command_(command), arguments_(arguments) {}

  std::string about(const CLI::ParseError& error) const {
    const std::string slip = with_single_dash(app_, command_, arguments_);
    if (!slip.empty()) return about_flag(slip);
    std::string text;
    if (is<CLI::ExtrasError>(error)) text = about_extra();
    if (is<CLI::RequiredError>(error)) text = about_missing();
    if (is<CLI::ArgumentMismatch>(error)) text = about_values(error.what());
    if (is<CLI::ConversionError>(error)) text = about_value_of_flag();
    if (is<CLI::RequiresError>(error)) text = about_lonely_flag();
    if (is<CLI::ExcludesError>(error)) text = about_rivals();
    return text.empty() ? printable(error.what()) : text;
  }

  std::string about_flag(const std::string& word) const {
    const std::string shown = printable(word.substr(0, word.find('=')));
    const std::string flag = flag_in(word);
    if (has_flag(command_, flag)) return unknown(shown, did_you_mean(flag, {flag}));
    const std::string meant(ours(kFlagsElsewhere, flag));
    if (has_flag(command_, meant)) return unknown(shown, like(meant, {meant}));
    const std::vector<std::string> owners = owners_of(flag);
    if (!owners.empty()) return unknown(shown, ": it belongs to " + join_words(owners));
    return unknown(shown, like(flag, flags_of(command_)));
  }

 private:
  static std::string unknown(const std::string& flag, const std::string& advice) {
    return fmt::format("unknown option '{}'{}", flag, advice);
  }

  std::vector<std::string> owners_of(const std::string& flag) const {
    std::vector<std::string> owners;
    for (const CLI::App* command : family(app_)) {
      if (has_flag(*command, flag)) owners.push_back("'" + short_name(*command) + "'");
    }
    return owners;
  }

  /// What was left over.
  std::string about_extra() const {
    const std::vector<std::string> before = app_.remaining(false);
    if (&command_ != &app_ && !before.empty()) return about_word_before(before.front());
    const std::vector<std::string> extra = app_.remaining(true);
    if (extra.empty()) return {};
    return is_flag(extra.front()) ? about_flag(extra.front()) : about_argument(extra.front());
  }

  /// What stands before the name of the command.
  std::string about_word_before(const std::string& word) const {
    if (!is_flag(word)) return about_command(word);
    const std::string flag = flag_in(word);
    if (!has_flag(command_, flag)) return about_flag(word);
    return stands_before(flag, command_);
  }

  std::string about_command(const std::string& word) const {
    if (is_flag(word)) return about_flag(word);
    const std::string unknown = fmt::format("no command is called '{}'", printable(word));
    if (is_manifest(word)) {
      return fmt::format("{}: 'cnsched lint {}' lints it", unknown, templates::shell_word(word));
    }
    if (const auto meant = ours(kCommandsElsewhere, word); !meant.empty()) {
      return unknown + did_you_mean(meant, {meant});
    }
    std::vector<std::string> names;
    for (const CLI::App* command : family(app_)) names.push_back(command->get_name());
    const auto best = nearest(word, {names.begin() + 1, names.end()});
    if (!best) return unknown;
    const auto meant = std::ranges::find(names, *best) - names.begin();
    return fmt::format("{}, did you mean '{}'?", unknown,
                       short_name(*family(app_)[static_cast<std::size_t>(meant)]));
  }

  /// An argument for which there is no room.
  std::string about_argument(const std::string& word) const {
    const std::string shown = printable(word);
    if (command_.get_name() == "rules" && rules::find_rule(word) != nullptr) {
      return fmt::format("'rules' lists them all: 'cnsched explain {}' tells of one", word);
    }
    for (const CLI::Option* option : command_.get_options()) {
      if (option->get_positional()) return about_second(*option, shown);
    }
    return fmt::format("'{}' takes no arguments: '{}' is one too many", short_name(command_),
                       shown);
  }

  std::string about_second(const CLI::Option& positional, const std::string& word) const {
    std::vector<std::string> names;
    for (const CLI::App* sub : subcommands_of(command_)) names.push_back(sub->get_name());
    const std::string first = positional.results().empty() ? "" : positional.results().front();
    return fmt::format("'{}' takes one {}: '{}' is one too many behind '{}'{}",
                       short_name(command_), positional.get_name(true), word, printable(first),
                       like(first, names));
  }

  std::string about_missing() const {
    if (&command_ == &app_) return about_command(arguments_.front());
    for (const CLI::Option* option : command_.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      return fmt::format("'{}' needs a {}: {}", short_name(command_), option->get_name(true),
                         option->get_description());
    }
    return {};
  }

  /// Too few or too many values of an option; CLI11 names it in the text alone.
  std::string about_values(std::string_view text) const {
    for (const CLI::Option* option : command_.get_options()) {
      const std::string name = option->get_name();
      if (!text.starts_with(name + ":")) continue;
      if (option->count() > 1) return fmt::format("'{}' is given more than once: keep one", name);
      return fmt::format("'{}' needs a value: {}", name, option->get_description());
    }
    return {};
  }

  std::string about_value_of_flag() const {
    for (const std::string& word : arguments_) {
      const std::size_t equals = word.find('=');
      const std::string flag = word.substr(0, equals);
      if (equals == std::string::npos || !has_flag(command_, flag)) continue;
      if (takes_value(command_, flag)) continue;
      return fmt::format("'{}' takes no value: leave '{}' out", flag,
                         printable(word.substr(equals)));
    }
    return {};
  }

  std::string about_lonely_flag() const {
    for (const CLI::Option* option : command_.get_options()) {
      if (option->count() == 0) continue;
      for (const CLI::Option* needed : option->get_needs()) {
        if (needed->count() > 0) continue;
        return fmt::format("'{}' only goes with '{}': give that as well", option->get_name(),
                           needed->get_name());
      }
    }
    return {};
  }

  std::string about_rivals() const {
    for (const CLI::Option* option : command_.get_options()) {
      if (option->count() == 0) continue;
      for (const CLI::Option* rival : option->get_excludes()) {
        if (rival->count() == 0) continue;
        return fmt::format("'{}' and '{}' do not go together: give one of them", option->get_name(),
                           rival->get_name());
      }
    }
    return {};
  }

  const CLI::App& app_;
  const CLI::App& command_;
  const std::vector<std::string>& arguments_;
};

Exit say(const std::string& complaint, const CLI::App& command, Console& console) {
  say_error(console, complaint);
  console.err << fmt::format("Try '{} --help'.\n", full_name(command));
  return Exit::usage;
}

}  // namespace

Exit usage_error(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                 const std::vector<std::string>& arguments, Console& console) {
  return say(Complaint(app, command, arguments).about(error), command, console);
}

std::optional<Exit> refuse_single_dash(const CLI::App& app, const CLI::App& command,
                                       const std::vector<std::string>& arguments,
                                       Console& console) {
  const std::string slip = with_single_dash(app, command, arguments);
  if (slip.empty()) return std::nullopt;
  return say(Complaint(app, command, arguments).about_flag(slip), command, console);
}

std::optional<Exit> refuse_flag_before_subcommand(const CLI::App& app, const CLI::App& command,
                                                  Console& console) {
  for (const CLI::App* above = command.get_parent(); above != &app; above = above->get_parent()) {
    const std::string flag = flag_set_of(*above);
    if (flag.empty()) continue;
    say_error(console, stands_before(flag, command));
    return Exit::usage;
  }
  return std::nullopt;
}

}  // namespace cnsched::cli
