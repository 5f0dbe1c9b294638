#!/usr/bin/env python3
"""Pages of machines: what their library takes by size and nodes, what it chooses, which plans are faster, how far such predictions are off
published times, and the sources of all figures.

    page/machines.py --program build/hiersearch FOLDER [MACHINE...]      MACHINE: a shipped name or a line of parts; none: all of them, and LINES

Writes FOLDER/NAME.html for each and FOLDER/index.html. All text comes from the program and docs/accuracy.md, and is escaped.
"""
import argparse
import concurrent.futures
import html
import json
import math
import os
import re
import shutil
import subprocess
import urllib.parse
from pathlib import Path

LINES = ("8xH100, 8xNDR400, 32:2", "8xH100, 8xNDR400", "8xH100", "8xH200, 8xNDR400", "8xH200", "8xB200, 8xNDR400", "8xB200", "8xB300, 8xXDR800",
         "72xGB200, 72xNDR400", "72xGB300, 72xXDR800", "8xA100, 8xHDR200", "8xA100, 4xHDR200", "8xA100, 1xHDR200", "8xA100", "4xA100-mesh, 4xSS11",
         "4xH100, 4xNDR200", "4xGH200, 4xSS11", "8xV100, 4xEDR100", "8xMI300X, 8xNDR400", "8xL40S, 1xNDR400")
SIZES = "1KiB:4GiB"
TABLE_SIZES = ("64KiB", "1MiB", "16MiB", "128MiB", "1GiB")
COLLECTIVES = ("allreduce", "allgather", "reduce-scatter", "all-to-all")
WRITTEN = {"allreduce": "AllReduce", "allgather": "AllGather", "reduce-scatter": "ReduceScatter", "all-to-all": "all-to-all"}
UNITS = (("GiB", 30), ("MiB", 20), ("KiB", 10))
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")
ACCURACY = Path(__file__).resolve().parent.parent / "docs/accuracy.md"
# Classes of its table of classes: of one node, of several.
BOARDS, RACK_GPUS, ALL_PLANS = r"\d+x(\S+-pcie|\S+-p2p|\S+-switch|(L40S?|L4|T4|A10G?|A40|RTX\w+)\b)", 72, 1000


def size_text(count):
    for unit, bits in UNITS:
        if count % (1 << bits) == 0:
            return f"{count >> bits}{unit}"
    return f"{count}B"


def time_text(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.4g} {unit}"
    return ""


def bus_rate(collective, ranks, row):
    """GB/s as nccl-tests defines it; NaN: no price."""
    factor = (ranks - 1) / ranks * (2 if collective == "allreduce" else 1)
    return factor * row["message_bytes"] / row["default"]["seconds"] / 1e9 if "default" in row else math.nan


