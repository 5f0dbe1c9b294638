#!/usr/bin/env python3
"""Exported PyTorch modules: reduce-scatters, allgathers, all-to-alls, process groups. TAP on stdout.

    BUILD=build python test_pytorch_blocks.py        starts 8, then 12 processes on this machine
"""
import copy
import datetime
import sys
import tempfile
import warnings
from unittest import mock

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from client_tools import brute_force_groups, export_tools, load_plan, load_small, sizes_of
from test_pytorch import LIMIT_SECONDS, Checks, integers, powers, record_calls, start

PLANS = {8: ["4x2", "2x4", "2x2x2", "8"], 12: ["2x3x2", "2x6"]}
ORDERS = ["natural", "reversed"]
ALL_ORDERS = {"2x2x2": [*ORDERS, "packed"]}
SUBGROUP_PLANS = ["2x2", "4"]
# Axes, the innermost first, those of a group, and a plan of it; the last one has a gap.
MESHES = [((("tp", 2), ("dp", 4)), ("dp",), "2x2"), ((("tp", 4), ("dp", 2)), ("tp",), "2x2"),
          ((("tp", 2), ("pp", 2), ("dp", 2)), ("tp", "dp"), "2x2")]
# Elements of a block, and shapes of the whole tensor by rank count; 0 is an empty one.
BLOCKS = [1, 3, 0, 250, 4099]
TYPES = [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int32]


def options(collective, order="natural"):
    return () if collective == "allreduce" else ("--collective", collective, "--layout", order)


def load_both(plan, order):
    """The modules of a reduce-scatter's and of an allgather's result: they do the same."""
    return [load_plan(plan, "pytorch", *options(collective, order))
            for collective in ("reduce-scatter", "allgather")]


