// Completions for fish: a `complete` for each flag, under the condition that its command is the one
// that is being written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output/completion.h"
#include "cli/output/formats.h"
#include "rules/engine/level.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kEngine = R"sh(
# What has been written: the command ("", "lint", "generate pin"), and the first word that is neither
# a command nor a flag: of generate, the template.
function __cnsched_written
    set -l name
    set -l argument
    set -l takes_value false
    for word in (commandline -opc)[2..]
        if test $takes_value = true
            set takes_value false
        else if string match -q -- '-*' $word
            contains -- "$name|$word" $__cnsched_valued; and set takes_value true
        else
            set -l longer (string trim -- "$name $word")
            if contains -- $longer $__cnsched_commands
                set name $longer
            else if test -z "$argument"
                set argument $word
            end
        end
    end
    printf '%s\n' "$name" "$argument"
end

# Whether the command that is being written is $argv.
function __cnsched_is
    test (__cnsched_written)[1] = "$argv"
end

# The value that is being written, without the flag in front of it.
function __cnsched_value
    commandline -ct | string replace -r -- '^--[a-z-]+=' ''
end

# Rules, separated by commas: what stands already, and each word behind it.
function __cnsched_rule_list
    set -l head (__cnsched_value | string replace -r -- '[^,]*$' '')
    printf "$head%s\n" $__cnsched_rules $__cnsched_groups
end

function __cnsched_rule_level
    set -l value (__cnsched_value)
    if string match -q -- '*=*' $value
        printf (string split -m1 = -- $value)[1]"=%s\n" $__cnsched_levels
    else
        string replace -- \t =\t $__cnsched_rules $__cnsched_groups
    end
end

function __cnsched_report
    set -l value (__cnsched_value)
    if string match -q -- '*=*' $value
        set -l parts (string split -m1 = -- $value)
        printf '%s\n' $parts[1]=(__fish_complete_path $parts[2])
    else
        printf '%s=\n' $__cnsched_formats
    end
end

# Templates, and what one may be given, differ from one directory to another.
function __cnsched_template
    set -l program (commandline -opc)[1]
    $program templates --format names 2>/dev/null
end

function __cnsched_parameter
    set -l program (commandline -opc)[1]
    set -l template (__cnsched_written)[2]
    test -n "$template"; and $program templates $template --format names 2>/dev/null
end

complete -c cnsched -f
)sh";

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// What `complete` is told of a value.
std::string value_of(const Argument& argument) {
  switch (argument.takes) {
    case Takes::nothing:
      return "";
    case Takes::choice:
      return fmt::format(" -x -a '{}'", fmt::join(argument.choices, " "));
    case Takes::file:
      return " -r -F";
    case Takes::directory:
      return " -x -a '(__fish_complete_directories (__cnsched_value))'";
    case Takes::rule:
      return " -x -a '$__cnsched_rules'";
    case Takes::rules:
      return " -x -a '(__cnsched_rule_list)'";
    case Takes::level:
      return " -x -a '(__cnsched_rule_level)'";
    case Takes::report:
      return " -x -a '(__cnsched_report)'";
    case Takes::template_name:
      return " -x -a '(__cnsched_template)'";
    case Takes::parameter:
      return " -x -a '(__cnsched_parameter)'";
    case Takes::text:
      break;
  }
  return " -x";
}

std::string line_for(const Command& command) {
  return fmt::format("complete -c cnsched -n '__cnsched_is {}'", command.name);
}

std::string lines_of(const Command& command) {
  std::string text = "\n";
  for (const Command& sub : command.commands) {
    text += fmt::format("{} -a {} -d {}\n", line_for(command), last_word(sub.name),
                        in_quotes(sub.manual->summary));
  }
  for (const Argument& argument : command.positionals) {
    // -x and -r are of flags.
    std::string value = value_of(argument);
    value = argument.takes == Takes::file ? " -F" : value.substr(value.find(" -a"));
    text += line_for(command) + value + "\n";
  }
  for (const Argument& flag : command.flags) {
    text += line_for(command);
    for (const std::string& name : flag.names) {
      const bool is_long = name.starts_with("--");
      text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
    }
    text += value_of(flag) + " -d " + in_quotes(flag.text) + "\n";
  }
  return text;
}

std::string list_of(std::string_view name, const std::vector<std::string>& words) {
  return fmt::format("set -g {} {}\n", name, fmt::join(words, " "));
}

/// The words with what they are behind a tab, as fish shows it.
std::string list_of(std::string_view name, const std::vector<Word>& words) {
  std::string text = fmt::format("set -g {}", name);
  for (const Word& word : words) {
    text += fmt::format(" \\\n    {}\\t{}", word.text, in_quotes(word.meaning));
  }
  return text + "\n";
}

std::string list_of(std::string_view name, const std::vector<std::string_view>& words) {
  return list_of(name, std::vector<std::string>(words.begin(), words.end()));
}

}  // namespace

std::string fish_completion(const Command& program) {
  std::vector<std::string> names;
  std::vector<std::string> valued;
  for (const Command* command : flat(program)) {
    if (!command->name.empty()) names.push_back(in_quotes(command->name));
    for (const Argument& flag : command->flags) {
      if (flag.takes == Takes::nothing) continue;
      for (const std::string& name : flag.names) {
        valued.push_back(in_quotes(command->name + "|" + name));
      }
    }
  }
  std::string text = "# Completions of cnsched for fish. Made by 'cnsched completion fish'.\n\n";
  text += list_of("__cnsched_rules", rule_words());
  text += list_of("__cnsched_groups", group_words());
  text += list_of("__cnsched_levels", rules::level_names());
  text += list_of("__cnsched_formats", format_names());
  text += list_of("__cnsched_commands", names);
  text += "# The flags that take a value.\n" + list_of("__cnsched_valued", valued);
  text += kEngine;
  for (const Command* command : flat(program)) text += lines_of(*command);
  return text;
}

}  // namespace cnsched::cli
