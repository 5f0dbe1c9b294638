#!/usr/bin/env python3
"""Unmodified programs under `hiersearch run`, against the same programs alone, and what the interposer costs by itself.

train     a data-parallel training with mpi4py (bench/apply/train.py), 16 ranks on 8 emulated hosts in 2 racks: an AllReduce per array
sharded   the same with a reduce-scatter of all gradients and an allgather of all parameters
start     what `run` with four results adds to the start and the end of a job of Open MPI's that calls nothing (bench/apply/calls.c)
lammps, hpcc  Debian's, which are built with Open MPI (bench/apply/melt.in): 4 ranks on one host, 8 on 8 hosts
comms     memory and time of a communicator with plans: bench/apply/comms.c on 4 ranks, 1 and 61 communicators alive at once
cost      instructions of a call over an MPI library that does nothing (bench/apply/stub.c), by valgrind

Plans are measured first, on the same hosts. Each pair of runs, one alone and one with the plans, begins with the other one than the
pair before. Printed: how many times as long the run alone took (communication of a step; of a program, all of it), median over the
pairs with its 95 % interval, and how much slower the plans make it at most, with 95 %, from order statistics; of a training also what
its profile and the measured plans say that a step gains, beside what it gained, and what the links take at least. Losses and output have to be the same. --under profile
has `hiersearch profile` in place of `run`: what counting costs. Needs root, but for `comms` and `cost`.
Usage: bench/apply.py [--parts train,sharded,start,lammps,hpcc,comms,cost] [--minutes 10] [--pairs 20] [--mpi mpich,openmpi] [--under run] [--build build]
"""
import argparse
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from clients import Cluster
from cluster import describe, interval, program

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apply")
TRAIN_SHAPE = ["--racks", "2", "--hosts-per-rack", "4", "--ranks-per-host", "2"]
APP_SHAPES = {"4 on one host": ["--racks", "1", "--hosts-per-rack", "1", "--ranks-per-host", "4"],
              "8 on 8 hosts": ["--racks", "2", "--hosts-per-rack", "4", "--ranks-per-host", "1"]}
APP_RATES = {"hpcc": "5gbit"}  # it sends 2 MB point to point for 50 s at a tenth of that
TRAIN_COLLECTIVES = {"train": ("allreduce",), "sharded": ("reduce-scatter", "allgather")}
TARGETS = {"train": 2.5, "sharded": 1.8}
APP_COLLECTIVES = ("allreduce", "reduce-scatter", "allgather", "all-to-all")
SIZES = {"train": "64,512,4KiB,256KiB,1MiB", "sharded": "1312KiB", "apps": "4KiB,64KiB,1MiB"}  # that plans are measured at
LOSS_DIFFERENCE = 1e-4  # of losses about 2: single precision, summed in another order
SLOWER = 0.03
PREDICTED_WITHIN = 0.10  # the gain
CALLS = 2000, 12000
PASSING, COUNTING = 300, 150  # instructions asked for


# ---- what programs are run with ----

def has_run(arguments):
    names = subprocess.run([f"{arguments.build}/hiersearch", "help", "--names"], capture_output=True, text=True, check=False).stdout
    return arguments.under in names.split()


def python_of(arguments):
    """One that has mpi4py and numpy, made where there is none: wheels of mpi4py run with either MPI."""
    if arguments.python:
        return arguments.python
    folder = os.path.abspath(f"{arguments.build}/apply/venv")
    if not os.path.exists(f"{folder}/bin/mpi4py.ok"):
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([f"{folder}/bin/pip", "install", "-q", "mpi4py>=4.1", "numpy"], check=True)
        with open(f"{folder}/bin/mpi4py.ok", "w", encoding="utf-8"):
            pass
    return f"{folder}/bin/python"


