#!/usr/bin/env python3
"""Predictions of a calibration against `measure --all`, on the emulated cluster (tests/cluster).

16 ranks on 8 hosts in 2 racks. One `calibrate` measures layers; all 8 splits are then predicted from its file alone, and
measured, --repeats times. Nothing of the measured splits goes into the prediction. What is between two measurements of
the same split is printed too: no prediction can be better than that. Needs root.
Usage: bench/accuracy_cluster.py [--size 4MiB] [--budget 90s] [--rate 500mbit] [--repeats 2] [--keep DIR] [--build build]
"""
import argparse
import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

from cluster import cluster, medians

TARGET = 0.08  # mean error


def run(arguments, shape, output, *command):
    done = cluster(shape, "run", "--timeout", "400", "--", os.path.join(arguments.build, "hiersearch"), *command,
                   "-o", output)
    if not os.path.exists(output):
        sys.exit(f"{command[0]} wrote no file:\n{done.stdout}{done.stderr}")
    return done


def calibrate(arguments, shape, system, output):
    done = run(arguments, shape, output, "calibrate", system, "--backend", "host", "--size", arguments.size,
               "--budget", arguments.budget)
    print(done.stdout)
    for line in done.stderr.splitlines():
        if "note:" in line:
            print(line)


def measure(arguments, shape, output):
    run(arguments, shape, output, "measure", "--all", "--backend", "host", "--size", arguments.size, "--budget",
        arguments.budget, "--no-layers", "--quiet")
    with open(output, encoding="utf-8") as file:
        return medians(json.load(file)["results"][0])


def predict(arguments, system):
    done = subprocess.run([os.path.join(arguments.build, "hiersearch"), "predict", system, "--np", "16", "--size",
                           arguments.size, "--top", "100", "--machines", "0", "--json"], capture_output=True, text=True, check=True)
    return {c["plan"]: c["predicted_seconds"] for c in json.loads(done.stdout)["results"][0]["candidates"]}


def tau(a, b, plans):
    """Kendall's tau of two rankings without ties."""
    pairs = list(itertools.combinations(plans, 2))
    return sum(1 if (a[x] - a[y]) * (b[x] - b[y]) > 0 else -1 for x, y in pairs) / len(pairs)


def report(name, predicted, truth, spread):
    plans = [plan for plan in sorted(truth, key=truth.get) if plan in predicted]
    errors = {plan: predicted[plan] / truth[plan] - 1 for plan in plans}
    print(f"\n{name}\n{'plan':10} {'measured ms':>11} {'spread':>7} {'predicted ms':>12} {'error':>7}")
    for plan in plans:
        print(f"{plan:10} {truth[plan] * 1e3:11.1f} {spread[plan]:7.1%} {predicted[plan] * 1e3:12.1f} "
              f"{errors[plan]:+7.1%}")
    winner, best = min(plans, key=predicted.get), plans[0]
    mean = statistics.mean(map(abs, errors.values()))
    print(f"mean error {mean:.1%} (target {TARGET:.0%} or less), worst {max(map(abs, errors.values())):.1%}, "
          f"tau {tau(predicted, truth, plans):.2f}, predicted winner {winner}: {truth[winner] / truth[best] - 1:.1%} "
          f"above the measured best {best}")
    return mean


def lazily(arguments, shape, system, output, truth):
    """`measure` as it is by default: layers first, then the splits that could be best."""
    run(arguments, shape, output, "measure", system, "--search", "lazy", "--backend", "host", "--size", arguments.size,
        "--budget", arguments.budget, "--no-layers", "--quiet")
    with open(output, encoding="utf-8") as file:
        result = json.load(file)["results"][0]
    certificate, best = result["certificate"], min(truth, key=truth.get)
    winner = result.get("best")
    if winner not in truth:
        print(f"\nlazy plan: winner {winner}, which measure --all has no time of")
        return
    sums = {certificate.get("winner"): certificate.get("seconds")}
    sums.update({tie["split"]: tie["seconds"] for tie in certificate.get("ties", [])})
    errors = [abs(sums[plan] / truth[plan] - 1) for plan in sums if plan in truth]
    print(f"\nlazy plan: {certificate['layers_measured']} of {certificate['layers']} layers measured (target 6), "
          f"{len(result['candidates'])} splits as a whole; winner {winner}: {truth[winner] / truth[best] - 1:.1%} above "
          f"the measured best {best} (target 3 %), sums of layers {statistics.mean(errors):.1%} off "
          f"(certified within {certificate.get('within', float('nan')):.1%})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="4MiB")
    parser.add_argument("--budget", default="90s", help="of the calibration, and of each measure --all")
    parser.add_argument("--rate", default="500mbit")
    parser.add_argument("--repeats", type=int, default=2, help="how often all splits are measured")
    parser.add_argument("--keep", metavar="DIR", help="where the systems and results are to stay")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    arguments = parser.parse_args()
    shape = ["--host-rate", arguments.rate, "--spine-rate", arguments.rate]
    with contextlib.ExitStack() as stack:
        scratch = os.path.abspath(arguments.keep) if arguments.keep else stack.enter_context(tempfile.TemporaryDirectory())
        os.makedirs(scratch, exist_ok=True)
        described = os.path.join(scratch, "described.json")
        with open(described, "w", encoding="utf-8") as file:
            file.write(cluster(shape, "describe").stdout)
        calibrated = os.path.join(scratch, "calibrated.json")
        print(f"emulated cluster, 16 ranks, 2 racks of 4 hosts, links {arguments.rate}, {arguments.size} float32 sum, "
              f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        calibrate(arguments, shape, described, calibrated)
        runs = [measure(arguments, shape, os.path.join(scratch, f"all{i}.json")) for i in range(arguments.repeats)]
        plans = set.intersection(*(set(one) for one in runs))
        truth = {plan: statistics.median(one[plan] for one in runs) for plan in plans}
        spread = {plan: (max(one[plan] for one in runs) - min(one[plan] for one in runs)) / truth[plan]
                  for plan in plans}
        report("as described, nothing measured", predict(arguments, described), truth, spread)
        mean = report("calibrated", predict(arguments, calibrated), truth, spread)
        lazily(arguments, shape, described, os.path.join(scratch, "lazy.json"), truth)
        print(f"two measurements of one split differ by {statistics.mean(spread.values()):.1%} on average, "
              f"{max(spread.values()):.1%} at worst; load now {os.getloadavg()[0]:.1f}")
    return 0 if mean <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
