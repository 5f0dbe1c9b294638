#!/usr/bin/env python3
"""Exported PyTorch modules under FSDP2 (fully_shard), on gloo processes. TAP on stdout.

    BUILD=build python test_pytorch_fsdp.py        starts 4, then 8 processes on this machine
"""
import copy
import datetime
import itertools
import sys
import tempfile
import warnings

import torch
import torch._dynamo  # once, for all ranks, which are forked
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from client_tools import example, export_tools, load_plan, load_small
from test_pytorch import LIMIT_SECONDS, Checks, integers, record_calls, start

PLANS = {4: [("2x2", "natural"), ("2x2", "packed")],
         8: [("4x2", "reversed"), ("2x2x2", "natural"), ("2x2x2", "packed")]}
STEPS = 3


def options(layout, collective="allgather"):
    return "--collective", collective, "--layout", layout


def check_gather(checks, comm, plan, layout):
    """As FSDP calls it: the input is this rank's part of the output, of allocate."""
    rank, ranks, wrong = dist.get_rank(), dist.get_world_size(), []
    for dtype, length, asynchronously in itertools.product(
            (torch.float32, torch.bfloat16, torch.uint8), (1, 301), (False, True)):
        mine = integers((length,), dtype, length)
        want = mine.new_empty(ranks * length)
        dist.all_gather_into_tensor(want, mine)
        whole = comm.allocate((ranks * length,), dtype=dtype, device=mine.device).fill_(77)
        own = whole.narrow(0, rank * length, length).copy_(mine)
        work = comm(output_tensor=whole, input_tensor=own, group=dist.group.WORLD,
                    async_op=asynchronously)
        if asynchronously:
            work.wait()
        if isinstance(work, dist.Work) != asynchronously or not torch.equal(whole, want):
            wrong.append((dtype, length, asynchronously))
    checks.check(not wrong, f"{plan}, {layout}: block r of what is gathered is rank r's, exactly",
                 wrong)


def check_scatter(checks, comm, plan, layout):
    ranks, ops, wrong = dist.get_world_size(), dist.ReduceOp, []
    for dtype, op, length, asynchronously in itertools.product(
            (torch.float32, torch.float64, torch.bfloat16, torch.float16),
            (ops.SUM, ops.AVG, ops.MAX, ops.PREMUL_SUM(0.25)), (1, 301), (False, True)):
        whole = integers((ranks * length,), dtype, length)
        sums = whole.clone()
        dist.all_reduce(sums, ops.MAX if op == ops.MAX else ops.SUM)
        want = sums.view(ranks, length)[dist.get_rank()]
        # Eighths of small whole numbers: exact in all of these types.
        want = want / ranks if op == ops.AVG else want * 0.25 if op == ops.PREMUL_SUM else want
        block = comm.allocate((length,), dtype=dtype, device=whole.device).fill_(77)
        before = whole.clone()
        work = comm(output_tensor=block, input_tensor=whole, group=dist.group.WORLD, op=op,
                    async_op=asynchronously)
        if asynchronously:
            work.wait()
        if not torch.equal(block, want) or not torch.equal(whole, before):
            wrong.append((dtype, str(op), length, asynchronously))
    checks.check(not wrong, f"{plan}, {layout}: a rank has its block of sums, averages, largest, "
                 "scaled sums", wrong)


def check_stages(checks, module, layers, plan, layout):
    """One call of each layer; packed, the least goes over the outermost one."""
    ranks, length = dist.get_world_size(), 50
    gather, scatter = (module.HierarchicalAllGather(layers),
                       module.HierarchicalReduceScatter(layers))
    whole, block, group = torch.ones(ranks * length), torch.ones(length), dist.group.WORLD
    plan_layers = layers.layers(module.RULES[-1])
    order, elements, want = plan_layers[::1 if layout == "natural" else -1], length, []
    for layer in order:
        elements *= layer.size
        want.append(("all_gather_into_tensor", dist.get_process_group_ranks(layer.group), elements))
    got = record_calls(lambda: gather(whole, block, group))
    checks.check(got == want, f"{plan}, {layout}: an allgather is one call of each layer", got,
                 want)
    want = [("reduce_scatter_tensor", ranks, elements) for _, ranks, elements in want[::-1]]
    got = record_calls(lambda: scatter(block, whole, group, dist.ReduceOp.AVG))
    checks.check(got == want, f"{plan}, {layout}: and a reduce-scatter its mirror", got, want)
    kept = [{key: buffer.data_ptr() for key, buffer in comm._buffers.items()}
            for comm in (gather, scatter)]
    gather(whole[:ranks], block[:1], group)
    scatter(block, whole, group, dist.ReduceOp.SUM)
    again = [{key: buffer.data_ptr() for key, buffer in comm._buffers.items()}
             for comm in (gather, scatter)]
    checks.check(kept[0] and kept == again, f"{plan}, {layout}: the buffers between are kept",
                 kept, again)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        # 13 and 7 rows are shards of different lengths, and some of none.
        self.wide, self.narrow = torch.nn.Linear(7, 13), torch.nn.Linear(13, 7)
        self.norm = torch.nn.LayerNorm(7)

    def forward(self, x):
        return self.norm(x + self.narrow(torch.tanh(self.wide(x))))