def mpi4py_takes(mpi, scratch):
    """Settings by which the wheel of mpi4py takes this MPI: Debian's MPICH goes by another name than the one it loads."""
    if mpi == "mpich":
        listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
        with contextlib.suppress(FileExistsError):
            os.symlink(re.search(r"libmpich\.so\.12 .*=> (\S+)", listed)[1], f"{scratch}/libmpi.so.12")
    return {"MPI4PY_MPIABI": mpi, "LD_LIBRARY_PATH": f"{scratch}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def plans(arguments, cluster, mpi, part, collectives):
    """Result files with the best plans on these hosts."""
    files = []
    for collective in collectives:
        path = f"{cluster.scratch}/{mpi}-{collective}.json"
        _, err = cluster.run(mpi, [program(arguments, mpi), f"{cluster.scratch}/cluster.json", "--collective", collective, "--top", "3",
                                   "--size", SIZES[part], "--budget", arguments.budget, "--quiet", "-o", path], limit=600)
        if not os.path.exists(path):
            sys.exit(f"measure wrote no result:\n{err[-2000:]}")
        with open(path, encoding="utf-8") as file:
            print(f"# {mpi}, {collective}:", *(f"{r['message_bytes']} by {r['best']}" for r in json.load(file)["results"]))
        files.append(path)
    return files


def interposed(arguments, mpi, under, words):
    """Words that stand before a program's own."""
    return [f"{arguments.build}/hiersearch", under, "--interposer",
            os.path.join(os.path.dirname(program(arguments, mpi)), "libhiersearch-mpi.so"), *words, "--"]


def in_front(arguments, cluster, mpi, files):
    return interposed(arguments, mpi, arguments.under, files if arguments.under == "run" else ["-o", f"{cluster.scratch}/profile.json"])


def pairs_of(arguments, alone, applied):
    """Figures of runs (alone, applied), in pairs; a run that was lost, with its pair, is said."""
    found, end = [], time.monotonic() + 60 * arguments.minutes
    while len(found) < arguments.pairs and (not found or time.monotonic() < end):
        both = [run() for run in ([applied, alone] if len(found) % 2 else [alone, applied])]
        pair = tuple(both[::-1] if len(found) % 2 else both)
        if None in pair:
            print("# a run was lost, and its pair with it", file=sys.stderr)
            if time.monotonic() > end:
                break
        else:
            found.append(pair)
    return found


HEADING = f"{'MPI':8} {'program':28} {'pairs':>5} {'alone s':>9} {'times as long':>14} {'95 %':>16} {'slower by at most':>18}"


def row(mpi, name, pairs, remark):
    ratios = [alone / applied for alone, applied in pairs]
    middle, low, high, least = interval(ratios)
    alone = sorted(alone for alone, _ in pairs)[len(pairs) // 2]
    slower = f"{1 / least - 1:+.1%}" if least > 0 else "-"
    print(f"{mpi:8} {name:28} {len(pairs):5} {alone:9.4f} {middle:13.2f}x {low:7.2f} to {high:5.2f} {slower:>18}  {remark}", flush=True)


@contextlib.contextmanager
def hosts(arguments, shape, name=None):
    rate = APP_RATES.get(name, arguments.rate)
    shape = [*shape, "--host-rate", rate, "--spine-rate", rate]
    with tempfile.TemporaryDirectory() as scratch, Cluster(scratch, shape) as cluster:
        describe(shape, scratch)
        yield cluster


# ---- trainings ----

def training(arguments, cluster, mpi, part, words):
    """Losses and seconds of communication in a step, or None."""
    command = [python_of(arguments), f"{HERE}/train.py", *(["--sharded"] if part == "sharded" else [])]
    settings = mpi4py_takes(mpi, cluster.scratch) | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    words = ["env", *(f"{name}={value}" for name, value in settings.items()), *words]
    out, err = cluster.run(mpi, [*words, *command], last="communication ")
    seconds = re.search(r"^communication ([\d.]+) s", out, re.MULTILINE)
    if not seconds:
        print(f"# {err.strip()[-400:]}", file=sys.stderr)
        return None
    for line in re.findall(r"^hiersearch run: .*", err, re.MULTILINE):
        arguments.said.add(line)
    return [float(loss) for loss in re.findall(r"^step \d+ loss ([\d.]+)$", out, re.MULTILINE)], float(seconds[1])


def limit_of(arguments, cluster, collective, size):
    """Seconds that the links of these hosts take at least."""
    done = subprocess.run([f"{arguments.build}/hiersearch", "predict", f"{cluster.scratch}/cluster.json", "--np", "16", "--size", str(size),
                           "--collective", collective, "--samples", "0", "-q"], capture_output=True, text=True, check=True)
    value, unit = re.search(r"the limit: ([\d.]+) (\w+)", done.stdout).groups()
    return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]


def say_limit(arguments, cluster, part, gains, pairs):
    """What no plan can do better than: the links' time for the calls that the profile of the program alone has."""
    least = sum(limit_of(arguments, cluster, gain["collective"], round(gain["mean_bytes"])) * gain["calls_per_rank"]
                for gain in gains if gain["collective"] in TRAIN_COLLECTIVES[part]) / len(pairs[0][0][0])
    alone, applied = (sorted(run[1] for run in runs)[len(pairs) // 2] for runs in zip(*pairs))
    print(f"# the links take {least:.4f} s of a step at least: alone it takes {alone / least:.2f} times that, by the plans "
          f"{applied / least:.2f}; no plan gains more than {alone / least:.2f}x", flush=True)


def say_predicted(arguments, cluster, mpi, part, files, pairs):
    """What the results say of the calls that a profile of the program alone has, against what the pairs gained."""
    path = f"{cluster.scratch}/alone.json"
    alone = training(arguments, cluster, mpi, part, interposed(arguments, mpi, "profile", ["-o", path]))
    if not os.path.exists(path):  # MPI_Finalize did not return
        path += ".ranks"
    done = subprocess.run([f"{arguments.build}/hiersearch", "predict", *files, "--profile", path, "--json"], capture_output=True, text=True,
                          check=False)
    if not alone or done.returncode != 0:
        print(f"# no prediction: {done.stderr.strip()[-300:]}")
        return
    gains = json.loads(done.stdout)["gains"]
    most = sum(gain.get("gain_seconds_per_rank", 0) for gain in gains) / len(alone[0])
    least = sum(gain.get("least_gain_seconds_per_rank", gain.get("gain_seconds_per_rank", 0)) for gain in gains) / len(alone[0])
    gained = sorted(one[1] - other[1] for one, other in pairs)[len(pairs) // 2]
    print(f"# a step gains {gained:.4f} s, by the profile and the results {least:.4f} to {most:.4f} s: {least / gained - 1:+.1%} to "
          f"{most / gained - 1:+.1%}, their middle {(least + most) / 2 / gained - 1:+.1%} (target {PREDICTED_WITHIN:.0%} either way)",
          flush=True)
    say_limit(arguments, cluster, part, gains, pairs)


def train(arguments, part):
    for mpi in arguments.mpi.split(","):
        with hosts(arguments, TRAIN_SHAPE) as cluster:
            files = plans(arguments, cluster, mpi, part, TRAIN_COLLECTIVES[part]) if arguments.under == "run" else []
            words, arguments.said = in_front(arguments, cluster, mpi, files), set()
            pairs = pairs_of(arguments, lambda: training(arguments, cluster, mpi, part, []),
                             lambda: training(arguments, cluster, mpi, part, words))
            if pairs and files:
                say_predicted(arguments, cluster, mpi, part, files, pairs)
        if not pairs:
            print(f"{mpi:8} {part}: no pair")
            continue
        losses = [run[0] for pair in pairs for run in pair]
        apart = max(abs(a - b) for curve in losses for a, b in zip(curve, losses[0]))
        curve = f"loss {losses[0][0]:.3f} to {losses[0][-1]:.3f}, apart by at most {apart:.1e}"
        wrong = apart > LOSS_DIFFERENCE or losses[0][-1] >= losses[0][0] or len({len(curve) for curve in losses}) > 1
        row(mpi, part, [(alone[1], applied[1]) for alone, applied in pairs],
            f"target {TARGETS[part]}; {curve}{': NOT THE SAME CURVE' if wrong else ''}")
        print(*(f"# {line}" for line in sorted(arguments.said)[:3]), sep="\n")


# ---- other people's programs ----

def lammps(folder):
    shutil.copy(f"{HERE}/melt.in", folder)
    return ["lmp", "-in", "melt.in", "-log", "none"]


def lammps_told(out, _):
    """What it printed of the melt, by steps."""
    return re.findall(r"^ +\d+(?: +-?[\d.e+-]+){5}.*$", out, re.MULTILINE)


def hpcc(folder):
    with open("/usr/share/doc/hpcc/examples/_hpccinf.txt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    with open(f"{folder}/hpccinf.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(re.sub(r"^1000 ", "400 ", line) for line in lines))
    return ["hpcc"]


def hpcc_told(_, folder):
    """What its own checks say. How many of them PTRANS has time for, and how many of its updates MPIRandomAccess loses (it passes
    with less than 1 %), differs from run to run."""
    path = f"{folder}/hpccoutf.txt"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    os.remove(path)
    return [*sorted(set(re.findall(r"\bPASSED\b|\bFAILED\b|\((?:passed|failed)\)", text))), *re.findall(r"^Success=.*$", text, re.MULTILINE)]


APPS = {"lammps": ("lmp", lammps, lammps_told), "hpcc": ("hpcc", hpcc, hpcc_told)}


def launch(cluster, folder, words, tell, told):
    """Seconds of a run in that folder, or None where it told nothing."""
    begin = time.monotonic()
    out, err = cluster.run("openmpi", ["env", "-C", folder, "OMP_NUM_THREADS=1", *words])
    seconds = time.monotonic() - begin
    says = tell(out, folder)
    if not says:
        print(f"# {out.strip()[-200:]}{err.strip()[-400:]}", file=sys.stderr)
        return None
    told.append(says)
    return seconds


def calls_of(arguments, cluster, folder, words, name):
    path = f"{cluster.scratch}/{name}.json"
    front = interposed(arguments, "openmpi", "profile", ["-o", path])
    cluster.run("openmpi", ["env", "-C", folder, "OMP_NUM_THREADS=1", *front, *words])
    done = subprocess.run([f"{arguments.build}/hiersearch", "profile", "--read", path, "--top", "6"], capture_output=True, text=True,
                          check=False)
    print(*(f"# {line}" for line in (done.stdout + done.stderr).strip().split("\n")), sep="\n")


def app(arguments, name):
    binary, prepare, tell = APPS[name]
    if not shutil.which(binary):
        print(f"{name}: not installed (apt-get install {name})")
        return
    for where, shape in APP_SHAPES.items():
        with hosts(arguments, shape, name) as cluster:
            files = plans(arguments, cluster, "openmpi", "apps", APP_COLLECTIVES) if arguments.under == "run" else []
            told, command = [], prepare(cluster.scratch)
            words = [*in_front(arguments, cluster, "openmpi", files), *command]
            pairs = pairs_of(arguments, lambda: launch(cluster, cluster.scratch, command, tell, told),
                             lambda: launch(cluster, cluster.scratch, words, tell, told))
            if not pairs:
                print(f"openmpi  {name}, {where}: no pair")
                continue
            apart = next(((a, b) for t in told for a, b in itertools.zip_longest(told[0], t) if a != b), None)
            same = f"NOT THE SAME OUTPUT: {apart[0]!r}, {apart[1]!r}" if apart else "the same output"
            row("openmpi", f"{name}, {where}", pairs, f"target {SLOWER:+.0%} at most; {same} ({len(told[0])} lines)")
            calls_of(arguments, cluster, cluster.scratch, command, name)


def start(arguments):
    for where, shape in APP_SHAPES.items():
        with hosts(arguments, shape) as cluster:
            calls = f"{cluster.scratch}/calls"
            subprocess.run(["mpicc.openmpi", "-O2", "-o", calls, f"{HERE}/calls.c"], check=True)
            files = plans(arguments, cluster, "openmpi", "apps", APP_COLLECTIVES)

            def seconds(words, cluster=cluster):
                begin = time.monotonic()
                cluster.run("openmpi", [*words, "allreduce", "0"])
                return time.monotonic() - begin
            words = [*in_front(arguments, cluster, "openmpi", files), calls]
            found = pairs_of(arguments, lambda: seconds([calls]), lambda: seconds(words))
        middle, low, high, _ = interval([applied - alone for alone, applied in found])
        print(f"openmpi  {'start, ' + where:28} {len(found):5} {sorted(alone for alone, _ in found)[len(found) // 2]:9.4f} "
              f"{1e3 * middle:+11.0f} ms {1e3 * low:+6.0f} to {1e3 * high:+4.0f} ms", flush=True)


# ---- what a call costs ----

def instructions(scratch, settings, which, calls):
    """All of a process; and its output file for callgrind_annotate."""
    output = f"{scratch}/{which}-{calls}.out"
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", f"{scratch}/calls", which, str(calls)],
                          env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"valgrind: {done.stderr[-2000:]}")
    return int(found[1]), output


def functions_of(output):
    """Instructions of each function by itself."""
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", output], capture_output=True, text=True, check=True).stdout
    found = {}
    for count, name in re.findall(r"^ *([\d,]+) \([ \d.]+%\)  [^\n]*?:(\w+)[ @'\[]", text, re.MULTILINE):
        found[name] = found.get(name, 0) + int(count.replace(",", ""))
    return found


def of_a_call(scratch, settings, which):
    """Of one call: what many have more than few; and the functions they are in, those with the most first."""
    (few, before), (many, behind) = [(count, functions_of(output)) for count, output in
                                     (instructions(scratch, settings, which, calls) for calls in CALLS)]
    more = CALLS[1] - CALLS[0]
    each = sorted(((count - before.get(name, 0)) / more, name) for name, count in behind.items())[::-1]
    return (many - few) / more, ", ".join(f"{name} {count:.0f}" for count, name in each if count >= 1 and name != "main")


def cost(arguments):
    if not shutil.which("valgrind"):
        sys.exit("cost: no valgrind")
    print(f"{'MPI':8} {'call':10} {'alone':>7} {'passing':>8} {'(asked)':>8} {'counted':>8} {'(asked)':>8}   instructions of a call")
    for mpi in arguments.mpi.split(","):
        library = os.path.abspath(os.path.join(os.path.dirname(program(arguments, mpi)), "libhiersearch-mpi.so"))
        with tempfile.TemporaryDirectory() as scratch:
            flags = [f"mpicc.{mpi}", "-std=c11", "-O2"]
            subprocess.run([*flags, "-shared", "-fPIC", "-o", f"{scratch}/libstub.so", f"{HERE}/stub.c"], check=True)
            subprocess.run([*flags, "-o", f"{scratch}/calls", f"{HERE}/calls.c", f"-L{scratch}", "-lstub", f"-Wl,-rpath,{scratch}"],
                           check=True)
            for which in ("allreduce", "allgather", "bcast"):
                alone, _ = of_a_call(scratch, {}, which)
                passing, _ = of_a_call(scratch, {"LD_PRELOAD": library}, which)
                counted, functions = of_a_call(scratch, {"LD_PRELOAD": library, "HIERSEARCH_PROFILE_FOLDER": f"{scratch}/ranks"}, which)
                print(f"{mpi:8} {which:10} {alone:7.0f} {passing - alone:+8.0f} {PASSING:8} {counted - passing:+8.0f} {COUNTING:8}   "
                      f"counted: {functions}", flush=True)


def comms(arguments):
    """Of one communicator: what 61 take more than 1, over 60."""
    few, many = 1, 61
    print(f"{'MPI':8} {'message':>9}  {'':6} {'bytes a communicator':>20} {'MPI_Comm_dup':>12} {'first call':>11} {'the next':>11}   of rank 0 of 4; calls: median, ms")
    for mpi in arguments.mpi.split(","):
        build = os.path.dirname(program(arguments, mpi))
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([f"mpicc.{mpi}", "-std=c11", "-D_GNU_SOURCE", "-O2", "-o", f"{scratch}/comms", f"{HERE}/comms.c"], check=True)
            for message in (16 << 10, 16 << 20):
                # A plan that is not the library's own, whatever it is worth.
                rules = "ranks 4\nnodes 1x4\nrule allreduce 4:1 0 2x2\n"
                for how, settings in (("alone", []), ("plans", ["env", f"LD_PRELOAD={build}/libhiersearch-mpi.so", "HIERSEARCH_REPRODUCIBLE=1",
                                                                f"HIERSEARCH_PLANS={rules}"])):
                    lines = [subprocess.run([f"{HERE}/../../tests/runner/launch.sh", mpi, "4", *settings, f"{scratch}/comms", str(count), str(message)],
                                            check=True, capture_output=True, text=True).stdout.split() for count in (few, many)]
                    each = (int(lines[1][0]) - int(lines[0][0])) / (many - few)
                    print(f"{mpi:8} {message:9}  {how:6} {each:20.0f} {1e3 * float(lines[1][1]):12.3f} {1e3 * float(lines[1][2]):11.3f} "
                          f"{1e3 * float(lines[1][3]):11.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", default="train,sharded,start,lammps,hpcc,comms,cost")
    parser.add_argument("--minutes", type=float, default=10, help="no new pair after so many, for each row")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--mpi", default="mpich,openmpi", help="of trainings and of the cost; Debian's programs have Open MPI")
    parser.add_argument("--under", default="run", choices=["run", "profile"])
    parser.add_argument("--rate", default="500mbit")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--python", help="with mpi4py and numpy; otherwise one is made in BUILD/apply")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    parts = arguments.parts.split(",")
    if parts != ["cost"] and not has_run(arguments):
        sys.exit(f"{arguments.build}/hiersearch has no `{arguments.under}`; --under profile, or --parts cost, works")
    if not set(parts) <= {"comms", "cost"}:
        print(f"emulated hosts, links {arguments.rate} (hpcc: {APP_RATES['hpcc']}), at most {arguments.pairs} alternating pairs, under "
              f"`hiersearch {arguments.under}`, load of the machine {os.getloadavg()[0]:.1f}\n{HEADING}")
    for part in parts:
        if part in TRAIN_COLLECTIVES:
            train(arguments, part)
        elif part in APPS:
            app(arguments, part)
        elif part == "start":
            start(arguments)
        elif part == "comms":
            comms(arguments)
        elif part == "cost":
            cost(arguments)
        else:
            sys.exit(f"--parts: expected train, sharded, start, lammps, hpcc, comms, cost, found {part}")


if __name__ == "__main__":
    main()
