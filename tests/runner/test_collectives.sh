#!/bin/bash
# hiersearch-measure of a reduce-scatter, an allgather and an all-to-all: real backends, faults, the journal, and what
# others make of the result. TAP on stdout.
#     tests/runner/test_collectives.sh mpich|openmpi PROGRAM
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
trap 'rm -rf "$scratch"' EXIT
quick=(--warmup 1 --precision 20% --budget 10s --layer-runs 2 -q)
system=nv:2@100GB/s~0s,ib@20GB/s
hiersearch=$(dirname "$program")/hiersearch
[ -x "$hiersearch" ] || hiersearch=$(dirname "$program")/../hiersearch
collectives=(reduce-scatter allgather all-to-all)
declare -A call=([reduce-scatter]=MPI_Reduce_scatter_block [allgather]=MPI_Allgather [all-to-all]=MPI_Alltoall)
declare -A orders=([reduce-scatter]="natural reversed packed" [allgather]="natural reversed packed" [all-to-all]="natural")
declare -A phase=([reduce-scatter]=reduce-scatter [allgather]=allgather [all-to-all]=exchange)
# Titles say a layout that is not the natural one: "reduce-scatter (reversed layout)", "all-to-all".
named() { [ "$2" = natural ] && echo "$1" || echo "$1 ($2 layout)"; }

# ---- real backends: 1003 floats, which no number of ranks here divides -----------------------------------------
for collective in "${collectives[@]}"; do
    for order in ${orders[$collective]}; do
        measure 4 --size 4012B --backend host --collective $collective --layout $order --all "${quick[@]}" -o host.json
        check "host: every split of 4 does a $collective, $order, and the library's own beside them" '[ $status = 0 ] && \
            is_valid host.json && holds host.json "r[\"collective\"] == \"$collective\" and r.get(\"layout\", \"natural\") == \"$order\" and \
            sorted(c[\"plan\"] for c in m[\"candidates\"]) == [\"2x2\", \"4\"] and m[\"padded_bytes\"] == 4016 and \
            [b[\"name\"] for b in m[\"baselines\"]] == [\"${call[$collective]}\"] and all(x[\"measured\"][\"status\"] == \"ok\" and \
            x[\"measured\"][\"wrong_elements\"] == 0 for x in m[\"candidates\"] + m[\"baselines\"])"'
        check "host: each layer of a $collective, $order, is one stage" 'holds host.json "all(\
            [s[\"stage\"].split(\":\")[0] for s in c[\"measured\"][\"stages\"]] == [\"${phase[$collective]}\"] * (c[\"plan\"].count(\"x\") + 1) \
            for c in m[\"candidates\"])"'
        check "host: the answer is of a $collective, $order" 'grep -q "per process, $(named $collective $order), float32" out'
        measure 6 --size 2006B --dtype bf16 --op avg --backend mpi --collective $collective --layout $order --all "${quick[@]}" -o mpi.json
        check "mpi: every split of 6 does a $collective of bfloat16, $order" '[ $status = 0 ] && holds mpi.json \
            "len(m[\"candidates\"]) == 3 and all(x[\"measured\"][\"status\"] == \"ok\" for x in m[\"candidates\"] + m[\"baselines\"])"'
    done
done
measure 4 "$system" --size 4012B --backend host --collective allgather --plans 2hx2d,4n,4h "${quick[@]}" -o letters.json
check "layers of an allgather go by the algorithms that a plan names" '[ $status = 0 ] && holds letters.json \
    "all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"]) and len(m[\"candidates\"]) == 4"'
measure 4 "$system" --size 4012B --backend host --collective all-to-all --plans 2hx2,2nx2h,4n,4h "${quick[@]}" -o letters.json
check "layers of an all-to-all go by the algorithms that a plan names" '[ $status = 0 ] && holds letters.json \
    "all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"]) and len(m[\"candidates\"]) == 5"'
