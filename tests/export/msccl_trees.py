#!/usr/bin/env python3
"""MSCCL programs of trees on single links, run on paper by msccl_check.py's interpreter. Prints TAP.

Every chunk is verified, in several orders of the thread blocks. What each link carries is counted in the program, and set
against the bound by all cuts of the graph, which is found here by brute force: so shares are kept, not only sums right.
"""
import itertools
import json
import re
import sys
import tempfile

from export_tools import GRAPHS, Tap, export, graph_system, links_of, predict, product, run
from msccl_check import Machine, Program, Rejected, check, need_order, orders, rejection

# plans of a graph's units, and nodes of them beside each other
PLANS = {"uneven5": ["5f", "5g", "5fx2", "5fg", "5gf"], "cube8": ["8f", "8g", "8fx4", "8fgx2", "8frx2", "8rf", "8fx2hx2"],
         "tail6": ["6f", "6gx3d"]}
PLANS_OF_ONE = {"uneven5": ["5f", "5fx2"], "cube8": ["8f", "8g", "8fx4"], "tail6": ["6fx3"]}


def cut_bound(name, both):
    """What the busiest link carries at least, in parts of the message over its links, by all sets of units: of an allgather the
    blocks inside leave; of a reduce-scatter as much, as links are alike both ways; of both, all blocks, one way or the other."""
    units, _ = GRAPHS[name]
    links = links_of(name)
    worst = 0
    for bits in range(1, (1 << units) - 1):
        inside = [unit for unit in range(units) if bits >> unit & 1]
        leaves = sum(count for (a, b), count in links.items() if a in inside and b not in inside)
        worst = max(worst, (1 if both else len(inside) / units) / leaves)
    return worst


def partition_bound(name):
    """An allreduce's: 2 (k - 1) over the links between the k parts, over all partitions of the units (of trees one way and back)."""
    units, _ = GRAPHS[name]
    links = links_of(name)
    worst = 0

    def partitions(items):
        if not items:
            yield []
            return
        first, rest = items[0], items[1:]
        for smaller in partitions(rest):
            for i, part in enumerate(smaller):
                yield smaller[:i] + [part + [first]] + smaller[i + 1:]
            yield smaller + [[first]]

    for parts in partitions(list(range(units))):
        of = {unit: number for number, part in enumerate(parts) for unit in part}
        between = sum(count for (a, b), count in links.items() if of[a] != of[b])
        if between:
            worst = max(worst, 2 * (len(parts) - 1) / between)
    return worst


def busiest(program, name):
    """Parts of the message that pass the busiest link of any node, over the number of its links; None: where none is."""
    units, _ = GRAPHS[name]
    links, carried = links_of(name), {}
    for rank, blocks in enumerate(program.blocks):
        for block in blocks:
            for step in block.steps:
                if step.sends and rank // units == block.send // units:
                    carried[rank, block.send] = carried.get((rank, block.send), 0) + step.count
    if any((a % units, b % units) not in links for a, b in carried):
        return None
    return max(count / program.chunks / links[a % units, b % units] for (a, b), count in carried.items())


def off_by(notes):
    return float(re.search(r"chunks of the message: the busiest link carries ([0-9.]+) %", notes)[1]) / 100


def make(path, plan, *more):
    """The program's text, and what was noted."""
    result = predict(product(plan), "256MiB", path, *more)
    status, out, err = run("export", "-", "--to", "msccl", "--plan", plan, stdin=result)
    if status:
        raise RuntimeError(f"export {plan}: {err}")
    return out, err


def check_plan(tap, path, name, plan, *collective):
    said = " ".join((name, plan, *collective[1::2]))
    try:
        text, notes = make(path, plan, *collective)
        program = check(text, seeds=(1,) if product(plan) > 16 else (1, 2, 3))
    except (Rejected, RuntimeError) as reason:
        tap.check(False, f"{said}: every chunk is right, in any order", str(reason))
        return
    tap.check(True, f"{said}: every chunk is right, in any order")
    check_depth(tap, said, program, plan)
    if name in GRAPHS:
        check_load(tap, said, (program, name, plan), notes, collective[1] if collective else "allreduce")


def check_depth(tap, said, program, plan):
    """Trees alone: in one order of all transfers, that each thread block keeps (msccl_forest.c)."""
    if not re.fullmatch(r"\d+[fg]", plan):
        return
    machine, reason = Machine(program, depth=1), ""
    try:
        machine.run(next(orders(program, ())))
    except Rejected as why:
        reason = str(why)
    tap.check(not reason, f"{said}: ends where a connection holds one transfer", reason)


