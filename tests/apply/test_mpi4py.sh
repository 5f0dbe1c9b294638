#!/bin/bash
# `hiersearch profile` and `run` in front of a Python program with the wheel of mpi4py on PyPI, which takes either MPI as the
# program starts. Debian's MPICH has not the name that it asks for (libmpi.so.12): then a line says what to do, and what it says
# works. TAP on stdout.
#     tests/apply/test_mpi4py.sh mpich|openmpi BUILD [HIERSEARCH]
# shellcheck disable=SC2016,SC2034,SC2154 # conditions are for eval; tap.sh sets the rest
set -u
mpi=${1:?mpich or openmpi} build=$(realpath -m "${2:?build folder}")
hiersearch=$(realpath -m "${3:-$build/hiersearch}")
here=$(cd "$(dirname "$0")" && pwd -P)
command -v "mpicc.$mpi" >/dev/null || { echo "1..0 # SKIP no mpicc.$mpi"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
tap_before="$mpi: "
tap_shows=(out err)
{ "${PYTHON3:-python3}" -m venv venv && venv/bin/pip install -q "mpi4py>=4.1"; } >out 2>err </dev/null ||
    { echo "1..0 # SKIP no mpi4py from PyPI"; exit 0; }
cat >app.py <<'END'
import array
from mpi4py import MPI

world = MPI.COMM_WORLD
ours, sums = (array.array("f", [world.rank + 1.0]) * 65536 for _ in range(2))
for _ in range(20):
    world.Allreduce(ours, sums)
if world.rank == 0:
    print("ranks", world.size, "sum", sums[0], flush=True)
END
job() { # NP PROGRAM...
    timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" "$@" >out 2>err </dev/null
    status=$?
}
started() { job 2 "$hiersearch" "$@"; }
interposer=(--interposer "$build/libhiersearch-mpi.so")
if [[ $mpi == mpich ]] && ! ldconfig -p | grep -q "libmpi\.so\.12 "; then
    started profile "${interposer[@]}" -o p.json -- venv/bin/python app.py
    check "where MPICH goes by another name the program's end says what to do, once" \
        '((status != 0)) && [[ $(grep -c "make it a link to .*/libmpich.so" err) == 1 ]] && says_link=$(sed -n "s/.*a link to \([^ ]*\) .*/\1/p" err)'
    mkdir abi
    ln -s "$says_link" abi/libmpi.so.12
    export LD_LIBRARY_PATH=$PWD/abi MPI4PY_LIBMPI=libmpi.so.12
fi
job 2 venv/bin/python app.py
check "the program runs by itself" '((status == 0)) && grep -q "^ranks 2 sum 3.0" out'
started profile "${interposer[@]}" -o p.json -- venv/bin/python app.py
check "its calls are counted" \
    '((status == 0)) && grep -q "^ranks 2 sum 3.0" out && ! grep -q "without MPI" err &&
     "$hiersearch" profile --read p.json >out && grep -q "^MPI_Allreduce .* 256KiB *20 " out'
started profile "${interposer[@]}" -o q.json -- venv/bin/python -c 'import subprocess, sys
from mpi4py import MPI
subprocess.run([sys.executable, "-c", "print(7)"], check=True)'
check "of other processes of Python that it starts nothing is said" '((status == 0)) && ! grep -q "without MPI" err'
job 2 "$build/hiersearch-measure" --plans 2 --size 256KiB --budget 5s --quiet -o here.json
started run "${interposer[@]}" here.json -- venv/bin/python app.py
check "and it runs by the plans of a result" '((status == 0)) && grep -q "^ranks 2 sum 3.0" out && grep -q "^hiersearch run: " err'
finish
