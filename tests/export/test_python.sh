#!/bin/bash
# The exported Python modules, without PyTorch and JAX: they compile, their constants are right. TAP on stdout.
# (tests/clients runs them.)
set -u
program=$(realpath "${BUILD:-build}")/hiersearch
python=${PYTHON3:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

number=0
# check SENTENCE CONDITION: the condition is a command line for eval.
check() {
    number=$((number + 1))
    if eval "$2" >check.out 2>&1; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# $2"
        sed 's/^/# /' check.out
    fi
}

# holds MODULE EXPRESSION: whether it is true of the module's constants, with Rule as a plain tuple.
cat >holds.py <<'END'
import ast
import sys

def constants(path):
    found = {"Rule": lambda *values: values}
    for node in ast.parse(open(path).read()).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id in (
                "NP", "RULES", "SPLIT", "MESH_SHAPE", "MOST_CHUNKS", "RANKS_PER_NODE"):
            found[target.id] = eval(compile(ast.Expression(node.value), path, "eval"), found)
    return found

if __name__ == "__main__":
    values = constants(sys.argv[1])
    print({name: value for name, value in values.items() if name.isupper()})
    sys.exit(not eval(sys.argv[2], values))
END
holds() { "$python" holds.py "$1" "$2"; }

"$program" predict abci --np 64 --size 64MiB --quiet -o one.json >/dev/null
"$program" predict abci --np 8 --size 1KiB:64MiB --chunks 1,2,4 --quiet -o many.json >/dev/null
for format in pytorch jax; do
    "$program" export one.json --to $format --plan 4x8x2 -o $format.py --quiet
    check "$format: the module compiles" "'$python' -m py_compile $format.py"
    check "$format: 4x8x2 has its innermost layer first" \
        "holds $format.py 'NP == 64 and SPLIT == (4, 8, 2)'"
    check "$format: and its mesh has the outermost dimension first" \
        "holds $format.py 'MESH_SHAPE == (2, 8, 4)'"
    check "$format: one plan is one rule for every size" \
        "holds $format.py 'RULES == ((None, (4, 8, 2), 1),) and MOST_CHUNKS == 1'"
    check "$format: the first lines are a comment that names program, result and library" \
        "head -n 3 $format.py | grep -q '^# made by hiersearch .* from one.json: 64 processes' &&
         sed -n 2p $format.py | grep -q '^# plan 4x8x2 ' && sed -n 3p $format.py | grep -qi '$format'"
    "$program" export one.json --to $format -o $format.one --quiet
    "$program" export one.json --to $format --plan 64 -o flat.py --quiet
    check "$format: the flat split is a tuple of one" \
        "holds flat.py 'SPLIT == (64,) and MESH_SHAPE == (64,)'"
    "$program" export one.json --to $format --plan 2x8x4/8 -o chunks.py --quiet
    check "$format: chunks are exported" \
        "holds chunks.py 'RULES == ((None, (2, 8, 4), 8),) and MOST_CHUNKS == 8'"
    "$program" export many.json --to $format -o many.py --quiet
    check "$format: a module of several sizes compiles" "'$python' -m py_compile many.py"
    check "$format: every size of the result gets its own best plan" \
        "'$python' - many.py many.json <<'END'
import json, sys
from holds import constants
values = constants(sys.argv[1])
results = json.load(open(sys.argv[2]))['results']
for result in results:
    rule = next(r for r in values['RULES'] if r[0] is None or result['message_bytes'] <= r[0])
    text = 'x'.join(map(str, rule[1])) + ('/%d' % rule[2] if rule[2] > 1 else '')
    assert text == result['best'], (result['message_bytes'], text, result['best'])
assert len(values['RULES']) == len({r['best'] for r in results}) > 2
END"
    # Without chunks 2x2x2 is best below and 4x2 above; both end with the same layer of 2. Before it, by the
    # published equations, 2x2 takes 2 * 2 * 2 alpha + (1 + 1/2) n * 3 beta: a pair uses a third of the mesh of 4
    # GPUs; and 4 takes 2 * 2 * 3 alpha + 3/2 n beta. Equal where 4 alpha = 3 n beta, with ABCI's 4.8 us and
    # 111.6 GB/s at 714240 bytes.
    "$program" predict abci --np 8 --size 1KiB:64MiB --quiet -o two.json >/dev/null
    "$program" export two.json --to $format -o two.py --quiet
    check "$format: a plan ends where the next one is as fast, by the published equations" \
        "holds two.py '([rule[1:] for rule in RULES] == [((2, 2, 2), 1), ((4, 2), 1)] and
         abs(RULES[0][0] / (4 * 4.8e-6 * 111.6e9 / 3) - 1) < 1e-3)'"
    "$program" export two.json --to $format --plan 2x4 -o named.py --quiet
    check "$format: a plan that is named is for all sizes" \
        "holds named.py 'RULES == ((None, (2, 4), 1),)'"

    "$python" - <<'END'
import json
result = json.load(open("one.json"))
result["placement"] = {"nodes": [{"host": f"n{i}", "ranks": 4} for i in range(16)]}
json.dump(result, open("placed.json", "w"))
result = json.load(open("two.json"))
del result["results"][3]["best"]
result["results"][3]["candidates"] = []
json.dump(result, open("without.json", "w"))
END
    check "$format: processes on each node are not known of a prediction" \
        "holds $format.py 'RANKS_PER_NODE is None'"
    "$program" export placed.json --to $format -o placed.py --quiet
    check "$format: and are those of the placement, where there is one" \
        "holds placed.py 'RANKS_PER_NODE == 4'"
    "$program" export without.json --to $format -o none.py >none.out 2>none.err
    # shellcheck disable=SC2034 # for the condition
    status=$?
    check "$format: a size without a best plan is refused with its name, and nothing is written" \
        "((status == 2)) && grep -q 'without.json: no best plan for 8KiB' none.err &&
         [ \$(wc -l <none.err) = 1 ] && [ ! -s none.out ] && ! [ -e none.py ]"
    hostile=$'a\n"""\nimport nothing \\ \u201c.json'
    cp one.json "$hostile"
    "$program" export "$hostile" --to $format -o hostile.py --quiet
    check "$format: a result's name cannot leave the comment" \
        "[ -s hostile.py ] && cmp <(grep -v '^#' $format.one) <(grep -v '^#' hostile.py)"
done
echo "1..$number"
