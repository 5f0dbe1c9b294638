"""Builds the Python package: wheels and source distributions (PEP 517), without setuptools.

A wheel has the package of python/hiersearch, what generate.py makes, and in hiersearch/tree what `make python-tree` lays out:
programs, library, systems, plugins, and the sources of what is built with the user's MPI (hiersearch build-measure).

usage: python/backend.py package FOLDER     FOLDER/hiersearch, to be imported as it is
       python/backend.py wheel FOLDER       a wheel that auditwheel is to repair, see `make wheel`
       python/backend.py system FOLDER      FOLDER/hiersearch and its .dist-info, for dist-packages of a machine that has all else installed
"""
import base64
import glob
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import generate  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BUILD = os.environ.get("BUILD", "build")
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
NAME = f"hiersearch-{VERSION}"
METADATA = f"""Metadata-Version: 2.4
Name: hiersearch
Version: {VERSION}
Summary: How a job should communicate on a machine: predictions, calibrations and exports of collective operations
Requires-Python: >=3.9
Requires-Dist: cffi>=1.15
Provides-Extra: all
Requires-Dist: pandas; extra == "all"
Requires-Dist: matplotlib>=3.6; extra == "all"
Provides-Extra: torch
Requires-Dist: torch>=2.2; extra == "torch"
Description-Content-Type: text/markdown

"""
# Finds the package without importing it, so that the program begins at once.
SCRIPT = '''#!python
"""The program `hiersearch` of the Python package."""
import importlib.util
import os
import runpy

folder = importlib.util.find_spec("hiersearch").submodule_search_locations[0]
runpy.run_path(os.path.join(folder, "_program.py"), run_name="__main__")
'''
# What build-measure needs of the tree.
MEASURE_SOURCES = ("Makefile", "VERSION", "LICENSE", "include", "src", "packaging", "plugins")


def log(text):
    print(f"hiersearch: {text}", file=sys.stderr)


# ---- the package ---------------------------------------------------------------------------------
def make(*words):
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    log(f"make {' '.join(words)}")
    subprocess.run(["make", "--no-print-directory", "-s", f"-j{len(os.sched_getaffinity(0))}", f"BUILD={BUILD}", *words],
                   cwd=ROOT, check=True, stdout=sys.stderr, env=environment)


