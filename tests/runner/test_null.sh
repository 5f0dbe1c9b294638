#!/bin/bash
# What injected faults do to a job. TAP on stdout.
#     tests/runner/test_null.sh mpich|openmpi PROGRAM      PROGRAM: mpi_null built with that MPI
set -u
(($# == 2)) || { echo "usage: test_null.sh mpich|openmpi PROGRAM" >&2; exit 2; }
mpi=$1 program=$2
launch=("$(dirname "$0")/launch.sh" "$mpi" 4)
command -v "mpiexec.$mpi" >/dev/null || { echo "1..0 # SKIP no mpiexec.$mpi"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Killed ranks of Open MPI leave their files behind: here they are removed with the rest.
export OMPI_MCA_btl_vader_backing_directory=$scratch OMPI_MCA_orte_tmpdir_base=$scratch

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
tap_behind=" ($mpi)"
tap_shows=("$scratch/out")

# job LIMIT FAULTS: ended after LIMIT seconds. (The status does not tell: Open MPI's is 137 after a crash.)
job() {
    local start=$SECONDS
    timeout -k 5 "$1" "${launch[@]}" "$program" "$2" >"$scratch/out" 2>&1
    status=$?
    # shellcheck disable=SC2034 # for the conditions
    late=$((SECONDS - start >= $1))
}
survived() { grep -q '^survived$' "$scratch/out"; }

job 60 noise=0.05,wrong=2x2
check "a job with harmless faults goes on" '((status == 0)) && survived'
job 60 hang=4,crash=2x2/2
check "faults of other plans do not matter" '((status == 0)) && survived'
job 60 crash=2x2
check "a crash ends the job with a failure" '((status != 0 && !late)) && ! survived'
job 5 hang=2x2
check "a plan that hangs does not return" '((late)) && ! survived'
finish
