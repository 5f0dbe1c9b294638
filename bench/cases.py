#!/usr/bin/env python3
"""Files of machines and logs as people post them: what is expected of each, what comes out, and whether that is right.

    CASES=FOLDER bench/cases.py [--program FILE] [--all]    without --all a right row is one line

A row is right where its test of what came out holds; tests are of figures and words, not of whole outputs.
"""
import argparse
import json
import os
import subprocess
import sys

CPUS = "node:16@10GB/s~0.5us,eth@6.25GB/s~25us;library=openmpi"


class Answer:
    """Of one command: its status, what it wrote, and of a system its file."""

    def __init__(self, program, folder, words):
        words = [os.path.join(folder, word) if os.path.exists(os.path.join(folder, word)) else word for word in words]
        ran = subprocess.run([program, *words], capture_output=True, text=True, timeout=300)
        self.code, self.err = ran.returncode, ran.stderr.replace(folder + "/", "").replace("hiersearch ", "")
        self.file = json.loads(ran.stdout) if ran.stdout.startswith("{") else {}
        self.parts = self.file.get("parts", "")
        self.notes = self.file.get("notes") or ""
        self.levels = {level["name"]: level for level in self.file.get("levels", [])}

    def rate(self, level):
        return self.levels.get(level, {}).get("bandwidth_GBps")

    def links(self, level):
        return sorted([*link["between"], link.get("count", 1)] for link in self.levels.get(level, {}).get("links", []))

    def is_read(self):
        return self.code == 0 and self.file != {}

    def says(self, *words):
        return all(word.lower() in (self.notes + self.err).lower() for word in words)

    def shown(self):
        levels = ", ".join(f"{name}:{level['arity'] or 'any'}@{level['bandwidth_GBps']:g}"
                           for name, level in self.levels.items() if "bandwidth_GBps" in level)
        if not self.file:
            return f"exit {self.code}: {self.err.strip()}"
        return f"{self.parts or levels}; {self.notes}" if self.notes else self.parts or levels


def default_range(answer):
    """Of the library's default call, in seconds."""
    call = answer.file["results"][0]["default"]
    return call["low_seconds"], call["high_seconds"]


def near(found, wanted, part=0.02):
    return found is not None and abs(found / wanted - 1) < part


def systems(*files):
    return ["systems", "--from", *files, "--json"]


