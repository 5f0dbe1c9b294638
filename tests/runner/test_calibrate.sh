#!/bin/bash
# `hiersearch measure --calibrate` on this machine: what it measures, fits, writes and says. TAP on stdout.
#     tests/runner/test_calibrate.sh mpich|openmpi PROGRAM      PROGRAM: hiersearch-measure
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
trap 'rm -rf "$scratch"' EXIT
set -m # jobs of their own, in which SIGINT is not ignored
hiersearch=$(dirname "$program")/hiersearch
[ -x "$hiersearch" ] || hiersearch=$(dirname "$program")/../hiersearch
mode=(--calibrate)

# What is said, and what is so: every figure differs by a known factor.
said=nv:4@100GB/s~4us,ib@20GB/s~10us
true_system='nv:4@150GB/s~2us,ib@12GB/s~15us;launch=10us'
null=($said --plays "$true_system" --backend null --warmup 0)
small=("${said/4/2}" --plays "${true_system/4/2}" --backend null --warmup 0) # both levels within 4 ranks
short=(--rounds 1 --min-samples 6 --max-samples 6)

# by FILE EXPRESSION: prints a Python expression of the system r, its levels by name v, fits f, points p.
by() {
    "$python" -c 'import json, sys
r = json.load(open(sys.argv[1])); v = {l["name"]: l for l in r["levels"]}
f = r["fits"]["layers"]; p = r["fits"]["points"]
def near(a, b, e): return abs(a / b - 1) <= e
truth = {"nv": (2, 150), "ib": (15, 12)}
# how many of the stated 95 % intervals of latency and bandwidth cover the truth
def covered(scope):
    hits = [c for x in f if x["scope"] == scope for t in [truth[x["level"]]] for c in (
        abs(x["latency_us"] - t[0]) <= x["latency_ci95_us"],
        abs(x["bandwidth_GBps"] - t[1]) <= x["bandwidth_ci95_GBps"])]
    return sum(hits) / len(hits)
def width(): return sum(x["ci95_percent"] for x in f if x["scope"] == "layer")
print(eval(sys.argv[2]))' "$1" "$2"
}
is_so() { [ "$(by "$1" "bool($2)")" = True ]; }
# By docs/system.schema.json.
is_system() {
    "$python" -W ignore -c 'import json, sys, jsonschema
schema = json.load(open(sys.argv[1])); jsonschema.validate(json.load(open(sys.argv[2])), schema)' \
        "$source_tree/docs/system.schema.json" "$1"
}

# ---- the truth, without noise -------------------------------------------------------------------------------
measure 8 "${null[@]}" "${short[@]}" --size 64KiB:4MiB -o Quiet-1.json
check "without noise the true latencies, bandwidths and launch cost come out" '[ $status = 0 ] && is_so Quiet-1.json \
    "near(v[\"nv\"][\"latency_us\"], 2, 1e-3) and near(v[\"nv\"][\"bandwidth_GBps\"], 150, 1e-3) and \
    near(v[\"ib\"][\"latency_us\"], 15, 1e-3) and near(v[\"ib\"][\"bandwidth_GBps\"], 12, 2e-3) and near(r[\"launch_us\"], 10, 1e-3)"'
check "the file is valid by the schema" 'is_system Quiet-1.json'
check "the system is named after the file" 'is_so Quiet-1.json "r[\"name\"] == \"quiet-1\""'
check "every layer of 8 was measured" 'is_so Quiet-1.json "{(x[\"stride\"], x[\"size\"]) for x in p} == \
    {(1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (4, 2)}"'
check "each with reduce-scatter, allgather and allreduce" 'is_so Quiet-1.json "all({x[\"phase\"] for x in p \
    if (x[\"stride\"], x[\"size\"]) == l} == {\"reduce-scatter\", \"allgather\", \"allreduce\"} for l in [(1, 2), (1, 4), (1, 8), (4, 2)])"'
check "with n / stride bytes entering, for every n" 'is_so Quiet-1.json "{x[\"bytes\"] for x in p if x[\"stride\"] == 4 and \
    x[\"phase\"] == \"allgather\"} == {2 ** e / 4 for e in range(16, 23)}"'
check "the source says what ran, when, on what and what was measured" 'is_so Quiet-1.json "all(w in r[\"source\"] for w in \
    (\"null backend\", \"8 ranks\", \"64KiB to 4MiB\", \"MPI\", \"T\")) and \"partial\" not in r[\"source\"]"'
