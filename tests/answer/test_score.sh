#!/bin/bash
# bench/score.py: errors, order, regret and the containment rule's cost, on the published table, on measured files and on
# times whose scores are known by hand. TAP on stdout. usage: test_score.sh PROGRAM (hiersearch)
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/answer}
program=$(realpath -m "$1")
python=${PYTHON3:-/usr/bin/python3}
command -v "$python" >/dev/null || { echo "1..0 # SKIP no $python"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
check() { say "$2" "$1" "$scratch/out" "$scratch/err"; } # check SENTENCE STATUS
score() { "$python" "$top/bench/score.py" --program "$program" "$@" >"$scratch/out" 2>"$scratch/err"; }
# row N COLUMNS: the Nth case has these.
row() { [ "$(awk -v row="$1" 'NR == row + 1 { $1 = $1; print }' "$scratch/out")" = "$2" ]; }
said() { grep -qE -- "$1" "$scratch/out" "$scratch/err"; }
data=$here/data

score "$data/table2.json" --predict abci
row 1 "table2.json 128 128MiB 10 18.3 -37.9 0.22 4x8x4 128 no 5 38.57 1 38.57"
check "the published table against the plain model: 18.3 %, -37.9 %, tau 0.22, regret 38.57 %, which the rule does not lower" $?
score "$data/table2.json" --predict abci --plans && said '^4x8x4 +16\.64 +16\.03 +-3\.7 +1 +5$' && said '^128 +23\.06 +14\.33 +-37\.9 +7 +1$'
check "--plans has each plan, in both orders" $?

score "$data"/null{4,8,16}.json && row 1 "null4.json 4 1MiB 2 0.4 -0.5 - 4 4 found 1 0.00 2 0.00" &&
    row 2 "null8.json 8 1MiB 4 2.0 -6.7 0.67 2x2x2 4x2 noise 2 0.99 4 0.00" &&
    row 3 "null16.json 16 1MiB 7 4.3 +25.2 0.78 4x4 4x2x2 no 3 13.81 7 0.00"
check "found, found within noise, and not found are told apart" $?
said '^error +mean 3\.0 %, worst \+25\.2 % \(4x4: null16\.json\)$' && said "^order .* 0\.72 in the mean of 2 cases$" &&
    said '^regret +mean 4\.94 %, worst 13\.81 %$' && said 'keeps the fastest measured plan in 3;'
check "several files are summed up" $?
said '^1MiB +8 -> 16 +2x2x2 -> 4x4 +17\.23 +0\.00 +yes *$'
check "the rule on measured times grows each count from the largest that divides it" $?
score "$data"/null{4,8,16}.json --beam 1 && said 'keeps the fastest measured plan in 2; regret of the fastest kept: mean 0\.33 %, worst 0\.99 %$' &&
    said '^1MiB +4 -> 8 +4 -> 2x2x2 +0\.99 +0\.99 *$'
check "with a beam of one plan it loses more" $?

# By hand: errors of 10 % and -50 %, the predicted plan takes twice as long; what failed, or nobody predicts, does not count.
plan() { printf '{"plan": "%s"%s, "measured": {"status": "%s", "median_seconds": %s, "wrong_elements": 0}}' "$1" "${4:+, \"predicted_seconds\": $4}" "$2" "$3"; }
result() {
    local IFS=,
    printf '{"format": "hiersearch.result/2", "np": 8, "results": [{"message_bytes": 1024, "candidates": [%s]}]}' "$*" >"$scratch/made.json"
}
result "$(plan 4x2 ok 1e-3 1.1e-3)" "$(plan 8 ok 2e-3 1e-3)" "$(plan 2x4 ok 0.5e-3)" "$(plan 2x2x2 wrong 0.1e-3 1e-3)"
score "$scratch/made.json" && row 1 "made.json 8 1KiB 2 30.0 -50.0 - 4x2 8 no 2 100.00 - -"
check "errors and regret of two plans are those by hand; without a machine there is no rule" $?
result "$(plan 8 ok 1e-3 2e-3)" "$(plan 4x2 ok 1e-3 2.0000000000000001e-3)" "$(plan 2x4 ok 2e-3 3e-3)"
score "$scratch/made.json" && row 1 "made.json 8 1KiB 3 83.3 +100.0 1.00 8 8 found 1 0.00 - -"
check "times that differ by rounding alone are equal, and the first in the search's order counts" $?

# Of what the program predicts with the same collective, layout, mesh and group, when all of them change the price.
line='node:4@100GB/s~1us,ib@12GB/s~3us'
asked='"collective": "allgather", "layout": "reversed", "mesh": "a=2,b=8", "group": "b",'
result "$(plan 2x4 ok 1e-3)" "$(plan 8 ok 2e-3)" && sed -i "s/\"np\": 8,/\"np\": 16, $asked/" "$scratch/made.json"
"$program" predict "$line" --mesh a=2,b=8 --group b --size 1KiB --collective allgather --layout reversed --samples 0 --format csv -q |
    awk -F, '$4 == "2x4" { printf "^2x4 +1 +%.4g +", 1000 * $5 }' >"$scratch/expected"
score "$scratch/made.json" --predict "$line" --plans && [ -s "$scratch/expected" ] && said "$(cat "$scratch/expected")"
check "a group of a mesh, its collective and layout are predicted as the program does" $?

"$python" - "$top/bench" >"$scratch/out" 2>&1 <<'END'
import itertools, math, sys
sys.path.insert(0, sys.argv[1])
import score

def tau(*lists):
    return score.kendall_tau(*({str(i): value for i, value in enumerate(values)} for values in lists))

assert math.isclose(tau([1, 2, 3, 4], [1, 2, 4, 3]), 2 / 3)
assert math.isclose(tau([1, 2, 2, 3], [1, 3, 2, 3]), 4 / math.sqrt(5 * 5))  # tau-b: 4 pairs agree, 1 tie in each
assert math.isnan(tau([1, 2], [1, 1]))

# What single steps make of a split, against what `reaches` says.
def splits(np):
    yield from ((q, *rest) for q in range(2, np + 1) if np % q == 0 for rest in splits(np // q)) if np > 1 else [()]

def steps(split, factor, widen):
    yield (*split, factor)
    for i in range(len(split)) if widen else [len(split) - 1]:
        yield (*split[:i], split[i] * factor, *split[i + 1:])

for small, factors, widen in itertools.product(((2,), (4, 3), (2, 2, 2), (6, 2)), ((2,), (2, 2), (2, 3), (3, 2, 2)), (False, True)):
    np, made = math.prod(small) * math.prod(factors), set()
    for order in set(itertools.permutations(factors)):
        reached = {small}
        for q in order:
            reached = {after for split in reached for after in steps(split, q, widen)}
        made |= reached
    for split in splits(np):
        assert score.reaches(small, split, widen) == (split in made), (small, split, widen)
END
check "tau is tau-b, and the rule reaches just what its single steps reach" $?

! score "$scratch/none.json" && said 'none\.json: expected a result'
check "a file that is not there is said" $?
echo '{"format": "hiersearch.system/1"}' >"$scratch/system.json"
! score "$scratch/system.json" && said 'expected a result of measure or simulate'
check "so is one that is no result" $?
! score "$data/table2.json" && said 'no plan of these files is both measured and predicted'
check "and one that nobody predicts" $?
! score "$data/table2.json" --predict nowhere && said 'unknown system "nowhere"'
check "a machine that there is not is said by the program" $?
finish
