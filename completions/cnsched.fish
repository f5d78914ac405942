# Completions of cnsched for fish. Made by 'cnsched completion fish'.

set -g __cnsched_rules \
    yaml-syntax\t'a document that is not valid YAML' \
    duplicate-key\t'the same key twice in one mapping' \
    wrong-type\t'a value whose YAML type the field does not take' \
    unknown-field\t'a field that the API does not have' \
    misplaced-field\t'a field of the pod at a level that does not have it' \
    missing-field\t'a field that the object cannot do without is not there' \
    invalid-value\t'a value outside of what the field takes' \
    duplicate-list-key\t'two items of a list that the API takes for one' \
    deprecated-api\t'an API version or mode name that is outdated, or never existed' \
    invalid-label\t'a label key or value that the API server refuses' \
    deprecated-node-label\t'a node label that Kubernetes or AKS has deprecated' \
    unknown-accelerator-label\t'a misspelt label of accelerator nodes, or a value that its tool never writes' \
    invalid-node-affinity\t'a node affinity that the API server refuses' \
    non-integer-comparison\t'Gt or Lt with something that is not a whole number' \
    empty-selector-term\t'an empty term of node affinity, which matches no node' \
    contradictory-selector\t'node selector and required affinity that no node satisfies together' \
    mixed-provider-labels\t'labels of two cloud providers that one node would need together' \
    accelerator-mismatch\t'the selected nodes cannot have the accelerator that is asked for' \
    preferred-only-pin\t'nothing but a preference puts the pod on accelerators, or on its node' \
    node-name-pin\t'nodeName puts the pod on one node and bypasses the scheduler' \
    self-selector-labels\t'a spread or pod affinity whose selector misses the pod\'s own replicas' \
    invalid-toleration\t'a toleration that the API server refuses' \
    toleration-without-selector\t'a taint is tolerated, but nothing puts the pod on the tainted nodes' \
    toleration-of-everything\t'a toleration without a key tolerates every taint' \
    toleration-value-trap\t'an accelerator\'s taint tolerated with one value, though platforms differ' \
    duplicate-toleration\t'a toleration that another one of the same list makes redundant' \
    redundant-gpu-toleration\t'a toleration that this cluster\'s admission adds anyway' \
    gpu-toleration-missing\t'the pod tolerates the taints of no known node with its accelerator' \
    invalid-taint\t'a taint that the API server refuses' \
    custom-gpu-taint\t'a taint on a GPU node that its device plugin does not tolerate' \
    gpu-node-untainted\t'nothing keeps pods without accelerators off nodes that have them' \
    accelerator-request-limit\t'an extended resource whose request and limit differ, or that has no limit' \
    accelerator-not-integer\t'a fraction of an extended resource' \
    invalid-quantity\t'a resource amount that is not a quantity' \
    request-above-limit\t'more CPU, memory or storage requested than the limit allows' \
    pod-level-accelerator\t'an accelerator in the resources of the pod instead of a container\'s' \
    accelerator-on-wrong-container\t'an accelerator on a container that does not run the model' \
    two-accelerators\t'one container asks for accelerators of two vendors' \
    unadvertised-resource\t'a resource name that no device plugin advertises' \
    accelerator-selector-without-request\t'a pod pinned to accelerator nodes that asks for no accelerator' \
    knative-feature-disabled\t'a field that Knative refuses unless a feature flag is set' \
    knative-feature-value\t'a value that does not switch a Knative feature flag' \
    knative-feature-key\t'a Knative feature flag that is misspelt, or set where nothing reads it' \
    knative-dropped-field\t'a field that a Knative Service does not have and silently drops' \
    deployment-mode\t'an unknown deployment mode, or one set where KServe does not read it' \
    worker-on-knative\t'workerSpec in serverless mode, where KServe creates no workers' \
    worker-unpinned\t'the placement of the head is not repeated on its workers or on prefill' \
    runtime-toleration-replaced\t'the tolerations of a service replace all of its runtime\'s' \
    runtime-selector-conflict\t'selectors of service and runtime that no node satisfies together' \
    accelerator-annotation\t'an annotation for GKE accelerators that has no effect, or overrides labels' \
    min-scale-annotation\t'Knative scale annotations that minReplicas and maxReplicas override' \
    raw-scale-to-zero\t'minReplicas 0 in a deployment mode that does not scale to zero' \
    node-never-drains\t'a model server scales to zero, but something keeps its accelerator node up' \
    rollout-needs-spare-gpu\t'a model server whose every update needs a free accelerator first' \
    parallelism-gpus\t'degrees of parallelism that do not fit the GPUs of a pod' \
    seldon-unmet-requirement\t'a Model whose requirements no Server meets' \
    seldon-unknown-server\t'a Model pinned to a Server that does not exist' \
    seldon-unknown-server-config\t'a Server that names a ServerConfig that does not exist' \
    seldon-model-does-not-fit\t'a Model that needs more memory or replicas than any Server has' \
    seldon-incomplete-server-config\t'a ServerConfig without the containers or variables that its Servers need' \
    seldon-wrong-namespace\t'a Seldon object in a namespace where nothing looks for it' \
    seldon-explicit-pin\t'a Model pinned to a Server though another would do as well' \
    seldon-container-name\t'a container that is added to the pod instead of overriding one' \
    seldon-capabilities\t'capabilities of a Server that are unexpectedly kept, replaced or ignored' \
    seldon-affinity-widened\t'node affinity terms that are ORed with those of the ServerConfig' \
    seldon-merge-conflict\t'a Server and its ServerConfig that make an invalid pod together' \
    seldon-unrestricted-model\t'a Model without requirements, which any Server may get' \
    seldon-dead-field\t'a Seldon field that has no effect' \
    unschedulable\t'no known node is a place for the pod' \
    ignore-unknown\t'a suppression that names no rule, or is not written as one' \
    ignore-unused\t'a suppression that hides nothing'
