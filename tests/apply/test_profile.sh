#!/bin/bash
# `hiersearch profile` in front of programs that know nothing of it (job.c, job.f90): what it counts is what they call, they
# end as without it, and nothing is lost by a kill. TAP on stdout.
#     tests/apply/test_profile.sh mpich|openmpi BUILD [HIERSEARCH]
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
# run NP ARGUMENTS...: under the profile, into p.json; sets status.
run() {
    local np=$1
    shift
    rm -rf p.json p.json.ranks
    timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" "$np" "$hiersearch" profile \
        --interposer "$build/libhiersearch-mpi.so" -o p.json -- "$@" >out 2>err </dev/null
    status=$?
}
# holds FILE EXPRESSION: Python about the profile p and its calls by (call, type, ranks, stride): c.
holds() {
    "${PYTHON3:-/usr/bin/python3}" - "$1" "$2" >>out 2>&1 <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
c = {(x["call"], x.get("datatype", ""), x["group_ranks"], x.get("group_stride", 0)): x for x in p["calls"]}
if not eval("(" + sys.argv[2] + ")"):
    sys.exit(f"{sys.argv[2]}: {sorted(c)}")
END
}
is_valid() {
    "${PYTHON3:-/usr/bin/python3}" - "$1" "$here/../../docs/profile.schema.json" >>out 2>&1 <<'END'
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))
END
}

