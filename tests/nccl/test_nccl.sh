#!/bin/bash
# NCCL's backend with the stand-in for NCCL and CUDA (tests/nccl/standin): no GPU needed. TAP on stdout.
#     tests/nccl/test_nccl.sh quick|usual|full mpich|openmpi BUILD      after: make BUILD=... nccl-programs
# usual leaves out most splits of 4 and 6 ranks; quick also those of 3 and 4, what waits for a hang, and most runs on 4 and 8
# ranks. full tests 2 to 16 ranks with everything, and again a part under ASan and UBSan.
set -u
(($# == 3)) || { echo "usage: test_nccl.sh quick|usual|full mpich|openmpi BUILD" >&2; exit 2; }
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
unset STANDIN_FAULT STANDIN_GPUS STANDIN_GPU STANDIN_DRIVER STANDIN_NCCL STANDIN_MPI HIERSEARCH_MPI_CUDA_AWARE
unset HIERSEARCH_SHARED_GPU HIERSEARCH_NCCL_BLOCKING STANDIN_LOCAL_RANKS "${!NCCL_@}"

# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

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
    timeout -k 5 180 "$here/../runner/launch.sh" "$mpi" 2 "$programs/standin_rules" "$1" \
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
    STANDIN_FAULT=$1 timeout -k 5 180 "$here/../runner/launch.sh" "$mpi" 8 "$programs/measure" --size 4KiB \
        --collective "${collective:-allreduce}" --budget 40s --timeout 1s --min-samples 3 --max-samples 3 --all --backend "${backend:-nccl}" -q -o "$scratch/r.json" \
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
        # These two hang until they are ended.
        case $mode-$name in quick-abort-one-by-one | quick-abort-with-a-graph) continue ;; esac
        breaks "$name" "$rule"
    done < <("$programs/standin_rules" list)
    timeout 180 "$here/../runner/launch.sh" "$mpi" 2 "$programs/standin_rules" right >"$scratch/out" 2>&1
    grep -q '^right$' "$scratch/out"
    say $? "the stand-in finds nothing where nothing is wrong" "$scratch/out"
}

# measure NP ARGUMENTS...: sets status; the result is in r.json.
measure() {
    local np=$1
    shift
    rm -f "$scratch/r.json"
    timeout -k 5 180 "$here/../runner/launch.sh" "$mpi" "$np" "$programs/measure" --size 4KiB --min-samples 3 \
        --max-samples 3 --layer-runs 1 -o "$scratch/r.json" "$@" >"$scratch/out" 2>&1 </dev/null
    status=$?
}
# result EXPRESSION: Python about the result r, its first message m, and what was printed (out).
result() {
    local said code
    said=$("${PYTHON3:-/usr/bin/python3}" - "$scratch/r.json" "$scratch/out" "$1" 2>&1 <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
m, out = r["results"][0], open(sys.argv[2]).read()
sys.exit(not eval("(" + sys.argv[3] + ")"))
END
    )
    code=$?
    echo "$said" >>"$scratch/out"
    return $code
}

