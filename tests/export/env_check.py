#!/usr/bin/env python3
"""Whether exported environment for UCC is what UCC reads, and what it means to it.

usage: env_check.py FILE ANSWER...      FILE: lines NAME=VALUE, as `sh` has read them (env)
       ANSWER: BYTES=split_rail|off|own (off: taken from cl/hier; own: cl/hier's default)

The grammar is written down from UCC's sources: ucc_coll_score.c (tokens by '#', fields by ':', in each
field the first of collective, memory type, score, message range, team size, algorithm that it can be; ranges begin
at their start, end before their end, and may not overlap; a score of 0 takes the range away) and cl/hier's
algorithms.
"""
import re
import sys

COLLECTIVES = {"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast",
               "fanin", "fanout", "gather", "gatherv", "reduce", "reduce_scatter",
               "reduce_scatterv", "scatter", "scatterv"}
MEMORY = {"cpu", "host", "cuda", "cuda_managed", "rocm", "rocm_managed"}
# What cl/hier takes from cl/basic as soon as it is loaded (UCC_CL_HIER_SUPPORTED_COLLS), allreduce left out.
HIER_TAKES = {"allgatherv", "alltoall", "alltoallv", "barrier", "bcast", "reduce"}
HIER_ALGORITHMS = {"rab", "split_rail"}
UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def require(holds, what):
    if not holds:
        sys.exit(f"env_check: {what}")


def memory_units(text):
    if text == "inf":
        return float("inf")
    match = re.fullmatch(r"(\d+)([bkmgt]?)b?", text.lower())
    require(match, f"a size: {text}")
    return int(match[1]) * UNITS[match[2]]


def parse_token(token):
    """(first byte, first byte beyond, algorithm or None, score or None, collectives)"""
    found = {}
    for field in token.split(":"):
        if set(field.split(",")) <= COLLECTIVES:
            kind, value = "collective", set(field.split(","))
        elif field in MEMORY:
            kind, value = "memory", field
        elif field == "inf" or field.isdigit():
            kind, value = "score", field
        elif re.fullmatch(r"[0-9a-z]+-[0-9a-z]+", field):
            kind, value = "range", tuple(memory_units(end) for end in field.split("-"))
        elif field.startswith("@"):
            require(field[1:] in HIER_ALGORITHMS, f"an algorithm of cl/hier: {field}")
            kind, value = "algorithm", field[1:]
        else:
            sys.exit(f"env_check: {token}: what is {field}?")
        require(kind not in found, f"{token}: {kind} twice")
        found[kind] = value
    require("collective" in found, f"{token}: incomplete")
    first, end = found.get("range", (0, float("inf")))
    require(first < end, f"{token}: an empty range")
    require("score" in found or "algorithm" in found, f"{token}: says nothing")
    return first, end, found.get("algorithm"), found.get("score"), found["collective"]


def ucc_answer(tokens, size):
    for first, end, algorithm, score, _ in tokens:
        if first <= size < end:
            return "off" if score == "0" else algorithm
    return "own"


def check_ucc(variables, answers):
    require(variables.get("UCC_CLS") in ("hier,basic", "basic"), "UCC_CLS")
    tokens = []
    if "UCC_CL_HIER_TUNE" in variables:
        tokens = [parse_token(token) for token in variables["UCC_CL_HIER_TUNE"].split("#")]
    require(bool(tokens) == (variables["UCC_CLS"] != "basic"), "cl/hier is there without a rule")
    others = [token for token in tokens if "allreduce" not in token[4]]
    require(not tokens or set().union(*(token[4] for token in others)) == HIER_TAKES,
            "other collectives go to cl/hier")
    require(all(token[:4] == (0, float("inf"), None, "0") for token in others),
            "another collective in part")
    tokens = [token for token in tokens if token not in others]
    require(all(token[4] == {"allreduce"} for token in tokens), "allreduce with others")
    for before, after in zip(tokens, tokens[1:]):
        require(before[1] <= after[0], "ranges overlap")
    for size, wanted in answers:
        found = ucc_answer(tokens, int(size))
        require(found == wanted, f"{size}: {found}, expected {wanted}")


def main():
    path, *answers = sys.argv[1:]
    with open(path, encoding="utf-8") as stream:
        variables = dict(line.rstrip("\n").split("=", 1) for line in stream)
    check_ucc(variables, [answer.split("=", 1) for answer in answers])


main()
