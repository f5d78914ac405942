// Completions for zsh: what `_arguments` takes, a specification for each flag.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output/completion.h"
#include "cli/output/formats.h"
#include "rules/engine/level.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kEngine = R"sh(
_cnsched_rule_ids() { _describe -t rules 'rule' _cnsched_rules "$@" }

_cnsched_rule_words() {
  _alternative \
    'rules:rule:_cnsched_rule_ids' \
    "groups:group of rules:((${(j: :)${(@q)_cnsched_groups}}))"
}

_cnsched_rule_list() {
  compset -P '*,'
  local -a ids=("${(@)_cnsched_rules}" "${(@)_cnsched_groups}")
  _describe -t rules 'rule' ids -q -S ','
}

_cnsched_rule_level() {
  if compset -P '*='; then
    compadd -X 'severity' -a _cnsched_levels
  else
    local -a ids=("${(@)_cnsched_rules}" "${(@)_cnsched_groups}")
    _describe -t rules 'rule' ids -q -S '='
  fi
}

_cnsched_report() {
  if compset -P '*='; then
    _files
  else
    compadd -X 'format' -q -S '=' -a _cnsched_formats
  fi
}

# Templates, and what one may be given, differ from one directory to another.
_cnsched_ask() {
  reply=(${(f)"$(_call_program cnsched ${(q)_cnsched_program} "${(@q)@}" --format names 2>/dev/null)"})
}

_cnsched_template() {
  local -a reply
  _cnsched_ask templates
  compadd -X 'template' -a reply
}

_cnsched_parameter() {
  local -a reply named
  _cnsched_ask templates
  named=(${words:*reply})
  (( $#named )) || return 1
  _cnsched_ask templates $named[1]
  if compset -P '*='; then
    local name=${${IPREFIX%=}##*=}
    compadd -X 'value' -- ${${(M)reply:#$name=?*}#*=}
  else
    compadd -X 'parameter' -q -S '=' -- ${(u)reply%%=*}
  fi
}

_cnsched() {
  local curcontext=$curcontext state line _cnsched_program=$words[1]
  local -A opt_args
  _cnsched_command ''
}

if [[ $funcstack[1] == _cnsched ]]; then
  _cnsched "$@"
else
  compdef _cnsched cnsched
fi
)sh";

/// `text` as part of a specification in single quotes.
std::string spec_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string action_of(const Argument& argument) {
  switch (argument.takes) {
    case Takes::choice:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    case Takes::file:
      return "_files";
    case Takes::directory:
      return "_files -/";
    case Takes::rule:
      return "_cnsched_rule_ids";
    case Takes::rules:
      return "_cnsched_rule_list";
    case Takes::level:
      return "_cnsched_rule_level";
    case Takes::report:
      return "_cnsched_report";
    case Takes::template_name:
      return "_cnsched_template";
    case Takes::parameter:
      return "_cnsched_parameter";
    case Takes::nothing:
    case Takes::text:
      break;
  }
  return " ";
}

/// '(-c --config)'{-c+,--config=}'[what it does]:FILE:_files'
std::string flag_spec(const Argument& flag) {
  const bool has_value = flag.takes != Takes::nothing;
  std::vector<std::string> names;
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    names.push_back(name + (!has_value ? "" : is_long ? "=" : "+"));
  }
  std::string spec;
  if (flag.repeatable) {
    spec = "'*'";
  } else {
    spec = fmt::format("'({})'", fmt::join(flag.names, " "));
  }
  spec += names.size() > 1 ? fmt::format("{{{}}}", fmt::join(names, ",")) : names.front();
  spec += fmt::format("'[{}]", spec_text(flag.text));
  if (has_value) spec += fmt::format(":{}:{}", spec_text(flag.value), action_of(flag));
  return spec + "'";
}

std::string positional_spec(const Argument& argument) {
  return fmt::format("'{}:{}:{}'",
                     argument.repeatable ? "*"
                     : argument.required ? "1"
                                         : "1:",
                     spec_text(argument.value), action_of(argument));
}

/// "name:meaning" as `_describe` reads it.
std::string described(std::string_view name, std::string_view meaning) {
  std::string quoted;
  for (const char c : meaning) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return fmt::format("'{}:{}'", name, quoted);
}

std::string array_of(std::string_view name, const std::vector<Word>& words) {
  std::string text = fmt::format("typeset -ga {}=(\n", name);
  for (const Word& word : words) text += "  " + described(word.text, word.meaning) + "\n";
  return text + ")\n";
}

/// How a command completes that has others within it: they, and what else may stand there.
std::string subcommands(const Command& command) {
  std::string text = "      local -a commands=(\n";
  for (const Command& sub : command.commands) {
    text += "        " + described(last_word(sub.name), sub.manual->summary) + "\n";
  }
  text += "      )\n";
  return text;
}

std::string case_of(const Command& command) {
  std::string text = fmt::format("    '{}')\n", command.name);
  const bool nests = !command.commands.empty();
  if (nests) text += subcommands(command);
  text += "      _arguments -s -S -C";
  for (const Argument& flag : command.flags) text += " \\\n        " + flag_spec(flag);
  if (nests) {
    text += " \\\n        '1: :->first' \\\n        '*:: :->rest'";
  } else {
    for (const Argument& argument : command.positionals) {
      text += " \\\n        " + positional_spec(argument);
    }
  }
  text += "\n";
  if (nests) {
    text +=
        "      case $state in\n        first)\n          _describe -t commands 'command' "
        "commands\n";
    for (const Argument& argument : command.positionals) {
      text += "          " + action_of(argument) + "\n";
    }
    text += fmt::format(
        "          ;;\n"
        "        rest)\n"
        "          if (( ${{+commands[(r)$words[1]:*]}} )); then\n"
        "            _cnsched_command {}\n"
        "          fi ;;\n"
        "      esac\n",
        command.name.empty() ? "\"$words[1]\"" : "\"" + command.name + " $words[1]\"");
  }
  return text + "      ;;\n";
}

}  // namespace

std::string zsh_completion(const Command& program) {
  std::string text =
      "#compdef cnsched\n"
      "# Completions of cnsched for zsh. Made by 'cnsched completion zsh'.\n\n";
  text += array_of("_cnsched_rules", rule_words()) + "\n";
  text += array_of("_cnsched_groups", group_words()) + "\n";
  text += fmt::format("typeset -ga _cnsched_levels=({})\n", fmt::join(rules::level_names(), " "));
  text += fmt::format("typeset -ga _cnsched_formats=({})\n\n", fmt::join(format_names(), " "));
  text += "_cnsched_command() {\n  case $1 in\n";
  for (const Command* command : flat(program)) text += case_of(*command);
  return text + "  esac\n}\n" + std::string(kEngine);
}

}  // namespace cnsched::cli
