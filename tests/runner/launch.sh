#!/bin/bash
# Starts a program under one of the two MPIs, oversubscribed and as root if need be.
#     tests/runner/launch.sh mpich|openmpi RANKS PROGRAM [ARGUMENT...]
set -u
! command -v mpiexec.mpich >/dev/null || PATH=$(cd "$(dirname "$0")/../bin" && pwd -P):$PATH
(($# >= 3)) || { echo "usage: launch.sh mpich|openmpi RANKS PROGRAM [ARGUMENT...]" >&2; exit 2; }
mpi=$1 ranks=$2
shift 2
case $mpi in
    mpich) launch=(mpiexec.mpich -n "$ranks") ;;
    openmpi)
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        launch=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np "$ranks")
        ;;
    *) echo "launch.sh: expected mpich or openmpi, found $mpi" >&2; exit 2 ;;
esac
command -v "${launch[0]}" >/dev/null || { echo "1..0 # SKIP no ${launch[0]}"; exit 0; }
{ [ "$mpi" = mpich ] && [ -z "${LIVE-}" ]; } || exec "${launch[@]}" "$@"
# Hydra's own end can go wrong on a busy machine (255, and words of its own), whatever the ranks did: then once more. With LIVE=1
# the launcher takes this process' place, as who sends it signals wants it.
held=$(mktemp -d) || exit 1
# shellcheck disable=SC2064 # that folder
trap "cat '$held/out'; cat '$held/err' >&2; rm -rf '$held'" EXIT
trap 'exit 143' TERM
for turn in 1 2; do
    "${launch[@]}" "$@" >"$held/out" 2>"$held/err"
    status=$?
    { [ "$turn$status" = 1255 ] && grep -q '^\[mpiexec@.* HYDT_bscu' "$held/err"; } || break
done
exit "$status"
