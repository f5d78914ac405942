// Completions for bash. It parts words at '=' (COMP_WORDBREAKS), so the script puts them together
// again; and it expands what `compgen -W` is given, so only words of our own ever get there: what a
// template calls its parameters is compared as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/output/completion.h"
#include "cli/output/formats.h"
#include "rules/engine/level.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kEngine = R"sh(
# Keeps those of the lines on standard input that begin with $1, each behind $2.
_cnsched_keep() {
  local line
  while IFS= read -r line; do
    [[ $line == "$1"* ]] && printf '%s%s\n' "${2-}" "$line"
  done
}

# The values that begin with $3, where $1 is what _cnsched_takes says; $2 runs the program, and $4
# is the template that parameters are of.
_cnsched_values() {
  local head
  case $1 in
    'words '*) compgen -W "${1#words }" -- "$3" ;;
    file) compgen -f -- "$3" ;;
    directory) compgen -d -- "$3" ;;
    rule) compgen -W "$_cnsched_rules" -- "$3" ;;
    rules)
      head=${3%"${3##*,}"}
      compgen -P "$head" -W "$_cnsched_rules $_cnsched_groups" -- "${3##*,}" ;;
    level)
      if [[ $3 == *=* ]]; then
        compgen -P "${3%%=*}=" -W "$_cnsched_levels" -- "${3#*=}"
      else
        compgen -S = -W "$_cnsched_rules $_cnsched_groups" -- "$3"
      fi ;;
    report)
      if [[ $3 == *=* ]]; then
        compgen -f -- "${3#*=}" | _cnsched_keep '' "${3%%=*}="
      else
        compgen -S = -W "$_cnsched_formats" -- "$3"
      fi ;;
    template) "$2" templates --format names 2>/dev/null | _cnsched_keep "$3" ;;
    parameter)
      [[ -n $4 ]] && "$2" templates "$4" --format names 2>/dev/null | _cnsched_keep "$3" ;;
  esac
}

