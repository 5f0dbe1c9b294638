#!/usr/bin/env python3
"""The files for ASTRA-sim: keys it knows, lists of equal length in its order, a workload it can decode,
and the time that its analytical network gives, in closed form. Prints TAP.

usage: tests/export/astra_check.py

Nothing here is the exporter's: the Chakra trace is decoded by a small reader of protobuf's wire
format, and the expected bandwidths and latencies are worked out from the machine by hand.
"""
import json
import re
import sys
import tempfile
from pathlib import Path

from export_tools import Tap, export_folder, predict, product, run

MESSAGE = 128 << 20

# Of the inputs' documentation; a key that is not here would be ignored without a word.
SYSTEM_KEYS = {
    "scheduling-policy": lambda value: value in ("LIFO", "FIFO", "EXPLICIT"),
    "endpoint-delay": lambda value: value >= 1,
    "active-chunks-per-dimension": lambda value: value >= 1,
    "preferred-dataset-splits": lambda value: value >= 1,
    "all-reduce-implementation": lambda value: set(value) == {"ring"},
    "all-gather-implementation": lambda value: set(value) == {"ring"},
    "reduce-scatter-implementation": lambda value: set(value) == {"ring"},
    "all-to-all-implementation": lambda value: set(value) == {"ring"},
    "collective-optimization": lambda value: value == "localBWAware",
    "local-mem-bw": lambda value: value >= 1e9,
    "comment": lambda value: all(isinstance(line, str) for line in value),
}

# tests/export/export_tools.SYSTEM: nvlink:4@150GB/s~0.5us,rack:8@25GB/s~2us,spine@96GB/s~5us.
# plan: per layer the bytes per second of a ring, and the latency of a step in ns. A layer of stride d
# has min(d, children) rings on each link: 4 on a node's in the rack, 32 on a rack's in the spine,
# which leaves each 96 / 32 = 3 GB/s.
BY_HAND = {
    "4x8x2": [(150e9, 500), (25e9 / 4, 2000), (3e9, 5000)],
    "4x8x4": [(150e9, 500), (25e9 / 4, 2000), (3e9, 5000)],
    "2x2x8x4": [(150e9, 500), (150e9, 500), (25e9 / 4, 2000), (3e9, 5000)],
    "32x2": [(25e9, 2 * 2000 / 62), (3e9, 5000)],  # a queue at the slow hop hides what other hops wait (model.md, section 2)
    "64": [(25e9, 5000 / 126)],
}


# ---- reading -------------------------------------------------------------------------------------

