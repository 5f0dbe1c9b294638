#!/usr/bin/env python3
"""Exports applied to programs, against the same programs without them: MPICH, Open MPI, PyTorch's gloo.

A cluster of its own (tests/cluster, root): 2 hosts of 2 ranks behind thin links. `measure` makes one result with each MPI, in which
splits win where they do; a copy of it has a library that is 100 times as fast. Every export of both is applied, and each pair
of runs, one with it and one without, begins with the other one than the pair before. Printed: median of the pairs' ratios of
times (above 1: slower with the export) with its 95 % interval from order statistics, for sizes of the result and between.
Jobs for MPI are pairs of launches, for gloo pairs of calls in one job. What a pair of launches without any export differs by
stands first: a row that is "not told" beside one of it that is as wide is the machine's noise.
The job's own communicator (`own-`): `measure --native` on 2 hosts of 4 ranks for each collective, one file of what is exported,
and the same program with it and without: default and tuned are medians, the ratio is default over tuned of each pair's launches, and "by" the algorithm; "-" has
no rule: the same on both sides, the machine's noise.
Usage: bench/clients.py [--pairs 20] [--minutes 15] [--only mpich,openmpi,gloo,own-openmpi,own-mpich] [--python PYTHON with torch] [--build build]
"""
import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SHAPE = ["--racks", "2", "--hosts-per-rack", "1", "--ranks-per-host", "2", "--host-rate", "200mbit", "--spine-rate", "200mbit"]
MEASURED = "16KiB,1MiB,4MiB"
NP = 4
TIMED = {4096: 101, 16384: 101, 131072: 31, 1048576: 7, 4194304: 3}  # bytes: runs in a job
OWN_SHAPE = ["4" if word == "2" and before == "--ranks-per-host" else word for before, word in zip([""] + SHAPE, SHAPE)]
OWN_NP = 8
OWN_TIMED = {4096: 31, 65536: 15, 1048576: 5}
COLLECTIVES = ["allreduce", "reduce-scatter", "allgather", "all-to-all"]
LIMIT = 1.05
GRACE = 5


