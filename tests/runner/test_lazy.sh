#!/bin/bash
# The default plan of hiersearch-measure: layers first, then the splits that could be best. TAP on stdout.
#     tests/runner/test_lazy.sh mpich|openmpi PROGRAM
# shellcheck disable=SC2016,SC2034,SC2054 # conditions are for eval; a system has commas
set -u
# shellcheck source=tests/runner/measure_job.sh
. "$(dirname "$0")/measure_job.sh" "$@"
trap 'rm -rf "$scratch"' EXIT
# 4 hosts of 2, two racks, a thin spine: 2x4 leads by 6 %.
system=mem:2@3GB/s~2us,host:2@62.5MB/s~60us,spine@40MB/s~60us
played=("$system" --size 4MiB --backend null)

measure 8 "${played[@]}" --all -q -o all.json
measure 8 "${played[@]}" --details -o lazy.json
check "without a calibration, layers are measured first" '[ $status = 0 ] && is_valid lazy.json && holds lazy.json \
    "m[\"search\"][\"strategy\"] == \"lazy\" and m[\"search\"][\"looked_at\"] == m[\"certificate\"][\"layers_measured\"]"'
check "the winner is that of all splits" '[ "$(get lazy.json "m[\"best\"]")" = "$(get all.json "m[\"best\"]")" ] && \
    holds lazy.json "m[\"certificate\"][\"winner\"] == m[\"best\"] and m[\"certificate\"][\"within\"] == 0"'
check "not all of the 6 layers were needed" 'holds lazy.json "m[\"certificate\"][\"layers_measured\"] < m[\"certificate\"][\"layers\"] == 6"'
check "no split takes less than the certificate says" '[ "$(get all.json "sorted(c[\"measured\"][\"median_seconds\"] for c in m[\"candidates\"])[1]")" != "" ] && \
    "$python" -c "import json; a = json.load(open(\"all.json\"))[\"results\"][0]; c = json.load(open(\"lazy.json\"))[\"results\"][0][\"certificate\"]; \
    assert min(x[\"measured\"][\"median_seconds\"] for x in a[\"candidates\"]) >= c[\"seconds\"] / (1 + c[\"within\"]) * (1 - 1e-9)"'
check "the flat split is measured beside it" 'holds lazy.json "\"8\" in [c[\"plan\"] for c in m[\"candidates\"]]"'
check "the splits left out are counted" 'holds lazy.json "m[\"search\"][\"splits\"] == 4 and \
    sum(p[\"splits\"] for p in m[\"search\"][\"pruned\"] if p[\"rule\"].startswith(\"lazy\")) == 4 - len(m[\"candidates\"])"'
check "the answer says how sure it is, and how sums compare with wholes" 'tr -s "\n " " " <out | grep -q "By the sum of single layers, 2x4 is fastest: .* layers measured); no other split is faster\." && \
    grep -q "^Layers add up to 0.0 % from the full run" out'

letters=("$system;executor=host" --size 1KiB --backend null) # 2x4d leads by 27 %
measure 8 "${letters[@]}" --all -q -o every.json
measure 8 "${letters[@]}" -q -o letters.json
check "where the host executes, layers are measured by each algorithm, and the winner is that of all plans" '[ $status = 0 ] && \
    is_valid letters.json && [ "$(get letters.json "m[\"best\"]")" = "$(get every.json "m[\"best\"]")" ] && \
    holds letters.json "m[\"certificate\"][\"winner\"] == m[\"best\"] and set(m[\"best\"]) & set(\"hdt\") and \
    m[\"certificate\"][\"layers\"] > 6"'
check "--all has every split by every algorithm there" 'holds every.json "len(m[\"candidates\"]) > 4 and \
    {c[\"plan\"] for c in m[\"candidates\"]} >= {\"8\", \"8h\", \"8t\", \"2x4d\", \"4hx2t\"}"'
