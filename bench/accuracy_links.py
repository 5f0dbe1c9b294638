#!/usr/bin/env python3
"""Prices on random graphs of single links against SimGrid on the same graph, nothing fitted.

Graphs of 4 to 16 GPUs, joined by a random tree and as many links again as it draws (counts of 1 or 2, 10 to 50 GB/s, 1 to 5 us), half
of them with a relay that reaches every GPU. On each every algorithm that has it, flat: rings, packed trees, groups, halving, direct
exchange; of a reduce-scatter, an allgather or an allreduce, 1 or 16 MiB. Printed for each algorithm: |predicted / simulated - 1|, mean,
middle and worst; and of how many graphs the predicted best is the simulated one, or within 3 % of it. The first --seed's graphs are the
same every time.
Usage: bench/accuracy_links.py [--graphs 500] [--first 0] [--minutes 240] [--worst 3] [--build build]
"""
import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time

LETTERS = {"": "rings", "f": "packed trees", "g": "groups", "h": "halving", "d": "direct"}
COLLECTIVES = ("allreduce", "reduce-scatter", "allgather")
SIZES = ("1MiB", "16MiB")
TARGET_MEAN, TARGET_WORST, TARGET_BEST, AS_GOOD = 0.03, 0.15, 0.95, 0.03


def graph(number):
    """A system of one level, and how many GPUs it joins."""
    chance = random.Random(number)
    units, relay = chance.randint(4, 16), number % 2
    pairs = {(chance.randrange(unit), unit) for unit in range(1, units)}
    for _ in range(chance.randint(0, 2 * units)):
        a, b = sorted(chance.sample(range(units), 2))
        pairs.add((a, b))
    rate, latency = chance.choice((10, 25, 50)), chance.choice((1, 2, 5))
    links = [{"between": list(pair), "count": chance.randint(1, 2), "bandwidth_GBps": rate} for pair in sorted(pairs)]
    links += [{"between": [unit, units], "bandwidth_GBps": rate / 2} for unit in range(units) if relay]
    level = {"name": "links", "arity": units, "fabric": "links", "latency_us": latency, "links": links}
    if relay:
        level["relays"] = 1
    return {"format": "hiersearch.system/1", "name": f"graph-{number}", "pipeline_granularity": 1, "executor": "host",
            "levels": [level]}, units


def simulate(arguments, number):
    """Predicted and simulated seconds of each letter that the graph has."""
    system, units = graph(number)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(system, file)
        file.flush()
        found = {}
        done = subprocess.run(
            [f"{arguments.build}/hiersearch", "simulate", file.name, *(f"{units}{letter}" for letter in LETTERS), "--np", str(units),
             "--collective", COLLECTIVES[number % 3], "--size", SIZES[number // 3 % 2], "--json", "--quiet"],
            capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{file.name}: {done.stderr}")
        for candidate in json.loads(done.stdout)["results"][0]["candidates"]:
            found[candidate["plan"].removeprefix(str(units))] = (candidate["predicted_seconds"],
                                                                 candidate["measured"]["median_seconds"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=240)
    parser.add_argument("--worst", type=int, default=3)
    parser.add_argument("--build", default="build")
    arguments = parser.parse_args()
    until = time.monotonic() + 60 * arguments.minutes
    errors, named, as_good, seen = {letter: [] for letter in LETTERS}, 0, 0, 0
    for number in range(arguments.first, arguments.first + arguments.graphs):
        if time.monotonic() > until:
            break
        found = simulate(arguments, number)
        for letter, (predicted, simulated) in found.items():
            errors[letter].append((predicted / simulated - 1, number))
        chosen = min(found, key=lambda letter: found[letter][0])
        least = min(simulated for _, simulated in found.values())
        named += found[chosen][1] <= least * 1.0001
        as_good += found[chosen][1] <= least * (1 + AS_GOOD)
        seen += 1
    print(f"{seen} graphs; targets: {TARGET_MEAN:.0%} mean, {TARGET_WORST:.0%} worst, best named in {TARGET_BEST:.0%}")
    print(f"{'':14}{'graphs':>7}{'mean':>8}{'middle':>8}{'worst':>8}  worst graphs")
    for letter, of in errors.items():
        if of:
            sizes = [abs(error) for error, _ in of]
            worst = sorted(of, key=lambda pair: -abs(pair[0]))[:arguments.worst]
            print(f"{LETTERS[letter]:14}{len(of):7}{statistics.mean(sizes):8.1%}{statistics.median(sizes):8.1%}{max(sizes):8.1%}  "
                  + ", ".join(f"{number} {error:+.0%}" for error, number in worst))
    print(f"the predicted best is the simulated one on {named} of {seen}, within {AS_GOOD:.0%} of it on {as_good}")


if __name__ == "__main__":
    main()