def block_by_digits(plan, rank, order):
    """The block by the definition: k0 + k1 p0 + k2 p0 p1 ... has k0 N / p0 + k1 N / (p0 p1) ..."""
    if order != "reversed":
        return rank
    block, weight = 0, 1
    total = 1
    for size in sizes_of(plan):
        total *= size
    for size in sizes_of(plan):
        weight *= size
        block += rank % size * (total // weight)
        rank //= size
    return block


def own_scatter(whole, op, group):
    """What torch.distributed's own call gives every rank of the group, by rank."""
    ranks = dist.get_world_size(group)
    block = whole.new_empty(whole.numel() // ranks)
    if whole.numel():
        dist.reduce_scatter_tensor(block, whole.contiguous().view(-1), op, group=group)
    return own_gather(block, group).view(ranks, -1)


def own_gather(block, group):
    whole = block.new_empty(block.numel() * dist.get_world_size(group))
    if block.numel():
        dist.all_gather_into_tensor(whole, block.contiguous().view(-1), group=group)
    return whole


def scatters_right(layers, plan, order, whole, op, asynchronously=False):
    """Whether reduce_scatter_tensor gives this rank its block of what torch.distributed gives."""
    rank, ranks = dist.get_rank(layers.group), len(layers.ranks)
    want = own_scatter(whole, op, layers.group)[block_by_digits(plan, rank, order)]
    before, block = whole.clone(), torch.full_like(want, 7)
    if asynchronously:
        layers.reduce_scatter_tensor_async(block, whole, op).wait()
    elif layers.reduce_scatter_tensor(block, whole, op) is not None:
        return False
    return (torch.equal(block, want) and torch.equal(whole, before)
            and block.numel() * ranks == whole.numel())


def gathers_right(layers, plan, order, block, asynchronously=False):
    rank_blocks = own_gather(block, layers.group).view(len(layers.ranks), -1)
    want = torch.empty_like(rank_blocks)
    for rank, found in enumerate(rank_blocks):
        want[block_by_digits(plan, rank, order)] = found
    whole = torch.full_like(want, 7)
    if asynchronously:
        layers.all_gather_into_tensor_async(whole, block).wait()
    elif layers.all_gather_into_tensor(whole, block) is not None:
        return False
    return torch.equal(whole, want)


def check_results(checks, layers, plan, order):
    ops, wrong, ranks = dist.ReduceOp, [], len(layers.ranks)
    for seed, length in enumerate(BLOCKS):
        for dtype in TYPES if length == 250 else [torch.float32, torch.int64]:
            for op in (ops.SUM, ops.MAX, ops.MIN):
                if not scatters_right(layers, plan, order, integers((length * ranks,), dtype, seed),
                                      op):
                    wrong.append((op, dtype, length))
            if not gathers_right(layers, plan, order, integers((length,), dtype, 50 + seed)):
                wrong.append(("allgather", dtype, length))
    if not scatters_right(layers, plan, order, powers((5 * ranks,), 1), ops.PRODUCT):
        wrong.append("product")
    for length in (3, 4099):
        if not scatters_right(layers, plan, order, integers((length * ranks,), torch.float32, 77),
                              ops.SUM, True):
            wrong.append(("async reduce-scatter", length))
        if not gathers_right(layers, plan, order, integers((length,), torch.float32, 78), True):
            wrong.append(("async allgather", length))
    checks.check(not wrong, f"{plan} {order}: equal to torch.distributed, all sizes, types, "
                 "operations", wrong)


def check_averages(checks, layers, plan, order):
    ranks = len(layers.ranks)
    mine = block_by_digits(plan, dist.get_rank(layers.group), order)
    high = torch.full((2 * ranks,), 60000.0, dtype=torch.float16)  # the sum has no float16
    block = high.new_empty(2)
    layers.reduce_scatter_tensor(block, high, dist.ReduceOp.AVG)
    good = torch.allclose(block, torch.tensor(60000.0, dtype=torch.float16), rtol=2**-8)
    whole = integers((3 * ranks,), torch.float64, 3)
    sums = own_scatter(whole, dist.ReduceOp.SUM, layers.group)[mine]
    block = whole.new_empty(3)
    layers.reduce_scatter_tensor(block, whole, dist.ReduceOp.AVG)
    good = good and torch.equal(block, sums / ranks) and bool((high == 60000).all())
    checks.check(good, f"{plan} {order}: averages, of large float16 numbers, too", block)


def check_shapes(checks, layers, plan, order):
    """Shapes of both sides as they come; memory that is not contiguous; a block in the whole."""
    ranks, mine = len(layers.ranks), block_by_digits(plan, dist.get_rank(layers.group), order)
    whole = integers((ranks, 6, 4), torch.float32, 1)
    want = own_scatter(whole, dist.ReduceOp.SUM, layers.group)[mine].view(6, 4)
    block = torch.empty(4, 6).t()
    layers.reduce_scatter_tensor(block, whole)
    turned = whole.permute(2, 1, 0).contiguous().permute(2, 1, 0)
    other = torch.empty(24)
    layers.reduce_scatter_tensor(other, turned)
    checks.check(torch.equal(block, want) and torch.equal(other.view(6, 4), want),
                 f"{plan} {order}: shapes, and tensors that are not contiguous", block, want)
    everyone = own_gather(block, layers.group).view(ranks, 24)
    want = torch.empty_like(everyone)
    for rank in range(ranks):
        want[block_by_digits(plan, rank, order)] = everyone[rank]
    whole = torch.full((24, ranks), 9.0).t()
    layers.all_gather_into_tensor(whole, block)
    inside = torch.zeros(ranks, 24)
    inside[mine] = block.reshape(-1)
    layers.all_gather_into_tensor(inside, inside[mine])
    checks.check(torch.equal(whole, want) and torch.equal(inside, want),
                 f"{plan} {order}: an allgather out of the block's place in the whole tensor")
    inside = integers((ranks * 24,), torch.float32, 4)
    want = own_scatter(inside, dist.ReduceOp.SUM, layers.group)[mine]
    block = inside.view(ranks, 24)[mine]
    layers.reduce_scatter_tensor(block, inside)
    checks.check(torch.equal(block, want), f"{plan} {order}: and a reduce-scatter into it")


def check_permutation(checks, module, layers, plan, order):
    ranks, rank = len(layers.ranks), dist.get_rank(layers.group)
    want = [block_by_digits(plan, r, order) for r in range(ranks)]
    checks.check(module.permutation() == want and sorted(want) == list(range(ranks)),
                 f"{plan} {order}: permutation() is the blocks of the definition",
                 module.permutation(), want)
    whole = integers((ranks, 5), torch.float32, 6)
    block = torch.empty(5)
    layers.reduce_scatter_tensor(block, module.arrange(whole))
    good = torch.equal(block, own_scatter(whole, dist.ReduceOp.SUM, layers.group)[rank])
    gathered = torch.empty(ranks, 5)
    layers.all_gather_into_tensor(gathered, block)
    good = good and torch.equal(module.in_order(gathered).view(-1), own_gather(block, layers.group))
    checks.check(good and torch.equal(module.in_order(module.arrange(whole)), whole),
                 f"{plan} {order}: arranged by it, rank r has block r")


def check_phases(checks, layers, plan, order):
    """One call on each layer, from outside or from inside, and what enters each."""
    sizes, ranks = sizes_of(plan), len(layers.ranks)
    rank = dist.get_rank(layers.group)
    groups = [[layers.ranks[r] for r in next(g for g in layer if rank in g)]
              for layer in brute_force_groups(plan)]
    steps = list(zip(groups, sizes))
    if order == "natural":
        steps.reverse()
    want, left = [], 48 * ranks
    for group, size in steps:
        want.append(("reduce_scatter_tensor", group, left))
        left //= size
    whole, block = torch.ones(48 * ranks), torch.ones(48)
    got = record_calls(lambda: layers.reduce_scatter_tensor(block, whole))
    checks.check(got == want, f"{plan} {order}: a reduce-scatter on each layer", got, want)
    want = [("all_gather_into_tensor", group, elements) for _, group, elements in reversed(want)]
    got = record_calls(lambda: layers.all_gather_into_tensor(whole, block))
    checks.check(got == want, f"{plan} {order}: an allgather is its mirror", got, want)


def check_fallback(checks, layers, plan, order):
    def refuse(*_args, **_kwargs):
        raise RuntimeError("Backend gloo does not support reduce_scatter_tensor")

    ranks = len(layers.ranks)
    whole = integers((7 * ranks,), torch.float32, 9)
    mine = block_by_digits(plan, dist.get_rank(layers.group), order)
    want = own_scatter(whole, dist.ReduceOp.SUM, layers.group)[mine]
    block = torch.empty(7)
    with mock.patch.object(dist, "reduce_scatter_tensor", refuse):
        layers.reduce_scatter_tensor(block, whole)
    layers._scatters = True
    checks.check(torch.equal(block, want), f"{plan} {order}: right without the backend's own")


def check_exchange(checks, module, given, plan):
    """All-to-alls: torch.distributed's, through the layers, whatever the memory looks like."""
    layers = module.Hierarchy(given)
    group, ranks, rank = layers.group, len(layers.ranks), dist.get_rank(layers.group)
    wrong = []
    for length in BLOCKS:
        for dtype in TYPES if length == 250 else [torch.float32]:
            mine = integers((ranks * length,), dtype, rank)
            want, before = torch.empty_like(mine), mine.clone()
            if length:
                dist.all_to_all_single(want, mine, group=group)
            got = torch.full_like(mine, 7)
            layers.all_to_all_single(got, mine)
            later = torch.full_like(mine, 7)
            layers.all_to_all_single_async(later, mine).wait()
            if not (torch.equal(got, want) and torch.equal(later, want)
                    and torch.equal(mine, before)):
                wrong.append((length, dtype))
    checks.check(not wrong, f"{plan}: all-to-alls are torch.distributed's", wrong)
    mine = integers((ranks * 4, 6), torch.float32, rank)
    want, got = torch.empty_like(mine), torch.full((6, ranks * 4), 7.0).t()
    dist.all_to_all_single(want, mine, group=group)
    layers.all_to_all_single(got, mine.t().contiguous().t())
    checks.check(torch.equal(got, want), f"{plan}: and of memory that is not contiguous")
    sizes = sizes_of(plan)
    groups = [[layers.ranks[r] for r in next(g for g in layer if rank in g)]
              for layer in brute_force_groups(plan)]
    got = record_calls(lambda: layers.all_to_all_single(torch.empty(48 * ranks),
                                                        torch.ones(48 * ranks)))
    checks.check(got == [("all_to_all_single", members, 48 * ranks) for members in groups],
                 f"{plan}: an all-to-all on each layer", got, sizes)
    uneven = [2 * ((rank + to) % 2) for to in range(ranks)]
    theirs = [2 * ((source + rank) % 2) for source in range(ranks)]
    mine = integers((sum(uneven),), torch.float32, 40 + rank)
    want, got = mine.new_empty(sum(theirs)), mine.new_empty(sum(theirs))
    dist.all_to_all_single(want, mine, theirs, uneven, group=group)
    module.all_to_all_single(got, mine, theirs, uneven, group=layers)
    checks.check(torch.equal(got, want), f"{plan}: with split sizes it is the library's own")
    said = [message_of(lambda: layers.all_to_all_single(torch.empty(ranks + 1),
                                                        torch.empty(ranks + 1))),
            message_of(lambda: layers.all_to_all_single(torch.empty(ranks),
                                                        torch.empty(ranks).double()))]
    checks.check(f"in {ranks} equal blocks" in said[0] and "torch.float64" in said[1],
                 f"{plan}: blocks that are not equal are refused, and types that differ", said)
    calls = record_calls(lambda: layers.reduce_scatter_tensor(torch.empty(48),
                                                              torch.ones(48 * ranks)))
    checks.check(calls == [("reduce_scatter_tensor", layers.ranks, 48 * ranks)],
                 f"{plan}: its rules are for no reduce-scatter", calls)


def check_small(checks, world):
    """Small messages, and what the rules are not for, are calls as without the module."""
    everyone, plan = list(range(world)), PLANS[world][0]
    whole, block = torch.arange(float(world)), torch.empty(1)
    for order in ORDERS:
        small = load_small(plan, "pytorch", *options("reduce-scatter", order))
        layers = small.Hierarchy()
        calls = record_calls(lambda: layers.reduce_scatter_tensor(block, whole))
        calls += record_calls(lambda: layers.all_gather_into_tensor(whole, block))
        checks.check(calls == [("reduce_scatter_tensor", everyone, world),
                               ("all_gather_into_tensor", everyone, world)]
                     and block.item() == world * dist.get_rank()
                     and small.permutation(small.rule_for(4 * world)) == everyone,
                     f"{plan} {order}: small messages are the library's default call", calls)
        rule = small.RULES[-1]
        whole = torch.arange(float(world))
        layers.reduce_scatter_tensor(block, whole, rule=rule)
        checks.check(block.item() == world * block_by_digits(plan, dist.get_rank(), order),
                     f"{plan} {order}: unless the rule is given", block)
        calls = record_calls(lambda: layers.all_reduce(torch.ones(1 << 20)))
        checks.check(calls == [("all_reduce", everyone, 1 << 20)],
                     f"{plan} {order}: an AllReduce, which the rules are not for, is too", calls)
    layers = load_plan(plan, "pytorch").Hierarchy()
    whole, block = torch.ones(world << 10), torch.empty(1 << 10)
    calls = record_calls(lambda: layers.reduce_scatter_tensor(block, whole))
    calls += record_calls(lambda: layers.all_gather_into_tensor(whole, block))
    checks.check(calls == [("reduce_scatter_tensor", everyone, world << 10),
                           ("all_gather_into_tensor", everyone, world << 10)]
                 and bool((block == world).all()),
                 f"{plan}: and an AllReduce's rules are for no reduce-scatter", calls)


def message_of(call, kind=ValueError):
    try:
        call()
    except kind as error:
        return str(error)
    return ""


def check_refusals(checks, world):
    module = load_both(PLANS[world][0], "reversed")[0]
    layers = module.Hierarchy()
    odd = torch.ones(world + 1)
    said = [message_of(lambda: layers.reduce_scatter_tensor(torch.empty(1), odd)),
            message_of(lambda: layers.all_gather_into_tensor(odd, torch.empty(1))),
            message_of(lambda: layers.reduce_scatter_tensor_async(torch.empty(1), odd))]
    checks.check(all(f"has {world + 1} elements, expected {world}: {world} times" in text
                     for text in said), "sizes that do not fit are refused, with both", said)
    said = [message_of(lambda: layers.reduce_scatter_tensor(torch.empty(1, dtype=torch.float64),
                                                            odd[1:])),
            message_of(lambda: layers.all_gather_into_tensor(odd[1:], torch.ones(1).int()))]
    checks.check("torch.float64" in said[0] and "torch.float32" in said[0]
                 and "torch.int32" in said[1], "so are types that differ", said)
    said = message_of(lambda: layers.reduce_scatter_tensor(
        torch.empty(1), odd[1:], dist._make_nccl_premul_sum(2.0)))
    checks.check("not supported" in said, "and operations without layers", said)


def mesh_of(world):
    return init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))


