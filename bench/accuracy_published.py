#!/usr/bin/env python3
"""Published times of NCCL's and MPI's collectives against what the library says of them.

DATA, JSON: a list of tables {"system", "nodes", "gpus_per_node", "ranks", "collective", "algorithm", "rows": [{"bytes", "time_us"}]}, and
of each maybe "source", "nccl_version", "notes", "fit": false (scored, never fitted), "mark" (also of a row: neither fitted nor scored).
MACHINES, JSON: {system: {"parts": "8xH100, 8xNDR400", "library": "nccl", "note"}}, and of each maybe "seen": true (its times are in the constants that
ship). Both may be several files.
FIT (what constants a time is predicted with):
    none       those that ship (fitted to most of the published times known, so no test of these)
    others     fitted to all machines but its own; of a machine that what ships has never seen, what ships
    nodes<=N   fitted to the machine's own times on up to N nodes, with what ships as prior; of machines without such times, what ships
    others,nodes<=N   the same, with the fit to all other machines as prior: what ships may have seen the larger counts
    log        fitted to the machine's own times on its smallest count of several nodes, as one log has them, with the fit to all other machines
               as prior; the larger counts without the log and with it, from 1 MiB on, and by constants that are fitted to these counts, too
    systems    no scores, but what configs/NAME.json of a machine in FITTED holds: the constants fitted to all of its own times around those
               that ship, with 95 % intervals, and the latency and bandwidth of a ring (CPU MPI)
    errors     the rows of src/library/price_errors.h: what is common to a machine and what is left at a point, by class and size, estimated from
               the machines left out as in others; and how many of their times lie within the range that follows: of each machine by what
               the others say, and of a third kept aside while the form was chosen
    half       MPI between CPUs: fitted to every other node count of the machine, and to the other machines; the rest as none
POINTS: a table of all points as text, kept apart by tabs.
Errors are exp(mean |ln(predicted / published)|) - 1 and, in brackets, mean |predicted / published - 1|, in percent.
Behind FIT=none the systems that ship are compared with the tables of the same parts, NCCL's and, where there are, MPI's defaults among them.
usage: make bench-accuracy-published DATA='FILE...' MACHINES='FILE...' [FIT=none|others|errors|half|log|systems|'[others,]nodes<=N'] [POINTS=out.tsv]
"""
import argparse
import collections
import glob
import hashlib
import json
import math
import os
import re
import statistics
import subprocess
import sys

MIB = 2 ** 20
BYTES_MOST, US_MOST = 2 ** 50, 1e12
BANDS = (lambda size: size <= MIB, lambda size: MIB < size < 64 * MIB, lambda size: size >= 64 * MIB)
KINDS = ("NVLink nodes", "multi-node", "NVL racks", "boards", "all-to-all", "symmetric", "RCCL nodes", "RCCL multi-node", "CPU MPI", "MPI's own")
MODELS = ("nccl", "rccl", "mpi")
TITLES = {"none": "by what ships, which most of these times were fitted to", "others": "the machine itself left out",
          "half": "the machine's other node counts left out",
          "log": "the machine's smallest count of several nodes fitted, which is left out", "nodes": "the machine's larger node counts, which are left out"}
LIBRARIES = ("nccl", "rccl", "openmpi", "mpich")
USUAL_VERSION = 22809
# What a line of parts does not say, and versions that tables do not name, found from their times (docs/model.md, section 8).
CPUS = {"AWS p4de.24xlarge": "intel"}
VERSIONS = {"Perlmutter": 21803}
ERAS = (21803, 21903, 22003, 22103, 22303, 22803, 22809)
ERA_ROUNDS, ERA_GAIN = 12, 10  # of a fit; in its cost, to be believed
RACK_GPUS, RACK_GPUS_USED = 72, 64
DOUBT_PARTS, DOUBT_CLASS, DOUBT_OWN = 0, 0.9, 0.4  # price_nccl.h; 0: by the kinds of the parts' figures
MPI_MACHINES = {"Leonardo (Dragonfly+)": "leonardo", "LUMI-C (Dragonfly)": "lumi",
                "MareNostrum 5 (oversubscribed fat tree, per the Bine abstract)": "mn5"}
MPI_ALGORITHMS = (("ring", "ring"), ("raben", "halving"), ("recursive_halving", "halving"), ("recursive_doubling", "doubling"))
MPI_DEFAULTS = {"default_mpich": "mpich", "default_ompi": "openmpi"}  # what the library took by itself: scored apart, never fitted
MPI_LEAST_US = 0.5  # below it a clock was read, not a message sent
MPI_HALF_COUNTS = 3  # node counts of AllReduce, to be halved
OTHERS_LEAST = 300  # points of other machines that decide the constants
DIFFER = math.log(1.1)  # two algorithms, to be told apart
# Systems that ship with constants of their own, and whose they are.
FITTED = {"Perlmutter": "perlmutter", "MareNostrum 5 ACC": "marenostrum5-acc", "Leonardo (Dragonfly+)": "leonardo", "LUMI-C (Dragonfly)": "lumi"}
EAGER_BYTES, LINE_GBPS = 8192, 25  # price_mpi.c
ERROR_ROWS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "library", "price_errors.h")
CONFIGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "configs")
# Machines whose times are in the constants that ship.
SEEN = {
    "MareNostrum 5 ACC", "Perlmutter", "A100-SXM node (AIConfigurator)", "H100-SXM node (AIConfigurator)", "B300-SXM node (AIConfigurator)",
    "GB200 node (AIConfigurator)", "L40S node (AIConfigurator)", "A100 DGX (Vidur)", "AWS p4de.24xlarge", "AWS p5.48xlarge one node",
    "CoreWeave GB200 NVL72, 1 rack", "CoreWeave H100", "Alps GH200, 1 GPU per node", "8x H200 node", "8x H200 node, GPU count sweep",
    "8x B200 node, GPU count sweep", "H100 cluster of poster gj-aion", "OCI BM.GPU.GB200-v3.4, 2 racks", "OCI GB300 (racks of 16 nodes used)",
    "OCI A100 (OKE)", "Olivia (NRIS) GH200", "GCP a3-megagpu-8g", *MPI_MACHINES}


TWO_LEVEL = "a two-level AllReduce of NCCL's calls"  # as a plan of two layers has them: scored apart


REGISTERED = re.compile(r"/ sym$")  # kernels of registered buffers


class Skipped(Exception):
    """Why a table or a row is left out."""


# ---- what is in the files -----------------------------------------------------------------------------------------------------------------

def of_type(entry, key, types, least=None, most=2 ** 31):
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, types) or (least is not None and not least <= value <= most):
        raise Skipped(f'no usable "{key}"')
    return value


def text_of(entry, key):
    return entry[key] if isinstance(entry.get(key), str) else ""


