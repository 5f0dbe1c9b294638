#!/bin/bash
# hiersearch-measure on this machine: what it measures, writes and says. TAP on stdout.
#     tests/runner/test_measure.sh mpich|openmpi PROGRAM
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
trap 'rm -rf "$scratch"' EXIT
# Precise enough on a quiet machine after a few samples; time enough on a busy one.
quick=(--warmup 1 --precision 20% --budget 10s --layer-runs 2)
system=nv:2@100GB/s~0s,ib@20GB/s

# ---- real backends -------------------------------------------------------------------------------------
measure 4 --size 64KiB --backend host --all "${quick[@]}" -o host.json
check "the host backend measures both splits of 4" '[ $status = 0 ] && holds host.json \
    "sorted(c[\"plan\"] for c in m[\"candidates\"]) == [\"2x2\", \"4\"]"'
check "all of them are verified and have samples" 'holds host.json "all(c[\"measured\"][\"status\"] == \"ok\" \
    and c[\"measured\"][\"wrong_elements\"] == 0 and c[\"measured\"][\"samples_seconds\"] for c in m[\"candidates\"])"'
check "the result is valid" 'is_valid host.json'
check "a median lies within its samples and its interval" 'holds host.json "all(min(s[\"samples_seconds\"]) \
    <= s[\"median_seconds\"] <= max(s[\"samples_seconds\"]) and s.get(\"ci95_seconds\", [0])[0] <= s[\"median_seconds\"] \
    for s in [c[\"measured\"] for c in m[\"candidates\"]])"'
check "best is the candidate with the smallest median" 'holds host.json "m[\"best\"] == \
    min(m[\"candidates\"], key=lambda c: c[\"measured\"][\"median_seconds\"])[\"plan\"]"'
check "MPI_Allreduce is measured beside them" 'holds host.json "[b[\"name\"] for b in m[\"baselines\"]] == [\"MPI_Allreduce\"]"'
check "the verdict comes first, of the best plan beside the library's call" 'sed -n 3p out | grep -qE "^(Use |Keep MPI_Allreduce: |Cannot tell whether )" &&
    sed -n 3p out | grep -qF "$(get host.json "m[\"best\"]")" && sed -n 3p out | grep -q MPI_Allreduce'
check "the report is 14 lines of 80 columns at most" '(($(wc -l <out) <= 14 && $(wc -L <out) <= 80))'
check "the file says who, where and with what" 'holds host.json "r[\"backend\"] == \"host\" and r[\"np\"] == 4 and \
    sum(n[\"ranks\"] for n in r[\"placement\"][\"nodes\"]) == 4 and \
    {\"hiersearch\", \"mpi\", \"kernel\", \"memory_per_rank\"} <= set(r[\"versions\"])"'
check "the journal of a whole run is removed" '[ ! -e host.json.journal ]'

measure 6 --size 96KiB --backend mpi --all "${quick[@]}" --dtype bfloat16 --op average -o mpi.json
check "the mpi backend measures the three splits of 6 in bfloat16" '[ $status = 0 ] && holds mpi.json \
    "sorted(c[\"plan\"] for c in m[\"candidates\"]) == [\"2x3\", \"3x2\", \"6\"] and m[\"dtype\"] == \"bfloat16\""'
measure 4 --size 64KiB --backend host --plans 2nx2n,2nx2,4n "${quick[@]}" -q -o natives.json
check "the host backend runs the library's own collectives on layers" '[ $status = 0 ] && holds natives.json \
    "all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"]) and len(m[\"candidates\"]) == 4"'
measure 4 --size 4KiB --backend mpi --plans 2nx2n "${quick[@]}" -q -o same.json
check "which the mpi backend does by itself, and may be told" '[ $status = 0 ]'
measure 4 --size 4KiB --backend mpi --plans 2nx2h "${quick[@]}" -q -o other.json
check "and nothing else" '[ $status = 2 ] && said "own algorithm"'
measure 3 --size 4KiB "${quick[@]}" -q -o prime.json
check "a prime number of processes has the flat split alone" '[ $status = 0 ] && holds prime.json \
    "[c[\"plan\"] for c in m[\"candidates\"]] == [\"3\"] and m[\"best\"] == \"3\""'
measure 6 --size 4B --all "${quick[@]}" -q --details -o tiny.json
check "a message of one element is padded, and that is said" '[ $status = 0 ] && is_valid tiny.json && \
    holds tiny.json "m[\"padded_bytes\"] > 4" && grep -q "^Padded to " out'
