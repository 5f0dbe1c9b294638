#!/usr/bin/env python3
"""NCCL's own table of latencies and bandwidths, as its log prints it (NCCL_DEBUG_SUBSYS=TUNING), against the library's.

    bench/tuning.py FILE [--program build/bench/tuning] [--parts '8xH100-..., 8xNDR400'] [--version 22705] [--all]

FILE, JSON: {"rows": [{"collective", "algorithm", "protocol", "nodes", "gpus_per_node", "latency_us", "bus_GBps"}]}.
"""
import argparse
import collections
import json
import math
import subprocess


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--program", default="build/bench/tuning")
    parser.add_argument("--parts", default="8xH100, 8xNDR400")
    parser.add_argument("--version", default="22705")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    with open(asked.file, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    lines = [f"{row['collective'].split(',')[0]} {row['algorithm']} {row['protocol']} {row['nodes']} {row['gpus_per_node']}" for row in rows]
    out = subprocess.run([asked.program, asked.parts, asked.version], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    ratios = collections.defaultdict(list)
    for row, line in zip(rows, out.stdout.splitlines()):
        latency, rate = line.split()[-2:]
        key = (row["collective"], row["algorithm"], row["protocol"])
        if rate == "-":
            ratios[key].append(None)
            continue
        pair = float(latency) / row["latency_us"], float(rate) / row["bus_GBps"]
        ratios[key].append((pair, row["nodes"], row["gpus_per_node"]))
        if asked.all or max(abs(math.log(x)) for x in pair) > 0.03:
            print(f"  {line:60} table {row['latency_us']:8.1f} {row['bus_GBps']:8.1f}   ratio {pair[0]:.3f} {pair[1]:.3f}")
    print(f"{'':42} {'entries':>8} {'latency':>24} {'bandwidth':>24} {'within 2 %':>10}")
    for key, found in ratios.items():
        met = [one for one in found if one]
        if not met:
            print(f"{' '.join(key):42} {len(found):8}  none here")
            continue
        spans = [f"{min(p[i] for p, *_ in met):.3f} to {max(p[i] for p, *_ in met):.3f}" for i in (0, 1)]
        good = sum(max(abs(x - 1) for x in p) < 0.02 for p, *_ in met)
        print(f"{' '.join(key):42} {len(found):8} {spans[0]:>24} {spans[1]:>24} {good:6} of {len(found)}")


main()