def row_of(row):
    """(bytes, microseconds)"""
    if not isinstance(row, dict):
        raise Skipped("a row that is no object")
    if row.get("mark"):
        raise Skipped("marked rows")
    return of_type(row, "bytes", (int, float), 1, BYTES_MOST), of_type(row, "time_us", (int, float), 1e-3, US_MOST)


class Table:
    """A published table whose machine has a price. `rows`: [(bytes, seconds)]."""

    def __init__(self, entry, machines):
        if not isinstance(entry, dict):
            raise Skipped("a table that is no object")
        if entry.get("mark"):
            raise Skipped("marked tables")
        self.system = of_type(entry, "system", str)
        self.nodes, self.gpus = of_type(entry, "nodes", int, 1), of_type(entry, "gpus_per_node", int, 1)
        self.ranks = of_type(entry, "ranks", int, 1)
        self.collective, self.algorithm = of_type(entry, "collective", str), of_type(entry, "algorithm", str)
        self.source, self.notes = text_of(entry, "source"), text_of(entry, "notes")
        self.fit = entry.get("fit") is not False
        self.version = version_of(text_of(entry, "nccl_version"))
        self.of_graph = bool(re.search(r"-G\b", text_of(entry, "nccl_version")))  # what nccl-tests was started with stands there, too
        machine = machines.get(self.system)
        if not isinstance(machine, dict):
            raise Skipped("a machine that is not described")
        self.seen = self.system in SEEN or machine.get("seen") is True
        library = text_of(machine, "library")
        if library not in LIBRARIES:
            raise Skipped(f'library "{library}"')
        self.model = library if library in MODELS else "mpi"
        self.mpi = self.model == "mpi"
        if self.mpi:
            self.read_mpi()
        elif self.model == "rccl":
            self.read_rccl(machine)
        else:
            self.read_nccl(machine)
        self.rows, self.dropped = [], collections.Counter()
        for row in of_type(entry, "rows", list):
            try:
                self.rows.append(self.read_row(row))
            except Skipped as why:
                self.dropped[str(why)] += 1
        if not self.rows and not self.dropped:
            raise Skipped("no rows")

    def read_row(self, row):
        size, time_us = row_of(row)
        if self.mpi and time_us < MPI_LEAST_US:
            raise Skipped(f"times below {MPI_LEAST_US} us")
        return size, time_us * 1e-6

    def read_nccl(self, machine):
        self.parts, note, algorithm = of_type(machine, "parts", str), text_of(machine, "note"), self.algorithm.lower()
        if "groups" in note:
            raise Skipped("groups at once")
        if algorithm.startswith("hierarchical"):
            raise Skipped("not NCCL's own algorithm" if "bandwidth" not in algorithm else TWO_LEVEL)
        rings = "ring (nccl_" in algorithm or "forced ring" in algorithm
        self.runs = "ring" if rings else "tree" if algorithm.startswith("tree") else ""
        self.clock = int("torch" in algorithm or "all_reduce_bench" in self.source)
        self.registered = (2 if self.of_graph else 1) if REGISTERED.search(self.system) else 0
        if self.registered:  # no other constant is to follow from them, and their own would be known by no other table
            self.seen, self.fit = True, False
        count = re.match(r"\d{1,4}", self.parts)
        board = re.match(r"\d+x\S+-pcie|\d+x(L40S?|L4|T4|A10G?|A40|RTX\w+)\b", self.parts)
        self.domains, self.used = self.nodes, self.gpus
        if count and int(count[0]) >= RACK_GPUS:
            rack = RACK_GPUS_USED if "used" in note else RACK_GPUS
            self.domains = -(-self.nodes * self.gpus // rack)
            self.used = self.nodes * self.gpus // self.domains
        rack = count and int(count[0]) >= RACK_GPUS
        self.kind = ("symmetric" if self.registered else "boards" if board else "NVLink nodes" if self.nodes == 1 else
                     "all-to-all" if self.collective == "alltoall" else "NVL racks" if rack else "multi-node")

    def read_rccl(self, machine):
        """All that is known is in the constants: every machine is seen."""
        if "in-place column" in self.algorithm:
            raise Skipped("not RCCL's own algorithm")
        self.parts, self.runs, self.seen = of_type(machine, "parts", str), "", True
        self.one_process = int("rccl1g8" in self.system or "-g 8" in self.notes)
        self.kind = "RCCL multi-node" if self.nodes > 1 else "RCCL nodes"

    def read_mpi(self):
        if self.system not in MPI_MACHINES:
            raise Skipped("a machine of CPUs without constants")
        self.runs = next((runs for start, runs in MPI_ALGORITHMS if self.algorithm.startswith(start)), MPI_DEFAULTS.get(self.algorithm))
        if self.runs is None or (self.runs in MPI_DEFAULTS.values() and self.collective != "allreduce"):
            raise Skipped("an MPI algorithm without a price")
        self.fit = self.fit and self.runs not in MPI_DEFAULTS.values()
        self.kind, self.tasks = "MPI's own" if self.runs in MPI_DEFAULTS.values() else "CPU MPI", self.gpus
        said = re.search(r"(\d{1,6}) tasks per node", self.notes)
        self.by_node = int(bool(said) and self.tasks == 1)
        if self.by_node:
            self.tasks = max(1, int(said[1]))

    def line(self, size, seconds, version):
        """The point as the program reads it."""
        if self.mpi:
            return ("mpi", MPI_MACHINES[self.system], self.collective, self.runs, self.ranks, self.tasks, self.by_node, size, seconds)
        if self.model == "rccl":
            return ("rccl", self.parts, self.nodes, self.gpus, self.collective, size, self.one_process, seconds)
        return ("nccl", self.parts, CPUS.get(self.system, ""), self.domains, self.used, self.collective, self.runs, size, version, self.clock,
                self.registered, seconds)


def version_of(text):
    """NCCL's code of "2.28.9", "RCCL 2.27.7 / ROCm 7.2.0"; None: it does not say."""
    said = re.match(r"(?:RCCL )?(\d)\.(\d{1,2})\.(\d{1,2})", text)
    return int(said[1]) * 10000 + int(said[2]) * 100 + int(said[3]) if said else None


def load(paths, kind):
    """The lists or objects of all files, joined."""
    whole = kind()
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError, RecursionError) as error:
            refuse(f"{path}: {error}")
        if not isinstance(content, kind):
            refuse(f"{path}: expected {'a list of tables' if kind is list else 'an object of machines'}")
        whole = whole + content if kind is list else {**whole, **content}
    return whole


def refuse(message):
    print(f"accuracy_published: {message}", file=sys.stderr)
    sys.exit(2)


# ---- the program --------------------------------------------------------------------------------------------------------------------------