def check_load(tap, said, what, notes, collective):
    """Of packed trees alone: those of a layer out and back take as long as a reduce-scatter and an allgather."""
    program, name, plan = what
    units, _ = GRAPHS[name]
    if not plan.startswith(f"{units}f") or re.match(r"\d+f[a-wyz]", plan):
        return
    nodes = product(plan) // units
    if collective != "allreduce":
        least = most = cut_bound(name, False) / nodes
    elif nodes == 1:
        least = most = partition_bound(name)
    else:
        least, most = cut_bound(name, True), 2 * cut_bound(name, False)
    found, allowed = busiest(program, name), off_by(notes)
    tap.check(found is not None and least * 0.999 <= found <= most * (1 + allowed + 0.002) and allowed < 0.05,
              f"{said}: the busiest link carries what all cuts demand, and {100 * allowed:.1f} % more at most",
              f"{found} of the message over its links, bounds {least} and {most}, allowed {allowed}")


def check_relays(tap, folder):
    """What could pass a CPU beside a link goes over the link, too: NCCL has one way. So trees are those of the links alone."""
    path = graph_system(folder, "full4", relayed=True)
    for plan in ("4f", "4fx2"):
        check_plan(tap, path, "full4", plan)
        notes = make(path, plan)[1]
        percents = [int(percent) for percent in re.findall(r"NCCL takes one way .* busiest link carries ([0-9]+) % more", notes)]
        tap.check(percents and all(5 <= percent <= 60 for percent in percents), f"full4 {plan}: and a note says what that costs", notes)
    path = graph_system(folder, "full4")
    tap.check("NCCL takes" not in make(path, "4f")[1], "full4 4f: nothing of that where there is no CPU")


# Nodes as they are shipped, with switches and CPUs beside or in place of links: options, units, and plans of an AllReduce.
SHIPPED = [("dgx1-v100", (), 8, ["8f", "8fx2", "8g"]), ("dgx1-p100", (), 8, ["8f", "8gf"]), ("mi250x", (), 8, ["8f", "8gfx2"]),
           ("dgx1-v100", ("--gpus", "0,1,4,6,7"), 5, ["5f", "5fx2"]), ("dgx1-v100", ("--gpus", "0,3,5"), 3, ["3f"]),
           ("dgx1-p100", ("--gpus", "0,2,3,5,6,7"), 6, ["6f", "6gx2"]), ("ac922-6gpu", (), 6, ["6f"])]


def rates_of(result):
    """Of the first level of a result's system: units, vertices, and bytes per second from one vertex to another."""
    level = json.loads(result)["system"]["levels"][0]
    rates = {}
    for link in level["links"]:
        a, b = link["between"]
        for way in ((a, b), (b, a)):
            rates[way] = rates.get(way, 0) + link.get("count", 1) * link["bandwidth_GBps"] * 1e9
    return level["arity"], level["arity"] + level.get("relays", 0), rates


def cut_seconds(units, vertices, rates):
    """What a reduce-scatter of a byte of the node takes at least: all sets of vertices, relays on either side."""
    worst = 0
    for bits in range(1, 1 << vertices):
        inside = sum(bits >> unit & 1 for unit in range(units))
        if 0 < inside < units:
            leaves = sum(rate for (a, b), rate in rates.items() if bits >> a & 1 and not bits >> b & 1)
            worst = max(worst, inside / units / leaves)
    return worst


def check_shipped(tap, name, options, units, plan):
    """Every chunk; a link that two GPUs have carries no more than all cuts allow, and what was noted beside; and no tree of a
    reduce-scatter has more edges than units less one."""
    said = " ".join((name, *options[1:], plan))
    collective = ("--collective", "reduce-scatter", "--layout", "natural")
    check_plan(tap, name, name, plan, *options)
    if plan != f"{units}f":
        return
    check_plan(tap, name, name, plan, *options, *collective)
    text, notes = make(name, plan, *options, *collective)
    program = Program(text)
    _, vertices, rates = rates_of(predict(units, "256MiB", name, *options, *collective))
    carried = {}
    for rank, blocks in enumerate(program.blocks):
        for block in blocks:
            for step in block.steps:
                if step.sends:
                    carried[rank, block.send] = carried.get((rank, block.send), 0) + step.count / program.chunks
    over = [int(percent) / 100 for percent in re.findall(r"NCCL takes one way .* busiest link carries ([0-9]+) % more", notes)]
    allowed = cut_seconds(units, vertices, rates) * (1.01 + max(over, default=0)) * (1.002 + off_by(notes))
    found = max(part / rates[pair] for pair, part in carried.items() if pair in rates)
    tap.check(found <= allowed and abs(sum(carried.values()) - (units - 1)) < 1e-9,
              f"{said}: no link carries more than the cuts allow, nor all together", f"{found} s a byte, allowed {allowed}",
              sum(carried.values()))


