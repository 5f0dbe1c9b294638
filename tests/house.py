#!/usr/bin/env python3
"""Figures of the house, and the limits that functions, structs and lines keep.

usage: tests/house.py sizes    lines of code by folder of src, lengths, comments
       tests/house.py check    TAP; what is above a limit must stand in tests/house.txt, with the reason

Lines of code are those that are neither blank nor comment. Functions and structs are found by universal-ctags.
"""
import collections
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, FUNCTION_LINES, PARAMETERS, FIELDS = 100, 70, 6, 15
SOURCES = (".c", ".cu", ".inc")


def files(folders):
    return sorted(str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*")
                  if path.suffix in (".h", *SOURCES))


def tags(names):
    """(kind, name, file, lines, parameters) of functions, (kind, name, file, fields) of structs."""
    form = "%K\t%N\t%F\t%n\t%e\t%S\t%s"
    out = subprocess.run(["ctags", "-x", "--_xformat=" + form, "--langmap=C:+.cu.inc", "--c-kinds=fsm", *names],
                         cwd=ROOT, check=True, capture_output=True, text=True).stdout
    fields = collections.Counter()
    functions, structs = [], []
    for line in out.splitlines():
        kind, name, path, first, last, signature, scope = (line + "\t").split("\t")[:7]
        if kind == "function":
            functions.append((name, path, int(last) - int(first) + 1, parameters(signature)))
        elif kind == "member":
            fields[path, scope] += 1
        else:
            structs.append((name, path))
    return functions, [(name, path, fields[path, name]) for name, path in structs]


def parameters(signature):
    inside = signature.strip()[1:-1].strip()
    depth, count = 0, 0 if inside in ("", "void") else 1
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        count += letter == "," and depth == 0
    return count - inside.endswith("...")


def lines_of(name):
    """Lines in all, of code, and of nothing but comment."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blanked = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    blanked = re.sub(r"//[^\n]*", "", blanked)
    whole, code = text.split("\n"), blanked.split("\n")
    comments = sum(bool(before.strip()) and not after.strip() for before, after in zip(whole, code))
    return len(whole) - 1, sum(bool(line.strip()) for line in code), comments


def share(counts):
    return f"{100 * counts[2] / max(counts[1] + counts[2], 1):.0f} %"


def add(total, counts):
    for i, count in enumerate(counts):
        total[i] += count


def uses(names, functions):
    """(static functions, those with one caller, public ones, those that one other source uses, and of these in its folder)."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in names}
    bare = {name: re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S) for name, text in texts.items()}
    words = {name: collections.Counter(re.findall(r"[A-Za-z_]\w*", text)) for name, text in bare.items()}
    sources = collections.defaultdict(set)
    for name in names:
        for word in words[name] if name.endswith(SOURCES) else ():
            sources[word].add(name)
    static = single = public = narrow = near = 0
    for name, path, _, _ in functions:
        if path.endswith(".h"):
            continue
        if re.search(rf"^static\b[^;{{}}=]*\b{name}\(", bare[path], re.M):
            declared = len(re.findall(rf"^static\b[^;{{}}=]*\b{name}\([^;{{}}]*\);", bare[path], re.M))
            static += 1
            single += words[path][name] - declared == 2
            continue
        others = sources[name] - {path}
        public += 1
        narrow += len(others) == 1
        near += len(others) == 1 and pathlib.Path(*others).parent == pathlib.Path(path).parent
    return static, single, public, narrow, near


def sizes():
    names = files(["src"])
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    kinds = {"headers": [0, 0, 0], "sources": [0, 0, 0]}
    for name in names:
        counts = lines_of(name)
        add(folders[name.split("/")[1]], (*counts, 1))
        add(kinds["headers" if name.endswith(".h") else "sources"], counts)
    print(f"{'src/':12} {'files':>6} {'lines':>7} {'code':>7}")
    for folder, (lines, code, _, count) in sorted(folders.items()):
        print(f"{folder:12} {count:6} {lines:7} {code:7}")
    functions, structs = tags(names)
    lengths = sorted(function[2] for function in functions)
    print(f"{'all':12} {len(names):6} {sum(k[0] for k in kinds.values()):7} {sum(k[1] for k in kinds.values()):7}")
    print(f"function lines, median/p90/max   {statistics.median(lengths):.0f}/{lengths[len(lengths) * 9 // 10]}/{lengths[-1]}")
    print(f"comment share, headers/sources   {share(kinds['headers'])} / {share(kinds['sources'])}")
    print(f"functions of more than {PARAMETERS} parameters   {sum(f[3] > PARAMETERS for f in functions)} of {len(functions)}")
    print(f"structs of more than {FIELDS} fields   {sum(s[2] > FIELDS for s in structs)} of {len(structs)}")
    static, single, public, narrow, near = uses(names, functions)
    print(f"lines of code per struct   {sum(k[1] for k in kinds.values()) / len(structs):.0f}")
    print(f"static functions with one caller   {single} of {static}, {100 * single / static:.0f} %")
    print(f"public functions that one other source uses   {narrow} of {public}, {100 * narrow / public:.0f} %; next door {near}")


def read_excuses():
    """(limit, name, file) -> reason."""
    excuses = {}
    for line in (ROOT / "tests/house.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            where, _, reason = line.partition(": ")
            excuses[tuple(where.split())] = reason.strip()
    return excuses


def check():
    functions, structs = tags(files(["src"]))
    above = {("parameters", name, path): count for name, path, _, count in functions if count > PARAMETERS}
    above.update({("fields", name, path): count for name, path, count in structs if count > FIELDS})
    excuses = read_excuses()
    wide = [f"{name}:{i}: {len(line)} columns" for name in files(["src", "tests", "bench", "plugins"])
            for i, line in enumerate((ROOT / name).read_text(encoding="utf-8").split("\n"), 1) if len(line) > COLUMNS]
    twice = sorted({name[6:] for name in files(["tests"]) if name.endswith(".h")} & {name[4:] for name in files(["src"])})
    rows = [
        (f"no line is wider than {COLUMNS} columns", wide),
        (f"no function is longer than {FUNCTION_LINES} lines",
         [f"{path}: {name}: {lines}" for name, path, lines, _ in functions if lines > FUNCTION_LINES]),
        (f"functions have at most {PARAMETERS} parameters, structs {FIELDS} fields, or stand in tests/house.txt",
         [f"{path}: {name}: {count} {limit}" for (limit, name, path), count in above.items()
          if (limit, name, path) not in excuses]),
        ("what stands in tests/house.txt has a reason, and is above its limit",
         [" ".join(key) + (": within the limit now, take it off the list" if reason else ": no reason")
          for key, reason in excuses.items() if key not in above or not reason]),
        ("no header of the tests is included by the name of one in src/", twice),
    ]
    for number, (sentence, wrong) in enumerate(rows, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}")
        for line in wrong:
            print(f"# {line}")
    headers = [0, 0, 0]
    for name in files(["src"]):
        if name.endswith(".h"):
            add(headers, lines_of(name))
    print(f"# comment share of headers: {share(headers)}")
    return any(wrong for _, wrong in rows)


if __name__ == "__main__":
    if sys.argv[1:] not in (["sizes"], ["check"]):
        sys.exit(__doc__)
    sys.exit(sizes() if sys.argv[1] == "sizes" else check())
