#!/usr/bin/env python3
"""`measure` on the emulated cluster (tests/cluster): truth, pruned run, repetition, against MPICH's own AllReduce.

16 ranks on 8 hosts in 2 racks. One run measures all 8 splits: the truth. A second run measures them again: repeatability. The
pruned run gets the cluster's description and measures the model's best few only. Needs root.
With --collective reduce-scatter,allgather it is the best plan of each, in place and permuted, against the library's own call, of
MPICH and of Open MPI (make other-mpi): one run chooses the plan, a second alternates it with the call, and the ratio is the median
over these pairs with its 95 % interval (order statistics).
Usage: bench/cluster.py [--size 4MiB] [--budget 60s] [--rate 500mbit] [--top 3] [--build build]
       bench/cluster.py --collective reduce-scatter,allgather [--size 1MiB,4MiB] [--pairs 20] [--mpi mpich,openmpi] ...
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile


def cluster(shape, *job):
    """Runs the cluster script; MPICH 4.0.2 can hang in MPI_Finalize, so the result file decides, not the status."""
    command = ["tests/cluster/cluster", *job[:1], *shape, *job[1:]]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


PAIRS_BUDGET = "240s"  # they end by their number


def program(arguments, mpi):
    """The program that measures, built with that MPI."""
    for folder in [os.path.join(arguments.build, mpi), arguments.build]:
        found = os.path.join(folder, "hiersearch-measure")
        if os.path.exists(found):
            return found
    return sys.exit(f"no hiersearch-measure for {mpi} in {arguments.build}: make all other-mpi")


def measure(arguments, shape, output, *options, size=None, mpi="mpich", budget=None):
    if os.path.exists(output):
        os.remove(output)
    done = cluster(shape, "run", "--mpi", mpi, "--timeout", "300", "--", program(arguments, mpi), "--size",
                   size or arguments.size, "--budget", budget or arguments.budget, "--quiet", "-o", output, *options)
    if not os.path.exists(output):
        sys.exit(f"measure wrote no result:\n{done.stdout}{done.stderr}")
    with open(output, encoding="utf-8") as file:
        return json.load(file)["results"][0]


def medians(result):
    return {c["plan"]: c["measured"]["median_seconds"] for c in result["candidates"]
            if c.get("measured", {}).get("status") == "ok"}


def half_width(result, plan):
    for candidate in result["candidates"]:
        if candidate["plan"] == plan:
            low, high = candidate["measured"].get("ci95_seconds", [float("nan")] * 2)
            return (high - low) / 2
    return float("nan")


def interval(ratios):
    """Median, and a 95 % interval of it: the order statistics that a binomial distribution leaves outside."""
    ratios = sorted(ratios)
    count, below, outside = len(ratios), 0, 0.5 ** len(ratios)
    while outside <= 0.025 and below < count // 2:
        below += 1
        outside += math.comb(count, below) * 0.5 ** count
    middle = (ratios[(count - 1) // 2] + ratios[count // 2]) / 2
    if below == 0:  # too few for one
        return middle, -math.inf, math.inf
    return middle, ratios[below - 1], ratios[count - below]


def pairs_of(arguments, shape, scratch, system, mpi, asked, size):
    """The chosen plan, the library's call, and for each pair how many times as long the call took."""
    output = os.path.join(scratch, "pairs.json")
    chosen = measure(arguments, shape, output, system, "--top", arguments.top, *asked, size=size, mpi=mpi)["best"]
    count = str(arguments.pairs)
    result = measure(arguments, shape, output, system, "--plans", chosen, "--min-samples", count, "--max-samples", count,
                     "--precision", "0.01%", "--layers", "0", *asked, size=size, mpi=mpi, budget=PAIRS_BUDGET)
    plan = next(c["measured"] for c in result["candidates"] if c["plan"] == chosen)
    library = result["baselines"][0]
    if not library["measured"].get("samples_seconds"):
        sys.exit(f"{library['name']} of {mpi} was not measured: {library['measured'].get('reason', '')}")
    ratios = [b / a for a, b in zip(plan["samples_seconds"], library["measured"]["samples_seconds"])]
    return chosen, library["name"], plan["median_seconds"], ratios