def check_waits(tap, path):
    """In a program as short as can be, each wait is needed: without it the timing decides."""
    program = check(export("5f", "msccl", "256KiB", path))
    waiting = [step for blocks in program.blocks for block in blocks for step in block.steps if step.block >= 0]
    unseen = 0
    for step in waiting:
        step.block, kept = -1, step.block
        machine = Machine(program)
        machine.go(next(orders(program, ())))
        try:
            need_order(program, machine.log)
            unseen += 1
        except Rejected:
            pass
        step.block = kept
    tap.check(len(waiting) > 10 and unseen == 0, "uneven5 5f: any of its waits that is left out is seen", len(waiting), unseen)


def check_refusals(tap, path):
    """Each with the words of the reason."""
    result = predict(8, "1MiB", path)
    for plan, expected in (("2fx4", "layer 1 goes by trees, and cube8 has no single links that join just its ranks"),
                           ("2x4f", "layer 2 goes by trees")):
        status, out, err = run("export", "-", "--to", "msccl", "--plan", plan, "--quiet", stdin=result)
        tap.check(status == 2 and not out and expected in err and err.count("\n") == 1, f"{plan} is refused", err)
    for plan, expected in (("8fx128", "layer 2 of 8fx128 (size 128) takes 2"), ("8fx130", "1040 processes, MSCCL reads at most 1024")):
        status, out, err = run("export", "-", "--to", "msccl", "--plan", plan, "--quiet", stdin=predict(product(plan), "256MiB", path))
        tap.check(status == 2 and not out and expected in err and err.count("\n") == 1, f"{plan} is refused", err)
    other = json.loads(result)
    del other["system"]
    del other["results"][0]["best"]
    other["results"][0]["candidates"] = []
    for form in ("msccl", "pytorch"):
        status, out, err = run("export", "-", "--to", form, "--plan", "8f", "--quiet", stdin=json.dumps(other))
        tap.check(status == 2 and not out and "no system in it says which" in err, f"{form}: no links, no trees", err)


def without_waits(text, kind):
    """Steps of a kind wait for nothing; nor do any before them."""
    text = re.sub(r' *<step [^/]*type="nop"[^/]*/>\n', "", text)
    text = re.sub(rf'(type="{kind}"[^/]*)depid="\d+" deps="\d+"', r'\1depid="-1" deps="-1"', text)
    numbers = itertools.count()
    lines = text.splitlines()
    for i, line in enumerate(lines):
        numbers = itertools.count() if "<tb " in line else numbers
        lines[i] = re.sub(r' s="\d+"', lambda _: f' s="{next(numbers)}"', line)
    return "\n".join(lines)


def swapped(text):
    """Two sums of one thread block, the other way round."""
    lines = text.splitlines()
    first, other = [i for i, line in enumerate(lines) if 'type="rrc"' in line][:2]
    number = re.compile(r' s="\d+"')
    lines[first], lines[other] = (number.sub(number.search(lines[first])[0], lines[other]),
                                  number.sub(number.search(lines[other])[0], lines[first]))
    return "\n".join(lines)


BROKEN = [
    ("sends that do not wait for their sums", lambda text: without_waits(text, "s"), "once|another"),
    ("two sums in another order", swapped, "once|another|count|deadlock"),
    ("a sum that is lost", lambda text: text.replace('type="rrc"', 'type="r"', 1), "once"),
    ("a copy that is added", lambda text: text.replace('type="r"', 'type="rrc"', 1), "once|another"),
    ("a nop that is waited for", lambda text: re.sub(r'(type="nop".*hasdep=)"0"', r'\1"1"', text, count=1), "nop"),
    ("a gate without one of its waits",
     lambda text: re.sub(r'(type="nop"[^/]*)depid="\d+" deps="\d+"', r'\1depid="0" deps="0"', text), "once|another|hasdep"),
]


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name in PLANS:
            path = graph_system(folder, name)
            for plan in PLANS[name]:
                check_plan(tap, path, name, plan)
            for collective in ("reduce-scatter", "allgather"):
                for plan in PLANS_OF_ONE[name]:
                    check_plan(tap, path, name, plan, "--collective", collective, "--layout", "natural")
        for name, options, units, plans in SHIPPED:
            for plan in plans:
                check_shipped(tap, name, options, units, plan)
        check_waits(tap, graph_system(folder, "uneven5"))
        check_relays(tap, folder)
        path = graph_system(folder, "cube8")
        check_refusals(tap, path)
        right = export("8fx2", "msccl", "256MiB", path)
        tap.check(rejection(right) is None, "the program that is broken below is right")
        for sentence, breaker, expected in BROKEN:
            broken = breaker(right)
            reason = rejection(broken)
            tap.check(broken != right and reason is not None and re.search(expected, reason),
                      f"the interpreter refuses {sentence}", f"it says: {reason}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
