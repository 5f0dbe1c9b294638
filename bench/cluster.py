#!/usr/bin/env python3
"""`measure` on the emulated cluster (tests/cluster): truth, pruned run, repetition, against MPICH's own AllReduce.

16 ranks on 8 hosts in 2 racks. One run measures all 8 splits: the truth. A second run measures them again: repeatability. The
pruned run gets the cluster's description and measures the model's best few only. Needs root.
With --collective reduce-scatter,allgather,all-to-all it is the best plan of each, natural and reversed where blocks have an order,
against the library's default call, of MPICH and of Open MPI (make other-mpi): one run chooses the plan, a second alternates it with the
call, and the ratio is the median over these pairs with its 95 % interval, and the least it is with 95 % (order statistics).
With --uneven 22 it is 22 ranks on hosts of 4, of which the last has 2: the best plan by the description's calibration against the
library's own AllReduce in such pairs, and how far off its prediction is.
Usage: bench/cluster.py [--size 4MiB] [--budget 60s] [--rate 500mbit] [--top 3] [--build build]
       bench/cluster.py --collective reduce-scatter,allgather,all-to-all [--size 1MiB,4MiB] [--pairs 20] [--mpi mpich,openmpi] ...
       bench/cluster.py --uneven 22 [--size 1MiB,4MiB] [--pairs 20] [--mpi mpich,openmpi] ...
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


PAIRS_BUDGET = "120s"  # they end by their number
NODE_RANKS = 4  # of uneven hosts
TARGET_GAIN, TARGET_ERROR = 1.5, 0.15


def program(arguments, mpi):
    """The program that measures, built with that MPI."""
    for folder in [os.path.join(arguments.build, mpi), arguments.build]:
        found = os.path.join(folder, "hiersearch-measure")
        if os.path.exists(found):
            return found
    return sys.exit(f"no hiersearch-measure for {mpi} in {arguments.build}: make all other-mpi")


def measure(arguments, shape, output, *options, size=None, mpi="mpich", budget=None, ranks=None):
    if os.path.exists(output):
        os.remove(output)
    some = ["--np", str(ranks)] if ranks else []
    done = cluster(shape, "run", *some, "--mpi", mpi, "--timeout", "300", "--", program(arguments, mpi), "--size",
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


def below_of(count, outside):
    """Of so many values: how many lie below the order statistic that the median is above, but for a chance of `outside`."""
    below, chance = 0, 0.5 ** count
    while chance <= outside and below < count // 2:
        below += 1
        chance += math.comb(count, below) * 0.5 ** count
    return below


def interval(ratios):
    """Median, a 95 % interval of it, and what it is at least with 95 %: order statistics, by the binomial distribution."""
    ratios = sorted(ratios)
    count = len(ratios)
    both, one = below_of(count, 0.025), below_of(count, 0.05)
    middle = (ratios[(count - 1) // 2] + ratios[count // 2]) / 2
    low, high = (ratios[both - 1], ratios[count - both]) if both else (-math.inf, math.inf)  # 0: too few for one
    return middle, low, high, ratios[one - 1] if one else -math.inf


def pairs_of(arguments, shape, scratch, chosen, mpi, asked, size, ranks=None):
    """The library's call, what the plan takes, and for each pair how many times as long the call took."""
    count = str(arguments.pairs)
    result = measure(arguments, shape, os.path.join(scratch, "pairs.json"), os.path.join(scratch, "cluster.json"), "--plans", chosen,
                     "--min-samples", count, "--max-samples", count, "--precision", "0.01%", "--layers", "0", *asked,
                     size=size, mpi=mpi, budget=PAIRS_BUDGET, ranks=ranks)
    plan = next(c["measured"] for c in result["candidates"] if c["plan"] == chosen)
    library = result["baselines"][0]
    if not library["measured"].get("samples_seconds"):
        sys.exit(f"{library['name']} of {mpi} was not measured: {library['measured'].get('reason', '')}")
    ratios = [b / a for a, b in zip(plan["samples_seconds"], library["measured"]["samples_seconds"])]
    return library["name"], plan["median_seconds"], ratios


def describe(shape, scratch):
    system = os.path.join(scratch, "cluster.json")
    with open(system, "w", encoding="utf-8") as file:
        file.write(cluster(shape, "describe").stdout)
    return system


PAIR_HEADING = f"{'times as long':>14} {'95 %':>16} {'plan at most':>13}"


def pair_cells(ratios):
    """How the call stands to the plan; and the most of its time that the plan takes with 95 %."""
    middle, low, high, least = interval(ratios)
    return f"{middle:13.2f}x {low:7.2f} to {high:5.2f}  {f'{1 / least:.0%}' if least > 0 else '-':>12}"


