#!/bin/bash
# Checks the backends on a machine with GPUs, each element verified; nccl, nccl-graph, nccl-symmetric, and host and mpi on GPU memory.
#     tests/nccl/gpu_check.sh BUILD [smoke|function|recovery|cost|applied]...      (make gpu-check; without a part: all)
# BUILD: a build folder, or what `make gpu-package` made, as a folder or as an archive, which is unpacked beside itself; its
# `root` is then what in_root.sh takes.
#     smoke      one rank: what is there, every split, memory under compute-sanitizer, the figures of gpu_probe
#     function   more ranks: one sum by every split, then types and operations, then hiersearch-measure
#     recovery   hangs in each phase and a rank that stands still, live and in graphs; whether single aborts block; a program of
#                PyTorch, alone and by plans, one rank of which stays away
#     cost       host time per call: blocking, non-blocking, in graphs; with and without NCCL's implicit launch order
#     applied    a program of PyTorch (torch_job.py) alone, by plans and under the profile; where python3 has PyTorch
# With one GPU: 4 ranks share it (HIERSEARCH_SHARED_GPU=1), a functional test; its times mean nothing and none is kept.
# Environment: OUT (the folder for everything, default BUILD/gpu-check), DEADLINE (seconds for all, 3600), LIMIT (seconds for
# a check, 900), FIRST_LIMIT (for the first run of 2 ranks, 60: then MPS is tried), HANG (seconds before a plan is given up, 5),
# PROBE_BYTES (the largest array of gpu_probe), BARE=1 (a machine with nothing set up: loopback up, its own name known, NCCL of python3's wheel unless HIERSEARCH_NCCL is
# set), MPI (mpich or openmpi), NP (the most ranks, default: one per GPU, 4 where there is one), RANKS (the numbers of ranks,
# default 2 to NP), PYTHON3, LAUNCH (a launcher with its options, up to the number of ranks: LAUNCH="srun -n").
# TAP on stdout and in OUT/check.tap, all output in OUT/log.txt, NCCL's warnings in OUT/nccl.txt. Exit status: 0 where there
# were checks and all were right, 77 where something that it needs is missing, else 1.
set -u
build=${1:?usage: gpu_check.sh BUILD [smoke|function|recovery|cost|applied]...}
here=$(cd "$(dirname "$0")" && pwd -P)
case $build in
    *.tgz)
        tar -C "$(dirname "$build")" -xzf "$build" || exit 1
        shift
        exec "$0" "${build%.tgz}" "$@"
        ;;
esac
[ -z "${PACKAGE_ROOT:-}" ] && [ -d "$build/root" ] && exec "$here/in_root.sh" "$build/root" "$0" "$@"
shift
mpi=${MPI:-mpich}
job=$build/tests/nccl/nccl_job_gpu device_job=$build/tests/nccl/device_job_gpu measure=$build/hiersearch-measure
probe=$build/tests/nccl/gpu_probe_gpu
python=${PYTHON3:-$(command -v python3)}
out=${OUT:-$build/gpu-check}
end=$((SECONDS + ${DEADLINE:-3600}))
number=0 failed=0

