#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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

class ArgumentGroup;

/// A command, its arguments and its subcommands. Parser, help and completion read it.
struct Command {
  std::string name;  ///< "lint", "generate pin"; "" is the program
  std::vector<Argument> flags{};
  std::vector<Argument> positionals{};
  std::vector<Command> commands{};
  std::function<Exit(Console&)> run{};

  /// Declares flags below this heading in help.
  ArgumentGroup group(std::string_view heading);
  /// Declares a positional argument that may be missing.
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
  /// Accepts only these words.
  Argument& one_of(std::string_view names, std::string_view value, std::string& target,
                   std::vector<std::string> choices, std::string_view text);
  /// Accepts whole numbers from `least` to `most`.
  Argument& number(std::string_view names, std::string_view value, std::size_t& target,
                   std::size_t least, std::size_t most, std::string_view text);
  /// Accepts bytes as Kubernetes writes them (64Mi, 100M), from 1 to `most`.
  Argument& size(std::string_view names, std::string_view value, std::size_t& target,
                 std::size_t most, std::string_view text);

 private:
  Argument& add(std::string_view names, std::string_view value, std::string_view text,
                std::function<std::string(const std::string&)> store);

  Command& command_;
  std::string_view heading_;
};

/// Accepts only these words for the argument.
void restrict_to(Argument& argument, std::string& target, std::vector<std::string> choices);

/// The command and all below it, in the order of help.
std::vector<const Command*> flat(const Command& command);

/// "pin" of "generate pin".
std::string_view last_word(std::string_view name);

}  // namespace cnsched::cli