class Program:
    """bench/published.c: a command a line."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.points = 0

    def send(self, *words):
        text = "\t".join(re.sub(r"[\t\r\n\0]", " ", str(word)) for word in words)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("accuracy_published: the program ended early")
        word, _, rest = line.rstrip("\n").partition("\t")
        if word == "no":
            raise Skipped(rest)
        return line.rstrip("\n").split("\t")

    def do(self, *words):
        self.send(*words)
        return self.answer()

    def add(self, *words):
        """A point: its index."""
        self.do(*words)
        self.points += 1
        return self.points - 1

    def fit(self, model, points, prior="table", rounds=0):
        return float(self.do("fit", model, prior, rounds, ranges(points))[1])

    def price(self, model, points, doubt=DOUBT_PARTS):
        """[(seconds, low, high, the deviation by its constants alone, the class of its error)]"""
        self.send("price", model, doubt, ranges(points))
        return [(*map(float, words[:4]), words[4]) for words in (self.answer() for _ in points)]


def ranges(points):
    """0-3,7 of points in ascending order."""
    runs = []
    for point in points:
        if runs and runs[-1][1] == point.index - 1:
            runs[-1][1] = point.index
        else:
            runs.append([point.index, point.index])
    return ",".join(f"{first}-{last}" for first, last in runs)


class Point:
    """A published time, and what is said of it: by us, by a plain model, by NCCL's own constants."""

    def __init__(self, table, index, size, seconds):
        self.table, self.index, self.bytes, self.seconds = table, index, size, seconds
        self.predicted = self.low = self.high = self.plain = self.rule = math.nan
        self.by_constants, self.error_class = math.nan, ""
        self.fitted, self.seen = "none", False  # whether a fit of this run has seen it
        # What is said of it before its machine's own times are fitted, and when all of them are, itself, too.
        self.without = self.at_best = math.nan


def up_to(nodes):
    return lambda points: [p for p in points if p.table.nodes <= nodes]


def one_log(points):
    """Those of the smallest count of several nodes, where there is a larger one."""
    counts = sorted({p.table.nodes for p in points if p.table.nodes > 1})
    return [p for p in points if len(counts) > 1 and p.table.nodes == counts[0]]


class Bench:
    """All points, and the conditions that they are predicted under."""

    def __init__(self, program, data, machines):
        self.program, self.points, self.left_out, self.tables = program, [], collections.Counter(), 0
        self.fewest = math.inf  # points of other machines that one was predicted by
        for entry in data:
            system = entry.get("system") if isinstance(entry, dict) else None
            try:
                self.take(Table(entry, machines))
            except Skipped as why:
                rows = entry.get("rows") if isinstance(entry, dict) else None
                self.left_out[str(system), str(why)] += len(rows) if isinstance(rows, list) else 0
        self.systems = list(dict.fromkeys(p.table.system for p in self.points))

    def take(self, table):
        version = table.version or VERSIONS.get(table.system, USUAL_VERSION)
        points = [Point(table, self.program.add(*table.line(size, seconds, version)), size, seconds) for size, seconds in table.rows]
        self.points += points
        self.tables += bool(points)
        for why, count in table.dropped.items():
            self.left_out[table.system, why] += count

    def of(self, model, keep=lambda point: True):
        return [p for p in self.points if p.table.model == model and keep(p)]

    # -- conditions

    def predict(self, points, label, doubt=DOUBT_PARTS):
        """By the constants as they are."""
        for model in MODELS:
            mine = [p for p in points if p.table.model == model]
            doubt = DOUBT_CLASS if model == "mpi" else doubt
            for point, answer in zip(mine, self.program.price(model, mine, doubt)):
                point.predicted, point.low, point.high, point.by_constants, point.error_class = answer
                point.fitted = label

    def predict_plain(self, points, fitted):
        """The plain model, fitted to those points; and NCCL's own."""
        if not points or points[0].table.model == "rccl":
            return
        model = "plain_mpi" if points[0].table.mpi else "plain"
        self.program.do("ship", model)
        self.program.fit(model, fitted)
        for point, (seconds, *_) in zip(points, self.program.price(model, points)):
            point.plain = seconds
        for point, (seconds, *_) in zip(points, self.program.price("rule", points) if model == "plain" else ()):
            point.rule = seconds

    def set_version(self, points, version):
        points = [p for p in points if p.table.version is None and p.table.model == "nccl"]
        if points:
            self.program.do("version", version, ranges(points))

    def none(self):
        for model in MODELS:
            points = self.of(model)
            self.predict(points, "none")
            self.predict_plain(points, [p for p in points if p.table.fit])

    def others(self):
        """A machine's version, if no table names it, is not looked at either."""
        for system in self.systems:
            mine = [p for p in self.points if p.table.system == system]
            model = mine[0].table.model
            rest = self.of(mine[0].table.model, lambda p: p.table.system != system and p.table.fit)
            self.program.do("ship", model)
            if mine[0].table.seen:
                self.program.fit(model, rest)
                self.fewest = min(len(rest), self.fewest)
                if model == "nccl":
                    self.program.do("kinds", ranges(mine), ranges(rest))
            self.set_version(mine, USUAL_VERSION)
            self.predict(mine, "others")
            self.predict_plain(mine, rest)
            self.set_version(mine, VERSIONS.get(system, USUAL_VERSION))
            self.program.do("ship", model)

    def era(self, points):
        """The version of a library that no table names, by the points of small counts: the one that explains them best, if clearly."""
        cost = {}
        for version in ERAS:
            self.set_version(points, version)
            self.program.do("recall", "nccl")
            cost[version] = self.program.fit("nccl", points, "own", ERA_ROUNDS)
        best = min(cost, key=cost.get)
        return best if cost[best] < cost[USUAL_VERSION] - ERA_GAIN else USUAL_VERSION

    def predict_without(self, points, label):
        """By the prior alone, which knows the version no more than the constants."""
        self.set_version(points, USUAL_VERSION)
        self.predict(points, label)
        for point in points:
            point.without = point.predicted
        self.set_version(points, VERSIONS.get(points[0].table.system, USUAL_VERSION))

    def predict_at_best(self, points, label):
        """With the prior that is kept: what no constants of this form explain is left."""
        model = points[0].table.model
        self.program.do("recall", model)
        self.program.fit(model, [p for p in points if p.table.fit], "own")
        self.predict(points, label)
        for point in points:
            point.at_best = point.predicted

    def small_counts(self, is_small, label, alone):
        """alone: the prior has not seen the machine either."""
        self.none()
        for system in self.systems:
            mine = [p for p in self.points if p.table.system == system]
            small = [p for p in is_small(mine) if p.table.fit]
            model = mine[0].table.model
            unnamed = [p for p in small if p.table.version is None and p.table.model == "nccl"]
            if not small:
                continue
            rest = self.of(mine[0].table.model, lambda p: p.table.system != system and p.table.fit)
            if alone and mine[0].table.seen:
                self.program.fit(model, rest)
            self.program.do("keep", model)
            self.predict_without(mine, label)
            if unnamed:
                self.set_version(mine, self.era(unnamed))
            self.predict_at_best(mine, label)
            self.program.do("recall", model)
            self.program.fit(model, small, "own")
            self.predict(mine, label, DOUBT_OWN)
            self.predict_plain(mine, sorted(small + rest, key=lambda p: p.index))
            for point in small:
                point.seen = True
            self.program.do("ship", model)

    def half(self):
        self.none()
        for system in [s for s in self.systems if s in MPI_MACHINES]:
            mine = [p for p in self.points if p.table.system == system]
            counts = sorted({p.table.nodes for p in mine if p.table.collective == "allreduce"})
            for first in (0, 1) if len(counts) >= MPI_HALF_COUNTS else ():
                out = [p for p in mine if p.table.nodes not in counts[first::2]]
                self.program.do("ship", "mpi")
                self.program.fit("mpi", self.of("mpi", lambda p: p.table.fit and (p.table.system != system or p.table.nodes in counts[first::2])))
                self.predict(out, "half")
                self.predict_plain(out, [p for p in mine if p.table.fit and p.table.nodes in counts[first::2]])
        self.program.do("ship", "mpi")