class Machine:
    def __init__(self, program, text):
        self.program, self.text = program, text
        self.system = json.loads(self.ask("systems", text, "--json")) if "," not in text and not text[0].isdigit() else None
        if self.system is None:
            self.system = self.predict("allreduce", 2, "1MiB")["system"]
        self.title = self.system.get("title", text)
        self.levels = self.system["levels"]
        self.node = self.levels[0]["arity"] or 1  # of parts; else what is joined first
        self.parts = self.system.get("parts") or (text if text[0].isdigit() else "")
        self.file = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") + ".html"

    def ask(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def predict(self, collective, ranks, sizes):
        return json.loads(self.ask("predict", self.text, "--np", str(ranks), "--collective", collective, "--size", sizes, "--json", "-q", "--top", "1"))

    def counts(self):
        """Ranks: a node, then 2, 8 and 64 of them, as far as the machine goes."""
        most = math.prod(level["arity"] or 1 << 20 for level in self.levels)
        found = [self.node * nodes for nodes in (1, 2, 8, 64) if self.node * nodes <= most]
        return [ranks for ranks in found if ranks > 1]


def cell(text, tag="td"):
    return f"<{tag}>{html.escape(text)}</{tag}>"


def table(head, rows):
    lines = ["<div class=wide><table><thead><tr>" + "".join(cell(word, "th") for word in head) + "</tr></thead><tbody>"]
    lines += ["<tr>" + "".join(cell(word) for word in row) + "</tr>" for row in rows]
    return "\n".join(lines) + "</tbody></table></div>\n"


def plot(curves):
    """Bus bandwidth by size: a line and a band for each count of ranks, (label, [(bytes, rate, low, high)])."""
    points = [point for _, curve in curves for point in curve if math.isfinite(point[1])]
    if not points:
        return ""
    least, most = math.log2(min(p[0] for p in points)), math.log2(max(p[0] for p in points))
    top = max(p[3] for p in points) * 1.05
    step = 10 ** math.floor(math.log10(top))
    step = next(step * part for part in (0.2, 0.5, 1, 2) if top / (step * part) <= 6)

    def at(size, rate):
        return f"{60 + 620 * (math.log2(size) - least) / (most - least):.1f},{260 - 240 * rate / top:.1f}"

    lines = ['<svg viewBox="0 0 700 330" role="img" aria-label="bus bandwidth by message size">']
    for k in range(int(top / step) + 1):
        height = 260 - 240 * k * step / top
        lines.append(f'<line x1="60" y1="{height:.1f}" x2="680" y2="{height:.1f}" class=grid /><text x="54" y="{height + 4:.1f}" text-anchor="end">{k * step:g}</text>')
    for power in range(math.ceil(least), int(most) + 1, 4):
        lines.append(f'<text x="{60 + 620 * (power - least) / (most - least):.1f}" y="278" text-anchor="middle">{size_text(1 << power)}</text>')
    for i, (label, curve) in enumerate(curves):
        known = [point for point in curve if math.isfinite(point[1])]
        band = [at(size, low) for size, _, low, _ in known] + [at(size, high) for size, _, _, high in reversed(known)]
        color, dash = COLORS[i % 4], DASHES[i % 4]
        lines.append(f'<polygon points="{" ".join(band)}" fill="{color}" opacity="0.12"/>')
        lines.append(f'<polyline points="{" ".join(at(size, rate) for size, rate, _, _ in known)}" fill="none" stroke="{color}" stroke-width="2" '
                     f'stroke-dasharray="{dash}"/>')
        lines.append(f'<line x1="{60 + 155 * i}" y1="306" x2="{84 + 155 * i}" y2="306" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>'
                     f'<text x="{90 + 155 * i}" y="310">{html.escape(label)}</text>')
    lines.append('<text x="60" y="12">GB/s, band: 90 %</text></svg>')
    return "\n".join(lines)


def section(machine, collective):
    curves, rows, evidence = [], [], ""
    for ranks in machine.counts():
        result = machine.predict(collective, ranks, SIZES)
        nodes = ranks // machine.node
        label = f"{ranks} ranks" + (f", {nodes} node{'s' * (nodes > 1)}" if "parts" in machine.system else "")
        curve = []
        for row in result["results"]:
            usual, verdict = row.get("default"), row["verdict"]
            rate = bus_rate(collective, ranks, row)
            if usual:
                curve.append((row["message_bytes"], rate, rate * usual["seconds"] / usual.get("high_seconds", usual["seconds"]),
                              rate * usual["seconds"] / usual.get("low_seconds", usual["seconds"])))
            evidence = row["evidence"]
            if size_text(row["message_bytes"]) not in TABLE_SIZES:
                continue
            rows.append((label, size_text(row["message_bytes"]), usual["choice"] if usual else "no price", time_text(usual["seconds"]) if usual else "",
                         f"{time_text(usual['low_seconds'])} to {time_text(usual['high_seconds'])}" if usual and "low_seconds" in usual else "",
                         f"{rate:.4g}" if usual else "",
                         f"use {verdict['plan']}" + (f", {verdict['gain']:.2f}x" if "gain" in verdict else "") if verdict["advice"] == "plan"
                         else {"default": "keep the default", "undecided": "cannot tell"}[verdict["advice"]]))
        curves.append((label, curve))
    if not rows:
        return ""
    return (f"<h2>{WRITTEN[collective]}</h2>\n{plot(curves)}\n"
            + table(("ranks", "size", "the library runs", "time", "90 % range", "busbw GB/s", "plans"), rows)
            + f"<p>Evidence: {html.escape(evidence)}.</p>\n")


def documented(heading):
    """The rows below the table's heading in docs/accuracy.md that begins with these words."""
    lines = ACCURACY.read_text(encoding="utf-8").partition(f"\n| {heading} |")[2].splitlines()[2:]
    ends = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[:ends]]


def classes(machine):
    """Those of the machine's calls: in a node, between nodes."""
    library, several = machine.system.get("library"), "," in machine.parts or len(machine.levels) > 1
    if library in ("mpich", "openmpi"):
        return ["CPU MPI"]
    if library == "rccl":
        return ["RCCL nodes"] + ["RCCL multi-node"] * several
    if not machine.system.get("parts"):
        return []
    if re.match(BOARDS, machine.parts):
        return ["boards"]
    rack = int(re.match(r"\d+", machine.parts)[0]) >= RACK_GPUS
    return ["NVLink nodes"] + ["NVL racks" if rack else "multi-node"] * several


def gpu(parts):
    found = re.match(r"\d+x([A-Za-z0-9]+)", parts)
    return found[1].lower() if found else ""