def rows():
    """number, command, expected, test"""
    both = ["03-down-matrix.txt", "03-down.txt"]
    yield "01", systems("01-two-ports-matrix.txt", "01-two-ports.txt"), "4xA100-mesh, 2xHDR200", \
        lambda a: a.parts == "4xA100-mesh, 2xHDR200"
    yield "02", systems("01-two-ports-matrix.txt", "02-down-is-faster.txt"), "2 x 25 Gb/s Ethernet", \
        lambda a: near(a.rate("net"), 6.25) and a.levels["net"].get("ports") == 2
    yield "03", systems(*both), "8xH100, 6xNDR400, two that are down are named", \
        lambda a: a.parts == "8xH100, 6xNDR400" and a.says("mlx5_6", "mlx5_7", "down")
    yield "04", systems("04-mi100.xml"), "mesh, 72 GB/s", lambda a: near(a.rate("xgmi"), 72)
    yield "05", systems("05-mi250x-weights.txt"), "36 GB/s a link", \
        lambda a: near(a.levels["xgmi"]["links"][0]["bandwidth_GBps"], 36)
    yield "06", systems("06-mi250x-types-only.txt"), "no mesh of dies without weights, said", \
        lambda a: a.is_read() and a.levels["xgmi"]["fabric"] != "mesh" and a.says("weight")
    yield "07", systems("07-sxm-no-links.xml"), "8xA100, NVLinks that are not shown are said", \
        lambda a: a.parts == "8xA100" and a.says("nvlink")
    yield "08", systems("08-sxm-topo-mp.txt"), "8xH800, likewise", \
        lambda a: a.parts == "8xH800" and a.says("nvlink")
    yield "09", systems("09-no-ids.xml"), "NVLinks are not known, said", lambda a: a.is_read() and a.says("nvlink")
    yield "10", systems("10-links-to-itself.xml"), "no level nvlink, said", \
        lambda a: a.is_read() and "nvlink" not in a.levels and a.says("to itself")
    yield "11", systems("11-speed-unknown.xml"), "read, the NICs' rate not known", \
        lambda a: a.parts == "8xH100" and a.says("rate")
    yield "12", systems("12-speed-kbit.xml"), "read, the NICs' rate not known", \
        lambda a: near(a.rate("xgmi"), 144) and "net" not in a.levels and a.says("rate")
    yield "13", ["fit", "8xA100, 8xHDR200", "13-ranks-cut.log"], "16 ranks, or both numbers", \
        lambda a: a.code != 0 and a.says("8 ranks", "16 ranks", "--np")
    yield "14", ["fit", CPUS, "14-osu-validation.log", "--np", "128", "--nodes", "8", "--force"], \
        "2 times, line 5 left out", lambda a: a.says("2 times") and a.says(":5: left out")
    yield "15", ["fit", "8xA100-80", "15-prefix-without-space.log", "--force"], "10 times", \
        lambda a: a.is_read() and a.says("10 times")
    yield "16", systems("16-matrix-behind-host.txt"), "a graph of pairs, 12 links each", \
        lambda a: all(link in a.links("nvlink") for link in ([0, 1, 12], [2, 3, 12]))
    yield "17", systems(*both, "17-three-tiers.conf"), "8 nodes, 4 leaves, 2 pods", \
        lambda a: a.parts.endswith(", 8") and a.says("4 leaf switches", "2 of these")
    yield "18", systems(*both, "18-two-fabrics.conf"), "2 trees, said", \
        lambda a: a.parts.endswith(", 16") and a.says("2 trees")
    yield "19", systems("19-counts-given.xml"), "no note on links not seen", \
        lambda a: a.is_read() and "one was seen" not in a.notes
    yield "20", systems("20-board-not-known.txt"), "8xRTX5090, or its slot as PCIe 5", \
        lambda a: a.parts == "8xRTX5090" and near(a.rate("pcie"), 48)
    yield "21", ["predict", "4xA100-pcie4", "--np", "4", "--size", "32MiB", "--collective", "allgather", "--json"], \
        "0.97 ms in range", lambda a: default_range(a)[0] <= 0.97e-3 <= default_range(a)[1]
    yield "21", ["fit", "4xA100-bridged", "21-a100-pcie-pairs.log", "--force"], "taken, or where it is taken is said", \
        lambda a: a.is_read() or a.says("4xA100-pcie4")
    yield "22", systems("22-amd-smi.txt"), "read: a mesh of 4", \
        lambda a: a.is_read() and a.levels["xgmi"]["fabric"] == "mesh"
    yield "23", systems("01-two-ports-matrix.txt", "23-ibv-devinfo.txt"), "read: 400 Gb/s InfiniBand", \
        lambda a: a.parts == "4xA100-mesh, 1xNDR400"
    yield "24", ["fit", "8xA100-80", "24-utf16.log", "--force"], "10 times", \
        lambda a: a.is_read() and a.says("10 times")
    yield "25", ["fit", CPUS, "25-imb.log"], "asks for the nodes", lambda a: a.code != 0 and a.says("--nodes")
    yield "25", ["fit", CPUS, "25-imb.log", "--nodes", "1", "--force"], "2 times", \
        lambda a: a.is_read() and a.says("2 times")
    yield "26", systems("26-display-gpu.txt"), "4xA100-mesh, the display left out, said", \
        lambda a: a.parts == "4xA100-mesh" and a.says("display")
    yield "27", systems("27-hwloc-nvlinks.xml"), "pairs 0-1, 2-3 of 2 links, 2 to each CPU", \
        lambda a: all(link in a.links("nvlink")
                      for link in ([0, 1, 2], [2, 3, 2], [0, 4, 2], [1, 4, 2], [2, 5, 2], [3, 5, 2]))
    yield "28", ["predict", "1xH100, 4xRoCE400", "--np", "2", "--size", "1GiB", "--json"], "below 63 GB/s", \
        lambda a: default_range(a)[0] >= 2**30 / 63e9 * 0.98  # the slot's line rate, and what a range is rounded to


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/hiersearch")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    folder = os.environ.get("CASES")
    if not folder:
        sys.exit("expected CASES=FOLDER, the folder of the inputs")
    right = count = 0
    for number, words, expected, test in rows():
        answer = Answer(asked.program, folder, words)
        try:
            is_right = test(answer)
        except (KeyError, IndexError, TypeError):
            is_right = False
        count += 1
        right += is_right
        print(f"{number}  {'right' if is_right else 'WRONG'}  {words[0]}: {expected}")
        if asked.all or not is_right:
            print(f"           got: {answer.shown()}")
    print(f"{right} of {count} right")
    sys.exit(right < count)


if __name__ == "__main__":
    main()
