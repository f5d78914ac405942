# Completion of cnsched for bash. Made by 'cnsched completion bash'.

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
