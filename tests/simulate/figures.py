#!/usr/bin/env python3
"""Lines "plan predicted simulated misaligned layer-seconds..." of the result files named, in order of the plans' names.

misaligned: 1 where a layer does, else 0. layer-seconds: reduce-scatters (the last is the allreduce), then allgathers.
"""
import json
import sys

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        candidates = json.load(file)["results"][0]["candidates"]
    for candidate in sorted(candidates, key=lambda c: c["plan"]):
        measured = candidate["measured"]
        layers = candidate["plan"].split("/")[0].count("x") + 1
        times = [stage["seconds"] for stage in measured["stages"]]
        print(candidate["plan"], candidate["predicted_seconds"], measured["median_seconds"],
              int(any(layer["misaligned"] for layer in candidate["layers"])),
              *times[:layers], *reversed(times[layers:]))
