#!/usr/bin/env python3
"""Whole-process time and peak memory of `hiersearch predict`, as a table.

Each row is run `--runs` times after a warm-up; minimum, median and maximum are printed. Pairs of rows that are compared
(lattice and exhaustive) are run in turn, and the ratio is taken pair by pair. No machines are drawn where none are named.
Usage: bench/predict.py [--runs N] [--calls PROGRAM] [path of the hiersearch program]
"""
import argparse
import os
import statistics
import subprocess
import time

ABCI = "abci"
# Of rows with these words: of leonardo the MPI library is named.
SYSTEMS = {"NCCL": "dgx-h100", "native": "leonardo", "16 units": "mi250-16", "of 8": "dgx1-p100"}


def run(command):
    """Wall seconds and peak resident MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def splits_of(np):
    """Ordered factorizations of np (OEIS A074206), counted here, not by the program."""
    divisors = [d for d in range(1, int(np ** 0.5) + 1) if np % d == 0]
    divisors = sorted(set(divisors + [np // d for d in divisors]))
    paths = {1: 1}
    for d in divisors[1:]:
        paths[d] = sum(n for e, n in paths.items() if d % e == 0)
    return paths[np]


ROWS = [  # name, np, options, target milliseconds, target MiB
    ("P = 128", 128, [], 5, None),
    ("P = 2^20, top 10", 2 ** 20, ["--top", "10"], 10, None),
    ("P = 2^20, top 10, chunks 1..64", 2 ** 20, ["--top", "10", "--chunks", "1,2,4,8,16,32,64"], 100, None),
    ("P = 735134400, top 10", 735134400, ["--top", "10"], 300, 100),
    ("P = 735134400, top 10, chunks 1..64", 735134400,
     ["--top", "10", "--chunks", "1,2,4,8,16,32,64"], 3000, None),
    ("P = 65536, exhaustive", 65536, ["--search", "exhaustive"], 50, None),
    ("P = 65536, lattice", 65536, ["--search", "lattice"], None, None),
    ("P = 2^20, exhaustive", 2 ** 20, ["--search", "exhaustive"], None, None),
    ("P = 128, 200 machines", 128, ["--samples", "200"], None, None),
    ("P = 2^20, top 10, 200 machines", 2 ** 20, ["--top", "10", "--samples", "200"], None, None),
    ("P = 1024, 30 sizes, 300 machines", 1024, ["--samples", "300", "--size", "1KiB:512GiB"], 300, None),
    ("P = 1024, 30 sizes, 300 machines, NCCL", 1024, ["--samples", "300", "--size", "1KiB:512GiB"], 300, None),
    ("P = 4096, four axes placed, all algorithms", 4096,
     ["--algorithms", "all", "--mesh", "a=8,b=8,c=8,d=8", "--samples", "0", "--messages",
      "a:allreduce:64MiB*10,b:allgather:1MiB*100,c:reduce-scatter:256MiB,d:allreduce:1GiB"], 50, None),
    ("P = 735134400, top 10, native", 735134400, ["--top", "10", "--algorithms", "native"], 400, None),
    ("16 units on single links", 16, ["--algorithms", "all"], 200, None),
    ("70 choices of 4 of 8 on single links", 4, ["--algorithms", "all"], 500, None),
]


CALLS = [  # system, processes, machines drawn, target calls per second: through the library, another size each time
    (ABCI, 1024, 0, 2000),
    ("summit", 1024, 0, 2000),
    (ABCI, 1024, 200, 2000),
    ("dgx-h100", 1024, 0, 2000),
    ("dgx-h100", 1024, 200, 2000),
]


def show_calls(program):
    print(f"\n{'through the library, P = 1024':42} {'calls/s':>8} {'target':>7}")
    for system, np, machines, target in CALLS:
        rates = [float(subprocess.run([program, system, str(np), "2", "samples", str(machines)], check=True,
                                      capture_output=True, text=True).stdout) for _ in range(3)]
        print(f"{system + f', {machines} machines':42} {statistics.median(rates):8.0f} {target if target else '-':>7}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--calls", help="the program of bench/calls.c: calls per second, too")
    parser.add_argument("program", nargs="?", default="build/hiersearch")
    arguments = parser.parse_args()
    commands = []
    for name, np, options, _, _ in ROWS:
        system = next((system for word, system in SYSTEMS.items() if word in name), ABCI)
        command = [arguments.program, "predict", system, "--np", str(np), "--quiet"]
        if "--messages" in options:
            command = [arguments.program, "place", system, "--quiet"]
        for option, value in ("--size", "128MiB"), ("--samples", "0"):
            command += [] if option in options or "--messages" in options else [option, value]
        commands.append(command + options)
    times = [[] for _ in ROWS]
    peaks = [0.0 for _ in ROWS]
    for repetition in range(arguments.runs + 1):
        for i, command in enumerate(commands):
            seconds, peak = run(command)
            if repetition > 0:
                times[i].append(seconds)
                peaks[i] = max(peaks[i], peak)
    print(f"{'whole process':42} {'min ms':>8} {'median':>8} {'max':>8} {'target':>7} {'MiB':>6} {'splits':>14} {'splits/s':>10}")
    for (name, np, _, target, _), t, peak in zip(ROWS, times, peaks):
        median = statistics.median(t)
        splits = splits_of(np)
        print(f"{name:42} {min(t) * 1e3:8.2f} {median * 1e3:8.2f} {max(t) * 1e3:8.2f} "
              f"{target if target else '-':>7} {peak:6.1f} {splits:14} {splits / median:10.3g}")
    ratio = sorted(e / l for e, l in zip(times[5], times[6]))
    print(f"exhaustive / lattice at P = 65536, pair by pair: median {statistics.median(ratio):.2f} "
          f"({ratio[0]:.2f} .. {ratio[-1]:.2f})")
    ratio = sorted(e / l for e, l in zip(times[7], times[1]))
    print(f"exhaustive / lattice at P = 2^20, pair by pair: median {statistics.median(ratio):.2f} "
          f"({ratio[0]:.2f} .. {ratio[-1]:.2f})")
    if arguments.calls:
        show_calls(arguments.calls)


if __name__ == "__main__":
    main()