check "levels say that they are calibrated" 'is_so Quiet-1.json "all(l[\"source\"][\"latency\"].startswith(\"calibrated: \") for l in r[\"levels\"])"'
check "the table has a line for each level, and for misaligned layers" '[ "$(grep -cE "^(nv|ib) +[0-9]" out)" = 2 ] && [ "$(grep -cE "^ib, misaligned +[0-9]" out)" = 1 ]'
check "the verdict comes first: how many layers, and how well they are fitted" 'sed -n 3,4p out | tr "\n" " " | grep -q "^quiet-1 is calibrated: 6 layers in .*, fitted within 0\.0 % (at worst 0\.0 %)\." && (($(wc -l <out) <= 14 && $(wc -L <out) <= 80))'
measure 8 "${null[@]}" "${short[@]}" --size 64KiB:4MiB --details -o details.json
check "--details has a line for each level and size" '[ "$(grep -cE "^(nv|ib)(, misaligned)? +(any|[248]) " out)" = 8 ]'
check "and says what it took, and what every split would take" 'grep -q "measurements, .* runs" out && grep -q "4 splits" out'
# A ring of two levels is priced by a line where it was fitted, and by its hops where it is described.
check "predict takes the file, and gives the times of the true system where layers nest" '"$hiersearch" predict Quiet-1.json --np 8 --size 1MiB --samples 0 --json >got.json &&
    "$hiersearch" predict "$true_system" --np 8 --size 1MiB --samples 0 --json >want.json &&
    "$python" -c "import json