# What NCCL took is by size in the stand-in: a tree with LL below 1 KiB of a call, else a ring with Simple.
choices_are_recorded() {
    local small='"TREE LL 1 channel"' large='"RING SIMPLE 4 channels"'
    measure 4 --backend nccl --all --details
    ((status == 0)) && result '{c["plan"]: c["measured"]["choices"] for c in m["candidates"]} == {
        "4": {"allreduce:1:4": '"$large"'},
        "2x2": {"reduce-scatter:1:2": '"$large"', "allreduce:2:2": '"$large"', "allgather:1:2": '"$large"'}}'
    say $? "measure --backend nccl: the result has what NCCL took for each stage" "$scratch/out"
    result '{b["name"]: b["measured"]["choices"] for b in m["baselines"]} == {"ncclAllReduce": {"allreduce": '"$large"'},
        "ncclAllReduce ring": {"allreduce": '"$large"'}, "ncclAllReduce symmetric": {"allreduce": "symmetric"}} and
        "in ncclAllReduce allreduce RING SIMPLE 4 channels" in out and "NCCL chose " in out'
    say $? "and for the baselines, that with symmetric windows among them, and says it" "$scratch/out"
    STANDIN_COUNTS_BYTES=1 measure 4 --backend nccl --all --collective allgather
    ((status == 0)) && result '{b["name"]: (b["measured"]["status"], b["measured"]["wrong_elements"]) for b in m["baselines"]} == dict.fromkeys(
        ["ncclAllGather", "ncclAllGather ring", "ncclAllGather symmetric", "ncclAllGather zero-CTA"], ("ok", 0)) and
        out.count(" bytes by copy engines") == 4'
    say $? "an allgather has a baseline more, whose windows NCCL copies by copy engines" "$scratch/out"
    STANDIN_COUNTS_BYTES=1 measure 4 --backend nccl --all
    ((status == 0)) && result '"bytes among 4 ranks" in out and " bytes by copy engines" not in out'
    say $? "an AllReduce has none of that kind" "$scratch/out"
    measure 4 --backend nccl --all --chunks 3
    ((status == 0)) && result '{c["plan"]: c["measured"]["choices"] for c in m["candidates"]}["2x2/3"] ==
        {"reduce-scatter:1:2": '"$large"', "allreduce:2:2": '"$small"', "allgather:1:2": '"$large"'}'
    say $? "by what enters a stage, chunks included" "$scratch/out"
    measure 4 --backend nccl-graph --all
    ((status == 0)) && result 'all(set(c["measured"]["choices"].values()) == {'"$large"'} for c in m["candidates"])'
    say $? "measure --backend nccl-graph: also where runs are replays" "$scratch/out"
    measure 4 --backend nccl-symmetric --all
    ((status == 0)) && result 'all(set(c["measured"]["choices"].values()) == {"symmetric"} for c in m["candidates"]) and
        m["baselines"][0]["measured"]["choices"] == {"allreduce": '"$large"'}'
    say $? "measure --backend nccl-symmetric: layers have windows, NCCL's default call has none" "$scratch/out"
    STANDIN_LOCAL_RANKS=2 measure 4 --backend nccl-symmetric --all
    ((status == 0)) && result '{c["plan"]: set(c["measured"]["choices"].values()) for c in m["candidates"]} ==
        {"4": {'"$large"'}, "2x2": {"symmetric"}}'
    say $? "a layer that spans nodes has none, which is no failure, and the result says so" "$scratch/out"
    STANDIN_NCCL=22700 measure 2 --backend nccl
    ((status == 0)) && result 'all("choices" not in c["measured"] for c in m["candidates"] + m["baselines"])'
    say $? "before NCCL 2.28 nothing is said of it" "$scratch/out"
    NCCL_PROFILER_PLUGIN=mine measure 2 --backend nccl
    ((status == 0)) && result 'all("choices" not in c["measured"] for c in m["candidates"] + m["baselines"]) and
        r["environment"]["NCCL_PROFILER_PLUGIN"] == "mine"'
    say $? "nor where the user has a profiler, which stays" "$scratch/out"
}

# Calls on one communicator are in order: chunks of a plan of one stage gain nothing.
one_stage_has_no_chunks() {
    local backend
    for backend in nccl nccl-graph; do
        measure 4 --backend $backend --all --chunks 1,3
        ((status == 0)) && result 'sorted(c["plan"] for c in m["candidates"]) == ["2x2", "2x2/3", "4"]'
        say $? "measure --backend $backend: plans of several layers are tried in chunks, the flat one is not" "$scratch/out"
    done
    measure 4 --backend nccl --plans 4/3
    ((status == 0)) && result 'sorted(c["plan"] for c in m["candidates"]) == ["4", "4/3"] and
        {c["measured"]["status"] for c in m["candidates"]} == {"ok"}'
    say $? "measure --backend nccl --plans: unless it is asked for" "$scratch/out"
}

