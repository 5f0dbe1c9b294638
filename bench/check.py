#!/usr/bin/env python3
"""How often `hiersearch check` is right: cases of public logs, and published curves that are fine.

    bench/check.py [--program FILE] --cases FOLDER        cases.json, and the logs that it names
    bench/check.py [--program FILE] --published FILE --machines FILE

A case has file, machine, np, cause ("fine": none), fine, layer, confidence and known_from_elsewhere.
Each runs twice: with the log alone, and with what its poster knew besides.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

LAYERS = {"gpu-nic": "network", "fabric": "network", "nic-count": "network", "transport": "network",
          "network": "network", "algorithm": "algorithm", "gpu-gpu": "node", "host": "node", "node": "node",
          "call": "call", "launch": "call"}


def run(program, words):
    began = time.monotonic()
    found = subprocess.run([program, "check", *words, "--json", "--quiet"], capture_output=True, text=True)
    took = time.monotonic() - began
    answer = json.loads(found.stdout) if found.stdout.startswith("{") else None
    return found.returncode, answer, found.stderr.strip(), took


def lines(program, words):
    shown = subprocess.run([program, "check", *words, "--quiet"], capture_output=True, text=True).stdout
    return shown.count("\n")


def options_of(case, known):
    words = ["--np", str(case["np"]), "--nodes", str(case["nodes"])] if case.get("nodes") else []
    elsewhere = case.get("known_from_elsewhere", {}) if known else {}
    if "nccl" in elsewhere:
        words += ["--library-version", elsewhere["nccl"]]
    if elsewhere.get("algorithm") in ("ring", "tree", "nvls", "nvlstree"):
        words += ["--algorithm", elsewhere["algorithm"]]
    if elsewhere.get("nvls") == "off":
        words += ["--env", "NCCL_NVLS_ENABLE=0"]
    return words


def judge(case, code, answer):
    """What the case counts as: found, layer right, and what became of its cause."""
    verdict = answer["verdict"] if answer else "unjudged"
    kind = "fine" if case["fine"] else "low"
    found = verdict != "low" if case["fine"] else verdict == "low"
    layer = next((LAYERS[k] for k in LAYERS if (case.get("layer") or "").startswith(k)), None)
    cause, status, fits = case.get("cause"), None, []
    if answer and not case["fine"]:
        causes = {one["cause"]: one for one in answer.get("causes", [])}
        status = causes.get(cause, {}).get("status") if cause else None
        fits = [name for name, one in causes.items() if one["status"] in ("established", "fits")]
    return {"kind": kind, "found": found, "verdict": verdict, "layer": answer["layer"] if answer else "",
            "layer_right": layer is None or (answer is not None and answer["layer"] == layer), "truth": layer,
            "status": status, "fits": fits, "alone": len(fits) == 1 and fits[0] != cause, "code": code}


def cases(program, folder):
    everything = json.load(open(os.path.join(folder, "cases.json")))
    for known in (False, True):
        counts = collections.Counter()
        slowest = 0.0
        print("\n%s" % ("with what the poster knew" if known else "the log alone"))
        for case in everything:
            words = ([case["machine"]] if case["machine"] else []) + [os.path.join(folder, case["file"])]
            words += options_of(case, known)
            code, answer, error, took = run(program, words)
            slowest = max(slowest, took)
            row = judge(case, code, answer)
            counts[row["kind"]] += 1
            counts[row["kind"] + " right"] += row["found"]
            if row["kind"] == "low" and row["verdict"] == "low":
                counts["placed of"] += row["truth"] is not None
                counts["placed"] += row["truth"] is not None and row["layer_right"]
                counts["cause " + str(row["status"])] += case.get("cause") is not None
                counts["wrong alone"] += row["alone"]
            length = lines(program, words)
            counts["too long"] += length > 8
            print("%-32s %-5s %-9s %-9s (%s) %s: %s%s" % (
                case["file"][:-4], row["kind"], row["verdict"], row["layer"], row["truth"], case.get("cause"),
                row["status"], "; fits " + ", ".join(row["fits"]) if row["fits"] else "") +
                ("; " + error if error else ""))
        for key in sorted(counts):
            print("%-28s %d" % (key, counts[key]))
        print("slowest %.0f ms" % (slowest * 1e3))


def published(program, data, machines):
    """Fine curves: how many are called low."""
    known = json.load(open(machines)) if machines else {}
    counts = collections.Counter()
    for curve in json.load(open(data)):
        of = known.get(curve["system"]) or {}
        machine = of.get("parts")
        if not machine or of.get("library", "nccl") != "nccl" or curve.get("mark") or not curve["rows"] or curve["collective"] not in (
                "allreduce", "allgather", "reducescatter", "reduce_scatter", "alltoall"):
            counts["without a machine"] += 1
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as log:
            log.write("bytes,seconds\n")
            for row in curve["rows"]:
                log.write("%d,%.9g\n" % (row["bytes"], row["time_us"] * 1e-6))
            log.flush()
            words = [machine, log.name, "--np", str(curve["ranks"]), "--nodes", str(curve["nodes"]), "--call",
                     curve["collective"].replace("_", "")]
            name = curve["algorithm"].lower()
            for algorithm in ("nvlstree", "nvls", "tree", "ring", "pat"):
                if "nccl_algo" in name and algorithm in name:
                    words += ["--algorithm", algorithm]
                    break
            code, answer, error, _ = run(program, words)
        verdict = answer["verdict"] if answer else "failed"
        counts[verdict] += 1
        if verdict in ("low", "failed"):
            rows = [row for row in answer["rows"] if row["low"]] if answer else []
            print("%-36s %-36s %-13s %4d ranks: %s" % (
                curve["system"][:36], curve["algorithm"][:36], curve["collective"], curve["ranks"],
                "%s; %d of %d sizes, at most %.2fx" % (
                    answer["layer"], len(rows), len(answer["rows"]),
                    max(row["seconds"] / row["expected_seconds"] for row in rows)) if rows else error))
    for key in sorted(counts):
        print("%-28s %d" % (key, counts[key]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/hiersearch")
    parser.add_argument("--cases")
    parser.add_argument("--published")
    parser.add_argument("--machines")
    asked = parser.parse_args()
    if asked.cases:
        cases(asked.program, asked.cases)
    if asked.published:
        published(asked.program, asked.published, asked.machines)
    if not asked.cases and not asked.published:
        sys.exit("expected --cases FOLDER or --published FILE")


if __name__ == "__main__":
    main()