check "the flat split is that by rings" 'holds every.json "m[\"flat_seconds\"] == \
    [c[\"measured\"][\"median_seconds\"] for c in m[\"candidates\"] if c[\"plan\"] == \"8\"][0]"'
measure 5 dgx1-v100 --gpus 0,1,4,6-7 --backend null --size 1MiB --plans 5,5f,5g -q -o some.json
check "GPUs that the job got are those of the machine, with their trees" '[ $status = 0 ] && \
    holds some.json "m[\"best\"] in (\"5f\", \"5g\")" && grep -q "dgx1-v100-0.1.4.6.7" some.json'
measure 4 --gpus 0-3 --backend null --size 1MiB -q
check "which a machine must be given for" '[ $status = 2 ] && grep -q "^hiersearch measure: --gpus: of a SYSTEM" err'
measure 8 "${letters[@]}" --algorithms ring -q -o rings.json
check "--algorithms says which" 'holds rings.json "m[\"certificate\"][\"layers\"] == 6 and not set(m[\"best\"]) & set(\"hdt\")"'

measure 8 "${played[@]}" --chunks 1,4 -q -o chunks.json
check "survivors are tried with the chunks asked for" '[ $status = 0 ] && holds chunks.json \
    "{m[\"certificate\"][\"winner\"], m[\"certificate\"][\"winner\"] + \"/4\"} <= {c[\"plan\"] for c in m[\"candidates\"]}"'
measure 8 "${played[@]}" --search lattice -q -o model.json
check "--search lattice asks the model alone" '[ $status = 0 ] && holds model.json \
    "m[\"search\"][\"strategy\"] == \"lattice\" and \"certificate\" not in m"'
measure 8 "${played[@]}" --top 1 -q -o top.json
check "so does --top with a SYSTEM" '[ $status = 0 ] && holds top.json "m[\"search\"][\"strategy\"] == \"lattice\""'
measure 4 abci --size 64KiB --backend null -q -o abci.json
check "a shipped machine with published times and its sources is measured by layers" '[ $status = 0 ] && is_valid abci.json && \
    holds abci.json "m[\"search\"][\"strategy\"] == \"lazy\""'
measure 7 --size 4KiB --backend host --budget 5s --layer-runs 0 -q -o prime.json
check "a prime number of processes has nothing to search" '[ $status = 0 ] && holds prime.json "\"certificate\" not in m"'