# ---- saying and running ----
tell() { echo "$*" | tee -a "$out/check.tap"; }
skip() { tell "1..0 # SKIP $1"; exit 77; }
say() { # say STATUS SENTENCE
    number=$((number + 1))
    if (($1 == 0)); then
        tell "ok $number - $2"
    else
        failed=$((failed + 1))
        tell "not ok $number - $2"
        tail -20 "$scratch/out" | sed 's/^/# /' | tee -a "$out/check.tap"
    fi
}
# run SECONDS COMMAND...: its output in $scratch/out; 124 or 137 where it did not end in time. ABRT first: cores and traces.
run() {
    local left=$((end - SECONDS)) limit=$1 status
    shift
    ((limit < left)) || limit=$left
    echo "== $*" >>"$out/log.txt"
    if ((limit < 1)); then
        echo "no time is left before the deadline" >"$scratch/out"
        status=124
    else
        timeout -s ABRT -k 10 "$limit" "$@" >"$scratch/out" 2>&1 </dev/null
        status=$?
    fi
    cat "$scratch/out" >>"$out/log.txt"
    cat "$scratch"/nccl.* >>"$out/nccl.txt" 2>/dev/null
    rm -f "$scratch"/nccl.*
    return $status
}
# judge STATUS SENTENCE BEGIN [CONDITION]: a program that printed TAP, begun at that second; one that checks nothing is not right.
judge() {
    local status=$1 checks
    checks=$(grep -cE '^ok ' "$scratch/out")
    grep -qE '^not ok|^Bail out' "$scratch/out" && status=1
    ((status == 0 && checks == 0)) && status=1
    ((status == 0)) && { eval "${4:-true}" || status=1; }
    grep -E '^not ok|^# |^ok .* us per |hiersearch run:' "$scratch/out" | sed 's/^#* */#   /' | tee -a "$out/check.tap"
    say "$status" "$2 ($checks checks, $((SECONDS - $3)) s$( ((status > 1)) && echo ", status $status"))"
    return "$status"
}
# check SENTENCE SECONDS COMMAND...
check() {
    local sentence=$1 limit=$2 begin=$SECONDS
    shift 2
    run "$limit" "$@"
    judge $? "$sentence" "$begin"
}

