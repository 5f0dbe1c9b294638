#!/usr/bin/env python3
"""CPU nodes with many ranks: published times of MPI's collectives against the price, and whether a split wins.

LAYERS, JSON: a list of {"machine", "collective", "nodes", "ranks_per_node", "bytes", "flat_s", "best_layered_s", "faulty_flat"}: the same call timed
flat, by the library, and in layers by others' codes, on the same ranks. A verdict of `predict` is right where it says that a plan is faster and the
layered code was, by over 5 %, or that the default is to be kept and it was not.
DATA, JSON: tables as bench/accuracy_published.py reads them; those of machines in MACHINES below, of more than one rank a node.

Each table is priced cold, by its line of parts, and with the machine's own times on its two smallest node counts of the collective (`fit`), which are
then left out; errors are exp(mean |ln(predicted / published)|) - 1, tables alike. "in range": of the 90 % range that `predict` gives; "left out":
of the range by the errors of all other machines, which is how the row CPU_RANKS of src/library/price_errors.h is judged. Its figures are printed last.
usage: make bench-cpu LAYERS=FILE DATA='FILE...'
"""
import argparse
import collections
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# How names begin, the parts of a node, its library: by the owners' pages. None: a library whose algorithms nobody published.
MACHINES = (("Aurora", "XeonMax", "8xSS11", "mpich"), ("Dane", "SapphireRapids", "1xOPA100", None), ("Fugaku", "A64FX", "6xTOFUD", None),
            ("Polaris", "Milan", "2xSS11", "cray-mpich"), ("Tuolumne", "CPU", "4xSS11", "cray-mpich"), ("DeltaAI", "Grace", "4xSS11", "cray-mpich"),
            ("AlaSKA", "Broadwell", "1xEDR100", "intelmpi"), ("Azure ND40rs", "Skylake", "1xEDR100", "openmpi-han"), ("OCI BM.Optimized", "IceLake", "", "openmpi"),
            ("AWS c7g", "Graviton3", "", "openmpi"), ("Xeon Platinum 8260", "CascadeLake", "", "mpich"))
COLLECTIVES = {"allgather": "allgather", "reducescatter": "reduce-scatter", "allreduce": "allreduce", "alltoall": "all-to-all"}
WINS = 1.05
RANGE = 1.645  # deviations: nine of ten
BANDS = (2 ** 20, 2 ** 26, math.inf)
FITTED_TABLES = 2


def line_of(system, ranks):
    """The line of parts of a node; None: not a machine of the list."""
    for name, processor, nics, library in MACHINES:
        if system.startswith(name):
            nics = "1xRoCE25" if "RoCE" in system else nics
            library = "openmpi" if "/ openmpi" in system else library
            return ", ".join(filter(None, (f"{ranks}x{processor}", nics))) + (f"; library={library}" if library else "")
    return None


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def predict(program, system, ranks, collective, sizes, *more):
    """Answers by bytes."""
    out = run(program, "predict", system, "--np", str(ranks), "--collective", COLLECTIVES[collective], "--size",
              ",".join(f"{size}B" for size in sorted(sizes)), "--quiet", "--json", *more)
    return {one["message_bytes"]: one for one in json.loads(out)["results"]}


def fit(program, line, times, folder):
    """The system of a line fitted to (bytes, seconds, ranks, nodes, collective)."""
    log, system = folder / "log.csv", folder / "system.json"
    log.write_text("bytes,seconds,np,nodes,call\n" + "".join(f"{row[0]},{row[1]:.9g},{row[2]},{row[3]},{row[4]}\n" for row in times),
                   encoding="utf-8")
    run(program, "fit", line, str(log), "--name", "fitted", "-o", str(system), "--force", "--quiet")
    return str(system)


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def off(errors):
    return math.expm1(statistics.fmean(map(abs, errors)))