set -g __cnsched_groups \
    yaml\t'a group of rules' \
    label\t'a group of rules' \
    affinity\t'a group of rules' \
    toleration\t'a group of rules' \
    taint\t'a group of rules' \
    resource\t'a group of rules' \
    knative\t'a group of rules' \
    kserve\t'a group of rules' \
    seldon\t'a group of rules' \
    cluster\t'a group of rules' \
    ignore\t'a group of rules' \
    all\t'every rule'
set -g __cnsched_levels off info warning error
set -g __cnsched_formats pretty concise json sarif github gitlab junit checkstyle
set -g __cnsched_commands 'lint' 'render' 'simulate' 'generate' 'generate pin' 'templates' 'rules' 'explain' 'config' 'completion' 'version'
# The flags that take a value.
set -g __cnsched_valued 'lint|--cluster' 'lint|-c' 'lint|--config' 'lint|--stdin-filename' 'lint|--exclude' 'lint|-j' 'lint|--jobs' 'lint|--min-objects' 'lint|--max-file-size' 'lint|--max-documents' 'lint|--max-line-length' 'lint|--max-findings' 'lint|--select' 'lint|--ignore' 'lint|--extend-select' 'lint|--severity' 'lint|--baseline' 'lint|--write-baseline' 'lint|--format' 'lint|--report' 'lint|--fail-on' 'lint|--color' 'render|--cluster' 'render|-c' 'render|--config' 'render|--stdin-filename' 'render|--exclude' 'render|-j' 'render|--jobs' 'render|--max-file-size' 'render|--max-documents' 'render|--max-line-length' 'render|--format' 'render|--color' 'simulate|--cluster' 'simulate|-c' 'simulate|--config' 'simulate|--stdin-filename' 'simulate|--exclude' 'simulate|-j' 'simulate|--jobs' 'simulate|--max-file-size' 'simulate|--max-documents' 'simulate|--max-line-length' 'simulate|--explain' 'simulate|--node' 'simulate|--extended-resource-toleration' 'simulate|--format' 'simulate|--color' 'generate|-p' 'generate|--set' 'generate|-f' 'generate|--values' 'generate|--template-dir' 'generate|--cluster' 'generate|-c' 'generate|--config' 'generate|--max-file-size' 'generate|--max-documents' 'generate|--max-line-length' 'generate|-o' 'generate|--output' 'generate|--fail-on' 'generate|--color' 'generate pin|-p' 'generate pin|--set' 'generate pin|-f' 'generate pin|--values' 'generate pin|--component' 'generate pin|--container' 'generate pin|--cluster' 'generate pin|-c' 'generate pin|--config' 'generate pin|--max-file-size' 'generate pin|--max-documents' 'generate pin|--max-line-length' 'generate pin|-o' 'generate pin|--output' 'generate pin|--fail-on' 'generate pin|--color' 'templates|--check' 'templates|--template-dir' 'templates|--format' 'templates|-c' 'templates|--config' 'templates|--color' 'rules|--format' 'rules|--color' 'explain|--color' 'config|-c' 'config|--config' 'config|--format' 'config|-o' 'config|--output' 'config|--color'

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