# What gpu_probe says of a GPU, fit takes: a block's rate and how many there are end up in the system.
the_probe_is_fitted() {
    local machine='8xH100, 8xNDR400, 32'
    timeout 180 "$programs/gpu_probe" 1048576 >"$scratch/probe.json" 2>"$scratch/out" &&
        timeout 180 "$build/hiersearch" fit "$machine" "$scratch/probe.json" -o "$scratch/r.json" >>"$scratch/out" 2>&1 &&
        "${PYTHON3:-/usr/bin/python3}" - "$scratch/probe.json" "$scratch/r.json" >>"$scratch/out" 2>&1 <<'END'
import json, sys
probe, blocks = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["blocks"]
adds = [f for f in probe["figures"] if f["name"] == "sum of two arrays by `count` blocks, float32"]
beside = {f["count"]: f["seconds"] for f in probe["figures"] if f["name"].startswith("copy on the device beside")}
most = max(f["bytes"] / f["count"] / f["seconds"] for f in adds) / 1e9
part = 1 - beside[0] / beside[24]
at_once = probe["processors"] if part * probe["processors"] <= 24 else int(24 / part)
print(blocks, most, at_once)
sys.exit(not (abs(blocks["GBps"] - most) < 1e-6 * most and abs(blocks["at_once"] - at_once) <= 1 and
              [f["count"] for f in adds] == [1, 2, 4, 8, 16, 32, 64, 128, 132] and "stand-in" in blocks["source"]))
END
    say $? "fit: the probe's figures of blocks are the system's" "$scratch/out"
    timeout 180 "$build/hiersearch" systems "$scratch/r.json" >"$scratch/out" 2>&1
    grep -q "blocks of NCCL's kernels, one per channel: each adds .* GB/s at most, of which a GPU has" "$scratch/out"
    say $? "systems: and are shown" "$scratch/out"
}

# All groups of a mesh at once: plans and NCCL's calls, of which each group has a communicator, also over a gap.
groups_are_measured() {
    local backend collective
    local good='r["mesh"] == "a=2,b=2,c=2" and all(x["measured"]["status"] == "ok" and x["measured"]["wrong_elements"] == 0
        for x in m["candidates"] + m["baselines"]) and len(m["baselines"]) == (4 if r.get("collective") == "allgather" else 3)'
    for backend in nccl nccl-graph nccl-symmetric; do
        for collective in allreduce reduce-scatter allgather; do
            [ $backend = nccl ] || [ $collective = reduce-scatter ] || continue
            [ "$mode" != quick ] || [ $backend = nccl-graph ] || [ $backend-$collective = nccl-allreduce ] || continue
            measure 8 --backend $backend --mesh a=2,b=2,c=2 --group a,c --collective $collective --op avg --all
            ((status == 0)) && result "$good"' and r["group"] == "a,c"'
            say $? "measure --backend $backend --mesh a=2,b=2,c=2 --group a,c: every split and the library's own $collective" "$scratch/out"
        done
    done
    measure 6 --backend nccl --mesh tp=2,dp=3 --group dp --op avg --all --chunks 1,3
    ((status == 0)) && result '{b["name"]: b["measured"]["status"] for b in m["baselines"]} ==
        {"ncclAllReduce": "ok", "ncclAllReduce ring": "ok", "ncclAllReduce symmetric": "ok"} and
        [c["plan"] for c in m["candidates"]] == ["3"]'
    say $? "averages of groups of 3 are divided by 3" "$scratch/out"
    measure 8 --backend nccl --mesh tp=2,dp=4 --group dp --all
    result '{c["plan"]: set(c["measured"]["choices"]) for c in m["candidates"]} == {"4": {"allreduce:2:4"},
        "2x2": {"reduce-scatter:2:2", "allreduce:4:2", "allgather:2:2"}} and
        all(b["measured"]["choices"] for b in m["baselines"])'
    say $? "what NCCL took is known of each, by stages of the machine" "$scratch/out"
}

