#!/usr/bin/env python3
"""Whether what `measure` states is true, with its target beside each figure.

    bench/certain.py [--build build] [--pairs 40] [--machines 2000] [--budget 5s] [--size 64KiB] [--np 4]

Pairs of identical runs on this machine, more ranks than cores, with neighbours that are busy for random times: what both
certify must not contradict. Then played machines with noise (bench/certain.c): intervals and regrets against the truth.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPIN = [sys.executable, "-c", "while True: pass"]


class Neighbours:
    """Two processes that are busy on and off, by a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.keep_busy) for _ in range(2)]

    def keep_busy(self):
        while not self.over.wait(self.random.uniform(0, 2)):
            process = subprocess.Popen(SPIN)
            self.over.wait(self.random.uniform(0, 3))
            process.kill()
            process.wait()

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


def measure(asked, folder):
    """One run: what it certifies and what it says."""
    path = os.path.join(folder, "result.json")
    command = [os.path.join(TREE, "tests/runner/launch.sh"), asked.mpi, str(asked.np),
               os.path.join(asked.build, "hiersearch-measure"), "--size", asked.size, "--backend", "host",
               "--budget", asked.budget, "--warmup", "1", "-q", "-o", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"certain.py: {' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    with open(path, encoding="utf-8") as file:
        message = json.load(file)["results"][0]
    certificate = message["certificate"]
    text = " ".join(done.stdout.split())
    ahead = certificate.get("runner_up", {}).get("seconds", float("inf")) - certificate.get("seconds", 0)
    return {"winner": certificate.get("winner"), "best": message["best"], "certain": certificate.get("certain", False),
            "said": "no other split is faster" not in text,
            "unsure": message.get("verdict", {}).get("advice") == "undecided" or "do not generalise" in text,
            "alone": certificate.get("again", False) and certificate.get("within", 1) == 0 and
                     not certificate["ties"] and message["best"] == certificate["winner"] and
                     ahead > certificate["ci95_seconds"][1] - certificate["seconds"]}


def differ(pairs, name, sure):
    """Pairs of which both are sure, and name different splits."""
    return sum(sure(a) and sure(b) and a[name] != b[name] for a, b in pairs)


def row(what, figure, target=""):
    print(f"{what:78} {figure:>8} {target:>10}", flush=True)


def show_pairs(asked):
    pairs = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.pairs):
            with Neighbours(seed):
                pairs.append((measure(asked, folder), measure(asked, folder)))
    runs = [run for pair in pairs for run in pair]
    print(f"{asked.pairs} pairs of runs: {asked.np} ranks, {os.cpu_count()} cores, {asked.size}, {asked.budget} each, two "
          f"busy neighbours; {time.monotonic() - begin:.0f} s\n")
    row("", "pairs", "target")
    row("certificates that contradict each other", differ(pairs, "winner", lambda run: run["certain"]), 0)
    row("verdicts without a caveat that contradict each other", differ(pairs, "best", lambda run: not run["unsure"]), 0)
    row("the winner differs", differ(pairs, "winner", lambda run: True))
    row("would contradict if sharing cores did not count", differ(pairs, "winner", lambda run: run["alone"]))
    row("", "runs")
    row("neither certain nor said to be not certain", sum(not run["certain"] and not run["said"] for run in runs), 0)
    row("certain, though ranks share cores", sum(run["certain"] for run in runs), 0)
    print(flush=True)
    return all(not differ(pairs, "winner", lambda run: run["certain"]) and (run["certain"] or run["said"]) for run in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--machines", type=int, default=2000)
    parser.add_argument("--budget", default="5s")
    parser.add_argument("--size", default="64KiB")
    parser.add_argument("--np", type=int, default=4)
    asked = parser.parse_args()
    fine = show_pairs(asked) if asked.pairs else True
    if not asked.machines:
        sys.exit(0 if fine else 1)
    played = subprocess.run([os.path.join(asked.build, "bench/certain"), str(asked.machines)], check=False)
    sys.exit(0 if fine and played.returncode == 0 else 1)


if __name__ == "__main__":
    main()
