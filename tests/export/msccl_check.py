#!/usr/bin/env python3
"""Runs MSCCL programs on paper: an interpreter of its XML that shares nothing with the exporter.

usage: tests/export/msccl_check.py [FILE.xml...]     without files: the exported splits; prints TAP

A chunk's contents are who put in how often, so a sum that misses a rank, has one twice, or mixes two
chunks is seen. Two transfers fit between two processes (FIFO depth 2). Thread blocks run in several
orders (first to last, last to first, one step each, at random): a dependency that is missing shows
in one of them. A program is right if every run ends, and every rank then has every chunk exactly
once from every rank; of a reduce-scatter its own chunk; of an allgather every chunk as its owner
had it. In place, as MSCCL compares the pointers (tuning.cc, mscclInPlaceTotalCountHelper).
"""
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

from export_tools import SYSTEM, Tap, export, product

FIFO_DEPTH = 2
STEPS_MAX = 256
COUNT_MAX = 71
BLOCKS_PER_CHANNEL_MAX = 32
CHANNELS_MAX = 32
NODES_MAX = 4096
GPUS_MAX = 1024

# type: does it receive, reduce with what is there, store, send
STEPS = {
    "s": (False, False, False, True),
    "r": (True, False, True, False),
    "rcs": (True, False, True, True),
    "rrs": (True, True, False, True),
    "rrc": (True, True, True, False),
    "rrcs": (True, True, True, True),
    "nop": (False, False, False, False),  # what it waits for, the next step waits for (both parsers)
}

ORDERED_STEPS_MAX = 20_000  # of a program whose steps are all compared

MIXED = -1  # a chunk that is a sum of different chunks, or nothing of the message

# coll: the buffer in which all chunks are, and by how much i_chunks and o_chunks are multiplied
# before MSCCL compares them with nchunksperloop (topo.cc)
COLLECTIVES = {
    "allreduce": ("i", lambda ranks: 1, lambda ranks: 1),
    "reduce_scatter": ("i", lambda ranks: 1, lambda ranks: ranks),
    "allgather": ("o", lambda ranks: ranks, lambda ranks: 1),
}


class Rejected(Exception):
    """Why a program is wrong."""


def need(holds, reason):
    if not holds:
        raise Rejected(reason)


class Step:
    def __init__(self, element, gpus_chunks, buffer):
        values = element.attrib
        self.kind = values["type"]
        need(self.kind in STEPS, f"unknown step type {self.kind}")
        self.receives, self.reduces, self.stores, self.sends = STEPS[self.kind]
        self.source, self.target = int(values["srcoff"]), int(values["dstoff"])
        self.count = int(values["cnt"])
        self.block, self.step = int(values["depid"]), int(values["deps"])
        self.awaited = values["hasdep"] == "1"
        need(values["srcbuf"] == buffer and values["dstbuf"] == buffer, "not in place")
        if self.kind == "nop":
            need(self.block >= 0 and not self.awaited, "a nop that waits for nothing, or is waited for")
            return
        need(1 <= self.count <= COUNT_MAX, f"cnt {self.count} beyond {COUNT_MAX}")
        for offset in (self.source, self.target):
            need(0 <= offset and offset + self.count <= gpus_chunks, "offset outside the buffer")


class Block:
    def __init__(self, element, chunks, buffer):
        self.send, self.receive = int(element.get("send")), int(element.get("recv"))
        self.channel = int(element.get("chan"))
        self.steps = [Step(step, chunks, buffer) for step in element]
        numbers = [int(step.get("s")) for step in element]
        need(numbers == list(range(len(numbers))), "steps are not numbered from 0")
        need(len(numbers) <= STEPS_MAX, f"{len(numbers)} steps in a thread block")
        need(self.send >= 0 or not any(step.sends for step in self.steps), "sends to nobody")
        need(self.receive >= 0 or not any(step.receives for step in self.steps), "receives from nobody")
        need(self.steps and self.steps[-1].kind != "nop", "ends with a nop")
        for nop, step in zip(self.steps, self.steps[1:]):
            need(nop.kind != "nop" or step.block >= 0, "a nop before a step that waits for nothing")