# ---- scores -------------------------------------------------------------------------------------------------------------------------------

def errors(points, what):
    """exp(mean |ln|) - 1 and mean |ratio - 1|, in percent."""
    ratios = [getattr(p, what) / p.seconds for p in points]
    mean = sum(abs(math.log(r)) for r in ratios) / len(ratios)
    return f"{100 * math.expm1(mean):5.1f} ({100 * sum(abs(r - 1) for r in ratios) / len(ratios):5.1f})"


def in_bands(points):
    return [[p for p in points if holds(p.bytes)] for holds in BANDS]


def show(name, points, what):
    bands = in_bands([p for p in points if getattr(p, what) > 0])
    print(f"  {name:<42.42s} {' / '.join(errors(b, what) if b else '      -      ' for b in bands)}   points {'/'.join(str(len(b)) for b in bands)}")


# ---- how far prices are off ----------------------------------------------------------------------------------------------------------------

# Ranges follow from this form, which was chosen without the machines that are kept aside, a third by their names.
PRIOR_MACHINES, PRIOR_MACHINE, PRIOR_POINT = 1, 0.15, 0.1  # as many machines more, off by so much
EM_FREEDOM, EM_STEPS = 4, 50
WORST = 6
FREEDOM, RANGE = 2, 1.645  # price_error.c, price_nccl.h
ALIKE = re.compile(r"^(WRX90|8x H200 node|AlaSKA|Aurora|Xeon Platinum 8260|AWS p5.48xlarge)")  # one machine in several tables


def kept_aside(system):
    return int(hashlib.sha1(machine_of(system).encode()).hexdigest(), 16) % 3 == 0


def machine_of(system):
    alike = ALIKE.match(system)
    return alike[0] if alike else system


class Errors:
    """A class' row: deviations of a machine and at a point, by size, estimated from points of machines left out."""

    def __init__(self, points):
        by = collections.defaultdict(lambda: [[] for _ in BANDS])
        for p in points:
            by[machine_of(p.table.system)][band_of(p)].append((math.log(p.seconds / p.predicted), p.by_constants))
        self.machines = len(by)
        self.machine, self.point = [], []
        for band in range(len(BANDS)):
            mine = [m[band] for m in by.values() if m[band]]
            inside = [statistics.variance(e for e, _ in m) for m in mine if len(m) > 2]
            point = variance_of(inside, PRIOR_POINT)
            # Beyond what the constants may be off and what is left of a mean.
            common = [max(0, statistics.mean(e for e, _ in m) ** 2 - statistics.mean(c * c for _, c in m) - point / len(m)) for m in mine]
            self.machine.append(math.sqrt(variance_of(common, PRIOR_MACHINE)))
            self.point.append(math.sqrt(point))

    def deviation(self, p):
        n, band = max(1, self.machines), band_of(p)
        return math.sqrt(p.by_constants ** 2 + self.point[band] ** 2 + self.machine[band] ** 2 * (1 + 1 / n) * (n + FREEDOM) / n)


def variance_of(squares, prior):
    """Of a t distribution, so that a machine far off counts little, with as many machines more, as usual: by its EM steps."""
    variance = prior ** 2
    for _ in range(EM_STEPS):
        weighed = sum(s * (EM_FREEDOM + 1) / (EM_FREEDOM + s / variance) for s in squares)
        variance = (PRIOR_MACHINES * prior ** 2 + weighed) / (PRIOR_MACHINES + len(squares))
    return variance


def band_of(point):
    return next(i for i, holds in enumerate(BANDS) if holds(point.bytes))


def report_errors(bench):
    points = [p for p in bench.points if p.fitted == "others"]
    names = sorted({p.error_class for p in points})
    for title, learn, judge in (("a machine by the others, but for those kept aside", lambda s: not kept_aside(s), lambda s: not kept_aside(s)),
                                ("machines kept aside, by those that are not", lambda s: not kept_aside(s), kept_aside),
                                ("a machine by all the others", lambda s: True, lambda s: True)):
        print(f"\n{title}: % off, within the 90 % range, median of high / low (points), up to 1 MiB, up to 64 MiB, from there on")
        for name in names:
            mine = [p for p in points if p.error_class == name]
            show_errors(name, mine, learn, judge)
    show_worst(points)
    print("\nrows of src/library/price_errors.h:")
    with open(ERROR_ROWS, encoding="utf-8") as file:
        rows = re.findall(r'row\((\w+), "([^"]+)".*\)', file.read())
    for i, (word, name) in enumerate(rows):
        row = Errors([p for p in points if p.error_class == name])
        figures = ", ".join(f"{d:.2f}" for d in (*row.machine, *row.point))
        end = "" if i == len(rows) - 1 else " \\"
        print(f'    row({word}, "{name}", {max(1, row.machines)}, {figures})'.ljust(90 if end else 0) + end)


def show_errors(name, points, learn, judge):
    inside, widths, machines = [[] for _ in BANDS], [[] for _ in BANDS], set()
    shares = [collections.defaultdict(list) for _ in BANDS]  # of one machine's points, which are in or out together
    for system in {machine_of(p.table.system) for p in points if judge(p.table.system)}:
        row = Errors([p for p in points if machine_of(p.table.system) != system and learn(p.table.system)])
        machines.add(system)
        for p in points:
            if machine_of(p.table.system) == system:
                deviation = RANGE * row.deviation(p)
                inside[band_of(p)].append(abs(math.log(p.seconds / p.predicted)) <= deviation)
                shares[band_of(p)][system].append(inside[band_of(p)][-1])
                widths[band_of(p)].append(math.exp(2 * deviation))
    off = [[p for p in band if machine_of(p.table.system) in machines] for band in in_bands(points)]
    cells = [f"{100 * geometric(o, 'predicted'):.0f} %, {100 * statistics.mean(i):3.0f} % x{statistics.median(w):5.2f} ({len(i)})" if i else "-"
             for o, i, w in zip(off, inside, widths)]
    each = [f"{100 * statistics.mean(statistics.mean(m) for m in by.values()):.0f} %" if by else "-" for by in shares]
    if machines:
        print(f"  {name:<28} {' '.join(f'{c:>26}' for c in cells)}   machines {len(machines)}, each counting once: {' / '.join(each)} within")