environment_is_kept() {
    NCCL_ALGO=Tree NCCL_COLLNET_ENABLE=1 measure 2 --backend nccl
    ((status == 0)) && result 'r["environment"] == {"NCCL_ALGO": "Tree", "NCCL_COLLNET_ENABLE": "1",
        "NCCL_LAUNCH_ORDER_IMPLICIT": "1", "NCCL_PROFILER_PLUGIN": "STATIC_PLUGIN"}'
    say $? "measure --backend nccl: the result has the variables NCCL_ that the user set, and those that were set for NCCL" "$scratch/out"
    printf 'NCCL_ALGO=Ring\nNCCL_NTHREADS=256\n' >"$scratch/nccl.conf"
    NCCL_CONF_FILE=$scratch/nccl.conf NCCL_ALGO=Tree measure 2 --backend nccl
    ((status == 0)) && result 'r["environment"]["NCCL_NTHREADS"] == "256" and r["environment"]["NCCL_ALGO"] == "Tree" and
        r["environment"]["NCCL_CONF_FILE"].endswith("nccl.conf")'
    say $? "and what NCCL read from nccl.conf" "$scratch/out"
    measure 2 --backend host --buffers host
    ((status == 0)) && result '"environment" not in r'
    say $? "measure --backend host: no such variables" "$scratch/out"
    measure 2 --backend nccl --journal "$scratch/j"
    sed -i 's/RING SIMPLE/AS BEFORE/' "$scratch/j"
    measure 2 --backend nccl --journal "$scratch/j" --resume
    result 'm["candidates"][0]["measured"]["choices"] == {"allreduce:1:2": "AS BEFORE 4 channels"}'
    say $? "measure --resume: what NCCL took in a run before stands in the result" "$scratch/out"
    rm -f "$scratch/j"
}

# By default, because a thread per call of those that do not would weigh on plans; a result says which they were.
communicators_block() {
    measure 2 --backend nccl
    ((status == 0)) && result 'r["versions"]["device"] == "NCCL 2.28.9, stand-in"'
    say $? "measure --backend nccl: communicators are blocking" "$scratch/out"
    result 'all(c["measured"]["median_seconds"] == c["measured"]["device_median_seconds"] and
        c["measured"]["eager_median_seconds"] > 0 for c in m["candidates"] + m["baselines"])'
    say $? "measure --backend nccl: plans are ranked by the device's time of held runs, the host's is beside it" "$scratch/out"
    # Those of all ranks, of the only layer, and of the ring and the windows that are compared with, of 16 MiB each.
    result 'r["versions"]["memory_per_rank"].startswith("64.0") and r["versions"]["memory_per_rank"].endswith("MiB")'
    say $? "measure --backend nccl: what communicators take of the GPU's memory is counted" "$scratch/out"
    HIERSEARCH_NCCL_BLOCKING=0 measure 2 --backend nccl
    ((status == 0)) && result 'r["versions"]["device"] == "NCCL 2.28.9, stand-in, non-blocking communicators"'
    say $? "measure --backend nccl: non-blocking ones where that is asked for, and the result says so" "$scratch/out"
}

# layers_overlap BACKEND WHY [NAME=VALUE...]: what the result says of it; "" where they do.
layers_overlap() {
    local backend=$1 why=$2
    shift 2
    export "${@?}"
    measure 2 --backend "$backend"
    unset "${@%%=*}"
    ((status == 0)) && result "r['versions']['device'] == 'NCCL 2.28.9, stand-in$why'"
    say $? "measure --backend $backend, $*: the result says whether layers may overlap" "$scratch/out"
}

sharing_is_asked_for() {
    export STANDIN_GPUS=1
    timeout 180 "$here/../runner/launch.sh" "$mpi" 2 "$programs/nccl_job" splits quick >"$scratch/out" 2>&1
    grep -q '2 ranks share one GPU.*HIERSEARCH_SHARED_GPU=1' "$scratch/out"
    say $? "ranks that share a GPU are refused, and told what to set" "$scratch/out"
    HIERSEARCH_SHARED_GPU=1 job 2 "$programs/nccl_job" sharing
    measure 2 --backend nccl
    ((status == 2)) && grep -q -- '--backend nccl: 2 ranks share one GPU.*HIERSEARCH_SHARED_GPU=1.*NCCL_HOSTID.*NCCL_NET=Socket.*NCCL_MULTI_RANK_GPU_ENABLE=1' "$scratch/out"
    say $? "measure --backend nccl: refused, with the names of the variables" "$scratch/out"
    measure 2
    ((status == 0)) && result 'r["backend"] == "host" and "device" not in r["versions"] and
        "backend host, not backend nccl: 2 ranks share one GPU" in out'
    say $? "measure: auto takes host on host memory then, and says why" "$scratch/out"
    measure 2 --backend host --buffers device
    ((status == 2)) && grep -q -- '--buffers device: 2 ranks share one GPU' "$scratch/out"
    say $? "measure --buffers device: refused too" "$scratch/out"
    HIERSEARCH_SHARED_GPU=1 measure 2 --backend host --buffers device
    ((status == 0)) && result '"no time means anything" in r["versions"]["device"]'
    say $? "measure --buffers device on a shared GPU says that its times mean nothing" "$scratch/out"
    unset STANDIN_GPUS
}

