"""What MPI libraries do by themselves, priced and simulated: `bench/accuracy_simgrid.py --only-library`.

SMPI has ports of MPICH's and Open MPI's algorithms, each of which can be chosen by its name. For each machine, number of ranks and
message size `hiersearch predict` says what the library runs by its rule and how long that takes; SMPI runs that algorithm on the
same machine. Which of them runs is not compared: SMPI's own choice is that of Open MPI before 4.1. `left` counts cases without a
port in SMPI: MPICH's allreduce by nodes, Open MPI's butterfly of a power of two, which SMPI ends with an exchange that only
MPI_Reduce_scatter has, and MPICH's scattered all-to-all of more than 32 ranks. SMPI's synchronous sends wait, but for no answer. SMPI's allgather "ring" is pairwise; the ring is its "NTSLR".
"""
import json
import math
import subprocess
import tempfile
from pathlib import Path

CALLS = ("reduce-scatter", "allgather", "allreduce", "all-to-all")
LIBRARIES = ("mpich", "openmpi")
NP = (4, 6, 8, 12, 16, 24, 32, 48, 64)
QUICK_NP = (6, 8, 16, 24)
SIZES = tuple(1024 * size for size in (64, 256, 1024, 4096, 16384, 65536))
PROGRAM = Path(__file__).with_name("own_calls.c")
MESSAGE = "0:5e-7:0"  # what one more message costs a rank that has many under way (src/model/traffic.h)
SCATTERED = 32  # so many at once, in MPICH: of more ranks there is no port
# (call, what predict names) -> SMPI's collectives and algorithms of that
PORTS = {
    ("reduce-scatter", "recursive halving"): {"reduce_scatter": "ompi_basic_recursivehalving"},
    ("reduce-scatter", "pairwise exchange"): {"reduce_scatter": "mpich_pair"},
    ("reduce-scatter", "butterfly"): {"reduce_scatter": "ompi_butterfly"},
    ("reduce-scatter", "ring"): {"reduce_scatter": "ompi_ring"},
    ("reduce-scatter", "reduce and scatter"): {"reduce": "binomial"},
    ("reduce-scatter", "linear reduce and scatter"): {"reduce": "ompi_basic_linear"},
    ("allgather", "recursive doubling"): {"allgather": "rdb"},
    ("allgather", "Bruck"): {"allgather": "bruck"},
    ("allgather", "ring"): {"allgather": "NTSLR"},
    ("allgather", "neighbor exchange"): {"allgather": "ompi_neighborexchange"},
    ("allreduce", "recursive doubling"): {"allreduce": "rdb"},
    ("allreduce", "ring"): {"allreduce": "lr"},
    ("allreduce", "Rabenseifner"): {"allreduce": "rab_rdb"},
    ("allreduce", "reduce and broadcast"): {"allreduce": "redbcast"},
    ("all-to-all", "Bruck"): {"alltoall": "bruck"},
    ("all-to-all", "pairwise exchange"): {"alltoall": "ring"},
    ("all-to-all", "pairwise exchange by bits"): {"alltoall": "pair"},
    ("all-to-all", "linear"): {"alltoall": "basic_linear", "ois": MESSAGE},
    ("all-to-all", "linear, synchronous sends"): {"alltoall": "basic_linear", "ois": MESSAGE, "send-is-detached-thresh": "0"},
    ("all-to-all", "scattered"): {"alltoall": "basic_linear", "ois": MESSAGE},
}
BOTH = "reduce-and-scatter"  # the call that has these by their parts
# SMPI without its factors, which are for Ethernet; nothing computed is charged, and long buffers share their memory.
FLAGS = ("-quiet -no-privatize --cfg=smpi/simulate-computation:no --cfg=smpi/bw-factor:0:1.0 --cfg=network/crosstraffic:0 "
         "--cfg=network/weight-S:0 --cfg=network/TCP-gamma:0 --cfg=smpi/wtime:0 --cfg=smpi/auto-shared-malloc-thresh:65536 "
         "--log=root.thres:critical").split()


def whole(size, np):
    """Bytes of whole elements of each rank, about as many."""
    return size // (4 * np) * 4 * np


