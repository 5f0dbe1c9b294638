#!/bin/bash
# bench/accuracy_published.py on times made up here: what it leaves out, what it fits, how it scores, and that no file makes it
# fall over. TAP on stdout. usage: test_published.sh PROGRAM (bench/published.c)
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/library}
program=$(realpath -m "$1")
python=${PYTHON3:-/usr/bin/python3}
command -v "$python" >/dev/null || { echo "1..0 # SKIP no $python"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
check() { say "$2" "$1" "$scratch/out" "$scratch/err"; } # check SENTENCE STATUS
bench() { "$python" "$top/bench/accuracy_published.py" --program "$program" "$@" >"$scratch/out" 2>"$scratch/err"; }
with() { bench --data "$scratch/data" --machines "$scratch/machines" --points "$scratch/points" "$@"; }
said() { grep -qF -- "$1" "$scratch/out" "$scratch/err"; }
# point NODES BYTES US [MORE]: a table of one row, of the machine m.
point() {
    printf '{"system": "m", "nodes": %s, "gpus_per_node": 4, "ranks": %s, "collective": "allreduce", "algorithm": "NCCL default",
             "nccl_version": "2.28.9", "rows": [{"bytes": %s, "time_us": %s}]%s}' "$1" $(($1 * 4)) "$2" "$3" "${4:-}"
}
tables() { local IFS=,; printf '[%s]' "$*" >"$scratch/data"; }
column() { awk -F '\t' -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == row + 1 { print $c }' \
    "$scratch/points"; }

echo '{"m": {"parts": "4xH100-mesh, 4xNDR200", "library": "nccl"}}' >"$scratch/machines"

bench
[ $? = 2 ] && said "DATA='FILE...'" && said "MACHINES='FILE...'"
check "without files it says what it needs, and ends with 2" $?

# 25.629021023 us: tests/library/price_goldens.h, first row
tables "$(point 2 256 51.258042045)"
with && said "100.0 ( 50.0)" && [ "$(column 1 fitted)" = none ] && [ "$(column 1 published_seconds)" = 5.1258042e-05 ] &&
    [ "$(column 1 predicted_seconds)" = 2.5629021e-05 ]
check "a time predicted half as long is 100 % off, and 50 % by the plain mean" $?

# Constants of parts that were not measured together are 1.35 widths off: 1.36 to 4.83e-05 s.
awk -v low="$(column 1 low_seconds)" -v high="$(column 1 high_seconds)" -v at=2.5629021e-05 \
    'BEGIN { exit !(low > 1.36e-05 && high < 4.83e-05 && low < at / 1.1 && low * high / at / at - 1 < 1e-6 &&
                    low * high / at / at - 1 > -1e-6) }'
check "the range of parts that were measured together is narrower than that of their classes" $?

tables "$(point 2 256 24)" "$(point 2 512 24 ', "mark": "odd"')" "$(point 2 1024 24 ', "fit": false')"
with && said "2 points of 2 tables" && said "m: marked tables" && [ "$(column 2 bytes)" = 1024 ]
check "what is marked is left out and counted, what is not to be fitted is scored" $?

# Registered buffers (nccl-tests -R 2), launched alone and from a CUDA graph: src/library/constants_nccl.h, sym_call and sym_graph.
echo '{"m / sym": {"parts": "8xB200", "library": "nccl"}}' >"$scratch/machines"
tables "$(printf '{"system": "m / sym", "nodes": 1, "gpus_per_node": 8, "ranks": 8, "collective": "allreduce", "algorithm": "default",
    "nccl_version": "2.28.9, -R 2%s", "rows": [{"bytes": 64, "time_us": 5}]},' '' ' -G (graph)' | sed '$s/,$//')"
with && said "symmetric" && awk -v one="$(column 1 predicted_seconds)" -v two="$(column 2 predicted_seconds)" \
    'BEGIN { exit !(one > 6e-6 && one < 7.5e-6 && two > 3e-6 && two < 4e-6) }'
check "registered buffers have kernels of their own, and start sooner from a graph" $?

# RCCL: what the sizes of a price say (src/library/constants_rccl.h): 12.59 us of a call, and 31.19 of one process.
echo '{"m": {"parts": "4xMI300X", "library": "rccl"}}' >"$scratch/machines"
tables "$(point 1 8 12.6)" "$(point 1 8 43.8 ', "notes": "one process, -g 8"')"
with && said "RCCL nodes" && awk -v one="$(column 1 predicted_seconds)" -v two="$(column 2 predicted_seconds)" \
    'BEGIN { exit !(one > 12e-6 && one < 13.2e-6 && two - one > 30e-6 && two - one < 33e-6) }'
check "RCCL has a price, and takes longer where one process drives all GPUs" $?

