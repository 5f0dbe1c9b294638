#!/bin/bash
# hiersearch-measure of groups of a mesh, all of which call at once: real backends, faults, the
# journal, and what others make of it. TAP on stdout.
#     tests/runner/test_groups.sh mpich|openmpi PROGRAM
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
trap 'rm -rf "$scratch"' EXIT
quick=(--warmup 1 --min-samples 2 --max-samples 3 --budget 20s --layer-runs 1 -q)
system=nv:2@80GB/s~3us,ib@10GB/s~8us
hiersearch=$(dirname "$program")/hiersearch
[ -x "$hiersearch" ] || hiersearch=$(dirname "$program")/../hiersearch
declare -A call=([allreduce]=MPI_Allreduce [reduce-scatter]=MPI_Reduce_scatter_block [allgather]=MPI_Allgather)

# ---- real backends: every element of every group, 1003 floats, which nothing here divides ---------------------------
# groups MESH OVER PLANS: 2 groups of 4, 4 of 2, and 2 of 4 over a gap.
groups() {
    local collective backend
    for collective in allreduce reduce-scatter allgather; do
        for backend in host mpi; do
            measure 8 --size 4012B --backend $backend --mesh "$1" --group "$2" --collective $collective --op avg --all "${quick[@]}" -o r.json
            check "$backend: every split for a $collective over $2 of $1, and the library's own beside them" '[ $status = 0 ] && \
                is_valid r.json && holds r.json "(r[\"mesh\"], r[\"group\"]) == (\"'"$1"'\", \"'"$2"'\") and r[\"np\"] == 8 and \
                sorted(c[\"plan\"] for c in m[\"candidates\"]) == '"$3"' and \
                [b[\"name\"] for b in m[\"baselines\"]] == [\"${call[$collective]}\"] and all(x[\"measured\"][\"status\"] == \"ok\" and \
                x[\"measured\"][\"wrong_elements\"] == 0 for x in m[\"candidates\"] + m[\"baselines\"])"'
        done
    done
}
groups tp=2,dp=4 dp '[\"2x2\", \"4\"]'
groups dp=2,pp=4 dp '[\"2\"]'
groups a=2,b=2,c=2 a,c '[\"2x2\"]'
check "stages are those of the machine: strides count all ranks" 'holds r.json "[s[\"stage\"] for s in \
    m[\"candidates\"][0][\"measured\"][\"stages\"]] == [\"allgather:1:2\", \"allgather:4:2\"]"'
measure 8 "$system" --size 4012B --backend host --mesh tp=2,dp=4 --group dp --collective reduce-scatter --layout reversed \
    --plans 2hx2d,4n,4h "${quick[@]}" -o r.json
check "layers of groups go by the algorithms that a plan names, in any order" '[ $status = 0 ] && holds r.json \
    "all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"]) and len(m[\"candidates\"]) == 4"'
check "the answer says whose it is" 'grep -q "^host: 8 processes on 1 node, 2 groups of 4 over dp of tp=2,dp=4, 4012B per process, reduce-scatter (reversed layout)" out'
measure 8 --size 64KiB --backend host --mesh tp=2,dp=4 --group dp "${quick[@]}" -o lazy.json
check "without a system, the layers of groups are measured first" '[ $status = 0 ] && is_valid lazy.json && holds lazy.json \
    "m[\"search\"][\"strategy\"] == \"lazy\" and m[\"certificate\"][\"layers\"] == 3 and m[\"certificate\"][\"winner\"] in (\"4\", \"2x2\")"'

# ---- a machine that is played -----------------------------------------------------------------------------------------
played=("$system" --size 1MiB --backend null -q)
# same FILE FILE: what was measured is what is predicted.
same() {
    "$python" -c 'import json, sys
m, p = (json.load(open(f))["results"][0]["candidates"] for f in sys.argv[1:])
m = {c["plan"]: c["measured"]["median_seconds"] for c in m}; p = {c["plan"]: c["predicted_seconds"] for c in p}
assert m.keys() == p.keys() and all(abs(p[k] / m[k] - 1) < float(1e-6) for k in m), (m, p)' "$1" "$2"
}
for collective in allreduce reduce-scatter allgather; do
    asked=(--mesh tp=2,dp=4 --group dp --collective $collective)
    measure 8 "${played[@]}" "${asked[@]}" --all -o all-$collective.json
    measure 8 "${played[@]}" "${asked[@]}" -o lazy.json
    check "$collective: the planner of layers finds the best split of a group" '[ $status = 0 ] && is_valid lazy.json && \
        [ "$(get lazy.json "m[\"best\"]")" = "$(get all-$collective.json "m[\"best\"]")" ] && holds lazy.json \
        "m[\"certificate\"][\"winner\"] == m[\"best\"] and m[\"certificate\"][\"within\"] == 0 and \
        all(abs(t[\"seconds\"] / m[\"certificate\"][\"seconds\"] - 1) < 1e-9 for t in m[\"candidates\"][0:1] for t in [t[\"measured\"]] \
        for t in [{\"seconds\": t[\"median_seconds\"]}])"'
    measure 8 "${played[@]}" "${asked[@]}" --search lattice --top 1 -o top.json
    check "$collective: so does the model" '[ "$(get top.json "m[\"best\"]")" = "$(get all-$collective.json "m[\"best\"]")" ]'