class Program:
    """The static side: what the XML says, and the limits of the runtimes."""

    def __init__(self, text):
        top = ElementTree.fromstring(text)
        self.collective = top.get("coll")
        need(top.tag == "algo" and self.collective in COLLECTIVES, "unknown collective")
        for name in ("name", "proto", "nchannels", "minBytes", "maxBytes", "inplace", "outofplace"):
            need(top.get(name) is not None, f"no {name}: RCCL demands it")
        need(top.get("inplace") == "1" and top.get("outofplace") == "0", "not in place")
        need(0 <= int(top.get("minBytes")) <= int(top.get("maxBytes")), "empty range of sizes")
        need(len(top.get("name")) <= 63, "name too long")
        self.gpus, self.chunks = int(top.get("ngpus")), int(top.get("nchunksperloop"))
        need(self.gpus <= GPUS_MAX, "too many gpus for the parser")
        need([int(gpu.get("id")) for gpu in top] == list(range(self.gpus)), "gpus missing")
        self.blocks = [self.read_gpu(gpu, int(top.get("nchannels"))) for gpu in top]

    def read_gpu(self, gpu, channels):
        buffer, entering, leaving = COLLECTIVES[self.collective]
        for name, times in (("i_chunks", entering), ("o_chunks", leaving)):
            need(int(gpu.get(name)) * times(self.gpus) == self.chunks,
                 f"{name} is not nchunksperloop")
        need(int(gpu.get("s_chunks")) == 0, "scratch")
        need([int(block.get("id")) for block in gpu] == list(range(len(gpu))), "tb ids not dense")
        blocks = [Block(block, self.chunks, buffer) for block in gpu]
        need(channels <= CHANNELS_MAX, "too many channels")
        need(all(0 <= block.channel < channels for block in blocks), "channel")
        need(len(blocks) <= BLOCKS_PER_CHANNEL_MAX, "too many thread blocks in a channel")
        for peers in ([(b.send, b.channel) for b in blocks if b.send >= 0],
                      [(b.receive, b.channel) for b in blocks if b.receive >= 0]):
            need(len(set(peers)) == len(peers), "two thread blocks share a connection")
        need(all(int(gpu.get("id")) not in (b.send, b.receive) for b in blocks), "sends to itself")
        nodes = 1 + self.gpus + len(blocks) + sum(len(block.steps) for block in blocks)
        need(nodes <= NODES_MAX, "too many nodes for the parser")
        for block in blocks:
            for step in block.steps:
                if step.block >= 0:
                    need(step.block < len(blocks) and step.step < len(blocks[step.block].steps),
                         "depends on a step that is not there")
                    need(blocks[step.block].steps[step.step].awaited,
                         "depends on a step without hasdep")
        return blocks

    @property
    def longest(self):
        return max(len(block.steps) for blocks in self.blocks for block in blocks)

    @property
    def steps(self):
        return sum(len(block.steps) for blocks in self.blocks for block in blocks)


