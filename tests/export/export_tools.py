"""What the checks of exported files share: TAP, and running the built program."""
import os
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BUILD", TOP / "build")).resolve() / "hiersearch"

# Three levels whose bandwidths and latencies all differ, and no figure that could stand for another.
SYSTEM = "nvlink:4@150GB/s~0.5us,rack:8@25GB/s~2us,spine@96GB/s~5us"


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