for collective in reduce-scatter all-to-all; do
    measure 4 --size 64KiB --backend host --collective $collective --warmup 1 --precision 20% --budget 12s --layer-runs 2 -q -o lazy.json
    check "without a system, layers of one phase are measured first: $collective" '[ $status = 0 ] && is_valid lazy.json && holds lazy.json \
        "m[\"search\"][\"strategy\"] == \"lazy\" and m[\"certificate\"][\"layers\"] == 3 and m[\"certificate\"][\"winner\"] in (\"4\", \"2x2\")"'
done
# One call's elements are counted in int: refused before memory is taken and before anything is measured.
for collective in "${collectives[@]}"; do
    measure 2 --size 1KiB,2200MiB --dtype float16 --collective $collective --backend host -o large.json
    check "a message that MPI cannot count is refused at once: $collective" '[ $status = 2 ] && [ ! -e large.json ] && [ ! -e large.json.journal ] && \
        grep -q "2200MiB: .* of 1153433600 elements: expected at most 1073741824 in one call" err'
done
measure 2 "$system" --size 4GiB,4294967292B --collective allgather --backend null --plans 2 "${quick[@]}" -o large.json
check "what can be counted is measured to the last element" '[ $status = 0 ] && holds large.json "m[\"candidates\"][0][\"measured\"][\"status\"] == \"ok\""'
measure 3 "$system" --size 4GiB --collective allgather --backend null --plans 3 "${quick[@]}"
check "what cannot be counted once it is padded is refused, too" '[ $status = 2 ] && grep -q "4GiB: AllGather of 1073741826 elements" err'
# 4 ranks: (N - 1) / N of the message over the time.
for collective in "${collectives[@]}"; do
    check "the bus bandwidth of a $collective is that of nccl-tests" 'measure 4 $system --size 64KiB --backend null --collective $collective --plans 4 -q --format csv -o bus.json && \
        cp out bus.csv && holds bus.json "all(abs(float(row[\"busbw_bytes_per_second\"]) / (3 / 4 * 65536 / float(row[\"seconds\"])) - 1) < 1e-3 for row in \
        __import__(\"csv\").DictReader(open(\"bus.csv\")))"'
done

# ---- the model's choice, with the null backend --------------------------------------------------------------------
# 4 hosts of 2, two racks, a thin spine.
racks=mem:2@3GB/s~2us,host:2@62.5MB/s~60us,spine@40MB/s~60us
for collective in "${collectives[@]}"; do
    for order in ${orders[$collective]}; do
        measure 8 "$system" --size 1MiB --backend null --collective $collective --layout $order --all -q -o all.json
        if [ $collective = all-to-all ]; then
            # By hand: what is played adds its layers up and has no messages' own time. A node's two ranks send what leaves
            # the node over 20 GB/s together: of n = 1 MiB 6/8 at once, 3/4 of each fours, 2/4 within a four, 1/2 of each two.
            check "$collective: what is played is what the links take" '[ $status = 0 ] && holds all.json "(lambda n, ib, nv: all(\
                abs(c[\"measured\"][\"median_seconds\"] / t - 1) < 1e-6 for c in m[\"candidates\"] for t in [{\"8\": 2 * n * 6 / 8 / ib, \
                \"2x4\": n / 2 / nv + 2 * n * 3 / 4 / ib, \"4x2\": 2 * n * 2 / 4 / ib + 2 * n / 2 / ib, \
                \"2x2x2\": n / 2 / nv + 2 * n / ib}[c[\"plan\"]]]) and len(m[\"candidates\"]) == 4)(2**20, 20e9, 100e9)"'
        else
            "$hiersearch" predict "$system" --np 8 --size 1MiB --collective $collective --layout $order --top 4 --samples 0 --json >predicted.json
            check "$collective, $order: what is played takes what predict says" '[ $status = 0 ] && [ "$(get all.json "sorted((c[\"plan\"], \
                \"%.9g\" % c[\"measured\"][\"median_seconds\"]) for c in m[\"candidates\"])")" = "$(get predicted.json "sorted((c[\"plan\"], \
                \"%.9g\" % c[\"predicted_seconds\"]) for c in m[\"candidates\"])")" ]'
        fi
        played=("$racks" --size 1MiB --backend null --collective $collective --layout $order)
        measure 8 "${played[@]}" --all -q -o all.json
        measure 8 "${played[@]}" -q -o lazy.json
        check "$collective, $order: the planner of layers finds the best of all" '[ $status = 0 ] && is_valid lazy.json && \
            [ "$(get lazy.json "m[\"best\"]")" = "$(get all.json "m[\"best\"]")" ] && holds lazy.json \
            "m[\"certificate\"][\"winner\"] == m[\"best\"] and m[\"certificate\"][\"within\"] == 0"'
        measure 8 "${played[@]}" --search lattice --top 2 -q -o top.json
        check "$collective, $order: so does the model" '[ "$(get top.json "m[\"best\"]")" = "$(get all.json "m[\"best\"]")" ]'
    done
