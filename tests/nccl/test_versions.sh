#!/bin/bash
# NCCL's header and library of the versions that the Python packages of today bring, without a GPU: the engine compiles
# with the header; the loader finds all its functions and a communicator is refused politely; NCCL's own profiler code
# takes our plugin. TAP on stdout.
#     tests/nccl/test_versions.sh BUILD       after: make BUILD/tests/nccl/versions_gpu
# The packages (216 MB each) lie in BUILD/nccl; with FETCH=1 pip brings those that are missing. Else, and where it
# cannot, the NCCL that is installed is tested alone. The oldest and the newest one; with TESTS=full those between, too.
set -u
(($# == 1)) || { echo "usage: test_versions.sh BUILD" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd -P)
build=$(realpath "$1") source=$here/../..
program=$build/tests/nccl/versions_gpu
[[ -x $program ]] || { echo "1..0 # SKIP built without NCCL"; exit 0; }
wanted=(2.28.9 2.32.3)
[[ ${TESTS:-} = full ]] && wanted+=(2.30.7)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset "${!NCCL_@}" "${!HIERSEARCH_@}"
cd "$source" || exit 1

# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
# shellcheck source=tests/package.sh
. "$here/../package.sh"

# version HEADER: 2.28.9
version() {
    sed -nE 's/^#define NCCL_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' "$1" | paste -sd.
}

# offsets LIBRARY: what versions.c wants to know, NAME=NUMBER a line.
offsets() {
    local task
    timeout -k 5 100 gdb -batch "$1" -ex 'printf "comm=%lu\n", sizeof(struct ncclComm)' \
        -ex 'printf "plan=%lu\n", sizeof(struct ncclKernelPlan)' -ex 'printf "task=%lu\n", sizeof(struct ncclTaskColl)' \
        -ex 'printf "plan.comm=%lu\n", &((struct ncclKernelPlan *)0)->comm' \
        -ex 'printf "plan.tasks=%lu\n", &((struct ncclKernelPlan *)0)->collTaskQueue.head' \
        -ex 'printf "ncclGetUniqueId=%lu\n", ncclGetUniqueId' -ex 'printf "init=%lu\n", ncclProfilerPluginInit' \
        -ex 'printf "start=%lu\n", ncclProfilerStartTaskEvents' -ex 'printf "mask=%lu\n", &ncclProfilerEventMask' \
        -ex 'ptype /o struct ncclTaskColl' 2>"$scratch/gdb" >"$scratch/debug"
    grep -E '^[a-zA-Z.]+=[0-9]+$' "$scratch/debug"
    while read -r task; do
        sed -nE "s/^\/\* +([0-9]+)[^*]*\*\/ +[a-zA-Z0-9_]+ ${task#*:}( : 8)?;$/task.${task%:*}=\1/p" "$scratch/debug" | head -n 1
    done <<<$'function:func\ndatatype:datatype\nalgorithm:algorithm\nprotocol:protocol\nchannels:nChannels\nmask:eActivationMask'
}

# check_version FOLDER: with include/nccl.h and lib/libnccl.so.2
check_version() {
    local name library=$1/lib/libnccl.so.2 file wrong=0 known
    name=$(version "$1/include/nccl.h")
    for file in src/engine/nccl*.c src/engine/cuda_memory.c; do
        "${MPICC:-mpicc}" -std=c11 -D_GNU_SOURCE -Isrc -DHS_HAVE_NCCL -isystem "$1/include" -isystem \
            "${CUDA_HOME:-/usr/local/cuda}/include" -Wall -Wextra -Werror -fsyntax-only "$file" 2>>"$scratch/cc" || wrong=1
    done
    say $wrong "$name: the engine compiles with its header" "$scratch/cc"
    timeout -k 5 180 "$program" "$library" >"$scratch/out" 2>&1
    say $? "$name: its library is loaded, without a GPU" "$scratch/out"
    grep -qx "version $(awk -F. '{ printf "%d%02d%02d", $1, $2, $3 }' <<<"$name"), 0 functions missing, windows yes" "$scratch/out"
    say $? "$name: it has every function that the backends can use, windows too" "$scratch/out"
    grep -q '^refused: a communicator: .' "$scratch/out"
    say $? "$name: without a GPU a communicator is refused, and NCCL says why" "$scratch/out"
    mapfile -t known < <(command -v gdb >/dev/null && offsets "$library")
    if ((${#known[@]} != 15)); then
        skip "$name: its profiler code takes our plugin" "no gdb, or no debug information (${#known[@]} of 15)"
        return
    fi
    timeout -k 5 180 "$program" "$library" "${known[@]}" >"$scratch/out" 2>&1
    grep -qx 'init 0' "$scratch/out" && [[ $(grep -x 'events [0-9]*' "$scratch/out" | paste -sd,) = "events 514,events 0" ]]
    say $? "$name: its profiler code takes our plugin, which asks for events while it listens" "$scratch/out"
    grep -qx 'took "RING LL128 5 channels"' "$scratch/out"
    say $? "$name: and is told algorithm, protocol and channels" "$scratch/out"
}

for version in "${wanted[@]}"; do
    folder=${NCCL_HOME:-/usr/local/cuda}
    if [[ ! -e $folder/lib/libnccl.so.2 || $(version "$folder/include/nccl.h") != "$version" ]]; then
        folder=$build/nccl/$version
        fetch_package nvidia-nccl-cu13 "$version" nvidia/nccl "$folder"
    fi
    if [[ -e $folder/lib/libnccl.so.2 ]]; then
        check_version "$folder"
    else
        skip "NCCL $version" "neither installed nor in BUILD/nccl (FETCH=1 brings it)"
    fi
done
finish
