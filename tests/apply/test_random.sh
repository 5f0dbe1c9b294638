#!/bin/bash
# Random collective calls (random_calls.c) beside the library alone: by themselves, under `hiersearch profile` and under
# `hiersearch run` with plans for every size and every group. TAP on stdout.
#     tests/apply/test_random.sh mpich|openmpi BUILD [CALLS] [HIERSEARCH]
set -u
mpi=${1:?mpich or openmpi} build=$(realpath -m "${2:?build folder}") calls=${3:-1000}
hiersearch=$(realpath -m "${4:-$build/hiersearch}")
here=$(cd "$(dirname "$0")" && pwd -P)
command -v "mpicc.$mpi" >/dev/null || { echo "1..0 # SKIP no mpicc.$mpi"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
seed=${HS_RANDOM_SEED:-1}
most_bytes=$((calls > 1000 ? 8000000 : 300000)) # of a message
interposer=$build/libhiersearch-mpi.so
# try RANKS SEED SENTENCE WORDS...: the program with these words before it. A hang is as wrong as a wrong element.
try() {
    local ranks=$1 with=$2 sentence=$3
    shift 3
    if timeout -k 5 $((120 + calls / 10)) "$here/../runner/launch.sh" "$mpi" "$ranks" "$@" ./random_calls "$calls" "$with" "$most_bytes" \
        >out 2>err </dev/null && grep -q "^$calls calls" out; then
        ok "$mpi, $ranks ranks, seed $with: $sentence"
        grep -h -e "^$calls calls" -e '^hiersearch run: ' out err | sed 's/^/# /'
    else
        not_ok "$mpi, $ranks ranks, seed $with: $sentence" < <(tails out err)
    fi
}
# plans RANKS ORDER OTHER: NAME.json, a result with a plan of two layers for all sizes, for each collective; of all ranks and
# of pairs. Reduce-scatters in one order, allgathers in the other.
plans() {
    local ranks=$1 collective order system="core:2@100GB/s~10ns,numa:$(($1 / 2))@1GB/s~10us"
    rm -f ./*.json
    for collective in allreduce reduce-scatter allgather all-to-all; do
        order=natural
        [ "$collective" != reduce-scatter ] || order=$2
        [ "$collective" != allgather ] || order=$3
        "$hiersearch" predict "$system" --np "$ranks" --collective "$collective" --layout "$order" --size 1B,1KiB,1MiB --samples 0 --quiet \
            -o "$collective.json" >/dev/null || return 1
    done
    "$hiersearch" predict "$system" --mesh "a=2,b=$((ranks / 2))" --group b --size 1B,1KiB,1MiB --samples 0 --quiet -o pairs.json >/dev/null
}

"mpicc.$mpi" -std=c11 -D_GNU_SOURCE -O1 -o random_calls "$here"/random_*.c -lm -lpthread 2>err ||
    { echo "Bail out! $(head -n 3 err)"; exit 1; }
by_plans() { # by_plans RANKS SEED ORDERS
    try "$1" "$2" "by plans, $3, every call is as the library alone" "$hiersearch" run --interposer "$interposer" \
        allreduce.json reduce-scatter.json allgather.json all-to-all.json pairs.json --
}
for ranks in 4 6; do
    for orders in "packed packed" "packed natural" "natural natural"; do
        # shellcheck disable=SC2086 # two words
        plans "$ranks" $orders 2>err || { echo "Bail out! $(head -n 3 err)"; exit 1; }
        by_plans "$ranks" "$seed" "$orders"
    done
    [ "$ranks" = 4 ] || [ "$calls" -ge 1000 ] || continue
    by_plans "$ranks" "$((seed + 1))" "$orders"
    try "$ranks" "$seed" "the library is as itself" env
    try "$ranks" "$((seed + 1))" "profiled, every call is as the library alone" \
        "$hiersearch" profile --interposer "$interposer" -o "$scratch/p.json" --
done
finish