# MPI's launcher, UCX and NCCL's bootstrap meet on the loopback, by the machine's name.
bare() {
    ip link set lo up 2>/dev/null
    getent hosts "$(hostname)" >/dev/null || echo "127.0.0.1 $(hostname)" >>/etc/hosts
    export NCCL_SOCKET_IFNAME=${NCCL_SOCKET_IFNAME:-lo}
    [ -n "${HIERSEARCH_NCCL+set}" ] || HIERSEARCH_NCCL=$("$python" -c 'import nvidia.nccl
print(list(nvidia.nccl.__path__)[0] + "/lib/libnccl.so.2")')
    export HIERSEARCH_NCCL
    tell "# NCCL: ${HIERSEARCH_NCCL:-the program itself}"
}

# ---- what is there ----
mkdir -p "$out" || exit 1
rm -f "$out/check.tap" "$out/log.txt" "$out/nccl.txt"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/out"
export NCCL_DEBUG=${NCCL_DEBUG:-WARN} NCCL_DEBUG_FILE=${NCCL_DEBUG_FILE:-$scratch/nccl.%h.%p}
limit=${LIMIT:-900}

[ "${BARE:-0}" = 1 ] && bare
[ -x "$job" ] || skip "built without NCCL: make HAVE_NCCL=1 says what is missing"
launch=(env LIVE=1 "$here/../runner/launch.sh" "$mpi")
[ -z "${LAUNCH:-}" ] || read -ra launch <<<"$LAUNCH"
if [ -z "${LAUNCH:-}" ] && ! command -v "mpiexec.$mpi" >/dev/null && ! command -v "mpirun.$mpi" >/dev/null; then
    skip "no launcher of $mpi: set MPI= or LAUNCH=, or start this by in_root.sh (docs/gpu.md)"
fi
for program in "$job" "$device_job" "$measure" "$probe"; do
    ldd "$program" 2>&1 | grep -q 'not found' || continue
    ldd "$program" >"$scratch/out" 2>&1
    say 1 "$(basename "$program") finds its libraries"
done
run 300 "${launch[@]}" 1 "$measure" --size 4KiB --budget 1s --backend nccl -q
status=$?
why=$(sed -n 's/.*it cannot work here: //p' "$scratch/out")
[ -z "$why" ] || skip "$why"
say $status "one rank measures with NCCL"
((failed == 0)) || { tell "1..$number"; exit 1; }

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
((gpus > 0)) || gpus=1
np=${NP:-$((gpus > 1 ? gpus : 4))}
extent=
if ((np > gpus)) && [ -z "${LAUNCH:-}" ]; then
    export HIERSEARCH_SHARED_GPU=1
    extent=quick
    tell "# $np ranks share $gpus GPU(s): a functional test, no time in it means anything"
fi
nvidia-smi --query-gpu=name,driver_version,compute_mode --format=csv,noheader 2>/dev/null | sort | uniq -c |
    sed 's/^/# /' | tee -a "$out/check.tap"
ranks=${RANKS:-$(seq 2 "$np")}

# ---- a program of PyTorch, as it is, behind libhiersearch-nccl.so ----
# torch RANKS NAME=VALUE... PART...: torch_job.py's parts; ranks that share a GPU are made to look like nodes, as our own are.
torch() {
    local n=$1 settings=()
    shift
    while [[ ${1:-} == *=* ]]; do settings+=("$1") && shift; done
    # shellcheck disable=SC2016 # for the process of a rank
    run "$limit" env OMP_NUM_THREADS=1 TORCH_NCCL_DUMP_ON_TIMEOUT=0 "${settings[@]}" "$python" -m torch.distributed.run \
        --nproc-per-node "$n" --no-python bash -c 'ulimit -c 0
            [ -z "${HIERSEARCH_SHARED_GPU:-}" ] || export NCCL_HOSTID=rank-$RANK NCCL_NET=Socket NCCL_MULTI_RANK_GPU_ENABLE=1 \
                NCCL_MAX_CTAS=${NCCL_MAX_CTAS:-2} NCCL_MNNVL_ENABLE=0 NCCL_RAS_ENABLE=0 NCCL_SOCKET_IFNAME=lo NCCL_IB_DISABLE=1
            exec "$0" "$@"' "$python" "$here/torch_job.py" "$@"
}
# torch_is SENTENCE CONDITION RANKS [NAME=VALUE]... PART...: ends well, all was right, and so is the condition.
torch_is() {
    local sentence=$1 condition=$2 begin=$SECONDS
    shift 2
    torch "$@"
    judge $? "$sentence" "$begin" "$condition"
}
# by_plan MINIMUM: the line of rank 0 says that so many calls went by plan, and none differed.
by_plan() {
    local line
    line=$(grep -o 'hiersearch run: rank 0 had .*' "$scratch/out")
    [[ $line =~ had\ ([0-9]+)\ of ]] && ((BASH_REMATCH[1] >= $1)) && ! grep -q 'hiersearch run: --verify' "$scratch/out" &&
        { [[ $line != *compared* ]] || [[ $line == *", 0 of them differ"* ]]; }
}
# The losses of two runs, up to rounding.
losses_are_those_of() {
    "$python" - "$1" "$scratch/out" <<'END' >"$scratch/far" 2>&1
import sys
alone, here = ([line.split() for line in open(name) if line.startswith(("# ddp ", "# fsdp "))] for name in sys.argv[1:])
far = [(a, b) for x, y in zip(alone, here) for a, b in zip(x[2:], y[2:]) if abs(float(a) - float(b)) > 1e-4 * abs(float(a))]
print("far apart:", far)
sys.exit(bool(far) or not alone or len(alone) != len(here))
END
    local status=$?
    cat "$scratch/far" >>"$scratch/out"
    return $status
}
# ends_by_itself: the program failed in time, and what a rank left came back to nobody before PyTorch gave it up.
ends_by_itself() {
    local status=$1
    ((status != 0 && status != 124 && status != 137)) && grep -q '^ok 1' "$scratch/out" && ! grep -q '^not ok' "$scratch/out"
}

# has_torch SENTENCE: PyTorch is here, and the last number of ranks, $n, has plans of two layers, $by_plans by $library; else
# that is said.
has_torch() {
    local inner call rules
    library=$(realpath "$build/libhiersearch-nccl.so")
    for ((inner = 2; inner * inner < n && n % inner != 0; inner++)); do :; done
    if ! "$python" -c 'import torch.distributed' 2>>"$out/log.txt"; then
        tell "ok $((number += 1)) - $1 # SKIP $python has no PyTorch"
    elif ((n % inner != 0 || inner >= n)); then
        tell "ok $((number += 1)) - $1 # SKIP $n ranks have no plan of two layers"
    else
        rules="ranks $n"$'\n'
        for call in allreduce reduce-scatter allgather; do
            rules+="rule $call $n:1 0 $((n / inner))x$inner"$'\n'"rule $call $n:1 268435456 library"$'\n'
        done
        by_plans=("LD_PRELOAD=$library" "HIERSEARCH_NCCL_PLANS=$rules")
        return 0
    fi
    return 1
}

# ---- the parts ----
smoke() {
    local sanitizer how="under compute-sanitizer"
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
    [ -n "$sanitizer" ] || how="without compute-sanitizer, which is not here"
    run 60 "$build/hiersearch" systems --here
    # shellcheck disable=SC2086 # nothing, or the sanitizer
    check "1 rank: host and mpi on GPU memory, $how" "$limit" "${launch[@]}" 1 \
        ${sanitizer:+"$sanitizer" --error-exitcode 9} "$device_job" quick
    check "1 rank: every split by the backends of NCCL" "$limit" "${launch[@]}" 1 "$job" splits quick
    # shellcheck disable=SC2086 # nothing, or a number
    run "$limit" "$probe" ${PROBE_BYTES:-} && cp "$scratch/out" "$out/probe.json" &&
        "$python" -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["figures"])' "$out/probe.json" >>"$scratch/out" 2>&1
    say $? "the figures of this GPU are taken (OUT/probe.json)"
}

