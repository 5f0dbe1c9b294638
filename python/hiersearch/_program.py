"""The program `hiersearch` of the package, and `hiersearch build-measure`, which builds what is linked with the user's MPI.

It is run as a file, without the rest of the package: the program begins at once.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Optional

TREE = Path(os.path.abspath(__file__)).parent / "tree"
PROGRAM = TREE / "bin" / "hiersearch"
# What is built or found, and where it belongs: hiersearch looks there.
PARTS = {"hiersearch-measure": "libexec/hiersearch", "libhiersearch-mpi.so": "lib/hiersearch"}
SIMULATE = {"hiersearch-simulate": "libexec/hiersearch"}  # where it is asked for


def fail(text: str) -> "SystemExit":
    """One line, and the exit status."""
    print(f"hiersearch build-measure: {text}", file=sys.stderr)
    return SystemExit(1)


def libraries(sources: Path) -> list[str]:
    """Settings of make for cJSON, GSL and GLPK: those that came with the wheel; of one that was built here the machine's own."""
    folder = TREE.parents[1] / "hiersearch.libs"
    found = [path for name in ("cjson", "gsl", "gslcblas", "glpk") for path in glob.glob(f"{folder}/lib{name}-*.so*")]
    if not found:
        return []
    return [f"PKG_CFLAGS=-isystem {sources}/libraries", f"PKG_LIBS={' '.join(found)}", "HAVE_EXPAT=0",
            f"LDFLAGS=-Wl,-rpath,{folder}"]


def find_mpicc(named: Optional[str]) -> str:
    names = [named] if named else [os.environ.get("MPICC", ""), "mpicc", "mpicc.mpich", "mpicc.openmpi", "cc"]
    for name in filter(None, names):
        path = shutil.which(name)
        if path and (named or name != "cc" or "CRAYPE_VERSION" in os.environ):
            return path
    raise fail(f"there is no {named or 'mpicc'}: load the MPI of your jobs, or name its compiler (--mpicc)")


def build(mpicc: str, smpicc: Optional[str], jobs: int) -> None:
    """From the sources that came along, with the compiler of the user's MPI."""
    for name in ("make", smpicc or "make"):
        if not shutil.which(name):
            raise fail(f"there is no {name}")
    parts = {**PARTS, **(SIMULATE if smpicc else {})}
    with tempfile.TemporaryDirectory(prefix="hiersearch-") as scratch:
        with tarfile.open(TREE / "share/hiersearch/sources.tar.gz") as tar:
            tar.extractall(scratch)  # our own file
        (sources,) = Path(scratch).iterdir()
        describe = (sources / "GIT_DESCRIBE").read_text(encoding="utf-8")
        words = ["make", "-s", f"-j{jobs}", f"MPICC={mpicc}", "HAVE_MPI=1", "OPTIMISE=-O2", f"GIT_DESCRIBE={describe}",
                 *([f"SMPICC={smpicc}"] if smpicc else []), *libraries(sources), *(f"build/{name}" for name in parts)]
        if not shutil.which("cc") and not shutil.which("gcc"):
            words.append(f"CC={mpicc}")
        print(f"building with {mpicc} ({jobs} at a time)", file=sys.stderr)
        if subprocess.run(words, cwd=sources, stdout=subprocess.DEVNULL).returncode != 0:
            raise fail(f"{mpicc} could not build it, see above")
        put(sources / "build", {name: name for name in parts})


def find(prefix: Path) -> None:
    """From an installed tree of the same version."""
    program = prefix / "bin/hiersearch"
    versions = []
    for one in (program, PROGRAM):
        if not one.is_file():
            raise fail(f"{one}: there is no such program")
        versions.append(subprocess.run([one, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split()[1])
    if versions[0] != versions[1]:
        raise fail(f"{program} is of version {versions[0]}, expected {versions[1]}")
    simulate = {name: folder for name, folder in SIMULATE.items() if (prefix / folder / name).is_file()}
    put(prefix, {name: f"{folder}/{name}" for name, folder in {**PARTS, **simulate}.items()})


def put(folder: Path, names: "dict[str, str]") -> None:
    for name, path in names.items():
        target = TREE / {**PARTS, **SIMULATE}[name]
        try:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, target / f"{name}.new")
            os.replace(target / f"{name}.new", target / name)
        except OSError as error:
            raise fail(f"{target / name}: {error.strerror}: {error.filename}") from None
        print(target / name)


def build_measure(words: "list[str]") -> None:
    parser = argparse.ArgumentParser(prog="hiersearch build-measure", description="Builds hiersearch-measure and "
                                     "libhiersearch-mpi.so with your MPI, for `hiersearch measure`, `profile` and "
                                     "`run`; needs make and the compiler of that MPI, about a minute of one core.")
    parser.add_argument("--mpicc", metavar="MPICC", help="compiler of the MPI that your jobs use (default: $MPICC, else mpicc)")
    parser.add_argument("--smpicc", metavar="SMPICC", nargs="?", const="smpicc", help="hiersearch-simulate, too, with SimGrid's compiler")
    parser.add_argument("--jobs", metavar="N", type=int, default=len(os.sched_getaffinity(0)), help="files at a time")
    parser.add_argument("--from", metavar="PREFIX", dest="prefix", type=Path, help="take those of an installed tree instead")
    arguments = parser.parse_args(words)
    if arguments.prefix:
        find(arguments.prefix)
    else:
        build(find_mpicc(arguments.mpicc), arguments.smpicc, arguments.jobs)


# What commands need of it, and what builds that.
MEASURES = "hiersearch-measure", "`hiersearch build-measure` builds with your MPI what measures"
NEEDS = {"measure": MEASURES,
         "simulate": ("hiersearch-simulate", "`hiersearch build-measure --smpicc` builds with SimGrid what simulates")}


def lacks(command: str) -> Optional[str]:
    """What builds the program that the command needs, where hiersearch does not find it."""
    name, how = NEEDS.get(command, ("", ""))
    return None if not name or (TREE / "libexec/hiersearch" / name).is_file() or shutil.which(name) else how


def main(words: "list[str]") -> None:
    if words[:1] == ["build-measure"]:
        build_measure(words[1:])
    else:
        how = lacks(words[0]) if words else None
        if how:
            print(f"hiersearch: note: {how}", file=sys.stderr)
        os.execv(PROGRAM, ["hiersearch", *words])


if __name__ == "__main__":
    main(sys.argv[1:])
