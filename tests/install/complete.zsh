#!/bin/zsh -f
# Completes each argument in an interactive zsh on a pseudo-terminal, and prints what it would offer:
# "LINE: <match> <match> ...", sorted. usage: complete.zsh FOLDER_OF_SCRIPT LINE...
zmodload zsh/zpty
offered=$(mktemp)
done_file=$(mktemp)
trap 'zpty -d shell 2>/dev/null; rm -f $offered $done_file' EXIT
folder=$1
shift

zpty shell zsh -f -i
# Every match passes through compadd; calls that only ask (-O, -A, -D) add none.
setup="PROMPT= RPROMPT= fpath=(${(q)folder} \$fpath); unsetopt beep; cd ${(q)PWD}
autoload -Uz compinit && compinit -u -D
compadd() {
    local -a hits
    [[ \${@[1,(i)(-|--)]} == *-(O|A|D)* ]] || { builtin compadd -A hits \"\$@\"; print -rl -- \$hits >>${(q)offered}; }
    builtin compadd \"\$@\"
}
capture() { _main_complete; compstate[insert]= compstate[list]=; print done >>${(q)done_file} }
zle -C capture complete-word capture
bindkey '^I' capture
print ready >>${(q)done_file}
"
zpty -w shell $setup

wait_for() {
    for (( i = 0; i < 500; i++ )); do
        grep -q $1 $done_file && return
        zpty -r -t shell ignored && continue
        sleep 0.02
    done
    print "complete.zsh: no answer" >&2
    exit 1
}
wait_for ready
for line; do
    : >$offered; : >$done_file
    zpty -w -n shell $line$'\t'
    wait_for done
    print -rn -- "$line:"
    for match in ${(fou)"$(<$offered)"}; do print -rn -- " <$match>"; done
    print
    : >$done_file
    zpty -w -n shell $'\C-u'
done
