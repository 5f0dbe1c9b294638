#!/usr/bin/env python3
"""Calls per second of hiersearch.predict and of the library it calls, and what Python adds to a call.

Both ask the same in turns, another size each time, in processes of their own; the median of the turns is printed, with the
least and the most. What Python adds is taken turn by turn.

usage: bench/python.py --calls PROGRAM --tools VENV --package FOLDER      (make bench-python)
"""
import argparse
import os
import statistics
import subprocess
from pathlib import Path

ROWS = [("abci", 0), ("abci", 200), ("dgx-h100", 0), ("dgx-h100", 200)]  # system, machines drawn
NP, TARGET = 1024, 2000

# What is timed, by kind: a System that is kept, its name each time with the best plan read, all of the document.
ASKED = {
    "predict(system)": "hs.predict(system, np=NP, size=size, samples=MACHINES)",
    "predict(name).best": "hs.predict(NAME, np=NP, size=size, samples=MACHINES).best",
    "predict(name).messages": "hs.predict(NAME, np=NP, size=size, samples=MACHINES).messages[0].candidates[0].predicted_seconds",
}
PROGRAM = """
import sys, time
import hiersearch as hs
NAME, NP, MACHINES, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
system, calls = hs.System(NAME), 0
began = time.perf_counter()
while True:
    size = f"{64 + calls % 1000}KiB"
    ASKED
    calls += 1
    if time.perf_counter() - began >= limit:
        break
print(calls / (time.perf_counter() - began))
"""


def rate(command, environment=None):
    ran = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, env=environment)
    return float(ran.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--calls", required=True, help="the program of bench/calls.c")
    parser.add_argument("--tools", required=True, help="a virtual environment with cffi")
    parser.add_argument("--package", required=True, help="folder of the package")
    arguments = parser.parse_args()
    python = Path(arguments.tools, "bin/python")
    environment = dict(os.environ, PYTHONPATH=str(Path(arguments.package).resolve()))
    print(f"P = {NP}, calls per second (target {TARGET}), median of {arguments.turns} turns, least .. most")
    print(f"{'':22} {'':24} {'calls/s':>8} {'least .. most':>16} {'added us a call':>22}")
    for system, machines in ROWS:
        library, ours = [], {kind: [] for kind in ASKED}
        for _ in range(arguments.turns):
            library.append(rate([arguments.calls, system, NP, arguments.seconds, "samples", machines]))
            for kind, text in ASKED.items():
                ours[kind].append(rate([python, "-c", PROGRAM.replace("ASKED", text), system, NP, machines, arguments.seconds], environment))
        name = f"{system}, {machines} machines"
        show(name, "the library, in C", library, None)
        for kind, rates in ours.items():
            show("", kind, rates, [1e6 / one - 1e6 / base for one, base in zip(rates, library)])


def show(name, kind, rates, added):
    more = f"{statistics.median(added):8.1f} ({min(added):.1f} .. {max(added):.1f})" if added else ""
    print(f"{name:22} {kind:24} {statistics.median(rates):8.0f} {min(rates):7.0f} .. {max(rates):<6.0f} {more:>21}")


if __name__ == "__main__":
    main()
