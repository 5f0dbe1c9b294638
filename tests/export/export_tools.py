"""What the checks of exported files share: TAP, and running the built program."""
import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BUILD", TOP / "build")).resolve() / "hiersearch"

# Three levels whose bandwidths and latencies all differ, and no figure that could stand for another.
SYSTEM = "nvlink:4@150GB/s~0.5us,rack:8@25GB/s~2us,spine@96GB/s~5us"

# Single links: units, and links as (between, count). A ring with a chord; the hybrid cube mesh of a DGX-1; a K4 and a tail; a
# square with a diagonal; all pairs of four, some twice.
GRAPHS = {
    "uneven5": (5, [((0, 1), 1), ((1, 2), 2), ((2, 3), 1), ((3, 4), 1), ((4, 0), 2), ((1, 3), 1)]),
    "cube8": (8, [((0, 1), 1), ((0, 2), 1), ((0, 3), 2), ((0, 4), 2), ((1, 2), 2), ((1, 3), 1), ((1, 5), 2), ((2, 3), 2),
                  ((2, 6), 1), ((3, 7), 1), ((4, 5), 1), ((4, 6), 1), ((4, 7), 2), ((5, 6), 2), ((5, 7), 1), ((6, 7), 2)]),
    "tail6": (6, [(pair, 1) for pair in itertools.combinations(range(4), 2)] + [((3, 4), 2), ((4, 5), 1)]),
    "square4": (4, [((0, 1), 1), ((1, 2), 2), ((2, 3), 1), ((3, 0), 1), ((1, 3), 1)]),
    "full4": (4, [(pair, 1 + (pair in ((0, 1), (2, 3)))) for pair in itertools.combinations(range(4), 2)]),
}


class Tap:
    """Counts and prints tests; exit_status() is for sys.exit."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, holds, sentence, *detail):
        self.count += 1
        self.failed += not holds
        print("ok" if holds else "not ok", self.count, "-", sentence, flush=True)
        if not holds:
            for line in detail:
                print("#  ", line)

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(*arguments, stdin=None):
    """(exit status, stdout, stderr) of the program."""
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, timeout=120,
                          check=False, text=True)
    return done.returncode, done.stdout, done.stderr


def predict(processes, size="128MiB", system=SYSTEM, *more):
    """A result file's text; processes None: `more` says them, by a mesh."""
    ranks = ("--np", str(processes)) if processes else ()
    status, out, err = run("predict", system, *ranks, "--size", size, "--json", "--quiet", *more)
    if status:
        raise RuntimeError(f"predict: {err}")
    return out


def product(plan):
    """Of the layers' sizes, without their letters."""
    total = 1
    for size in plan.split("x"):
        total *= int(size.rstrip("abcdefghijklmnopqrstuvwxyz"))
    return total


def export(plan, form, size="128MiB", system=SYSTEM, *more):
    """Text of the one file that the format is, for a plan; `more` are options of predict."""
    status, out, err = run("export", "-", "--to", form, "--plan", plan, "--quiet",
                           stdin=predict(None if "--mesh" in more else product(plan.split("/")[0]),
                                         size, system, *more))
    if status:
        raise RuntimeError(f"export {plan}: {err}")
    return out


def export_folder(plan, form, size="128MiB", system=SYSTEM):
    """A temporary folder object with the format's files, and what the program said on stderr."""
    folder = tempfile.TemporaryDirectory()
    status, _, err = run("export", "-", "--to", form, "--plan", plan, "-o", folder.name,
                         stdin=predict(product(plan.split("/")[0]), size, system))
    if status:
        raise RuntimeError(f"export {plan}: {err}")
    return folder, err


def graph_system(folder, name, relayed=False):
    """A file in the folder: nodes of that graph, joined by a switch; relayed: with a CPU that reaches every unit beside its links."""
    units, links = GRAPHS[name]
    path = Path(folder) / f"{name}.json"
    level = {"name": "links", "arity": units, "fabric": "links", "latency_us": 3,
             "links": [{"between": list(pair), "count": count, "bandwidth_GBps": 20} for pair, count in links]}
    if relayed:
        level["relays"] = 1
        level["links"] += [{"between": [unit, units], "bandwidth_GBps": 20} for unit in range(units)]
    net = {"name": "net", "arity": None, "fabric": "switch", "latency_us": 10, "bandwidth_GBps": 50}
    path.write_text(json.dumps({"format": "hiersearch.system/1", "name": name, "pipeline_granularity": 1,
                                "levels": [level, net]}), encoding="utf-8")
    return str(path)


def links_of(name):
    """Of that graph, from one unit to another, each way."""
    found = {}
    for (a, b), count in GRAPHS[name][1]:
        found[a, b] = found[b, a] = count
    return found
