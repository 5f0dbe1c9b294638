#!/usr/bin/env python3
"""Exported PyTorch modules on gloo processes: results, groups, phases, DDP hook. TAP on stdout.

    BUILD=build python test_pytorch.py        starts 8, then 12 processes on this machine
"""
import copy
import datetime
import os
import sys
import tempfile
import time
import warnings
from unittest import mock

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

from client_tools import (brute_force_groups, export_tools, load_plan, load_small, load_table,
                          plan_text, sizes_of)

PLANS = {8: ["4x2", "2x4", "2x2x2", "8", "4x2/3", "2x4/2", "2x2x2/4"], 12: ["2x3x2", "2x2x3"]}
LARGE = {64: ["4x8x2", "2x8x4"]}
SHAPES = [(), (1,), (7,), (1000,), (3, 5, 7), (16, 24), (0,), (4, 0, 3)]
FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTEGERS = [torch.int64, torch.int32, torch.uint8]
LIMIT_SECONDS = 900  # of a busy machine


class Checks:
    """Collects what one rank found; a check holds if it does on every rank."""

    def __init__(self):
        self.found = []

    def check(self, holds, sentence, *detail):
        lines = [] if holds else [str(line) for line in detail]
        self.found.append((bool(holds), sentence, lines))


def integers(shape, dtype, seed):
    """Small whole numbers, different on each rank: sums are exact in every type."""
    generator = torch.Generator().manual_seed(1000 * seed + dist.get_rank())
    low = 0 if dtype == torch.uint8 else -5
    return torch.randint(low, 6, shape, generator=generator).to(dtype)


def powers(shape, seed):
    """1, 2 and -1: products are exact."""
    generator = torch.Generator().manual_seed(1000 * seed + dist.get_rank())
    return torch.tensor([1.0, 2.0, -1.0])[torch.randint(0, 3, shape, generator=generator)]


def flat(tensor, op):
    result = tensor.clone()
    dist.all_reduce(result, op)
    return result


def same(layers, tensor, op, exact=True):
    """Whether all_reduce in layers equals dist.all_reduce, in place."""
    want, address = flat(tensor, op), tensor.data_ptr()
    if layers.all_reduce(tensor, op) is not None or tensor.data_ptr() != address:
        return False
    return torch.equal(tensor, want) if exact else torch.allclose(tensor, want, rtol=0, atol=2**-7)


def check_results(checks, layers, plan):
    ops, wrong, seed = dist.ReduceOp, [], 0
    for dtype in FLOATS + INTEGERS:
        for op in (ops.SUM, ops.MAX, ops.MIN, ops.AVG):
            if op == ops.AVG and dtype in INTEGERS:
                continue  # gloo has no average of integers to compare with
            for shape in SHAPES if dtype == torch.float32 else [(), (333,)]:
                seed += 1
                exact = not (op == ops.AVG and dtype == torch.float16 and dist.get_world_size() % 8)
                if not same(layers, integers(shape, dtype, seed), op, exact):
                    wrong.append((dtype, op, shape))
    if not same(layers, powers((50,), seed), ops.PRODUCT):
        wrong.append("product")
    checks.check(not wrong, f"{plan}: equal to dist.all_reduce, all shapes, types, operations",
                 wrong)
    high = torch.full((30,), 60000.0, dtype=torch.float16)  # the sum has no float16
    layers.all_reduce(high, ops.AVG)
    checks.check(torch.allclose(high, torch.tensor(60000.0, dtype=torch.float16), rtol=2**-8),
                 f"{plan}: the average of large float16 numbers does not overflow", high)
    views = [integers((20, 33), torch.float32, 1).t(), integers((99,), torch.float32, 2)[::2],
             integers((4, 6, 5), torch.float32, 3).permute(2, 0, 1)[1:]]
    checks.check(all([same(layers, view, ops.SUM) for view in views]),
                 f"{plan}: tensors that are not contiguous are reduced in place")
    leaf = integers((10,), torch.float32, 4).requires_grad_()
    checks.check(same(layers, leaf, ops.SUM) and leaf.requires_grad and leaf.grad_fn is None,
                 f"{plan}: a parameter stays a parameter")
    mine = integers((9,), torch.int64, 5)
    sums = flat(mine, ops.SUM)
    layers.all_reduce(mine, ops.AVG)
    checks.check(torch.equal(mine, torch.div(sums, dist.get_world_size(), rounding_mode="trunc")),
                 f"{plan}: the average of integers is the truncated quotient")


