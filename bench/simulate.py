#!/usr/bin/env python3
"""37 splits of 64 and 128 ranks: our ring in SimGrid, another program's ring in SimGrid, and the model.

The other program's times (tests/model/simgrid64.h) are from a plain ring of its own on a platform of its own. Ours come from
`hiersearch simulate`: the host backend's ring on the platform that `hiersearch export --to simgrid` writes. Printed are the
difference between the two simulations, and the model's error against ours. With --large also 512 ranks: time and memory.
usage: bench/simulate.py [--large] [PROGRAM]     PROGRAM: build/hiersearch by default
"""
import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
MACHINE = TOP / "tests/model/simgrid.json"


def theirs():
    """(np, split) -> seconds."""
    text = (TOP / "tests/model/simgrid64.h").read_text(encoding="utf-8")
    rows = re.findall(r'\{(\d+), "([\dx]+)", ([\d.]+)\}', text)
    return {(int(np), split): float(ms) * 1e-3 for np, split, ms in rows}


def simulate(program, np, plans):
    """Candidates by plan, and the wall seconds it took."""
    start = time.monotonic()
    run = subprocess.run([program, "simulate", MACHINE, "--np", str(np), "--json", *plans], check=True,
                         stdout=subprocess.PIPE)
    wall = time.monotonic() - start
    return {c["plan"]: c for c in json.loads(run.stdout)["results"][0]["candidates"]}, wall


def percent(value, reference):
    return 100 * (value / reference - 1)


def summary(name, errors):
    sizes = [abs(e) for e in errors]
    print(f"{name}: {sum(sizes) / len(sizes):.2f} % on average, {max(sizes):.2f} % at worst")


def compare(program):
    reference = theirs()
    differences, errors = [], {False: [], True: []}
    print(f"{'np':>4} {'split':12} {'ours ms':>9} {'other ms':>9} {'differ %':>9} {'model ms':>9} {'error %':>8}")
    for np in sorted({np for np, _ in reference}):
        splits = [split for n, split in reference if n == np]
        candidates, wall = simulate(program, np, splits)
        for split in splits:
            ours = candidates[split]["measured"]["median_seconds"]
            model, other = candidates[split]["predicted_seconds"], reference[np, split]
            misaligned = any(layer["misaligned"] for layer in candidates[split]["layers"])
            differences.append(percent(ours, other))
            errors[misaligned].append(percent(model, ours))
            print(f"{np:4} {split:12} {ours * 1e3:9.3f} {other * 1e3:9.3f} {differences[-1]:+9.2f} "
                  f"{model * 1e3:9.3f} {errors[misaligned][-1]:+8.2f}{' misaligned' if misaligned else ''}")
        print(f"{np} ranks, {len(splits)} splits: {wall:.1f} s")
    summary("\nours against the other program", differences)
    summary("the model against ours, layers that nest in nodes", errors[False])
    summary("the model against ours, misaligned layers", errors[True])


def large(program):
    candidates, wall = simulate(program, 512, ["4x8x16", "512"])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    times = ", ".join(f"{p} {c['measured']['median_seconds'] * 1e3:.3f} ms" for p, c in candidates.items())
    print(f"512 ranks, 128 MiB each: {times}; {wall:.0f} s, at most {peak:.0f} MiB resident")


def main():
    arguments = sys.argv[1:]
    is_large = "--large" in arguments
    programs = [a for a in arguments if a != "--large"] or [TOP / "build/hiersearch"]
    compare(programs[0])
    if is_large:
        large(programs[0])


if __name__ == "__main__":
    main()