done

for refusal in "--plans 4x2/2|--plans: 4x2/2: no chunks of all-to-all" "--plans 4x2t|--plans: 4x2t: layer 2: no exchange by tree" \
    "--plans 4dx2|--plans: 4dx2: layer 1: no exchange by direct" "--chunks 1,2|--chunks 2: chunks of all-to-all would each be an exchange"; do
    # shellcheck disable=SC2086 # options
    measure 8 "$system" --size 1MiB --backend null --collective all-to-all ${refusal%|*}
    check "${refusal%|*} of an all-to-all is refused in one line" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "${refusal#*|}"'
done
for refusal in "--plans 4x2/2|--plans: 4x2/2: no chunks of ReduceScatter" "--plans 4x2t|--plans: 4x2t: layer 2: no reduce-scatter by tree" \
    "--chunks 1,2|--chunks 2: chunks of ReduceScatter would leave"; do
    # shellcheck disable=SC2086 # options
    measure 8 "$system" --size 1MiB --backend null --collective reduce-scatter ${refusal%|*}
    check "${refusal%|*} of a reduce-scatter is refused in one line" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "${refusal#*|}"'
done
measure 8 "$system" --size 1MiB --backend null --layout reversed
check "an AllReduce has no order" '[ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "--layout reversed: for --collective reduce-scatter"'

# ---- what others make of it ----------------------------------------------------------------------------------------
for order in reversed packed; do
    measure 8 "$system" --size 64KiB:1MiB --backend null --collective reduce-scatter --layout $order --all -q -o fit.json
    "$hiersearch" fit "$system" fit.json -o fitted.json >out 2>err
    status=$?
    check "fit answers what was measured, $order" '[ $status = 0 ] && grep -q "^fitted: ReduceScatter ($order layout), 8 processes on 4 full nodes, 1MiB per process (predicted)\$" out'
    check "fit makes points of its stages, $order" '"$hiersearch" predict fitted.json --np 8 --size 256KiB --collective reduce-scatter \
        --layout $order --top 4 --samples 0 --json >again.json && "$python" -c "
