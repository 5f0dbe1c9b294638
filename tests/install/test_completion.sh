#!/bin/bash
# Completion in bash, fish and zsh: each shell is asked for real. Prints TAP.
# usage: tests/install/test_completion.sh BUILD
set -u
build=$(realpath "${1:?the build folder}")
here=$(cd "$(dirname "$0")" && pwd)
src=${here%/tests/install}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. "$src/tests/tap.sh"
export PATH="$build:$PATH" LC_ALL=C HOME=$scratch TERM=dumb
unset HIERSEARCH_CONFIGS ZDOTDIR XDG_CONFIG_HOME XDG_DATA_HOME
mkdir "$scratch/cwd" "$scratch/zsh" "$scratch/fish"
cd "$scratch/cwd" || exit 1
: >'zz plain.json'

# What the words must be, from other places than the scripts.
commands=$(hiersearch help --names | sort)
systems=$(cd "$src/configs" && printf '%s\n' ab*.json | sed 's/\.json$//' | sort)
strategies=$(printf '%s\n' containment exhaustive lattice)
options=$(hiersearch predict --help all | grep -o -- '--[a-z][a-z-]*' | grep -vx -- '--help' | sort -u)
backends=
[ ! -x "$build/hiersearch-measure" ] || backends='host'

# Called as complete_$shell.
# shellcheck disable=SC2317
complete_bash() {
    bash --norc -c 'source "$1"; shift
        for line; do
            read -r -a COMP_WORDS <<<"$line"; [ "${line% }" = "$line" ] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hiersearch
            printf "%s:" "$line"; printf "%s\n" "${COMPREPLY[@]}" | sort -u | sed "/^$/d; s/.*/ <&>/" | tr -d "\n"; echo
        done' bash "$scratch/hiersearch.bash" "$@"
}
# shellcheck disable=SC2317
complete_fish() {
    local line
    for line; do
        printf '%s:' "$line"
        fish --no-config -c "set -p fish_complete_path $scratch/fish; complete -C $(printf "'%s'" "$line")" |
            cut -f 1 | sort -u | sed 's/.*/ <&>/' | tr -d '\n'
        echo
    done
}
# shellcheck disable=SC2317
complete_zsh() { "$here/complete.zsh" "$scratch/zsh" "$@"; }

# The matches of the line, one a line: matches LINE
matches() { grep -F -- "$1:" "$scratch/answers" | head -n 1 | sed "s/^[^:]*://; s/^ <//; s/>\$//; s/> </\n/g"; }

test_shell() {
    local shell=$1
    "complete_$shell" 'hiersearch ' 'hiersearch pre' 'hiersearch predict ab' 'hiersearch predict abci --search ' \
        'hiersearch predict abci --search ex' 'hiersearch predict --' 'hiersearch predict --out' \
        'hiersearch plot zz' 'hiersearch predict abci -o zz' 'hiersearch predict abci --np ' 'hiersearch help sys' \
        'hiersearch measure --backend ho' 'hiersearch measure --bud' 'hiersearch predict zz' 'hiersearch completion z' \
        >"$scratch/answers" 2>"$scratch/complaints"
    is "$shell says nothing to people" '' "$(cat "$scratch/complaints")"
    is "$shell offers every command" "$commands" "$(matches 'hiersearch ' | grep -v '^-')"
    is "$shell completes a command" 'predict' "$(matches 'hiersearch pre')"
    is "$shell offers the shipped systems" "$systems" "$(matches 'hiersearch predict ab')"
    is "$shell offers the words of an option" "$strategies" "$(matches 'hiersearch predict abci --search ')"
    is "$shell completes such a word" 'exhaustive' "$(matches 'hiersearch predict abci --search ex')"
    is "$shell offers every option of --help" "$options" \
        "$(matches 'hiersearch predict --' | sed 's/=$//' | grep -vx -- '--help')"
    is "$shell completes an option" '--output' "$(matches 'hiersearch predict --out' | sed 's/=$//')"
    is "$shell completes files where a command wants some" 'zz plain.json' \
        "$(matches 'hiersearch plot zz' | sed 's/\\//g')"
    is "$shell completes files where an option wants one" 'zz plain.json' \
        "$(matches 'hiersearch predict abci -o zz' | sed 's/\\//g')"
    is "$shell offers nothing where a number is wanted" '' "$(matches 'hiersearch predict abci --np ')"
    is "$shell offers files besides systems" 'zz plain.json' "$(matches 'hiersearch predict zz' | sed 's/\\//g')"
    is "$shell completes the commands of help" 'systems' "$(matches 'hiersearch help sys')"
    is "$shell completes the shells of completion" 'zsh' "$(matches 'hiersearch completion z')"
    if [ -n "$backends" ]; then
        is "$shell completes options of the measuring program" '--budget' \
            "$(matches 'hiersearch measure --bud' | sed 's/=$//')"
        is "$shell completes words of the measuring program" "$backends" "$(matches 'hiersearch measure --backend ho')"
    fi
}