def check_subgroup(checks, plan, group, given, name):
    """All collectives in a process group of 4 of 8 ranks, next to the other 4."""
    module = load_plan(plan, "pytorch")
    layers = module.Hierarchy(given)
    want = [[layers.ranks[r] for r in next(g for g in layer if dist.get_rank(group) in g)]
            for layer in brute_force_groups(plan)]
    got = [dist.get_process_group_ranks(layer.group) for layer in layers.layers()]
    checks.check(got == want and layers.ranks == dist.get_process_group_ranks(group),
                 f"{name}, {plan}: the layers are those of the group", got, want)
    mesh = layers.make_mesh("cpu")
    got = [dist.get_process_group_ranks(mesh.get_group(f"layer{i + 1}"))
           for i in range(len(want))]
    checks.check(got == want and mesh.mesh.flatten().tolist() == layers.ranks,
                 f"{name}, {plan}: so is their DeviceMesh", got, want)
    tensors = [integers(shape, torch.float32, 30) for shape in ((), (7,), (64, 9))]
    wants = [tensor.clone() for tensor in tensors]
    for tensor, copied in zip(tensors, wants):
        layers.all_reduce(tensor)
        dist.all_reduce(copied, group=group)
    checks.check(all(torch.equal(a, b) for a, b in zip(tensors, wants)),
                 f"{name}, {plan}: an AllReduce in the group alone")
    for order in ORDERS:
        for module in load_both(plan, order):
            layers = module.Hierarchy(given)
            check_results(checks, layers, plan, order)
            check_phases(checks, layers, plan, order)
    tensor = torch.ones(5)
    load_plan(plan, "pytorch").all_reduce(tensor, group=given)
    block = torch.empty(2)
    module.reduce_scatter_tensor(block, torch.ones(8), group=given)
    module.all_gather_into_tensor(torch.empty(8), block, group=layers)
    checks.check(bool((tensor == 4).all()) and bool((block == 4).all()),
                 f"{name}, {plan}: and by the functions of the module")