def train(model, mesh, module=None, group=None, compiled=None, prepare=None, **sharding):
    """Losses of a few steps, and the parameters behind them, of a copy of the model."""
    model = copy.deepcopy(model)
    for i, block in enumerate(model):
        if compiled == "blocks":
            model[i].compile(backend="eager")
        fully_shard(block, mesh=mesh, **sharding)
    fully_shard(model, mesh=mesh, **sharding)
    if module:
        module.apply_to_fsdp(model, group)
    if prepare:
        for part in (model, *model):
            prepare(part)
    run = torch.compile(model, backend="eager") if compiled == "model" else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    data = torch.Generator().manual_seed(dist.get_rank())
    losses = []
    for _ in range(STEPS):
        x = torch.rand((6, 7), generator=data, dtype=torch.float64).to(model[0].wide.weight.dtype)
        loss = (run(x).float() - 0.5).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
    return torch.stack(losses), [
        parameter.full_tensor().detach() for parameter in model.parameters()]


def close(found, want):
    return all(torch.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in zip(
        (found[0], *found[1]), (want[0], *want[1])))


def new_model(dtype=torch.float32):
    torch.manual_seed(3)
    return torch.nn.Sequential(Block(), Block()).to(dtype)


def check_training(checks, plan, layout, world):
    module, mesh = load_plan(plan, "pytorch", *options(layout)), init_device_mesh("cpu", (world,))
    half = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    kinds = {
        "float32, averages": {}, "float64, sums": {"dtype": torch.float64},
        "bfloat16 gathered, float32 reduced": {"mp_policy": half},
        "kept after forward": {"reshard_after_forward": False},
        "asynchronous allgathers": {"prepare": lambda part: part._set_unshard_async_op(True)},
        "scaled sums": {"prepare": lambda part: part.set_gradient_divide_factor(float(world + 1))},
    }
    for kind, given in kinds.items():
        if world == 8 and "float" in kind and "averages" not in kind:
            continue
        given = dict(given)
        model = new_model(given.pop("dtype", torch.float32))
        plain = given
        if kind == "scaled sums":  # gloo has no such operation, FSDP has another way
            def prepare(part):
                part.set_gradient_divide_factor(float(world + 1))
                part.set_force_sum_reduction_for_comms(True)

            plain = {"prepare": prepare}
        want = train(model, mesh, **plain)
        got = []
        calls = record_calls(lambda: got.append(train(model, mesh, module, **given)))
        sizes = {len(ranks) for _, ranks, _ in calls}
        checks.check(close(got[0], want) and max(sizes & set(module.SPLIT), default=0) > 1,
                     f"{plan}, {layout}: FSDP2 trains as without it ({kind})", got[0][0], want[0],
                     sizes)


def check_groups(checks):
    """HSDP: shards in groups of 4 of 8; and a backward pass that gathers in groups of 2."""
    mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("replicate", "shard"))
    module = load_plan("2x2", "pytorch", *options("packed"))
    want, got = train(new_model(), mesh), []
    calls = record_calls(lambda: got.append(train(new_model(), mesh, module, mesh["shard"])))
    mine = mesh["shard"].mesh.tolist()
    gathers = [ranks for name, ranks, _ in calls if name == "all_gather_into_tensor"]
    checks.check(close(got[0], want) and gathers
                 and all(len(ranks) == 2 and set(ranks) < set(mine) for ranks in gathers),
                 "HSDP: each shard group goes by the plan", got[0][0], want[0], gathers[:4])
    mesh = init_device_mesh("cpu", (8,))
    module = load_plan("4x2", "pytorch", *options("packed"))
    want = train(new_model(), mesh, reshard_after_forward=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = train(new_model(), mesh, module, reshard_after_forward=2)
    said = [str(one.message) for one in caught if "not those of the plan" in str(one.message)]
    checks.check(close(found, want) and len(set(said)) == 1,
                 "another group of the same modules is the library's own, and said", said)


def check_compile(checks, plan, world):
    """Blocks that are compiled have no more graph breaks than without it; nor has the model."""
    from torch._dynamo.utils import counters

    module, mesh = load_plan(plan, "pytorch", *options("packed")), init_device_mesh("cpu", (world,))
    for compiled in ("blocks", "model"):
        want, breaks = None, []
        for one in (None, module):
            torch._dynamo.reset()
            counters.clear()
            found = train(new_model(), mesh, one, compiled=compiled)
            want = want or found
            breaks.append(sum(counters["graph_break"].values()))
        checks.check(close(found, want) and breaks[0] == breaks[1]
                     and counters["stats"]["unique_graphs"] > 0,
                     f"{plan}: compiled {compiled}: the same losses and no more graph breaks",
                     breaks, dict(counters["stats"]), dict(counters["graph_break"]))


def check_calls_in_graph(checks, plan):
    """A collective of the module inside a compiled function ends its graph, and is right."""
    layers = load_plan(plan, "pytorch").Hierarchy()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (layers.all_reduce(x), x * 2)[1], backend="eager")
    x = integers((12,), torch.float32, 9)
    want = x.clone()
    dist.all_reduce(want)
    checks.check(torch.equal(compiled(x), want * 2), f"{plan}: all_reduce in a compiled function")