class Machine:
    """The dynamic side: buffers, connections, and how far each thread block is."""

    def __init__(self, program, depth=FIFO_DEPTH):
        self.program = program
        self.depth = depth
        self.log = []  # steps as they read and change memory: (rank, block, step)
        gathers = program.collective == "allgather"
        self.memory = [[(chunk, 1 << 8 * rank) if not gathers or self.owner(chunk) == rank
                        else (MIXED, 0) for chunk in range(program.chunks)]
                       for rank in range(program.gpus)]
        self.fifos = {}
        self.done = [[0] * len(blocks) for blocks in program.blocks]
        # What a step that received waits to send.
        self.held = [[None] * len(blocks) for blocks in program.blocks]

    def owner(self, chunk):
        """The rank whose block it is, as MPI and NCCL define the calls."""
        return chunk * self.program.gpus // self.program.chunks

    def advance(self, rank, index):
        """One step, or half of one. False where it has to wait, or nothing is left."""
        block = self.program.blocks[rank][index]
        if self.done[rank][index] == len(block.steps):
            return False
        step = block.steps[self.done[rank][index]]
        if self.held[rank][index] is None:
            if step.block >= 0 and self.done[rank][step.block] <= step.step:
                return False
            payload = [] if step.kind == "nop" else self.take(rank, block, step)
            if payload is None:
                return False
            self.held[rank][index] = payload
            self.log.append((rank, index, self.done[rank][index]))
            if not step.sends:
                self.finish(rank, index)
            return True
        fifo = self.fifos.setdefault((rank, block.send, block.channel), [])
        if len(fifo) >= self.depth:
            return False
        fifo.append(self.held[rank][index])
        self.finish(rank, index)
        return True

    def take(self, rank, block, step):
        """What the step has in hand before it sends; None where nothing has come yet."""
        memory = self.memory[rank]
        payload = memory[step.source:step.source + step.count]
        if not step.receives:
            return payload
        fifo = self.fifos.get((block.receive, rank, block.channel))
        if not fifo:
            return None
        came = fifo.pop(0)
        need(len(came) == step.count, "a transfer is received with another count")
        if step.reduces:
            came = [(a[0] if a[0] == b[0] else MIXED, a[1] + b[1]) for a, b in zip(came, payload)]
        if step.stores:
            memory[step.target:step.target + step.count] = came
        return came

    def finish(self, rank, index):
        self.done[rank][index] += 1
        self.held[rank][index] = None

    def run(self, order):
        self.go(order)
        self.judge()

    def go(self, order):
        """`order` lists (rank, block) to try; each goes as far as it can, or one step."""
        turns, greedy = order
        progress = True
        while progress:
            progress = False
            for rank, index in turns():
                while self.advance(rank, index):
                    progress = True
                    if not greedy:
                        break

    def judge(self):
        for rank, blocks in enumerate(self.program.blocks):
            for index, block in enumerate(blocks):
                need(self.done[rank][index] == len(block.steps),
                     f"deadlock: rank {rank}, block {index}, step {self.done[rank][index]}")
        need(not any(self.fifos.values()), "transfers that nobody receives")
        everyone = sum(1 << 8 * rank for rank in range(self.program.gpus))
        for rank, memory in enumerate(self.memory):
            for chunk, (identity, sources) in enumerate(memory):
                if self.program.collective == "reduce_scatter" and self.owner(chunk) != rank:
                    continue
                if self.program.collective == "allgather":
                    everyone = 1 << 8 * self.owner(chunk)
                need(identity == chunk, f"rank {rank} has another chunk in place of {chunk}")
                need(sources == everyone, f"rank {rank}, chunk {chunk}: not once from every rank")


def find_before(program, log):
    """Bits of the steps that come before each step of the log in any order: those of its thread block, that it waits for, and that
    sent what it receives. The log is one order; bit i is its step i."""
    number = {event: i for i, event in enumerate(log)}
    before, sent, received = [], {}, {}
    for rank, index, at in log:
        block = program.blocks[rank][index]
        step = block.steps[at]
        behind = [(rank, index, at - 1)] if at > 0 else []
        if step.block >= 0:
            behind.append((rank, step.block, step.step))
        if step.receives:
            connection = block.receive, rank, block.channel
            count = received[connection] = received.get(connection, -1) + 1
            behind.append(sent[connection][count])
        if step.sends:
            sent.setdefault((rank, block.send, block.channel), []).append((rank, index, at))
        bits = 0
        for event in behind:
            bits |= before[number[event]] | 1 << number[event]
        before.append(bits)
    return before


def need_order(program, log):
    """Who reads a chunk comes behind who changed it, and who changes it behind both, whatever the timing."""
    before = find_before(program, log)
    writer, readers = {}, {}  # (rank, chunk): of steps of the log
    for i, (rank, index, at) in enumerate(log):
        step = program.blocks[rank][index].steps[at]
        if step.kind == "nop":
            continue
        reads = range(step.source, step.source + step.count) if step.reduces or not step.receives else ()
        writes = range(step.target, step.target + step.count) if step.stores else ()
        for chunk in {*reads, *writes}:
            others = [writer[rank, chunk]] if (rank, chunk) in writer else []
            others += readers.get((rank, chunk), []) if chunk in writes else []
            need(all(before[i] >> other & 1 for other in others),
                 f"rank {rank}, block {index}, step {at}: no wait says whether it comes before others with chunk {chunk}")
        for chunk in reads:
            readers.setdefault((rank, chunk), []).append(i)
        for chunk in writes:
            writer[rank, chunk], readers[rank, chunk] = i, []


def orders(program, seeds):
    pairs = [(rank, index) for rank, blocks in enumerate(program.blocks)
             for index in range(len(blocks))]
    ascending = sorted(pairs, key=lambda pair: pair[1])
    yield lambda: ascending, True
    yield lambda: ascending[::-1], True
    yield lambda: pairs, False
    for seed in seeds:
        generator = random.Random(seed)
        yield lambda: generator.sample(pairs, len(pairs)), True


