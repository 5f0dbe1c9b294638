# nccl_ranks.sh - for tests of programs with the stand-in for NCCL, in $build, by a script in $here: a folder of their own with
# nothing of a job in the environment, checks, processes as torchrun starts them, and what programs are built with.
# shellcheck shell=bash disable=SC2034,SC2154
source=$here/../.. cuda=${CUDA_HOME:-/usr/local/cuda} nccl=${NCCL_HOME:-/usr/local/cuda}
hiersearch=$build/hiersearch library=$build/libhiersearch-nccl.so
unset "${!NCCL_@}" "${!HIERSEARCH_@}" "${!STANDIN_@}" RANK WORLD_SIZE LD_PRELOAD
unset "${!SLURM_@}" "${!PMI_@}" "${!OMPI_@}"
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/hs-nccl-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export STANDIN_DIR=$scratch JOB_FOLDER=$scratch/ids
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
tap_shows=(out err {0..7}.said)
# built_for VENDOR: flags to compile programs with, and links: the stand-in for NCCL and CUDA (nccl) or for RCCL and HIP (rccl).
built_for() {
    flags=(-std=gnu11 -O1 -I"$source/src" -isystem "$nccl/include" -isystem "$cuda/include")
    standin=$build/tests/nccl/libnccl.so.2 links=()
    if [ "$1" = rccl ]; then
        standin=$build/tests/nccl/librccl.so.1 links=("${standin%/*}/libamdhip64.so.7")
        flags+=(-include "$here/hip_names.h")
    fi
    links+=("$standin" "-Wl,--enable-new-dtags" "-Wl,-rpath,${standin%/*}")
}
# ranks NP COMMAND...: so many processes at once; what they print is in N.said, what they were left by in statuses.
ranks() {
    local np=$1 pids=() pid
    shift
    rm -rf "$JOB_FOLDER" ./*.said
    mkdir "$JOB_FOLDER"
    for ((rank = 0; rank < np; rank++)); do
        RANK=$rank WORLD_SIZE=$np timeout -k 5 180 "$@" >"$rank.said" 2>&1 </dev/null &
        pids+=($!)
    done
    statuses=''
    for pid in "${pids[@]}"; do
        wait "$pid" 2>/dev/null
        statuses+="$? "
    done
}
