#!/bin/bash
# The exported Python modules, without PyTorch and JAX: they compile, their constants are right. TAP on stdout.
# (tests/clients runs them.)
# shellcheck source=tests/export/tap.sh
. "$(dirname "$0")/tap.sh"
program=$programs/hiersearch
python=${PYTHON3:-python3}

# holds MODULE EXPRESSION: whether it is true of the module's constants, with Rule as a plain tuple.
cat >holds.py <<'END'
import ast
import sys

def constants(path):
    found = {"Rule": lambda *values: values, "Tree": lambda *values: values}
    for node in ast.parse(open(path).read()).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id in (
                "NP", "RULES", "SPLIT", "MESH_SHAPE", "MOST_CHUNKS", "RANKS_PER_NODE", "FORESTS", "LAYOUT",
                "COLLECTIVE", "TIMES"):
            found[target.id] = eval(compile(ast.Expression(node.value), path, "eval"), found)
    return found

if __name__ == "__main__":
    values = constants(sys.argv[1])
    print({name: value for name, value in values.items() if name.isupper() and name != "FORESTS"})
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
    check "$format: one plan is one rule, but for small messages, which are the library's own" \
        "holds $format.py '(len(RULES) == 2 and RULES[0][1:] == ((64,), 1) and 0 < RULES[0][0] < 2**26 and
         RULES[1] == (None, (4, 8, 2), 1) and MOST_CHUNKS == 1)'"
    check "$format: and a comment says which rule that is" \
        "[ \$(grep -c '# one call of the library' $format.py) = 1 ] &&
         grep -q 'Rule([0-9]*, (64,), 1),  # one call of the library$' $format.py"
    check "$format: the first lines are a comment that names program, result and library" \
        "head -n 3 $format.py | grep -q '^# made by hiersearch .* from one.json: 64 processes' &&
         sed -n 2p $format.py | grep -q '^# plan 4x8x2 ' && sed -n 3p $format.py | grep -qi '$format'"
    "$program" export one.json --to $format -o $format.one --quiet
    "$program" export one.json --to $format --plan 64 -o flat.py --quiet
    check "$format: the flat split is a tuple of one" \
        "holds flat.py 'SPLIT == (64,) and MESH_SHAPE == (64,)'"
    "$program" export one.json --to $format --plan 2x8x4/8 -o chunks.py --quiet
    check "$format: chunks are exported" \
        "holds chunks.py 'RULES[1:] == ((None, (2, 8, 4), 8),) and MOST_CHUNKS == 8'"
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
assert len(values['RULES']) >= len({r['best'] for r in results} | {'8'}) > 2
assert values['RULES'][0] == (1023, (8,), 1), 'below the smallest size of the result'
END"
    # Without chunks 2x2x2 is best below and 4x2 above, but for a range where the flat ring is; both end with the same layer of 2. Before it, by the
    # published equations, 2x2 takes 2 * 2 * 2 alpha + (1 + 1/2) n * 3 beta: a pair uses a third of the mesh of 4
    # GPUs; and 4 takes 2 * 2 * 3 alpha + 3/2 n beta. Equal where 4 alpha = 3 n beta, with ABCI's 4.8 us and
    # 111.6 GB/s at 714240 bytes.
    "$program" predict abci --np 8 --size 1KiB:64MiB --samples 0 --quiet -o two.json >/dev/null
    "$program" export two.json --to $format -o two.py --quiet
    check "$format: a plan ends where the next one is as fast, by the published equations" \
        "holds two.py '([rule[1:] for rule in RULES] == [((8,), 1), ((2, 2, 2), 1), ((4, 2), 1), ((8,), 1), ((4, 2), 1)] and
         abs(RULES[1][0] / (4 * 4.8e-6 * 111.6e9 / 3) - 1) < 1e-3)'"
    "$program" export two.json --to $format --plan 2x4 -o named.py --quiet
    check "$format: a plan that is named is for all sizes of the result" \
        "holds named.py 'RULES == ((1023, (8,), 1), (None, (2, 4), 1))'"
    # 3x2x2 takes 70 and MPI_Allreduce 20 us at 4 KiB, 300 and 900 at 1 MiB, 46000 and 4000 at 64 MiB: equal at
    # 4096 + 1044480 * 50 / 650 = 84440.6 and at 1048576 + 66060288 * 600 / 42600 = 1979002.7.
    "$program" export "$results/library12.json" --to $format -o library.py 2>library.notes
    check "$format: where the library was measured faster its own call is made" \
        "holds library.py 'RULES == ((84440, (12,), 1), (1979002, (3, 2, 2), 1), (None, (12,), 1))'"
    for file in library.py library.notes; do
        check "$format: and that is said: $file" \
            "grep -qF 'MPI_Allreduce is 2.5 times faster than the plan at 4KiB (measured): keep the library' $file &&
             grep -qF 'MPI_Allreduce is 11.5 times faster than the plan at 64MiB (measured): keep the library' $file &&
             ! grep -q 'at 1MiB (measured)' $file"
    done
    "$program" export "$results/asymmetric64.json" --to $format -o split.py 2>split.notes
    check "$format: nothing of that where the split was measured faster" \
        "holds split.py 'RULES[-1] == (None, (4, 8, 2), 1)' && ! grep -q 'keep the library' split.py split.notes"

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