def check(text, seeds=(1, 2, 3)):
    """The program, or Rejected."""
    program = Program(text)
    for order in orders(program, seeds):
        machine = Machine(program)
        machine.run(order)
    if program.steps <= ORDERED_STEPS_MAX:
        need_order(program, machine.log)
    return program


def rejection(text):
    """Why the program is refused; None where it is accepted."""
    try:
        check(text)
    except Rejected as reason:
        return str(reason)
    return None


# ---- broken programs -----------------------------------------------------------------------------

def steps_of(text, gpu, block):
    """The lines of a thread block's steps: (index of the first, count) in text's lines."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if f'<gpu id="{gpu}"' in line)
    start = next(i for i in range(start, len(lines)) if f'<tb id="{block}"' in lines[i]) + 1
    end = next(i for i in range(start, len(lines)) if "</tb>" in lines[i])
    return lines, start, end


def rearranged(text, gpu, block, order):
    """The thread block's steps in another order (step numbers, left out or repeated as listed)."""
    lines, start, end = steps_of(text, gpu, block)
    lines[start:end] = [re.sub(r' s="\d+"', f' s="{number}"', lines[start + old])
                        for number, old in enumerate(order)]
    last = next(i for i in range(start, len(lines)) if "</gpu>" in lines[i])
    first = next(i for i in range(start, 0, -1) if "<gpu " in lines[i])
    for i in range(first, last):
        if wait := re.search(rf'depid="{block}" deps="(\d+)"', lines[i]):
            now = max(number for number, old in enumerate(order) if old == int(wait[1]))
            lines[i] = lines[i].replace(wait[0], f'depid="{block}" deps="{now}"')
    return "\n".join(lines)


def count_steps(text, gpu, block):
    _, start, end = steps_of(text, gpu, block)
    return end - start


def without_step(text):
    numbers = list(range(count_steps(text, 5, 1)))
    return rearranged(text, 5, 1, numbers[:2] + numbers[3:])


def with_swapped_offsets(text):
    lines, start, end = steps_of(text, 5, 1)
    sending = [i for i in range(start, end) if 'type="rcs"' in lines[i]][:2]
    offsets = [re.search(r'srcoff="(\d+)" dstbuf="i" dstoff="(\d+)"', lines[i])[0] for i in sending]
    for i, old, new in zip(sending, offsets, reversed(offsets)):
        lines[i] = lines[i].replace(old, new)
    return "\n".join(lines)


def without_dependency(text, block):
    lines, start, _ = steps_of(text, 5, block)
    lines[start] = re.sub(r'depid="\d+" deps="\d+"', 'depid="-1" deps="-1"', lines[start])
    return "\n".join(lines)


def without_gather_dependency(text):
    lines, start, end = steps_of(text, 5, 0)
    i = max(i for i in range(start, end) if 'type="s"' in lines[i])
    lines[i] = re.sub(r'depid="\d+" deps="\d+"', 'depid="-1" deps="-1"', lines[i])
    return "\n".join(lines)


def without_awaited(text):
    return text.replace('hasdep="1"', 'hasdep="0"', 1)


def with_doubled_step(text):
    numbers = list(range(count_steps(text, 5, 1)))
    return rearranged(text, 5, 1, numbers[:3] + numbers[2:])


def with_other_peer(text):
    return text.replace('send="1" recv="3"', 'send="2" recv="3"', 1)


def receiving_first(text):
    """Every thread block of layer 0 receives three times before it sends."""
    for gpu in range(text.count("<gpu ")):
        numbers = list(range(count_steps(text, gpu, 0)))
        text = rearranged(text, gpu, 0, [1, 2, 3, 0, *numbers[4:]])
    return text


def sending_three(text):
    """Layer 0's first transfer three times: the third finds the connection full, in every rank."""
    for gpu in range(text.count("<gpu ")):
        numbers = list(range(count_steps(text, gpu, 0)))
        text = rearranged(text, gpu, 0, [0, 0, *numbers])
    return text


