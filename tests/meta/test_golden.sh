#!/bin/bash
# The driver of the golden tests must notice each kind of difference. It runs here on cases made up
# for the purpose, with a stand-in for the program.
# shellcheck disable=SC2016 # the cases are expanded by the shell that runs them
set -u
driver=$(cd "$(dirname "$0")/.." && pwd)/golden/run
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root="$scratch/a tree [1]"
mkdir -p "$root/tests/golden/topic" "$root/build"
cp "$driver" "$root/tests/golden/run"
cd "$root/tests/golden" || exit 1
printf '#!/bin/sh\necho "$0: $1"\n' >"$root/build/hiersearch"
chmod +x "$root/build/hiersearch"

# shellcheck source=tests/tap.sh
. "${driver%/golden/run}/tap.sh"
# check SENTENCE STATUS PATTERN: compares the last drive with what it must do.
check() {
    if [ "$got_status" = "$2" ] && grep -qE -- "$3" "$scratch/out"; then
        ok "$1"
    else
        not_ok "$1" < <(echo "expected status $2 and a line with '$3'; got status $got_status"; cat "$scratch/out")
    fi
}

drive() {
    env -u BUILD "$@" ./run >"$scratch/out" 2>&1
    got_status=$?
}

# only SCRIPT: from here on there is one case, and nothing is expected of it.
only() {
    rm -rf topic
    mkdir topic
    printf '%s\n' "$1" >topic/one.sh
}

echo '1..16'

only 'hiersearch predict'
echo '$SRC/build/hiersearch: predict' >topic/one.out
drive UPDATE=0
check 'a case that gives what it must passes' 0 '^ok 1 - golden topic/one$'
check 'there is a plan' 0 '^1\.\.1$'

echo '$SRC/build/hiersearch: other' >topic/one.out
drive UPDATE=0
check 'another stdout fails' 1 '^not ok 1 - golden topic/one$'
check 'the difference is shown' 1 '^# \+\$SRC/build/hiersearch: predict'

rm topic/one.out
drive UPDATE=0
check 'a missing .out means that nothing may be printed' 1 '^not ok 1'

only 'echo text >&2'
drive UPDATE=0
check 'a missing .err means that nothing may be said' 1 '^not ok 1'
echo text >topic/one.err
drive UPDATE=0
check 'the expected stderr passes' 0 '^ok 1'

only 'printf text'
echo text >topic/one.out
drive UPDATE=0
check 'a missing end of line is noticed' 1 '^# .*No newline at end of file'

only 'exit 2'
drive UPDATE=0
check 'a missing .exit means 0' 1 '^not ok 1'
echo 2 >topic/one.exit
drive UPDATE=0
check 'the expected exit status passes' 0 '^ok 1'

only 'echo "$LC_ALL $NO_COLOR $COLUMNS $TERM ${SECRET-unset}"; pwd; ls -A; cat'
printf '%s\n' 'C 1 100 dumb unset' '$SCRATCH' >topic/one.out
drive SECRET=1 TERM=xterm
check 'a case has a clean environment, an empty folder and no stdin' 0 '^ok 1'

only 'hiersearch x; echo y >&2; exit 3'
echo stale >topic/one.out
drive UPDATE=1
cat topic/one.out topic/one.err topic/one.exit >>"$scratch/out"
check 'UPDATE=1 rewrites the expectations' 0 '^\$SRC/build/hiersearch: x$'
drive UPDATE=0
check 'what UPDATE=1 has written passes' 0 '^ok 1'

rm topic/one.sh
echo 'exit 0' >topic/two.sh
drive UPDATE=0
check 'an expectation without a case fails' 1 '^not ok 2 - golden topic/one\.err has a case'

rm -rf topic
mkdir topic
drive UPDATE=0
check 'no cases at all fails' 1 '^Bail out!'

only true
rm "$root/build/hiersearch"
drive UPDATE=0
check 'a program that was not built fails' 1 '^Bail out!'