def comms_of(unit):
    return [group._reduce_scatter_comm for group in unit._get_fsdp_state()._fsdp_param_groups]


def check_several(checks, plan, world):
    """Stages of a pipeline; and a module that shards over several meshes, which PyTorch refuses."""
    mesh = init_device_mesh("cpu", (world,))
    module = load_plan(plan, "pytorch", *options("packed"))
    stages = [fully_shard(Block(), mesh=mesh) for _ in range(3)]
    groups = stages[2]._get_fsdp_state()._fsdp_param_groups
    groups.append(groups[0])
    module._defaults.clear()  # those of other tests
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = []
        calls = record_calls(lambda: made.append(module.apply_to_fsdp(iter(stages), mesh)))
    (layers,) = made
    want = [("all_reduce", dist.get_process_group_ranks(layer.group), 1)
            for layer in layers.layers()]
    checks.check(calls == want, "the layers' groups are connected before the first step", calls,
                 want)
    comms = [comm for stage in stages for comm in comms_of(stage)]
    ours = [isinstance(comm, module.HierarchicalReduceScatter) for comm in comms]
    said = [str(one.message) for one in caught if "left to torch.distributed" in str(one.message)]
    checks.check(ours == [True, True, False, False] and comms[0] is comms[1]
                 and comms[0].layers is layers and len(said) == 1,
                 "stages share one hierarchy; several meshes in one module are left alone", comms,
                 said)


def check_refusals(checks, plan, world):
    mesh = init_device_mesh("cpu", (world,))
    module = load_plan(plan, "pytorch", *options("packed"))
    said = []
    for call in (lambda: module.apply_to_fsdp(torch.nn.Linear(2, 2)),
                 lambda: load_plan(plan, "pytorch").apply_to_fsdp(fully_shard(new_model(),
                                                                              mesh=mesh))):
        try:
            call()
        except ValueError as error:
            said.append(str(error))
    checks.check(len(said) == 2 and "fully_shard" in said[0] and "--collective" in said[1],
                 "a model that is not sharded, and a plan for AllReduces, are refused", said)
    small = load_small(plan, "pytorch", *options("packed"))
    comm = small.HierarchicalAllGather(small.Hierarchy())
    block, whole = torch.ones(1), torch.empty(world)
    calls = record_calls(lambda: comm(whole, block, dist.group.WORLD))
    checks.check(calls == [("all_gather_into_tensor", list(range(world)), world)]
                 and whole.sum() == world, "what is too small for layers is one call", calls)


def check_example(checks, world):
    """The example of the document."""
    code = example("export-frameworks.md", "import hierarchical_torch as hierarchical\n    from ")
    sys.modules["hierarchical_torch"] = load_plan("2x2" if world == 4 else "4x2", "pytorch",
                                                  *options("packed"))
    mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("dp",))
    names = {"model": new_model(), "mesh": mesh}
    exec(code, names)
    (comm,) = comms_of(names["model"])
    checks.check(type(comm).__name__ == "HierarchicalReduceScatter",
                 "the example of the document does what it says", code)


def check_world(checks, world):
    for plan, layout in PLANS[world]:
        module = load_plan(plan, "pytorch", *options(layout))
        layers = module.Hierarchy()
        check_gather(checks, module.HierarchicalAllGather(layers), plan, layout)
        check_scatter(checks, module.HierarchicalReduceScatter(layers), plan, layout)
        check_stages(checks, module, layers, plan, layout)
    check_training(checks, PLANS[world][-1][0], "packed", world)
    check_refusals(checks, PLANS[world][-1][0], world)
    check_example(checks, world)
    if world == 4:
        check_several(checks, "2x2", world)
        check_compile(checks, "2x2", world)
        check_calls_in_graph(checks, "2x2")
    if world == 8:
        check_groups(checks)


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


def main():
    tap = export_tools.Tap()
    for world in PLANS:
        for plan, layout in [*PLANS[world], ("2x2", "packed"), ("4x2", "packed")]:
            load_plan(plan, "pytorch")  # once, for all ranks
            load_plan(plan, "pytorch", *options(layout))
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
