# measure_job.sh - for the tests of hiersearch-measure, which source it with their own two arguments:
#     mpich|openmpi PROGRAM      PROGRAM: hiersearch-measure built with that MPI
# shellcheck shell=bash
(($# == 2)) || { echo "usage: ${0##*/} mpich|openmpi PROGRAM" >&2; exit 2; }
mpi=$1
program=$(realpath -e "$2") || exit 2
case $mpi in
    mpich) launch=(mpiexec.mpich -n) ;;
    openmpi)
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        launch=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np)
        ;;
    *) echo "${0##*/}: expected mpich or openmpi, found $mpi" >&2; exit 2 ;;
esac
command -v "${launch[0]}" >/dev/null || { echo "1..0 # SKIP no ${launch[0]}"; exit 0; }
python=${PYTHON3:-/usr/bin/python3}
source_tree=$(cd "$(dirname "$0")/../.." && pwd -P)
scratch=$(mktemp -d)
export NO_COLOR=1 LC_ALL=C
unset COLUMNS SLURM_JOB_ID SLURM_JOB_NODELIST
cd "$scratch" || exit 2

number=0 status=0
# check SENTENCE CONDITION: the condition is a command line for eval.
check() {
    number=$((number + 1))
    if eval "$2" >"$scratch/why" 2>&1; then
        echo "ok $number - $1 ($mpi)"
    else
        echo "not ok $number - $1 ($mpi)"
        echo "# status $status; $2"
        sed 's/^/# /' "$scratch/why" "$scratch/out" "$scratch/err"
        ls -l "$scratch/run" 2>/dev/null | sed 's/^/# /'
    fi
}
skip() {
    number=$((number + 1))
    echo "ok $number - $1 ($mpi) # SKIP $2"
}

# measure NP ARGUMENTS...: runs to its end; sets status, writes out and err.
measure() {
    local np=$1
    shift
    timeout -k 5 50 "${launch[@]}" "$np" "$program" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# Lines on stderr that are ours: launchers add their own.
our_lines() { grep -c '^hiersearch measure: ' "$scratch/err"; }
said() { grep -qF -- "$1" "$scratch/err"; }

# get FILE EXPRESSION: prints a Python expression of the parsed file r (m is its first message).
get() {
    "$python" -c 'import json, sys
r = json.load(open(sys.argv[1])); m = r["results"][0] if r.get("results") else {}
print(eval(sys.argv[2]))' "$1" "$2"
}
# holds FILE EXPRESSION
holds() { [ "$(get "$1" "bool($2)")" = True ]; }
# Every line of a journal is JSON, and the last one is whole.
journal_is_whole() {
    "$python" -c 'import json, sys
text = open(sys.argv[1]).read(); assert text.endswith("\n"); lines = text.split("\n")[:-1]
assert json.loads(lines[0])["format"] == "hiersearch.journal/2"
for line in lines[1:]: assert json.loads(line)["name"]' "$1"
}
# By docs/result.schema.json.
is_valid() {
    PYTHONPATH=$source_tree/tests/result PYTHONDONTWRITEBYTECODE=1 "$python" -W ignore -c 'import sys, check_schema
sys.exit(check_schema.fault(check_schema.validator(), sys.argv[1]))' "$1"
}
