#!/usr/bin/env python3
"""Exported PyTorch modules whose plans go by trees on single links, on gloo processes. TAP on stdout.

    BUILD=build python test_pytorch_trees.py        starts 8, then 5 processes on this machine

Results are compared with torch.distributed's own calls; what is sent from whom to whom with the graph's links, and with the bound
by all cuts, found by brute force.
"""
import datetime
import sys
import tempfile
from unittest import mock

import torch
import torch.distributed as dist

import test_pytorch
import test_pytorch_blocks
from client_tools import export_tools, load
from test_pytorch import LIMIT_SECONDS, Checks, integers, start

# graph, or a system with the choice of its GPUs; plans of an AllReduce, plans of a reduce-scatter and an allgather
WORLDS = {8: [("cube8", ["8f", "8gf", "8rf/2"], ["8f"]), ("square4", ["4fx2", "4gfx2/3", "4frx2"], ["4gx2"]),
              ("dgx1-p100", ["8f"], [])],
          5: [("uneven5", ["5g", "5f/3"], ["5f"]), ("dgx1-v100 0,1,4,6,7", ["5f"], ["5f"])]}
SEGMENT_BYTES = 256  # so that small tensors go in several


def load_trees(path, plan, *more):
    """The module of one plan for all sizes, in short segments."""
    module = load(export_tools.export(plan, "pytorch", "128MiB", path, *more), "exported_trees")
    module.RULES = module.RULES[-1:]
    module.SEGMENT_BYTES = SEGMENT_BYTES
    return module


def traffic(run):
    """Elements that this rank sends, by whom to: only by isend."""
    sent, original = {}, dist.P2POp

    def record(op, tensor, peer, *more):
        if op is dist.isend:
            sent[peer] = sent.get(peer, 0) + tensor.numel()
        return original(op, tensor, peer, *more)

    with mock.patch.object(dist, "P2POp", record):
        run()
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, sent)
    return {(rank, peer): count for rank, one in enumerate(everyone) for peer, count in one.items()}


def bound(name, collective):
    """Parts of a message that the busiest link carries at least, by all cuts; of an AllReduce of one node by two of them."""
    units, links = export_tools.GRAPHS[name][0], export_tools.links_of(name)
    worst = 0
    for bits in range(1, (1 << units) - 1):
        inside = [unit for unit in range(units) if bits >> unit & 1]
        leaves = sum(count for (a, b), count in links.items() if a in inside and b not in inside)
        worst = max(worst, (1 if collective == "allreduce" else len(inside) / units) / leaves)
    return worst


def check_traffic(checks, run, plan, collective, length):
    """`plan`: with its graph. All that goes over links, goes over the graph's, and no link has more than its share."""
    name, plan = plan
    units, links = export_tools.GRAPHS[name][0], export_tools.links_of(name)
    sent = traffic(run)
    where = {(a % units, b % units) for (a, b) in sent}
    checks.check(sent and where <= set(links) and all(a // units == b // units for a, b in sent),
                 f"{name} {plan} {collective}: trees go over the graph's links", where - set(links))
    most = max(count / length / links[a % units, b % units] for (a, b), count in sent.items())
    # A reduce-scatter and an allgather both have the bound; rounding of shares is an element for each segment.
    least = bound(name, collective)
    times = 1 if collective != "allreduce" else 2
    checks.check(0.99 * least <= most <= 1.01 * times * least,
                 f"{name} {plan} {collective}: the busiest link carries what the cuts demand", most, least)


def check_allreduces(checks, module, name, plan):
    layers = module.Hierarchy()
    test_pytorch.check_results(checks, layers, f"{name} {plan}")
    test_pytorch.check_async(checks, layers, f"{name} {plan}")
    length = 1 << 16
    if name in export_tools.GRAPHS and "f" in plan and not set("grx") & set(plan):
        check_traffic(checks, lambda: layers.all_reduce(torch.ones(length)), (name, plan), "allreduce", length)
    wrong = []
    for elements in (1, 2, 7, 63, 1000, 40_001):
        for op in (dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR):
            tensor = integers((elements,), torch.int32, elements)
            want = tensor.clone()
            dist.all_reduce(want, op)
            layers.all_reduce(tensor, op)
            if not torch.equal(tensor, want):
                wrong.append((elements, op))
    checks.check(not wrong, f"{name} {plan}: bits, too, and sizes that no segment divides", wrong)


def check_blocks(checks, module, where, order):
    """A reduce-scatter's module does allgathers, too, and an allgather's reduce-scatters."""
    name, plan = where
    layers = module.Hierarchy()
    test_pytorch_blocks.check_results(checks, layers, plan, order)
    test_pytorch_blocks.check_averages(checks, layers, plan, order)
    test_pytorch_blocks.check_shapes(checks, layers, plan, order)
    if name not in export_tools.GRAPHS or "f" not in plan or "x" in plan:
        return
    ranks = dist.get_world_size()
    whole, block = torch.ones(ranks << 12), torch.empty(1 << 12)
    check_traffic(checks, lambda: layers.reduce_scatter_tensor(block, whole), where, "reduce-scatter", whole.numel())
    check_traffic(checks, lambda: layers.all_gather_into_tensor(whole, block), where, "allgather", whole.numel())


def check_segments(checks, module, plan):
    """As few segments as there are bytes for, and no more than there may be."""
    layers, counts = module.Hierarchy(), []
    original = dist.batch_isend_irecv

    def count(calls):
        counts[-1] += 1
        return original(calls)

    for most in (1, 4, 16):
        counts.append(0)
        with mock.patch.object(dist, "batch_isend_irecv", count), mock.patch.object(module, "MOST_SEGMENTS", most):
            layers.all_reduce(torch.ones(1 << 14))
    checks.check(counts[0] < counts[1] < counts[2], f"{plan}: more segments take more turns", counts)


def rank_main(rank, world, folder, modules, pipe):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=world, init_method=f"file://{folder}/rendezvous",
                            timeout=datetime.timedelta(seconds=LIMIT_SECONDS))
    checks = Checks()
    for (name, plan, collective, order), module in modules.items():
        if collective == "allreduce":
            check_allreduces(checks, module, name, plan)
        else:
            check_blocks(checks, module, (name, plan), order)
    check_segments(checks, next(iter(modules.values())), next(iter(modules))[1])
    gathered = [None] * world
    dist.all_gather_object(gathered, checks.found)
    if rank == 0:
        pipe.send(gathered)
    dist.destroy_process_group()


def load_all(world, folder):
    """Once, for all ranks, which are forked."""
    modules = {}
    for name, plans, plans_of_one in WORLDS[world]:
        path, *gpus = [export_tools.graph_system(folder, name)] if name in export_tools.GRAPHS else name.split()
        gpus = ["--gpus", *gpus] if gpus else []
        for plan in plans:
            modules[name, plan, "allreduce", ""] = load_trees(path, plan, *gpus)
        for plan in plans_of_one:
            for order, collective in (("natural", "reduce-scatter"), ("reversed", "allgather")):
                modules[name, plan, collective, order] = load_trees(path, plan, *gpus, "--collective", collective, "--layout", order)
    return modules


def main():
    tap = export_tools.Tap()
    for world in WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            modules = load_all(world, folder)
            well, answer = start(rank_main, [(rank, world, folder, modules) for rank in range(world)])
        for found in zip(*(answer or [])):
            bad = [rank for rank, (holds, _, _) in enumerate(found) if not holds]
            tap.check(not bad, f"{found[0][1]} ({world} processes)", f"on ranks {bad}:", *(found[bad[0]][2] if bad else []))
        tap.check(well and answer, f"{world} processes end well")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