def train(model, group, hook):
    ddp = torch.nn.parallel.DistributedDataParallel(copy.deepcopy(model), process_group=group)
    if hook:
        ddp.register_comm_hook(*hook)
    optimiser = torch.optim.SGD(ddp.parameters(), lr=0.5)
    generator = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(3):
        data = torch.randint(-2, 3, (4, 6), generator=generator, dtype=torch.float64)
        optimiser.zero_grad()
        ddp(data).sum().backward()
        optimiser.step()
    return [parameter.detach().clone() for parameter in ddp.parameters()]


def check_ddp(checks, group, mesh):
    """Whole numbers, so that the averages of four are exact, and differ between the groups."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Linear(16, 3)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randint(-2, 3, parameter.shape))
    want = train(model, group, None)
    module = load_plan("2x2", "pytorch")
    for name, state in (("a Hierarchy", module.Hierarchy(group)), ("the group", group),
                        ("a DeviceMesh", mesh)):
        got = train(model, group, (state, module.hierarchical_hook))
        checks.check(all(torch.equal(a, b) for a, b in zip(got, want)),
                     f"DDP in a group learns the same with the hook, whose state is {name}")
    sums = [None] * dist.get_world_size()
    dist.all_gather_object(sums, float(sum(parameter.sum() for parameter in want)))
    checks.check(len(set(sums)) == 2, "and other groups learn something else", sums)


def warnings_of(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return " ".join(str(warning.message) for warning in said)


def load_groups(plan, axes, over, *more):
    return load_plan(plan, "pytorch", "--mesh", axes, "--group", over, *more)


def check_of_mesh(checks, axes, over, plan):
    """A module of a result about groups, in the groups of PyTorch's own DeviceMesh."""
    rank, names, sizes = dist.get_rank(), *zip(*axes)
    text = ",".join(f"{name}={size}" for name, size in axes)
    mesh = init_device_mesh("cpu", sizes[::-1], mesh_dim_names=names[::-1])
    ranks = mesh.mesh  # each dimension of others than `over` at this rank's own place
    for name, place in zip(names[::-1], (mesh.mesh == rank).nonzero()[0].tolist()):
        dimension = ranks.ndim - len(names) + names[::-1].index(name)
        if name not in over:
            ranks = ranks.narrow(dimension, place, 1)
    ranks = ranks.flatten().tolist()
    group = dist.new_group(ranks, use_local_synchronization=True)
    name = f"{','.join(over)} of {text}"
    module = load_groups(plan, text, ",".join(over))
    checks.check(module.ranks_of(rank) == ranks, f"{name}, {plan}: ranks_of is the DeviceMesh's",
                 module.ranks_of(rank), ranks)
    said = message_of(module.Hierarchy, RuntimeError)
    checks.check(f"for groups of {len(ranks)} processes over {name}, and the world has 8" in said,
                 f"{name}, {plan}: the world is refused, naming the groups", said)
    given = mesh[over[0]] if len(over) == 1 else group
    said = warnings_of(lambda: module.Hierarchy(given))
    checks.check(not said, f"{name}, {plan}: no word where the group is the planned one", said)
    layers = module.Hierarchy(given)
    wrong = []
    for shape in ((), (7,), (64, 9), (1 << 12,)):
        tensor = integers(shape, torch.float32, 31)
        want = tensor.clone()
        layers.all_reduce(tensor)
        dist.all_reduce(want, group=group)
        if not torch.equal(tensor, want):
            wrong.append(shape)
    checks.check(not wrong, f"{name}, {plan}: AllReduces are torch.distributed's", wrong)
    for order in ORDERS:
        for collective in ("reduce-scatter", "allgather"):
            module = load_groups(plan, text, ",".join(over), *options(collective, order))
            check_results(checks, module.Hierarchy(given), plan, order)
    module = load_groups(plan, text, ",".join(over), "--collective", "all-to-all")
    check_exchange(checks, module, given, plan)