buffers_are_chosen() {
    local all='all(c["measured"]["status"] == "ok" for c in m["candidates"] + m["baselines"])'
    measure 4 --backend host --all --chunks 1,3
    ((status == 0)) && result "$all"' and len(m["candidates"]) == 4 and
        r["versions"]["device"] == "GPU memory, through pinned host memory, stand-in"'
    say $? "measure --backend host: GPU memory where each rank has a GPU, staged, all plans right" "$scratch/out"
    measure 4 --backend host --buffers host
    ((status == 0)) && result "$all"' and "device" not in r["versions"]'
    say $? "measure --buffers host: host memory" "$scratch/out"
    STANDIN_MPI=aware measure 4 --backend mpi --all --chunks 1,3
    ((status == 0)) && result "$all"' and r["versions"]["mpi_cuda_aware"] == "yes" and
        r["versions"]["device"] == "GPU memory, handed to MPI as it is, stand-in"'
    say $? "measure --backend mpi: GPU memory where MPI is CUDA-aware, all plans right" "$scratch/out"
    measure 4 --backend mpi
    ((status == 0)) && result "$all"' and "device" not in r["versions"] and r["versions"]["mpi_cuda_aware"] == "no"'
    say $? "measure --backend mpi: host memory where MPI is not" "$scratch/out"
    measure 4 --backend mpi --buffers device
    ((status == 2)) && grep -q 'takes no GPU pointers (CUDA-aware: no)' "$scratch/out"
    say $? "measure --backend mpi --buffers device: refused where MPI is not" "$scratch/out"
    HIERSEARCH_MPI_CUDA_AWARE=0 STANDIN_MPI=aware measure 4 --backend host
    ((status == 0)) && result "$all"' and r["versions"]["device"].startswith("GPU memory, through pinned")'
    say $? "HIERSEARCH_MPI_CUDA_AWARE=0 overrules what the MPI library says" "$scratch/out"
    measure 2 --backend nccl --buffers device
    ((status == 2)) && grep -q 'the backend nccl has no choice' "$scratch/out"
    say $? "measure --backend nccl --buffers device: refused, it has no choice" "$scratch/out"
    STANDIN_GPUS=0 measure 2 --backend host --buffers device
    ((status == 2)) && grep -q -- '--buffers device: no GPU' "$scratch/out"
    say $? "measure --buffers device: refused where there is no GPU" "$scratch/out"
}

# other_device BACKEND FACT NAME=VALUE TEXT: with another device a run does not go on from this one's journal; TEXT is
# what the fact then is.
other_device() {
    # Too short a budget: the journal is kept, with what the run began with.
    measure 2 --backend "$1" --journal "$scratch/j" --budget 1us
    measure 2 --backend "$1" --journal "$scratch/j" --budget 1us --resume
    local same=$status
    export "${3?}"
    measure 2 --backend "$1" --journal "$scratch/j" --budget 1us --resume
    unset "${3%%=*}"
    ((same != 2 && status == 2)) && grep -qF "there and is \"$4\" here" "$scratch/out" &&
        grep -q "of another run: $2 was" "$scratch/out"
    say $? "measure --backend $1 --resume: refused where $2 is another one" "$scratch/out"
    rm -f "$scratch/j"
}

