#!/usr/bin/env python3
"""A made-up result of `measure --native`: own_result.py COLLECTIVE NP CALL FIRST SECOND [VERSION of MPI]

The library's own choice takes 100 us at 1 KiB, 16 KiB, 256 KiB and 1 MiB. The algorithm FIRST takes 50 us at 16 KiB and 256 KiB,
SECOND at 1 MiB, where FIRST takes 150 us; at 256 KiB SECOND takes 100 us. All else takes 200 us. So FIRST runs
from 16384 bytes to where the lines cross: 50 + 100 t = 100 - 50 t a third of the way from 262145 to 1048576, 524288, and SECOND
to 1048576.
"""
import json
import sys

collective, np, call, first, second = sys.argv[1:6]
version = {"mpi": sys.argv[6]} if len(sys.argv) > 6 else {}


def measured(us):
    return {"status": "ok", "median_seconds": us * 1e-6, "ci95_seconds": [0.99e-6 * us, 1.01e-6 * us], "wrong_elements": 0}


def message(size, own):
    names = {first: 200, second: 200, **own}
    return {"message_bytes": size, "dtype": "float32", "op": "sum", "search": {"splits": 1, "looked_at": 1, "pruned": []},
            "best": np, "baselines": [{"name": call, "measured": measured(100)}],
            "algorithms": [{"name": name, "measured": measured(us)} for name, us in names.items()],
            "candidates": [{"plan": np, "measured": measured(300)}]}


print(json.dumps({
    "format": "hiersearch.result/2", "command": "hiersearch measure --made-up", "created": "2026-01-31T12:00:00Z",
    "backend": "mpi", "versions": {"hiersearch": "0.1.0", **version}, "np": int(np), "collective": collective, "complete": True,
    **({} if collective in ("allreduce", "all-to-all") else {"layout": "natural"}),
    "placement": {"nodes": [{"host": "n01", "ranks": int(np)}]},
    "results": [message(1024, {}), message(16384, {first: 50}), message(262144, {first: 50, second: 100}),
                message(1048576, {first: 150, second: 50})]}))