def sources():
    """Files of the tree by name: those that git knows, else, in what was unpacked, all."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode().split("\0")
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    return sorted(name for name in names if name and (ROOT / name).is_file() and not name.startswith(("build/", ".git/"))
                  and "__pycache__" not in name)


def write_tar(path, prefix, members):
    """A tar.gz of (name, bytes, executable), the same to the byte when made again."""
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content, executable in members:
            member = tarfile.TarInfo(f"{prefix}/{name}")
            member.size, member.mode, member.mtime = len(content), 0o755 if executable else 0o644, 315532800
            tar.addfile(member, io.BytesIO(content))


def members_of(names):
    return [(name, (ROOT / name).read_bytes(), os.access(ROOT / name, os.X_OK)) for name in names]


def headers():
    """Those of cJSON, GSL and GLPK that the sources include: (name, bytes, False)."""
    flags = subprocess.run(["pkg-config", "--cflags", "libcjson", "gsl"], capture_output=True, text=True, check=True).stdout
    compiler = os.environ.get("CC", "cc").split()
    includes = {f"#include {name}\n" for path in (ROOT / "src").rglob("*.[ch]")
                for name in re.findall(r"^#include (<(?:gsl/|cjson/|glpk)[^>]*>)", path.read_text(encoding="utf-8"), re.MULTILINE)}
    rules = subprocess.run([*compiler, *shlex.split(flags), "-M", "-x", "c", "-"], input="".join(sorted(includes)),
                           capture_output=True, text=True, check=True).stdout
    found = {re.search(r"(?:(?:gsl|cjson)/[^/]*|glpk)\.h$", name)[0]: name for name in rules.replace("\\\n", " ").split()
             if re.search(r"/(?:(?:gsl|cjson)/[^/]*|glpk)\.h$", name)}
    return [(f"libraries/{name}", Path(path).read_bytes(), False) for name, path in sorted(found.items())]


def modules(folder, library, *left_out):
    """FOLDER/hiersearch without its tree: the modules, and what is made of the library."""
    package = Path(folder, "hiersearch")
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python/hiersearch", package, ignore=shutil.ignore_patterns("__pycache__", *left_out))
    generate.main(library, package)
    return package


def assemble(folder):
    """FOLDER/hiersearch: the package with all that is made."""
    make("python-tree")
    tree = ROOT / BUILD / "python-tree"
    package = modules(folder, tree / "lib/libhiersearch.so.1")
    shutil.copytree(tree, package / "tree")
    described = subprocess.run(["git", "describe", "--always", "--dirty", "--tags"], cwd=ROOT, capture_output=True, check=False)
    members = members_of([name for name in sources() if name.split("/")[0] in MEASURE_SOURCES])
    members += [("GIT_DESCRIBE", described.stdout.strip(), False), *headers()]
    write_tar(package / "tree/share/hiersearch/sources.tar.gz", NAME, members)
    return package


def assemble_system(folder):
    """The package of a machine's own package manager: programs, library and systems are those of the machine, and so is what
    starts the program. Of cffi it has the backend alone, which is all that is imported; without a RECORD pip leaves it alone."""
    package = modules(folder, ROOT / BUILD / "stage/lib/libhiersearch.so.1", "_program.py")
    info = Path(folder, f"{NAME}.dist-info")
    info.mkdir(exist_ok=True)
    heads = "".join(line for line in METADATA.splitlines(True) if line.strip() and not line.startswith("Requires-Dist: cffi"))
    (info / "METADATA").write_text(heads + "License-Expression: BSD-3-Clause\n", encoding="utf-8")
    (info / "INSTALLER").write_text("dpkg\n", encoding="utf-8")
    return package


# ---- wheels --------------------------------------------------------------------------------------
class Wheel:
    """A zip file and the list of what is in it."""

    def __init__(self, folder, tag):
        self.name = f"{NAME}-{tag}.whl"
        self.zip = zipfile.ZipFile(Path(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.records = []

    def add(self, name, content, executable=False):
        content = content.encode() if isinstance(content, str) else content
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(content)}")

    def close(self):
        name = f"{NAME}.dist-info/RECORD"
        self.zip.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "\n".join([*self.records, f"{name},,"]) + "\n")
        self.zip.close()


def metadata(carries):
    """`carries`: it is to be repaired, so that cJSON, GSL and GLPK are inside."""
    names = ["LICENSE", *(name for name, _ in licences() if carries and name != "LICENSE")]
    expression = "BSD-3-Clause" + (" AND MIT AND GPL-3.0-or-later AND LGPL-3.0-or-later AND LGPL-2.1-or-later" if carries else "")
    heads = "".join(f"License-File: {name}\n" for name in names) + f"License-Expression: {expression}\n"
    return METADATA.rstrip("\n") + "\n" + heads + "\n" + (ROOT / "docs/python.md").read_text(encoding="utf-8")


GLPK = "glpk", "amd", "colamd", "suitesparseconfig", "gmp", "ltdl"  # with what it needs


def licences():
    """(name, bytes) of ours, and of the libraries that may travel along."""
    names = [path for name in ("gsl", "gslcblas", "cjson", *GLPK) for path in glob.glob(f"/usr/share/doc/lib{name}[0-9]*/copyright")]
    return [("LICENSE", (ROOT / "LICENSE").read_bytes()),
            *((f"{Path(name).parent.name}.txt", Path(name).read_bytes()) for name in sorted(names))]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: a wheel in the folder; its name."""
    return write_wheel(wheel_directory, False)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a wheel that names a folder of the clone, where the modules are links to python/hiersearch; its name."""
    folder = (ROOT / BUILD / "editable").resolve()
    make("python-tree")
    tree = (ROOT / BUILD / "python-tree").resolve()
    package = modules(folder, tree / "lib/libhiersearch.so.1")
    for path in (ROOT / "python/hiersearch").glob("*.*"):
        (package / path.name).unlink()
        (package / path.name).symlink_to(path)
    (package / "tree").symlink_to(tree)
    wheel = Wheel(wheel_directory, tag())
    wheel.add("hiersearch.pth", f"{folder}\n")
    return finish(wheel, False)


def write_wheel(wheel_directory, carries):
    with tempfile.TemporaryDirectory() as scratch:
        package = assemble(scratch)
        wheel = Wheel(wheel_directory, tag())
        for path in sorted(package.rglob("*")):
            if path.is_file():
                wheel.add(str(path.relative_to(scratch)), path.read_bytes(), os.access(path, os.X_OK))
    return finish(wheel, carries)


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def finish(wheel, carries):
    """The program, and what is said of the wheel; its name."""
    wheel.add(f"{NAME}.data/scripts/hiersearch", SCRIPT, True)
    wheel.add(f"{NAME}.dist-info/METADATA", metadata(carries))
    for name, content in licences() if carries else licences()[:1]:
        wheel.add(f"{NAME}.dist-info/licenses/{name}", content)
    wheel.add(f"{NAME}.dist-info/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: hiersearch ({VERSION})\nRoot-Is-Purelib: false\nTag: {tag()}\n")
    wheel.close()
    return wheel.name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: a source distribution in the folder; its name."""
    members = [("PKG-INFO", metadata(False).encode(), False), *members_of(sources())]
    write_tar(Path(sdist_directory, f"{NAME}.tar.gz"), NAME, members)
    return f"{NAME}.tar.gz"


def main(words):
    jobs = {"package": assemble, "wheel": lambda folder: Path(folder, write_wheel(folder, True)), "system": assemble_system}
    if len(words) != 2 or words[0] not in jobs:
        sys.exit(__doc__)
    Path(words[1]).mkdir(parents=True, exist_ok=True)
    print(jobs[words[0]](words[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