done
measure 8 "${played[@]}" --mesh a=2,b=2,c=2 --group a,c -o gap.json
check "a group over a gap has the split that ends there, and no other" '[ $status = 0 ] && is_valid gap.json && \
    holds gap.json "[c[\"plan\"] for c in m[\"candidates\"]] == [\"2x2\"]" && sed -n 3p out | grep -q "2x2"'

# ---- what was measured of one group's calls prices others -----------------------------------------------------------------
mode=(--calibrate)
for collective in allreduce reduce-scatter allgather; do
    measure 8 nv:2@100GB/s~2us,ib@20GB/s~5us --plays "$system" --backend null --size 1MiB --mesh tp=2,dp=4 --group dp \
        --collective $collective -o cal.json
    check "--calibrate --collective $collective --group dp: the layers of such groups, in the phases of the call" '[ $status = 0 ] && \
        grep -q "^null: 8 processes, 2 groups of 4 over dp of tp=2,dp=4" out && "$python" -c "
import json, sys
p = json.load(open(\"cal.json\"))[\"fits\"][\"points\"]
phases = {\"allreduce\": {\"allreduce\", \"reduce-scatter\", \"allgather\"}}.get(\"$collective\", {\"allreduce\", \"$collective\"})
assert {(x[\"stride\"], x[\"size\"]) for x in p} == {(2, 2), (2, 4), (4, 2)}, p
assert {x[\"phase\"] for x in p} == phases and all(x[\"np\"] == 8 for x in p), p
full = {x[\"bytes\"] for x in p if x[\"stride\"] == 4 and x[\"phase\"] == \"$collective\"}
n = 2 ** 20 if \"$collective\" != \"allreduce\" else 2 ** 19
assert full == {n, n / 2, n / 4, n / 8}, full"'
    for other in allreduce reduce-scatter allgather; do
        "$hiersearch" predict cal.json --mesh tp=2,dp=4 --group dp --collective $other --size 1MiB --samples 0 --json >again.json
        check "and predicts what a group's $other takes" 'same all-$other.json again.json'
    done
done
check "a level that such groups do not use keeps its figures, and that is said" 'said "level \"nv\": no layer was measured there" && \
    holds cal.json "[l[\"latency_us\"] for l in r[\"levels\"]][0] == 2"'
"$hiersearch" predict cal.json --np 8 --size 1MiB --explain 2x4 >out 2>err
check "what others make of such a file" 'grep -q . out'
measure 8 --backend null --plays "$system" --stages allreduce:2:4 --mesh tp=2,dp=4 --group dp -o no.json
check "stages that are named are those of no mesh" '[ $status = 2 ] && grep -q -- "--stages: says itself what --mesh would" err'
calmly 8 --backend host --mesh tp=2,dp=4 --group dp --collective reduce-scatter --size 64KiB:4MiB --rounds 2 --min-samples 3 --max-samples 6 \
    --budget 30s --max-residual 99% -o real.json
too_busy && skip "and by a real backend" "the machine is too busy" || check "and by a real backend" '[ $status = 0 ] && holds real.json "{(x[\"stride\"], x[\"size\"]) for x in r[\"fits\"][\"points\"]} == {(2, 2), (2, 4), (4, 2)}"'
mode=()

# ---- faults ---------------------------------------------------------------------------------------------------------------
for collective in allreduce reduce-scatter allgather; do
    measure 8 "${played[@]/1MiB/128B}" --mesh tp=2,dp=4 --group dp --collective $collective --all --faults wrong=2x2:5 -o wrong.json
    check "$collective: wrong data of one group is found, and the group is named" '[ $status = 3 ] && \
        said "the data of 2x2 was wrong at 128B: 1 wrong element in sample 1, of group 2 of 2, ranks 1, 3, 5, 7" && holds wrong.json \
        "[(c[\"plan\"], c[\"measured\"][\"wrong_elements\"]) for c in m[\"candidates\"] if c[\"measured\"][\"status\"] == \"wrong\"] == [(\"2x2\", 1)]"'
done
measure 8 "${played[@]}" --mesh tp=2,dp=4 --group dp --all --faults slow=3:2 -o slow.json
check "a sample is the time of the slowest group" '[ $status = 0 ] && "$python" -c "
import json
slow, fast = ({c[\"plan\"]: c[\"measured\"][\"median_seconds\"] for c in json.load(open(f))[\"results\"][0][\"candidates\"]}
              for f in (\"slow.json\", \"all-allreduce.json\"))
assert all(abs(slow[p] / fast[p] - 2) < 1e-9 for p in slow), (slow, fast)"'
for refusal in "--mesh tp=2,dp=4 --group pp|--group: the mesh has no axis \"pp\"" "--mesh tp=2,dp=4|--mesh: only together with --group" \
    "--group dp|--group: only together with --mesh" "--mesh tp=2,dp=2 --group dp|--mesh: tp=2,dp=2 is 4 processes, the launcher started 8" \
    "--mesh tp=8,dp=1 --group dp|--group dp: expected groups of 2 processes or more" "--mesh tp=2,dp --group dp|--mesh: axis 2: expected NAME=SIZE" \
    "--mesh tp=2,dp=4 --group dp --plans 2x4|expected a product of 4, found 8" \
    "--mesh a=2,b=2,c=2 --group a,c --plans 4|--plans: 4: layer 1: expected none over the gap between ranks 1 and 2 of a group"; do
    # shellcheck disable=SC2086 # options
    measure 8 "${played[@]}" ${refusal%|*}
    check "${refusal%|*} is refused in one line" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "${refusal#*|}"'
done

# ---- resume -----------------------------------------------------------------------------------------------------------------
measure 8 "${played[@]}" --mesh tp=2,dp=4 --group dp --all --faults hang=4 --timeout 2s -o hang.json
check "a hang ends the job and names the plan" '[ $status = 1 ] && said "4 took more than 2.000 s" && journal_is_whole hang.json.journal'
for other in "--mesh tp=2,dp=4 --group tp" "--mesh dp=4,tp=2 --group dp" ""; do
    cp hang.json.journal before
    # shellcheck disable=SC2086 # options
    measure 8 "${played[@]}" $other --all --resume -o hang.json
    check "its journal is of no other mesh: ${other:-none}" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && \
        said "it is of another run: mesh was \"dp of tp=2,dp=4\" there and is" && cmp before hang.json.journal'
done
measure 8 "${played[@]}" --mesh tp=2,dp=4 --group dp --all --faults hang=4 --timeout 2s --resume -o hang.json
check "--resume goes on with the others" '[ $status = 0 ] && holds hang.json "r[\"complete\"] and \
    {c[\"plan\"]: c[\"measured\"][\"status\"] for c in m[\"candidates\"]} == {\"2x2\": \"ok\", \"4\": \"timeout\"}"'

# ---- what others make of it ----------------------------------------------------------------------------------------------
measure 8 "$system" --size 64KiB:1MiB --backend null --mesh tp=2,dp=4 --group dp --all -q -o sweep.json
"$hiersearch" fit "$system" sweep.json -o fitted.json >out 2>err
check "fit makes points of its stages" '"$hiersearch" predict fitted.json --mesh tp=2,dp=4 --group dp --size 1MiB --samples 0 --json >again.json && \
    same all-allreduce.json again.json'
check "bench/score.py says how far the prediction is off" '"$source_tree/bench/score.py" --program "$hiersearch" --predict "$system" all-allreduce.json >out && grep -q "^error *mean 0.0 %" out'
check "the report names the groups" '"$hiersearch" report sweep.json -o report.html 2>err && grep -q "over dp of tp=2,dp=4" report.html'
check "what holds for whole jobs refuses its export, naming the groups" '! "$hiersearch" export all-allreduce.json --to mpich -o x 2>err && \
    grep -q "is about groups of 4 over dp of tp=2,dp=4" err'
check "PyTorch gets the group" '"$hiersearch" export all-allreduce.json --to pytorch -q | grep -q "^NP = 4 "'
finish