def show_worst(points):
    """By the mean error of all points; the sign of its mean says whether they take longer than said."""
    by = collections.defaultdict(list)
    for p in points:
        by[machine_of(p.table.system)].append(p)
    print(f"\nthe {WORST} machines that are farthest off: % off, time over price (geometric mean), within the range of what ships, points")
    for system in sorted(by, key=lambda s: -geometric(by[s], "predicted"))[:WORST]:
        mine = by[system]
        over = math.exp(statistics.mean(math.log(p.seconds / p.predicted) for p in mine))
        print(f"  {system:<60.60s} {100 * geometric(mine, 'predicted'):4.0f} %  x{over:.2f}  "
              f"{100 * statistics.mean(p.low <= p.seconds <= p.high for p in mine):3.0f} %  {len(mine)}")


def show_ranges(points):
    shares, widths = [], []
    for band in in_bands(points):
        inside = sum(p.low <= p.seconds <= p.high for p in band)
        shares.append(f"{100 * inside / len(band):3.0f} %" if band else "  -  ")
        widths.append(f"{statistics.median(p.high / p.low for p in band):.2f}" if band else "  -  ")
    print(f"  {'':<18s} {'within the 90 % range':<23s} {' / '.join(f'{s:>13s}' for s in shares)}")
    print(f"  {'':<18s} {'high / low, median':<23s} {' / '.join(f'{s:>13s}' for s in widths)}")
    shares = [by_machine(band) for band in in_bands(points)]
    print(f"  {'':<18s} {'within, by machines':<23s} {' / '.join(f'{s:>13s}' for s in shares)}")


def by_machine(points):
    """The share within the range where each machine counts once, and how many there are."""
    machines = collections.defaultdict(list)
    for p in points:
        machines[p.table.system].append(p.low <= p.seconds <= p.high)
    share = sum(sum(inside) / len(inside) for inside in machines.values())
    return f"{100 * share / len(machines):3.0f} % of {len(machines)}" if machines else "  -  "


def report(points, title):
    print(f"\n{title}\n  {'':<42s} {'<= 1 MiB':>13s} / {'1 to 64 MiB':>13s} / {'>= 64 MiB':>13s}")
    for kind in KINDS:
        mine = [p for p in points if p.table.kind == kind]
        if not mine:
            continue
        show(f"{kind:<18s} ours", mine, "predicted")
        show(f"{'':<18s} plain alpha-beta-s", mine, "plain")
        if mine[0].table.model == "nccl":
            show(f"{'':<18s} NCCL's constants", mine, "rule")
        show_ranges(mine)
    for system in dict.fromkeys(p.table.system for p in points):
        show("  " + system, [p for p in points if p.table.system == system and p.table.kind != "MPI's own"], "predicted")
    for system in MPI_MACHINES if any(p.table.kind == "MPI's own" for p in points) else ():
        show("  by itself: " + system, [p for p in points if p.table.system == system and p.table.kind == "MPI's own"], "predicted")


def geometric(points, what):
    return math.expm1(sum(abs(math.log(getattr(p, what) / p.seconds)) for p in points) / len(points))


def report_log(bench):
    """Larger counts from 1 MiB on, without the machine's smallest and with it."""
    print(f"\n  {'from the smallest count to larger ones, from 1 MiB on':<64s} {'without':>8s} {'with':>8s} {'ratio':>6s} points {'all fitted':>11s}")
    together, crossed = collections.defaultdict(list), []
    for system in bench.systems:
        mine = [p for p in bench.points if p.table.system == system]
        small = [p for p in mine if p.seen]
        larger = [p for p in mine if small and p.table.nodes > small[0].table.nodes and p.bytes >= MIB and p.table.kind != "MPI's own"]
        for nodes in sorted({p.table.nodes for p in larger}):
            show_log(f"{system}, {small[0].table.nodes} -> {nodes} nodes", [p for p in larger if p.table.nodes == nodes])
        if larger:
            show_log(f"{system} ({len(small)} points fitted)", larger)
            together[mine[0].table.model.upper()] += larger
            if mine[0].table.model == "nccl":
                crossed += [p for p in larger if p.table.domains == 1 or small[0].table.domains > 1]
    for library, points in together.items():
        show_log(f"together, {library}", points)
    if len(crossed) < len(together["NCCL"]):
        show_log("together, NCCL, through networks that the log has crossed", crossed)


def show_log(name, points):
    without, fitted = geometric(points, "without"), geometric(points, "predicted")
    print(f"  {name:<64.64s} {100 * without:6.1f} % {100 * fitted:6.1f} % {fitted / without:6.2f} {len(points):6d} "
          f"{100 * geometric(points, 'at_best'):9.1f} %")


def report_mpi(points):
    """AllReduce by algorithm, and whether the faster of ring and halving is named."""
    points = [p for p in points if p.table.kind == "CPU MPI" and p.table.collective == "allreduce"]
    machines = [(name, [p for p in points if p.table.system == name]) for name in MPI_MACHINES]
    if not points:
        return
    print(f"\n  {'AllReduce of CPU MPI':<42s} {'ring':>13s} / {'halving':>13s} / {'doubling':>13s}")
    for name, mine in [*machines, ("together", points)]:
        for what in ("predicted", "plain") if mine else ():
            columns = [[p for p in mine if p.table.runs == runs] for runs in ("ring", "halving", "doubling")]
            print(f"  {name if what == 'predicted' else '  plain alpha-beta-gamma':<42.42s} "
                  f"{' / '.join(errors(c, what) if c else '      -      ' for c in columns)}   "
                  f"points {'/'.join(str(len(c)) for c in columns)}; faster of ring and halving named {pairs(mine, what)}")


def pairs(points, what):
    by, right, total = collections.defaultdict(lambda: ([], [])), 0, 0
    for p in points:
        if p.table.runs != "doubling":
            by[p.table.system, p.table.ranks, p.table.tasks, p.table.source, p.bytes][p.table.runs == "halving"].append(p)
    for rings, halvings in by.values():
        for a in rings:
            for b in halvings:
                gap = math.log(a.seconds / b.seconds)
                if abs(gap) > DIFFER:
                    total += 1
                    right += (getattr(a, what) - getattr(b, what)) * gap > 0
    return f"{right} of {total}"


