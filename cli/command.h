#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// What the value of a flag or argument is. Completion offers candidates accordingly.
enum class Takes : std::uint8_t {
  nothing,  ///< a flag without a value
  text,
  choice,  ///< one of `Argument::choices`
  file,    ///< or directory
  directory,
  rule,    ///< an id
  rules,   ///< ids, groups and `all`, separated by commas
  level,   ///< RULE=LEVEL
  report,  ///< FORMAT=FILE
  template_name,
  parameter,  ///< NAME=VALUE, of a template
  workload,   ///< in the manifests on the command line
  node,       ///< in the manifests and --cluster files on the command line
  component,  ///< of an object in the manifest on the command line
  container,  ///< of a pod in the manifest on the command line
};

/// A flag or, without names, a positional argument.
struct Argument {
  std::vector<std::string> names{};  ///< "-c", "--config"
  std::string value{};               ///< what help calls the value: "FILE"; empty: there is none
  std::string text{};
  std::string group{};  ///< the heading in help
  std::vector<std::string> choices{};
  Takes takes = Takes::nothing;
  bool required = false;
  bool repeatable = false;
  std::string needs{};      ///< a flag that has to be given as well
  std::string excludes{};   ///< a flag that must not be given as well
  bool* enabled = nullptr;  ///< set by a flag without a value
  /// Stores one value. Returns why the value is invalid; empty: it is valid.
  std::function<std::string(const std::string&)> store{};
  std::vector<std::string> given{};  ///< the values on the command line, after `parse`

  /// "--config", or "PATH" of a positional argument: what messages call it.
  const std::string& name() const { return names.empty() ? value : names.back(); }
};

/// A word that an argument accepts, and what it means.
template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

/// The choices for a variable of type T.
template <typename T>
using Choices = std::vector<Choice<std::type_identity_t<T>>>;

class ArgumentGroup;

/// A command, its arguments and its subcommands. Parser, help and completion read it.
struct Command {
  std::string name;  ///< "lint", "generate pin"; "" is the program
  std::vector<Argument> flags{};
  std::vector<Argument> positionals{};
  std::vector<Command> commands{};
  std::function<Exit(Console&)> run{};

  /// Runs `work` with options that the command owns. Returns them: the arguments store into them.
  template <typename Options>
  Options& runs(Exit (*work)(const Options&, Console&)) {
    const auto options = std::make_shared<Options>();
    run = [options, work](Console& console) { return work(*options, console); };
    return *options;
  }
  /// Declares flags below this heading in help.
  ArgumentGroup group(std::string_view heading);
  /// Declares a positional argument that may be missing.
  Argument& positional(std::string_view value, std::string_view text);
  Argument& positional(std::string_view value, std::string& target, std::string_view text);
  Argument& positional(std::string_view value, std::vector<std::string>& target,
                       std::string_view text);

  /// The flag of that name, "-c" or "--config"; null if there is none.
  const Argument* find_flag(std::string_view flag) const;
  /// "cnsched generate pin"
  std::string full_name() const;
  /// " FILE [OPTIONS] [PATH]...": what follows the name in a usage line; required arguments first.
  std::string usage() const;
};

/// The heading of flags that belong to no group.
inline constexpr std::string_view kOptions = "Options";

/// Declares the flags of a command below one heading in help. `names` are "-c,--config",
/// the long name last. `value` is what help calls the value; it selects how completion works (see
/// `Takes`).
class ArgumentGroup {
 public:
  ArgumentGroup(Command& command, std::string_view heading)
      : command_(command), heading_(heading) {}

  /// A flag without a value.
  Argument& flag(std::string_view names, bool& target, std::string_view text);
  Argument& option(std::string_view names, std::string_view value, std::string& target,
                   std::string_view text);
  /// May be repeated. `store` takes each value, and returns why it is invalid.
  Argument& list(std::string_view names, std::string_view value,
                 std::function<std::string(const std::string&)> store, std::string_view text);
  /// May be repeated; takes one value each time.
  Argument& list(std::string_view names, std::string_view value, std::vector<std::string>& target,
                 std::string_view text);
  /// Accepts only the words of the choices. In `text`, {0} is all of them, and {1} the
  /// default, which `target` has.
  template <typename T>
  Argument& one_of(std::string_view names, std::string_view value, T& target,
                   const Choices<T>& choices, std::string_view text = "{0} (default: {1})");
  /// Accepts whole numbers from `least` to `most`.
  Argument& number(std::string_view names, std::string_view value, std::size_t& target,
                   std::size_t least, std::size_t most, std::string_view text);
  /// Accepts bytes as Kubernetes writes them (64Mi, 100M), from 1 to `most`.
  Argument& size(std::string_view names, std::string_view value, std::size_t& target,
                 std::size_t most, std::string_view text);

 private:
  static std::string text_with(const std::vector<std::string>& words, std::string_view by_default,
                               std::string_view text);
  Argument& add(std::string_view names, std::string_view value, std::string_view text,
                std::function<std::string(const std::string&)> store);

  Command& command_;
  std::string_view heading_;
};

/// Accepts only these words for the argument. `choose` takes the index of one.
void restrict_to(Argument& argument, std::vector<std::string> words,
                 std::function<void(std::size_t)> choose);

template <typename T>
void restrict_to(Argument& argument, T& target, const Choices<T>& choices) {
  std::vector<std::string> words;
  for (const Choice<T>& choice : choices) words.emplace_back(choice.word);
  restrict_to(argument, std::move(words),
              [&target, choices](std::size_t i) { target = choices[i].value; });
}

template <typename T>
Argument& ArgumentGroup::one_of(std::string_view names, std::string_view value, T& target,
                                const Choices<T>& choices, std::string_view text) {
  std::string_view by_default;
  for (const Choice<T>& choice : choices) {
    if (choice.value == target) by_default = choice.word;
  }
  Argument& argument = add(names, value, "", {});
  restrict_to(argument, target, choices);
  argument.text = text_with(argument.choices, by_default, text);
  return argument;
}

/// The command and all below it, in the order of help.
std::vector<const Command*> flat(const Command& command);

/// "pin" of "generate pin".
std::string_view last_word(std::string_view name);

}  // namespace cnsched::cli