got, want = ({c[\"plan\"]: c[\"predicted_seconds\"] for c in json.load(open(n))[\"results\"][0][\"candidates\"]} for n in (\"got.json\", \"want.json\"))
assert got.keys() == want.keys() and all(abs(got[k] / want[k] - 1) < 2e-3 for k in (\"4x2\", \"2x2x2\")), (got, want)"'
"${launch[@]}" 8 "$program" Quiet-1.json --size 1MiB --backend null --top 2 -q -o measured.json >out 2>err
status=$?
check "measure takes the file" '[ $status = 0 ] && is_valid measured.json'
measure 8 "${null[@]}" "${short[@]}" --size 1MiB -o -
check "-o - writes the system to stdout and the table to stderr" '[ $status = 0 ] && is_system out && said "Launch: "'
check "one size is measured with its half, quarter and eighth" 'is_so out "{x[\"bytes\"] for x in p if x[\"stride\"] == 1 and \
    x[\"phase\"] == \"reduce-scatter\"} == {2 ** e for e in range(17, 21)}"'

# ---- stages that are named --------------------------------------------------------------------------------
measure 8 "${null[@]}" "${short[@]}" --size 1MiB --stages allreduce:2:4,reduce-scatter:1:2 -o named.json
check "--stages measures those alone, with all sizes" '[ $status = 0 ] && is_so named.json "sorted((x[\"phase\"], x[\"stride\"], \
    x[\"size\"], x[\"bytes\"]) for x in p) == sorted([(\"allreduce\", 2, 4, 2 ** e / 2) for e in range(17, 21)] + \
    [(\"reduce-scatter\", 1, 2, 2 ** e) for e in range(17, 21)])"'
measure 4 named.json --plays "$true_system" --backend null --warmup 0 "${short[@]}" --size 1MiB --stages 'reduce-scatter + allgather:1:4' -o more.json
check "a pair is its two, and what a calibrated system was made from stays" '[ $status = 0 ] && is_so more.json "sorted({(x[\"phase\"], \
    x[\"stride\"], x[\"size\"]) for x in p}) == [(\"allgather\", 1, 4), (\"allreduce\", 2, 4), (\"reduce-scatter\", 1, 2), (\"reduce-scatter\", 1, 4)]"'
measure 4 "${small[@]}" --stages allreduce:3:2 -o no.json
check "a stage that the ranks do not have is refused in one line with the nearest" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] &&
    said "4 ranks have no allreduce:3:2: " && said "did you mean allreduce:2:2?" && [ ! -e no.json ]'
measure 4 "${small[@]}" --stages allreduce:2:2,allredoce:1:2 -o no.json
check "and so is a phase that there is not" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "did you mean \"allreduce\"?"'
measure 4 $said --backend mpi --stages allreduce:2:2d -o no.json
check "an algorithm needs a backend that runs any" '[ $status = 2 ] && said "stages: backend mpi runs its"'
measure 4 "${small[@]}" --stages allreduce:2:2 --layers 2 -o no.json
check "--stages stands alone" '[ $status = 2 ] && said "stages: says itself what --layers would"'
measure 2 "$said" --backend null --collective all-to-all --size 8GiB -o large.json
check "an exchange that MPI cannot count is refused at once" '[ $status = 2 ] && said "exchange of 2147483648 elements: expected at most 1073741824" && [ ! -e large.json ]'

# What predict proposes, as printed, but for who measures: two plans, or a stage.
mpiexec() {
    local ranks=$2 of=$program played=(--plays "$asked")
    [ "$5" = --calibrate ] || played=("$asked")
    shift 4
    "${launch[@]}" "$ranks" "$of" "$@" --min-samples 6 --max-samples 6 --backend null "${played[@]}" >out 2>err
}
hiersearch() { "$hiersearch" "$@"; }
# proposes PATTERN QUESTION...: the commands that follow are in `proposed`, then run; sets status.
proposes() {
    local pattern=$1
    shift
    "$hiersearch" predict "$asked" "$@" -q --details | sed -n '/^Next: /,/^[^ N]/ { s/^Next: //p; s/^      //p; }' >proposed
    check "predict proposes $pattern, and to ask again" '[ "$(grep -c . proposed)" = 2 ] && grep -q "^mpiexec $pattern" proposed'
    rm -f here.json plan.json
    ( set -e; . ./proposed >again 2>&1 ); status=$?
}
asked=node:2@20GB/s~1us,ib@10GB/s~3us
proposes '-n 4 hiersearch measure --plans 2x2,4 --size 128KiB:1MiB' --np 4 --size 1MiB
check "what it proposes runs as printed, and shows its effect on the answer: there is nothing more to lose" \
    '[ $status = 0 ] && is_system here.json && grep -q "^effect on the answer: .* its expected loss against the best plan is 0 %" again'
proposes '-n 8 hiersearch measure --mesh tp=2,dp=4 --group dp --plans 2x2,4 .*--collective reduce-scatter' \
    --mesh tp=2,dp=4 --group dp --size 1MiB --collective reduce-scatter
check "so it does for groups and another collective" '[ $status = 0 ] && is_system here.json && grep -q "^effect on the answer: .* its expected loss against the best plan is 0 %" again'
asked=abci
proposes '-n 16 hiersearch measure --plans 4x2x2,2x4x2' --np 16 --size 1MiB
check "so it does on a shipped machine" '[ $status = 0 ] && is_system here.json && grep -q "^effect on the answer: " again'

# ---- an all-to-all ------------------------------------------------------------------------------------------
measure 8 "${null[@]}" "${short[@]}" --size 64KiB:4MiB --collective all-to-all -o exchange.json
check "of an all-to-all the exchanges of all layers are measured, nothing else" '[ $status = 0 ] && is_system exchange.json && is_so exchange.json \
    "len({(x[\"stride\"], x[\"size\"]) for x in p}) == 6 and {x[\"phase\"] for x in p} == {\"exchange\"} and all(x[\"exchanges\"] for x in f)"'
"$hiersearch" predict exchange.json --np 8 --size 1MiB --collective all-to-all --samples 0 --json -q >exchange-a.json
"$hiersearch" predict "$true_system" --np 8 --size 1MiB --collective all-to-all --samples 0 --json -q >exchange-b.json
"$hiersearch" predict exchange.json --np 8 --size 1MiB --samples 0 --json -q >exchange-c.json
check "all-to-alls are then priced as they were measured, other calls as not measured" '"$python" -c "import json
a, b, c = ({p[\"plan\"]: p for p in json.load(open(f\"exchange-{n}.json\"))[\"results\"][0][\"candidates\"]} for n in \"abc\")
assert a.keys() == b.keys() and len(a) == 4, (a, b)
assert all(abs(a[n][\"predicted_seconds\"] / b[n][\"predicted_seconds\"] - 1) < 0.03 for n in a), (a, b)
assert all(x[\"extrapolated\"] for x in c.values()) and not any(x[\"extrapolated\"] for x in a.values()), (a, c)"'

# ---- noise ------------------------------------------------------------------------------------------------
# Seeded, and by a virtual clock: the same on every machine, however loaded.
for noise in 0.01 0.05 0.2; do
    for seed in 1 2 3; do
        measure 4 "${small[@]}" --faults noise=$noise --seed $seed --max-samples 16 --size 1MiB -o noise$seed.json
        check "noise of $noise, seed $seed: it is fitted all the same" '[ $status = 0 ] && is_system noise$seed.json'
    done
    check "noise of $noise: stated intervals of layers cover the truth" '"$python" -c "import sys
assert sum(map(float, sys.argv[1:])) / 3 >= 0.85, sys.argv" $(for s in 1 2 3; do by noise$s.json "covered(\"layer\")"; done)'
    check "noise of $noise: so do those of levels" 'is_so noise1.json "covered(\"level\") >= 0.85"'
    by noise1.json 'width()' >width-$noise
    if [ $noise = 0.2 ]; then
        check "noise of $noise: it says that timings are noisy, also in the file" 'said "timings are noisy" && \
            is_so noise3.json "\"timings are noisy\" in r[\"notes\"]"'
    else
        check "noise of $noise: it does not say that timings are noisy" '! said "timings are noisy"'
    fi
done
check "more noise makes wider intervals" '"$python" -c "a, b, c = (float(open(\"width-\" + n).read()) for n in (\"0.01\", \"0.05\", \"0.2\"))
assert a < b < c, (a, b, c)"'
measure 4 "${small[@]}" --faults noise=0.2 --seed 3 --max-samples 16 --size 1MiB -q -o again.json
check "the same seed gives the same points, and -q says nothing" '[ "$(by again.json p)" = "$(by noise3.json p)" ] && [ ! -s err ]'

# ---- one slow rank ----------------------------------------------------------------------------------------
measure 8 "${null[@]}" "${short[@]}" --faults slow=5:10 --size 1MiB -o slow.json
check "a rank that is ten times slower is named with its host" '[ $status = 0 ] && said "rank 5 (host $(hostname)) is slow" && \
    is_so slow.json "\"rank 5 (host \" in r[\"notes\"]"'
check "it is said how much slower" 'grep -qE "at least (9\.|10)" err'
measure 8 "${null[@]}" "${short[@]}" --size 1MiB -o even.json
check "no rank is named where all are equally fast" '[ $status = 0 ] && ! said "is slow"'

# ---- cut down and cut short -------------------------------------------------------------------------------
measure 8 "${null[@]}" "${short[@]}" --layers 3 --size 1MiB -o few.json
check "--layers 3 takes one of a level and size each, and says what is left out" '[ $status = 0 ] && \
    is_so few.json "len({(x[\"stride\"], x[\"size\"]) for x in p}) == 3 and len({x[\"size\"] for x in p}) >= 2" && said "3 of 6 layers were left out"'
measure 8 "${null[@]}" "${short[@]}" --budget 3ms --size 1MiB -o cut.json
check "--budget ends it, which is said and in the file" '[ $status = 0 ] && said "measurements were left out" && \
    is_so cut.json "r[\"source\"].startswith(\"partial\") and len({x[\"level\"] for x in f}) == 2"'
cp cut.json kept.json
measure 8 "${null[@]}" "${short[@]}" --budget 1us --size 1MiB -o kept.json
check "too few points are refused in one line with what to do, and the old file stays" '[ $status = 2 ] && \
    said "too few points" && said "larger --budget" && cmp cut.json kept.json'
measure 1 "${null[@]}" -o one.json
check "one process is refused" '[ $status = 2 ] && said "mpiexec -n 4 hiersearch measure --calibrate" && [ ! -e one.json ]'
measure 2 "${null[@]}" "${short[@]}" --size 64KiB:4MiB -o two.json
check "two processes give the inner level, and it is said that the other one was not measured" '[ $status = 0 ] && \
    said "level \"ib\": no layer was measured there" && is_so two.json "near(v[\"nv\"][\"bandwidth_GBps\"], 150, 0.01) and v[\"ib\"][\"bandwidth_GBps\"] == 20"'
measure 4 "${null[@]}" --rounds 1 --min-samples 1 --max-samples 1 --faults noise=3 --max-residual 1% --size 1MiB -o wild.json
check "times that no line describes are refused, with what to do" '[ $status = 1 ] && said "no fit" && said "quiet machine" && [ ! -e wild.json ]'
measure 4 "${null[@]}" "${short[@]}" --faults fail=4 --size 1MiB -o fail.json
check "a layer that fails is said, and the others are fitted" '[ $status = 0 ] && said "failed: rank 0" && \
    is_so fail.json "{(x[\"stride\"], x[\"size\"]) for x in p} == {(1, 2), (2, 2)}"'

# started NAME ARGUMENTS...: in the background, until it has measured something.
started() {
    name=$1
    shift
    LIVE=1 "${launch[@]}" 4 "$program" "${mode[@]}" "${null[@]}" "$@" -v -o "$name" >out 2>err &
    job=$!
    for _ in {1..300}; do
        [ "$(grep -c '^round ' err)" -ge 12 ] && return
        sleep 0.1
    done
}
ended() {
    for _ in {1..300}; do
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    status=$?
}
started cut_short.json --faults delay=150ms --size 1MiB # far from its end, also when this shell is late
kill -INT $job
ended
# mpirun of Open MPI hands it on as SIGTERM.
before=$(grep -c '^round ' err)
check "SIGINT writes what was measured, marked as partial" '[ $status != 0 ] && is_system cut_short.json && \
    is_so cut_short.json "r[\"source\"].startswith(\"partial\") and \"interrupted by SIG\" in r[\"source\"]" && said "has what was measured"'
check "and keeps a journal for --resume" 'journal_is_whole cut_short.json.journal'
measure 4 "${null[@]}" --size 512KiB -o cut_short.json --resume
check "--resume refuses the journal of another size, and leaves it alone" '[ $status = 2 ] && said "of another run: size was" && \
    journal_is_whole cut_short.json.journal'
measure 4 "${null[@]}" --size 1MiB -v -o cut_short.json --resume
check "--resume measures what was missing, only that, and the journal goes" '[ $status = 0 ] && said "measurements were done before" && \
    (($(grep -c "^round " err) <= 33 - before)) && [ ! -e cut_short.json.journal ] && is_so cut_short.json "len(p) == 33"'
measure 4 "${null[@]}" --size 1MiB -o whole.json
check "what comes out is what a run in one piece gives" 'is_so cut_short.json "all(near(a[k], b[k], 1e-12) for a, b in zip(p, \
    json.load(open(\"whole.json\"))[\"fits\"][\"points\"]) for k in (\"stride\", \"size\", \"bytes\", \"seconds\"))"'
# MPICH can take one machine for two nodes, whose ranks are in turn: rank 1 in our order is the launcher's rank 2. What the
# guard's thread says of it, it must know without MPI.
if [ "$mpi" = mpich ] && "mpicc.$mpi" -D_GNU_SOURCE -shared -fPIC -o main_thread.so "$source_tree/tests/runner/main_thread.c"; then
    kept=("${null[@]}") null=("${small[@]}") # layers of both strides among the first
    export MPIR_CVAR_NUM_CLIQUES=2 LD_PRELOAD=$scratch/main_thread.so
    started slow_cut.json --faults delay=100ms,slow=1:10 --size 1MiB
    unset MPIR_CVAR_NUM_CLIQUES LD_PRELOAD
    null=("${kept[@]}")
    kill -TERM $job
    ended
    check "a slow rank is named by the launcher's number when the run is cut short, too, and only the main thread asks MPI" \
        '! said "another thread" && is_so slow_cut.json "\"rank 2 (host \" in r[\"notes\"]"'
else
    skip "a slow rank is named by the launcher's number when the run is cut short, too" "needs MPICH's cliques"
fi
started hang.json --faults hang=4 --timeout 1s --size 1MiB
ended
check "a layer that hangs ends the job with what was measured before it" '[ $status != 0 ] && \
    said "took more than 1.000 s and was abandoned"'
measure 4 "${null[@]}" --faults hang=4 --timeout 1s --size 1MiB -o hang.json --resume
check "--resume goes on without the layer that hung, and says so" '[ $status = 0 ] && said "size 4 at stride 1 could not be measured before" && \
    [ -e hang.json.journal ] && is_so hang.json "{(x[\"stride\"], x[\"size\"]) for x in p} == {(1, 2), (2, 2)}"'
measure 4 "${null[@]}" --size 1MiB -o hang.json --resume --retry
check "--retry measures it" '[ $status = 0 ] && [ ! -e hang.json.journal ] && is_so hang.json "len(p) == 33"'

# ---- the host backend --------------------------------------------------------------------------------------
# Precise enough on a busy machine: what is tested is the way, not the figures. With twice as many ranks as cores
# MPI_Finalize may take longer than the guard waits for it: there the file decides.
for np in 4 8; do
    calmly $np --backend host --size 64KiB:4MiB --rounds 2 --min-samples 3 --max-samples 6 --budget 30s \
        --max-residual 99% -o host$np.json
    if too_busy; then
        skip "the host backend on $np ranks gives a valid system without a description" "the machine is too busy"
        continue
    fi
    check "the host backend on $np ranks gives a valid system without a description" '[ $status = 0 -o $np = 8 ] && \
        is_system host$np.json && is_so host$np.json "r[\"name\"] == \"host$np\" and r[\"levels\"][0][\"bandwidth_GBps\"] > 0"'
    check "predict takes it ($np ranks)" '"$hiersearch" predict host$np.json --np $np --size 1MiB >out && grep -Eq "^(Use|Cannot tell whether) " out'
    "${launch[@]}" $np "$program" host$np.json --size 256KiB --backend host --budget 5s --warmup 1 -q -o m$np.json >out 2>err
    status=$?
    check "measure takes it ($np ranks)" '[ $status = 0 -o $np = 8 ] && is_valid m$np.json'
done

# ---- what packed calls copy ------------------------------------------------------------------------------------
packed=(--size 64KiB:4MiB --collective allgather --layout)
measure 8 $said --plays "$true_system;copy=33GB/s" --backend null --warmup 0 "${short[@]}" "${packed[@]}" packed -o copy.json
check "of packed calls the copy is measured, too" '[ $status = 0 ] && is_system copy.json && is_so copy.json "near(r[\"copy_GBps\"], 33, 1e-6)" && \
    said "a process copies 33.00 GB/s"'
measure 8 "${null[@]}" "${short[@]}" "${packed[@]}" reversed -o copy.json
check "of others it is not" '[ $status = 0 ] && is_so copy.json "\"copy_GBps\" not in r"'
calmly 4 --backend host --rounds 2 --min-samples 3 --max-samples 6 --budget 30s --max-residual 99% "${packed[@]}" packed -o copy.json
too_busy && skip "the host backend copies blocks in its memory" "the machine is too busy" || \
    check "the host backend copies blocks in its memory" '[ $status = 0 ] && is_so copy.json "0 < r[\"copy_GBps\"] < 1e4"'

# ---- wrong usage: one line, status 2 -------------------------------------------------------------------------
usage() {
    measure "$2" "${@:4}"
    check "$1" "[ \$status = 2 ] && [ \$(our_lines) = 1 ] && said \"$3\" && [ ! -s out ]"
}
usage "a missing -o is said once, by all ranks together" 3 'needs -o FILE' --size 1MiB
usage "an unknown option names the nearest" 2 'did you mean' --budgett 3s -o x.json
usage "an unknown system names the nearest" 2 'did you mean \"abci\"' abcy -o x.json
usage "a size must be whole elements" 2 'multiple of 4' --size 10B -o x.json
usage "the null backend needs a system" 2 'SYSTEM' --backend null -o x.json
usage "--retry is for --resume" 2 'for --resume' --retry -o x.json
usage "--resume needs a file" 2 'needs the journal' --resume -o -
usage "--plays is for the null backend" 2 'backend null' --backend host --plays $said -o x.json
usage "fewer samples at most than at least make no sense" 2 'below --min-samples' --min-samples 9 --max-samples 3 -o x.json
usage "a folder that is not there is noticed before anything is measured" 2 'cannot be written' $said -o "$scratch/none/x.json"
usage "plans are not calibrated" 2 'plans: --calibrate measures layers' --plans 2 $said -o x.json
mode=()
usage "layers are for --calibrate" 2 'layers is for --calibrate' --size 1MiB --layers 2
measure 4 "${null[@]}" --calibrate --size 1MiB -o mixed.json --journal mixed.journal
measure 4 $said --backend null --size 1MiB -o mixed.json --journal mixed.journal --resume
check "a race does not go on from a calibration's journal" '[ $status = 2 ] && said "measures was \"layers\" there and is \"plans\" here"'
finish
