#!/usr/bin/env python3
"""Checks that every folder of src/ includes only the folders it may use, and that no files of a folder include each
other in a circle. Arguments: "folder:allowed allowed ...", of which "folder/file:..." is of one file that may use more.
Prints TAP.

A file is NAME.c with NAME.h; that it includes its own header is no circle.
"""

import pathlib
import re
import sys

def includes_of(path):
    """The folder and the name of each file that it includes of src/."""
    return re.findall(r'^#include "([a-z]+)/([a-z_0-9/]+)\.', path.read_text(), re.M)


def circles_of(edges):
    """Files that reach each other, those of each circle as a set (Tarjan's strongly connected components)."""
    order, lowest, stack, circles = {}, {}, [], []

    def visit(file):
        order[file] = lowest[file] = len(order)
        stack.append(file)
        for other in sorted(edges.get(file, ())):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == order[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                circles.append(frozenset(stack[at:]))
            del stack[at:]

    for file in sorted(edges):
        if file not in order:
            visit(file)
    return circles


def check(folder, allowed, own):
    """What is wrong with the folders that it includes, and with its circles; `own`: what files of it may use."""
    beyond, edges = {f"src/{folder}/{file}.[ch] is not there" for file in own if not list(pathlib.Path("src", folder).glob(f"{file}.[ch]"))}, {}
    for path in sorted(pathlib.Path("src", folder).iterdir()):
        if path.suffix not in (".c", ".h", ".cu"):
            continue
        file = path.stem
        edges.setdefault(file, set())
        for other_folder, name in includes_of(path):
            if other_folder not in own.get(file, allowed):
                beyond.add(f"{path} includes {other_folder}/")
            elif other_folder == folder and name != file:
                edges[file].add(name)
    return sorted(beyond), sorted(f"in a circle: {' '.join(sorted(files))}" for files in circles_of(edges))


def main():
    number, failed = 0, False

    def report(wrong, sentence):
        nonlocal number, failed
        number += 1
        failed = failed or bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}")
        for line in wrong:
            print("#", line)

    rules = [rule.partition(":")[::2] for rule in sys.argv[1:]]
    for folder, allowed in rules:
        if "/" in folder:
            continue
        own = {name.partition("/")[2]: more.split() for name, more in rules if name.startswith(f"{folder}/")}
        beyond, wrong = check(folder, allowed.split(), own)
        report(beyond, f"src/{folder} includes only: {' '.join(allowed.split())}")
        report(wrong, f"no files of src/{folder} include each other in a circle")
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