complete -c cnsched -n '__cnsched_is ' -a lint -d 'find mistakes in manifests'
complete -c cnsched -n '__cnsched_is ' -a render -d 'show the pods that the controllers would create'
complete -c cnsched -n '__cnsched_is ' -a simulate -d 'tell where each pod can run, and why not elsewhere'
complete -c cnsched -n '__cnsched_is ' -a generate -d 'make manifests pinned to accelerators, from a template'
complete -c cnsched -n '__cnsched_is ' -a templates -d 'list the templates, or describe one'
complete -c cnsched -n '__cnsched_is ' -a rules -d 'list the rules'
complete -c cnsched -n '__cnsched_is ' -a explain -d 'show a rule\'s page: why, wrong, right'
complete -c cnsched -n '__cnsched_is ' -a config -d 'show the configuration that is in force'
complete -c cnsched -n '__cnsched_is ' -a completion -d 'print the completions of a shell'
complete -c cnsched -n '__cnsched_is ' -a version -d 'show the version'
complete -c cnsched -n '__cnsched_is ' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is ' -l version -d 'show the version and exit'

complete -c cnsched -n '__cnsched_is lint' -F
complete -c cnsched -n '__cnsched_is lint' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is lint' -l cluster -r -F -d 'facts about the cluster: what \'kubectl get nodes,cm,clusterservingruntimes -A -o yaml\' prints; read, not linted; may be repeated'
complete -c cnsched -n '__cnsched_is lint' -s c -l config -r -F -d 'configuration for all files, instead of the nearest .cnsched.yaml above each'
complete -c cnsched -n '__cnsched_is lint' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is lint' -l stdin-filename -x -d 'name to show, and to look for a configuration, for standard input'
complete -c cnsched -n '__cnsched_is lint' -l exclude -x -d 'leave out what matches, as in .gitignore; may be repeated'
complete -c cnsched -n '__cnsched_is lint' -l force-exclude -d '--exclude, and the configuration\'s, also hold for files that are named (for pre-commit)'
complete -c cnsched -n '__cnsched_is lint' -l no-gitignore -d 'also read what .gitignore leaves out'
complete -c cnsched -n '__cnsched_is lint' -s j -l jobs -x -d 'threads (default: one per core)'
complete -c cnsched -n '__cnsched_is lint' -l show-files -d 'list the files that would be read, and stop'
complete -c cnsched -n '__cnsched_is lint' -l min-objects -x -d 'fail if fewer objects were checked: a gate that sees nothing is no gate'
complete -c cnsched -n '__cnsched_is lint' -l max-file-size -x -d 'read no file that is larger (default: 16Mi)'
complete -c cnsched -n '__cnsched_is lint' -l max-documents -x -d 'read no file that holds more documents (default: 200000)'
complete -c cnsched -n '__cnsched_is lint' -l max-line-length -x -d 'read no file that has a longer line (default: 4Mi)'
complete -c cnsched -n '__cnsched_is lint' -l max-findings -x -d 'keep no more findings than this (default: 100000)'
complete -c cnsched -n '__cnsched_is lint' -l select -x -a '(__cnsched_rule_list)' -d 'run these only: ids, groups or all, separated by commas'
complete -c cnsched -n '__cnsched_is lint' -l ignore -x -a '(__cnsched_rule_list)' -d 'do not run these'
complete -c cnsched -n '__cnsched_is lint' -l extend-select -x -a '(__cnsched_rule_list)' -d 'run these as well'
complete -c cnsched -n '__cnsched_is lint' -l severity -x -a '(__cnsched_rule_level)' -d 'set the severity of a rule: error, warning, info or off; may be repeated'
complete -c cnsched -n '__cnsched_is lint' -l fix -d 'mend in the files what can be mended safely'
complete -c cnsched -n '__cnsched_is lint' -l unsafe-fixes -d 'with --fix or --diff: also what the author may not have meant; read the changes'
complete -c cnsched -n '__cnsched_is lint' -l diff -d 'write nothing; show what --fix would change, and exit with 1 if anything'
complete -c cnsched -n '__cnsched_is lint' -l no-inline-ignores -d 'heed no comments and annotations that suppress findings'
complete -c cnsched -n '__cnsched_is lint' -l baseline -r -F -d 'report only what this file, written by --write-baseline, does not know'
complete -c cnsched -n '__cnsched_is lint' -l write-baseline -r -F -d 'write all that is found to a file, and exit with 0; with --baseline, keep what that knows of files that are not linted now'
complete -c cnsched -n '__cnsched_is lint' -l show-suppressed -d 'show what is suppressed as well'
complete -c cnsched -n '__cnsched_is lint' -l format -x -a 'pretty concise json sarif github gitlab junit checkstyle' -d 'pretty, concise, json, sarif, github, gitlab, junit or checkstyle (default: pretty)'
complete -c cnsched -n '__cnsched_is lint' -l report -x -a '(__cnsched_report)' -d 'write a report to a file as well, in any of these formats; may be repeated'
complete -c cnsched -n '__cnsched_is lint' -l statistics -d 'count the findings of each rule, and how many can be mended'
complete -c cnsched -n '__cnsched_is lint' -l fail-on -x -a 'error warning info' -d 'least severity that makes the exit code 1: error, warning or info (default: warning)'
complete -c cnsched -n '__cnsched_is lint' -l exit-zero -d 'exit with 0 whatever was found'
complete -c cnsched -n '__cnsched_is lint' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is lint' -s q -l quiet -d 'nothing on stderr but errors'
complete -c cnsched -n '__cnsched_is lint' -s v -l verbose -d 'tell what became of each file and document'

