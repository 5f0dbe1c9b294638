#!/usr/bin/env python3
"""The shipped system files: valid, sourced, and for ABCI the published equations.

Needs python3-jsonschema. Prints TAP; exit status 1 when a test fails. Run from anywhere:
    tests/configs/test_configs.py [DIRECTORY OF SYSTEM FILES]
"""
import json
import math
import pathlib
import re
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "configs"
SCHEMA = ROOT / "docs" / "system.schema.json"
REQUIRED = 16  # systems of real machines that have to be shipped

FIGURES = ("arity", "latency", "bandwidth")  # each needs a source; so does the fabric

# Ueno and Yokota, CCGRID 2019 (DOI 10.1109/CCGRID.2019.00057): measured alpha, and one EDR HCA.
ALPHA_US = 4.80
HCA_MBPS = 9301.19

count = 0
failed = 0


def check(holds, sentence, *detail):
    global count, failed
    count += 1
    if not holds:
        failed += 1
    print(("ok" if holds else "not ok"), count, "-", sentence)
    if not holds:
        for line in detail:
            print("#   ", line)


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"duplicate key {key}")
    return dict(pairs)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12)


def unmarked(text):
    """Speaks of an assumption without the mark that readers and tools look for."""
    words = r"unverified|assum|taken as|secondary|upper limit|not measured|not published|\?"
    doubt = re.search(words, text, re.IGNORECASE)
    return bool(doubt) and not text.startswith("unverified")


def accepted(validator, sample, changes):
    """What the schema takes of changes to a system that are wrong."""
    broken = []
    for path, value in changes:
        copy = json.loads(json.dumps(sample))
        at = copy
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        if validator.is_valid(copy):
            broken.append(f"{path} = {value!r} is accepted")
    return broken


def test_schema_is_strict(validator, sample, graph):
    broken = accepted(validator, sample, (
        (("color",), "red"),
        (("format",), "hiersearch.system/2"),
        (("name",), "Not A Name"),
        (("pipeline_granularity",), 0),
        (("levels",), []),
        (("levels", 0, "speed"), 1),
        (("levels", 0, "arity"), 0),
        (("levels", 0, "arity"), 2.5),
        (("levels", 0, "fabric"), "torus"),
        (("levels", 0, "bandwidth_GBps"), 0),
        (("levels", 0, "latency_us"), -1),
        (("levels", 0, "ports"), 0),
        (("levels", 0, "striped"), "yes"),
        (("levels", 0, "source", "bandwidth"), 9301),
        (("levels", 0, "source", "speed"), "a page"),
        (("levels", 0, "relays"), 1),
        (("levels", 0, "links"), graph["levels"][0]["links"]),
    ))
    broken += accepted(validator, graph, (
        (("levels", 0, "bandwidth_GBps"), 20),
        (("levels", 0, "fabric"), "mesh"),
        (("levels", 0, "arity"), 65),
        (("levels", 0, "arity"), None),
        (("levels", 0, "links"), []),
        (("levels", 0, "ports"), 2),
        (("levels", 0, "links", 0, "between"), [0]),
        (("levels", 0, "links", 0, "between"), [0, 1, 2]),
        (("levels", 0, "links", 0, "between"), [0, -1]),
        (("levels", 0, "links", 0, "count"), 0),
        (("levels", 0, "links", 0, "one_way"), "yes"),
        (("levels", 0, "links", 0, "bandwidth_GBps"), 0),
        (("levels", 0, "links", 0, "color"), "red"),
    ))
    check(not broken, "the schema refuses unknown keys, wrong types and figures out of range",
          *broken)