# ---- systems that ship --------------------------------------------------------------------------------------------------------------------

def print_systems(bench):
    """What the files of FITTED hold."""
    for system, name in FITTED.items():
        mine = [p for p in bench.points if p.table.system == system and p.table.fit]
        if not mine:
            continue
        model = mine[0].table.model
        bench.program.do("ship", model)
        bench.program.do("keep", model)
        own, learned = fitted_to(bench, model, mine)
        print(f"\n{name}: {len(mine)} points")
        if model == "mpi":
            own = on_levels(bench, mine, own, learned, MPI_MACHINES[system])
        else:
            own = {constant: own[constant] for constant in own if constant in learned}
        rows = [json.dumps({"name": constant, "value": value, "low": low, "high": high}) for constant, (value, low, high) in own.items()]
        print('  "constants": [\n    ' + ",\n    ".join(rows) + "\n  ]")


def fitted_to(bench, model, points):
    """{constant: [value, low, high]}, and the names of those that the points say much of."""
    own, learned = {}, set()
    for word in bench.program.do("own", model, ranges(points))[1:]:
        constant, *figures, said = word.split("=")
        own[constant] = [float(figure) for figure in figures]
        if int(said):
            learned.add(constant)
    return own, learned


def on_levels(bench, points, own, learned, machine):
    """A machine's constants as those of a system whose level is a ring's: its latency, and its bytes with what reduces them."""
    rings = [p for p in points if p.table.runs == "ring" and p.table.collective == "allreduce" and p.table.tasks == 1]
    bench.program.do("ship", "plain_mpi")
    bench.program.do("keep", "plain_mpi")
    latency = fitted_to(bench, "plain_mpi", rings)[0]["alpha"]
    last = max(rings, key=lambda p: p.bytes / p.table.ranks)
    steps = 2 * (last.table.ranks - 1)
    (seconds, *_), = bench.program.price("plain_mpi", [last])
    rate = 1e-9 * steps * last.bytes / last.table.ranks / (seconds - steps * latency[0] * 1e-6)
    print(f'  "latency_us": {latency[0]:.4g}, "bandwidth_GBps": {rate:.4g}, "eager_bytes": {EAGER_BYTES}, '
          f'"rendezvous_us": {own["rendezvous"][0]:.4g}\n  latency within {latency[1]:.4g} to {latency[2]:.4g} us, {len(rings)} times of rings')
    scale = {"step": 1 / latency[0], "rate": LINE_GBPS / rate}
    rows = {}
    for constant, figures in own.items():
        word, _, end = constant.rpartition("_")
        if end == machine:
            rows[word] = [float(f"{figure * scale.get(word, 1):.4g}") for figure in figures]
        elif constant in learned and constant not in ("rendezvous", "inside", "sharing"):
            rows[constant] = figures
    return rows


def shipped():
    """[(name, parts, {constant: value})] of the systems that name their parts."""
    systems = []
    for path in sorted(glob.glob(os.path.join(CONFIGS, "*.json"))):
        with open(path, encoding="utf-8") as file:
            system = json.load(file)
        if "parts" in system:
            systems.append((system["name"], system["parts"], {row["name"]: row["value"] for row in system.get("constants", ())}))
    return systems


def report_shipped(bench):
    """NCCL's AllReduce of whole nodes: one node of the same GPUs, or, of a fitted system, all of its own."""
    print(f"\nSystems that ship, NCCL's AllReduce by itself {'':<24} {'<= 1 MiB':>13s} / {'1 to 64 MiB':>13s} / {'>= 64 MiB':>13s}")
    for name, parts, constants in shipped():
        gpus = parts.split(",")[0]
        mine = collections.defaultdict(list)
        for p in bench.of("nccl", lambda p: p.table.collective == "allreduce" and p.table.runs == ""):
            whole = p.table.parts.split(",")[0] == gpus and p.table.used == int(gpus.split("x")[0])
            rack = gpus.startswith("72x") and p.table.parts == "4x" + gpus[3:]
            if FITTED.get(p.table.system) == name or (name not in FITTED.values() and p.table.nodes == 1 and (whole or rack)):
                mine[p.table.system].append(p)
        bench.program.do("ship", "nccl")
        for constant, value in constants.items():
            bench.program.do("set", "nccl", constant, value)
        for system, points in mine.items():
            bench.predict(points, "shipped", DOUBT_OWN if constants else DOUBT_PARTS)
            show(f"{name}: {system}", points, "predicted")
            last = max(points, key=lambda p: (p.bytes, p.table.ranks))
            factor = 2e-9 * (last.table.ranks - 1) / last.table.ranks * last.bytes
            print(f"  {'':<42s} {last.table.ranks} GPUs, {last.bytes / MIB:.0f} MiB: {bench.program.do('choice', last.index)[0]}, "
                  f"busbw {factor / last.predicted:.1f} GB/s predicted, {factor / last.seconds:.1f} published; "
                  f"{sum(p.low <= p.seconds <= p.high for p in points)} of {len(points)} within the range")
    bench.program.do("ship", "nccl")


def report_two_level(bench, data, machines):
    """Published two-level AllReduces against the sum of their calls: reduce-scatter inside nodes, allreduce between, allgather."""
    ratios, gaps = [[] for _ in BANDS], []
    for entry in data:
        if not isinstance(entry, dict) or not str(entry.get("algorithm")).startswith("hierarchical") or "bandwidth" not in entry["algorithm"]:
            continue
        try:
            table = Table({**entry, "algorithm": "NCCL default"}, machines)
            for size, seconds in table.rows:
                calls = ((1, table.used, "reducescatter", size), (table.domains, 1, "allreduce", size / table.used), (1, table.used, "allgather", size))
                points = [Point(table, bench.program.add("nccl", table.parts, "", domains, gpus, kind, "", part, USUAL_VERSION, 0, 0, 1), part, 1)
                          for domains, gpus, kind, part in calls]
                total = sum(price[0] for price in bench.program.price("nccl", points))
                ratios[next(i for i, holds in enumerate(BANDS) if holds(size))].append(total / seconds)
                if size <= MIB:
                    gaps.append((seconds - total) / 2 * 1e6)
        except (Skipped, KeyError, TypeError):
            continue
    if gaps:
        means = " / ".join(f"x{math.exp(sum(map(math.log, r)) / len(r)):.2f} ({len(r)})" if r else "-" for r in ratios)
        gaps.sort()
        print(f"\n{TWO_LEVEL}, sum of the calls' prices over the published time, mean (points): {means}; "
              f"what it takes more, per further call, in the middle {gaps[len(gaps) // 2]:.0f} us")


