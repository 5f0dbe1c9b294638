# What tests by shell share; sourced. TAP: `number` counts, `failed` is 1 once something was wrong.
# shellcheck shell=bash disable=SC2034
number=0 failed=0
tap_before='' tap_behind='' # what each sentence begins and ends with
tap_shows=()               # files whose ends are shown where a condition does not hold

ok() { echo "ok $((number += 1)) - $tap_before$1$tap_behind"; }
# not_ok SENTENCE: standard input says why.
not_ok() {
    echo "not ok $((number += 1)) - $tap_before$1$tap_behind"
    sed 's/^/# /'
    failed=1
}
# skip SENTENCE WHY
skip() { echo "ok $((number += 1)) - $tap_before$1$tap_behind # SKIP $2"; }
# tails FILE...: what was not right in it, of a test that prints TAP, else its end.
tails() {
    local file
    for file; do
        if grep -q '^not ok' "$file" 2>/dev/null; then
            grep -A 12 '^not ok' "$file" | sed -n 1,60p
        elif [ -s "$file" ]; then
            tail -n 20 "$file"
        fi
    done
}

# empty SENTENCE TEXT
empty() { if [ -z "$2" ]; then ok "$1"; else not_ok "$1" <<<"$2"; fi; }
# is SENTENCE EXPECTED GOT
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" <<<"expected: $2"$'\n'"got:      $3"; fi; }

# say STATUS SENTENCE [FILE...]: of what is known by now; the files' ends are shown where it is not 0.
say() {
    local status=$1 sentence=$2
    shift 2
    if [ "$status" = 0 ]; then ok "$sentence"; else not_ok "$sentence" < <(tails "$@"); fi
}
# step SENTENCE COMMAND...: what it printed is kept in $scratch/log.
step() {
    local sentence=$1
    shift
    "$@" >"${scratch:?}/log" 2>&1
    say $? "$sentence" "$scratch/log" "${tap_shows[@]}"
}
# check SENTENCE CONDITION [FILE...]: the condition is a command line for eval.
check() {
    if eval "$2" >"${scratch:?}/why" 2>&1; then
        ok "$1"
    else
        not_ok "$1" < <(echo "failed: $2${status+; status $status}"; tails "$scratch/why" "${@:3}" "${tap_shows[@]}")
    fi
}

# The last thing of a test.
finish() {
    echo "1..$number"
    [ "$failed" = 0 ]
}
