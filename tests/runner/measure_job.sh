# measure_job.sh - for the tests of hiersearch-measure, which source it with their own two arguments:
#     mpich|openmpi PROGRAM      PROGRAM: hiersearch-measure built with that MPI
# shellcheck shell=bash
(($# == 2)) || { echo "usage: ${0##*/} mpich|openmpi PROGRAM" >&2; exit 2; }
mpi=$1
program=$(realpath -e "$2") || exit 2
source_tree=$(cd "$(dirname "$0")/../.." && pwd -P)
launch=("$source_tree/tests/runner/launch.sh" "$mpi")
command -v "mpiexec.$mpi" >/dev/null || { echo "1..0 # SKIP no mpiexec.$mpi"; exit 0; }
python=${PYTHON3:-/usr/bin/python3}
scratch=$(mktemp -d)
export NO_COLOR=1 LC_ALL=C
unset COLUMNS SLURM_JOB_ID SLURM_JOB_NODELIST
cd "$scratch" || exit 2

# shellcheck source=tests/tap.sh
. "$source_tree/tests/tap.sh"
status=0 mode=() tap_behind=" ($mpi)"
tap_shows=("$scratch/out" "$scratch/err")

# measure NP ARGUMENTS...: runs to its end, in that mode (--calibrate, or nothing); sets status, writes out and err.
measure() {
    local np=$1
    shift
    timeout -k 5 180 "${launch[@]}" "$np" "$program" "${mode[@]}" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# calmly NP ARGUMENTS...: measure, for a calibration of this machine. Where it was so busy that no line fits the times, again.
calmly() {
    for _ in {1..5}; do
        measure "$@"
        too_busy || break
    done
}
too_busy() { [ $status = 1 ] && said "no fit"; }

# Lines on stderr that are ours: launchers add their own. What is said of the described machine does not count.
our_lines() { grep -v ': note: no latency' "$scratch/err" | grep -c '^hiersearch measure: '; }
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
    PYTHONPATH=$source_tree/tests/record PYTHONDONTWRITEBYTECODE=1 "$python" -W ignore -c 'import sys, check_schema
sys.exit(check_schema.fault(check_schema.validator(), open(sys.argv[1], encoding="utf-8").read()))' "$1"
}
