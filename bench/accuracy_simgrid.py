#!/usr/bin/env python3
"""The plain model against SimGrid, nothing fitted: how far off it is, and what its winner costs.

Six simulated machines (bench/systems), one file for all process counts of each. Every split of every P from 2 to 64 and a
sample of those of 128 and 256, each at four message sizes, then splits of the longest messages in 2, 4 and 8 chunks for some P,
then splits of 2 to 32 by halving, direct exchange, trees and mixes of them, then reduce-scatters and allgathers by every split of
4 to 64, natural and reversed, and all-to-alls by every split of these, pairwise and by Bruck, then the groups of meshes of 16 to
64, all at once (data-parallel ones beside tp=2 and tp=4, and with a gap; then tp of 3, 5, 6 and 12 that do not divide a node), by every split, in every collective but the all-to-all,
then what a job takes in every order of the axes of such a mesh: `hiersearch predict` beside `hiersearch simulate`, which runs the
host backend on the platform made from the same file. For each machine are printed

    error    |predicted / simulated - 1|, mean and worst
    regret   simulated time of the predicted winner over the simulated best, minus 1, per P: mean and worst
    winner   how many P have a predicted winner that is the simulated best (to 0.01 %)
    top-3    how many P have the simulated best among the predicted best three
    tau      Kendall's rank correlation (tau-b), mean over P

P with one split only count for the error alone. All of it is about two hours of one core. Simulated times are kept in
DIR/NAME.tsv as they come, so that a run goes on where it was interrupted; they are used again as long as the machine and what
simulates are the same.

usage: bench/accuracy_simgrid.py [option...] [PROGRAM]     PROGRAM: build/hiersearch by default
  --quick          a subset of the P (under 3 minutes)
  --np LIST        these P instead, every split, such as 12,16,48; chunks as well
  --size LIST      these message sizes (default: 16KiB,256KiB,4MiB,64MiB)
  --machines LIST  of rails, mesh, tapered, sockets, uneven, groups
  --no-chunks      without the splits in chunks
  --no-algorithms  without other algorithms than the ring; --only-algorithms: with them alone
  --no-collectives without reduce-scatters, allgathers and all-to-alls; --only-collectives: with them alone
  --only-library   what MPICH's and Open MPI's own reduce-scatters, allgathers, allreduces and all-to-alls take, 4 to 64 ranks,
                   64 KiB to 64 MiB, against SMPI's ports of their algorithms, and nothing else (bench/own_calls.py; 64 ranks need 16 GB)
  --no-meshes      without groups of meshes and orders of axes; --only-meshes: with them alone
  --before PROGRAM besides, the rings of 256 processes in nodes of 4, with another build's simulation beside this one's
  --only-before    that alone
  --worst N        also the N cases with the largest errors of each machine
  --jobs N         so many machines at a time (default: as many as cores)
  --cache DIR      where simulated times are kept (default: accuracy, beside PROGRAM)
Exit status 1 where a bound is missed.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import own_calls

TOP = Path(__file__).resolve().parents[1]
MACHINES = ("rails", "mesh", "tapered", "sockets", "uneven", "groups")
# In SMPI a send of less than 64 KiB is through at once, else when it has been received: blocks of 64 MiB are sent like that by
# up to 256 processes.
SIZES = ("16KiB", "256KiB", "4MiB", "64MiB")
LONGEST = SIZES[-1]
# The ring with several steps under way against the one before.
BEFORE_MACHINE = "nv:4@100GB/s~1us,ib@25GB/s~4us"
BEFORE_NP = 256
BEFORE_PLANS = ("256", "4x64")
BEFORE_SIZES = ("16KiB", "256KiB", "1MiB", "4MiB", "16MiB", "64MiB")
CHUNKS = (2, 4, 8)
EVERY_NP = tuple(range(2, 65))
CHUNKS_NP = (8, 12, 15, 16, 18, 20, 24)
QUICK_NP = (5, 6, 8, 12, 16, 18, 20, 24, 30, 32, 36, 48)
QUICK_CHUNKS_NP = (8, 12, 18)
LETTERED_NP = tuple(range(2, 33))
QUICK_LETTERED_NP = (8, 12, 16)
DIRECT_MAX = 32
COLLECTIVES = [(call, order) for call in ("reduce-scatter", "allgather") for order in ("natural", "reversed")]
COLLECTIVES_NP = (4, 6, 8, 12, 16, 18, 24, 32, 48, 64)
QUICK_COLLECTIVES_NP = (8, 12, 16)
MESHES = [("tp=2,dp={}", 2, "dp"), ("tp=4,dp={}", 4, "dp"), ("tp=2,pp=2,dp={}", 4, "tp,dp")]  # with the rest; over
# Groups that do not divide a node of 4 or 6, some of them across two nodes.
UNEVEN = [("tp=3,dp={}", 3, "tp"), ("tp=5,dp={}", 5, "tp"), ("tp=6,dp={}", 6, "tp"), ("tp=12,dp={}", 12, "tp"), ("tp=3,dp={}", 3, "dp")]
UNEVEN_NP = (15, 24, 36, 48, 60)
QUICK_UNEVEN_NP = (15, 24)
MESHES_NP = (16, 24, 32, 48, 64)
QUICK_MESHES_NP = (16, 32)
PLACED = [("tp=2,dp={}", 2), ("tp=4,pp=2,dp={}", 8)]  # all orders of their axes
PLACED_MESSAGES = [("tp", "allreduce", 4), ("dp", "reduce-scatter", 1), ("dp", "allgather", 1)]  # over, collective, calls
SAMPLE_EVERY = {128: 6, 256: 16}  # of the splits in order, besides the predicted best and the flat one
SAMPLED_NP = tuple(SAMPLE_EVERY)
SAMPLE_BEST = 4
SAME = 1e-4  # two simulated times that count as the same
# mean error, worst error, mean regret: the bounds of what is stated. None: printed only.
BOUNDS = {"splits": (0.03, 0.25, 0.01), "splits, shorter messages": (0.03, 0.25, 0.01), "with chunks": (0.10, None, None),
          "by all algorithms": (0.04, 0.30, 0.01), "reduce-scatter and allgather": (0.03, 0.25, 0.01),
          "all-to-all": (0.05, 0.40, 0.01), "groups of a mesh": (0.03, 0.20, 0.01),
          "uneven groups": (0.03, 0.20, 0.01), "orders of axes": (0.03, 0.20, 0.01)}
FOUND = {"reduce-scatter and allgather": 0.95, "groups of a mesh": 0.95, "orders of axes": 0.95}  # the predicted winner is the simulated best in so many
# What a simulated time depends on besides the machine.
SIMULATING = ("hiersearch-simulate", "src/export/simgrid.c", "src/cli/simulate_run.c")


class Machine:
    """One machine and message size: predictions of `program`, and simulated times, kept in a file."""

    def __init__(self, name, size, program, cache):
        self.name, self.size, self.program = name, size, program
        self.path = TOP / "bench/systems" / f"{name}.json"
        self.kept = cache / f"{name}.tsv"
        self.key = self.fingerprint()
        self.simulated = self.read()
        self.predicted = {}

    def fingerprint(self):
        system = json.loads(self.path.read_text(encoding="utf-8"))
        for level in system["levels"]:
            del level["source"]
        levels = json.dumps([system["levels"], system["pipeline_granularity"], system["launch_us"], self.size])
        hashed = hashlib.sha256(levels.encode())
        for name in SIMULATING:
            path = TOP / name if "/" in name else self.program.parent / name
            hashed.update(path.read_bytes())
        return hashed.hexdigest()[:16]

    def read(self):
        if not self.kept.exists():
            return {}
        rows = [line.split("\t") for line in self.kept.read_text(encoding="utf-8").splitlines()]
        return {(int(row[1]), row[2]): float(row[3]) for row in rows if len(row) == 4 and row[0] == self.key}

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["results"][0]["candidates"]

    def predict(self, np, chunks):
        """Plan -> predicted seconds, best first; chunks: counts of chunks."""
        if (np, chunks) not in self.predicted:
            found = self.run("predict", self.path, "--np", str(np), "--size", self.size, "--search", "exhaustive", "--top",
                             "10000", "--chunks", ",".join(map(str, chunks)), "--samples", "0", "--json", "--quiet")
            self.predicted[np, chunks] = {c["plan"]: c["predicted_seconds"] for c in found}
        return self.predicted[np, chunks]

    def play(self, np, plans):
        """Plan -> (predicted, simulated) seconds, simulated now: predictions of any letters come with it."""
        found = self.run("simulate", self.path, "--np", str(np), "--size", self.size, "--json", "--quiet", *plans)
        return {c["plan"]: (c["predicted_seconds"], c["measured"]["median_seconds"]) for c in found}

    def best(self, np):
        """Plans that predict takes with all algorithms: of each split its best."""
        found = self.run("predict", self.path, "--np", str(np), "--size", self.size, "--algorithms", "all", "--top", "10000",
                         "--samples", "0", "--json", "--quiet")
        return [c["plan"] for c in found]

    def simulate(self, np, plans):
        """Plan -> simulated seconds; what is not kept is simulated now."""
        missing = [plan for plan in plans if (np, plan) not in self.simulated]
        if missing:
            found = self.run("simulate", self.path, "--np", str(np), "--size", self.size, "--json", "--quiet", *missing)
            with self.kept.open("a", encoding="utf-8") as out:
                for candidate in found:
                    seconds = candidate["measured"]["median_seconds"]
                    self.simulated[np, candidate["plan"]] = seconds
                    out.write(f"{self.key}\t{np}\t{candidate['plan']}\t{seconds!r}\n")
        return {plan: self.simulated[np, plan] for plan in plans}


def sample(predicted, np):
    """Every few splits in the order of their text, the predicted best few, and the flat one."""
    plans = sorted(predicted)[::SAMPLE_EVERY[np]] + list(predicted)[:SAMPLE_BEST] + [str(np)]
    return list(dict.fromkeys(plans))


def sign(a, b):
    """Of a - b, 0 where they are the same."""
    return 0 if abs(a - b) <= SAME * min(a, b) else 1 if a > b else -1


def kendall_tau(rows):
    """Tau-b of (predicted, simulated) pairs; 1 where one side does not rank at all."""
    agree = ranked_p = ranked_s = 0
    for i, (p, s) in enumerate(rows):
        for other_p, other_s in rows[:i]:
            by_p, by_s = sign(p, other_p), sign(s, other_s)
            agree += by_p * by_s
            ranked_p += abs(by_p)
            ranked_s += abs(by_s)
    return agree / (ranked_p * ranked_s) ** 0.5 if ranked_p and ranked_s else 1.0


class Score:
    """What the cases of a machine, or of all, come to."""

    def __init__(self):
        self.cases, self.ranked = [], []

    def add(self, np, predicted, simulated):
        """Both: plan -> seconds, with the same plans."""
        self.cases += [(predicted[plan] / simulated[plan] - 1, np, plan) for plan in simulated]
        if len(simulated) < 2:
            return
        order = sorted(simulated, key=predicted.get)
        best = min(simulated.values())
        regrets = [simulated[plan] / best - 1 for plan in order[:3]]
        tau = kendall_tau([(predicted[plan], simulated[plan]) for plan in order])
        self.ranked.append((regrets[0], min(regrets) <= SAME, tau, np, order[0]))

    def merge(self, other, name):
        self.cases += [(error, np, f"{plan} {name}") for error, np, plan in other.cases]
        self.ranked += [(*row[:4], f"{row[4]} {name}") for row in other.ranked]

    def mean_error(self):
        return sum(abs(case[0]) for case in self.cases) / len(self.cases)

    def worst(self, count=1):
        return sorted(self.cases, key=lambda case: -abs(case[0]))[:count]

    def mean_regret(self):
        return sum(row[0] for row in self.ranked) / len(self.ranked) if self.ranked else 0

    def row(self, name):
        error, np, plan = self.worst()[0]
        text = f"{name:8} {len(self.cases):6} {100 * self.mean_error():7.2f} {100 * error:+8.2f}  {plan:24}"
        if not self.ranked:
            return text.rstrip()
        count, worst = len(self.ranked), max(self.ranked, key=lambda row: row[0])
        hits = sum(row[0] <= SAME for row in self.ranked)
        regret = f"{100 * worst[0]:.2f} (P = {worst[3]})" if worst[0] > SAME else "0.00"
        return (f"{text} {100 * self.mean_regret():8.3f}  {regret:16} {f'{hits}/{count}':>8} "
                f"{f'{sum(row[1] for row in self.ranked)}/{count}':>8} {sum(row[2] for row in self.ranked) / count:6.3f}")


HEADING = (f"{'':8} {'':6} {'error %':>7} {'':8}  {'':24} {'regret %':>8}\n"
           f"{'machine':8} {'cases':>6} {'mean':>7} {'worst':>8}  {'of':24} {'mean':>8}  {'worst':16} {'winner':>8} {'top-3':>8} {'tau':>6}")


def compare(machine, every, sampled, chunks):
    """The machine's score; chunks: () for whole messages, else these counts as well as one."""
    score = Score()
    counts = (1, *chunks)
    for np in sorted({*every, *sampled}):
        predicted = machine.predict(np, counts)
        plans = list(predicted) if np in every else sample(predicted, np)
        simulated = machine.simulate(np, plans)
        if chunks:  # the winner is that of all plans, the error that of those in chunks
            whole = Score()
            whole.add(np, predicted, simulated)
            score.ranked += whole.ranked
            score.cases += [case for case in whole.cases if "/" in case[2]]
        else:
            score.add(np, predicted, simulated)
        show_progress(f"{machine.name}{' with chunks' if chunks else ''}: {np} processes")
    return score