# ---- does a split win? ---------------------------------------------------------------------------
def judge(program, path, logs):
    """By lines of parts, or with the flat call's times on the machine's smallest counts, which are then left out."""
    groups = collections.defaultdict(list)
    for row in json.loads(path.read_text(encoding="utf-8")):
        if not row["faulty_flat"] and "library=" in (line_of(row["machine"], row["ranks_per_node"]) if logs else "library="):
            groups[row["machine"], row["collective"], row["ranks_per_node"]].append(row)
    print(f"{'a split wins?' + ' (two logs)' * bool(logs):34}{'ranks':>6}{'points':>8}{'wins':>7}{'decided':>9}{'plan':>6}{'right':>7}"
          f"{'default':>9}{'right':>7}")
    total = collections.Counter()
    for (machine, collective, ranks), rows in sorted(groups.items()):
        count, line = collections.Counter(), line_of(machine, ranks)
        counts = sorted({row["nodes"] for row in rows})
        if logs:
            line = fit(program, line, [(row["bytes"], row["flat_s"], row["nodes"] * ranks, row["nodes"], collective) for row in rows
                                       if row["nodes"] in counts[:FITTED_TABLES]], logs)
        for nodes in counts[FITTED_TABLES if logs else 0:]:
            here = [row for row in rows if row["nodes"] == nodes]
            said = predict(program, line, nodes * ranks, collective, {row["bytes"] for row in here})
            for row in here:
                advice, wins = said[row["bytes"]]["verdict"]["advice"], row["flat_s"] > WINS * row["best_layered_s"]
                count.update(points=1, wins=wins)
                if advice != "undecided":
                    count.update({advice: 1, advice + " right": wins == (advice == "plan")})
        total.update(count)
        show_verdicts(f"{machine} {collective}", ranks, count)
    show_verdicts("all", "", total)
    right, decided = total["plan right"] + total["default right"], total["plan"] + total["default"]
    print(f"decided {percent(decided, total['points'])}, right where it decides {percent(right, decided)}\n")


def show_verdicts(what, ranks, count):
    print(f"{what:34}{ranks:>6}{count['points']:>8}{percent(count['wins'], count['points']):>7}"
          f"{percent(count['plan'] + count['default'], count['points']):>9}{count['plan']:>6}{count['plan right']:>7}"
          f"{count['default']:>9}{count['default right']:>7}")


# ---- prices --------------------------------------------------------------------------------------
class Table:
    def __init__(self, table):
        self.system, self.nodes, self.ranks, self.collective = table["system"], table["nodes"], table["ranks"], table["collective"]
        self.machine = next(one[0] for one in MACHINES if self.system.startswith(one[0]))
        self.line = line_of(self.system, table["gpus_per_node"])
        self.alike = (self.system, self.collective)
        self.times = {row["bytes"]: row["time_us"] * 1e-6 for row in table["rows"] if "mark" not in row}

    def price(self, program, system):
        """Errors by bytes, and how many times lie in the 90 % range."""
        said = predict(program, system, self.ranks, self.collective, self.times, "--samples", "0")
        errors, inside = {}, 0
        for size, seconds in self.times.items():
            usual = said[size].get("default")
            if not usual:
                return None
            errors[size] = math.log(usual["seconds"] / seconds)
            inside += usual["low_seconds"] <= seconds <= usual["high_seconds"]
        return errors, inside


def read_tables(paths):
    found = []
    for path in paths:
        for table in json.loads(path.read_text(encoding="utf-8")):
            known = "mark" not in table and table["gpus_per_node"] > 1 and line_of(table["system"], table["gpus_per_node"])
            if known and "library=" in known:
                found.append(Table(table))
    return [one for one in found if one.times]


def spread(pairs):
    """Deviations of log errors: common to a machine's tables, and what is left at a point; of (machine, error)."""
    machines = collections.defaultdict(list)
    for machine, error in pairs:
        machines[machine].append(error)
    means = {machine: statistics.fmean(errors) for machine, errors in machines.items()}
    point = math.sqrt(statistics.fmean([statistics.fmean([(e - means[m]) ** 2 for e in errors]) for m, errors in machines.items()]))
    return math.sqrt(statistics.fmean([mean * mean for mean in means.values()])), point