complete -c cnsched -n '__cnsched_is render' -F
complete -c cnsched -n '__cnsched_is render' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is render' -l cluster -r -F -d 'facts about the cluster: what \'kubectl get nodes,cm,clusterservingruntimes -A -o yaml\' prints; read, not linted; may be repeated'
complete -c cnsched -n '__cnsched_is render' -s c -l config -r -F -d 'configuration for all files, instead of the nearest .cnsched.yaml above each'
complete -c cnsched -n '__cnsched_is render' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is render' -l stdin-filename -x -d 'name to show, and to look for a configuration, for standard input'
complete -c cnsched -n '__cnsched_is render' -l exclude -x -d 'leave out what matches, as in .gitignore; may be repeated'
complete -c cnsched -n '__cnsched_is render' -l force-exclude -d '--exclude, and the configuration\'s, also hold for files that are named (for pre-commit)'
complete -c cnsched -n '__cnsched_is render' -l no-gitignore -d 'also read what .gitignore leaves out'
complete -c cnsched -n '__cnsched_is render' -s j -l jobs -x -d 'threads (default: one per core)'
complete -c cnsched -n '__cnsched_is render' -l max-file-size -x -d 'read no file that is larger (default: 16Mi)'
complete -c cnsched -n '__cnsched_is render' -l max-documents -x -d 'read no file that holds more documents (default: 200000)'
complete -c cnsched -n '__cnsched_is render' -l max-line-length -x -d 'read no file that has a longer line (default: 4Mi)'
complete -c cnsched -n '__cnsched_is render' -l format -x -a 'yaml json' -d 'yaml or json (default: yaml)'
complete -c cnsched -n '__cnsched_is render' -l with-origin -d 'say behind each value that decides where the pod runs which line it is from (\'from\': the line that made the controller write it; JSON always says so, for every value)'
complete -c cnsched -n '__cnsched_is render' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is render' -s q -l quiet -d 'nothing on stderr but errors'
complete -c cnsched -n '__cnsched_is render' -s v -l verbose -d 'tell what became of each file and document'

