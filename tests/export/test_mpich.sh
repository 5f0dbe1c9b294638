#!/bin/bash
# Exported environment in MPICH itself. That it was applied shows in the bits of floating-point sums: two layers add in
# another order than one. MPICH takes one machine for several nodes (cliques). TAP on stdout.
# shellcheck disable=SC2016,SC2034,SC2154,SC1091 # conditions are for eval; tap.sh sets the rest
. "$(dirname "$0")/tap.sh"
need mpicc.mpich mpiexec.mpich
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME
mpicc.mpich -O2 -o mpi_sums "$here/mpi_sums.c" 2>compile.err || bail "$(head -n 3 compile.err)"

# job OUTPUT NODES NP BYTES [NAME=VALUE...]
job() {
    local output=$1 nodes=$2 np=$3 bytes=$4
    shift 4
    env "$@" MPIR_CVAR_NUM_CLIQUES="$nodes" MPIR_CVAR_CLIQUES_BY_BLOCK=1 timeout -k 5 120 \
        mpiexec.mpich -n "$np" ./mpi_sums - "$bytes" >"$output" 2>"$output.err"
    status=$?
}
sum() { awk '{ print $2 }' "$1"; }
# A file's variables, as the shell that sources it sees them.
variables() { (
    set -a
    # shellcheck disable=SC1090
    . "./$1"
    env | grep '^MPIR_CVAR_'
); }

export_result small12 mpich two.env
export_result small12 mpich one.env --size 4KiB
mapfile -t two < <(variables two.env)
mapfile -t one < <(variables one.env)
device=MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0
check "two layers: 3x2x2 becomes 3x4, at a cost that file and stderr state" \
    'says two.env "3x2x2 for 1MiB becomes 3x4, 1.333 times as long" &&
     says two.env.notes "3x2x2 for 1MiB becomes 3x4, 1.333 times as long" && ((${#two[@]} == 2))' two.env
job plain 4 12 1048576 "$device"
job two 4 12 1048576 "${two[@]}"
check "the variables are accepted and the sums right" '((status == 0)) && says two wrong=0' two.err
check "and applied: MPICH adds in another order than its own flat choice" \
    '[[ $(sum two) && $(sum two) != "$(sum plain)" ]]' two
job one 4 12 6144 "${one[@]}"
check "a flat best plan is accepted, and its sums are right" '((status == 0)) && says one wrong=0' one.err
job two 4 12 6144 "${two[@]}"
job default 4 12 6144
check "and applied: MPICH's default on 4 nodes has two layers" \
    '[[ $(sum one) != "$(sum default)" && $(sum two) == "$(sum default)" ]]' one
job without 4 12 6144 MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather
check "without the second variable the first changes nothing" \
    '[[ $(sum without) == "$(sum default)" ]]' without
job wrong 4 12 6144 "${two[@]/smp/ring}"
check "an algorithm that MPICH does not have is what it aborts on" \
    '((status != 0)) && cat wrong wrong.err >all && says all "value (ring)"' wrong.err

# library12: MPI_Allreduce was measured 11.5 times faster at 64 MiB; at 1 MiB 3x2x2 was faster.
export_result library12 mpich library.env
mapfile -t none < <(variables library.env)
export_result library12 mpich split.env --size 1MiB
mapfile -t two < <(variables split.env)
job output 4 12 6144 "${none[@]}"
check "where the library was measured faster nothing is set, so MPICH does as without the file" \
    '((${#none[@]} == 0)) && [[ $(sum output) == "$(sum default)" ]]' output
check "and where it was not, the variables are set" '((${#two[@]} == 2))' split.env
for file in library.env library.env.notes split.env split.env.notes; do
    check "and all sizes for which it is faster are named: $file" \
        'says $file "MPI_Allreduce is 11.5 times faster than the plan at 64MiB (measured): keep the library"' $file
done
check "a choice for all sizes says that small messages are better left alone, and whom it affects" \
    'says split.env "mpich knows no sizes: messages below 4KiB are untested: use the library" &&
     says split.env "# affects every MPI_Allreduce of the job, in all communicators and of all sizes"' split.env

export_result asymmetric64 mpich asymmetric.env
mapfile -t two < <(variables asymmetric.env)
check "4x8x2 becomes 4x16, not 8x8 or 2x32" \
    'says asymmetric.env.notes "4x8x2 for 64MiB becomes 4x16, 1.400 times as long"' asymmetric.env.notes
# shellcheck source=tests/cluster/ground.sh
. "$here/../cluster/ground.sh"
lack=$(shm_lacks 64)
if [[ $lack ]]; then
    skip "which 64 processes on 16 nodes accept" "$lack"
else
    job output 16 64 4096 "${two[@]}"
    check "which 64 processes on 16 nodes accept, and their sums are right" \
        '((status == 0)) && says output wrong=0' output.err
fi
finish