# On machines that are made up: tests/detect/fake_nvml.c. With MPICH two ranks can be told that they are on two nodes.
nodes_are_described() {
    ${CC:-cc} -shared -fPIC -o "$scratch/nvml.so" "$here/../detect/fake_nvml.c" || { say 1 "a fake NVML is built"; return; }
    export HIERSEARCH_NVML=$scratch/nvml.so FAKE_NVML=switch
    local line
    line=$("$build/hiersearch" systems --here --text 2>/dev/null)
    measure 2 --backend nccl
    result 'len(r["topology"]) == 1 and r["topology"][0]["driver"] == "999.1" == r["versions"]["driver"] and
        [g["links"] for g in r["topology"][0]["gpus"]][1] == ["NV18", "X", "NV18", "NV18"] and
        r["topology"][0]["gpus"][3]["pci"] == "0000:08:00"'
    say $? "measure: the result has the GPUs of the node and what joins them" "$scratch/out"
    [ -n "$line" ] && result "r['topology'][0]['proposed_system'] == '$line' and '$line' in out"
    say $? "measure: without a SYSTEM it proposes what systems --here proposes" "$scratch/out"
    measure 2 'a:2@1GB/s~0s' --backend nccl
    result '"proposed_system" not in r["topology"][0] and len(r["topology"][0]["gpus"]) == 4'
    say $? "measure: with a SYSTEM it proposes none" "$scratch/out"
    PYTHONPATH=$here/../record "${PYTHON3:-/usr/bin/python3}" -W ignore -c 'import sys, check_schema
sys.exit(check_schema.fault(check_schema.validator(), open(sys.argv[1], encoding="utf-8").read()))' "$scratch/r.json" >>"$scratch/out" 2>&1
    say $? "measure: that is by the schema" "$scratch/out"
    other_device nccl driver FAKE_NVML_DRIVER=1.2.3 "1.2.3, CUDA 13.0"
    if [ "$mpi" = mpich ]; then
        export MPIR_CVAR_NUM_CLIQUES=2
        measure 2 --backend host --buffers host
        result '[len(k["hosts"]) for k in r["topology"]] == [2] and len(r["placement"]["nodes"]) == 2'
        say $? "measure: nodes that are alike are one kind" "$scratch/out"
        timeout 180 mpiexec.mpich -n 1 env FAKE_NVML=mesh "$programs/measure" --size 4KiB --buffers host -b host -o "$scratch/r.json" \
            : -n 1 env FAKE_NVML=pcie "$programs/measure" --size 4KiB --buffers host -b host -o "$scratch/r.json" >"$scratch/out" 2>&1
        result '[len(k["hosts"]) for k in r["topology"]] == [1, 1] and
            [k["proposed_system"].split(":")[0] for k in r["topology"]] == ["nvlink", "pcie"]'
        say $? "measure: nodes that are not alike are two kinds" "$scratch/out"
        unset MPIR_CVAR_NUM_CLIQUES
    fi
    unset HIERSEARCH_NVML FAKE_NVML
}

# The backends host and mpi on device memory, with an MPI that takes none and with one that does.
device_memory() {
    job "$1" "$programs/device_job" "${2:-}"
    STANDIN_MPI=aware job "$1" "$programs/device_job" "${2:-}"
}

stand_in_itself
for np in 1 2; do job $np "$programs/nccl_job" splits quick; done
case $mode in
    quick)
        job 4 "$programs/nccl_job" splits first
        HIERSEARCH_NCCL_BLOCKING=0 job 2 "$programs/nccl_job" splits first
        job 2 "$programs/nccl_job_old" splits first
        ;;
    usual)
        job 3 "$programs/nccl_job" splits quick
        job 4 "$programs/nccl_job" splits first
        HIERSEARCH_NCCL_BLOCKING=0 job 2 "$programs/nccl_job" splits quick
        job 2 "$programs/nccl_job_old" splits quick
        ;;
    full)
        job 3 "$programs/nccl_job" splits quick
        job 4 "$programs/nccl_job" splits quick
        job 6 "$programs/nccl_job" splits first
        HIERSEARCH_NCCL_BLOCKING=0 job 4 "$programs/nccl_job" splits quick
        job 4 "$programs/nccl_job_old" splits first
        ;;
esac
if [ "$mode" != quick ]; then
    # Before 2.22 a group does not hold aborts together: each has a thread.
    HIERSEARCH_NCCL_BLOCKING=0 STANDIN_NCCL=22105 job 8 "$programs/nccl_job" faults
    job 4 "$programs/nccl_job" hangs 0.4