measure 4 --size 1KiB:4KiB "${quick[@]}" -q --plans 2x2 -o sweep.json
check "a sweep gives one result per size" '[ $status = 0 ] && is_valid sweep.json && \
    holds sweep.json "[x[\"message_bytes\"] for x in r[\"results\"]] == [1024, 2048, 4096]"'
measure 4 --size 64KiB --backend host "${quick[@]}" --plans 2x2,2x2/2 -o -
check "-o - writes the result to stdout and the table to stderr" '[ $status = 0 ] && is_valid out && grep -qE "^(Use|Keep|Cannot tell whether) " err'
check "--plans adds the flat split" 'holds out "sorted(c[\"plan\"] for c in m[\"candidates\"]) == [\"2x2\", \"2x2/2\", \"4\"]"'
check "layers have a reduce-scatter each, and an allgather except the last" 'holds out "all(\
    [s[\"stage\"].split(\":\")[0] for s in c[\"measured\"][\"stages\"]] == n * [\"reduce-scatter\"] + \
    [\"allreduce\"] + n * [\"allgather\"] for n, c in [(c[\"plan\"].count(\"x\"), c) for c in m[\"candidates\"]])"'
measure 4 "$system" --size 64KiB --backend host "${quick[@]}" --plans 4h,4d,4t,2hdx2t/2 -q -o letters.json
check "plans whose layers name their algorithms are measured and verified" '[ $status = 0 ] && is_valid letters.json && \
    holds letters.json "{c[\"plan\"]: c[\"measured\"][\"wrong_elements\"] for c in m[\"candidates\"]} == \
    dict.fromkeys([\"4\", \"4h\", \"4d\", \"4t\", \"2hdx2t/2\"], 0)"'
check "their stages name them, too" 'holds letters.json "[[s[\"stage\"] for s in c[\"measured\"][\"stages\"]] \
    for c in m[\"candidates\"] if c[\"plan\"] == \"2hdx2t/2\"] == \
    [[\"reduce-scatter:1:2h\", \"allreduce:2:2t\", \"allgather:1:2d\"]]"'

timeout 180 "$program" --size 4KiB "${quick[@]}" -o one.json >out 2>err
status=$?
check "without a launcher it runs as one rank and says what to type" '[ $status = 0 ] && \
    holds one.json "m[\"best\"] == \"1\"" && said "mpiexec -n 4 hiersearch measure"'

foreign=OMPI_COMM_WORLD
[ "$mpi" = mpich ] || foreign=PMI
env ${foreign}_SIZE=4 ${foreign}_RANK=0 timeout 180 "$program" --size 4KiB -q -o foreign.json >out 2>err
status=$?
check "a launcher of another MPI, which makes n jobs of one process, is refused" '[ $status = 2 ] && [ ! -e foreign.json ] && \
    said "the launcher started 4 processes (${foreign}_SIZE), but MPI sees one"'
env ${foreign}_SIZE=4 ${foreign}_RANK=3 timeout 180 "$program" --size 4KiB -q >out 2>err
status=$?
check "one of its processes says so" '[ $status = 2 ] && [ "$(our_lines)" = 0 ]'

# ---- the model's choice, with the null backend ------------------------------------------------------------
measure 8 $system --size 1MiB --backend null --top 2 --details -o top.json
check "--top 2 measures two plans and the flat split" '[ $status = 0 ] && is_valid top.json && \
    holds top.json "len(m[\"candidates\"]) == 3 and \"8\" in [c[\"plan\"] for c in m[\"candidates\"]]"'
check "the splits that the search left out are counted" 'holds top.json \
    "m[\"search\"][\"splits\"] == 4 and m[\"search\"][\"pruned\"][0][\"splits\"] == 1"'
check "without noise what is measured is inside the range predicted" 'holds top.json \
    "all(c[\"predicted_low_seconds\"] <= c[\"measured\"][\"median_seconds\"] <= c[\"predicted_high_seconds\"] for c in m[\"candidates\"])"'