def check_async(checks, layers, plan):
    tensors = [integers((size,), torch.float32, size) for size in (5000, 3, 1200, 64, 1)]
    wants = [flat(tensor, dist.ReduceOp.SUM) for tensor in tensors]
    futures = [layers.all_reduce_async(tensor) for tensor in tensors]
    got = [future.wait() for future in reversed(futures)][::-1]
    checks.check(all(torch.equal(a, b) for a, b in zip(got, wants)),
                 f"{plan}: five reductions in flight, waited for in reverse order")


def check_groups(checks, module, layers, plan):
    rank = dist.get_rank()
    want = [next(group for group in layer if rank in group) for layer in brute_force_groups(plan)]
    got = [dist.get_process_group_ranks(layer.group) for layer in layers.layers()]
    checks.check(got == want, f"{plan}: the groups are those of the layers", got, want)
    mesh = module.make_mesh("cpu")
    names = [f"layer{i + 1}" for i in range(len(want))]
    got = [dist.get_process_group_ranks(mesh.get_group(name)) for name in names]
    checks.check(got == want and tuple(mesh.mesh.shape) == tuple(sizes_of(plan)[::-1]),
                 f"{plan}: so are those of the DeviceMesh", got, want)


def record_calls(run):
    """(operation, ranks, elements) of what is called, in order."""
    calls = []

    def recorder(name, whole):
        original = getattr(dist, name)

        def call(*args, **kwargs):
            ranks = dist.get_process_group_ranks(kwargs["group"] or dist.group.WORLD)
            calls.append((name, ranks, args[whole].numel()))
            return original(*args, **kwargs)

        return mock.patch.object(dist, name, call)

    with recorder("reduce_scatter_tensor", 1), recorder("all_reduce", 0), \
            recorder("all_gather_into_tensor", 0), recorder("all_to_all_single", 1):
        run()
    return calls


def expected_calls(plan, length, chunks):
    """The plan's phases; with chunks, the order in which a pipeline starts them."""
    rank, sizes = dist.get_rank(), sizes_of(plan)
    groups = [next(g for g in layer if rank in g) for layer in brute_force_groups(plan)]
    down, left = [], length // chunks
    for group, size in zip(groups[:-1], sizes[:-1]):
        down.append((group, left))
        left //= size
    phases = [("reduce_scatter_tensor", *phase) for phase in down]
    phases.append(("all_reduce", groups[-1], left))
    phases += [("all_gather_into_tensor", *phase) for phase in reversed(down)]
    steps = range(len(phases) + chunks - 1)
    return [phases[step - chunk] for step in steps for chunk in range(chunks)
            if 0 <= step - chunk < len(phases)]


def check_phases(checks, layers, plan):
    chunks = int(plan.split("/")[1]) if "/" in plan else 1
    length = 48 * dist.get_world_size()
    got = record_calls(lambda: layers.all_reduce(torch.ones(length)))
    want = expected_calls(plan, length, chunks)
    checks.check(got == want, f"{plan}: its phases, their groups and sizes, in order", got, want)


def check_small(checks, plan):
    """A loss of 4 bytes is one call, as without the module."""
    layers = load_small(plan, "pytorch").Hierarchy()
    got = record_calls(lambda: layers.all_reduce(torch.ones(1)))
    everyone = list(range(dist.get_world_size()))
    checks.check(got == [("all_reduce", everyone, 1)], f"{plan}: 4 bytes are one all_reduce", got)
    good = [same(layers, integers((), dtype, 7), op) for dtype in (torch.float32, torch.int64)
            for op in (dist.ReduceOp.SUM, dist.ReduceOp.MAX)]
    checks.check(all(good), f"{plan}: and equal to dist.all_reduce")


def check_fallback(checks, layers, plan):
    """A backend that has no reduce-scatter, as gloo before PyTorch 2.8."""
    def refuse(*_args, **_kwargs):
        raise RuntimeError("Backend gloo does not support reduce_scatter_tensor")

    ops = dist.ReduceOp
    with mock.patch.object(dist, "reduce_scatter_tensor", refuse):
        good = [same(layers, integers((shape,), dtype, shape), op)
                for shape in (1, 77) for dtype in (torch.float32, torch.bfloat16, torch.int32)
                for op in (ops.SUM, ops.MAX, ops.MIN)]
        good.append(same(layers, powers((50,), 9), ops.PRODUCT))
    layers._scatters = True
    checks.check(all(good), f"{plan}: right without reduce_scatter_tensor too")


