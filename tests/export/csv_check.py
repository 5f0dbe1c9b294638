#!/usr/bin/env python3
"""Reads a tuner CSV by the rules of NCCL's example plugin and answers questions.

usage: csv_check.py FILE [COLLECTIVE BYTES NODES RANKS ANSWER]...      ANSWER: ring/ll/8

As the plugin does: a line is read into 256 bytes, a comment has its # in the first column, names are compared as they
are (blanks are not trimmed), -1 is any, both bounds are included, and the first line that matches counts. Unlike the
plugin, which takes unknown names for allreduce, ring and simple, everything that is not known is an error here; so are a
number of channels that the plugin would replace by 1 (-1; with 0 NCCL chooses), and a collective for which a call of
64 KiB or more is not matched. What is not matched is NCCL's own choice, but in one channel: "none".
"""
import sys

COLLECTIVES = ["broadcast", "reduce", "allgather", "reducescatter", "allreduce"]
PROTOCOLS = ["ll", "ll128", "simple"]
LARGEST = 2**64 - 1


def require(holds, what):
    if not holds:
        sys.exit(f"csv_check: {what}")


def read_rule(line, number):
    fields = line.split(",")
    require(len(fields) == 10, f"line {number}: {len(fields)} fields")
    collective, low, high, algorithm, protocol = fields[:5]
    channels, nodes, ranks, pipe_ops, registered = (int(field) for field in fields[5:])
    require(all(field == field.strip() and field for field in fields), f"line {number}: blanks")
    require(collective in COLLECTIVES and protocol in PROTOCOLS and algorithm == "ring",
            f"line {number}: a name")
    require(low.isdigit() and high.isdigit() and 0 <= int(low) <= int(high) <= LARGEST,
            f"line {number}: bounds")
    require(0 <= channels <= 64, f"line {number}: channels")
    require(nodes == -1 or 1 <= nodes <= ranks, f"line {number}: nodes")
    require(ranks == -1 or ranks >= 2, f"line {number}: ranks")
    require(pipe_ops == registered == -1, f"line {number}: numPipeOps, regBuff")
    return (collective, int(low), int(high), nodes, ranks, f"{algorithm}/{protocol}/{channels}")


def read_rules(path):
    with open(path, "rb") as stream:
        lines = stream.read().decode().split("\n")
    require(lines.pop() == "", "the last line has no end")
    require(all(len(line.encode()) < 255 for line in lines), "a line of more than 254 bytes")
    require(lines[0].startswith("#"), "no comment at the top")
    return [read_rule(line, number) for number, line in enumerate(lines, 1)
            if line and line[0] != "#"]


def answer(rules, collective, size, nodes, ranks):
    for name, low, high, rule_nodes, rule_ranks, choice in rules:
        if (name == collective and low <= size <= high and rule_nodes in (-1, nodes)
                and rule_ranks in (-1, ranks)):
            return choice
    return "none"


def main():
    rules = read_rules(sys.argv[1])
    for collective in COLLECTIVES:
        last = [rule for rule in rules if rule[0] == collective][-1:]
        require(last and last[0][1:5] == (65536, LARGEST, -1, -1), f"{collective}: no line for the rest")
    questions = sys.argv[2:]
    require(len(questions) % 5 == 0, "usage")
    for i in range(0, len(questions), 5):
        collective, size, nodes, ranks, wanted = questions[i:i + 5]
        found = answer(rules, collective, int(size), int(nodes), int(ranks))
        require(found == wanted, f"{' '.join(questions[i:i + 4])}: {found}, expected {wanted}")


main()