# ---- noise: what is certified against the truth, which the null backend plays without noise ------------------
# (8 samples of each and no warm-up: ranks outnumber cores here, and other tests run.)
covered=0 beaten=0 runs=8
for seed in $(seq $runs); do
    measure 8 "${played[@]}" --faults noise=0.05 --warmup 0 --max-samples 8 --layer-runs 0 --seed "$seed" -q -o noise.json
    [ $status = 0 ] || break
    read -r in worse < <("$python" -c '
import json
a = {c["plan"]: c["measured"]["median_seconds"] for c in json.load(open("all.json"))["results"][0]["candidates"]}
c = json.load(open("noise.json"))["results"][0]["certificate"]
low, high = c["ci95_seconds"]
truth = a[c["winner"]]
print(int(low <= truth <= high), int(truth > min(a.values()) * (1 + c["within"]) * (1 + 1e-9)))')
    covered=$((covered + in)) beaten=$((beaten + worse))
done
echo "# 5 % of noise: the interval covers the truth in $covered of $runs runs, $beaten winners are worse than certified"
check "with noise the intervals cover the truth, and no winner is worse than certified" \
    '[ $status = 0 ] && ((covered >= runs - 1 && beaten <= 1))'
measure 8 "${played[@]}" --faults noise=0.6 --warmup 0 --max-samples 8 --layer-runs 0 -o loud.json
check "a loaded machine gets wide intervals and a warning" '[ $status = 0 ] && said "timings are noisy" && \
    ! grep -q "no other split is faster" out && grep -q "^By the sum of single layers, " out && \
    holds loud.json "not m[\"certificate\"].get(\"certain\") and (lambda c: c[\"ci95_seconds\"][1] - c[\"seconds\"] > 0.05 * c[\"seconds\"] and c[\"within\"] > 0.05)(m[\"certificate\"])"'
measure 8 "${played[@]}" --budget 4s -o short.json
check "where time is short the layers stop, and what that leaves open is said" '[ $status = 0 ] && is_valid short.json && \
    (said "before the time was up" || holds short.json "m[\"certificate\"].get(\"within\", 1) > 0")'

# ---- resume ---------------------------------------------------------------------------------------------------
# Numbers in a journal are rounded in the last digit.
certified() { get "$1" "[c[k] for c in [m[\"certificate\"]] for k in (\"winner\", \"layers_measured\", \"layers_rough\", \"within\")] + \
    [\"%.9g\" % m[\"certificate\"][\"seconds\"]]"; }
measure 8 "${played[@]}" --journal j -q -o kept.json
layers=$(grep -c '"name":"layer"' j)
head -n $((1 + layers)) j >half
cp half j
measure 8 "${played[@]}" --journal j --resume -q -o resumed.json
check "layers in the journal are not measured again" '[ $status = 0 ] && ((layers > 0)) && \
    [ "$(grep -c "\"name\":\"layer\"" j)" = "$layers" ] && \
    [ "$(certified kept.json)" = "$(certified resumed.json)" ]'
head -n 2 half >j
measure 8 "${played[@]}" --journal j --resume -q -o resumed.json
check "those that are missing are" '[ $status = 0 ] && [ "$(grep -c "\"name\":\"layer\"" j)" = "$layers" ] && \
    [ "$(certified kept.json)" = "$(certified resumed.json)" ]'

# ---- a layer that hangs ---------------------------------------------------------------------------------------
measure 8 "${played[@]}" --faults hang=8 --timeout 2s --journal h -q -o hung.json
check "a layer that hangs ends the job, and the journal names it" '[ $status = 1 ] && said "took more than 2.000 s" && \
    said "h has the layers that were measured, --resume goes on from there" && grep "\"stage\":\"[a-z-]*:1:8\"" h | grep -q "\"failed\":\"timing the .* took more than 2.000 s\"" && [ ! -e hung.json ]'
cp h again
measure 8 "${played[@]}" --journal h --resume -o hung.json
check "--resume goes around it" '[ $status = 0 ] && is_valid hung.json && said "could not be measured before" && \
    holds hung.json "m[\"certificate\"][\"layers_failed\"] == 1"'
measure 8 "${played[@]}" --journal again --resume --retry -q -o hung.json
check "--retry measures it when it hangs no more" '[ $status = 0 ] && \
    holds hung.json "m[\"certificate\"][\"layers_failed\"] == 0 and m[\"certificate\"][\"winner\"] == \"2x4\""'

# ---- a real backend -------------------------------------------------------------------------------------------
measure 4 --size 64KiB --backend host --warmup 1 --precision 20% --budget 12s --layer-runs 0 -o host.json
check "where nothing is known but where the ranks are, it works too" '[ $status = 0 ] && is_valid host.json && \
    holds host.json "m[\"search\"][\"strategy\"] == \"lazy\" and m[\"certificate\"][\"layers\"] == 3 and \"system\" not in r"'

crowd=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
launch=(taskset -c "$crowd" "${launch[@]}")
measure 4 --size 4KiB --backend host --warmup 1 --precision 20% --max-samples 8 --budget 12s --layer-runs 0 -o crowd.json
check "where ranks share cores nothing is certain, and that is said" '[ $status = 0 ] && is_valid crowd.json && holds crowd.json \
    "r[\"placement\"][\"oversubscribed_ranks\"] == 4 and r[\"placement\"][\"oversubscribed_cores\"] == 1 and not m[\"certificate\"][\"certain\"]" && \
    grep -q "^4 ranks share 1 core: do not generalise\.$" out'

measure 4 --size 4KiB --all --search lazy
check "--all and --search lazy exclude each other" '[ $status = 2 ] && said "exclude"'
finish