def check_table(checks):
    module, best = load_table(8, "1KiB:64MiB", "pytorch")
    named = {size: plan_text(module.rule_for(size)) for size in best}
    checks.check(named == best and len(module.RULES) > 2,
                 "several sizes: each gets its own best plan", named, best)
    checks.check(plan_text(module.rule_for(4)) == "8", "several sizes: 4 bytes take no layers")
    layers = module.Hierarchy()
    shapes = {shape for rule in module.RULES for shape in module.layer_shapes(rule.split)}
    checks.check({(layer.stride, layer.size) for rule in module.RULES
                  for layer in layers.layers(rule)} == shapes == set(layers._layers),
                 "several sizes: one group for each stride and size")
    good = []
    for elements in (100, 500_001, 4_000_001):
        tensor = integers((elements,), torch.float32, elements)
        good.append(same(layers, tensor, dist.ReduceOp.SUM))
    checks.check(all(good), "several sizes: equal to dist.all_reduce")


def check_refusals(checks, world):
    module = load_plan("3x4" if world == 8 else "4x2", "pytorch")
    for name, call in (("make_mesh", lambda: module.make_mesh("cpu")),
                       ("Hierarchy", module.Hierarchy),
                       ("all_reduce", lambda: module.all_reduce(torch.ones(3)))):
        try:
            call()
            checks.check(False, f"{name} refuses another number of processes")
        except module.WorldSizeError as error:
            checks.check(f"for {module.NP} processes" in str(error)
                         and f"the world has {world}:" in str(error),
                         f"{name} refuses another number of processes, naming both", error)
    layers = load_plan("4x2" if world == 8 else "3x4", "pytorch").Hierarchy()
    try:
        layers.all_reduce(torch.ones(3), dist._make_nccl_premul_sum(2.0))
        checks.check(False, "an operation that has no layers is refused")
    except ValueError as error:
        checks.check("not supported" in str(error), "an operation that has no layers is refused")


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught if "plan" in str(warning.message)]