class Machine:
    """A machine of bench/systems as each library's, and its platform for SMPI in a folder of its own."""

    def __init__(self, path, program, scratch):
        self.name, self.program, self.scratch = path.stem, program, scratch / path.stem
        self.system = json.loads(path.read_text(encoding="utf-8"))
        self.scratch.mkdir()
        for library in LIBRARIES:
            self.path(library).write_text(json.dumps(self.system | {"library": library}), encoding="utf-8")

    def path(self, library):
        return self.scratch / f"{library}.json"

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], stdout=subprocess.PIPE, check=True).stdout

    def predict(self, library, np, call, size):
        """What it runs, and seconds."""
        order = ("--layout", "natural") if call in ("reduce-scatter", "allgather") else ()
        out = self.run("predict", self.path(library), "--np", np, "--size", size, "--collective", call, *order, "--samples", "0",
                       "--json", "--quiet")
        own = json.loads(out)["results"][0]["default"]
        return own["choice"], own["seconds"]

    def platform(self, np):
        folder = self.scratch / str(np)
        if not folder.exists():
            result = self.scratch / "result.json"
            result.unlink(missing_ok=True)
            self.run("predict", self.path("mpich"), "--np", np, "--size", "1MiB", "--samples", "0", "--quiet", "-o", result)
            self.run("export", result, "--to", "simgrid", "--plan", np, "-o", folder, "--quiet")
        return folder

    def simulate(self, binary, np, call, algorithms, sizes):
        """Size -> simulated seconds."""
        folder = self.platform(np)
        chosen = [f"--cfg=smpi/{what}:{name}" for what, name in algorithms.items()]
        factor = f"--cfg=smpi/lat-factor:0:{self.system['pipeline_granularity']}"
        done = subprocess.run(["smpirun", *FLAGS, factor, *chosen, "-np", str(np), "-platform", folder / "platform.xml", "-hostfile",
                               folder / "hostfile", binary, BOTH if "reduce" in algorithms else call, *map(str, sizes)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True, text=True, cwd=self.scratch)
        return {int(row.split()[0]): float(row.split()[1]) for row in done.stdout.splitlines()}


def has_no_port(call, choice, np):
    return (call, choice) not in PORTS or (choice == "butterfly" and np & (np - 1) == 0) or (choice == "scattered" and np > SCATTERED)


def cases(machine, binary, call, every):
    """(library, what runs, np, size, predicted, simulated), and how many are left out."""
    found, left = [], 0
    for np in every:
        asked = {}
        for library in LIBRARIES:
            for size in (whole(size, np) for size in SIZES):
                choice, seconds = machine.predict(library, np, call, size)
                asked.setdefault(choice, []).append((library, size, seconds))
        for choice, rows in asked.items():
            if has_no_port(call, choice, np):
                left += len(rows)
                continue
            sizes = sorted({size for _, size, _ in rows})
            simulated = machine.simulate(binary, np, call, PORTS[call, choice], sizes)
            found += [(library, choice, np, size, seconds, simulated[size]) for library, size, seconds in rows]
    return found, left


def say(name, found, left, worst_count):
    """A row: mean and worst of |ln|, as a ratio less 1."""
    if not found:
        print(f"{name:42} {0:6} {left:5}")
        return
    errors = [(math.log(case[4] / case[5]), case) for case in found]
    mean = math.expm1(sum(abs(error) for error, _ in errors) / len(errors))
    errors.sort(key=lambda error: -abs(error[0]))
    for i, (error, (library, choice, np, size, predicted, simulated)) in enumerate(errors[:max(1, worst_count)]):
        text = f"{name:42} {len(found):6} {left:5} {100 * mean:7.2f}" if i == 0 else f"{'':62}"
        print(f"{text} {100 * math.expm1(error):+8.2f}  {choice} of {np}, {size} bytes, {library}: {1e6 * predicted:.1f} for "
              f"{1e6 * simulated:.1f} us", flush=True)


def compare(paths, program, every, worst_count):
    """Prints the tables."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        binary = scratch / "own_calls"
        subprocess.run(["smpicc", "-O2", PROGRAM, "-o", binary, "-lm"], check=True)
        machines = [Machine(path, program, scratch) for path in paths]
        print(f"{'the library itself':42} {'cases':>6} {'left':>5} {'mean %':>7} {'worst %':>8}  of")
        for call in CALLS:
            everything, left_out = [], 0
            for machine in machines:
                found, left = cases(machine, binary, call, every)
                say(f"{call}, {machine.name}", found, left, worst_count)
                everything += found
                left_out += left
            say(f"{call}, all", everything, left_out, 1)
            for choice in sorted({case[1] for case in everything}):
                say(f"    {choice}", [case for case in everything if case[1] == choice], 0, 1)