def check_other_group(checks):
    """The plan is for every other rank: neighbours are as many, and lie elsewhere."""
    module = load_groups("2x2", "tp=2,dp=4", "dp")
    half = dist.get_rank() // 4 * 4
    group = dist.new_group(range(half, half + 4), use_local_synchronization=True)
    said = warnings_of(lambda: module.Hierarchy(group))
    mine = dist.get_rank() % 2
    checks.check(f"this group is ranks {half}, {half + 1}, {half + 2}, ..., the plan is for "
                 f"{mine}, {mine + 2}, {mine + 4}, ...: it may be slow" in said,
                 "a group of as many ranks elsewhere is warned of", said)


def check_subgroups(checks):
    mesh = mesh_of(8)
    rank = dist.get_rank()
    halves = [dist.new_group(range(half, half + 4)) for half in (0, 4)]
    for plan in SUBGROUP_PLANS:
        check_subgroup(checks, plan, mesh["dp"].get_group(), mesh["dp"], "every other rank")
        check_subgroup(checks, plan, halves[rank // 4], halves[rank // 4], "half of the ranks")
    check_ddp(checks, mesh["dp"].get_group(), mesh["dp"])
    for axes, over, plan in MESHES:
        check_of_mesh(checks, axes, over, plan)
    check_other_group(checks)
    module = load_plan("2x2", "pytorch")
    said = message_of(lambda: module.Hierarchy(mesh))
    checks.check("2 dimensions" in said, "a DeviceMesh of two dimensions is refused", said)
    said = message_of(lambda: load_plan("4x2", "pytorch").Hierarchy(mesh["dp"]),
                      RuntimeError)
    checks.check("for 8 processes" in said and "the group has 4" in said,
                 "a group of another size is refused, naming both", said)


def check_reversed(checks):
    """A group whose ranks do not ascend, where PyTorch makes such: ranks count in its order."""
    orders = [[6, 4, 2, 0], [1, 7, 3, 5]]
    try:
        groups = [dist.new_group(ranks, sort_ranks=False) for ranks in orders]
    except TypeError:
        return
    mine = dist.get_rank() % 2
    checks.check(dist.get_process_group_ranks(groups[mine]) == orders[mine],
                 "the group has its own order")
    check_subgroup(checks, "2x2", groups[mine], groups[mine], "ranks in another order")


def check_world(checks, world):
    for plan in PLANS[world]:
        for order in ALL_ORDERS.get(plan, ORDERS):
            for module in load_both(plan, order):
                layers = module.Hierarchy()
                check_results(checks, layers, plan, order)
            check_averages(checks, layers, plan, order)
            check_shapes(checks, layers, plan, order)
            check_permutation(checks, module, layers, plan, order)
            check_phases(checks, layers, plan, order)
            check_fallback(checks, layers, plan, order)
        check_exchange(checks, load_plan(plan, "pytorch", "--collective", "all-to-all"), None, plan)
    check_small(checks, world)
    check_refusals(checks, world)
    if world == 8:
        check_subgroups(checks)
        check_reversed(checks)


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


def load_all(world):
    """Once, for all ranks, which are forked."""
    for plan in PLANS[world] + SUBGROUP_PLANS:
        load_plan(plan, "pytorch")
        for order in ALL_ORDERS.get(plan, ORDERS):
            load_both(plan, order)
    for axes, over, plan in MESHES:
        text = ",".join(f"{name}={size}" for name, size in axes)
        load_groups(plan, text, ",".join(over))
        for order in ORDERS:
            for collective in ("reduce-scatter", "allgather"):
                load_groups(plan, text, ",".join(over), *options(collective, order))


def main():
    tap = export_tools.Tap()
    for world in PLANS:
        load_all(world)
        with tempfile.TemporaryDirectory() as folder:
            well, answer = start(rank_main, [(rank, world, folder) for rank in range(world)])
        for found in zip(*(answer or [])):
            bad = [rank for rank, (holds, _, _) in enumerate(found) if not holds]
            tap.check(not bad, f"{found[0][1]} ({world} processes)", f"on ranks {bad}:",
                      *(found[bad[0]][2] if bad else []))
        tap.check(well and answer, f"{world} processes end well")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