fi
job 2 "$programs/nccl_job" abort-order 0.4
communicators_block
choices_are_recorded
groups_are_measured
one_stage_has_no_chunks
the_probe_is_fitted
environment_is_kept
layers_overlap nccl ", layers do not overlap: NCCL_LAUNCH_ORDER_IMPLICIT=0" NCCL_LAUNCH_ORDER_IMPLICIT=0
layers_overlap nccl ", layers do not overlap: driver before CUDA 12.3" STANDIN_DRIVER=12020
layers_overlap nccl "" STANDIN_DRIVER=12080
layers_overlap nccl-graph ", layers do not overlap: graphs, driver before CUDA 12.9" STANDIN_DRIVER=12080
job 2 "$programs/nccl_job" time
device_memory 2 quick
[ "$mode" = quick ] || for np in 3 4; do device_memory $np quick; done
sharing_is_asked_for
buffers_are_chosen
other_device nccl gpu STANDIN_GPU=other other
other_device nccl nccl STANDIN_NCCL=22999 2.29.99
other_device nccl environment NCCL_ALGO=Tree NCCL_ALGO=Tree
other_device nccl-graph driver STANDIN_DRIVER=12080 "CUDA 12.8"
other_device host gpu STANDIN_GPU=other other
other_device host buffers STANDIN_MPI=aware "GPU memory"
STANDIN_GPUS=0 timeout 180 "$programs/measure" --size 4KiB --backend nccl >"$scratch/out" 2>&1
(($? == 2)) && grep -q 'no GPU' "$scratch/out"
say $? "without a GPU the backend says so" "$scratch/out"
nodes_are_described
if [ "$mode" = quick ]; then
    collective=all-to-all measured wrong:exchange:4 \
        's == {"8": "ok", "2x4": "wrong", "4x2": "wrong", "2x2x2": "ok"} and b == {"ncclSend/ncclRecv": "ok"}' \
        "measure --collective all-to-all: a wrong bit is found"
    finish
    exit
fi
measured hang:reduce-scatter:4 \
    's == {"8": "ok", "2x4": "ok", "4x2": "timeout", "2x2x2": "ok"} and set(b.values()) == {"ok"}' \
    "measure: a plan that hangs is a timeout, all others are measured"
backend=nccl-graph measured error:allreduce:4 \
    's == {"8": "ok", "2x4": "failed", "4x2": "ok", "2x2x2": "ok"} and r["backend"] == "nccl-graph"' \
    "measure: a plan with an error of NCCL is failed, with graphs too"
collective=all-to-all measured hang:exchange:4 \
    's == {"8": "ok", "2x4": "timeout", "4x2": "timeout", "2x2x2": "ok"} and b == {"ncclSend/ncclRecv": "ok"}' \
    "measure --collective all-to-all: plans that hang are timeouts, all others are measured"
backend=nccl-graph collective=all-to-all measured error:exchange:4 \
    's == {"8": "ok", "2x4": "failed", "4x2": "failed", "2x2x2": "ok"} and r["collective"] == "all-to-all"' \
    "measure --collective all-to-all: plans with an error of NCCL are failed, with graphs too"
collective=all-to-all measured wrong:exchange:4 \
    's == {"8": "ok", "2x4": "wrong", "4x2": "wrong", "2x2x2": "ok"} and b == {"ncclSend/ncclRecv": "ok"}' \
    "measure --collective all-to-all: a wrong bit is found"
if [ "$mode" = full ]; then
    limit=900
    for np in 2 3 4 5 6 7 8; do job $np "$programs/nccl_job" splits; done
    for np in 9 10 11 12 13 14 15 16; do job $np "$programs/nccl_job" splits quick; done
    job 4 "$programs/nccl_job" time
    job 8 "$programs/nccl_job" faults
    HIERSEARCH_NCCL_BLOCKING=0 job 4 "$programs/nccl_job" hangs 0.7
    for np in 1 2 3 4 5 6 7 8; do device_memory $np; done
    unset MAKEFLAGS MFLAGS
    export ASAN_OPTIONS=detect_leaks=0 # MPI's own; the stand-in counts what the backend leaves
    make -s BUILD="$build/sanitized-nccl" SANITIZE=address,undefined nccl-programs >"$scratch/out" 2>&1
    say $? "the programs build with -fsanitize=address,undefined" "$scratch/out"
    programs=$build/sanitized-nccl/tests/nccl
    for np in 2 4 6 8; do job $np "$programs/nccl_job" splits quick; done
    for np in 3 8; do device_memory $np quick; done
    job 8 "$programs/nccl_job" faults
fi
finish