BROKEN = [
    ("a removed step", without_step, "deadlock"),
    ("two steps with swapped offsets", with_swapped_offsets, "another chunk"),
    ("a reduce-scatter that does not wait for the layer inside",
     lambda text: without_dependency(text, 1), "once"),
    ("an allreduce that does not wait for the layer inside",
     lambda text: without_dependency(text, 2), "once"),
    ("an allgather that does not wait for the layer outside", without_gather_dependency, "once"),
    ("a dependency on a step without hasdep", without_awaited, "hasdep"),
    ("a doubled step", with_doubled_step, "deadlock"),
    ("another peer", with_other_peer, "deadlock"),
    ("a ring in which all receive first", receiving_first, "deadlock"),
    ("a ring in which all send three times first", sending_three, "deadlock"),
    ("a transfer of 72 chunks", lambda text: text.replace('cnt="16"', 'cnt="72"', 1), "cnt 72"),
    ("no outofplace", lambda text: text.replace('outofplace="0" ', ""), "outofplace"),
    ("a missing gpu", lambda text: re.sub(r'  <gpu id="63".*?</gpu>\n', "", text, flags=re.S), "gpus"),
]

def without_wait(text, kind, other):
    """The first step of that kind that waits for a thread block not `other` waits for nothing."""
    for wait in re.finditer(rf'type="{kind}"[^/]*(depid="(\d+)" deps="\d+")', text):
        if wait[2] != other:
            return text[:wait.start(1)] + 'depid="-1" deps="-1"' + text[wait.end(1):]
    return text


# Of 8hx4dx2.
LETTERED = [
    ("halving that does not wait for the step before", lambda text: without_wait(text, "s", ""), "once|another"),
    ("direct exchange that reduces two at a time in a dependency's place",
     lambda text: re.sub(r'type="rrc"( [^/]*)depid="\d+" deps="\d+"', r'type="r"\1depid="-1" deps="-1"', text, 1),
     "once|another"),
]

# Of 4x8x2. A reduce-scatter begins with thread block 0, its outermost layer.
BROKEN_OF_ONE = {
    "reduce-scatter": [
        ("a layer that does not wait for the one outside", lambda text: without_dependency(text, 1),
         "once"),
        ("the other collective", lambda text: text.replace("reduce_scatter", "allgather"),
         "in place|_chunks"),
        ("an allreduce's chunks", lambda text: text.replace('o_chunks="1"', 'o_chunks="64"'),
         "o_chunks"),
        ("a sum that is sent on instead of kept",
         lambda text: text.replace('type="rrc"', 'type="rrs"', 1), "deadlock|nobody|count"),
    ],
    "allgather": [
        ("a layer that does not wait for the one inside", lambda text: without_dependency(text, 1),
         "another"),
        ("the other collective", lambda text: text.replace("allgather", "reduce_scatter"),
         "in place|_chunks"),
        ("an allreduce's chunks", lambda text: text.replace('i_chunks="1"', 'i_chunks="64"'),
         "i_chunks"),
        ("a copy that is added", lambda text: text.replace('type="r"', 'type="rrc"', 1), "another|once"),
    ],
}

# plan: steps of the longest thread block, steps in all, by hand. A ring takes 2 p per layer, 2 p - 1 on
# the last; halving and direct 4 (p - 1), a thread block of theirs twice the transfers it has each way
# (halving's nearest p / 2, direct's 1); a tree 2 at either end of each edge for each of its parts.
EXPECTED = {
    "4": (7, 4 * 7),
    "8": (15, 8 * 15),
    "2x2": (4, 4 * (4 + 3)),
    "4x2": (8, 8 * (8 + 3)),
    "2x3x4": (7, 24 * (4 + 6 + 7)),
    "4x8x4": (16, 128 * (8 + 16 + 7)),
    "4x8x2": (16, 64 * (8 + 16 + 3)),
    "2x2x2x2": (4, 16 * (4 + 4 + 4 + 3)),
    "32x4": (64, 128 * (64 + 7)),
    "128": (255, 128 * 255),
    "2x73": (145, 146 * (8 + 145)),  # 73 chunks go in two transfers: 2 * 2 * 2 steps
    "4h": (8, 4 * 12),
    "3h": (4, 3 * 8),
    "5h": (8, 5 * 16),
    "6h": (12, 6 * 20),
    "64h": (128, 64 * 252),
    "5d": (4, 5 * 16),
    "32d": (4, 32 * 124),
    "4dx2": (4, 8 * (12 + 3)),
    "8hx4dx2": (16, 64 * (28 + 12 + 3)),
    "3hx5x2": (10, 30 * (8 + 10 + 3)),
    "2hx73": (145, 146 * (8 + 145)),
    "2dx73": (145, 146 * (8 + 145)),
    "4hdx2": (4, 8 * (12 + 3)),  # out by halving, back by direct exchange
    "4dhx6h": (12, 24 * (12 + 20)),
    "8hr": (8, 8 * (14 + 8)),  # the last layer's two halves
    "3x6rh": (6, 18 * (6 + 6 + 10)),
    "4x8dh": (8, 32 * (8 + 14 + 14)),
    "8rdx3": (8, 24 * (8 + 14 + 5)),
    "7t": (14, 6 * 2 * 14),
    "2x4t": (8, 8 * 4 + 2 * 3 * 2 * 8),
    "4x8dhx2t": (8, 64 * (8 + 28 + 4)),
    "146t": (128, 145 * 2 * 128),  # in 64 parts
}


