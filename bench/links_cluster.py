#!/usr/bin/env python3
"""Trees packed on single links against rings over the same links, on emulated hosts that are joined as the GPUs of a DGX-1.

A host is a GPU, a link of --link-rate each NVLink of the shipped system; hosts without a link between them talk over a switch, which
each reaches at 12/20 of that, as PCIe is to an NVLink (one switch in place of its PCIe and CPUs). --gpus says which of the 8 are
there. `measure` runs the rings (plan P), the packed trees (Pf) and MPI's default call in turn, every element checked. Printed: medians,
how many times as long the rings and MPI's default call take, how far off the predictions are, and what part of the links' limit the trees
reach. Needs root.
Usage: bench/links_cluster.py [--system dgx1-v100] [--gpus 0-3,0-4,0-5,0-6,0-7] [--collective allgather,allreduce] [--size 4MiB]
       [--link-rate 50] [--budget 60s] [--build build]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

PCIE = 12 / 20
LATENCY_US = 50  # of a small message over TCP between such hosts
TARGET_GAIN, TARGET_ERROR = 1.7, 0.08


def node(name, units, rate):
    """The shipped system's node as hosts that are these units, links of `rate` Mbit/s: a description, and the cluster's links."""
    with open(f"configs/{name}.json", encoding="utf-8") as file:
        level = json.load(file)["levels"][0]
    place = {unit: i for i, unit in enumerate(units)}
    links = [(place[link["between"][0]], place[link["between"][1]], link.get("count", 1)) for link in level["links"]
             if all(end in place for end in link["between"])]
    described = [{"between": [a, b], "count": n, "bandwidth_GBps": rate / 8e3} for a, b, n in links]
    described += [{"between": [host, len(units)], "bandwidth_GBps": round(rate * PCIE) / 8e3} for host in range(len(units))]
    system = {"format": "hiersearch.system/1", "name": f"emulated-{name}", "pipeline_granularity": 1, "executor": "host", "levels": [
        {"name": "links", "arity": len(units), "fabric": "links", "latency_us": LATENCY_US, "relays": 1, "links": described}]}
    return system, ",".join(f"{a}-{b}:{n}" for a, b, n in links)


def measure(arguments, system, links, collective):
    with tempfile.TemporaryDirectory() as scratch:
        described, output = f"{scratch}/node.json", f"{scratch}/result.json"
        with open(described, "w", encoding="utf-8") as file:
            json.dump(system, file)
        ranks = system["levels"][0]["arity"]
        done = subprocess.run(
            ["tests/cluster/cluster", "run", "--racks", "1", "--hosts-per-rack", str(ranks), "--ranks-per-host", "1",
             "--host-rate", f"{round(arguments.link_rate * PCIE)}mbit", "--links", links, "--link-rate", f"{arguments.link_rate}mbit",
             "--timeout", "300", "--", f"{arguments.build}/hiersearch-measure", described, "--collective", collective, "--size",
             arguments.size, "--plans", f"{ranks},{ranks}f", "--budget", arguments.budget, "-o", output],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if not os.path.exists(output):
            sys.exit(f"measure wrote no result:\n{done.stdout}{done.stderr}")
        with open(output, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
    plans = {c["plan"]: c for c in result["candidates"]}
    if not all("median_seconds" in c["measured"] for c in plans.values()):
        sys.exit(f"not all plans had their turn, more --budget is needed:\n{done.stdout}")
    limit = re.search(r"the limit: ([\d.]+) (\w+)", done.stdout)
    seconds = float(limit[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[limit[2]] if limit else float("nan")
    return plans[str(ranks)], plans[f"{ranks}f"], result.get("baselines", []), seconds


def units_of(text):
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def row(arguments, collective, text):
    system, links = node(arguments.system, units_of(text), arguments.link_rate)
    rings, trees, natives, limit = measure(arguments, system, links, collective)
    seconds = trees["measured"]["median_seconds"]
    errors = [c["predicted_seconds"] / c["measured"]["median_seconds"] - 1 for c in (rings, trees)]
    own = [b["measured"]["median_seconds"] / seconds for b in natives if b["measured"]["status"] == "ok"]
    print(f"{collective:14} {text:>5} {1e3 * seconds:9.1f} {1e3 * rings['measured']['median_seconds']:9.1f}"
          f" {rings['measured']['median_seconds'] / seconds:9.2f}x {min(own, default=float('nan')):9.2f}x"
          f" {100 * errors[1]:+8.1f}% {100 * errors[0]:+8.1f}% {100 * limit / seconds:7.0f}%", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--system", default="dgx1-v100")
    parser.add_argument("--gpus", default="0-3,0-4,0-5,0-6,0-7")
    parser.add_argument("--collective", default="allgather,allreduce")
    parser.add_argument("--size", default="4MiB")
    parser.add_argument("--link-rate", type=int, default=50, help="Mbit/s of one link")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--build", default="build")
    arguments = parser.parse_args()
    print(f"{arguments.system}, links of {arguments.link_rate} Mbit/s, {arguments.size}; targets: {TARGET_GAIN} times the rings at 5, 6"
          f" and 7, predicted within {100 * TARGET_ERROR:.0f} %")
    print(f"{'collective':14} {'GPUs':>5} {'trees ms':>9} {'rings ms':>9} {'rings':>10} {'MPI own':>10} {'predicted':>9} {'rings so':>9}"
          f" {'limit':>8}")
    for collective in arguments.collective.split(","):
        for text in arguments.gpus.split(","):
            row(arguments, collective, text)


if __name__ == "__main__":
    main()