def check_placement(checks):
    module, rank = load_plan("4x2", "pytorch"), dist.get_rank()

    def told(local_world, local_rank, node, measured=None):
        environment = {"LOCAL_WORLD_SIZE": str(local_world), "LOCAL_RANK": str(local_rank),
                       "GROUP_RANK": str(node)}
        with mock.patch.dict(os.environ, environment), \
                mock.patch.object(module, "RANKS_PER_NODE", measured):
            return warnings_of(module.check_world)

    checks.check(told(4, rank % 4, rank // 4) == [], "ranks numbered node by node: no warning")
    cyclic = told(4, rank // 2, rank % 2)
    checks.check(bool(cyclic) == (rank not in (0, 7)) and all("by node" in w for w in cyclic),
                 "ranks dealt out to the nodes in turn: a warning", cyclic)
    fewer = told(2, rank % 2, rank // 2, measured=4)
    checks.check(len(fewer) == 1 and "4 processes" in fewer[0] and "has 2" in fewer[0],
                 "fewer processes on a node than measured: a warning", fewer)
    checks.check(told(4, rank % 4, rank // 4, measured=4) == [], "as many as measured: no warning")


def train(model, hook, integral, steps):
    """The parameters after a few steps of SGD, on other data on each rank."""
    ddp = torch.nn.parallel.DistributedDataParallel(copy.deepcopy(model), bucket_cap_mb=0.0002)
    if hook:
        ddp.register_comm_hook(*hook)
    optimiser = torch.optim.SGD(ddp.parameters(), lr=0.5 if integral else 0.05)
    generator = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(steps):
        data = torch.randint(-2, 3, (4, 6), generator=generator, dtype=torch.float64)
        if not integral:
            data += torch.rand((4, 6), generator=generator, dtype=torch.float64)
        optimiser.zero_grad()
        out = ddp(data)
        (out.sum() if integral else out.square().mean()).backward()
        optimiser.step()
    return [parameter.detach().clone() for parameter in ddp.parameters()]


def check_ddp(checks, module, layers, plan):
    torch.manual_seed(1)
    linear = [torch.nn.Linear(6, 16), torch.nn.Linear(16, 5), torch.nn.Linear(5, 3)]
    smooth = torch.nn.Sequential(linear[0], torch.nn.Tanh(), linear[1], torch.nn.Tanh(), linear[2])
    plain = torch.nn.Sequential(*copy.deepcopy(linear))
    with torch.no_grad():
        for parameter in plain.parameters():
            parameter.copy_(torch.randint(-2, 3, parameter.shape))
    buckets = []

    def hook(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        buckets.append(bucket.index())
        return module.hierarchical_hook(state, bucket)

    for state in (layers, None):
        ours = train(smooth.double(), (state, hook), False, 6)
        want = train(smooth.double(), None, False, 6)
        close = all(torch.allclose(a, b, rtol=1e-13, atol=1e-14) for a, b in zip(ours, want))
        moved = not torch.allclose(ours[0], smooth[0].weight)
        checks.check(close and moved and max(buckets) > 0,
                     f"{plan}: DDP with the hook learns the same, "
                     f"state {'given' if state else 'None'}",
                     buckets, ours[0] - want[0])
    ours = train(plain.double(), (layers, module.hierarchical_hook), True, 2)
    want = train(plain.double(), None, True, 2)
    checks.check(all(torch.equal(a, b) for a, b in zip(ours, want)),
                 f"{plan}: and exactly the same on whole numbers")


def check_world(checks, world):
    for plan in PLANS[world]:
        module = load_plan(plan, "pytorch")
        layers = module.Hierarchy()
        check_groups(checks, module, layers, plan)
        check_results(checks, layers, plan)
        check_async(checks, layers, plan)
        if hasattr(dist, "reduce_scatter_tensor") and layers._scatters:
            check_phases(checks, layers, plan)
        check_fallback(checks, layers, plan)
        if world == 8:
            check_ddp(checks, module, layers, plan)
    if world == 8:
        check_table(checks)
        check_small(checks, "4x2")
        check_placement(checks)
    check_refusals(checks, world)


def rank_main(rank, world, folder, pipe):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=world,
                            init_method=f"file://{folder}/rendezvous",
                            timeout=datetime.timedelta(seconds=LIMIT_SECONDS))
    checks = Checks()
    check_world(checks, world)
    gathered = [None] * world
    dist.all_gather_object(gathered, checks.found)
    if rank == 0:
        pipe.send(gathered)
    dist.destroy_process_group()


def fake_main(rank, plan, pipe):
    """One rank of a large world in which nobody else is: shapes and groups, no data."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    world = len(sum(brute_force_groups(plan)[0], []))
    dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())
    module = load_plan(plan, "pytorch")
    mesh = module.make_mesh("cpu")
    mine = [dist.get_process_group_ranks(mesh.get_group(f"layer{i + 1}"))
            for i in range(len(module.SPLIT))]
    shapes = module.layer_shapes(module.SPLIT)
    every = [sorted({tuple(module.group_ranks(r, *shape)) for r in range(world)})
             for shape in shapes]
    pipe.send((mine, [[list(group) for group in layer] for layer in every], module.MESH_SHAPE))


def start(target, arguments_of_ranks):
    """Runs one process per tuple of arguments; ends those that are left. (all went well, answer)"""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(False)
    processes = [context.Process(target=target, args=(*arguments, send), daemon=True)
                 for arguments in arguments_of_ranks]
    for process in processes:
        process.start()
    answer, until = None, time.monotonic() + LIMIT_SECONDS
    while any(process.is_alive() for process in processes) and time.monotonic() < until:
        if receive.poll(0.1):
            answer = receive.recv()
        if any(process.exitcode not in (None, 0) for process in processes):
            time.sleep(2)
            break
    if receive.poll():
        answer = receive.recv()
    for process in processes:
        process.kill()
        process.join()
    return all(process.exitcode == 0 for process in processes), answer


def run_world(tap, world):
    for plan in {*PLANS[world], "4x2", "3x4"}:
        load_plan(plan, "pytorch")  # once, for all ranks
    load_table(8, "1KiB:64MiB", "pytorch")
    with tempfile.TemporaryDirectory() as folder:
        well, answer = start(rank_main, [(rank, world, folder) for rank in range(world)])
    for found in zip(*(answer or [])):
        bad = [rank for rank, (holds, _, _) in enumerate(found) if not holds]
        tap.check(not bad, f"{found[0][1]} ({world} processes)", f"on ranks {bad}:",
                  *(found[bad[0]][2] if bad else []))
    tap.check(well and answer, f"{world} processes end well")


def run_large(tap, world, plan):
    want = brute_force_groups(plan)
    for rank in (0, 37, world - 1):
        well, answer = start(fake_main, [(rank, plan)])
        mine, every, shape = answer or (None, None, ())
        tap.check(well and every == want and list(shape) == sizes_of(plan)[::-1]
                  and mine == [next(g for g in layer if rank in g) for layer in want],
                  f"{plan}: mesh and groups of {world} processes, seen by rank {rank}", mine, shape)


def main():
    tap = export_tools.Tap()
    for world, plans in LARGE.items():
        for plan in plans:
            run_large(tap, world, plan)
    for world in PLANS:
        run_world(tap, world)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
