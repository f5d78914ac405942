# Completion of cnsched for fish. Made by 'cnsched completion fish'.

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