# Each kind of calls of gains.json that has a plan, asked by itself.
gains_are_answers() {
    "${PYTHON3:-/usr/bin/python3}" - "$hiersearch" >>out 2>&1 <<'END'
import json, subprocess, sys
gains = json.load(open("gains.json"))["gains"]
calls = json.load(open("p.json"))["calls"]
priced = {(g["call"], g["group_ranks"]): g for g in gains if "library_seconds" in g}
assert len(gains) == len(calls) and len(priced) == 7, priced
assert {g["collective"] for g in gains if "library_seconds" not in g} == {"barrier", "broadcast", "gather"}
for g in priced.values():
    stride, ranks = g["group_stride"], g["group_ranks"]
    mesh = ["--mesh", "a=%d,b=%d,c=%d" % (stride, ranks, 4 // (stride * ranks)), "--group", "b"]
    answer = json.loads(subprocess.run([sys.argv[1], "predict", "node:2@10GB/s~1us,ib@1GB/s~10us;library=mpich", *mesh, "--collective", g["collective"],
        "--size", str(round(g["mean_bytes"])), "--json"], check=True, capture_output=True).stdout)["results"][0]
    assert abs(answer["default"]["seconds"] - g["library_seconds"]) <= 1e-9 * g["library_seconds"], (g, answer["default"])
    assert g["plan"] in ("library", answer["best"]), (g, answer["best"])
END
}

"mpicc.$mpi" -O1 -o job "$here/job.c" 2>err
run 4 ./job
check "the program ends as without, and the profile is by its schema, where it was to go" '[ $status = 0 ] && is_valid p.json'
check "nothing else is left" '[ ! -e p.json.ranks ]'
check "ranks, node, library and end are told" 'holds p.json "p[\"ranks\"] == 4 and p[\"finished\"] and len(p[\"nodes\"]) == 1 and \
    p[\"nodes\"][0][\"ranks\"] == 4 and \"MPI\" in p[\"library\"] and p[\"command\"] == \"./job\" and p[\"seconds\"] > 0.5"'
check "every call that was right is counted, on every rank, and nothing else" 'holds p.json "{k: (v[\"calls\"], v[\"bytes\"]) for k, v in c.items()} == {
    (\"MPI_Allreduce\", \"float64\", 4, 1): (40, 40 * 8000), (\"MPI_Allreduce\", \"int32\", 2, 1): (8, 32),
    (\"MPI_Allreduce\", \"int32\", 2, 2): (4, 16),
    (\"MPI_Iallreduce\", \"float64\", 4, 1): (4, 32000), (\"MPI_Reduce_scatter_block\", \"float32\", 2, 2): (4, 4 * 8000),
    (\"MPI_Reduce_scatter\", \"int32\", 4, 1): (4, 4 * 4 * 46), (\"MPI_Allgather\", \"float32\", 2, 2): (8, 8 * 8000),
    (\"MPI_Alltoall\", \"int32\", 4, 1): (4, 4 * 1600), (\"MPI_Bcast\", \"byte\", 4, 1): (4, 4000),
    (\"MPI_Gather\", \"int32\", 4, 1): (4, 4 * 28), (\"MPI_Barrier\", \"\", 4, 1): (20, 0)}"'
check "groups of different ranks are told apart, duplicates are not" \
    'holds p.json "c[\"MPI_Allreduce\", \"int32\", 2, 1][\"groups\"] == 2 and c[\"MPI_Allgather\", \"float32\", 2, 2][\"groups\"] == 2"'
check "operations are named" 'holds p.json "c[\"MPI_Reduce_scatter\", \"int32\", 4, 1][\"operation\"] == \"bits\" and \
    c[\"MPI_Reduce_scatter_block\", \"float32\", 2, 2][\"operation\"] == \"max\""'
# Three ranks come a tenth of a second before the fourth, where the machine lets them.
check "who waits for the last rank to come is told" 'holds p.json "c[\"MPI_Barrier\", \"\", 4, 1][\"sampled_calls\"] == 5 and \
    0 < c[\"MPI_Barrier\", \"\", 4, 1][\"waited_seconds\"] <= c[\"MPI_Barrier\", \"\", 4, 1][\"sampled_seconds\"] and \
    \"waited_seconds\" not in c[\"MPI_Bcast\", \"byte\", 4, 1]"'
"$hiersearch" profile --read p.json >out 2>err
status=$?
check "it is shown" 'grep -q "4 ranks on 1 node" out && grep -q "^MPI_Reduce_scatter_block  *2 x 2, 2 apart  *float32  *max" out'
"$hiersearch" profile --read p.json --json >shown.json 2>err
check "also to programs" '"${PYTHON3:-/usr/bin/python3}" -c "import json
assert len(json.load(open(\"shown.json\"))[\"calls\"]) == 11"'

"$hiersearch" predict 'node:2@10GB/s~1us,ib@1GB/s~10us;library=mpich' --profile p.json --json >gains.json 2>err
status=$?
check "what is planned of it is the search's answer to the same question, and the rest says why not" '[ $status = 0 ] && gains_are_answers'

timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 "$build/hiersearch-measure" --profile p.json --collective allreduce --mesh w=4 --group w \
    --backend null 'node:2@10GB/s~1us,ib:2@1GB/s~10us' -q -o measured.json >out 2>err </dev/null
status=$?
"$hiersearch" predict measured.json --profile p.json --json >gains.json 2>>err || status=1
check "the sizes it calls are measured, and what is gained is the part of the job's time that was measured" '[ $status = 0 ] && "${PYTHON3:-/usr/bin/python3}" -c "import json
message, = json.load(open(\"measured.json\"))[\"results\"]
row, = [g for g in json.load(open(\"gains.json\"))[\"gains\"] if g[\"library_by\"] == \"result\" and \"library_seconds\" in g]
own = message[\"baselines\"][0][\"measured\"][\"median_seconds\"]
best = [c[\"measured\"][\"median_seconds\"] for c in message[\"candidates\"] if c[\"plan\"] == message[\"best\"]][0]
assert message[\"message_bytes\"] == 8000 == row[\"mean_bytes\"] and row[\"calls_per_rank\"] == 10
assert abs(row[\"gain_seconds_per_rank\"] - 10 * row[\"working_seconds\"] * max(0, 1 - best / own)) <= 1e-9 * own, (row, own, best)"'

for end in die abort; do
    timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 ./job $end >out 2>err </dev/null
    alone=$?
    run 4 ./job $end
    check "$end: the job ends as without" '[ $status = $alone ] && [ $status != 0 ] && [ ! -e p.json ]'
    "$hiersearch" report p.json.ranks -q -o p.html >out 2>err
    status=$?
    check "$end: the report of it says so" '[ $status = 0 ] && grep -q "The job did not end by itself" p.html && grep -q "MPI_Allreduce</td>" p.html'
    "$hiersearch" profile --read p.json.ranks -o p.json >out 2>err
    status=$?
    check "$end: what it had called is there" '[ $status = 0 ] && is_valid p.json && grep -q "did not end by itself" out && \
        holds p.json "not p[\"finished\"] and c[\"MPI_Allreduce\", \"float64\", 4, 1][\"calls\"] == 40"'
    check "$end: and stays there" '[ "$(ls p.json.ranks)" = "$(printf "%s.counts\n" 0 1 2 3)" ]'
done

# A look at a job that runs takes nothing from it.
rm -rf p.json p.json.ranks go
timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 "$hiersearch" profile --interposer "$build/libhiersearch-mpi.so" -o p.json -- ./job wait \
    >out 2>err </dev/null &
job=$!
# The last of its calls before it waits: 5 barriers of each rank.
until "$hiersearch" profile --read p.json.ranks -q -o snap.json 2>why && holds snap.json 'c["MPI_Barrier", "", 4, 1]["calls"] == 20' 2>>why; do
    kill -0 $job 2>/dev/null || break
    sleep 0.1
done
cksum p.json.ranks/* >before
"$hiersearch" profile --read p.json.ranks -q -o snap.json >out 2>why
status=$?
"$hiersearch" profile --read p.json.ranks -q -o - >snap-too.json 2>>why
cksum p.json.ranks/* | cmp - before >>why 2>&1 || status=1
check "what a running job has counted is shown, and stays as it is" '[ $status = 0 ] && is_valid snap.json && cmp snap.json snap-too.json && \
    [ "$(wc -l <before)" = 4 ] && holds snap.json "not p[\"finished\"] and c[\"MPI_Allreduce\", \"float64\", 4, 1][\"calls\"] == 40"' why
touch go
wait $job
status=$?
check "and the job's own profile is made at its end" '[ $status = 0 ] && is_valid p.json && [ ! -e p.json.ranks ] && \
    holds p.json "p[\"finished\"] and c[\"MPI_Barrier\", \"\", 4, 1][\"calls\"] == 24"'

# Nor does a disk without room, or a file that was cut off meanwhile end it. The mount is gone with its process.
mkdir full
cat >in-full <<END
mount -t tmpfs -o size=64k none full && head -c 65536 /dev/zero >full/fill 2>/dev/null
[ -s full/fill ] || exit 77
"$here/../runner/launch.sh" "$mpi" 4 "$hiersearch" profile --interposer "$build/libhiersearch-mpi.so" -o full/p.json -- ./job
END
if unshare -m true 2>/dev/null && timeout -k 5 120 unshare -m bash in-full >out 2>err </dev/null; status=$?; [ $status != 77 ] && [ $status != 1 ]; then
    check "on a full disk the program ends as without, and one line says why there is no profile" '[ $status = 0 ] && \
        [ "$(grep -c "^hiersearch" err)" = 1 ] && grep -q "^hiersearch profile: there is no profile: rank [0-3], .*: No space left on device" err'
else
    skip "on a full disk the program ends as without" "no tmpfs can be mounted"
fi
rm -rf p.json p.json.ranks go
timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 "$hiersearch" profile --interposer "$build/libhiersearch-mpi.so" -o p.json -- ./job wait \
    >out 2>err </dev/null &
job=$!
until [ -e p.json.ranks/0.counts ] || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
: >p.json.ranks/0.counts
touch go
wait $job
status=$?
check "nor a file that was cut off meanwhile" '[ $status = 0 ] && [ ! -s p.json ] && grep -q "0.counts: no counts of this build" err'

# Ranks of a run before lie about: those of this one are read.
mkdir p.json.ranks.old
run 4 ./job die
cp p.json.ranks/3.counts p.json.ranks.old/
run 2 ./job die
cp p.json.ranks.old/3.counts p.json.ranks.old/1.counts
cp p.json.ranks.old/3.counts p.json.ranks/
"$hiersearch" profile --read p.json.ranks --quiet -o p.json >out 2>err
status=$?
check "files of another run are none of this one's" '[ $status = 0 ] && holds p.json "p[\"ranks\"] == 2"'
"$hiersearch" profile --read p.json.ranks.old >out 2>err
status=$?
check "a file under another rank's name is refused, with its name" '[ $status = 2 ] && grep -q "1.counts: no counts of this build of hiersearch, or spoilt" err'
mkdir short && head -c 5000 p.json.ranks.old/3.counts >short/3.counts
"$hiersearch" profile --read short >out 2>err
status=$?
check "a file that was cut off, too" '[ $status = 2 ] && grep -q "short/3.counts: no counts of this build" err'
mkdir empty
"$hiersearch" profile --read empty >out 2>err
status=$?
check "a folder without counts says what may be the reason" '[ $status = 2 ] && grep -q "did it call MPI_Init" err'
"$hiersearch" profile -o p.json -- true >out 2>err
status=$?
check "a program without MPI runs, and nothing is written" '[ $status = 0 ] && [ ! -s out ] && [ ! -s err ]'
"$hiersearch" profile -o - -- true >out 2>err
status=$?
check "stdout is the program's own" '[ $status = 2 ] && [ ! -e - ] && grep -q "expected a file" err'
"$hiersearch" profile -o nowhere/p.json -- true >out 2>err
status=$?
check "a folder that is not there is told at once" '[ $status = 2 ] && grep -q "nowhere" err'
"$hiersearch" profile -o p.json -- ./no-such-program >out 2>err
status=$?
check "a program that is not there, too" '[ $status = 1 ] && grep -q "cannot run ./no-such-program" err'
"$hiersearch" profile -o p.json --interposer ./none.so -- true >out 2>err
status=$?
check "an interposer that is not there, too" '[ $status = 2 ] && grep -q -- "--interposer: ./none.so" err'

if command -v "mpifort.$mpi" >/dev/null && "mpifort.$mpi" -w -fallow-argument-mismatch -o fortran "$here/job.f90" 2>err; then
    run 4 ./fortran
    check "calls of Fortran are counted once" '[ $status = 0 ] && holds p.json "{k: (v[\"calls\"], v[\"bytes\"]) for k, v in c.items()} == {
        (\"MPI_Allreduce\", \"float64\", 4, 1): (16, 16 * 8000), (\"MPI_Iallreduce\", \"float64\", 4, 1): (4, 32000),
        (\"MPI_Bcast\", \"float64\", 4, 1): (4, 32000), (\"MPI_Alltoallw\", \"byte\", 4, 1): (4, 4 * 320), (\"MPI_Barrier\", \"\", 4, 1): (4, 0)}"'
else
    skip "calls of Fortran are counted once" "no mpifort.$mpi"
fi
if command -v "mpifort.$mpi" >/dev/null && "mpifort.$mpi" -o fortran08 "$here/carried08.f90" 2>err; then
    run 4 ./fortran08
    check "those of mpi_f08, too, with ierror and without" '[ $status = 0 ] && holds p.json "{n: tuple(
        sum(x[k] for x in p[\"calls\"] if x[\"call\"] == n) for k in (\"calls\", \"bytes\")) for n in {n for n, *_ in c}} == {
        \"MPI_Allreduce\": (24, 24 * 8000), \"MPI_Reduce_scatter_block\": (4, 4 * 32000), \"MPI_Reduce_scatter\": (4, 4 * 32000),
        \"MPI_Allgather\": (20, 20 * 32000), \"MPI_Alltoall\": (8, 8 * 32000), \"MPI_Bcast\": (4, 32000), \"MPI_Reduce\": (4, 32000),
        \"MPI_Scan\": (4, 32000), \"MPI_Exscan\": (4, 32000), \"MPI_Gather\": (4, 32000), \"MPI_Scatter\": (4, 32000),
        \"MPI_Gatherv\": (4, 56000), \"MPI_Scatterv\": (4, 56000), \"MPI_Allgatherv\": (4, 4 * 32000),
        \"MPI_Alltoallv\": (4, 4 * 32000), \"MPI_Alltoallw\": (4, 4 * 32000), \"MPI_Barrier\": (4, 0), \"MPI_Iallreduce\": (4, 32000),
        \"MPI_Ireduce_scatter\": (4, 4 * 32000), \"MPI_Iallgather\": (4, 4 * 32000), \"MPI_Ibarrier\": (4, 0)} and
        (\"MPI_Allreduce\", \"float64\", 2, 1) in c"'
    # The library's own names for mpi_f08, and what it calls of C's for others.
    library=$(ldd fortran08 | awk '/libmpi_usempif08|libmpichfort/ {print $3}' | head -1)
    names() { nm -D "$1" | awk '$1 == "U" {print $2} $2 == "T" {print $3}' | grep -E '^(MPIX?_[A-Z][a-z_]*|mpix?_.*_f08_)$' | sort -u; }
    # Persistent, of neighbours, and of sessions.
    of_no_matter='(.*_init|i?neighbor_.*|session_.*|reduce_local|initialized|finalized)'
    comm -23 <(names "$library") <(names "$build/libhiersearch-mpi.so") >unseen
    grep -iE 'reduce|scan|bcast|gather|scatter|alltoall|barrier|init|finalize' unseen |
        grep -ivE "^mpix?_$of_no_matter(_c|_f08_)?\$" |
        grep -ivE '^mpi_(win|file|op|errhandler|keyval|grequest|attr|dims|request|add|error|accumulate|get|raccumulate|rget)_' >missed
    check "every collective of it is seen" '[ -s unseen ] && [ ! -s missed ]' missed
else
    skip "those of mpi_f08, too" "no mpifort.$mpi, or no mpi_f08"
fi

run 4 ./no-such-program
check "of 4 ranks one tells that there is no program" '[ $status = 1 ] && [ "$(grep -c "^hiersearch" err)" = 1 ] && \
    grep -q "^hiersearch profile: cannot run ./no-such-program: " err'

# The other library's program: its handles would mean something else.
other=openmpi
[ "$mpi" = mpich ] || other=mpich
if command -v "mpicc.$other" >/dev/null && "mpicc.$other" -O1 -o other "$here/job.c" 2>err; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 180 "$hiersearch" profile \
        --interposer "$build/libhiersearch-mpi.so" -o p.json -- ./other >out 2>err
    status=$?
    check "a program of another MPI library is refused before it begins" '[ $status = 2 ] && grep -q "this program runs with .*was built for" err'
else
    skip "a program of another MPI library is refused" "no mpicc.$other"
fi
finish
