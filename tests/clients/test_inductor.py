#!/usr/bin/env python3
"""Times exported for PyTorch's Inductor, by its own estimators and passes. TAP on stdout.

    BUILD=build python test_inductor.py        one process, of 64 that nobody else is
"""
import json
import sys
import warnings

import torch
import torch._inductor.config as config
import torch.distributed as dist
from torch._dynamo.utils import counters
from torch._inductor import comm_analysis
from torch._inductor.fx_passes import overlap_scheduling
from torch._inductor.utils import fresh_cache
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

from client_tools import example, export_tools, load

MACHINE, RANKS, NODE = "8xH100, 8xNDR400", 64, 8
SIZES = "64KiB:256MiB"
OPS = torch.ops._c10d_functional
CALLS = {
    "allreduce": lambda x, n, group: OPS.all_reduce(x, "sum", group),
    "allgather": lambda x, n, group: OPS.all_gather_into_tensor(x, n, group),
    "reduce-scatter": lambda x, n, group: OPS.reduce_scatter_tensor(x, "avg", n, group),
    "all-to-all": lambda x, n, group: OPS.all_to_all_single(
        x, [len(x) // n] * n, [len(x) // n] * n, group),
}


def predict(collective, *more):
    return export_tools.predict(RANKS, SIZES, MACHINE, "--collective", collective, *more)


def module_of(result, name, *more):
    status, out, err = export_tools.run("export", "-", "--to", "inductor", "--quiet", *more,
                                        stdin=result)
    if status:
        raise RuntimeError(err)
    module = sys.modules[name] = load(out, name)
    return module


def graph_of(collective, message_bytes, group, ranks):
    """A graph with one call of a bfloat16 message, and the node of it."""
    elements = int(message_bytes) // 2

    def call(x):
        return OPS.wait_tensor(CALLS[collective](x, ranks, group.group_name)) * 2

    if collective == "allgather":
        elements //= ranks
    traced = make_fx(call, tracing_mode="fake")(torch.empty(elements, dtype=torch.bfloat16))
    return traced, next(node for node in traced.graph.nodes
                        if "c10d" in str(node.target) and "wait" not in str(node.target))


def asked(node):
    """As the overlap scheduler asks."""
    return overlap_scheduling.estimate_collective_time(
        node, custom_runtime_estimation=(
            config.aten_distributed_optimizations.custom_runtime_estimation))


def by_pass(graph):
    """What the scheduling pass has found that the graph's collective takes."""
    found = []
    original = overlap_scheduling.OverlapScheduler.run

    def run(scheduler):
        found.extend(info.estimated_time_ms for info in scheduler.collective_info.values())
        return original(scheduler)

    overlap_scheduling.OverlapScheduler.run = run
    try:
        overlap_scheduling.schedule_overlap_bucketing_from_inductor_configs(graph)
    finally:
        overlap_scheduling.OverlapScheduler.run = original
    return found


def lowered(collective, message_bytes, group):
    """What the reordering pass has found, of a compiled function, by the collective's node."""
    found, elements = [], int(message_bytes) // 4
    before = config.estimate_op_runtime

    def record(snode):
        milliseconds = before(snode)
        if isinstance(snode.node, torch._inductor.ir._CollectiveKernel) and (
                not isinstance(snode.node, torch._inductor.ir._WaitKernel)):
            found.append(milliseconds)
        return milliseconds

    def call(x):
        y = OPS.wait_tensor(CALLS[collective](x, RANKS, group.group_name))
        return torch.mm(y.view(2, -1)[:, :2], y.view(2, -1)[:, :2])

    given = torch.empty(elements // RANKS if collective == "allgather" else elements)
    config.estimate_op_runtime = record
    torch._dynamo.reset()
    try:
        with config.patch(
                reorder_for_compute_comm_overlap=True, fx_graph_cache=False,
                reorder_for_compute_comm_overlap_passes=[
                    "reorder_communication_preserving_peak_memory"]):
            torch.compile(call)(given)
    finally:
        config.estimate_op_runtime = before
    return found


def check_given_output(tap, group, want):
    """Buckets are gathered into an output that the pass has made."""
    CALLS["allgather, given"] = lambda x, n, group: OPS.all_gather_into_tensor_out(
        x, n, group, out=x.new_empty(n * len(x)))
    got = [lowered("allgather, given", 2**20 // RANKS, group)]
    node = graph_of("allgather, given", 2**20 // RANKS, group, RANKS)[1]
    tap.check(got[0] and all(near(one, want) for one in (*got[0], asked(node))),
              "an allgather into a given output takes as long", got, asked(node), want)
    del CALLS["allgather, given"]


def check_cache(tap):
    """Compilations are cached by the times, too."""
    found, before = [], config.estimate_op_runtime
    with fresh_cache(), config.patch(fx_graph_cache=True):
        for other in (None, None, "changed"):
            if other:
                more = {**before.times, (other, 2, 2): ()}
                config.estimate_op_runtime = before._replace(times=more)
            torch._dynamo.reset()
            counters.clear()
            torch.compile(lambda x: torch.mm(x, x))(torch.ones(4, 4))
            found.append({key: count for key, count in counters["inductor"].items()
                          if key.startswith("fxgraph_cache_")})
    config.estimate_op_runtime = before
    tap.check(found == [{f"fxgraph_cache_{what}": 1} for what in ("miss", "hit", "miss")],
              "compilations are cached, others of other times", found)


def near(a, b):
    return abs(a - b) <= 1e-5 * abs(b)


def check_collective(tap, collective, group, inner):
    result = predict(collective)
    want = {entry["message_bytes"]: 1000 * entry["default"]["seconds"]
            for entry in json.loads(result)["results"]}
    sizes = sorted(want)
    own = {size: asked(graph_of(collective, size, group, RANKS)[1]) for size in sizes}
    small = sizes[0] // 8
    outside = asked(graph_of(collective, small, group, RANKS)[1])
    inside = asked(graph_of(collective, sizes[3], inner, NODE)[1])
    module = module_of(result, f"inductor_{collective.replace('-', '_')}")
    module.install()
    found = {size: asked(graph_of(collective, size, group, RANKS)[1]) for size in sizes}
    tap.check(all(near(found[size], want[size]) for size in sizes)
              and not any(near(own[size], want[size]) for size in sizes),
              f"{collective}: the estimator's time is the predicted one, at all sizes", found, want,
              own)
    middle = (sizes[3] + sizes[4]) // 2
    got = asked(graph_of(collective, middle, group, RANKS)[1])
    tap.check(near(got, (want[sizes[3]] + want[sizes[4]]) / 2),
              f"{collective}: between two sizes it lies on a line", got)
    tap.check(asked(graph_of(collective, small, group, RANKS)[1]) == outside
              and asked(graph_of(collective, sizes[3], inner, NODE)[1]) == inside,
              f"{collective}: other sizes and groups stay PyTorch's", outside, inside)
    graph, node = graph_of(collective, sizes[4], group, RANKS)
    got = by_pass(graph)
    tap.check(len(got) == 1 and near(got[0], want[sizes[4]]),
              f"{collective}: the scheduling pass takes it", got, want[sizes[4]])
    got = lowered(collective, sizes[4], group)
    tap.check(got and all(near(one, want[sizes[4]]) for one in got),
              f"{collective}: so does the one that reorders what is lowered", got, want[sizes[4]])


def check_example(tap):
    """The document's: the pass asks the module."""
    graph = config.aten_distributed_optimizations
    module = module_of(predict("reduce-scatter"), "inductor_times")
    code = example("export-frameworks.md", "import torch, inductor_times")
    before = graph.enable_overlap_scheduling, graph.custom_runtime_estimation
    exec(code, {})
    tap.check(graph.enable_overlap_scheduling and graph.custom_runtime_estimation is not before[1]
              and isinstance(graph.custom_runtime_estimation, module.OfGraph),
              "the example of the document does what it says", code)
    graph.enable_overlap_scheduling = before[0]


def check_plan(tap):
    """The times of a plan, for a job to which `hiersearch run` applies it."""
    result = predict("allgather")
    plans = {entry["message_bytes"]: {one["plan"]: one.get("predicted_seconds")
                                      for one in entry["candidates"]}
             for entry in json.loads(result)["results"]}
    module = module_of(result, "inductor_plan", "--plan", "8x8")
    (table,) = module.TIMES.values()
    # A prediction's file has the best plans of each size, not always this one.
    known = [(seconds, plans[size]["8x8"]) for size, seconds in table if "8x8" in plans[size]]
    tap.check(known and all(near(a, b) for a, b in known)
              and list(module.TIMES) == [("allgather", RANKS, NODE)],
              "with --plan they are the plan's", known)


def check_group(tap):
    """A group of a mesh has its own place: of dp over nodes, one rank in each."""
    result = export_tools.predict(None, SIZES, MACHINE, "--mesh", f"tp={NODE},dp={RANKS // NODE}",
                                  "--group", "dp", "--collective", "allgather")
    module = module_of(result, "inductor_group")
    (table,) = module.TIMES.values()
    ranks = list(range(0, RANKS, NODE))
    tap.check(list(module.TIMES) == [("allgather", RANKS // NODE, 1)]
              and module.seconds_of("allgather", table[2][0], ranks) == table[2][1]
              and module.seconds_of("allgather", table[2][0], list(range(NODE))) is None,
              "a group across nodes is told from one inside a node", list(module.TIMES))


def main():
    warnings.simplefilter("ignore")
    tap = export_tools.Tap()
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    inner = dist.new_group(list(range(NODE)))
    for collective in CALLS:
        check_collective(tap, collective, dist.group.WORLD, inner)
    kinds = {comm_analysis.get_collective_type_from_kernel_name(name) for name in (
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all")}
    tap.check(config.aten_distributed_optimizations.custom_runtime_estimation is not None
              and len(kinds) == 4, "modules of several collectives are installed side by side")
    want = json.loads(predict("allgather"))["results"][4]
    check_given_output(tap, dist.group.WORLD, 1000 * want["default"]["seconds"])
    check_cache(tap)
    check_example(tap)
    check_plan(tap)
    check_group(tap)
    dist.destroy_process_group()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
