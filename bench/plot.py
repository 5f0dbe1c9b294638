#!/usr/bin/env python3
"""Time of `hiersearch plot` and `hiersearch report` for a result of 10,000 candidates, as a table.

The whole process, gnuplot included, `--runs` times after a warm-up: minimum, median and maximum. `accuracy` needs
measurements: the predictions times 1 to 1.2 stand in for them. The row "load" is the time that reading the file takes
alone (`system --csv` on the same file), which is part of every other row.
Usage: bench/plot.py [--runs N] [--candidates N] [path of the hiersearch program]
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

NP = 2 ** 20
TARGET_SECONDS = 2.0


def measure(path, new):
    """Gives each candidate a measurement."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    result["backend"] = "null"
    for i, candidate in enumerate(result["results"][0]["candidates"]):
        seconds = candidate["predicted_seconds"] * (1 + 0.2 * ((i * 7919) % 1000) / 1000)
        candidate["measured"] = {"status": "ok", "median_seconds": seconds, "wrong_elements": 0,
                                 "samples_seconds": [seconds], "ci95_seconds": [seconds * 0.98, seconds * 1.02]}
    result["results"][0]["candidates"].sort(key=lambda c: c["measured"]["median_seconds"])
    result["results"][0]["best"] = result["results"][0]["candidates"][0]["plan"]
    with open(new, "w", encoding="utf-8") as file:
        json.dump(result, file)


def seconds_of(command, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return times[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--candidates", type=int, default=10000)
    parser.add_argument("program", nargs="?", default="build/hiersearch")
    arguments = parser.parse_args()
    program = os.path.realpath(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        predicted, measured = os.path.join(folder, "predicted.json"), os.path.join(folder, "measured.json")
        subprocess.run([program, "predict", "abci", "--np", str(NP), "--top", str(arguments.candidates), "-q", "-o",
                        predicted], check=True, stdout=subprocess.DEVNULL)
        measure(predicted, measured)
        rows = [("load", [program, "plot", measured, "--kind", "system", "--csv"])]
        for kind in ("scaling", "layers", "bandwidth", "accuracy", "system"):
            for suffix in ("svg", "png"):
                rows.append((f"{kind} {suffix}", [program, "plot", measured, "--kind", kind, "-o",
                                                  os.path.join(folder, f"x.{suffix}")]))
        rows.append(("report", [program, "report", measured, "-o", os.path.join(folder, "x.html")]))
        print(f"{arguments.candidates} candidates, result file of {os.path.getsize(measured) / 2**20:.0f} MiB")
        print(f"{'whole process':16} {'min s':>7} {'median':>7} {'max':>7} {'target':>7}")
        for name, command in rows:
            times = seconds_of(command, arguments.runs)
            print(f"{name:16} {min(times):7.2f} {statistics.median(times):7.2f} {max(times):7.2f} {TARGET_SECONDS:7.1f}")


if __name__ == "__main__":
    main()