def test_file(path, validator):
    name = path.stem
    try:
        system = json.loads(path.read_text(), object_pairs_hook=no_duplicates)
    except ValueError as problem:
        check(False, f"{name}: is JSON without duplicate keys", problem)
        return None
    errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(system)]
    check(not errors, f"{name}: is valid against docs/system.schema.json", *errors)
    if errors:
        return None
    check(system["name"] == name and re.fullmatch("[a-z0-9-]+", name),
          f"{name}: bears the name of its file, in small letters", system["name"])
    names = [level["name"] for level in system["levels"]]
    check(len(set(names)) == len(names), f"{name}: has unique level names", names)
    closed = all(level.get("arity") for level in system["levels"][:-1])
    stated = all("arity" in level for level in system["levels"])
    check(closed and stated, f"{name}: leaves no level but the last open, and says so")
    if not (closed and stated):
        return None
    test_sources(name, system)
    test_kind(name, system)
    return system


def test_sources(name, system):
    missing = [key for key in ("title", "source", "notes", "latency_kind", "pipeline_granularity")
               if key not in system]
    wrong = []
    for level in system["levels"]:
        given = level.get("source", {})
        for key in FIGURES + ("fabric",):
            text = given.get(key, "")
            if len(text) < 12:
                wrong.append(f"{level['name']}.{key}: no source")
            elif unmarked(text):
                wrong.append(f"{level['name']}.{key}: does not begin with 'unverified': {text}")
    check(not missing and not wrong, f"{name}: states a source for every figure, or unverified",
          *missing, *wrong)


def test_kind(name, system):
    """Which latency is meant decides s: a whole ring step is not to be paid s times."""
    steps = system["latency_kind"] == "protocol-step"
    check((system["pipeline_granularity"] == 1) if steps else system["pipeline_granularity"] >= 1,
          f"{name}: pays a latency that is a whole ring step once")
    told = ["pipeline_granularity"] + (["launch_us"] if system.get("launch_us", 0) > 0 else [])
    check(all(word in system["notes"] for word in told),
          f"{name}: explains {' and '.join(told)} in its notes")
    inner = system["levels"][0]["latency_us"]
    fitted = "fits" in system  # one message size says nothing of latency and launch apart
    check(fitted or all(level["latency_us"] >= inner for level in system["levels"]),
          f"{name}: has no outer level with less latency than the innermost")


def sent(level, vertex):
    """GB/s over all links of a child, or of what passes on."""
    return sum(link.get("count", 1) * link["bandwidth_GBps"] for link in level["links"]
               if link["between"][0] == vertex
               or (link["between"][1] == vertex and not link.get("one_way")))


def rate(level):
    """GB/s of a child: of single links, of the child whose links have least."""
    if level.get("fabric") == "links":
        return min(sent(level, child) for child in range(level["arity"]))
    return level["bandwidth_GBps"]


def test_taper(name, system):
    """No unit can put more into the next level than its children put into it together."""
    wrong = []
    for below, above in zip(system["levels"], system["levels"][1:]):
        most = below["arity"] * rate(below)
        if rate(above) > most * (1 + 1e-12):
            wrong.append(f"{above['name']}: {rate(above)} > {most}")
    check(not wrong, f"{name}: no unit injects more than its children together", *wrong)


def ring_share(level, child, stride):
    """GB/s of one ring on a striped switch level: min(stride, child) rings share a child's link."""
    return level["bandwidth_GBps"] / min(stride, child)


def plain_time(system, split, message):
    """The plain model for splits whose layers each fill or leave the node (seconds)."""
    alpha_factor = 2 * system["pipeline_granularity"]
    total, stride, left = 0.0, 1, message
    for size in split:
        child, shares, alphas = 1, [], []
        for level in system["levels"]:
            unit = child * level["arity"]
            if stride * size > child and stride < unit:
                share = ring_share(level, child, stride)
                if level["fabric"] == "mesh" and size < level["arity"]:
                    share *= (size - 1) / (level["arity"] - 1)
                shares.append(share)
                alphas.append(level["latency_us"])
            child = unit
        total += alpha_factor * max(alphas) * 1e-6 * (size - 1)
        total += 2 * left / (min(shares) * 1e9) * (size - 1) / size
        stride, left = stride * size, left / size
    return total