_cnsched() {
  COMPREPLY=()
  local -a words=()
  local i word
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 1)) && [[ $word == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done

  # What stands before the word that is being written.
  local whole=${words[-1]} command='' flag='' argument='' takes
  unset 'words[-1]'
  for word in "${words[@]:1}"; do
    if [[ -n $flag ]]; then
      flag=''
    elif [[ $word == -* ]]; then
      [[ -n $(_cnsched_takes "$command" "$word") ]] && flag=$word
    elif [[ $_cnsched_commands == *"|${command:+$command }$word|"* ]]; then
      command=${command:+$command }$word
    else
      argument=${argument:-$word}
    fi
  done

  # The word itself, without the flag in front of its value.
  local cur=$whole
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=${cur%%=*}
    cur=${cur#*=}
  elif [[ -z $flag && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_cnsched_flags "$command")" -- "$cur")
    return
  fi

  local lead=${whole%"$cur"}
  takes=$(_cnsched_takes "$command" "$flag")
  case $takes in file | directory | report) compopt -o filenames 2>/dev/null ;; esac
  mapfile -t COMPREPLY < <(
    if [[ -z $flag ]]; then compgen -W "$(_cnsched_subcommands "$command")" -- "$cur"; fi
    _cnsched_values "$takes" "${COMP_WORDS[0]/#\~/$HOME}" "$cur" "$argument"
  )

  # bash replaces what stands behind the last '=' only.
  local done=''
  if [[ $COMP_WORDBREAKS == *=* && $whole == *=* ]]; then done=${whole%"${whole##*=}"}; fi
  for i in "${!COMPREPLY[@]}"; do
    word=$lead${COMPREPLY[i]}
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    word=${word#"$done"}
    if [[ $takes == parameter ]]; then printf -v word %q "$word"; fi
    COMPREPLY[i]=$word
  done
}

complete -F _cnsched cnsched
)sh";

std::string texts_of(const std::vector<Word>& words) {
  std::string texts;
  for (const Word& word : words) texts += (texts.empty() ? "" : " ") + std::string(word.text);
  return texts;
}

/// How the script calls what a value is; empty if there is none.
std::string_view word_for(Takes takes) {
  switch (takes) {
    case Takes::nothing:
      return "";
    case Takes::choice:
      return "words";
    case Takes::file:
      return "file";
    case Takes::directory:
      return "directory";
    case Takes::rule:
      return "rule";
    case Takes::rules:
      return "rules";
    case Takes::level:
      return "level";
    case Takes::report:
      return "report";
    case Takes::template_name:
      return "template";
    case Takes::parameter:
      return "parameter";
    case Takes::text:
      break;
  }
  return "text";
}

/// What _cnsched_takes says of an argument: a word, or "words" and all that it may be.
std::string takes_of(const Argument& argument) {
  if (argument.takes != Takes::choice) return std::string(word_for(argument.takes));
  return fmt::format("words {}", fmt::join(argument.choices, " "));
}

/// By answer, all that it is given for, as patterns of `case`.
std::map<std::string, std::vector<std::string>> answers(const Command& program) {
  std::map<std::string, std::vector<std::string>> patterns;
  for (const Command* command : flat(program)) {
    for (const Argument& argument : command->positionals) {
      patterns[takes_of(argument)].push_back(fmt::format("'{}:'", command->name));
    }
    for (const Argument& flag : command->flags) {
      if (flag.takes == Takes::nothing) continue;
      for (const std::string& name : flag.names) {
        patterns[takes_of(flag)].push_back(fmt::format("'{}:{}'", command->name, name));
      }
    }
  }
  return patterns;
}

/// A function that prints, for each command, words.
std::string by_command(std::string_view function, const Command& program,
                       std::vector<std::string> (*words)(const Command&)) {
  std::string text = fmt::format("{}() {{\n  case $1 in\n", function);
  for (const Command* command : flat(program)) {
    const std::vector<std::string> all = words(*command);
    if (all.empty()) continue;
    text += fmt::format("    '{}') echo '{}' ;;\n", command->name, fmt::join(all, " "));
  }
  return text + "  esac\n}\n";
}

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> names;
  for (const Argument& flag : command.flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return names;
}

std::vector<std::string> subcommands_of(const Command& command) {
  std::vector<std::string> names;
  for (const Command& sub : command.commands) names.emplace_back(last_word(sub.name));
  return names;
}

}  // namespace

std::string bash_completion(const Command& program) {
  std::string text = "# Completions of cnsched for bash. Made by 'cnsched completion bash'.\n\n";
  text += fmt::format("_cnsched_rules='{}'\n", texts_of(rule_words()));
  text += fmt::format("_cnsched_groups='{}'\n", texts_of(group_words()));
  text += fmt::format("_cnsched_levels='{}'\n", fmt::join(rules::level_names(), " "));
  text += fmt::format("_cnsched_formats='{}'\n", fmt::join(format_names(), " "));
  std::vector<std::string_view> names;
  for (const Command* command : flat(program)) names.push_back(command->name);
  text += fmt::format("_cnsched_commands='{}|'\n\n", fmt::join(names, "|"));
  text += "# The flags of a command.\n" + by_command("_cnsched_flags", program, flags_of);
  text += "\n# The commands within a command.\n" +
          by_command("_cnsched_subcommands", program, subcommands_of);
  text +=
      "\n# What flag $2 of command $1, or without a flag its argument, takes.\n"
      "_cnsched_takes() {\n  case $1:$2 in\n";
  for (const auto& [answer, patterns] : answers(program)) {
    text += fmt::format("    {})\n      echo '{}' ;;\n", fmt::join(patterns, " | "), answer);
  }
  return text + "  esac\n}\n" + std::string(kEngine);
}

}  // namespace cnsched::cli
