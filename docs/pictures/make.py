#!/usr/bin/env python3
"""Makes the picture of the README: the published splits of 128 GPUs (Ueno and Yokota, CCGRID 2019, Table II), layer by layer as measured, and
as `hiersearch predict` has them on the system that `hiersearch fit` made of these ten.
usage: docs/pictures/make.py [PROGRAM]     PROGRAM: build/hiersearch by default (make pictures)
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import accuracy_table2  # noqa: E402
from table2 import BUSBW_MBPS  # noqa: E402

# Of the ten, those that the README speaks about: a picture of all is too long for it.
SHOWN = ("4x8x4", "4x32", "4x16x2", "4x4x4x2", "128", "8x16")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/hiersearch"
    with tempfile.TemporaryDirectory() as folder:
        files = {split: accuracy_table2.result_file(folder, split) for split in BUSBW_MBPS}
        system = Path(folder) / "abci-fitted.json"
        subprocess.run([program, "fit", "abci", *files.values(), "--quiet", "--name", "abci-fitted", "-o", system], check=True)
        result = json.loads(files[SHOWN[0]].read_text(encoding="utf-8"))
        result["system"] = json.loads(system.read_text(encoding="utf-8"))
        result["system"]["fits"].pop("points", None)
        result["versions"] = {"measured 2019 with": "NCCL"}
        result["results"][0]["candidates"] = sorted(
            (json.loads(files[split].read_text(encoding="utf-8"))["results"][0]["candidates"][0] for split in SHOWN),
            key=lambda candidate: candidate["measured"]["median_seconds"])
        path = Path(folder) / "abci-table2.json"
        path.write_text(json.dumps(result), encoding="utf-8")
        picture = ROOT / "docs/pictures/layers.svg"
        subprocess.run([program, "plot", path, "--as", "layers", "-o", picture], check=True)
    print(picture)


if __name__ == "__main__":
    main()