# The same question, nominally; then over the same samples.
hiersearch=$(dirname "$program")/hiersearch
[ -x "$hiersearch" ] || hiersearch=$(dirname "$program")/../hiersearch
"$hiersearch" predict $system --np 8 --size 1MiB --samples 0 --json >nominal.json 2>err
check "and just what predict says nominally" '"$python" -c "import json
played, said = (json.load(open(n))[\"results\"][0][\"candidates\"] for n in (\"top.json\", \"nominal.json\"))
said = {c[\"plan\"]: c[\"predicted_seconds\"] for c in said}
assert played and all(abs(said[c[\"plan\"]] / c[\"measured\"][\"median_seconds\"] - 1) < 1e-9 for c in played), (played, said)"'
"$hiersearch" predict $system --np 8 --size 1MiB --json >ranges.json 2>err
ranges() { get "$1" 'sorted((c["plan"], "%.9g %.9g" % (c["predicted_low_seconds"], c["predicted_high_seconds"])) for c in m["candidates"] if c["plan"] in ("8", "2x4"))'; }
check "predictions of figures as described have the ranges that predict gives" '[ "$(ranges top.json)" = "$(ranges ranges.json)" ] && [ -n "$(ranges top.json)" ]'
# By hand: 4 nodes exchange 2 * 3 / 4 MiB at 20 GB/s.
check "how near the best plan comes to the limit is said" \
    'grep -q "^reaches [0-9]* % of what these links allow (the limit: 78.64 us, by the bandwidth of ib)$" out'
measure 8 $system --size 1MiB --backend null --faults bias=8:0.5 --all -q
check "a time below the limit says that the description is wrong" '[ $status = 0 ] && \
    grep -q "^faster than the description allows (the limit: 78.64 us): its ib bandwidth is too low$" out'
measure 4 net@1kB/s~0s --size 64KiB --backend mpi --all "${quick[@]}" -q
check "so does the library's time" '[ $status = 0 ] && \
    grep -q "^MPI_Allreduce is faster than the description allows (the limit: 98.30 s): its net bandwidth is too low$" out'
measure 4 $system --size 1KiB:2KiB --backend null --all -q --format csv -o csv.json
check "--format csv has a row per plan, baseline and size, under one line of keys" '[ $status = 0 ] && \
    [ "$(grep -c "^np,message_bytes," out)" = 1 ] && [ "$(wc -l <out)" = 7 ]'
check "its times are those of the result" 'cp out table.csv && holds csv.json "[float(row[\"seconds\"]) for row in \
    __import__(\"csv\").DictReader(open(\"table.csv\"))] == [c[\"measured\"][\"median_seconds\"] for x in r[\"results\"] \
    for c in x[\"candidates\"] + x[\"baselines\"]]"'
measure 4 $system --size 1KiB --backend null --all -q --json -o json.json
check "--json prints the result file" '[ $status = 0 ] && cmp out json.json'
measure 8 $system --size 1MiB --backend null --top 2 --max-samples 1 --min-samples 1 -q
check "a winner of one sample is not called the best without a remark" '[ $status = 0 ] && \
    grep -q "^Cannot tell whether " out && grep -q "^Too few samples: " out'
measure 8 $system --size 1MiB --backend null --faults noise=0.3 --all --warmup 0 --min-samples 6 --max-samples 6 -q
check "plans whose intervals meet are not told apart" '[ $status = 0 ] && \
    grep -q "Within noise of it: [0-9x]*" out'
measure 8 $system --size 1MiB --backend null --search containment --top 1 -q -o containment.json
check "containment can choose too" '[ $status = 0 ] && holds containment.json "m[\"search\"][\"strategy\"] == \"containment\""'
measure 8 $system --size 1MiB --backend null --faults bias=4x2:3,noise=0.05 --all -q -o bias.json
check "a plan that is slower than predicted does not win" '[ $status = 0 ] && holds bias.json \
    "m[\"best\"] == \"2x2x2\" and m[\"candidates\"][-1][\"plan\"] == \"4x2\""'
check "racing drops it, says so and counts it" 'holds bias.json \
    "m[\"candidates\"][-1][\"measured\"][\"reason\"].startswith(\"dropped after \") and \"racing\" in [p[\"rule\"] for p in m[\"search\"][\"pruned\"]]"'
cp bias.json again.json
measure 8 $system --size 1MiB --backend null --faults bias=4x2:3,noise=0.05 --all -q -o again.json
check "the same seed gives the same samples" '[ "$(get bias.json "r[\"results\"]")" = "$(get again.json "r[\"results\"]")" ]'
measure 8 $system --size 1MiB --backend null --faults bias=4x2:3,noise=0.05 --all -q --seed 2 -o again.json
check "another seed gives others" '[ "$(get bias.json "r[\"results\"]")" != "$(get again.json "r[\"results\"]")" ]'
measure 8 $system --size 1MiB --backend null --all --budget 1ms --faults noise=0.3 --precision 0.1% -o spent.json
check "the budget ends the run, by the virtual clock" '[ $status = 0 ] && holds spent.json "sum(sum(s[\"samples_seconds\"]) \
    for s in [c[\"measured\"] for c in m[\"candidates\"] + m[\"baselines\"]] if s.get(\"samples_seconds\")) < 0.7e-3"'
check "what did not get its turn is skipped, with the reason" 'holds spent.json "[c for c in m[\"candidates\"] if \
    c[\"measured\"][\"status\"] == \"skipped\" and \"time was spent\" in c[\"measured\"][\"reason\"]]"'
# Its clock begins anew with each size: without shares each of the four would take all of the budget.
measure 4 $system --size 64MiB:512MiB --backend null --plans 4,2x2 --budget 2s --faults noise=0.3 --precision 0.01% \
    --warmup 0 --layer-runs 0 -q -o shared.json
check "a sweep's budget is shared over its sizes" '[ $status = 0 ] && holds shared.json "(lambda spent: len(spent) == 4 and \
    all(0.35 < s < 0.55 for s in spent))([sum(sum(c[\"measured\"].get(\"samples_seconds\", [])) \
    for c in m[\"candidates\"] + m[\"baselines\"]) for m in r[\"results\"]])"'
# What runs on the CPU are rings of ours or of MPI, not NCCL's calls.
nccl=$source_tree/configs/dgx-h100-superpod.json
"$python" -c 'import json, sys; s = json.load(open(sys.argv[1])); del s["parts"]; json.dump(s, open(sys.argv[2], "w"))' "$nccl" rings.json
predicted() { get "$1" 'sorted((c["plan"], c["predicted_seconds"]) for c in m["candidates"])'; }
for backend in host mpi null; do
    for machine in "$nccl" ./rings.json; do
        measure 4 "$machine" --size 64KiB --plans 4,2x2 --backend $backend --max-samples 6 --min-samples 2 -q -o priced.json
        [ $status != 0 ] || predicted priced.json
    done | uniq -c | sed "s/^ *\([0-9]\).*/$backend \1/"
done >prices 2>&1
check "host and mpi are priced as rings where the system has NCCL's calls, which null plays" \
    '[ "$(tr "\n" , <prices)" = "host 2,mpi 2,null 1,null 1," ] || { cat prices; false; }'
measure 6 nv:4@100GB/s~0s --size 1MiB --backend null -o beyond.json
check "more processes than the system has are warned about and marked" '[ $status = 0 ] && \
    said "more than the 4 of the system" && holds beyond.json "r[\"extrapolated\"]"'

# ---- the verdict, of a plan beside the library's call, which the null backend plays as a flat ring ------------
advice() { get "$1" '(lambda v: " ".join([v["advice"], v["plan"] == m["best"] and "best", "%.4g" % v["gain"]]))(m["verdict"])'; }
measure 8 $system --size 1MiB --backend null --faults bias=2x4:0.5 --all -q -o verdict.json
check "a plan of half the time is worth it" '[ $status = 0 ] && is_valid verdict.json && [ "$(advice verdict.json)" = "plan best 2.059" ] && \
    grep -q "^Use 2x4: 44.56 us, 2.06x faster than model flat ring (91.75 us)\.$" out && holds verdict.json \
    "m[\"default\"][\"name\"] == \"model flat ring\" and m[\"verdict\"][\"share\"] == 1 and m[\"verdict\"][\"gain_low\"] == m[\"verdict\"][\"gain_high\"]"'
measure 8 $system --size 1MiB --backend null --all -q -o verdict.json
check "for less than 3 % the library's call is kept" '[ $status = 0 ] && is_valid verdict.json && [ "$(advice verdict.json)" = "default best 1.029" ] && \
    grep -q "^Keep model flat ring: 91.75 us\. The fastest plan, 2x[24x]*, takes 89.13 us\.$" out && grep -q "^No plan is 3 % faster\." out'
measure 8 $system --size 1MiB --backend null --faults bias=2x4:0.8,noise=0.25 --plans 2x4 --warmup 0 --min-samples 6 --max-samples 6 --seed 2 -q -o verdict.json
check "a lead within the noise is no verdict, and the measurement that would tell is named" '[ $status = 0 ] && is_valid verdict.json && \
    [[ $(advice verdict.json) = undecided* ]] && holds verdict.json "m[\"verdict\"][\"gain_low\"] <= 1 < m[\"verdict\"][\"gain\"]" && \
    grep -q "^Next: mpiexec -n 8 hiersearch measure --size 1MiB --plans 2x4 " out && grep -q "smaller than the noise" out'
measure 8 $system --size 1KiB:16MiB --backend null --faults bias=2x4:0.5 --all -q -o sweep.json
check "of many sizes the verdicts are counted, in 14 lines of 80 columns" '[ $status = 0 ] && (($(wc -l <out) <= 14 && $(wc -L <out) <= 80)) && \
    grep -q "^Use a plan at 15 of 15 sizes\.$" out && grep -q "more sizes: --details" out'
measure 8 --plays $system --size 1MiB --backend null --all -q -o plays.json
check "a machine can be played without being described" '[ $status = 0 ] && holds plays.json "\"system\" not in r and len(m[\"candidates\"]) == 4"'

# ---- wrong usage: one line, status 2 -------------------------------------------------------------------------
usage() {
    measure "$2" "${@:4}"
    check "$1" "[ \$status = 2 ] && [ \$(our_lines) = 1 ] && said \"$3\" && [ ! -s out ]"
}
usage "a missing size is said once, by all ranks together" 3 '--size' -o x.json
usage "an unknown option names the nearest" 3 'did you mean' --size 4KiB --budgett 3s
usage "there is no --np beside a launcher's" 3 'mpiexec -n P' --size 4KiB --np 4
usage "an unknown system names the nearest" 2 'did you mean \"abci\"' abcy --size 4KiB
usage "a size must be whole elements" 2 'multiple of 4' --size 10B
usage "a tree does not reduce-scatter" 4 'no reduce-scatter by tree' --size 4KiB --plans 2tx2
usage "a plan must multiply to np" 4 'expected a product of 4' --size 4KiB --plans 2x3
usage "the null backend needs a system" 2 'SYSTEM' --size 4KiB --backend null
usage "containment needs a model" 2 'give a SYSTEM' --size 4KiB --search containment
usage "--resume needs a journal" 2 '--journal' --size 4KiB --resume
usage "faults must be known" 2 'expected one of noise' nv:2@100GB/s~1us,ib@20GB/s~5us --size 4KiB --backend null --faults nosuch=1
usage "a folder that is not there is noticed before anything is measured" 2 'cannot be written' \
    --size 4KiB -o "$scratch/none/x.json"
mkdir folder
usage "a folder is no result file" 2 'folder' --size 4KiB -o "$scratch/folder"
# None of these may change, or be waited for.
cp "$source_tree/configs/abci.json" system.json
cp system.json kept.json
mkfifo fifo
usage "a SYSTEM is no journal" 2 'expected a journal' ./system.json --size 4KiB -o x.json --journal system.json
usage "an output is no journal" 2 'same file' --size 4KiB -o x.json --journal ./x.json
usage "an older output is no journal" 2 'same file' --size 4KiB -o kept.json --journal ./kept.json
usage "a FIFO is no journal" 2 'not a regular file' --size 4KiB -o x.json --journal fifo
usage "a device is no journal" 2 'not a regular file' --size 4KiB -o x.json --journal /dev/null
usage "standard output is no journal" 2 'expected a file' --size 4KiB -o x.json --journal -
check "what is no journal stays as it was" 'cmp system.json "$source_tree/configs/abci.json" && \
    cmp kept.json system.json && [ -p fifo ] && [ ! -e x.json ]'
measure 2 --help
check "--help is printed once" '[ $status = 0 ] && [ "$(grep -c "^usage: " out)" = 1 ] && grep -q -- "--resume" out'

# ---- resume ---------------------------------------------------------------------------------------------------
measure 8 $system --size 1MiB --backend null --all --faults wrong=2x4 -q -o kept.json
cp kept.json.journal before
measure 4 $system --size 1MiB --backend null -q -o kept.json --resume
check "a journal of another np is refused, with both" '[ $status = 2 ] && said "np was \"8\" there and is \"4\" here"'
measure 8 $system --size 2MiB --backend null -q -o kept.json --resume
check "a journal of another size is refused" '[ $status = 2 ] && said "size was \"1MiB\" there"'
check "a refused journal stays as it was" 'cmp before kept.json.journal'
head -c -5 before >kept.json.journal
measure 8 $system --size 1MiB --backend null --all -o kept.json --resume
check "a torn last line is ignored and cut off" '[ $status = 3 ] && journal_is_whole kept.json.journal'
measure 8 $system --size 1MiB --backend null --all -o kept.json --resume
check "what is done is not measured again" '[ $status = 3 ] && said "5 of 5 were done before"'
echo '{"format": "something"}' >other.journal
measure 8 $system --size 1MiB --backend null --journal other.journal --resume
check "a file that is no journal is refused" '[ $status = 2 ] && said "hiersearch.journal/2"'
measure 8 $system --size 1MiB --backend null --journal fresh.journal --resume -o fresh.json
check "--resume without a journal begins one" '[ $status = 0 ] && said "there was none" && journal_is_whole fresh.journal'

finish
