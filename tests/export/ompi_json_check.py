#!/usr/bin/env python3
"""Whether a JSON rules file for Open MPI 6.0 is well-formed and decides as a list says.

usage: ompi_json_check.py FILE RULES      RULES: lines of COLLECTIVE SIZE BYTES ring|default

The members and their types are those of Open MPI's tuned_dynamic_file_schema.json, but for "comment", which its reader
passes over. The first rule that matches counts, both bounds included, as in coll_tuned_dynamic_rules.c.
"""
import json
import sys

COLLECTIVES = {"allgather", "allreduce"}


def is_bound(value):
    return value == "inf" or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def require(holds, what):
    if not holds:
        sys.exit(f"ompi_json_check: {what}")


def check_members(node, wanted, where):
    require(isinstance(node, dict) and set(node) == wanted, f"{where}: expected {sorted(wanted)}")


def check(file):
    check_members(file, {"comment", "rule_file_version", "module", "collectives"}, "top")
    require(next(iter(file)) == "comment", "the comment is not first")
    require(file["rule_file_version"] == 3 and file["module"] == "tuned", "version or module")
    require(set(file["collectives"]) <= COLLECTIVES, "a collective")
    for name, sizes in file["collectives"].items():
        for size in sizes:
            check_members(size, {"comm_size_min", "comm_size_max", "rules"}, name)
            require(is_bound(size["comm_size_min"]) and is_bound(size["comm_size_max"]), name)
            for rule in size["rules"]:
                check_members(rule, {"msg_size_min", "msg_size_max", "alg"}, name)
                require(is_bound(rule["msg_size_min"]) and is_bound(rule["msg_size_max"]), name)
                require(rule["alg"] == "ring", "the algorithm")


def within(value, low, high):
    return low <= value and (high == "inf" or value <= high)


def decide(file, collective, processes, size):
    for sizes in file["collectives"].get(collective, []):
        if within(processes, sizes["comm_size_min"], sizes["comm_size_max"]):
            for rule in sizes["rules"]:
                if within(size, rule["msg_size_min"], rule["msg_size_max"]):
                    return rule["alg"]
            return "default"
    return "default"


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        file = json.load(stream)
    check(file)
    with open(sys.argv[2], encoding="utf-8") as stream:
        lines = [line.split() for line in stream if line.strip() and line[0] != "#"]
    for collective, processes, size, wanted in lines:
        found = decide(file, collective, int(processes), int(size))
        require(found == wanted, f"{collective} {processes} {size}: {found}, expected {wanted}")
    require(len(lines) > 0, "no rules to check")


main()
