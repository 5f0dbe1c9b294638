#!/usr/bin/env python3
"""Messages that `place --model` makes of a model, against the calls of PyTorch's own tensor and fully sharded data parallelism
for a small model of that kind, on ranks of which the others are made up (the backend "fake"). Prints TAP.

usage: tests/clients/test_pytorch_model.py    (BUILD as for make)
"""
import collections
import json
import os
import subprocess
import sys
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)
from torch.profiler import ProfilerActivity, profile
from torch.testing._internal.distributed.fake_pg import FakeStore

LAYERS, HIDDEN, INNER, HEADS, TOKENS, RANKS = 4, 64, 256, 8, 32, 2
SIZES = f"num-layers={LAYERS},hidden-size={HIDDEN},ffn-hidden-size={INNER},num-attention-heads={HEADS},swiglu," \
        f"seq-length={TOKENS},micro-batch-size=1"
CALLS = {"_c10d_functional::all_reduce": "allreduce", "_c10d_functional::all_gather_into_tensor": "allgather",
         "_c10d_functional::reduce_scatter_tensor": "reduce-scatter", "c10d::_allgather_base_": "allgather",
         "c10d::_reduce_scatter_base_": "reduce-scatter"}


class Attention(nn.Module):
    """Queries, keys and values of HEADS heads."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(4))

    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (-1, HIDDEN // HEADS)).transpose(1, 2) for w in (self.q, self.k, self.v))
        return self.o(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Gated."""

    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(*size, bias=False) for size in [(HIDDEN, INNER)] * 2 + [(INNER, HIDDEN)])

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """Each half after a norm."""

    def __init__(self):
        super().__init__()
        self.before, self.attention, self.between, self.feed = nn.RMSNorm(HIDDEN), Attention(), nn.RMSNorm(HIDDEN), FeedForward()

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.feed(self.between(x))


def parallelize(layer, mesh, sequence):
    """As torchtitan does its Llama: by columns, then by rows."""
    outside = Shard(1) if sequence else Replicate()
    given = PrepareModuleInput(input_layouts=(outside,), desired_input_layouts=(Replicate(),))
    plan = {"attention": given, "feed": given, "attention.o": RowwiseParallel(output_layouts=outside),
            "feed.down": RowwiseParallel(output_layouts=outside)}
    plan.update({name: ColwiseParallel() for name in ("attention.q", "attention.k", "attention.v", "feed.gate", "feed.up")})
    if sequence:
        plan.update({name: SequenceParallel(use_local_output=True) for name in ("before", "between")})
    parallelize_module(layer, mesh, plan)


def calls_of(kind):
    """Of a step: calls by collective and elements of the larger side."""
    mesh = init_device_mesh("cpu", (RANKS,))
    model = nn.Sequential(*(Layer() for _ in range(LAYERS)))
    for layer in model:
        if kind == "fsdp":
            fully_shard(layer, mesh=mesh)
        else:
            parallelize(layer, mesh, kind == "sequence")
    if kind == "fsdp":
        fully_shard(model, mesh=mesh)
    x = torch.randn(1, TOKENS // (RANKS if kind == "sequence" else 1), HIDDEN, requires_grad=True)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as seen:
        model(x).sum().backward()
    counted = collections.Counter()
    for event in seen.events():
        if event.name in CALLS:
            sides = [torch.Size(shape).numel() for shape in event.input_shapes[:2] if shape]
            whole = RANKS if event.name == "_c10d_functional::all_gather_into_tensor" else 1
            counted[CALLS[event.name], max(sides) * whole] += 1
    return counted


def messages_of(mesh, more):
    """The same, as `place --model` has it."""
    out = subprocess.run([os.path.join(os.environ.get("BUILD", "build"), "hiersearch"), "place", "node:2@1GB/s~1us", "--mesh", mesh, "--json",
                          "--model", SIZES + more, "--samples", "0"], capture_output=True, text=True, check=True).stdout
    counted = collections.Counter()
    for message in json.loads(out)["messages"]:
        counted[message["call"], round(message["message_bytes"] / 4)] += message["calls"]
    return counted


def main():
    warnings.simplefilter("ignore")
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    failed = False
    print("1..3")
    # What no layer has: the last norm, of which place gives each layer its part.
    unit = 4 * HIDDEN**2 + 3 * HIDDEN * INNER + 2 * HIDDEN
    for number, (kind, mesh, more) in enumerate((("plain", "tp=2", ",global-batch-size=1"), ("sequence", "tp=2", ",global-batch-size=1,sequence-parallel"),
                                                 ("fsdp", "fsdp=2", ",global-batch-size=2")), 1):
        real, ours = calls_of(kind), messages_of(mesh, more)
        if kind == "sequence":  # PyTorch keeps what it gathered; Megatron gathers it again for the way back
            ours["allgather", TOKENS * HIDDEN] -= 2 * LAYERS
        if kind == "fsdp":
            ours = collections.Counter({(call, size - HIDDEN // LAYERS): calls for (call, size), calls in ours.items()})
            assert {size for _, size in real} == {unit}
        good = real == ours
        failed = failed or not good
        print(f"{'ok' if good else 'not ok'} {number} - place --model has the calls of PyTorch, {kind}")
        if not good:
            print(f"# PyTorch {dict(real)}\n# place   {dict(ours)}")
    dist.destroy_process_group()
    return failed


if __name__ == "__main__":
    sys.exit(main())