def band(size):
    return next(i for i, most in enumerate(BANDS) if size <= most)


def price_tables(program, paths):
    tables = read_tables(paths)
    by_kind = collections.defaultdict(list)
    for one in tables:
        by_kind[one.alike].append(one)
    pairs = {i: [] for i in range(len(BANDS))}
    cold = {}
    for one in tables:
        cold[one] = one.price(program, one.line)
        for size, error in cold[one][0].items():
            pairs[band(size)].append((one.machine, error))
    print(f"{'price of the call':52}{'nodes':>9}{'cold':>8}{'in range':>10}{'left out':>10}{'larger counts: cold':>21}{'two logs':>10}{'in range':>10}")
    before, after, errors_of, points = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for (system, collective), group in sorted(by_kind.items()):
            group.sort(key=lambda one: one.nodes)
            errors = [error for one in group for error in cold[one][0].values()]
            inside, apart = sum(cold[one][1] for one in group), 0
            for one in group:
                for size, error in cold[one][0].items():
                    machine, point = spread([pair for pair in pairs[band(size)] if pair[0] != one.machine] or pairs[band(size)])
                    apart += abs(error) <= RANGE * math.hypot(machine, point)
            text = f"{system[:38]:40}{collective:12}{group[0].nodes:>4}-{group[-1].nodes:<4}{percent(off(errors), 1):>8}" \
                   f"{percent(inside, len(errors)):>10}{percent(apart, len(errors)):>10}"
            errors_of.append((off(errors), inside, apart, len(errors)))
            first, rest = group[:FITTED_TABLES], group[FITTED_TABLES:]
            if rest:
                fitted = fit(program, first[0].line, [(size, seconds, one.ranks, one.nodes, collective) for one in first
                                                      for size, seconds in one.times.items()], Path(folder))
                own = [one.price(program, fitted) for one in rest]
                own_errors = [error for errors, _ in own for error in errors.values()]
                before.append(off([error for one in rest for error in cold[one][0].values()]))
                after.append(off(own_errors))
                points += map(abs, own_errors)
                text += f"{percent(before[-1], 1):>21}{percent(after[-1], 1):>10}{percent(sum(n for _, n in own), len(own_errors)):>10}"
            print(text)
    count = sum(row[3] for row in errors_of)
    print(f"{len(tables)} tables, {count} times: cold {percent(statistics.median(row[0] for row in errors_of), 1)} off in the median of "
          f"{len(errors_of)}, {percent(sum(row[1] for row in errors_of), count)} in range, {percent(sum(row[2] for row in errors_of), count)} by others' errors")
    if after:
        print(f"larger counts of {len(after)}: cold {percent(statistics.median(before), 1)} off in the median, with two logs "
              f"{percent(statistics.median(after), 1)}, half of the times within {percent(math.expm1(statistics.median(points)), 1)}")
    rows = [spread(pairs[i]) for i in range(len(BANDS)) if pairs[i]]
    print(f"row(CPU_RANKS, \"CPU nodes of several ranks\", {len({one.machine for one in tables})}, "
          + ", ".join(f"{machine:.2f}" for machine, _ in rows) + ", " + ", ".join(f"{point:.2f}" for _, point in rows) + ")")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/hiersearch", metavar="FILE")
    parser.add_argument("--layers", type=Path, metavar="FILE")
    parser.add_argument("--data", nargs="*", type=Path, default=[], metavar="FILE")
    asked = parser.parse_args()
    if not asked.layers and not asked.data:
        parser.error("expected LAYERS=FILE or DATA='FILE...', of published times")
    if asked.layers:
        judge(asked.program, asked.layers, None)
        with tempfile.TemporaryDirectory() as folder:
            judge(asked.program, asked.layers, Path(folder))
    if asked.data:
        price_tables(asked.program, asked.data)


if __name__ == "__main__":
    main()
