# What the tests of this folder share; sourced. TAP: n counts, failed is 1 once something was wrong.
# shellcheck shell=bash disable=SC2034
n=0
failed=0

ok() { echo "ok $((n += 1)) - $1"; }
# not_ok SENTENCE: standard input says why.
not_ok() {
    echo "not ok $((n += 1)) - $1"
    sed 's/^/# /'
    failed=1
}
# step SENTENCE COMMAND...: what it printed is kept in $scratch/log.
step() {
    local sentence=$1
    shift
    if "$@" >"${scratch:?}/log" 2>&1; then ok "$sentence"; else not_ok "$sentence" < <(tail -n 20 "$scratch/log"); fi
}
# empty SENTENCE TEXT
empty() { if [ -z "$2" ]; then ok "$1"; else not_ok "$1" <<<"$2"; fi; }
