#!/bin/bash
# Checks the backends on a machine with GPUs: every split, type, operation and baseline, each element verified; nccl,
# nccl-graph, and host and mpi on GPU memory.
#     tests/nccl/gpu_check.sh BUILD         (make gpu-check)
# With one GPU: 4 ranks share it (HIERSEARCH_SHARED_GPU=1), a functional test; its times mean nothing and none is kept.
# Environment: MPI (mpich or openmpi), NP (the most ranks, default: one per GPU, 4 where there is one), RANKS (the numbers
# of ranks for the splits, default 2 to NP), LIMIT (seconds for each job), PYTHON3, LAUNCH (a launcher with its options, up
# to the number of ranks: LAUNCH="srun -n"). TAP on stdout; exit 77 where something that it needs is missing.
set -u
build=${1:?usage: gpu_check.sh BUILD}
mpi=${MPI:-mpich}
here=$(cd "$(dirname "$0")" && pwd -P)
job=$build/tests/nccl/nccl_job_gpu device_job=$build/tests/nccl/device_job_gpu measure=$build/hiersearch-measure
python=${PYTHON3:-$(command -v python3)}
skip() { echo "1..0 # SKIP $1"; exit 77; }

[ -x "$job" ] || skip "built without NCCL: make HAVE_NCCL=1 says what is missing"
launch=("$here/../runner/launch.sh" "$mpi")
[ -z "${LAUNCH:-}" ] || read -ra launch <<<"$LAUNCH"
if [ -z "${LAUNCH:-}" ] && ! command -v "mpiexec.$mpi" >/dev/null && ! command -v "mpirun.$mpi" >/dev/null; then
    skip "no launcher of $mpi: set MPI= or LAUNCH=, or start this by in_root.sh (docs/gpu.md)"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
timeout -k 10 300 "${launch[@]}" 1 "$measure" --size 4KiB --budget 1s --backend nccl -q >"$scratch/out" 2>&1 ||
    { grep -q 'it cannot work here' "$scratch/out" && skip "$(sed -n 's/.*it cannot work here: //p' "$scratch/out")"; }

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
((gpus > 0)) || gpus=1
np=${NP:-$((gpus > 1 ? gpus : 4))}
extent=
if ((np > gpus)) && [ -z "${LAUNCH:-}" ]; then
    export HIERSEARCH_SHARED_GPU=1
    extent=quick
    echo "# $np ranks share $gpus GPU(s): a functional test, no time in it means anything"
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^/# /'

number=0
say() {
    number=$((number + 1))
    if (($1 == 0)); then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        tail -20 "$scratch/out" | sed 's/^/# /'
    fi
}

for n in ${RANKS:-$(seq 2 "$np")}; do
    for mode in splits time; do
        # Between ranks that share a GPU there is no time to be had.
        [ "$mode" = time ] && [ -n "$extent" ] && continue
        timeout -k 10 "${LIMIT:-900}" "${launch[@]}" "$n" "$job" $mode $extent >"$scratch/out" 2>&1
        status=$?
        grep -E '^not ok' "$scratch/out" | sed 's/^/# /'
        grep -E '^ok .* us per NCCL call' "$scratch/out" | sed 's/^/# /'
        say $status "$n ranks: $mode ($(grep -cE '^ok ' "$scratch/out") checks)"
    done
    timeout -k 10 "${LIMIT:-900}" "${launch[@]}" "$n" "$device_job" $extent >"$scratch/out" 2>&1
    status=$?
    grep -E '^not ok|^ok 1 ' "$scratch/out" | sed 's/^/# /'
    say $status "$n ranks: host and mpi on GPU memory ($(grep -cE '^ok ' "$scratch/out") checks)"
done
for backend in "nccl" "nccl-graph" "host --buffers device" "host --buffers host" "mpi"; do
    # shellcheck disable=SC2086 # a backend with its option
    timeout -k 10 "${LIMIT:-900}" "${launch[@]}" "$np" "$measure" --size 1MiB --backend $backend --all --chunks 1,4 \
        --budget 60s --min-samples 3 --max-samples 5 -q -o "$scratch/r.json" >"$scratch/out" 2>&1
    status=$?
    ((status == 0)) && "$python" -c 'import json, sys
r = json.load(open(sys.argv[1]))
m = r["results"][0]
print(r["versions"], r.get("topology"))
bad = [c for c in m["candidates"] if c["measured"]["status"] != "ok"]
sys.exit(bool(bad) or not m["candidates"])' "$scratch/r.json" >>"$scratch/out" 2>&1
    status=$?
    sed -n 's/^{/# {/p' "$scratch/out"
    say $status "measure --backend $backend --all on $np ranks: every plan is right"
done
echo "1..$number"