def published(machine):
    """How far off such predictions are: by class, for machines with these GPUs, and at points that the system's file has."""
    text = "<h2>Compared with published times</h2>\n"
    mine = classes(machine)
    if rows := [row for row in documented("class") if row[0] in mine]:
        text += ("<p>Each machine predicted by constants fitted without it, by class: to 1 MiB / to 64 MiB / from 64 MiB on.</p>\n"
                 + table(("class", "published times", "% off", "in the 90 % range"), rows))
    if rows := [row for row in documented("machine, left out of the fit") if mine and gpu(row[1]) == gpu(machine.parts)]:
        text += (f"<p>AllReduce on machines with {html.escape(re.match(r'[0-9]+x([A-Za-z0-9]+)', machine.parts)[1])}, published times, and how far off predictions "
                 "without that machine's times are; *: outside of the 90 % range.</p>\n" + table(("machine", "parts", "GPUs", "1 MiB", "64 MiB", "1 GiB"), rows))
    if points := machine.system.get("published"):
        fitted = ", which this description was fitted to" if machine.system.get("fits") else ""
        text += f"<p>Published times of this machine{fitted}, and predictions with the nominal parameters:</p>\n" + table(
            ("ranks", "size", "plan", "published", "predicted", "off"), point_rows(machine, points))
        text += "".join(f"<p>{html.escape(source)}</p>\n" for source in sorted({point["source"] for point in points}))
    if text.count("\n") == 1:
        text += "<p>No published times of such a machine are known here.</p>\n"
    return text + '<p>All figures, and how they were found: <a href="accuracy.md">docs/accuracy.md</a>.</p>\n'


def point_rows(machine, points):
    """Of AllReduces by plans. All plans have a nominal price; of samples the file has the plans within reach of the best."""
    rows = []
    for ranks, size in sorted({(point["np"], point["message_bytes"]) for point in points}):
        result = json.loads(machine.ask("predict", machine.text, "--np", str(ranks), "--size", str(size), "--top", str(ALL_PLANS), "--samples", "0", "--json",
                                        "-q"))
        seconds = {one["plan"]: one["predicted_seconds"] for one in result["results"][0]["candidates"]}
        for point in points:
            plan, took = point["call"], point["seconds"]
            if (point["np"], point["message_bytes"]) == (ranks, size) and plan in seconds:
                rows.append((str(ranks), size_text(size), plan, time_text(took), time_text(seconds[plan]), f"{100 * (seconds[plan] / took - 1):+.0f} %"))
    return rows


def sources(machine):
    rows = []
    for level in machine.levels:
        said = level.get("source", {})
        for key, unit, of in (("bandwidth_GBps", "GB/s", "bandwidth"), ("latency_us", "us", "latency")):
            if key in level:
                rows.append((level["name"], f"{of} {level[key]:g} {unit}", said.get(of, "")))
    text = "<h2>Figures and their sources</h2>\n" + table(("level", "figure", "source"), rows)
    for key in ("source", "notes"):
        if machine.system.get(key):
            text += f"<p>{html.escape(machine.system[key])}</p>\n"
    return text


STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:auto;padding:1rem}table{border-collapse:collapse;font-size:.9rem}
td,th{padding:.2rem .8rem .2rem 0;text-align:left;white-space:nowrap;border-bottom:1px solid #8884}.wide{overflow-x:auto}
svg{width:100%;max-width:48rem}svg text{font-size:12px;fill:currentColor}.grid{stroke:#8886}code{overflow-wrap:anywhere}
:root{color-scheme:light dark}td:last-child{white-space:normal;min-width:12rem}"""


def page(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>\n{body}</body></html>\n")


def write(machine, folder):
    link = html.escape("../hiersearch.html#" + urllib.parse.urlencode({"panel": "see", "line": machine.text}))
    body = (f"<p><a href=\"index.html\">All machines</a></p><h1>{html.escape(machine.title)}</h1>\n<p><code>hiersearch predict '{html.escape(machine.text)}' "
            f"--np {machine.counts()[-1]}</code></p>\n" + "".join(section(machine, one) for one in COLLECTIVES) + published(machine) + sources(machine)
            + f"<p>Predicted, not measured. Ask about other counts and sizes: <a href=\"{link}\">the page</a>.</p>\n")
    (folder / machine.file).write_text(page(machine.title, body), encoding="utf-8")
    return machine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("folder", type=Path)
    parser.add_argument("machines", nargs="*")
    asked = parser.parse_args()
    program = os.path.abspath(asked.program)
    names = asked.machines
    if not names:
        listed = subprocess.run([program, "systems", "--json"], capture_output=True, text=True, check=True)
        names = [one["name"] for one in json.loads(listed.stdout)] + list(LINES)
    asked.folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ACCURACY, asked.folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        machines = list(pool.map(lambda text: write(Machine(program, text), asked.folder), names))
    rows = "".join(f"<li><a href=\"{html.escape(one.file)}\">{html.escape(one.text)}</a> {html.escape(one.title if one.title != one.text else '')}</li>\n"
                   for one in machines)
    (asked.folder / "index.html").write_text(
        page("Machines", "<h1>What machines should reach</h1>\n<p>By collective, size and number of nodes, with ranges, the library's choice and "
                         f"faster plans. <a href=\"../hiersearch.html\">Ask about another one</a>.</p>\n<ul>\n{rows}</ul>\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
