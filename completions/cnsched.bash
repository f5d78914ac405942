# Completions of cnsched for bash. Made by 'cnsched completion bash'.

_cnsched_rules='yaml-syntax duplicate-key wrong-type unknown-field misplaced-field missing-field invalid-value duplicate-list-key deprecated-api invalid-label deprecated-node-label unknown-accelerator-label invalid-node-affinity non-integer-comparison empty-selector-term contradictory-selector mixed-provider-labels accelerator-mismatch preferred-only-pin node-name-pin self-selector-labels invalid-toleration toleration-without-selector toleration-of-everything toleration-value-trap duplicate-toleration redundant-gpu-toleration gpu-toleration-missing invalid-taint custom-gpu-taint gpu-node-untainted accelerator-request-limit accelerator-not-integer invalid-quantity request-above-limit pod-level-accelerator accelerator-on-wrong-container two-accelerators unadvertised-resource accelerator-selector-without-request knative-feature-disabled knative-feature-value knative-feature-key knative-dropped-field deployment-mode worker-on-knative worker-unpinned runtime-toleration-replaced runtime-selector-conflict accelerator-annotation min-scale-annotation raw-scale-to-zero node-never-drains rollout-needs-spare-gpu parallelism-gpus seldon-unmet-requirement seldon-unknown-server seldon-unknown-server-config seldon-model-does-not-fit seldon-incomplete-server-config seldon-wrong-namespace seldon-explicit-pin seldon-container-name seldon-capabilities seldon-affinity-widened seldon-merge-conflict seldon-unrestricted-model seldon-dead-field unschedulable ignore-unknown ignore-unused'
_cnsched_groups='yaml label affinity toleration taint resource knative kserve seldon cluster ignore all'
_cnsched_levels='off info warning error'
_cnsched_formats='pretty concise json sarif github gitlab junit checkstyle'
_cnsched_commands='|lint|render|simulate|generate|generate pin|templates|rules|explain|config|completion|version|'

# The flags of a command.
_cnsched_flags() {
  case $1 in
    '') echo '-h --help --version' ;;
    'lint') echo '-h --help --cluster -c --config --no-config --stdin-filename --exclude --force-exclude --no-gitignore -j --jobs --show-files --min-objects --max-file-size --max-documents --max-line-length --max-findings --select --ignore --extend-select --severity --fix --unsafe-fixes --diff --no-inline-ignores --baseline --write-baseline --show-suppressed --format --report --statistics --fail-on --exit-zero --color -q --quiet -v --verbose' ;;
    'render') echo '-h --help --cluster -c --config --no-config --stdin-filename --exclude --force-exclude --no-gitignore -j --jobs --max-file-size --max-documents --max-line-length --format --with-origin --color -q --quiet -v --verbose' ;;
    'simulate') echo '-h --help --cluster -c --config --no-config --stdin-filename --exclude --force-exclude --no-gitignore -j --jobs --max-file-size --max-documents --max-line-length --explain --node --replicas --extended-resource-toleration --format --color -q --quiet -v --verbose' ;;
    'generate') echo '-h --help -p --set -f --values --interactive --template-dir --cluster -c --config --no-config --max-file-size --max-documents --max-line-length -o --output --force --diff --check --no-lint --fail-on --no-header --color -q --quiet' ;;
    'generate pin') echo '-h --help -p --set -f --values --component --container --cluster -c --config --no-config --max-file-size --max-documents --max-line-length -o --output --force --diff --check --no-lint --fail-on --color -q --quiet -v --verbose' ;;
    'templates') echo '-h --help --check --template-dir --format --accelerators -c --config --no-config --color -q --quiet' ;;
    'rules') echo '-h --help --format --color -q --quiet' ;;
    'explain') echo '-h --help --color -q --quiet' ;;
    'config') echo '-h --help -c --config --no-config --format --init -o --output --schema --color -q --quiet' ;;
    'completion') echo '-h --help' ;;
    'version') echo '-h --help' ;;
  esac
}

# The commands within a command.
_cnsched_subcommands() {
  case $1 in
    '') echo 'lint render simulate generate templates rules explain config completion version' ;;
    'generate') echo 'pin' ;;
  esac
}

# What flag $2 of command $1, or without a flag its argument, takes.
_cnsched_takes() {
  case $1:$2 in
    'generate:--template-dir' | 'templates:--template-dir')
      echo 'directory' ;;
    'lint:' | 'lint:--cluster' | 'lint:-c' | 'lint:--config' | 'lint:--baseline' | 'lint:--write-baseline' | 'render:' | 'render:--cluster' | 'render:-c' | 'render:--config' | 'simulate:' | 'simulate:--cluster' | 'simulate:-c' | 'simulate:--config' | 'generate:-f' | 'generate:--values' | 'generate:--cluster' | 'generate:-c' | 'generate:--config' | 'generate:-o' | 'generate:--output' | 'generate pin:' | 'generate pin:-f' | 'generate pin:--values' | 'generate pin:--cluster' | 'generate pin:-c' | 'generate pin:--config' | 'generate pin:-o' | 'generate pin:--output' | 'templates:--check' | 'templates:-c' | 'templates:--config' | 'config:' | 'config:-c' | 'config:--config' | 'config:-o' | 'config:--output')
      echo 'file' ;;
    'lint:--severity')
      echo 'level' ;;
    'generate:-p' | 'generate:--set' | 'generate pin:-p' | 'generate pin:--set')
      echo 'parameter' ;;
    'lint:--report')
      echo 'report' ;;
    'explain:')
      echo 'rule' ;;
    'lint:--select' | 'lint:--ignore' | 'lint:--extend-select')
      echo 'rules' ;;
    'generate:' | 'templates:')
      echo 'template' ;;
    'lint:--stdin-filename' | 'lint:--exclude' | 'lint:-j' | 'lint:--jobs' | 'lint:--min-objects' | 'lint:--max-file-size' | 'lint:--max-documents' | 'lint:--max-line-length' | 'lint:--max-findings' | 'render:--stdin-filename' | 'render:--exclude' | 'render:-j' | 'render:--jobs' | 'render:--max-file-size' | 'render:--max-documents' | 'render:--max-line-length' | 'simulate:--stdin-filename' | 'simulate:--exclude' | 'simulate:-j' | 'simulate:--jobs' | 'simulate:--max-file-size' | 'simulate:--max-documents' | 'simulate:--max-line-length' | 'simulate:--explain' | 'simulate:--node' | 'generate:--max-file-size' | 'generate:--max-documents' | 'generate:--max-line-length' | 'generate pin:--component' | 'generate pin:--container' | 'generate pin:--max-file-size' | 'generate pin:--max-documents' | 'generate pin:--max-line-length')
      echo 'text' ;;
    'lint:--color' | 'render:--color' | 'simulate:--color' | 'generate:--color' | 'generate pin:--color' | 'templates:--color' | 'rules:--color' | 'explain:--color' | 'config:--color')
      echo 'words auto always never' ;;
    'completion:')
      echo 'words bash zsh fish' ;;
    'lint:--fail-on' | 'generate:--fail-on' | 'generate pin:--fail-on')
      echo 'words error warning info' ;;
    'simulate:--extended-resource-toleration')
      echo 'words on off' ;;
    'lint:--format')
      echo 'words pretty concise json sarif github gitlab junit checkstyle' ;;
    'simulate:--format')
      echo 'words pretty json html' ;;
    'templates:--format')
      echo 'words table json names' ;;
    'rules:--format')
      echo 'words table markdown json names' ;;
    'render:--format' | 'config:--format')
      echo 'words yaml json' ;;
  esac
}

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
