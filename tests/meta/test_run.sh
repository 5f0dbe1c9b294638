#!/bin/bash
# shellcheck disable=SC2016 # the commands are expanded by the shell that the driver starts
# The driver of the suite, tests/run, must notice every way in which a test program can fail.
set -u
driver=$(cd "$(dirname "$0")/.." && pwd)/run
scratch=$(mktemp -d)
# shellcheck disable=SC2329 # called by the trap
clean() {
    # What a failing driver may have left running.
    for file in "$scratch"/pid.*; do
        [ -e "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
    done
    rm -rf "$scratch"
}
trap clean EXIT
cd "$scratch" || exit 1

# shellcheck source=tests/tap.sh
. "${driver%/run}/tap.sh"
# check SENTENCE STATUS LAST-LINE [PATTERN]: compares what the last drive did with what it must do.
check() {
    local sentence=$1 status=$2 last=$3 pattern=${4:-}
    if [ "$got_status" = "$status" ] && [ "$(tail -n 1 out)" = "$last" ] &&
        grep -qE -- "$pattern" out err; then
        ok "$sentence"
        return
    fi
    not_ok "$sentence" < <(
        echo "expected status $status, last line '$last', a line with '$pattern'"
        echo "got status $got_status and:"
        cat out err
    )
}

drive() {
    "$driver" --logs "$scratch/logs" "$@" >out 2>err </dev/null
    got_status=$?
}

alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; }

# check_ended SENTENCE FILE: the process whose id is in the file has run, and is no more.
check_ended() {
    [ -s "$2" ] && ! alive "$(cat "$2")"
    say $? "$1"
}

echo '1..38'

drive -- 'echo "ok 1 - a"; echo "ok 2 - b"'
check 'passing tests pass' 0 '2 passed, 0 failed'

drive -- 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# why b"; echo "ok 3 - c"; exit 1'
check 'a failed test fails the run' 1 '2 passed, 1 failed' '^      not ok 2 - b'
check 'what is said after a failed test is shown' 1 '2 passed, 1 failed' '^      # why b'

drive -- 'echo "not ok 1 - a"'
check 'a failed test counts although the program exits with 0' 1 '0 passed, 1 failed'

drive -- 'echo "not ok 1 - a"; echo because-of-this >&2; exit 1'
check 'stderr is shown on failure' 1 '0 passed, 1 failed' '^      because-of-this'

drive -- 'echo "ok 1 - a"; echo noi""se >&2'
grep -q noise out err && got_status=shown
check 'stderr is not shown on success' 0 '1 passed, 0 failed'

drive -- 'echo "ok 1 - a"; exit 3'
check 'an exit status without a failed test is a failure' 1 '1 passed, 1 failed' 'exit status 3'

drive -- 'echo "ok 1 - a"; exit 255'
check 'an exit status that is no signal is not called one' 1 '1 passed, 1 failed' 'exit status 255'

drive -- 'echo "ok 1 - a"; kill -SEGV $$'
check 'a crash is a failure' 1 '1 passed, 1 failed' 'killed by SIGSEGV'

drive -- 'echo "ok 1 - a"; sh -c "kill -ABRT \$\$"; exit $?'
check 'a crash behind a shell is a failure' 1 '1 passed, 1 failed' 'killed by SIGABRT'

drive -- 'echo "1..3"; echo "ok 1 - a"; echo "ok 2 - b"'
check 'fewer tests than planned is a failure' 1 '2 passed, 1 failed' 'planned 3 tests, ran 2'

drive -- 'echo "ok 1 - a"; echo "ok 2 - b"; echo "1..1"'
check 'more tests than planned is a failure' 1 '2 passed, 1 failed' 'planned 1 tests, ran 2'

drive -- 'echo "1..1"; echo "ok 1 - a"; echo "1..1"; echo "ok 1 - b"'
check 'the plans of several groups add up' 0 '2 passed, 0 failed'

drive -- true
check 'a program that prints no TAP line is a failure' 1 '0 passed, 1 failed' 'no TAP line'

drive -- 'echo "everything is okay"; echo "    ok 1 - inside a subtest"'
check 'text and indented lines are no TAP lines' 1 '0 passed, 1 failed' 'no TAP line'

drive -- ./nosuch-program
check 'a program that does not exist is a failure' 1 '0 passed, 1 failed' '^      .*nosuch-program'

drive -- 'echo "ok 1 - a"; echo "Bail out! no more"'
check 'a program that bails out is a failure' 1 '1 passed, 1 failed' '^      Bail out! no more'