complete -c cnsched -n '__cnsched_is simulate' -F
complete -c cnsched -n '__cnsched_is simulate' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is simulate' -l cluster -r -F -d 'facts about the cluster: what \'kubectl get nodes,cm,clusterservingruntimes -A -o yaml\' prints; read, not linted; may be repeated'
complete -c cnsched -n '__cnsched_is simulate' -s c -l config -r -F -d 'configuration for all files, instead of the nearest .cnsched.yaml above each'
complete -c cnsched -n '__cnsched_is simulate' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is simulate' -l stdin-filename -x -d 'name to show, and to look for a configuration, for standard input'
complete -c cnsched -n '__cnsched_is simulate' -l exclude -x -d 'leave out what matches, as in .gitignore; may be repeated'
complete -c cnsched -n '__cnsched_is simulate' -l force-exclude -d '--exclude, and the configuration\'s, also hold for files that are named (for pre-commit)'
complete -c cnsched -n '__cnsched_is simulate' -l no-gitignore -d 'also read what .gitignore leaves out'
complete -c cnsched -n '__cnsched_is simulate' -s j -l jobs -x -d 'threads (default: one per core)'
complete -c cnsched -n '__cnsched_is simulate' -l max-file-size -x -d 'read no file that is larger (default: 16Mi)'
complete -c cnsched -n '__cnsched_is simulate' -l max-documents -x -d 'read no file that holds more documents (default: 200000)'
complete -c cnsched -n '__cnsched_is simulate' -l max-line-length -x -d 'read no file that has a longer line (default: 4Mi)'
complete -c cnsched -n '__cnsched_is simulate' -l explain -x -d 'tell one workload\'s story in full: NAME, KIND/NAME or KIND/NAME/COMPONENT'
complete -c cnsched -n '__cnsched_is simulate' -l node -x -d 'list the workloads that may land on that node'
complete -c cnsched -n '__cnsched_is simulate' -l replicas -d 'place all replicas of all workloads together, in their order, and tell when the room runs out'
complete -c cnsched -n '__cnsched_is simulate' -l extended-resource-toleration -x -a 'on off' -d 'whether the admission plugin of that name adds tolerations to pods that ask for accelerators: on or off (default: what facts and configuration tell)'
complete -c cnsched -n '__cnsched_is simulate' -l format -x -a 'pretty json html' -d 'pretty, json or html (default: pretty)'
complete -c cnsched -n '__cnsched_is simulate' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is simulate' -s q -l quiet -d 'nothing on stderr but errors'
complete -c cnsched -n '__cnsched_is simulate' -s v -l verbose -d 'tell what became of each file and document'

