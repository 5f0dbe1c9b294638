"""What collectives take, for the passes of torch.compile that reorder and bucket them.

    import inductor_times
    inductor_times.install()       # in every process, before the first compilation

TIMES has the seconds of a collective by its bytes: an AllReduce's message, else the larger side of
the call on one rank. Between two sizes times lie on a line; other sizes, other collectives and
groups that lie otherwise stay with PyTorch's own estimate. Files of several collectives can be
installed one behind the other, each under a name of its own.

Needs PyTorch 2.15, whose passes ask torch._inductor.config for such functions:
aten_distributed_optimizations.custom_runtime_estimation, of a node of the graph (overlap and
bucketing), and estimate_op_runtime, of one that is lowered (reordering).
"""
import bisect
from collections import Counter
from typing import Callable, NamedTuple, Optional, Union

import torch
import torch._inductor.config as config
import torch.distributed as dist
from torch._inductor import comm_analysis
from torch.fx.operator_schemas import normalize_function

@CONSTANTS@

Estimate = Callable[..., Optional[float]]  # milliseconds; None: not known here


def seconds_of(collective: str, message_bytes: float, ranks: list[int]) -> Optional[float]:
    """What a collective of these ranks takes; None: TIMES do not tell."""
    nodes = Counter(rank // RANKS_PER_NODE if RANKS_PER_NODE else 0 for rank in ranks)
    table = TIMES.get((collective, len(ranks), max(nodes.values()) if RANKS_PER_NODE else None))
    if not table or not table[0][0] <= message_bytes <= table[-1][0]:
        return None
    place = bisect.bisect_left(table, (message_bytes,))
    high, high_seconds = table[place]
    low, low_seconds = table[max(place - 1, 0)]
    part = (message_bytes - low) / (high - low) if high > low else 0
    return low_seconds + part * (high_seconds - low_seconds)


# How much of the bytes that go into and come out of a call of n ranks the message is.
SHARES = {
    comm_analysis.NCCL_COLL.ALL_REDUCE: ("allreduce", lambda n: 1 / 2),
    comm_analysis.NCCL_COLL.ALL_GATHER: ("allgather", lambda n: n / (n + 1)),
    comm_analysis.NCCL_COLL.REDUCE_SCATTER: ("reduce-scatter", lambda n: n / (n + 1)),
    comm_analysis.NCCL_COLL.ALL_TO_ALL: ("all-to-all", lambda n: 1 / 2),
}


def _milliseconds(kind: comm_analysis.NCCL_COLL, group: str, both_bytes: Callable[[int], float]
                  ) -> Optional[float]:
    ranks = dist.get_process_group_ranks(dist.distributed_c10d._resolve_process_group(group))
    name, share = SHARES[kind]
    # Of whole bytes: what n / (n + 1) gives may miss them by a rounding.
    seconds = seconds_of(name, round(both_bytes(len(ranks)) * share(len(ranks))), ranks)
    return None if seconds is None else 1000 * seconds


def of_graph(node: torch.fx.Node, override_size: Optional[int] = None) -> Optional[float]:
    """Of a node of the graph; what PyTorch asks for are the bytes of both sides."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return None
    kind = comm_analysis.get_collective_type_from_kernel_name(node.target.name())
    call = normalize_function(node.target, node.args, node.kwargs,
                              normalize_to_only_use_kwargs=True)
    if kind not in SHARES or call is None or "group_name" not in call.kwargs:
        return None
    size = override_size
    if size is None:
        size = comm_analysis.estimate_fx_collective_size(node)
    return _milliseconds(kind, call.kwargs["group_name"], lambda ranks: size)


def of_lowered(snode: object) -> Optional[float]:
    """Of a node that is lowered."""
    node = snode.node
    if not isinstance(node, torch._inductor.ir._CollectiveKernel):
        return None
    kind = comm_analysis.get_collective_type(node)
    if kind not in SHARES:
        return None  # also what waits for one
    given = comm_analysis.get_collective_input_size_bytes(node)
    grows = {comm_analysis.NCCL_COLL.ALL_GATHER: lambda n: n,
             comm_analysis.NCCL_COLL.REDUCE_SCATTER: lambda n: 1 / n}.get(kind, lambda n: 1)
    # Where the output is given, too, it is among the inputs.
    both = given if "_out" in node.python_kernel_name else None
    return _milliseconds(kind, node.constant_args[-1],
                         lambda ranks: both or given * (1 + grows(ranks)))


class OfGraph(NamedTuple):
    """custom_runtime_estimation. Times are in it for the key of Inductor's caches."""

    times: dict[tuple[str, int, Optional[int]], tuple[tuple[int, float], ...]]
    before: Optional[Estimate]

    def __call__(self, node: torch.fx.Node, override_size: Optional[int] = None
                 ) -> Optional[float]:
        found = of_graph(node, override_size)
        if found is None and self.before is not None:
            return self.before(node, override_size)
        return found


class OfLowered(NamedTuple):
    """estimate_op_runtime; likewise."""

    times: dict[tuple[str, int, Optional[int]], tuple[tuple[int, float], ...]]
    before: Union[str, Estimate]

    def __call__(self, snode: object) -> Optional[float]:
        found = of_lowered(snode)
        if found is not None:
            return found
        return snode.get_estimated_runtime() if self.before == "default" else self.before(snode)


def install() -> None:
    """Sets both functions; what was set before is asked where TIMES do not tell."""
    graph = config.aten_distributed_optimizations
    graph.custom_runtime_estimation = OfGraph(TIMES, graph.custom_runtime_estimation)
    config.estimate_op_runtime = OfLowered(TIMES, config.estimate_op_runtime)
