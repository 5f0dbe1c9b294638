#!/usr/bin/env python3
"""hiersearch-measure with hostile files, for sanitizers: systems, profiles of a job and journals with a few things changed, on the null
backend. Each run ends with a status of the program's own, without a sanitizer's report. The same seed does the same. Prints TAP.

usage: hostile_measure.py MPI PROGRAM HIERSEARCH SEED RUNS"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WORDS = [b"0", b"-1", b"1e308", b"1e-320", b"2147483648", b"9223372036854775807", b"18446744073709551616", b'""', b"null", b"[]", b"{}",
         b"true", b"-0", b"\\u0000", b"\xff", b'"', b"\x1b[m", b"%s%n", b"4x4", b"inf"]
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
top = pathlib.Path(__file__).resolve().parents[2]


def change(text: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        lines = text.split(b"\n")
        at, kind = chance.randrange(len(text) + 1), chance.random()
        numbers = list(NUMBER.finditer(text))
        if kind < 0.5 and numbers:
            found = chance.choice(numbers)
            text = text[:found.start()] + chance.choice(WORDS) + text[found.end():]
        elif kind < 0.6:
            text = text[:at] + bytes([chance.randrange(256)]) + text[at + 1:]
        elif kind < 0.7:
            text = text[:at] + text[at + chance.randrange(80):]
        elif kind < 0.8:
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
            text = b"\n".join(lines)
        elif kind < 0.9:
            del lines[chance.randrange(len(lines))]
            text = b"\n".join(lines)
        else:
            text = text[:at]
    return text


def main(mpi: str, program: str, hiersearch: str, seed: str, runs: str) -> int:
    chance = random.Random(int(seed))
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1", HIERSEARCH_CONFIGS=str(top / "configs"))
    launch = [str(top / "tests/runner/launch.sh"), mpi, "2", program]
    usual = ["--backend", "null", "--budget", "1s", "--min-samples", "2", "--max-samples", "4", "-q"]
    statuses: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as scratch:
        def run(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
            return subprocess.run([*launch, *arguments], cwd=scratch, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)

        file = pathlib.Path(scratch)
        systems = {name: (top / "configs" / name).read_bytes() for name in ("abci.json", "mi250-16.json", "dgx-h100-superpod.json")}
        small = b"nv:2@100GB/s~1us,ib@10GB/s~5us"
        system = subprocess.run([hiersearch, "systems", small.decode(), "--json"], env=environment, capture_output=True, check=True).stdout
        systems["small.json"] = system
        (file / "small.json").write_bytes(system)
        profile = (top / "tests/golden/profile/job.json").read_bytes()
        profile = re.sub(rb'("ranks"\s*:\s*)\d+', rb"\g<1>2", profile)
        begun = run("small.json", "--size", "1KiB,64KiB", "--journal", "j", "-o", "r.json", *usual)
        if begun.returncode != 0:
            print(f"not ok 1 - the job that is resumed ends well\n# {begun.stderr[-2000:].decode(errors='replace')}\n1..1")
            return 1
        journal = (file / "j").read_bytes()
        for number in range(int(runs)):
            kind = chance.choice(["system", "system", "journal", "journal", "profile"])
            if kind == "system":
                (file / "m.json").write_bytes(change(chance.choice(list(systems.values())), chance))
                done = run("./m.json", "--size", "1KiB", *usual)
            elif kind == "journal":
                (file / "m").write_bytes(change(journal, chance))
                done = run("small.json", "--size", "1KiB,64KiB", "--journal", "m", "--resume", "-o", "r2.json", *usual)
            else:
                (file / "p.json").write_bytes(change(profile, chance))
                done = run("small.json", "--profile", "./p.json", *usual)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            if done.returncode not in (0, 1, 2, 3) or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
                hostile = {"system": "m.json", "journal": "m", "profile": "p.json"}[kind]
                print(f"not ok 1 - run {number} of seed {seed}: a hostile {kind} ends it with {done.returncode}")
                print("".join(f"# {line}\n" for line in done.stderr.decode(errors="replace").splitlines()[-40:]), end="")
                print(f"# the file: {(file / hostile).read_bytes()[:4000]!r}\n1..1")
                return 1
    if not {0, 2} <= set(statuses):
        print(f"not ok 1 - some hostile files are refused, and some are used: {statuses}\n1..1")
        return 1
    print(f"ok 1 - {runs} runs of hiersearch-measure with hostile files end as they should: {statuses}\n1..1")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