import json
truth = [m for m in json.load(open(\"fit.json\"))[\"results\"] if m[\"message_bytes\"] == 262144][0]
truth = {c[\"plan\"]: c[\"measured\"][\"median_seconds\"] for c in truth[\"candidates\"]}
found = {c[\"plan\"]: c[\"predicted_seconds\"] for c in json.load(open(\"again.json\"))[\"results\"][0][\"candidates\"]}
assert found.keys() == truth.keys() and all(abs(found[p] / truth[p] - 1) < 0.02 for p in found), (found, truth)"'
done

measure 8 "$system" --size 64KiB:1MiB --backend null --collective all-to-all --all -q -o fit.json
"$hiersearch" fit "$system" fit.json -o fitted.json >out 2>err
status=$?
check "fit answers an all-to-all that was measured" '[ $status = 0 ] && grep -q "^fitted: all-to-all, 8 processes on 4 full nodes, 1MiB per process (predicted)$" out'
"$hiersearch" predict fitted.json --np 8 --size 256KiB --collective all-to-all --top 4 --samples 0 --json >again.json
check "and predicts what its splits took" '"$python" -c "
import json
found = {c[\"plan\"]: c[\"predicted_seconds\"] for c in json.load(open(\"again.json\"))[\"results\"][0][\"candidates\"]}
for m in json.load(open(\"fit.json\"))[\"results\"]:
    if m[\"message_bytes\"] == 262144:
        truth = {c[\"plan\"]: c[\"measured\"][\"median_seconds\"] for c in m[\"candidates\"]}
assert found.keys() == truth.keys() and all(abs(found[p] / truth[p] - 1) < 0.02 for p in found), (found, truth)"'
"$hiersearch" report fit.json -o report.html 2>err
check "a report is of an all-to-all" 'grep -q "all-to-all of 8 processes" report.html'
for target in nccl-env mpich ompi-tuned ucc; do
    "$hiersearch" export fit.json --size 1MiB --to $target >out 2>err
    status=$?
    check "export --to $target: refused in one line, which names the all-to-all" '[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && \
        grep -q "all-to-all" err'
done

# ---- faults --------------------------------------------------------------------------------------------------------
for collective in "${collectives[@]}"; do
    faulty=("$system" --size 1MiB --backend null --collective $collective --layout ${orders[$collective]##* } --all -q)
    measure 8 "${faulty[@]}" --faults wrong=4x2 -o wrong.json
    check "$collective: wrong data is found: exit status 3, and the count" '[ $status = 3 ] && said "4x2 was wrong" && holds wrong.json \
        "[(c[\"measured\"][\"status\"], c[\"measured\"][\"wrong_elements\"]) for c in m[\"candidates\"] if c[\"plan\"] == \"4x2\"] == [(\"wrong\", 1)]"'
    measure 8 "${faulty[@]}" --faults crash=2x4 -o crash.json
    killed=$status
    cp crash.json.journal kept
    measure 8 "${faulty[@]}" -o crash.json --resume
    check "$collective: a rank that is killed ends the job, and --resume measures all" '[ $killed != 0 ] && [ $status = 0 ] && \
        is_valid crash.json && grep -q "\"collective\":\"$collective" kept && holds crash.json \
        "r[\"complete\"] and all(c[\"measured\"][\"status\"] == \"ok\" for c in m[\"candidates\"])"'
    measure 8 "${faulty[@]}" --faults hang=2x4 --timeout 2s -o hang.json
    check "$collective: a hang ends the job and names the plan" '[ $status = 1 ] && said "2x4 took more than 2.000 s"'
    measure 8 "${faulty[@]}" --faults hang=2x4 --timeout 2s -o hang.json --resume
    check "$collective: --resume goes on with the others" '[ $status = 0 ] && is_valid hang.json && holds hang.json \
        "r[\"complete\"] and r[\"collective\"] == \"$collective\" and sorted(c[\"measured\"][\"status\"] for c in m[\"candidates\"]) == \
        [\"ok\", \"ok\", \"ok\", \"timeout\"]"'
done

# ---- resume --------------------------------------------------------------------------------------------------------
played=("$system" --size 1MiB --backend null --all -q)
measure 4 "${played[@]}" --collective reduce-scatter --journal j
cp j scatter
refused() { [ $status = 2 ] && [ "$(our_lines)" = 1 ] && said "it is of another run: collective was \"$1\" there and is \"$2\" here"; }
for other in allgather "reduce-scatter --layout reversed" allreduce all-to-all; do
    cp scatter j
    # shellcheck disable=SC2086 # options
    measure 4 "${played[@]}" --collective $other --journal j --resume
    case $other in
        allgather) here="allgather natural" ;;
        allreduce | all-to-all) here=$other ;;
        *) here="reduce-scatter reversed" ;;
    esac
    check "the journal of a reduce-scatter in place is none of: $here" 'refused "reduce-scatter natural" "$here" && cmp j scatter'
done
measure 4 "${played[@]}" --collective reduce-scatter --journal j --resume
check "it is one of a reduce-scatter in place" '[ $status = 0 ]'
measure 4 "${played[@]}" --journal old
sed -i '1s/"collective":"allreduce",//' old
! grep -q '"collective"' old || : >old
cp old older
measure 4 "${played[@]}" --journal old --resume
check "a journal from before there were others is of an AllReduce" '[ $status = 0 ] && [ -s older ] && cmp old older'
measure 4 "${played[@]}" --collective allgather --journal old --resume
check "and of no allgather" 'refused allreduce "allgather natural"'
finish
