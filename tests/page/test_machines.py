#!/usr/bin/env python3
"""Pages of machines (page/machines.py): each has its collectives, figures as the command line's, published times beside
predictions, and no markup from files. Prints TAP.

usage: test_machines.py PROGRAM
"""
import html.parser
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
ROOT = Path(__file__).resolve().parent.parent.parent
EVIL = "</title><script>alert(1)</script>&\"'"
count = 0
failed = False


def say(good, sentence):
    global count, failed
    count += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {count} - {sentence}", flush=True)


class Page(html.parser.HTMLParser):
    """Its tags, cells of tables and texts."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.cells, self.text, self.cell = [], [], "", False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.cell = tag == "td"
        if self.cell:
            self.cells.append("")

    def handle_endtag(self, tag):
        self.cell = False

    def handle_data(self, data):
        self.text += data
        if self.cell:
            self.cells[-1] += data


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        system = json.loads(subprocess.run([PROGRAM, "systems", "perlmutter", "--json"], capture_output=True, text=True, check=True).stdout)
        system.update(name="evil", title=EVIL, notes=EVIL, source=EVIL)
        (out / "evil.json").write_text(json.dumps(system), encoding="utf-8")
        machines = ["8xH100, 8xNDR400, 32:2", "dgx1-v100", "leonardo", "frontier", "a6000-bridged", "abci", str(out / "evil.json")]
        subprocess.run([ROOT / "page/machines.py", "--program", PROGRAM, out / "pages", *machines], check=True)
        pages = {path.name: Page(path) for path in (out / "pages").glob("*.html")}
        say(len(pages) == len(machines) + 1, "a page for each machine, and an index")
        say(pages["index.html"].tags.count("li") == len(machines), "the index has all of them")
        said = json.loads(subprocess.run([PROGRAM, "predict", machines[0], "--np", "64", "--size", "128MiB", "--json", "-q"], capture_output=True,
                                         text=True, check=True).stdout)["results"][0]["default"]
        page = pages["8xh100-8xndr400-32-2.html"]
        row = page.cells.index("128MiB", page.cells.index("64 ranks, 8 nodes"))
        say(page.cells[row + 1] == said["choice"] and page.cells[row + 2] == f"{said['seconds'] * 1e3:.4g} ms", "figures are the command line's")
        say(page.tags.count("svg") == 4 and "data sheet" in page.text, "four collectives are drawn, and figures have their sources")
        classes = [[cell.strip() for cell in line.strip("|").split("|")] for line in (ROOT / "docs/accuracy.md").read_text(encoding="utf-8").splitlines()
                   if line.startswith(("| NVLink nodes |", "| multi-node |"))]
        say(len(classes) == 2 and all(page.cells[page.cells.index(row[0]):][:len(row)] == row for row in classes),
            "a page has the errors of its classes, as docs/accuracy.md has them")
        say("RCCL nodes" in pages["frontier.html"].cells and "NVLink nodes" not in pages["frontier.html"].cells and
            "CPU MPI" in pages["leonardo.html"].cells and "No published times" in pages["dgx1-v100.html"].text, "and those of no other")
        points = json.loads((ROOT / "configs/abci.json").read_text(encoding="utf-8"))["published"]
        cells = pages["abci.html"].cells
        rows = [cells[i:i + 4] for i in range(len(cells))]
        say(len(points) == 10 and all(["128", "128MiB", one["call"], f"{one['seconds'] * 1e3:.4g} ms"] in rows for one in points),
            "times that a system's file has are there, with the prediction of the same plan beside")
        evil = next(page for name, page in pages.items() if "evil" in name)
        say("script" not in evil.tags and EVIL in evil.text, "text from files is text")
        say(all("script" not in page.tags for page in pages.values()), "no page has a script")
    print(f"1..{count}")
    sys.exit(failed)


main()