drive -- 'echo "ok 1 - a"; echo "ok 2 - b # SKIP no GPU"; echo "not ok 3 # SKIP c"'
check 'skipped tests are counted apart' 0 '1 passed, 0 failed, 2 skipped'

drive -- 'echo "1..0 # SKIP no MPI"' 'echo "ok 1 - a"'
check 'a program may skip itself as a whole' 0 '1 passed, 0 failed, 1 skipped'

drive -- 'echo "1..0 # SKIP no MPI"'
check 'a run in which nothing but skipping happened fails' 1 '0 passed, 0 failed, 1 skipped'

drive
check 'a run without commands fails' 1 '0 passed, 0 failed' 'no test ran'

# The grandchild ignores SIGTERM: only killing the whole group ends it.
drive --timeout 1 -- 'echo "ok 1 - a"
    sh -c "trap \"\" TERM; echo \$\$ >pid.1; while :; do sleep 1; done"'
check 'a time-out is a failure' 1 '1 passed, 1 failed' 'timed out after 1 s'
check_ended 'a time-out ends the whole process group' pid.1

drive -- 'echo "ok 1 - a"; (trap "" HUP; exec sleep 60) & echo $! >pid.2'
check_ended 'what a test leaves running is ended' pid.2

drive -- '@timeout=0.5 echo "ok 1 - a"; sleep 20'
check 'a mark gives one command its own time-out' 1 '1 passed, 1 failed' 'timed out after 0.5 s'

drive --timeout 1 -- 'trap "rm -f dirt; exit 1" TERM; touch dirt; sleep 20 & wait'
if [ -e dirt ]; then got_status=dirty; fi
check 'a test may clean up on a time-out' 1 '0 passed, 1 failed' 'timed out'

meet='touch met.$me; for i in 1 2 3 4 5 6 7 8 9; do [ -e met.$you ] && echo "ok 1 - met" && exit
      sleep 0.2; done; echo "not ok 1 - alone"'
drive --jobs 2 -- "me=1 you=2; $meet" "me=2 you=1; $meet"
check 'commands run side by side' 0 '2 passed, 0 failed'

printf '%s\n' '# a comment' '' '@serial echo "ok 1 - $(ls busy* 2>/dev/null | wc -l) busy"' \
    'touch busy.1; sleep 0.5; rm busy.1; echo "ok 1 - a"' \
    'touch busy.2; sleep 0.5; rm busy.2; echo "ok 1 - b"' >list
drive --list list --jobs 2
check 'commands come from a file' 0 '3 passed, 0 failed'
cp "$(grep -l busy$ logs/*.out)" out
echo '1 passed' >>out
check 'a serial command runs alone' 0 '1 passed' 'ok 1 - 0 busy'

"$driver" --logs logs <list >out 2>err
got_status=$?
check 'commands come from stdin' 0 '3 passed, 0 failed'

once='if [ -e was.$me ]; then echo "ok 1 - now"; else touch was.$me; echo "not ok 1 - first"; fi'
drive --again -- 'echo "ok 1 - a"' "me=1; $once"
check 'what failed is run again where that is asked for, and a line says so' 0 '2 passed, 0 failed' '^failed once, and passed alone: me=1'
drive --again -- 'echo "ok 1 - a"; echo "not ok 2 - b"'
check 'what fails twice has failed, and is counted once' 1 '1 passed, 1 failed'
drive -- "me=2; $once"
check 'else it has failed' 1 '0 passed, 1 failed'
drive --again -- "me=3; $once" "me=4; $once" "me=5; $once" "me=6; $once"
check 'and so have many that failed' 1 '0 passed, 4 failed'

ten=()
for i in {1..10}; do ten+=("echo 'ok 1 - a' $i"); done
drive -- "${ten[@]}" 'awk "BEGIN { while (i < 9000000) i++ }"; echo "ok 1 - slow"'
check 'a run of more than ten commands ends with the longest, in order' 0 '11 passed, 0 failed' '^CPU time.* of 11 commands'
[ "$(sed '1,/^CPU time/d' out | wc -l)" = 11 ] && sed -n '/^CPU time/{n;p;}' out | grep -q ' s  awk'
say $? 'ten of them, what took most CPU time first, and the counts behind'

"$driver" --logs logs -- 'echo "ok 1 - a"; echo $$ >pid.3; sleep 60' >out 2>err </dev/null &
stopped=$!
for _ in {1..100}; do
    [ -s pid.3 ] && break
    sleep 0.1
done
kill -TERM "$stopped"
wait "$stopped"
got_status=$?
echo 'stopped' >>out
check 'a stopped driver says so and fails' 143 'stopped' 'stopped by SIGTERM'
check_ended 'a stopped driver ends its tests' pid.3