def collectives(arguments, shape):
    print(f"emulated cluster, 16 ranks, 2 racks of 4 hosts, links {arguments.rate}; {arguments.pairs} alternating pairs, load of the "
          f"machine {os.getloadavg()[0]:.1f}")
    print(f"{'MPI':8} {'collective':14} {'order':9} {'size':>5} {'plan':10} {'ms':>8} {PAIR_HEADING}")
    with tempfile.TemporaryDirectory() as scratch:
        system = describe(shape, scratch)
        for mpi in arguments.mpi.split(","):
            for collective in arguments.collective.split(","):
                for order in ["-"] if collective == "all-to-all" else ["natural", "reversed"]:
                    asked = ["--collective", collective] + ([] if order == "-" else ["--layout", order])
                    for size in arguments.size.split(","):
                        chosen = measure(arguments, shape, os.path.join(scratch, "choice.json"), system, "--top", arguments.top, *asked,
                                         size=size, mpi=mpi)["best"]
                        call, seconds, ratios = pairs_of(arguments, shape, scratch, chosen, mpi, asked, size)
                        print(f"{mpi:8} {collective:14} {order:9} {size:>5} {chosen:10} {seconds * 1e3:8.2f} {pair_cells(ratios)}  {call}",
                              flush=True)


def calibrated(arguments, shape, scratch, ranks, mpi):
    """The description with the figures that its layers have with that MPI, for so many ranks and all sizes asked for."""
    sizes = arguments.size.split(",")
    output = os.path.join(scratch, f"calibrated-{mpi}.json")
    done = cluster(shape, "run", "--np", str(ranks), "--mpi", mpi, "--timeout", "300", "--", program(arguments, mpi),
                   describe(shape, scratch), "--calibrate", "--backend", "host", "--size", ":".join(dict.fromkeys([sizes[0], sizes[-1]])),
                   "--budget", arguments.budget, "-o", output)
    return output if os.path.exists(output) else sys.exit(f"the calibration wrote no file:\n{done.stdout}{done.stderr}")


def uneven(arguments, shape):
    """Rows of the best plan of so many ranks, of which the last host has fewer than the others."""
    ranks, hosts = arguments.uneven, -(-arguments.uneven // NODE_RANKS)
    racks = 2 if hosts % 2 == 0 else 1
    shape = [*shape, "--racks", str(racks), "--hosts-per-rack", str(hosts // racks), "--ranks-per-host", str(NODE_RANKS)]
    print(f"emulated cluster, {ranks} ranks, {ranks // NODE_RANKS} hosts of {NODE_RANKS} and one of {ranks % NODE_RANKS} in {racks} racks, "
          f"links {arguments.rate}; {arguments.pairs} alternating pairs with the library's own AllReduce; targets {TARGET_GAIN} times, "
          f"{TARGET_ERROR:.0%}")
    print(f"{'MPI':8} {'size':>5} {'plan':10} {'ms':>8} {'predicted':>9} {'error':>7} {PAIR_HEADING}")
    with tempfile.TemporaryDirectory() as scratch:
        for mpi in arguments.mpi.split(","):
            system = calibrated(arguments, shape, scratch, ranks, mpi)
            for size in arguments.size.split(","):
                done = subprocess.run([os.path.join(arguments.build, "hiersearch"), "predict", system, "--np", str(ranks), "--size", size,
                                       "--samples", "0", "--json"], capture_output=True, text=True, check=True)
                result = json.loads(done.stdout)["results"][0]
                predicted = {c["plan"]: c["predicted_seconds"] for c in result["candidates"]}
                chosen = min(predicted, key=predicted.get)
                call, seconds, ratios = pairs_of(arguments, shape, scratch, chosen, mpi, [], size, ranks)
                print(f"{mpi:8} {size:>5} {chosen:10} {seconds * 1e3:8.2f} {predicted[chosen] * 1e3:9.2f} "
                      f"{predicted[chosen] / seconds - 1:+7.1%} {pair_cells(ratios)}  {call}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", help="4MiB; of collectives 1MiB,4MiB")
    parser.add_argument("--collective", help="reduce-scatter, allgather, all-to-all, with commas between: against the library's calls")
    parser.add_argument("--uneven", type=int, metavar="RANKS", help="so many ranks on hosts of 4 against the library's own AllReduce")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--rate", default="500mbit")
    parser.add_argument("--top", default="3")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    arguments = parser.parse_args()
    shape = ["--host-rate", arguments.rate, "--spine-rate", arguments.rate]
    arguments.size = arguments.size or ("1MiB,4MiB" if arguments.collective or arguments.uneven else "4MiB")
    if arguments.collective or arguments.uneven:
        (collectives if arguments.collective else uneven)(arguments, shape)
        return
    with tempfile.TemporaryDirectory() as scratch:
        system = describe(shape, scratch)
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