# Groups of 8 over a gap: the ranks of their communicator.
OF_GROUPS = [("tp=2,pp=2,dp=4", "2x4", (7, 8 * (4 + 7))), ("tp=4,pp=3,dp=2", "4x2", (8, 8 * (8 + 3)))]
# Of one phase: a ring takes p per layer and transfer, halving and direct 2 (p - 1).
EXPECTED_OF_ONE = {
    "8": (8, 8 * 8),
    "4x2": (4, 8 * (4 + 2)),
    "2x4": (4, 8 * (2 + 4)),
    "2x3x4": (4, 24 * (2 + 3 + 4)),
    "4x8x2": (8, 64 * (4 + 8 + 2)),
    "128": (128, 128 * 128),
    "73x2": (73, 146 * (73 + 2 * 2)),  # 73 chunks go in two transfers
    "8hx4dx2": (8, 64 * (14 + 6 + 2)),
    "4dx6h": (6, 24 * (6 + 10)),
}


def check_export(tap, plan, longest, steps, *collective):
    if collective:
        plan_text, plan = plan, f"{plan}, {collective[1]}"
    else:
        plan_text = plan
    try:
        program = check(export(plan_text, "msccl", "128MiB", SYSTEM, *collective), seeds=(1,) if product(plan_text) > 64 else (1, 2, 3))
    except Rejected as reason:
        tap.check(False, f"{plan} does every chunk once, in any order", str(reason))
        return
    tap.check(True, f"{plan} does every chunk once, in any order")
    tap.check((program.longest, program.steps) == (longest, steps),
              f"{plan} takes {steps} steps, {longest} in the longest thread block",
              f"{program.steps} steps, {program.longest} in the longest")


def check_files(names):
    for name in names:
        with open(name, encoding="utf-8") as file:
            reason = rejection(file.read())
        print(f"{name}: {reason or 'right'}")
        if reason:
            return 1
    return 0


def main(names):
    if names:
        return check_files(names)
    tap = Tap()
    for plan, (longest, steps) in EXPECTED.items():
        check_export(tap, plan, longest, steps)
    for collective in ("reduce-scatter", "allgather"):
        for plan, (longest, steps) in EXPECTED_OF_ONE.items():
            check_export(tap, plan, longest, steps, "--collective", collective, "--layout", "natural")
        right = export("4x8x2", "msccl", "128MiB", SYSTEM, "--collective", collective)
        for sentence, breaker, expected in BROKEN_OF_ONE[collective]:
            other = breaker(right)
            reason = rejection(other)
            tap.check(other != right and reason is not None and re.search(expected, reason),
                      f"the interpreter refuses {sentence}, {collective}", f"it says: {reason}")
    for mesh, plan, (longest, steps) in OF_GROUPS:
        check_export(tap, plan, longest, steps, "--mesh", mesh, "--group", "tp,dp")
    whole = export("4x8x2", "msccl")
    lettered = export("8hx4dx2", "msccl")
    for sentence, breaker, expected in BROKEN + LETTERED:
        whole = lettered if (sentence, breaker, expected) in LETTERED else whole
        broken = breaker(whole)
        reason = rejection(broken)
        tap.check(broken != whole and reason is not None and re.search(expected, reason),
                  f"the interpreter refuses {sentence}", f"it says: {reason}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