def composable(bench):
    """[(flat, inside, outside)] of a machine's published reduce-scatters and allgathers by NCCL itself: the flat call, and its two layers,
    inside a node and between nodes of what is left, as points."""
    by = {(p.table.system, p.table.collective, p.table.nodes, p.table.used, p.bytes): p
          for p in bench.of("nccl", lambda p: p.table.collective in ("reducescatter", "allgather") and not p.table.runs)}
    found = []
    for (system, call, nodes, used, size), flat in by.items():
        layers = by.get((system, call, 1, used, size)), by.get((system, call, nodes, 1, size / used))
        if nodes > 1 and used > 1 and size >= MIB and all(layers):
            found.append((flat, *layers))
    return found


def report_composed(bench):
    """Two layers or flat, by the constants that ship and by those fitted to the machine's other node counts."""
    found, calls = composable(bench), ("reducescatter", "allgather")
    if not found:
        return
    for title, left_out in (("by what ships", False), ("fitted to the machine's other node counts", True)):
        gains = []  # (call, published, predicted)
        for system, nodes in dict.fromkeys((flat.table.system, flat.table.nodes) for flat, _, _ in found):
            mine = [triple for triple in found if (triple[0].table.system, triple[0].table.nodes) == (system, nodes)]
            if left_out:
                bench.program.do("keep", "nccl")
                bench.program.fit("nccl", bench.of("nccl", lambda p: p.table.system == system and p.table.nodes != nodes and p.table.fit), "own")
            for triple in mine:
                seconds = [bench.program.price("nccl", [point])[0][0] for point in triple]
                gains.append((triple[0].table.collective, *(part[0] / (part[1] + part[2]) for part in ([p.seconds for p in triple], seconds))))
            bench.program.do("ship", "nccl")
        print(f"\nReduce-scatter and allgather in two layers (reversed; the sum of two published calls) against NCCL's flat call, from 1 MiB on, {title}")
        for call in calls:
            ours = [g for g in gains if g[0] == call]
            differ = [g for g in ours if abs(math.log(g[1])) > DIFFER]
            right = sum((g[1] > 1) == (g[2] > 1) for g in differ)
            off = [abs(math.log(g[2] / g[1])) for g in ours]
            if ours:
                print(f"  {call:<16} faster named in {right} of the {len(differ)} that differ by over 10 % (of {len(ours)}); published gain "
                      f"{min(g[1] for g in ours):.2f} to {max(g[1] for g in ours):.2f}; predicted off by {100 * math.expm1(sum(off) / len(off)):.0f} % "
                      f"(mean), {100 * math.expm1(max(off)):.0f} % (most)")


def published_plans(data, machines):
    """{(system as the program reads it, its name, ranks, bytes): {plan: [seconds]}} of AllReduces that were carried out by plans."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(glob.glob(os.path.join(CONFIGS, "*.json"))):
        with open(path, encoding="utf-8") as file:
            system = json.load(file)
        if "fits" not in system and "parts" not in system:
            for row in system.get("published", ()):
                found[path, system["name"], row["np"], row["message_bytes"]][row["call"]].append(row["seconds"])
    for entry in data:
        try:
            add_published_plan(found, entry, machines)
        except Skipped:  # as the tables say
            continue
    return found


def add_published_plan(found, entry, machines):
    if not isinstance(entry, dict) or entry.get("mark") or entry.get("collective") != "allreduce":
        return
    system, ranks = of_type(entry, "system", str), of_type(entry, "ranks", int, 1)
    of_type(entry, "nodes", int, 1), of_type(entry, "gpus_per_node", int, 1), of_type(entry, "algorithm", str)
    machine = machines.get(system)
    for line in described(machine) if isinstance(machine, dict) else ():
        plan = plan_of(entry, by_parts="@" not in line)
        for row in of_type(entry, "rows", list) if plan else ():
            try:
                size, time_us = row_of(row)
            except Skipped:
                continue
            if time_us >= MPI_LEAST_US:
                found[line, system, ranks, size][plan].append(time_us * 1e-6)


def described(machine):
    """The machine as a line of parts, and, where that is priced by its parts, as its levels alone."""
    levels = {"4xH100-mesh, 4xNDR200": "nvlink:4@370.8GB/s~3.4us,ib@96GB/s~14us/4p;launch=8.4us"}.get(machine["parts"])
    return (machine["parts"], levels) if levels else (machine["parts"],)


def plan_of(entry, by_parts):
    """The plan that an algorithm is, if it is one: where stages are NCCL's own the flat one is its default, by levels its ring."""
    algorithm, nodes, gpus, ranks = entry["algorithm"].lower(), entry["nodes"], entry["gpus_per_node"], entry["ranks"]
    if algorithm.startswith("hierarchical"):
        return f"{gpus}x{nodes}" if "bandwidth" in algorithm else None
    if entry["system"] in MPI_MACHINES:
        if algorithm.startswith("raben") and gpus == 1 and ranks & (ranks - 1) == 0:
            return "x".join(["2"] * int(math.log2(ranks)))
        return str(ranks) if algorithm.startswith("ring") and gpus == 1 else None
    flat = algorithm == "nccl default" if by_parts else "ring (nccl_" in algorithm
    return str(ranks) if nodes > 1 and flat else None


def report_shares(bench, data, machines):
    """Of pairs of published plans, on how many machines the one is said to win, and whether it did."""
    pairs = collections.defaultdict(list)
    for (line, system, ranks, size), times in published_plans(data, machines).items():
        middle = {plan: statistics.median(seconds) for plan, seconds in times.items()}
        for first in middle:
            for second in middle:
                if first < second and middle[first] != middle[second]:
                    share = float(bench.program.do("wins", line, ranks, size, first, second)[1])
                    won = middle[first] < middle[second]
                    pairs["levels" if "@" in line or "configs" in line else "parts", system].append((share, won) if share >= 0.5 else (1 - share, not won))
    if not pairs:
        return
    print("\nof two published plans, the share of machines drawn on which the faster wins: said, and true of so many pairs")
    for (by, system), rows in sorted(pairs.items()):
        show_shares(f"{system}, by its {by}", rows)
    show_shares("together", [row for rows in pairs.values() for row in rows])


SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.01)


def show_shares(name, rows):
    cells = []
    for low, high in zip(SHARES, SHARES[1:]):
        mine = [row for row in rows if low <= row[0] < high]
        cells.append(f"{100 * statistics.mean(s for s, _ in mine):4.0f} {100 * statistics.mean(w for _, w in mine):4.0f} ({len(mine)})" if mine else "-")
    brier = statistics.mean((s - w) ** 2 for s, w in rows)
    print(f"  {name:<46.46s} " + " ".join(f"{cell:>15s}" for cell in cells) + f"   {len(rows)} pairs, Brier {brier:.3f}")


