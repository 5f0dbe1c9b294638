#!/usr/bin/env python3
"""What `place --format megatron` prints against Megatron's rule for numbering ranks. Prints TAP.

The rule (megatron/core/parallel_state.py), done here by brute force: an order names axes, the innermost first; a rank is the sum of its
coordinates times the sizes of the axes before. It is applied twice in the same order: to what is no expert, with tp, cp, dp, pp and ep = 1,
dp being the ranks that are left; and to experts, with tp, ep, dp, pp and cp = 1. Megatron stops where both do not have the same groups
along pp, and where pp is not the last of the order although both dp differ.
A placement is applied where the groups along each axis are those of the order that the table shows, experts' dp and the other's ep+dp.
Usage: tests/cli/test_megatron.py    (BUILD as for make)
"""
import csv
import io
import itertools
import math
import os
import re
import subprocess

HIERSEARCH = os.path.join(os.environ.get("BUILD", "build"), "hiersearch")
SYSTEM = "a:2@400GB/s~1us,b:2@100GB/s~2us,c:2@25GB/s~3us,d:2@6GB/s~4us,e@1GB/s~5us"
NAMES = ["tp", "cp", "ep", "dp", "pp"]
FLAGS = {"--tensor-model-parallel-size": "tp", "--context-parallel-size": "cp", "--expert-model-parallel-size": "ep",
         "--pipeline-model-parallel-size": "pp"}
MESHES = [{"tp": 2, "ep": 2, "dp": 2, "pp": 2}, {"tp": 2, "cp": 2, "dp": 2, "pp": 2}, {"tp": 2, "ep": 4, "pp": 2},
          {"ep": 2, "dp": 4, "tp": 2}, {"dp": 2, "ep": 2, "cp": 2, "tp": 2}, {"ep": 4, "cp": 2, "pp": 2}, {"ep": 2, "cp": 2, "pp": 2, "tp": 2},
          {"tp": 4, "pp": 2, "dp": 2}]


def groups(order, sizes, along):
    """Of ranks numbered in the order: the sets that differ along these axes alone."""
    found, ranks = {}, math.prod(sizes.get(name, 1) for name in order)
    for rank in range(ranks):
        rest, others = rank, []
        for name in order:
            rest, digit = divmod(rest, sizes.get(name, 1))
            if name not in along:
                others.append(digit)
        found.setdefault(tuple(others), set()).add(rank)
    return {frozenset(group) for group in found.values()}


def megatron(order, sizes, ranks):
    """The groups that Megatron makes, or None where it stops."""
    every = order + [name for name in NAMES if name not in order]
    dense = {name: sizes.get(name, 1) for name in ["tp", "cp", "pp"]}
    dense["dp"] = ranks // math.prod(dense.values())
    expert = {name: sizes.get(name, 1) for name in ["tp", "ep", "pp"]}
    expert["dp"] = ranks // math.prod(expert.values())
    for own in [dense, expert]:
        if any(size > 1 and name not in order for name, size in own.items()):
            return None
    if dense["pp"] > 1 and order[-1] != "pp" and dense["dp"] != expert["dp"]:
        return None
    made = {"dense " + name: groups(every, dense, [name]) for name in ["tp", "cp", "dp", "pp"]}
    made.update({"expert " + name: groups(every, expert, [name]) for name in ["tp", "ep", "dp", "pp"]})
    return made if made["dense pp"] == made["expert pp"] else None


def placed(order, mesh):
    """Those that matter of a mesh whose axes lie in this order: experts', where there are some."""
    made = {"dense " + name: groups(order, mesh, [name]) for name in ["tp", "cp", "pp"]}
    made["dense dp"] = groups(order, mesh, ["ep", "dp"])
    if "ep" in mesh:
        made.update({"expert " + name: groups(order, mesh, [name]) for name in ["tp", "ep", "pp"]})
        made["expert dp"] = groups(order, mesh, ["cp", "dp"])
    return made


def has(order, mesh, want):
    """Whether any order of Megatron's makes these groups: this one, or with dp named somewhere in it."""
    tries = [order] if "dp" in order else [order[:i] + ["dp"] + order[i:] for i in range(len(order) + 1)]
    made = [megatron(one, mesh, math.prod(mesh.values())) for one in tries]
    return any(one and all(one[name] == want[name] for name in want) for one in made)


def ask(mesh, wanted, *options):
    """A job that wants its axes in that order: each has a 16th of the bytes of the one inside of it."""
    messages = ",".join(f"{name}:allreduce:{16 ** (6 - i)}KiB" for i, name in enumerate(wanted))
    return subprocess.run([HIERSEARCH, "place", SYSTEM, "--mesh", ",".join(f"{n}={s}" for n, s in mesh.items()),
                           "--messages", messages, "--samples", "0", *options], capture_output=True, text=True, check=False)


def order_of(said, note):
    """Megatron's order by what was printed."""
    if match := re.search(r'order="([a-z-]+)"', said):
        return match[1].split("-")
    if "--use-tp-pp-dp-mapping" in said:
        return "tp-cp-ep-pp-dp".split("-")
    assert "that Megatron has by itself" in note
    return "tp-cp-ep-dp-pp".split("-")


def check(mesh, wanted, seen):
    """What is wrong, or None."""
    table = ask(mesh, wanted, "--format", "csv")
    order = [part.split("=")[0] for part in next(csv.DictReader(io.StringIO(table.stdout)))["order"].split(",")]
    done = ask(mesh, wanted, "--format", "megatron")
    want = placed(order, mesh)
    if done.returncode != 0:
        seen["refused"].add((*mesh, *order))
        return f"{order} is refused, which Megatron has" if has(order, mesh, want) else None
    seen["applied"].add((*mesh, *order))
    sizes = {FLAGS[line.split()[0]]: int(line.split()[1]) for line in done.stdout.splitlines() if line.split()[0] in FLAGS}
    said = order_of(done.stdout, done.stderr)
    made = megatron(said, sizes, math.prod(mesh.values()))
    if made is None:
        return f"{order}: Megatron stops at {said} with {sizes}"
    return next((f"{order}: {said} has other groups, {name}" for name in want if want[name] != made[name]), None)


def main():
    count = failed = 0
    for mesh in MESHES:
        seen = {"applied": set(), "refused": set()}
        faults = [fault for wanted in itertools.permutations(mesh) if (fault := check(mesh, wanted, seen))]
        text = ",".join(f"{name}={size}" for name, size in mesh.items())
        if len(seen["applied"]) < 2:
            faults.append("too few orders can be applied to show anything")
        count += 1
        failed += bool(faults)
        print(f"{'not ok' if faults else 'ok'} {count} - {text}: Megatron's groups are those of the placement in {len(seen['applied'])} "
              f"orders, and it has none of {len(seen['refused'])} refused")
        for fault in faults:
            print(f"# {fault}")
    print(f"1..{count}")
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