# Trees on single links, in PyTorch alone: every one spans the node, from its root or to it, and shares are all of a block.
cat >trees.py <<'END'
import sys
from holds import constants

def spans(parents, root):
    reached = {root}
    for _ in parents:
        reached |= {rank for rank, parent in enumerate(parents) if parent in reached}
    return parents[root] == -1 and len(reached) == len(parents)

def right(forest, phase, size):
    shares = {}
    for root, share, up, down in forest:
        shares[root * (phase != "allreduce")] = shares.get(root * (phase != "allreduce"), 0) + share
        assert share > 0 and (len(up), len(down)) == (size * (phase != "allgather"), size * (phase != "reduce-scatter"))
        assert all(spans(parents, root) for parents in (up, down) if parents), (root, up, down)
    assert len(shares) == (1 if phase == "allreduce" else size) and all(abs(s - 1) < 1e-9 for s in shares.values()), shares

values = constants(sys.argv[1])
assert sorted(values["FORESTS"]) == sys.argv[3:], sorted(values["FORESTS"])
assert values["RULES"][-1][3:] == ((sys.argv[2],) if sys.argv[2] else ()), values["RULES"]
for key, forest in values["FORESTS"].items():
    right(forest, key.split()[0], values["SPLIT"][0])
END
# trees WAYS KEY... -- OPTION...: what a module exported so has.
trees() {
    local -a has=()
    while [ "$1" != -- ]; do
        has+=("$1")
        shift
    done
    shift
    "$program" export links.json --to pytorch --quiet "$@" -o trees_of.py && "$python" -m py_compile trees_of.py &&
        "$python" trees.py trees_of.py "${has[@]}"
}
"$program" predict dgx1-v100 --gpus 0,1,4,6,7 --np 10 --size 256MiB --algorithms all --quiet -o links.json >/dev/null
check "pytorch: the best plan goes by packed trees out and back" "trees ff 'allgather f' 'reduce-scatter f' --"
"$program" predict dgx1-v100 --np 16 --size 64MiB --algorithms forest,groups --quiet -o links.json >/dev/null
check "pytorch: a plan by packed trees has both phases' trees" "trees ff 'allgather f' 'reduce-scatter f' -- --plan 8fx2"
check "pytorch: out by groups and back by trees has both" "trees gf 'allgather f' 'reduce-scatter g' -- --plan 8gfx2"
check "pytorch: out by trees and back by rings has one" "trees f- 'reduce-scatter f' -- --plan 8frx2"
check "pytorch: other letters have no trees" "trees '' -- --plan 8hx2"
"$program" predict mi250x --np 8 --size 64MiB --algorithms forest,groups --quiet -o links.json >/dev/null
check "pytorch: a plan of one layer has an AllReduce's trees" "trees gg 'allreduce g' -- --plan 8g"
check "pytorch: or two phases' where its ways differ" "trees fg 'allgather g' 'reduce-scatter f' -- --plan 8fg"
"$program" predict '8xH100, 8xNDR400' --np 64 --size 1MiB:4MiB --collective allgather --layout packed --quiet -o packed.json >/dev/null
"$program" export packed.json --to pytorch --plan 8x8 -o packed.py --quiet
check "pytorch: the packed layout is said" "holds packed.py 'LAYOUT == \"packed\" and COLLECTIVE == \"allgather\" and RULES[-1][1] == (8, 8)'"
"$program" export packed.json --to inductor -o times.py --quiet
check "inductor: the module compiles" "'$python' -m py_compile times.py"
check "inductor: it has every size's time, of the group's place" \
    "holds times.py '[size for size, seconds in TIMES[\"allgather\", 64, 8] if seconds > 0] == [2**20, 2**21, 2**22] and RANKS_PER_NODE == 8'"
"$program" export links.json --to jax --plan 8f -o jax_links.py 2>jax_links.err
check "jax has none, and says so" "grep -q 'jax cannot name algorithms: plan 8f is exported as 8' jax_links.err && ! grep -q FORESTS jax_links.py"
for collective in reduce-scatter allgather; do
    "$program" predict mi250x --np 8 --size 64MiB --collective $collective --layout natural --quiet -o links.json >/dev/null
    check "pytorch: a module of ${collective}s has the mirrored one's trees, too" \
        "trees ff 'allgather f' 'reduce-scatter f' -- --plan 8f"
done
finish