def report_default(bench):
    """Which of ring and tree NCCL's default is, where both are published: the one whose time is nearer."""
    by = collections.defaultdict(lambda: {"ring": [], "tree": [], "": []})
    for p in bench.of("nccl"):
        t = p.table
        by[t.system, t.nodes, t.gpus, t.collective, p.bytes][t.runs].append(p)
    score = collections.defaultdict(lambda: [0, 0, 0.0, 0.0])
    for (system, *_), found in by.items():
        if not found["ring"] or not found["tree"]:
            continue
        ring, tree = found["ring"][0].seconds, found["tree"][0].seconds
        for p in found[""] if abs(math.log(ring / tree)) >= DIFFER else ():
            truth = "ring" if abs(math.log(p.seconds / ring)) < abs(math.log(p.seconds / tree)) else "tree"
            named = bench.program.do("choice", p.index)[0].lower()
            times = {"ring": ring, "tree": tree}
            score[system][0] += named == truth
            score[system][1] += 1
            score[system][2] += times.get(named, times[truth])
            score[system][3] += times[truth]
    for system, (right, total, taken, best) in score.items():
        print(f"\nNCCL's default named right (ring or tree, where they differ by over 10 %), {system}: {right} of {total}, "
              f"time lost by misnaming {100 * (taken / best - 1):.1f} %")


def table_cell(points, size):
    """Of the point whose size is nearest: published, and how far off, "*" where it is outside the prediction's 90 % range."""
    p = min(points, key=lambda p: abs(math.log(p.bytes / size)))
    if abs(math.log(p.bytes / size)) > math.log(2.01):
        return "-"
    unit, scale = ("ms", 1e3) if p.seconds >= 1e-3 else ("us", 1e6)
    other = "" if p.bytes == size else f" ({p.bytes >> 20} MiB)"
    return (f"{p.seconds * scale:.4g} {unit}, {100 * (p.predicted / p.seconds - 1):+.0f} %"
            f"{'' if p.low <= p.seconds <= p.high else '*'}{other}")


def report_table(points):
    """NCCL's AllReduce by itself on each machine's largest count, for people to read."""
    systems = collections.defaultdict(list)
    for p in points:
        if p.table.collective == "allreduce" and p.table.algorithm.startswith("NCCL default"):
            systems[p.table.system].append(p)
    print("\n| machine, left out of the fit | parts | GPUs | 1 MiB | 64 MiB | 1 GiB |\n|---|---|---|---|---|---|")
    for system, mine in sorted(systems.items()):
        ranks = max(p.table.ranks for p in mine)
        cells = [table_cell([p for p in mine if p.table.ranks == ranks], size * MIB) for size in (1, 64, 1024)]
        if any(cell != "-" for cell in cells):
            print(f"| {' | '.join([system, mine[0].table.parts, str(ranks), *cells])} |")


def report_classes(points):
    """Errors and ranges by class, for docs/accuracy.md, which the pages of machines quote."""
    print("\n| class | times: to 1 MiB / to 64 MiB / from 64 MiB on | % off | in the 90 % range |\n|---|---|---|---|")
    for kind in KINDS:
        bands = in_bands([p for p in points if p.table.kind == kind])
        if any(bands):
            off = [f"{100 * geometric(band, 'predicted'):.0f}" if band else "-" for band in bands]
            inside = [f"{100 * statistics.mean(p.low <= p.seconds <= p.high for p in band):.0f}" if band else "-" for band in bands]
            print(f"| {kind} | {' / '.join(str(len(band)) for band in bands)} | {' / '.join(off)} | {' / '.join(inside)} % |")


def write_points(points, path):
    columns = ("system", "nodes", "ranks", "collective", "algorithm", "bytes", "published_seconds", "predicted_seconds", "low_seconds",
               "high_seconds", "fitted")
    with open(path, "w", encoding="utf-8") as out:
        print(*columns, sep="\t", file=out)
        for p in points:
            t = p.table
            words = [re.sub(r"\s", " ", str(word)) for word in (t.system, t.nodes, t.ranks, t.collective, t.algorithm, p.bytes)]
            print(*words, *(f"{x:.9g}" for x in (p.seconds, p.predicted, p.low, p.high)), p.fitted, sep="\t", file=out)


def report_left_out(bench):
    if bench.left_out:
        print("\nleft out (rows):")
    for (system, why), rows in sorted(bench.left_out.items()):
        print(f"  {rows:5d}  {system}: {why}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bench/published")
    parser.add_argument("--data", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--machines", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--fit", default="none")
    parser.add_argument("--points", metavar="FILE")
    options = parser.parse_args()
    if not options.data or not options.machines:
        refuse("needs published times and what their machines are made of:\n"
               "    make bench-accuracy-published DATA='FILE...' MACHINES='FILE...' [FIT=none|others|errors|half|log|systems|'[others,]nodes<=N'] [POINTS=out.tsv]\n"
               "the shape of both is at the top of bench/accuracy_published.py")
    if not re.fullmatch(r"none|others|errors|half|log|systems|(others,)?nodes<=[1-9]\d{0,6}", options.fit):
        refuse(f"FIT: expected none, others, errors, half, log, systems, 'nodes<=N' or 'others,nodes<=N', found {options.fit!r}")
    return options


def main():
    options = arguments()
    data, machines = load(options.data, list), load(options.machines, dict)
    bench = Bench(Program(options.program), data, machines)
    if options.fit == "systems":
        print_systems(bench)
        return
    if "nodes<=" in options.fit:
        bench.small_counts(up_to(int(options.fit.split("=")[1])), options.fit, options.fit.startswith("others"))
    elif options.fit == "log":
        bench.small_counts(one_log, "log", True)
    else:
        {"none": bench.none, "others": bench.others, "errors": bench.others, "half": bench.half}[options.fit]()
    if options.fit == "errors":
        report_errors(bench)
        return
    print(f"{len(bench.points)} points of {bench.tables} tables, {len(bench.systems)} systems; "
          "error exp(mean |ln(predicted / published)|) - 1 (mean |predicted / published - 1|), percent")
    for label, title in dict([(options.fit, TITLES.get(options.fit, TITLES["nodes"])), ("none", TITLES["none"])]).items():
        points = [p for p in bench.points if p.fitted == label and not p.seen]
        if points:
            report(points, f"{label}: {title}")
            report_mpi(points)
    if options.fit == "log":
        report_log(bench)
    report_default(bench)
    if options.fit == "others":
        left_out = [p for p in bench.points if p.fitted == "others" and not p.seen]
        report_classes(left_out)
        report_table(left_out)
    if options.fit == "none":
        report_shipped(bench)
        report_two_level(bench, data, machines)
        report_composed(bench)
        report_shares(bench, data, machines)
    if bench.fewest < OTHERS_LEAST:
        print(f"\nothers: a machine was predicted by only {bench.fewest} points of others; give files of more machines")
    report_left_out(bench)
    if options.points:
        write_points(bench.points, options.points)


if __name__ == "__main__":
    main()