class Cluster:
    """Hosts in network namespaces, for as long as the block lasts."""

    def __init__(self, scratch, shape=SHAPE):
        self.scratch, self.shape, self.name = scratch, shape, f"clients-{os.getpid()}"

    def __enter__(self):
        subprocess.run(["tests/cluster/cluster", "up", *self.shape, "--name", self.name], check=True, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        subprocess.run(["tests/cluster/cluster", "down", "--name", self.name], check=False)

    def run(self, mpi, command, settings=(), limit=300, last=None):
        """Output of a job. MPICH 4.0.2 can hang in MPI_Finalize: what it printed decides; GRACE seconds behind a line that begins
        with `last` a job is ended."""
        with subprocess.Popen(["tests/cluster/cluster", "exec", "--mpi", mpi, "--name", self.name, "--timeout", str(limit), "--",
                               *command], env={**os.environ, **dict(settings)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, stdin=subprocess.DEVNULL) as job:
            err = []
            aside = threading.Thread(target=lambda: err.append(job.stderr.read()))
            aside.start()
            out, ender = "", None
            for line in job.stdout:
                out += line
                if last and line.startswith(last):
                    ender = threading.Timer(GRACE, job.terminate)
                    ender.start()
            aside.join()
        if ender:
            ender.cancel()
        return out, err[0]


def measure(arguments, cluster, mpi):
    """Paths of the result as it was measured, and of one whose library is faster."""
    path = os.path.join(cluster.scratch, f"{mpi}-split.json")
    program = [f"{arguments.build}/hiersearch", "measure"]
    other = f"{arguments.build}/{mpi}/hiersearch-measure"  # of `make other-mpi`
    if os.path.exists(other):
        program = [other]
    out, err = cluster.run(mpi, [*program, "--size", MEASURED, "--budget", arguments.budget, "-o", path])
    if not os.path.exists(path):
        sys.exit(f"measure wrote no result:\n{out}{err}")
    print(f"{mpi}:", *re.findall(r"^best .*", out, re.MULTILINE), sep="\n  ")
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    for message in result["results"]:
        for baseline in message["baselines"]:
            baseline["measured"].update(status="ok", median_seconds=1e-2 * min(
                c["measured"]["median_seconds"] for c in message["candidates"] if c["measured"]["status"] == "ok"))
            for key in ("ci95_seconds", "samples_seconds", "reason"):
                baseline["measured"].pop(key, None)
    faster = os.path.join(cluster.scratch, f"{mpi}-library.json")
    with open(faster, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return {"split": path, "library": faster}


def export(arguments, result, form, path):
    """The text of the file that it writes to `path`, or None and why it is refused."""
    done = subprocess.run([f"{arguments.build}/hiersearch", "export", result, "--to", form, "-o", path, "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip()
    with open(path, encoding="utf-8") as file:
        return file.read(), None


def plan_for(rules, size):
    """What a program does by the rules of the PyTorch module: layers, or the library's default call."""
    for up_to, split in rules:
        if not up_to or size <= up_to:
            return split if "x" in split else "-"
    return "-"


def rules_of(arguments, result, scratch):
    text, _ = export(arguments, result, "pytorch", f"{scratch}/rules.py")
    return [(None if up_to == "None" else int(up_to), "x".join(re.findall(r"\d+", split)))
            for up_to, split in re.findall(r"Rule\((None|\d+), \(([\d, ]+)\), \d+\)", text)]


# ---- one launch: {bytes: seconds} ----

def launch(arguments, cluster, mpi, how):
    """how: options of Open MPI as environment, or variables of MPICH; and the plan of each size."""
    settings, plans = how
    tasks = [f"{plans.get(size, '-')}:{size}:{runs}" for size, runs in TIMED.items()]
    out, err = cluster.run(mpi, [f"{arguments.build}/bench/clients-{mpi}", *tasks], settings, 60)
    times = {int(size): float(seconds) for size, seconds in re.findall(r"^(\d+) ([\d.e+-]+)$", out, re.MULTILINE)}
    if len(times) < len(TIMED):
        print(f"# a job was lost: {err.strip()[-200:]}", file=sys.stderr)
    return times


def ways_of_mpich(arguments, results, scratch, refused):
    ways = {}
    for name, result in results.items():
        text, why = export(arguments, result, "mpich", f"{scratch}/mpich.env")
        settings = re.findall(r"^(MPIR_CVAR_\w+)=(.*)$", text or "", re.MULTILINE)
        if settings:
            ways[f"mpich, {name}"] = (settings, {})
        else:
            refused.append(f"mpich, {name}: {why or 'sets nothing'}")
    return ways


def ways_of_openmpi(arguments, results, scratch, refused):
    ways = {}
    for name, result in results.items():
        path = f"{scratch}/tuned-{name}.conf"
        export(arguments, result, "ompi-tuned", path)
        settings = [("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"), ("OMPI_MCA_coll_tuned_dynamic_rules_filename", path)]
        ways[f"ompi-tuned, {name}"] = (settings, {})
        rules = rules_of(arguments, result, scratch)
        plans = {size: plan_for(rules, size) for size in TIMED}
        if set(plans.values()) != {"-"}:
            ways[f"ompi-tuned and layers, {name}"] = (settings, plans)
        path = f"{scratch}/han-{name}.conf"
        text, why = export(arguments, result, "ompi-han", path)
        if text is None:
            refused.append(f"ompi-han, {name}: {why}")
            continue
        ways[f"ompi-han, {name}"] = ([("OMPI_MCA_coll_han_priority", "100"), ("OMPI_MCA_coll_han_use_simple_allreduce", "1"),
                                      ("OMPI_MCA_coll_han_use_dynamic_file_rules", "1"),
                                      ("OMPI_MCA_coll_han_dynamic_rules_filename", path)], {})
    return ways


def pairs_of(arguments, cluster, mpi, ways):
    """Ratios {way: {bytes: [one of each pair]}}."""
    ratios = {way: {size: [] for size in TIMED} for way in ways}
    end = time.monotonic() + 60 * arguments.minutes
    for pair in range(arguments.pairs):
        for way, how in ways.items():
            times = [launch(arguments, cluster, mpi, side) for side in ([how, ((), {})] if pair % 2 else [((), {}), how])]
            applied, alone = times if pair % 2 else times[::-1]
            for size in applied.keys() & alone.keys():
                ratios[way][size].append(applied[size] / alone[size])
        if time.monotonic() > end:
            break
    return ratios


# ---- the job's own communicator ----

def settings_of_own(arguments, cluster, mpi):
    """Settings for what was measured, or none, and the algorithm of each (collective, bytes) that has one."""
    paths = []
    program = f"{arguments.build}/hiersearch-measure" if mpi == "mpich" else f"{arguments.build}/{mpi}/hiersearch-measure"
    for collective in COLLECTIVES:
        paths.append(os.path.join(cluster.scratch, f"own-{mpi}-{collective}.json"))
        cluster.run(mpi, [program, "--native", "--plans", str(OWN_NP), "--backend", "mpi", "--collective", collective, "--size",
                          ",".join(map(str, OWN_TIMED)), "--budget", arguments.budget, "--quiet", "-o", paths[-1]])
    form, path = ("mpich", os.path.join(cluster.scratch, "own-mpich")) if mpi == "mpich" else \
                 ("ompi-tuned", os.path.join(cluster.scratch, "own-tuned.conf"))
    done = subprocess.run([f"{arguments.build}/hiersearch", "export", *filter(os.path.exists, paths), "--to", form, "-o", path],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{mpi}, own: {done.stderr.strip()}")
        return (), {}
    with open(f"{path}/mpich.env" if mpi == "mpich" else path, encoding="utf-8") as file:
        text = file.read()
    print(*re.findall(r"^# (\w+ of \d+ processes.*)", text, re.MULTILINE), sep="\n")
    names = {"reduce_scatter_block": "reduce-scatter", "alltoall": "all-to-all"}
    rules = {(names.get(call, call), size): algorithm for call, first, last, algorithm in
             re.findall(r"^# (\w+) of \d+ processes, (\d+) to (\d+) bytes: (.*), at least", text, re.MULTILINE)
             for size in OWN_TIMED if int(first) <= size <= int(last)}
    if mpi == "mpich":
        return [(name, value.replace("$PWD", path)) for name, value in re.findall(r"^(MPIR_CVAR_\w+)=(.*)$", text, re.MULTILINE)], rules
    return [("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"), ("OMPI_MCA_coll_tuned_dynamic_rules_filename", path)], rules


def launch_own(arguments, cluster, mpi, settings):
    """{(collective, bytes): seconds} of one launch."""
    tasks = [(collective, size) for collective in COLLECTIVES for size in OWN_TIMED]
    out, err = cluster.run(mpi, [f"{arguments.build}/bench/clients-{mpi}", *(f"{c}:{s}:{OWN_TIMED[s]}" for c, s in tasks)], settings, 120)
    times = [float(seconds) for seconds in re.findall(r"^\d+ ([\d.e+-]+)$", out, re.MULTILINE)]
    if len(times) < len(tasks):
        print(f"# a job was lost: {err.strip()[-200:]}", file=sys.stderr)
    return dict(zip(tasks, times))


def bench_own(arguments, scratch, mpi):
    """How many rows are slower."""
    slower, pairs, end = 0, {}, time.monotonic() + 60 * arguments.minutes
    with Cluster(scratch, OWN_SHAPE) as cluster:
        settings, rules = settings_of_own(arguments, cluster, mpi)
        for pair in range(arguments.pairs if settings else 0):
            times = [launch_own(arguments, cluster, mpi, side) for side in ([settings, ()] if pair % 2 else [(), settings])]
            alone, tuned = times[::-1] if pair % 2 else times
            for task in alone.keys() & tuned.keys():
                pairs.setdefault(task, []).append((alone[task], tuned[task]))
            if time.monotonic() > end:
                break
    print(f"{mpi + ', its own call':30}{'bytes':>9}{'pairs':>7}{'default us':>12}{'tuned us':>10}{'ratio':>8}{'low':>8}{'high':>8}  by")
    for (collective, size), values in sorted(pairs.items(), key=lambda item: (COLLECTIVES.index(item[0][0]), item[0][1])):
        ratios = [alone / tuned for alone, tuned in values]
        low, high = interval(ratios)
        default_us, tuned_us = (1e6 * statistics.median(side) for side in zip(*values))
        slower += high < 1 / LIMIT
        print(f"{collective:30}{size:>9}{len(values):>7}{default_us:>12.0f}{tuned_us:>10.0f}{statistics.median(ratios):>8.2f}"
              f"{low:>8.2f}{high:>8.2f}  {rules.get((collective, size), '-')}")
    return slower


# ---- gloo: the exported module beside dist.all_reduce, call by call ----

def gloo_rank(module_path, rendezvous, pairs):
    import importlib.util

    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    rank = int(os.environ["PMI_RANK"])
    dist.init_process_group("gloo", rank=rank, world_size=NP, init_method=f"file://{rendezvous}")
    spec = importlib.util.spec_from_file_location("exported", module_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    layers = module.Hierarchy()

    def slowest(call, tensor):
        dist.barrier()
        begin = time.perf_counter()
        call(tensor)
        seconds = torch.tensor([time.perf_counter() - begin], dtype=torch.float64)
        dist.all_reduce(seconds, dist.ReduceOp.MAX)
        return seconds.item()

    for size in TIMED:
        tensor = torch.ones(size // 4)
        layers.all_reduce(tensor)
        dist.all_reduce(tensor)
        for pair in range(pairs):
            tensor.fill_(1)
            calls = [layers.all_reduce, dist.all_reduce]
            times = [slowest(call, tensor) for call in (calls if pair % 2 else calls[::-1])]
            applied, alone = times if pair % 2 else times[::-1]
            if rank == 0:
                print("ratio", size, applied / alone, flush=True)
    dist.destroy_process_group()


def pairs_of_gloo(arguments, cluster, results):
    ratios = {}
    for name, result in results.items():
        module, way = f"{cluster.scratch}/{name}_torch.py", f"pytorch on gloo, {name}"
        export(arguments, result, "pytorch", module)
        out, err = cluster.run("mpich", [arguments.python, os.path.abspath(__file__), "--gloo-rank", module, "--pairs",
                                         str(arguments.pairs), "--rendezvous", f"{cluster.scratch}/{name}.store"],
                               {"GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": "1"})
        ratios[way] = {size: [] for size in TIMED}
        for size, ratio in re.findall(r"^ratio (\d+) ([\d.e+-]+)$", out, re.MULTILINE):
            ratios[way][int(size)].append(float(ratio))
        if not ratios[way][min(TIMED)]:
            print(f"# {way}: {err.strip()[-400:]}", file=sys.stderr)
    return ratios


# ---- what comes of it ----

def interval(values):
    """Of the median, at 95 % or a little more, without a word on how values are spread; infinite of fewer than 6."""
    values, count = sorted(values), len(values)
    tail, ways, rank = 0.0, 1, 0
    while rank < count // 2 and tail + ways / 2**count <= 0.025:
        tail += ways / 2**count
        ways = ways * (count - rank) // (rank + 1)
        rank += 1
    return (values[rank - 1], values[count - rank]) if rank else (0.0, float("inf"))


def show(ratios):
    slower = 0
    for way, sizes in ratios.items():
        for size, values in sizes.items():
            if not values:
                print(f"{way:34}{size:>9}  no pair")
                continue
            low, high = interval(values)
            verdict = "slower" if low > LIMIT else "not slower" if high <= LIMIT else "not told"
            slower += low > LIMIT
            print(f"{way:34}{size:>9}{len(values):>7}{statistics.median(values):>9.3f}{low:>9.3f}{high:>9.3f}  {verdict}")
    return slower


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=15, help="no new pair after so many, for each MPI")
    parser.add_argument("--only", default="mpich,openmpi,gloo,own-openmpi,own-mpich")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    parser.add_argument("--python", default=os.environ.get("HS_CLIENTS_PYTHON", sys.executable))
    parser.add_argument("--gloo-rank", metavar="MODULE", help="what the processes of the job are told")
    parser.add_argument("--rendezvous")
    arguments = parser.parse_args()
    if arguments.gloo_rank:
        return gloo_rank(arguments.gloo_rank, arguments.rendezvous, arguments.pairs)
    only, refused, slower = arguments.only.split(","), [], 0
    others = set(only) - {"own-openmpi", "own-mpich"}
    with tempfile.TemporaryDirectory() as scratch, Cluster(scratch) if others else contextlib.nullcontext() as cluster:
        head = f"{'export, result':34}{'bytes':>9}{'pairs':>7}{'ratio':>9}{'low':>9}{'high':>9}  than the library, by 5 %"
        results = {}
        for mpi, ways_of in (("mpich", ways_of_mpich), ("openmpi", ways_of_openmpi)):
            if mpi not in only and not (mpi == "mpich" and "gloo" in only):
                continue
            if not shutil.which(f"mpiexec.{mpi}"):
                refused.append(f"{mpi}: not installed")
                continue
            results[mpi] = measure(arguments, cluster, mpi)
            if mpi in only:
                ways = {f"{mpi}: nothing, twice": ((), {}), **ways_of(arguments, results[mpi], scratch, refused)}
                print(head)
                slower += show(pairs_of(arguments, cluster, mpi, ways))
        if "gloo" in only and "mpich" in results:
            if subprocess.run([arguments.python, "-c", "import torch"], capture_output=True, check=False).returncode:
                refused.append(f"pytorch on gloo: {arguments.python} has no torch; make check-clients installs one")
            else:
                print(head)
                slower += show(pairs_of_gloo(arguments, cluster, results["mpich"]))
    with tempfile.TemporaryDirectory() as scratch:
        for mpi in ("openmpi", "mpich"):
            if f"own-{mpi}" in only and shutil.which(f"mpiexec.{mpi}"):
                slower += bench_own(arguments, scratch, mpi)
    print(*refused, sep="\n")
    print(f"{slower} of these are slower than the library by more than 5 %, at 95 %")
    return None


if __name__ == "__main__":
    main()