# Processes that share a GPU take turns; where a kernel of one waits for one of another and has no turn, MPS lets both run.
with_mps() {
    command -v nvidia-cuda-mps-control >/dev/null || return 1
    export CUDA_MPS_PIPE_DIRECTORY=$scratch/mps CUDA_MPS_LOG_DIRECTORY=$scratch/mps
    export NCCL_MAX_CTAS=${NCCL_MAX_CTAS:-2}
    mkdir -p "$scratch/mps"
    nvidia-cuda-mps-control -d >>"$out/log.txt" 2>&1 || return 1
    trap 'echo quit | nvidia-cuda-mps-control >/dev/null 2>&1; rm -rf "$scratch"' EXIT
    tell "# from here on with MPS: two ranks made no progress without it"
}

measures() {
    local backend status
    for backend in "nccl" "nccl-graph" "nccl-symmetric" "host --buffers device" "host --buffers host" "mpi"; do
        # shellcheck disable=SC2086 # a backend with its option
        run "$limit" "${launch[@]}" "$1" "$measure" --size 1MiB --backend $backend --all --chunks 1,4 \
            --budget 60s --min-samples 3 --max-samples 5 -q -o "$scratch/r.json"
        status=$?
        ((status == 0)) && "$python" -c 'import json, sys
r = json.load(open(sys.argv[1]))
m = r["results"][0]
print(r["versions"], r.get("environment"), r.get("topology"))
rows = m["candidates"] + m["baselines"]
print({c.get("plan", c.get("name")): c["measured"].get("choices") for c in rows})
bad = [c for c in rows if c["measured"]["status"] != "ok"]
sys.exit(bool(bad) or not m["candidates"])' "$scratch/r.json" >>"$scratch/out" 2>&1
        status=$?
        sed -n 's/^{/# {/p' "$scratch/out" | tee -a "$out/check.tap"
        say $status "measure --backend $backend --all on $1 ranks: every plan is right"
    done
}