complete -c cnsched -n '__cnsched_is generate' -a pin -d 'add the placement to the pods of a manifest'
complete -c cnsched -n '__cnsched_is generate' -a '(__cnsched_template)'
complete -c cnsched -n '__cnsched_is generate' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is generate' -s p -l set -x -a '(__cnsched_parameter)' -d 'set a parameter; may be repeated; lists take a,b and maps k=v,k=v, or YAML in brackets'
complete -c cnsched -n '__cnsched_is generate' -s f -l values -r -F -d 'YAML file with values of parameters (\'-\': standard input); --set wins'
complete -c cnsched -n '__cnsched_is generate' -l interactive -d 'ask for what is not set, on a terminal'
complete -c cnsched -n '__cnsched_is generate' -l template-dir -x -a '(__fish_complete_directories (__cnsched_value))' -d 'templates of your own: its .yaml files come before the built-in ones; may be repeated'
complete -c cnsched -n '__cnsched_is generate' -l cluster -r -F -d 'facts about the cluster: what \'kubectl get nodes,cm,clusterservingruntimes -A -o yaml\' prints; read, not linted; may be repeated'
complete -c cnsched -n '__cnsched_is generate' -s c -l config -r -F -d 'configuration for all files, instead of the nearest .cnsched.yaml above each'
complete -c cnsched -n '__cnsched_is generate' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is generate' -l max-file-size -x -d 'read no file that is larger (default: 16Mi)'
complete -c cnsched -n '__cnsched_is generate' -l max-documents -x -d 'read no file that holds more documents (default: 200000)'
complete -c cnsched -n '__cnsched_is generate' -l max-line-length -x -d 'read no file that has a longer line (default: 4Mi)'
complete -c cnsched -n '__cnsched_is generate' -s o -l output -r -F -d 'write this file instead of standard output; one that exists and differs only with --force'
complete -c cnsched -n '__cnsched_is generate' -l force -d 'overwrite the file of --output'
complete -c cnsched -n '__cnsched_is generate' -l diff -d 'write nothing; show what would change in the file, as a unified diff'
complete -c cnsched -n '__cnsched_is generate' -l check -d 'write nothing; exit with 1 if the file is not what would be written'
complete -c cnsched -n '__cnsched_is generate' -l no-lint -d 'do not lint it before it leaves'
complete -c cnsched -n '__cnsched_is generate' -l fail-on -x -a 'error warning info' -d 'least severity of a finding that keeps it from leaving: error, warning or info (default: error, for a warning may rest on what is not known of the cluster)'
complete -c cnsched -n '__cnsched_is generate' -l no-header -d 'leave out the line that says how it was made'
complete -c cnsched -n '__cnsched_is generate' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is generate' -s q -l quiet -d 'nothing on stderr but errors'

complete -c cnsched -n '__cnsched_is generate pin' -F
complete -c cnsched -n '__cnsched_is generate pin' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is generate pin' -s p -l set -x -a '(__cnsched_parameter)' -d 'set a parameter; may be repeated; lists take a,b and maps k=v,k=v, or YAML in brackets'
complete -c cnsched -n '__cnsched_is generate pin' -s f -l values -r -F -d 'YAML file with values of parameters (\'-\': standard input); --set wins'
complete -c cnsched -n '__cnsched_is generate pin' -l component -x -d 'the part to pin: predictor, worker, …, or OBJECT/COMPONENT; may be repeated (default: those that ask for an accelerator)'
complete -c cnsched -n '__cnsched_is generate pin' -l container -x -d 'which container gets the accelerator (default: the model server\'s)'
complete -c cnsched -n '__cnsched_is generate pin' -l cluster -r -F -d 'facts about the cluster: what \'kubectl get nodes,cm,clusterservingruntimes -A -o yaml\' prints; read, not linted; may be repeated'
complete -c cnsched -n '__cnsched_is generate pin' -s c -l config -r -F -d 'configuration for all files, instead of the nearest .cnsched.yaml above each'
complete -c cnsched -n '__cnsched_is generate pin' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is generate pin' -l max-file-size -x -d 'read no file that is larger (default: 16Mi)'
complete -c cnsched -n '__cnsched_is generate pin' -l max-documents -x -d 'read no file that holds more documents (default: 200000)'
complete -c cnsched -n '__cnsched_is generate pin' -l max-line-length -x -d 'read no file that has a longer line (default: 4Mi)'
complete -c cnsched -n '__cnsched_is generate pin' -s o -l output -r -F -d 'write this file instead of standard output; one that exists and differs only with --force'
complete -c cnsched -n '__cnsched_is generate pin' -l force -d 'overwrite the file of --output'
complete -c cnsched -n '__cnsched_is generate pin' -l diff -d 'write nothing; show what would change in the file, as a unified diff'
complete -c cnsched -n '__cnsched_is generate pin' -l check -d 'write nothing; exit with 1 if the file is not what would be written'
complete -c cnsched -n '__cnsched_is generate pin' -l no-lint -d 'do not lint it before it leaves'
complete -c cnsched -n '__cnsched_is generate pin' -l fail-on -x -a 'error warning info' -d 'least severity of a finding that keeps it from leaving: error, warning or info (default: error, for a warning may rest on what is not known of the cluster)'
complete -c cnsched -n '__cnsched_is generate pin' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is generate pin' -s q -l quiet -d 'nothing on stderr but errors'
complete -c cnsched -n '__cnsched_is generate pin' -s v -l verbose -d 'name the pods that are pinned'

