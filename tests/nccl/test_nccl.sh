#!/bin/bash
# NCCL's backend with the stand-in for NCCL and CUDA (tests/nccl/standin): no GPU needed. TAP on stdout.
#     tests/nccl/test_nccl.sh quick|full mpich|openmpi BUILD      after: make BUILD=... nccl-programs
# full also tests 2 to 16 ranks with everything, and again a part under ASan and UBSan.
set -u
(($# == 3)) || { echo "usage: test_nccl.sh quick|full mpich|openmpi BUILD" >&2; exit 2; }
mode=$1 mpi=$2 build=$3
programs=$build/tests/nccl
here=$(cd "$(dirname "$0")" && pwd -P)
command -v "mpiexec.$mpi" >/dev/null || command -v "mpirun.$mpi" >/dev/null ||
    { echo "1..0 # SKIP no launcher of $mpi"; exit 0; }
[ -x "$programs/nccl_job" ] || { echo "1..0 # SKIP built without NCCL"; exit 0; }
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/hs-nccl-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# The stand-in is part of the program: "" is the program itself to dlopen.
export STANDIN_DIR=$scratch HIERSEARCH_NCCL='' NO_COLOR=1
unset STANDIN_FAULT STANDIN_GPUS HIERSEARCH_SHARED_GPU HIERSEARCH_NCCL_BLOCKING NCCL_ALGO

number=0
say() { # say STATUS SENTENCE [FILE with what was printed]
    number=$((number + 1))
    if (($1 == 0)); then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "${3:-}" ] || tail -20 "$3" | sed 's/^/# /'
    fi
}

# job NP PROGRAM ARGUMENTS...: its TAP lines, numbered on; a failure where it prints none or does not end well.
job() {
    local np=$1 status lines
    shift
    timeout -k 5 "${limit:-120}" "$here/../runner/launch.sh" "$mpi" "$np" "$@" \
        >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    lines=$(grep -cE '^(not )?ok ' "$scratch/out")
    while read -r line; do
        number=$((number + 1))
        sed -E "s/ok [0-9]+/ok $number/" <<<"$line"
    done < <(grep -E '^(not )?ok ' "$scratch/out")
    ((status == 0 && lines > 0)) && return
    cat "$scratch/out" >>"$scratch/err"
    say 1 "$(basename "$1") $2 on $np ranks ends well (status $status)" "$scratch/err"
}

# breaks CASE RULE: a program that breaks a rule on purpose is ended by the stand-in, which names the rule.
breaks() {
    timeout -k 5 60 "$here/../runner/launch.sh" "$mpi" 2 "$programs/standin_rules" "$1" \
        >"$scratch/out" 2>&1 </dev/null
    local status=$?
    if [ "$2" = SIGSEGV ]; then
        ((status != 0)) && grep -qiE 'segmentation fault|signal 11|SIGSEGV|signal: 11' "$scratch/out"
    else
        ((status != 0)) && grep -q "^standin: $2: " "$scratch/out"
    fi
    say $? "the stand-in notices: $1 (rule $2)" "$scratch/out"
}

# measured FAULT EXPRESSION SENTENCE: hiersearch-measure on 8 ranks; EXPRESSION is Python about statuses by name.
measured() {
    STANDIN_FAULT=$1 timeout -k 5 60 "$here/../runner/launch.sh" "$mpi" 8 "$programs/measure" --size 4KiB \
        --budget 40s --timeout 1s --min-samples 3 --max-samples 3 --all --backend "${backend:-nccl}" -q -o "$scratch/r.json" \
        >"$scratch/out" 2>&1 </dev/null
    "${PYTHON3:-/usr/bin/python3}" - "$scratch/r.json" "$2" >>"$scratch/out" 2>&1 <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
m = r["results"][0]
s = {c["plan"]: c["measured"]["status"] for c in m["candidates"]}
b = {c["name"]: c["measured"]["status"] for c in m["baselines"]}
print(r["backend"], s, b)
sys.exit(not eval(sys.argv[2]))
END
    say $? "$3" "$scratch/out"
}

stand_in_itself() {
    while read -r name rule; do
        breaks "$name" "$rule"
    done < <("$programs/standin_rules" list)
    timeout 60 "$here/../runner/launch.sh" "$mpi" 2 "$programs/standin_rules" right >"$scratch/out" 2>&1
    grep -q '^right$' "$scratch/out"
    say $? "the stand-in finds nothing where nothing is wrong" "$scratch/out"
}

sharing_is_asked_for() {
    export STANDIN_GPUS=1
    timeout 60 "$here/../runner/launch.sh" "$mpi" 2 "$programs/nccl_job" splits quick >"$scratch/out" 2>&1
    grep -q '2 ranks share one GPU.*HIERSEARCH_SHARED_GPU=1' "$scratch/out"
    say $? "ranks that share a GPU are refused, and told what to set" "$scratch/out"
    HIERSEARCH_SHARED_GPU=1 job 2 "$programs/nccl_job" time
    unset STANDIN_GPUS
}

stand_in_itself
for np in 1 2 3 4 6; do job $np "$programs/nccl_job" splits quick; done
HIERSEARCH_NCCL_BLOCKING=1 job 4 "$programs/nccl_job" splits quick
job 4 "$programs/nccl_job_old" splits quick
job 8 "$programs/nccl_job" faults
job 2 "$programs/nccl_job" time
sharing_is_asked_for
measured hang:reduce-scatter:4 \
    's == {"8": "ok", "2x4": "ok", "4x2": "timeout", "2x2x2": "ok"} and set(b.values()) == {"ok"}' \
    "measure: a plan that hangs is a timeout, all others are measured"
backend=nccl-graph measured error:allreduce:4 \
    's == {"8": "ok", "2x4": "failed", "4x2": "ok", "2x2x2": "ok"} and r["backend"] == "nccl-graph"' \
    "measure: a plan with an error of NCCL is failed, with graphs too"
STANDIN_GPUS=0 timeout 60 "$programs/measure" --size 4KiB --backend nccl >"$scratch/out" 2>&1
(($? == 2)) && grep -q 'no GPU' "$scratch/out"
say $? "without a GPU the backend says so" "$scratch/out"

if [ "$mode" = full ]; then
    limit=900
    for np in 2 3 4 5 6 7 8; do job $np "$programs/nccl_job" splits; done
    for np in 9 10 11 12 13 14 15 16; do job $np "$programs/nccl_job" splits quick; done
    job 4 "$programs/nccl_job" time
    unset MAKEFLAGS MFLAGS
    export ASAN_OPTIONS=detect_leaks=0 # MPI's own; the stand-in counts what the backend leaves
    make -s BUILD="$build/sanitized-nccl" SANITIZE=address,undefined nccl-programs >"$scratch/out" 2>&1
    say $? "the programs build with -fsanitize=address,undefined" "$scratch/out"
    programs=$build/sanitized-nccl/tests/nccl
    for np in 2 4 6 8; do job $np "$programs/nccl_job" splits quick; done
    job 8 "$programs/nccl_job" faults
fi
echo "1..$number"
