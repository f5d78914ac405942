#include "cli/commands/commands.h"
#include "cli/commands/complete.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

struct CompletionOptions {
  const Shell* shell = nullptr;
};

/// Prints the script that completes in a shell.
Exit completion(const CompletionOptions& options, Console& console) {
  console.out << options.shell->script;
  return Exit::clean;
}

constexpr std::string_view kBash =
    R"sh(# Completion of cnsched for bash. Made by 'cnsched completion bash'.

_cnsched() {
  COMPREPLY=()
  # bash splits words at '=' and ':' (COMP_WORDBREAKS). Join them again.
  local -a words=()
  local i word line
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 1)) && [[ $word =~ ^[=:]+$ || ${COMP_WORDS[i - 1]} =~ ^[=:]+$ ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  words=("${words[@]//[\\\"\']/}")

  # bash replaces only what follows the last of the characters at which it splits.
  local current=${words[-1]} breaks='' kept=''
  for word in = :; do
    [[ $COMP_WORDBREAKS == *"$word"* ]] && breaks+=$word
  done
  [[ -n $breaks ]] && kept=${current%"${current##*[$breaks]}"}

  local -a lines=() paths=()
  mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "$((${#words[@]} - 1))" "${words[@]}" 2>/dev/null)
  for line in "${lines[@]}"; do
    case $line in
      ':files '*)
        word=${line#:files }
        mapfile -t paths < <(compgen -f -- "${current#"$word"}") ;;
      ':directories '*)
        word=${line#:directories }
        mapfile -t paths < <(compgen -d -- "${current#"$word"}") ;;
      *)
        word=${line%%$'\t'*}
        [[ $word == *= ]] && compopt -o nospace 2>/dev/null
        word=${word#"$kept"}
        [[ $word == *[!A-Za-z0-9_./,=:@%+-]* ]] && printf -v word %q "$word"
        COMPREPLY+=("$word")
        continue ;;
    esac
    compopt -o filenames 2>/dev/null
    for i in "${!paths[@]}"; do
      line=$word${paths[i]}
      COMPREPLY+=("${line#"$kept"}")
    done
  done
}

complete -F _cnsched cnsched
)sh";

constexpr std::string_view kZsh = R"sh(#compdef cnsched
# Completion of cnsched for zsh. Made by 'cnsched completion zsh'.

_cnsched() {
  local line word prefix='' paths=''
  local -a written=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}") candidates=() open=()
  for line in "${(@f)$(_call_program cnsched ${(q)written[1]} __complete $((CURRENT - 1)) "${(@q)written}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      ':files '*) paths=files prefix=${line#:files } ;;
      ':directories '*) paths=directories prefix=${line#:directories } ;;
      *)
        # _describe separates word and description by a colon.
        word=${${line%%$'\t'*}//:/\\:}
        [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
        if [[ ${line%%$'\t'*} == *= ]]; then open+=("$word"); else candidates+=("$word"); fi ;;
    esac
  done
  local result=1
  (( $#open )) && _describe -t values cnsched open -q -S '' && result=0
  (( $#candidates )) && _describe -t values cnsched candidates && result=0
  if [[ -n $paths ]]; then
    compset -P "${(b)prefix}"
    if [[ $paths == files ]]; then _files && result=0; else _files -/ && result=0; fi
  fi
  return result
}

if [[ $funcstack[1] == _cnsched ]]; then
  _cnsched "$@"
else
  compdef _cnsched cnsched
fi
)sh";

constexpr std::string_view kFish =
    R"sh(# Completion of cnsched for fish. Made by 'cnsched completion fish'.

function __cnsched_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete (count $words) $words "$current" 2>/dev/null)
        if string match -q -- ':files *' $line
            set -l prefix (string sub -s 8 -- $line)
            set -l path (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
            printf "%s\n" "$prefix"(__fish_complete_path "$path")
        else if string match -q -- ':directories *' $line
            set -l prefix (string sub -s 14 -- $line)
            set -l path (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
            printf "%s\n" "$prefix"(__fish_complete_directories "$path" '')
        else
            printf "%s\n" $line
        end
    end
end

complete -c cnsched -f -a '(__cnsched_complete)'
)sh";

}  // namespace

std::span<const Shell> shells() {
  static constexpr Shell kShells[] = {
      {"bash", "cnsched.bash", kBash},
      {"zsh", "_cnsched", kZsh},
      {"fish", "cnsched.fish", kFish},
  };
  return kShells;
}

void declare_completion(Command& command) {
  auto& options = command.runs(completion);
  std::vector<Choice<const Shell*>> choices;
  for (const Shell& shell : shells()) choices.push_back({shell.name, &shell});
  Argument& argument = command.positional("SHELL", "");
  restrict_to(argument, options.shell, choices);
  argument.text = join_words(argument.choices, "or");
  argument.required = true;
}

}  // namespace cnsched::cli
