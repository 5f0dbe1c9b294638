#!/usr/bin/env python3
"""Makes the pictures of the README: the ten published splits of 128 GPUs (Ueno and Yokota, CCGRID 2019, Table II) as measured, each beside
what `hiersearch` predicts of it from the layers of the nine others (no time in it was used to predict itself); and of an allgather on 64
GPUs of Perlmutter the layers of plans, the gain over sizes, and the machine with its limit.
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
from accuracy_table2 import BUSBW_MBPS  # noqa: E402


def left_out(program, folder, files, split):
    """The candidate of a result file, with the time that the nine others predict for it."""
    candidate = json.loads(files[split].read_text(encoding="utf-8"))["results"][0]["candidates"][0]
    others = [file for name, file in files.items() if name != split]
    candidate["predicted_seconds"] = accuracy_table2.fitted(program, folder, others)[split]
    return candidate


def table2_result(program, path):
    """Writes the published splits as a result file, each with the time that the others predict."""
    with tempfile.TemporaryDirectory() as folder:
        files = {split: accuracy_table2.result_file(folder, split) for split in BUSBW_MBPS}
        result = json.loads(files["4x8x4"].read_text(encoding="utf-8"))
        result["system"] = json.loads(subprocess.run([program, "predict", "abci", "--np", "128", "--size", "128MiB", "--json"],
                                                     check=True, capture_output=True, text=True).stdout)["system"]
        result["versions"] = {"measured 2019 with": "NCCL"}
        result["results"][0]["candidates"] = sorted((left_out(program, folder, files, split) for split in BUSBW_MBPS),
                                                    key=lambda candidate: candidate["measured"]["median_seconds"])
        path.write_text(json.dumps(result), encoding="utf-8")


def prediction(program, path, *words):
    """Writes a prediction, without the commit, which would be another one in each picture."""
    subprocess.run([program, "predict", *words, "--quiet", "-o", path], check=True, stdout=subprocess.DEVNULL)
    result = json.loads(path.read_text(encoding="utf-8"))
    result["versions"] = {name: text for name, text in result["versions"].items() if name != "git"}
    path.write_text(json.dumps(result), encoding="utf-8")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/hiersearch"
    pictures = ROOT / "docs/pictures"
    with tempfile.TemporaryDirectory() as folder:
        table2, gather = Path(folder) / "abci-table2-left-out.json", Path(folder) / "perlmutter.json"
        table2_result(program, table2)
        prediction(program, gather, "perlmutter", "--np", "64", "--size", "64KiB:1GiB", "--collective", "allgather", "--layout", "reversed")
        for kind, path, words in (("accuracy", table2, []), ("layers", gather, ["--size", "16MiB"]), ("gain", gather, []),
                                  ("system", gather, ["--size", "16MiB"])):
            subprocess.run([program, "plot", path, "--kind", kind, *words, "--quiet", "-o", pictures / f"{kind}.svg"], check=True)
            print(pictures / f"{kind}.svg")


if __name__ == "__main__":
    main()