def collectives(arguments, shape):
    print(f"emulated cluster, 16 ranks, 2 racks of 4 hosts, links {arguments.rate}; {arguments.pairs} alternating pairs")
    print(f"{'MPI':8} {'collective':14} {'order':9} {'size':>5} {'plan':10} {'ms':>8} {'times as long':>14} {'95 %':>16}")
    with tempfile.TemporaryDirectory() as scratch:
        system = os.path.join(scratch, "cluster.json")
        with open(system, "w", encoding="utf-8") as file:
            file.write(cluster(shape, "describe").stdout)
        for mpi in arguments.mpi.split(","):
            for collective in arguments.collective.split(","):
                for order in ["in-place", "permuted"]:
                    asked = ["--collective", collective, "--order", order]
                    for size in arguments.size.split(","):
                        plan, call, seconds, ratios = pairs_of(arguments, shape, scratch, system, mpi, asked, size)
                        middle, low, high = interval(ratios)
                        print(f"{mpi:8} {collective:14} {order:9} {size:>5} {plan:10} {seconds * 1e3:8.2f} {middle:13.2f}x "
                              f"{low:7.2f} to {high:5.2f}  {call}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", help="4MiB; of collectives 1MiB,4MiB")
    parser.add_argument("--collective", help="reduce-scatter, allgather, with a comma between: against the library's own calls")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--rate", default="500mbit")
    parser.add_argument("--top", default="3")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    arguments = parser.parse_args()
    shape = ["--host-rate", arguments.rate, "--spine-rate", arguments.rate]
    arguments.size = arguments.size or ("1MiB,4MiB" if arguments.collective else "4MiB")
    if arguments.collective:
        collectives(arguments, shape)
        return
    with tempfile.TemporaryDirectory() as scratch:
        system = os.path.join(scratch, "cluster.json")
        with open(system, "w", encoding="utf-8") as file:
            file.write(cluster(shape, "describe").stdout)
        truth = measure(arguments, shape, os.path.join(scratch, "truth.json"), "--all")
        again = measure(arguments, shape, os.path.join(scratch, "again.json"), "--all")
        pruned = measure(arguments, shape, os.path.join(scratch, "pruned.json"), system, "--top", arguments.top)
    first, second, few = medians(truth), medians(again), medians(pruned)
    best = min(first, key=first.get)
    print(f"emulated cluster, 16 ranks, 2 racks of 4 hosts, links {arguments.rate}, {arguments.size} float32 sum")
    print(f"{'plan':10} {'ms':>8} {'+- ms':>7} {'again ms':>9} {'change':>8} {'pruned run ms':>14}")
    for plan in sorted(first, key=first.get):
        print(f"{plan:10} {first[plan] * 1e3:8.1f} {half_width(truth, plan) * 1e3:7.1f} {second[plan] * 1e3:9.1f} "
              f"{second[plan] / first[plan] - 1:+8.1%} "
              f"{f'{few[plan] * 1e3:.1f}' if plan in few else '-':>14}")
    changes = sorted(abs(second[p] / first[p] - 1) for p in first)
    print(f"repeatability: medians of two runs differ by {changes[len(changes) // 2]:.1%} in the median, "
          f"{changes[-1]:.1%} at worst (target 5 %)")
    winner = pruned["best"]
    print(f"pruned run: {len(few)} of {len(first)} splits measured, winner {winner}: "
          f"{first[winner] / first[best] - 1:.1%} above the true best {best} (target 3 %)")
    for baseline in truth["baselines"]:
        seconds = baseline["measured"]["median_seconds"]
        print(f"{baseline['name']}: {seconds * 1e3:.1f} ms, {seconds / first[best]:.2f} times the best plan (target 3)")


if __name__ == "__main__":
    main()