def lettered(split):
    """Plans of a split in letters: one algorithm on all layers, two in turn, a tree last."""
    sizes = [int(size) for size in split.split("x")]
    direct = ["d" if size <= DIRECT_MAX else "h" for size in sizes]
    rows = [["h"] * len(sizes), direct, ["", *direct][: len(sizes)], [*direct[:-1], "t"],
            [letter if i % 2 else "h" for i, letter in enumerate(direct)]]
    return ["x".join(f"{size}{letter}" for size, letter in zip(sizes, row)) for row in rows]


def compare_algorithms(machine, every):
    """The score of plans in letters: of each split its best, and those above; the splits by rings beside them."""
    score = Score()
    for np in every:
        splits = list(machine.predict(np, (1,)))
        plans = list(dict.fromkeys([*machine.best(np), *splits, *(plan for s in splits for plan in lettered(s))]))
        played = machine.play(np, plans)
        score.add(np, {plan: row[0] for plan, row in played.items()}, {plan: row[1] for plan, row in played.items()})
        show_progress(f"{machine.name} by all algorithms: {np} processes")
    return score


def compare_collectives(machine, every):
    """The score of reduce-scatters and allgathers in both orders, by all splits."""
    score = Score()
    for np in every:
        for call, order in COLLECTIVES:
            found = machine.run("simulate", machine.path, "--np", str(np), "--size", machine.size, "--collective", call, "--layout",
                                order, "--all", "--json", "--quiet")
            score.add(np, {f"{c['plan']} {call} {order}": c["predicted_seconds"] for c in found},
                      {f"{c['plan']} {call} {order}": c["measured"]["median_seconds"] for c in found})
        show_progress(f"{machine.name}, reduce-scatter and allgather: {np} processes")
    return score