# MPI's own, of machines and not of systems of levels: by every algorithm that is published.
own=()
for call in {allgather,reducescatter}\ {ring,recursive_doubling,recursive_halving}\ {ompi,mpich}\ {16,128}; do
    read -r collective algorithm library nodes <<<"$call"
    system='Leonardo (Dragonfly+)'
    [ "$library" = ompi ] || system='LUMI-C (Dragonfly)'
    own+=("$(printf '{"system": "%s", "nodes": %s, "gpus_per_node": 1, "ranks": %s, "collective": "%s", "algorithm": "%s_%s",
                     "rows": [{"bytes": 1024, "time_us": 40}, {"bytes": 1048576, "time_us": 900}, {"bytes": 67108864, "time_us": 40000}]}' \
        "$system" "$nodes" "$nodes" "$collective" "$algorithm" "$library")")
done
echo '{"Leonardo (Dragonfly+)": {"parts": "1xCPU, 1xHDR100", "library": "openmpi"},
       "LUMI-C (Dragonfly)": {"parts": "1xCPU, 1xSS11", "library": "mpich"}}' >"$scratch/machines"
tables "${own[@]}"
with && awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_seconds") c = i }
    NR > 1 { n++; bad += !($c > 1e-6 && $c < 10) } END { exit !(n >= 72 && bad == 0) }' "$scratch/points"
check "reduce-scatters and allgathers of MPI have a price on a machine" $?
echo '{"m": {"parts": "4xH100-mesh, 4xNDR200", "library": "nccl"}}' >"$scratch/machines"

# Twice as slow as the shipped constants on 2 and 4 nodes: on 8 they are to be expected slow, too.
slow=()
for bytes in 256 16384 1048576; do
    tables "$(point 2 $bytes 1)" "$(point 4 $bytes 1)" "$(point 8 $bytes 1)"
    with || break
    for row in 1 2 3; do
        slow+=("$(point $((1 << row)) $bytes "$(column $row predicted_seconds | awk '{ print 2e6 * $1 }')")")
    done
done
tables "${slow[@]}"
with --fit 'nodes<=4' && [ "$(column 1 fitted)" = 'nodes<=4' ] && said "points 3/0/0" &&
    awk '/multi-node +ours/ { near = $3 + 0 < 40 && $3 + 0 > 0 } END { exit !near }' "$scratch/out"
check "a machine's own small counts say how slow its larger ones are" $?
with --fit log && said "m, 2 -> 4 nodes" && said "m, 2 -> 8 nodes" && ! said "4 -> 8" &&
    awk '/^  m \(3 points fitted\)/ { near = $5 > 95 && $7 > 0 && $7 < 45 && $10 == 2 } END { exit !near }' "$scratch/out"
check "one log of the smallest count says how slow larger ones are, and beside it what was said without" $?
with --fit 'nodes<=1' && [ "$(column 1 fitted)" = none ] && ! said "nodes<=1:"
check "a machine without small counts stays as it ships" $?

other=$(point 2 256 24 ', "system": "unknown"')
tables "$other" '{"system": "gone"}' '[]' 'null' '7' "$(point 2 256 '"soon"')" "$(point -1 256 24)" "$(point 2 1e999 24)" \
    "$(point 2 256 0)" "$(point 999999999999999999999 256 24)" "$(point 2 256 24 ', "rows": {}')" "$(point 2 256 24 ', "rows": []')" \
    "$(point 2 256 24 ', "rows": [null, {}, {"bytes": true, "time_us": 1}]')" "$(point 2 256 24 ', "collective": "gossip"')" \
    "$(point 2 256 24 ', "gpus_per_node": 5')" "$(point 2 256 24 ', "collective": "allgather", "algorithm": "Tree"')" "$(point 2 256 24)"
for fit in none others half log 'nodes<=8'; do
    with --fit "$fit" && said "1 points of 1 tables" && [ "$(wc -l <"$scratch/points")" = 2 ]
    check "odd tables are said and left out, FIT=$fit" $?
done
said "unknown: a machine that is not described" && said 'm: no usable "time_us"' && said 'm: no usable "nodes"' && said "m: no rows" &&
    said 'm: unknown collective "gossip"' && said "m: expected 1 to 4 GPUs" && said "m: NCCL has no such algorithm"
check "each with its reason" $?

for machines in '{}' '{"m": null}' '{"m": {"parts": 4, "library": "nccl"}}' '{"m": {"parts": "4xH1OO-mesh", "library": "nccl"}}' \
    '{"m": {"parts": "4xH100", "library": "nccl"}}' '{"m": {"parts": "8xH100", "library": "rccl"}}' '{"m": {"parts": "8xMI300X", "library": "oneccl"}}'; do
    echo "$machines" >"$scratch/machines"
    with --fit others || break
done
said "0 points" && said 'library "oneccl"'
check "machines that have no price are said and left out" $?
echo '[]' >"$scratch/machines"
with
[ $? = 2 ] && said "an object of machines"
check "a file of another shape is refused" $?
echo '{' >"$scratch/data"
with
[ $? = 2 ] && bench --data "$scratch/none" --machines "$scratch/machines" --fit sometimes
[ $? = 2 ] && said "FIT: expected"
check "so are no JSON, and a condition that there is not" $?
finish