def read_network(text):
    """The flow lists of the YAML file."""
    network = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        key, items = re.fullmatch(r"([a-z_]+): \[ (.*) \]", line).groups()
        network[key] = [item if key == "topology" else float(item) for item in items.split(", ")]
    return network


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def read_message(data):
    """{field: [value, ...]} of a protobuf message of varints and length-delimited fields."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            if at > len(data):
                raise ValueError("a field goes beyond its message")
        elif tag & 7 != 0:
            raise ValueError(f"wire type {tag & 7}")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def read_trace(data):
    """The messages of a Chakra trace, each behind its length."""
    messages, at = [], 0
    while at < len(data):
        length, at = read_varint(data, at)
        if at + length > len(data):
            raise ValueError("a message goes beyond the file")
        messages.append(read_message(data[at:at + length]))
        at += length
    return messages


def read_attributes(messages):
    """{name: (field of the value, value)}"""
    attributes = {}
    for message in messages:
        fields = read_message(message)
        (name,) = fields.pop(1)
        ((field, (value,)),) = fields.items()
        attributes[name.decode()] = (field, value)
    return attributes


# ---- checks --------------------------------------------------------------------------------------

def closed_form_ns(sizes, layers):
    """Reduce-scatter and allgather on every dimension: p - 1 steps of bytes / stride / p each way."""
    total, stride = 0.0, 1
    for size, (bandwidth, latency_ns) in zip(sizes, layers):
        step = MESSAGE / stride / size / bandwidth * 1e9 + latency_ns
        total += 2 * (size - 1) * step
        stride *= size
    return total


def near(got, wanted, tolerance=1e-9):
    return len(got) == len(wanted) and all(
        abs(a - b) <= tolerance * abs(b) for a, b in zip(got, wanted))


def check_network(tap, plan, text):
    sizes = [int(size) for size in plan.split("x")]
    network = read_network(text)
    tap.check(set(network) == {"topology", "npus_count", "bandwidth", "latency"},
              f"{plan}: network.yml has the four lists", network)
    tap.check(network["npus_count"] == sizes and network["topology"] == ["Ring"] * len(sizes),
              f"{plan}: dimensions are the layers, innermost first", network)
    bandwidths = [bandwidth / 2**30 for bandwidth, _ in BY_HAND[plan]]
    tap.check(near(network["bandwidth"], bandwidths),
              f"{plan}: bandwidths are a ring's share, in 2^30 bytes/s", network, bandwidths)
    latencies = [latency for _, latency in BY_HAND[plan]]
    tap.check(near(network["latency"], latencies), f"{plan}: latencies are in ns", network, latencies)
    printed = re.search(r"^# closed form: (\d+) ns", text, re.M)
    expected = closed_form_ns(sizes, BY_HAND[plan])
    tap.check(printed and abs(int(printed[1]) - expected) <= 1,
              f"{plan}: the comment states the closed form, {expected / 1e6:.6f} ms",
              printed and printed[0])


def check_system(tap, plan, folder):
    layers = len(plan.split("x"))
    system = json.loads((folder / "system.json").read_text())
    wrong = [key for key, value in system.items()
             if key not in SYSTEM_KEYS or not SYSTEM_KEYS[key](value)]
    tap.check(not wrong and set(system) == set(SYSTEM_KEYS), f"{plan}: system.json has known keys",
              wrong, set(SYSTEM_KEYS) - set(system))
    lists = [value for key, value in system.items() if key.endswith("-implementation")]
    tap.check([len(value) for value in lists] == [layers] * 4,
              f"{plan}: as many implementations as dimensions", lists)
    memory = json.loads((folder / "memory.json").read_text())
    tap.check(memory.pop("memory-type") == "NO_MEMORY_EXPANSION" and set(memory) == {"comment"},
              f"{plan}: memory.json names no remote memory", memory)


def check_workload(tap, plan, folder):
    names = {f"workload.{rank}.et" for rank in range(product(plan))}
    tap.check({path.name for path in folder.glob("*.et")} == names,
              f"{plan}: a trace for every process and no more")
    traces = {(folder / name).read_bytes() for name in names}
    tap.check(len(traces) == 1, f"{plan}: the traces are alike")
    metadata, *nodes = read_trace(traces.pop())
    comment = read_attributes(metadata[2]).get("comment", (0, b""))[1].decode()
    tap.check(metadata[1] == [b"1.0.0"] and comment.startswith("made by hiersearch"),
              f"{plan}: the trace begins with metadata, and where it is from", metadata)
    attributes = read_attributes(nodes[0][10]) if len(nodes) == 1 else None
    layers = len(plan.split("x"))
    # involved_dim is a BoolList: field 1, packed, a byte per dimension
    wanted = {"is_cpu_op": (27, 0), "comm_type": (9, 0), "comm_size": (9, MESSAGE),
              "involved_dim": (28, b"\x0a" + bytes([layers]) + b"\x01" * layers)}
    tap.check(attributes == wanted and nodes[0][3] == [7],
              f"{plan}: the trace is one allreduce of {MESSAGE} bytes over all dimensions", nodes)


def check_refusal(tap):
    status, out, err = run("export", "-", "--to", "astra-sim", "-o", "never",
                           stdin=predict(32768))
    tap.check(status == 2 and not out and "at most 16384" in err and not Path("never").exists(),
              "more processes than files make sense are refused, and nothing is written", status, err)


def check_native(tap):
    """NCCL's own choice is no ring: the flat plan is one call of its own, and layers are what they take at one size."""
    status, out, err = run("predict", "dgx-h100-superpod", "--np", "64", "--size", "64MiB", "--json")
    status, _, err = run("export", "-", "--plan", "64", "--to", "astra-sim", "-o", "never", stdin=out)
    tap.check(status == 2 and "one NCCL call (NVLSTree" in err and not Path("never").exists(),
              "one call of NCCL's own is refused, by the name of what it runs", status, err)
    with tempfile.TemporaryDirectory() as folder:
        status, _, err = run("export", "-", "--plan", "8x8", "--to", "astra-sim", "-o", folder, stdin=out)
        network = (Path(folder) / "network.yml").read_text()
        tap.check(status == 0 and all("as its calls do at 64MiB, and at no other size" in text for text in (err, network)),
                  "layers in which it chooses are said to be no rings", status, err, network)


def main():
    tap = Tap()
    for plan in BY_HAND:
        holder, said = export_folder(plan, "astra-sim")
        with holder as name:
            folder = Path(name)
            check_network(tap, plan, (folder / "network.yml").read_text())
            check_system(tap, plan, folder)
            check_workload(tap, plan, folder)
        tap.check(said == "", f"{plan}: nothing is lost, so nothing is said", said)
    holder, _ = export_folder("4x8x2/4", "astra-sim")
    with holder as name:
        system = json.loads((Path(name) / "system.json").read_text())
        tap.check(system["preferred-dataset-splits"] == 4, "chunks are dataset splits", system)
    check_refusal(tap)
    check_native(tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