complete -c cnsched -n '__cnsched_is templates' -a '(__cnsched_template)'
complete -c cnsched -n '__cnsched_is templates' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is templates' -l check -r -F -d 'look for mistakes in a template of your own; may be repeated'
complete -c cnsched -n '__cnsched_is templates' -l template-dir -x -a '(__fish_complete_directories (__cnsched_value))' -d 'templates of your own: its .yaml files come before the built-in ones; may be repeated'
complete -c cnsched -n '__cnsched_is templates' -l format -x -a 'table json names' -d 'table, json, or names: for scripts; of a template what --set takes (default: table)'
complete -c cnsched -n '__cnsched_is templates' -l accelerators -d 'list the accelerators that each platform has, instead'
complete -c cnsched -n '__cnsched_is templates' -s c -l config -r -F -d 'configuration that names directories of templates'
complete -c cnsched -n '__cnsched_is templates' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is templates' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is templates' -s q -l quiet -d 'nothing on stderr but errors'

complete -c cnsched -n '__cnsched_is rules' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is rules' -l format -x -a 'table markdown json names' -d 'table, markdown, json or names (default: table)'
complete -c cnsched -n '__cnsched_is rules' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is rules' -s q -l quiet -d 'nothing on stderr but errors'

complete -c cnsched -n '__cnsched_is explain' -a '$__cnsched_rules'
complete -c cnsched -n '__cnsched_is explain' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is explain' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is explain' -s q -l quiet -d 'nothing on stderr but errors'

complete -c cnsched -n '__cnsched_is config' -F
complete -c cnsched -n '__cnsched_is config' -s h -l help -d 'show this help and exit'
complete -c cnsched -n '__cnsched_is config' -s c -l config -r -F -d 'this configuration, instead of the nearest .cnsched.yaml above the path'
complete -c cnsched -n '__cnsched_is config' -l no-config -d 'read no configuration'
complete -c cnsched -n '__cnsched_is config' -l format -x -a 'yaml json' -d 'yaml or json (default: yaml)'
complete -c cnsched -n '__cnsched_is config' -l init -d 'write a configuration to start from, every key explained, instead'
complete -c cnsched -n '__cnsched_is config' -s o -l output -r -F -d 'where --init writes it, if no such file exists (.cnsched.yaml)'
complete -c cnsched -n '__cnsched_is config' -l schema -d 'print a JSON Schema of configurations, for editors, instead'
complete -c cnsched -n '__cnsched_is config' -l color -x -a 'auto always never' -d 'auto, always or never (default: auto)'
complete -c cnsched -n '__cnsched_is config' -s q -l quiet -d 'nothing on stderr but errors'

complete -c cnsched -n '__cnsched_is completion' -a 'bash zsh fish'
complete -c cnsched -n '__cnsched_is completion' -s h -l help -d 'show this help and exit'

complete -c cnsched -n '__cnsched_is version' -s h -l help -d 'show this help and exit'