def test_abci(system):
    nvlink, ib, spine = system["levels"]
    hca = HCA_MBPS / 1000
    check((nvlink["arity"], ib["arity"]) == (4, 32),
          "abci: has 4 GPUs per node and 32 nodes per rack")
    check(nvlink["fabric"] == "mesh", "abci: joins the GPUs of a node pairwise")
    check(ib.get("ports") == 2 and ib.get("striped", True),
          "abci: has 2 HCAs that one ring may use together")
    check(close(nvlink["bandwidth_GBps"], 12 * hca), "abci: NVLink2 is twelve times one EDR HCA")
    check(close(ib["bandwidth_GBps"], 2 * hca), "abci: a node injects two HCAs of 9301.19 MB/s")
    check(close(spine["bandwidth_GBps"], 32 * 2 * hca / 3),
          "abci: a rack injects a third of what its nodes do")
    check(all(level["latency_us"] == ALPHA_US for level in system["levels"]),
          "abci: alpha is 4.80 us on every level")
    check(system["pipeline_granularity"] == 2 and system.get("launch_us", 0) == 0,
          "abci: s is 2 and calls cost nothing, as in the paper")
    alpha, beta, message = ALPHA_US * 1e-6, 1 / (HCA_MBPS * 1e6), 128 * 2**20
    for nodes in (2, 7, 32):
        layered = 4 * alpha * (2 + nodes) + 2 * message * beta * (9 / 16 - 1 / (2 * nodes))
        flat = 4 * alpha * (4 * nodes - 1) + 2 * message * beta * (1 / 2 - 1 / (8 * nodes))
        check(close(plain_time(system, (4, nodes), message), layered),
              f"abci: 4x{nodes} takes what the paper's hierarchical equation says")
        check(close(plain_time(system, (4 * nodes,), message), flat),
              f"abci: {4 * nodes} takes what the paper's flat equation says")


# NVLinks, or xGMI links, of each GPU and die, by their vendors (data sheets, and of the MI250's box
# the paper that measured it); inside a node of so many.
LINKS_OF = {
    "dgx1-p100": (8, [4]), "dgx1-v100": (8, [6]), "ac922-4gpu": (4, [6]), "ac922-6gpu": (6, [6]),
    "mi250x": (8, [6, 7]), "mi250-16": (16, [7]), "a6000-bridged": (8, [4]),
    "a100-pcie-bridged": (8, [12]),
}


def test_links(systems):
    """Graphs have as many of the GPUs' own links as the GPUs have. To POWER9 they lead, too."""
    wrong = []
    for name, (gpus, expected) in LINKS_OF.items():
        level = systems[name]["levels"][0]
        host = min(level["arity"], gpus) if not name.startswith("ac922") else 1 << 30
        counts = [sum(link.get("count", 1) for link in level["links"]
                      if child in link["between"] and max(link["between"]) < host)
                  for child in range(level["arity"])]
        if level["arity"] != gpus or sorted(set(counts)) != expected:
            wrong.append(f"{name}: {level['arity']} GPUs with {counts} links")
    graphs = sorted(name for name, system in systems.items()
                    if any(level.get("fabric") == "links" for level in system["levels"]))
    check(graphs == sorted(LINKS_OF) and not wrong,
          "graphs of single links have as many links as their GPUs", *wrong, graphs)


def main():
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    paths = sorted(CONFIGS.glob("*.json"))
    check(len(paths) >= REQUIRED, f"at least {REQUIRED} systems are shipped", f"found {len(paths)}")
    loaded = {path.stem: test_file(path, validator) for path in paths}
    systems = {name: system for name, system in loaded.items() if system}
    for name, system in systems.items():
        test_taper(name, system)
    check("abci" in systems, "the published system abci is shipped")
    if "abci" in systems:
        test_schema_is_strict(validator, systems["abci"], systems["dgx1-v100"])
        test_abci(systems["abci"])
    test_links(systems)
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
