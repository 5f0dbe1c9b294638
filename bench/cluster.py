#!/usr/bin/env python3
"""`measure` on the emulated cluster (tests/cluster): truth, pruned run, repetition, against MPICH's own AllReduce.

16 ranks on 8 hosts in 2 racks. One run measures all 8 splits: the truth. A second run measures them again: repeatability. The
pruned run gets the cluster's description and measures the model's best few only. Needs root.
Usage: bench/cluster.py [--size 4MiB] [--budget 60s] [--rate 500mbit] [--top 3] [--build build]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def cluster(shape, *job):
    """Runs the cluster script; MPICH 4.0.2 can hang in MPI_Finalize, so the result file decides, not the status."""
    command = ["tests/cluster/cluster", *job[:1], *shape, *job[1:]]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def measure(arguments, shape, output, *options):
    done = cluster(shape, "run", "--timeout", "300", "--", os.path.join(arguments.build, "hiersearch"), "measure",
                   "--size", arguments.size, "--budget", arguments.budget, "--quiet", "-o", output, *options)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="4MiB")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--rate", default="500mbit")
    parser.add_argument("--top", default="3")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    arguments = parser.parse_args()
    shape = ["--host-rate", arguments.rate, "--spine-rate", arguments.rate]
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