def compare_exchanges(machine, every):
    """The score of all-to-alls by all splits, pairwise and by Bruck on all layers."""
    score = Score()
    for np in every:
        call = ("--np", str(np), "--size", machine.size, "--collective", "all-to-all", "--json", "--quiet")
        splits = [c["plan"] for c in machine.run("predict", machine.path, *call, "--search", "exhaustive", "--top", "10000",
                                                 "--samples", "0")]
        found = machine.run("simulate", machine.path, *call, *splits, *("x".join(f"{p}h" for p in s.split("x")) for s in splits))
        score.add(np, {f"{c['plan']} all-to-all": c["predicted_seconds"] for c in found},
                  {f"{c['plan']} all-to-all": c["measured"]["median_seconds"] for c in found})
        show_progress(f"{machine.name}, all-to-all: {np} processes")
    return score


def compare_meshes(machine, every, meshes=MESHES):
    """The score of all groups of a mesh at once, in every collective, by all splits."""
    score = Score()
    for np in every:
        for axes, inner, over in meshes:
            if np % inner or np == inner:
                continue
            axes = axes.format(np // inner)
            for call, order in [("allreduce", "natural"), *COLLECTIVES]:
                found = machine.run("simulate", machine.path, "--mesh", axes, "--group", over, "--size", machine.size, "--collective",
                                    call, "--layout", order, "--all", "--json", "--quiet")
                names = [f"{c['plan']} {call} {order} {axes} over {over}" for c in found]
                score.add(np, dict(zip(names, (c["predicted_seconds"] for c in found))),
                          dict(zip(names, (c["measured"]["median_seconds"] for c in found))))
        show_progress(f"{machine.name}, groups of a mesh: {np} processes")
    return score


def compare_placements(machine, every):
    """The score of a job's communication in all orders of its axes: each message by its best plan."""
    score = Score()
    for np in every:
        for axes, inner in PLACED:
            if np % inner or np == inner:
                continue
            messages = ",".join(f"{over}:{call}:{machine.size}*{calls}" for over, call, calls in PLACED_MESSAGES)
            done = subprocess.run([machine.program, "place", machine.path, "--mesh", axes.format(np // inner), "--messages",
                                   messages, "--top", "100", "--samples", "0", "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
            orders = {row["order"]: row["seconds"] for row in json.loads(done.stdout)["orders"] if not row["split"]}
            played = {}
            for order in orders:
                played[order] = sum(calls * machine.run("simulate", machine.path, "--mesh", order, "--group", over, "--size", machine.size,
                                                        "--collective", call, "--top", "1", "--json", "--quiet")[0]["measured"]
                                    ["median_seconds"] for over, call, calls in PLACED_MESSAGES)
            score.add(np, orders, played)
        show_progress(f"{machine.name}, orders of axes: {np} processes")
    return score


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:60}", end="" if text else "\r", file=sys.stderr, flush=True)


def misses(kind, score):
    """What is outside the bounds, as sentences."""
    mean, worst, regret = BOUNDS[kind]
    found = []
    if score.mean_error() > mean:
        found.append(f"{kind}: mean error {100 * score.mean_error():.2f} %, expected {100 * mean:g} % or less")
    if worst is not None and abs(score.worst()[0][0]) > worst:
        found.append(f"{kind}: worst error {100 * score.worst()[0][0]:+.2f} %, expected {100 * worst:g} % or less")
    if sum(row[0] <= SAME for row in score.ranked) < FOUND.get(kind, 0) * len(score.ranked):
        found.append(f"{kind}: the best found in {sum(row[0] <= SAME for row in score.ranked)} of {len(score.ranked)}, expected "
                     f"{100 * FOUND[kind]:g} %")
    if regret is not None and score.mean_regret() > regret:
        found.append(f"{kind}: mean regret {100 * score.mean_regret():.3f} %, expected {100 * regret:g} % or less")
    return found


def table(kind, machines, score_of, asked):
    """Prints the table and returns what is outside the bounds. Each machine's simulations are processes of their own."""
    everything = Score()
    print(f"{kind}, {machines[0].size} per process\n{HEADING}")
    with ThreadPoolExecutor(asked.jobs) as pool:
        for machine, score in zip(machines, pool.map(score_of, machines)):
            show_progress("")
            print(score.row(machine.name), flush=True)
            for error, np, plan in score.worst(asked.worst):
                print(f"    {100 * error:+7.2f} %  {plan} of {np}")
            everything.merge(score, machine.name)
    print(everything.row("all"), flush=True)
    return misses(kind, everything)


def simulated_seconds(program, size):
    done = subprocess.run([program, "simulate", BEFORE_MACHINE, "--np", str(BEFORE_NP), "--size", size, "--json", "--quiet",
                           *BEFORE_PLANS], stdout=subprocess.PIPE, check=True)
    return {c["plan"]: c for c in json.loads(done.stdout)["results"][0]["candidates"]}


def compare_builds(program, before):
    """Prints how much faster the rings of this build are."""
    print(f"{BEFORE_NP} processes, {BEFORE_MACHINE}\n{'size':>8} {'plan':6} {'before us':>10} {'now us':>10} {'faster':>7} {'error %':>8}")
    for size in BEFORE_SIZES:
        old, new = (simulated_seconds(build, size) for build in (before, program))
        for plan in BEFORE_PLANS:
            was, now = (found[plan]["measured"]["median_seconds"] for found in (old, new))
            error = 100 * (new[plan]["predicted_seconds"] / now - 1)
            print(f"{size:>8} {plan:6} {1e6 * was:10.1f} {1e6 * now:10.1f} {was / now:6.2f}x {error:+8.2f}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"), add_help=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--np", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("--machines", type=lambda text: tuple(text.split(",")), default=MACHINES)
    parser.add_argument("--size", type=lambda text: tuple(text.split(",")), default=SIZES)
    parser.add_argument("--no-chunks", action="store_true")
    parser.add_argument("--no-algorithms", action="store_true")
    parser.add_argument("--only-algorithms", action="store_true")
    parser.add_argument("--no-collectives", action="store_true")
    parser.add_argument("--only-collectives", action="store_true")
    parser.add_argument("--only-library", action="store_true")
    parser.add_argument("--no-meshes", action="store_true")
    parser.add_argument("--only-meshes", action="store_true")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--only-before", action="store_true")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("program", nargs="?", type=Path, default=TOP / "build/hiersearch")
    return parser.parse_args()


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return 0
    asked = arguments()
    every = asked.np or (QUICK_NP if asked.quick else EVERY_NP)
    sampled = () if asked.np or asked.quick else SAMPLED_NP
    in_chunks = asked.np or (QUICK_CHUNKS_NP if asked.quick else CHUNKS_NP)
    collectives_np = asked.np or (QUICK_COLLECTIVES_NP if asked.quick else COLLECTIVES_NP)
    uneven_np = asked.np or (QUICK_UNEVEN_NP if asked.quick else UNEVEN_NP)
    meshes_np = asked.np or (QUICK_MESHES_NP if asked.quick else MESHES_NP)
    lettered_np = asked.np or (QUICK_LETTERED_NP if asked.quick else LETTERED_NP)
    program = asked.program.resolve()
    cache = asked.cache or program.parent / "accuracy"
    if asked.before:
        compare_builds(program, asked.before.resolve())
    if asked.only_before:
        return 0
    if asked.only_library:
        own_calls.compare([TOP / "bench/systems" / f"{name}.json" for name in asked.machines], program,
                          asked.np or (own_calls.QUICK_NP if asked.quick else own_calls.NP), asked.worst)
        return 0
    cache.mkdir(parents=True, exist_ok=True)
    missed = []
    for size in asked.size:
        machines = [Machine(name, size, program, cache) for name in asked.machines]
        if asked.only_meshes:
            asked.only_algorithms = asked.only_collectives = True
        kind = "splits" if size == LONGEST else "splits, shorter messages"
        if not (asked.only_algorithms or asked.only_collectives):
            missed += table(kind, machines, lambda machine: compare(machine, every, sampled, ()), asked)
        if size == LONGEST and not (asked.no_chunks or asked.only_algorithms or asked.only_collectives):
            print()
            missed += table("with chunks", machines, lambda machine: compare(machine, in_chunks, (), CHUNKS), asked)
        if not (asked.no_algorithms or asked.only_collectives):
            print()
            missed += table("by all algorithms", machines, lambda machine: compare_algorithms(machine, lettered_np),
                            asked)
        if not (asked.no_collectives or asked.only_algorithms):
            print()
            missed += table("reduce-scatter and allgather", machines, lambda machine: compare_collectives(machine, collectives_np),
                            asked)
            print()
            missed += table("all-to-all", machines, lambda machine: compare_exchanges(machine, collectives_np), asked)
        if not (asked.no_meshes or (asked.only_algorithms or asked.only_collectives) and not asked.only_meshes):
            print()
            missed += table("groups of a mesh", machines, lambda machine: compare_meshes(machine, meshes_np), asked)
            print()
            missed += table("uneven groups", machines, lambda machine: compare_meshes(machine, uneven_np, UNEVEN), asked)
            missed += table("orders of axes", machines, lambda machine: compare_placements(machine, meshes_np), asked)
        print()
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
