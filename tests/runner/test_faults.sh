#!/bin/bash
# What a measurement survives: kills, a hang, wrong data, a full disk, signals. After each: what is left on
# disk, and that --resume ends with the result of an undisturbed run. TAP on stdout.
#     tests/runner/test_faults.sh mpich|openmpi PROGRAM
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
np=8
problem=(nv:4@100GB/s~0s,ib@20GB/s~14us --size 1MiB --backend null --all)
noise=noise=0.02,bias=2x2x2:1.2,bias=2x4:1.4
mkdir run
small_disk=$scratch/disk
cleanup() {
    # shellcheck disable=SC2046 # a list of numbers
    kill -9 $(ranks) 2>/dev/null
    umount "$small_disk" 2>/dev/null
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 143' TERM
set -m # jobs of their own, in which SIGINT is not ignored

# Process ids of the job's ranks: the processes that have our scratch folder as their working directory.
# Nothing is started for each: on a busy machine with many processes the job would be over before we are.
ranks() {
    local process
    for process in /proc/[0-9]*; do
        [[ $process/exe -ef $program && $process/cwd -ef $scratch ]] && echo "${process#/proc/}"
    done
}
# The rank with this number.
rank_pid() {
    local pid words word
    for pid in $(ranks); do
        mapfile -d '' -t words <"/proc/$pid/environ"
        for word in "${words[@]}"; do
            [[ $word =~ ^(PMI_RANK|OMPI_COMM_WORLD_RANK)=$1$ ]] && echo "$pid"
        done
    done
} 2>/dev/null
nobody_left() {
    for _ in {1..600}; do
        [ -z "$(ranks)" ] && return
        sleep 0.1
    done
    return 1
}

# begin NAME: a slow run in the background, its result over an older one; returns when the journal has samples.
begin() {
    name=$1
    cp undisturbed.json "run/$name.json"
    LIVE=1 "${launch[@]}" $np "$program" "${problem[@]}" --faults "$noise,delay=200ms" -o "run/$name.json" >out 2>err &
    job=$!
    for _ in {1..400}; do
        grep -qs samples "run/$name.json.journal" && return
        sleep 0.1
    done
}
# Waits for the job's end, not for ever.
await_job() {
    for _ in {1..600}; do
        kill -0 "$job" || break
        sleep 0.1
    done
    kill -9 "$job"
    wait "$job"
    status=$?
} 2>/dev/null
old_is_intact() { cmp "undisturbed.json" "run/$name.json"; }
is_partial() {
    is_valid "run/$name.json" && holds "run/$name.json" "not r['complete'] and r['note'].startswith('$1')"
}
# shellcheck disable=SC2012 # the names are ours
only_ours() { [ "$(ls -A run | tr '\n' ' ')" = "$*" ]; }

# What an undisturbed run and a resumed one must agree on.
essence="m['best'], sorted((c['plan'], c['measured']['status']) for c in m['candidates']), \
    [(b['name'], b['measured']['status']) for b in m['baselines']], r['complete'], m['search']['splits']"
# resumes_as REFERENCE STATUS FAULTS
resumes_as() {
    measure $np "${problem[@]}" --faults "$3" -o "run/$name.json" --resume
    [ "$status" = "$2" ] && is_valid "run/$name.json" &&
        [ "$(get "run/$name.json" "$essence")" = "$(get "$1" "$essence")" ]
}

measure $np "${problem[@]}" --faults "$noise" -o undisturbed.json
check "an undisturbed run ends with 0" '[ $status = 0 ] && is_valid undisturbed.json && \
    holds undisturbed.json "m[\"best\"] == \"4x2\""'

# ---- killed ------------------------------------------------------------------------------------------------
killed() {
    check "$1: the job ends, with a failure" '[ $status != 0 ] && nobody_left'
    check "$1: the journal is whole" 'journal_is_whole "run/$name.json.journal"'
    check "$1: the result is the old one, or a valid partial one" 'old_is_intact || is_partial ""'
    check "$1: nothing else is left" 'only_ours "$name.json" "$name.json.journal "'
    check "$1: --resume ends as if undisturbed" 'resumes_as undisturbed.json 0 $noise && said "of 5 were done before"'
    check "$1: what was measured before is kept" 'holds "run/$name.json" "$kept"'
    rm -f run/*
}
# The first samples are those of the journal.
journal_samples() {
    "$python" -c 'import json, sys
samples = {}
for line in open(sys.argv[1]).read().split("\n")[1:-1]:
    entry = json.loads(line)
    samples.setdefault(entry["name"], []).extend(entry.get("samples", []))
print("all((lambda s: s[:len(old)] == old)([c[\"measured\"][\"samples_seconds\"] for c in m[\"candidates\"] if c[\"plan\"] == name][0])"
      " for name, old in %r.items() if name[0].isdigit())" % samples)' "run/$name.json.journal"
}

begin rank
kill -9 "$(rank_pid 3)"
await_job
kept=$(journal_samples)
killed "kill -9 of a rank"

begin launcher
kill -9 "$job"
await_job
nobody_left
kept=$(journal_samples)
killed "kill -9 of the launcher"

begin job
# shellcheck disable=SC2046
kill -9 "$job" $(ranks)
await_job
kept=$(journal_samples)
killed "kill -9 of the whole job"

# ---- two runs --------------------------------------------------------------------------------------------------
begin twice
measure $np "${problem[@]}" --faults "$noise" -o run/twice.json
check "a second run with the same output is refused while the first is at work" '[ $status = 2 ] && \
    [ $(our_lines) = 1 ] && said "twice.json.journal: in use by process $(rank_pid 0)," && old_is_intact'
# shellcheck disable=SC2046
kill -9 "$job" $(ranks)
await_job
kept=$(journal_samples)
cp run/twice.json.journal begun
measure $np "${problem[@]}" --faults "$noise" -o run/twice.json
check "without --resume the journal of a killed run is put aside, with a note" '[ $status = 0 ] && \
    said "twice.json.journal.1" && cmp begun run/twice.json.journal.1 && only_ours "twice.json" "twice.json.journal.1 "'
mv run/twice.json.journal.1 run/twice.json.journal
check "what was put aside can be gone on with" 'resumes_as undisturbed.json 0 $noise && \
    said "of 5 were done before" && holds "run/$name.json" "$kept"'
rm -f run/*

# ---- signals -----------------------------------------------------------------------------------------------
signalled() { # SIGNAL STATUS
    begin "$1"
    kill "-$1" "$job"
    await_job
    if [ "$mpi" = mpich ]; then
        check "SIG$1: the exit status says so" "[ \$status = $2 ] && nobody_left"
    else # mpirun has a status of its own for this
        check "SIG$1: the exit status is not 0" '[ $status != 0 ] && nobody_left'
    fi
    check "SIG$1: MPI adds no words of its own" '! grep -qi "MPI_Abort\|mpirun has exited\|^-----" err'
    check "SIG$1: one line says so" "[ \$(our_lines) = 1 ] && said 'interrupted by SIG'"
    check "SIG$1: the partial result is written, and valid" 'is_partial "interrupted by SIG"'
    check "SIG$1: it has samples" 'holds "run/$name.json" "[c for c in m[\"candidates\"] if c[\"measured\"].get(\"samples_seconds\")]"'
    check "SIG$1: the journal is whole, nothing else is left" 'journal_is_whole "run/$name.json.journal" && \
        only_ours "$name.json" "$name.json.journal "'
    check "SIG$1: --resume ends as if undisturbed" 'resumes_as undisturbed.json 0 $noise'
    check "SIG$1: the journal goes when all is measured" 'only_ours "$name.json "'
    rm -f run/*
}
signalled INT 130
signalled TERM 143

# ---- a candidate at fault ----------------------------------------------------------------------------------
name=hang
cp undisturbed.json run/hang.json
measure $np "${problem[@]}" --faults "$noise,hang=2x4" --timeout 4s -o run/hang.json
check "a hang: the job ends with 1" '[ $status = 1 ] && nobody_left && said "2x4 took more than 4.000 s"'
check "a hang: the partial result names the candidate" 'is_partial "" && holds run/hang.json \
    "[c[\"measured\"][\"status\"] for c in m[\"candidates\"] if c[\"plan\"] == \"2x4\"] == [\"timeout\"]"'
check "a hang: the journal is whole" 'journal_is_whole run/hang.json.journal && only_ours "hang.json" "hang.json.journal "'
measure $np "${problem[@]}" --faults "$noise,hang=2x4" --timeout 4s -o run/hang.json --resume
check "a hang: --resume measures the others and does not try again" '[ $status = 0 ] && is_valid run/hang.json && \
    holds run/hang.json "r[\"complete\"] and m[\"best\"] == \"4x2\" and sorted((c[\"plan\"], c[\"measured\"][\"status\"]) \
    for c in m[\"candidates\"]) == [(\"2x2x2\", \"ok\"), (\"2x4\", \"timeout\"), (\"4x2\", \"ok\"), (\"8\", \"ok\")]"'
measure $np "${problem[@]}" --faults "$noise" -o run/hang.json --resume --retry
check "a hang: --retry measures it when it hangs no more" '[ $status = 0 ] && \
    [ "$(get run/hang.json "$essence")" = "$(get undisturbed.json "$essence")" ] && only_ours "hang.json "'
rm -f run/*

# Both plans hang, one after the other: samples are there, and what is asked for says how to go on.
two=(nv:4@100GB/s,ib@20GB/s --size 1MiB --backend null --plans 2x4)
for hangs in 2x4 8; do
    measure $np "${two[@]}" --faults "$noise,hang=$hangs" --timeout 2s -o run/two.json --resume
done
measure $np "${two[@]}" --faults "$noise" -o run/two.json --resume
check "all hung: --resume has nothing, and names --retry" '[ $status = 1 ] && said "no candidate was measured without fault" && \
    said "--resume --retry"'
measure $np "${two[@]}" --faults "$noise" -o run/two.json --resume --retry
check "all hung: which measures them" '[ $status = 0 ] && is_valid run/two.json'
rm -f run/*

# Launchers read what ranks write: the ranks themselves have a full disk as their stdout.
timeout -k 5 180 "${launch[@]}" $np sh -c 'exec "$0" "$@" >/dev/full' "$program" "${problem[@]}" --faults "$noise" \
    -o run/full.json >out 2>err
status=$?
check "tables that cannot be written: that is said, the result is whole and its journal gone" '[ $status != 0 ] && \
    said "standard output" && is_valid run/full.json && only_ours "full.json "'
cp "$source_tree/configs/abci.json" system.json
measure $np ./system.json "${problem[@]:1}" -o system.json
check "the system is not replaced by the result" '[ $status = 2 ] && said "is the same file as ./system.json"'
rm -f run/*

name=wrong
measure $np "${problem[@]}" --faults "$noise,wrong=4x2" -o run/wrong.json
check "wrong data: exit status 3, and the result is written" '[ $status = 3 ] && is_valid run/wrong.json && said "4x2 was wrong"'
check "wrong data: the count is there, and it is not the best" 'holds run/wrong.json "m[\"best\"] == \"2x2x2\" and \
    [(c[\"measured\"][\"status\"], c[\"measured\"][\"wrong_elements\"]) for c in m[\"candidates\"] if c[\"plan\"] == \"4x2\"] == [(\"wrong\", 1)]"'
cp run/wrong.json reference.json
check "wrong data: --resume ends the same" 'resumes_as reference.json 3 $noise'
rm -f run/*

measure $np "${problem[@]}" --faults "$noise,fail=4x2,fail=8" -o run/fail.json
check "failing plans: the others are measured" '[ $status = 0 ] && holds run/fail.json \
    "m[\"best\"] == \"2x2x2\" and [c[\"measured\"][\"status\"] for c in m[\"candidates\"]].count(\"failed\") == 2"'
rm -f run/*
measure $np "${problem[@]:0:5}" --faults "fail=4x2,fail=8" --plans 4x2 -o run/none.json
check "no plan left: exit status 1, and the result has no best" '[ $status = 1 ] && is_valid run/none.json && \
    holds run/none.json "\"best\" not in m"'
rm -f run/*

# ---- the disk ----------------------------------------------------------------------------------------------
mkdir "$small_disk"
if mount -t tmpfs -o size=64k tmpfs "$small_disk" 2>/dev/null; then
    name=full
    cp undisturbed.json "$small_disk/full.json"
    dd if=/dev/zero of="$small_disk/filler" bs=4k 2>/dev/null
    rm "$small_disk/full.json"
    echo '{"old": true}' >"$small_disk/full.json"
    measure $np "${problem[@]}" --faults "$noise" -o "$small_disk/full.json"
    check "a full disk: exit status 1, and the error names the file" '[ $status = 1 ] && said "full.json: cannot be written: No space left"'
    check "a full disk: the old file is as it was" '[ "$(cat "$small_disk/full.json")" = "{\"old\": true}" ]'
    check "a full disk: no temporary is left, the journal is whole" '[ "$(ls -A "$small_disk" | tr "\n" " ")" = \
        "filler full.json full.json.journal " ] && journal_is_whole "$small_disk/full.json.journal"'
    rm "$small_disk/filler"
    cp "$small_disk"/full.json* run/
    check "a full disk: with room again, --resume ends as if undisturbed" 'resumes_as undisturbed.json 0 $noise'
    rm -f run/*
else
    skip "a full disk" "no tmpfs can be mounted"
fi
mkdir run/folder.json
measure $np "${problem[@]}" -o run/folder.json
check "a result that cannot be written is said before anything is measured" '[ $status = 2 ] && \
    only_ours "folder.json " && [ $(our_lines) = 1 ]'

# The limit of measure() was not needed.
ended() { [ "$status" != 124 ] && [ "$status" != 137 ]; }
# ---- the end -----------------------------------------------------------------------------------------------
cat >finalize.c <<'C'
#include <unistd.h>
int MPI_Finalize(void) { for (;;) sleep(1); }
C
if ${CC:-cc} -shared -fPIC -o finalize.so finalize.c 2>/dev/null; then
    LD_PRELOAD=$scratch/finalize.so measure 2 "${problem[@]}" -o finalize.json
    check "an MPI_Finalize that hangs does not keep the job" 'ended && nobody_left && is_valid finalize.json'
    # MPICH's launcher ends ranks that are a few milliseconds behind one that has ended: a busy machine gets a second try.
    [ "$mpi" = mpich ] && [ "$status" = 9 ] && LD_PRELOAD=$scratch/finalize.so measure 2 "${problem[@]}" -o finalize.json
    [ "$mpi" = mpich ] && check "and does not make it a failure" '[ $status = 0 ]'
else
    skip "an MPI_Finalize that hangs" "no C compiler"
fi

# ---- a slow disk -------------------------------------------------------------------------------------------
cat >slow.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
int fsync(int fd) { static int calls; if (++calls <= 3) sleep(5); return (int)syscall(SYS_fsync, fd); }
C
if ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o slow.so slow.c 2>/dev/null; then
    LD_PRELOAD=$scratch/slow.so measure 2 "${problem[@]}" --timeout 4s -o slow.json
    check "a disk that is slower than --timeout is no fault of a candidate" '[ $status = 0 ] && \
        holds slow.json "r[\"complete\"] and all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"])"'
else
    skip "a slow disk" "no C compiler"
fi
finish
