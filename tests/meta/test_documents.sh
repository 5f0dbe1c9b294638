#!/bin/bash
# The test of the documents notices what it is there for: stale output, a command that fails, one that is unknown, an option that
# is not there, and an excuse without a test behind it. Prints TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"


# document LINE...: a document whose lines of code these are.
document() { printf 'Text\n\n' >"$scratch/page.md" && printf '    %s\n' "$@" >>"$scratch/page.md"; }
runs() { "$here/../docs/test_documents.py" "$scratch/page.md" >"$scratch/out" 2>&1; }
# check SENTENCE pass|fail [TEXT]: how the document must end, and what must be said.
check() {
    local got=fail
    ! runs || got=pass
    [ "$got" = "$2" ] && grep -qF -- "${3:-1..1}" "$scratch/out"
    say $? "$1" "$scratch/out"
}

document '$ hiersearch systems --names' '...' 'abci' '...' '$ hiersearch systems abci --text   # a remark'
check "output is as shown, and lines may be left out" pass '2 run, 1 compared'
document '$ hiersearch systems --names' '...' 'abcd' '...'
check "a line that is not printed is noticed" fail 'the document shows'
document '$ hiersearch systems abci --text' 'nvlink:5'
check "stale output is noticed" fail 'the document shows'
document '$ hiersearch predict abci'
check "a command that fails is noticed" fail '--np P[:P] is missing'
document '$ hiersearch predict abci' 'hiersearch predict: --np P[:P] is missing'
check "an error that is shown is expected" pass '1 compared'
document '$ hiersearch predict abci --np 4 --top 1' 'hiersearch predict: --np P[:P] is missing'
check "an error that is shown and does not come is noticed" fail 'exit status 0'
document '$ frobnicate results/*.json'
check "an unknown program is noticed" fail 'frobnicate'
document 'hiersearch export RESULT --too FORMAT [-o FILE]'
check "a pattern with an option that is not there is noticed" fail 'does not know --too'
document 'hiersearch measure SYSTEM --size SIZE'
check "a pattern is checked, not run" pass '1 patterns'
document '$ make frobnicate'
check "a target that is not there is noticed" fail 'there is no target frobnicate'
# shellcheck disable=SC2016
printf 'Text with `hiersearch predict abci --np 0` in it.\n' >"$scratch/page.md"
check "commands in the text are run" fail 'process count'
document '$ hiersearch systems abci --text' 'old'
UPDATE=1 runs
grep -q '^    nvlink:mesh:4@' "$scratch/page.md" && ! grep -q old "$scratch/page.md"
say $? "UPDATE=1 rewrites what is shown"
finish
