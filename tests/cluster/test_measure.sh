#!/bin/bash
# hiersearch measure on several hosts: the emulated cluster and a real Slurm. TAP; needs root.
# shellcheck disable=SC2016 # texts in single quotes are for eval
#     tests/cluster/test_measure.sh HIERSEARCH      the program hiersearch, hiersearch-measure (MPICH) beside it
set -u
(($# == 1)) || { echo "usage: ${0##*/} HIERSEARCH" >&2; exit 2; }
hiersearch=$(realpath -e "$1") || exit 2
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=tests/cluster/ground.sh
. "$here/ground.sh"
lack=$(ground_lacks cluster ip tc nsenter setpriv mpiexec.mpich)
[[ -z $lack ]] || { echo "1..0 # SKIP $lack"; exit 0; }
# Debian's Slurm lets MPICH in through PMI2; measure_job.sh brings check, get, holds and is_valid.
set -- mpich "$(dirname "$hiersearch")/hiersearch-measure"
# shellcheck source=tests/runner/measure_job.sh
. "$here/../runner/measure_job.sh"
trap 'rm -rf "$scratch"' EXIT
quick=(--warmup 1 --precision 50% --min-samples 2 --budget 8s --layer-runs 0 --quiet)
ranks='[n["ranks"] for n in r["placement"]["nodes"]]'

# on_cluster OUTPUT "SHAPE AND JOB OPTIONS" ARGUMENTS...: MPICH 4.0.2 may hang in MPI_Finalize over TCP, so the result decides.
on_cluster() {
    local output=$1 options=$2
    shift 2
    # shellcheck disable=SC2086
    timeout -k 5 260 "$here/cluster" run $options --timeout 240 -- "$hiersearch" measure "$@" "${quick[@]}" \
        -o "$output" >out 2>err
    status=$?
}

"$here/cluster" describe >machine.json
on_cluster cluster.json "" machine.json --size 256KiB --top 3
check "16 ranks on 8 emulated hosts are seen as 8 nodes of 2" "holds cluster.json '$ranks == [2] * 8'"
check "all candidates are right on the emulated cluster" \
    'holds cluster.json "all(c[\"measured\"][\"wrong_elements\"] == 0 for c in m[\"candidates\"] if \"measured\" in c)"'
check "the model names the levels it crossed" \
    'holds cluster.json "{l[\"level\"] for c in m[\"candidates\"] for l in c[\"layers\"]} <= {\"host\", \"rack\", \"spine\"}"'
check "the result of the cluster is valid" 'is_valid cluster.json'

on_cluster uneven5.json "--racks 1 --hosts-per-rack 2 --ranks-per-host 4 --np 5" --size 64KiB
check "5 ranks on nodes of 4 are measured" "holds uneven5.json 'sorted($ranks) == [1, 4] and m[\"best\"] == \"5\"'"
check "and said to be uneven" 'holds uneven5.json "\"uneven\" in r[\"placement\"][\"note\"]"'
on_cluster uneven6.json "--racks 1 --hosts-per-rack 2 --ranks-per-host 4 --np 6" --size 64KiB --all
check "6 ranks on nodes of 4 are measured" "holds uneven6.json 'sorted($ranks) == [2, 4] and len(m[\"candidates\"]) == 3'"

for _ in {1..5}; do # again where the machine was so busy that no line fits the times
    timeout -k 5 260 "$here/cluster" run --racks 1 --hosts-per-rack 2 --ranks-per-host 4 --np 6 --timeout 240 -- "$hiersearch" \
        measure --calibrate 'host:4@4GB/s~7us,rack@125MB/s~8us' --backend host --size 64KiB --budget 8s --quiet -o cal6.json >out 2>err
    status=$?
    grep -q "no fit" err || break
done
sentence="6 ranks on nodes of 4 are calibrated, layers that cross nodes in their second group alone among them, and predicted"
if grep -q "no fit" err; then
    skip "$sentence" "the machine is too busy"
else
    "$hiersearch" predict cal6.json --np 6 --size 64KiB --samples 0 >predicted 2>>err
    check "$sentence" \
        'grep -q "^Assumed: .*nodes of 4 and of 2 ranks are cut into units of 2" predicted && grep -qE "^ *[0-9] +2x3 " predicted'
fi

lack=$(shm_lacks 64)
if [[ $lack ]]; then
    skip "64 ranks on this machine complete" "$lack"
else
    measure 64 --size 256KiB --plans 4x4x4 "${quick[@]}" -o ranks64.json
    check "64 ranks on this machine complete" '[ $status = 0 ] && holds ranks64.json "m[\"best\"] in (\"4x4x4\", \"64\")"'
fi

lack=$(ground_lacks slurm munged slurmctld slurmd srun salloc)
if [[ $lack ]]; then
    skip "measure under srun" "$lack"
    skip "measure under salloc and mpiexec" "$lack"
else
    timeout -k 5 260 "$here/slurm" run --timeout 240 -- srun --mpi=pmi2 -N4 --ntasks-per-node=2 \
        "$hiersearch" measure --size 64KiB "${quick[@]}" -o "$scratch/srun.json" >out 2>err
    status=$?
    check "under srun 8 ranks are seen on 4 nodes" "holds srun.json '$ranks == [2] * 4' && is_valid srun.json"
    timeout -k 5 260 "$here/slurm" run --timeout 240 -- salloc -N2 --ntasks-per-node=2 mpiexec.mpich \
        "$hiersearch" measure --size 64KiB "${quick[@]}" -o "$scratch/salloc.json" >out 2>err
    status=$?
    check "under salloc and mpiexec 4 ranks are seen on 2 nodes" "holds salloc.json '$ranks == [2] * 2' && is_valid salloc.json"
fi
finish