hiersearch completion bash >"$scratch/hiersearch.bash"
hiersearch completion fish >"$scratch/fish/hiersearch.fish"
hiersearch completion zsh >"$scratch/zsh/_hiersearch"
# Names of files, which anybody may have made. shellcheck would have them expand.
# shellcheck disable=SC2016
hostile=('zq$(touch zw)' 'zq`touch zw`' 'zq;touch zw' 'zq two words' 'zq*')
mkdir "$scratch/stand-in"
{
    printf '#!/bin/sh\ncat <<"END"\nwords\n'
    printf '%s\n' "${hostile[@]}" END
} >"$scratch/stand-in/hiersearch"
chmod +x "$scratch/stand-in/hiersearch"

test_hostile() {
    local shell=$1
    PATH="$scratch/stand-in:$PATH" "complete_$shell" 'hiersearch predict zq' >"$scratch/answers" 2>&1
    is "$shell offers hostile names as they are" "$(printf '%s\n' "${hostile[@]}" | sort)" \
        "$(matches 'hiersearch predict zq' | sed 's/\\//g' | sort)"
    is "$shell executes nothing in them" '' "$(find . -name zw -print -exec rm {} +)"
}

# Files of such names, in a shell in which somebody types: the program gets the name, and nothing runs.
# shellcheck disable=SC2016
files=('za$(touch zw)' 'zb`touch zw`' 'zc;touch zw' 'zd two words' "ze'quote" 'zf"quote')
# typed SHELL LINE: what the program gets
typed() {
    case $1 in
    bash) "$here/type.py" "$scratch/typed" "$2" bash --norc --noprofile -i <<<"source $scratch/hiersearch.bash" ;;
    fish) "$here/type.py" "$scratch/typed" "$2" fish --no-config -i <<<"source $scratch/fish/hiersearch.fish" ;;
    zsh) "$here/type.py" "$scratch/typed" "$2" zsh -f -i \
        <<<"fpath=($scratch/zsh \$fpath); autoload -Uz compinit && compinit -u -D" ;;
    esac 2>&1
}
test_typing() {
    local shell=$1 file got=''
    mkdir "$scratch/files" && cd "$scratch/files" && touch "${files[@]}" || exit 1
    for file in "${files[@]}"; do got+=$(typed "$shell" "hiersearch plot ${file:0:2}\t" | tail -n +2)$'\n'; done
    is "$shell passes on names of files as they are" "$(printf '%s\n' "${files[@]}")" "${got%$'\n'}"
    is "$shell executes nothing in names of files" '' "$(find . -name zw -print -exec rm {} +)"
    is "$shell completes behind an equals sign" '--search=lattice' "$(typed "$shell" 'hiersearch predict abci --search=lat\t' | tail -n 1)"
    is "$shell completes files behind an equals sign" '--output=zd two words' \
        "$(typed "$shell" 'hiersearch plot --output=zd\t' | tail -n 1)"
    cd "$scratch/cwd" && rm -r "$scratch/files" || exit 1
}

for shell in bash fish zsh; do
    if command -v "$shell" >/dev/null; then
        test_shell "$shell"
        test_hostile "$shell"
        test_typing "$shell"
    else
        skip "$shell completes" "there is no $shell"
    fi
done
finish