function_() {
    local n first=${FIRST_LIMIT:-60}
    for n in $ranks; do
        run "$first" "${launch[@]}" "$n" "$job" splits first
        if (($? > 1)) && [ -n "$extent" ]; then
            with_mps
            first=$limit
        fi
        check "$n ranks: one sum by every split by the backends of NCCL" "$limit" "${launch[@]}" "$n" "$job" splits first
    done
    for n in $ranks; do
        check "$n ranks: every split, $([ -n "$extent" ] && echo "some" || echo "all") types and operations" "$limit" \
            "${launch[@]}" "$n" "$job" splits $extent
        check "$n ranks: host and mpi on GPU memory" "$limit" "${launch[@]}" "$n" "$device_job" $extent
    done
    measures "${n:-$np}"
}

recovery() {
    local n by_plans library way begin settings=()
    n=$(tail -1 <<<"${ranks// /$'\n'}")
    check "$n ranks: plans that hang are given up and the others go on" "$limit" \
        "${launch[@]}" "$n" "$job" hangs "${HANG:-5}"
    check "2 ranks: what a single abort does beside a kernel that is stuck" "$limit" \
        "${launch[@]}" 2 "$job" abort-order "${HANG:-5}"
    has_torch "a program of PyTorch one rank of which stays away" || return
    for way in alone "by plan"; do
        begin=$SECONDS
        [ "$way" = alone ] || settings=("${by_plans[@]}")
        torch "$n" "${settings[@]}" TORCH_NCCL_ASYNC_ERROR_HANDLING=1 \
            TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC=1000 leaves
        ends_by_itself $?
        say $? "$n ranks, one of which stays away, $way: PyTorch ends the program ($((SECONDS - begin)) s)"
        grep 'came back' "$scratch/out" | sed 's/^#* */#   /' | tee -a "$out/check.tap"
    done
}

cost() {
    local last order blocking
    last=$(tail -1 <<<"${ranks// /$'\n'}")
    for order in 1 0; do
        for blocking in 1 0; do
            check "$last ranks: host time per call, blocking $blocking, implicit launch order $order" "$limit" \
                env NCCL_LAUNCH_ORDER_IMPLICIT=$order HIERSEARCH_NCCL_BLOCKING=$blocking "${launch[@]}" "$last" "$job" time
        done
    done
}

applied() {
    local n by_plans library
    n=$(tail -1 <<<"${ranks// /$'\n'}")
    has_torch "a program of PyTorch by plan" || return
    torch_is "$n ranks: a program of PyTorch alone" true "$n" ddp fsdp time
    cp "$scratch/out" "$scratch/alone"
    torch_is "$n ranks: by plan, every call compared with NCCL's own" "by_plan 100 && losses_are_those_of $scratch/alone" "$n" \
        "${by_plans[@]}" HIERSEARCH_VERIFY=1 elements groups graph ddp fsdp
    torch_is "$n ranks: by plan, communicators that do not block" "by_plan 50 && losses_are_those_of $scratch/alone" "$n" \
        "${by_plans[@]}" JOB_BOUND=1 elements groups graph ddp fsdp time
    torch "$n" "LD_PRELOAD=$library" "HIERSEARCH_PROFILE_FOLDER=$scratch/p.ranks" ddp fsdp time &&
        "$build/hiersearch" profile --read "$scratch/p.ranks" -o "$scratch/p.json" >>"$scratch/out" 2>&1 &&
        losses_are_those_of "$scratch/alone" &&
        "$python" -c 'import json, sys
calls = json.load(open(sys.argv[1]))["calls"]
print({(c["call"], c.get("datatype")): c["calls"] for c in calls})
sys.exit(not {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather"} <= {c["call"] for c in calls})' "$scratch/p.json" >>"$scratch/out" 2>&1
    say $? "$n ranks: the profile counts its calls"
    grep -E '^# .*us of the host|^\{' "$scratch/out" | sed 's/^#* */#   /' | tee -a "$out/check.tap"
}

(($# > 0)) || set -- smoke function recovery cost applied
for part in "$@"; do
    case $part in
        smoke | recovery | cost | applied) $part ;;
        function) function_ ;;
        *) say 1 "the part $part is known: smoke, function, recovery, cost or applied" ;;
    esac
done
tell "1..$number"
((failed == 0 && number > 0))
