#!/usr/bin/env python3
"""What `hiersearch run` costs programs of NCCL, without a GPU.

calls  the host's time of a call behind libhiersearch-nccl.so, in front of an NCCL and a driver of CUDA that do nothing
       (bench/apply/nccl_calls.c): alone, passing (no rule is for its communicator), and by plan. Each figure is the least of the
       rounds, as nothing makes a call faster than it is, with the spread up to the median. What NCCL and CUDA take for
       the calls of a plan, some microseconds each, is not in it.
comms  what a communicator with plans costs, 8 ranks on the stand-in for NCCL, where each split takes --split seconds and 16 MiB:
       splits, those of them that are of all ranks, memory and time, as the last line says.
Usage: bench/nccl_run.py [--build build] [--rounds 15] [--calls 100000] [--split 0.3]
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
RULES = {"allreduce": ("4x2", "2x2x2"), "reduce-scatter": ("4x2", "4x2 packed"), "allgather": ("4x2", "4x2 packed")}
COMMS = {"4x2": ["allreduce 8:1 0 4x2"],
         "4x2, allreduce and reduce-scatter": ["allreduce 8:1 0 4x2", "reduce-scatter 8:1 0 4x2"],
         "4x2 and 2x2x2 by size": ["allreduce 8:1 0 library", "allreduce 8:1 2000 4x2", "allreduce 8:1 12000 2x2x2"],
         "three collectives": ["allreduce 8:1 0 4x2", "allgather 8:1 0 2x4", "reduce-scatter 8:1 0 2x2x2"]}


def compile_calls(folder):
    common = ["cc", "-std=gnu11", "-O2", f"-I{SOURCE}/src", f"{HERE}/apply/nccl_calls.c"]
    for name, define in (("libcuda.so.1", "DRIVER"), ("libnccl.so.2", "LIBRARY")):
        subprocess.run([*common, f"-D{define}", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", f"{folder}/{name}"], check=True)
    subprocess.run([*common, "-o", f"{folder}/calls", f"{folder}/libnccl.so.2", "-Wl,--no-as-needed", f"{folder}/libcuda.so.1",
                    f"-Wl,-rpath,{folder}"], check=True)


def time_calls(arguments, folder, collective, rules=None, **settings):
    """Least and median seconds of a call, and the last line."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HIERSEARCH_", "NCCL_")) and k not in ("RANK", "WORLD_SIZE")}
    if rules is not None:
        sizes = ",".join(re.findall(r"\d+", rules.split()[-2] if rules.endswith("packed") else rules.split()[-1]))
        environment.update(LD_PRELOAD=f"{arguments.build}/libhiersearch-nccl.so", HIERSEARCH_NCCL_PLANS=f"ranks 8\n{rules}\n",
                           BENCH_SIZES=sizes, **settings)
    done = subprocess.run([f"{folder}/calls", collective, str(arguments.rounds), str(arguments.calls)], env=environment,
                          capture_output=True, text=True, check=True)
    seconds = [float(line) for line in done.stdout.split()]
    return min(seconds), statistics.median(seconds), done.stderr.strip()


def show(what, least, median, more=""):
    print(f"  {what:<34} {1e9 * least:7.0f} ns  (median +{100 * (median / least - 1):.0f} %){more}")


def bench_calls(arguments, folder):
    compile_calls(folder)
    for collective, plans in RULES.items():
        print(f"{collective}, a call of the host:")
        show("alone", *time_calls(arguments, folder, collective)[:2])
        show("passing", *time_calls(arguments, folder, collective, f"rule {collective} 4:1 0 2x2")[:2])
        for plan in plans:
            for what, settings in (("", {"HIERSEARCH_REPRODUCIBLE": "1"}), (", pairs", {})):
                least, median, said = time_calls(arguments, folder, collective, f"rule {collective} 8:1 0 {plan}", **settings)
                planned = re.search(r"had (\d+) of NCCL's calls by plan", said)
                if not planned or int(planned[1]) < 0.99 * arguments.rounds * arguments.calls:
                    raise SystemExit(f"{collective} {plan}: not by plan: {said}")
                show(f"by {plan}{what}", least, median)


def bench_comms(arguments, folder):
    standin = os.path.abspath(f"{arguments.build}/tests/nccl/libnccl.so.2")
    cuda, nccl = (os.environ.get(name, "/usr/local/cuda") for name in ("CUDA_HOME", "NCCL_HOME"))
    if not os.path.exists(standin):
        print("communicators: no nccl.h, or no stand-in")
        return
    common = ["cc", "-std=gnu11", "-O1", f"-I{SOURCE}/src", "-isystem", f"{nccl}/include", "-isystem", f"{cuda}/include"]
    subprocess.run([*common, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", f"{folder}/libcuda.so.1",
                    f"{SOURCE}/tests/apply/nccl_driver.c"], check=True)
    subprocess.run([*common, "-o", f"{folder}/carried", f"{SOURCE}/tests/apply/nccl_carried.c", "-Wl,--no-as-needed", f"{folder}/libcuda.so.1",
                    standin, f"-Wl,-rpath,{os.path.dirname(standin)}", f"-Wl,-rpath,{folder}", "-lm"], check=True)
    print(f"a communicator of 8, a split of {arguments.split} s and 16 MiB:")
    for name, rules in COMMS.items():
        text = "ranks 8\n" + "".join(f"rule {rule}\n" for rule in rules)
        ids = tempfile.mkdtemp(dir=folder)
        environment = dict(os.environ, LD_PRELOAD=f"{arguments.build}/libhiersearch-nccl.so", HIERSEARCH_NCCL_PLANS=text, WORLD_SIZE="8",
                           STANDIN_DIR=ids, JOB_FOLDER=ids, STANDIN_COUNTS_SPLITS="1", STANDIN_SPLIT_SECONDS=str(arguments.split))
        jobs = [subprocess.Popen([f"{folder}/carried", "groups"], env=dict(environment, RANK=str(rank)), stderr=subprocess.PIPE, text=True)
                for rank in range(8)]
        said = [job.communicate()[1] for job in jobs]
        if any(job.returncode for job in jobs):
            raise SystemExit("".join(said))
        cost = re.search(r"plans cost (.*)", said[0])[1]
        whole = re.search(r"splits, (\d+) of all ranks", said[0])[1]
        print(f"  {name:<34} {cost}; {whole} of all ranks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=100000)
    parser.add_argument("--split", type=float, default=0.3)
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/calls.d")
        bench_calls(arguments, f"{folder}/calls.d")
        os.mkdir(f"{folder}/comms.d")
        bench_comms(arguments, f"{folder}/comms.d")


if __name__ == "__main__":
    main()
