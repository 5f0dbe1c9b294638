#!/usr/bin/env python3
"""Trees packed on a node's single links against rings over the same links, in SimGrid on the link graph, beside the prediction.

Of every choice of 4 to 7 of a node's GPUs, those whose links are the same counted once, `simulate` runs the rings (plan P) and the
packed trees (Pf) of the backend host, with NVLinks and PCIe: where no ring of NVLinks is there, the rings pass PCIe, as NCCL's do. For
each size and collective it prints over all choices the rings' time over the trees', in the model and in SimGrid: the least, the mean
and the most; and the furthest that the prediction of trees is off. Blink (SysML 2018) has up to twice the rings' throughput there.
Usage: bench/links_simgrid.py [--system dgx1-p100,dgx1-v100] [--gpus 4-7] [--collective allgather,allreduce] [--size 64MiB]
       [--build build]
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile


def hiersearch(arguments, *words):
    done = subprocess.run([f"{arguments.build}/hiersearch", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"hiersearch {' '.join(words)}: {done.stderr}")
    return done.stdout


def choices(arguments, name, count):
    """GPUs of one choice of each kind, and how many choices there are of it."""
    lines = hiersearch(arguments, "predict", name, "--np", str(count), "--samples", "0", "-k", "1000", "-q", "--format", "csv").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("gpus,"))
    return [(row[0], int(row[1])) for row in csv.reader(lines[first + 1:])]


def simulate(arguments, name, gpus, collective, scratch):
    """Of rings and of trees: predicted and simulated seconds."""
    chosen, machine = f"{scratch}/chosen.json", f"{scratch}/machine.json"
    hiersearch(arguments, "predict", name, "--gpus", gpus, "--samples", "0", "-q", "-o", chosen)
    with open(chosen, encoding="utf-8") as file, open(machine, "w", encoding="utf-8") as out:
        json.dump(json.load(file)["system"], out)
    count = gpus.count(",") + 1
    found = hiersearch(arguments, "simulate", machine, str(count), f"{count}f", "--np", str(count), "--collective", collective, "--size",
                       arguments.size, "--json", "--quiet")
    times = {c["plan"]: (c["predicted_seconds"], c["measured"]["median_seconds"]) for c in json.loads(found)["results"][0]["candidates"]}
    return times[str(count)], times[f"{count}f"]


def row(arguments, name, count, collective):
    gains, total, worst = [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for gpus, alike in choices(arguments, name, count):
            rings, trees = simulate(arguments, name, gpus, collective, scratch)
            gains.append((rings[0] / trees[0], rings[1] / trees[1], alike))
            total += alike
            worst = max(worst, trees[0] / trees[1] - 1, key=abs)
    model, simulated = ((min(of), sum(gain * alike for gain, (_, _, alike) in zip(of, gains)) / total, max(of))
                        for of in ([gain[0] for gain in gains], [gain[1] for gain in gains]))
    print(f"{name:10} {collective:10} {count:4} {total:7}" + "".join(f"{gain:9.2f}" for gain in (*model, *simulated)) + f"{100 * worst:+9.1f}%",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--system", default="dgx1-p100,dgx1-v100")
    parser.add_argument("--gpus", default="4-7", help="how many")
    parser.add_argument("--collective", default="allgather,allreduce")
    parser.add_argument("--size", default="64MiB")
    parser.add_argument("--build", default="build")
    arguments = parser.parse_args()
    least, _, most = arguments.gpus.partition("-")
    print(f"rings' time over packed trees', {arguments.size}: least, mean and most of all choices of so many GPUs")
    print(f"{'':10} {'':10} {'GPUs':>4} {'choices':>7}{'model':>9}{'':18}{'SimGrid':>9}{'':18}{'trees off':>9}")
    for name in arguments.system.split(","):
        for collective in arguments.collective.split(","):
            for count in range(int(least), int(most or least) + 1):
                row(arguments, name, count, collective)


if __name__ == "__main__":
    main()
