"""AllReduce, ReduceScatter and AllGather, or AllToAll in layers for PyTorch; for FSDP2 and DDP.

    import torch.distributed as dist
    import hierarchical_torch as hierarchical

    dist.init_process_group("nccl")
    layers = hierarchical.Hierarchy()            # once, on every rank
    layers.all_reduce(tensor)                    # in place, as dist.all_reduce(tensor)

    ddp = torch.nn.parallel.DistributedDataParallel(model)
    ddp.register_comm_hook(layers, hierarchical.hierarchical_hook)

    layers = hierarchical.Hierarchy(mesh["dp"])  # a process group, or one dimension of a DeviceMesh
    layers.reduce_scatter_tensor(block, whole)   # as dist.reduce_scatter_tensor(block, whole)
    layers.all_gather_into_tensor(whole, block)  # as dist.all_gather_into_tensor(whole, block)
    layers.all_to_all_single(theirs, mine)       # as dist.all_to_all_single(theirs, mine)

    hierarchical.apply_to_fsdp(model, mesh["dp"])  # of fully_shard, before the first step

With a MESH the plan is for the groups along its axes OVER, ranks_of(rank), and says so where it is
given another group, or none.

COLLECTIVE says what RULES are for. A reduce-scatter and an allgather mirror each other and share
them; what they are not for is torch.distributed's own call, here as without this module.

An AllReduce's message is reduce-scattered in the groups of the innermost layer, what is left in
those of the next, and so on; allreduced in the outermost layer; then allgathered back in reverse
order. The ranks of a layer's groups are {b + k * stride : k < size}, counted in the process group.

A reduce-scatter goes over the layers once, and so does an allgather. LAYOUT says which of the NP
blocks of the whole tensor a rank has:

  "natural"  rank r has block r, as in torch.distributed. A reduce-scatter begins with the
              outermost layer, an allgather with the innermost.
  "reversed"  rank r = k0 + k1 p0 + k2 p0 p1 + ... has the block of the same digits the other way
              round, k0 NP / p0 + k1 NP / (p0 p1) + ..., where p0, p1, ... are the layers' sizes: a
              reduce-scatter begins inside and has the least left for the slowest links.
              permutation(rule) lists it; arrange and in_order put a tensor's blocks by it. It
              depends on the plan, and that on the size: give both calls `rule=` where a
              reduce-scatter and an allgather of other bytes (of another type) belong together.
  "packed"    rank r has block r, and layers go as for "reversed": a copy of the larger side before
              a reduce-scatter, or behind an allgather, puts its blocks where they belong.

An all-to-all goes over the layers once, the innermost first. A block is for a rank of some digits,
and each layer brings it to where one more of them is right; what goes to one rank of a layer is
brought together by a copy. Its blocks are all as long; with split sizes it is the library's own,
so that they are given on all ranks or on none.

Where a rule has `trees`, its innermost layer goes by FORESTS: trees that were packed on the single
links between the processes of a node, by isend and irecv in turns. Each tree has its share of the
root's block, or of an AllReduce's message, in segments; segment s goes over an edge in turn s + h,
h steps behind the tree's first, so that what is sent was there a turn before. SEGMENT_BYTES and
MOST_SEGMENTS say how many there are, the same on all ranks.

The layers follow the machine only if ranks are numbered node by node, as torchrun and
`srun --distribution=block` do. Needs PyTorch 2.2 or later and nothing else.
"""
import itertools
import os
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from functools import lru_cache
from typing import Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


class Rule(NamedTuple):
    """The plan for messages of at most `up_to_bytes` bytes (None: of any size)."""

    up_to_bytes: Optional[int]
    split: tuple[int, ...]  # layer sizes, innermost first
    chunks: int  # parts of a message that travel through the layers one behind the other
    trees: str = ""  # by which FORESTS the innermost layer goes out and back: "ff"; -: by none


class Tree(NamedTuple):
    """A way of one part of a message through a node. Ranks count in the innermost layer."""

    root: int
    share: float  # of the root's block; of an AllReduce's tree: of the message
    up: tuple[int, ...]  # to whom each rank hands on what it has added up; -1: the root
    down: tuple[int, ...]  # from whom each rank gets what the root has; -1: the root


@CONSTANTS@

SEGMENT_BYTES = 1 << 19  # a tree's part goes in segments of so many bytes,
MOST_SEGMENTS = 32  # or in so many, if that were more

SUPPORTED_OPS = (
    dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX, dist.ReduceOp.MIN,
    dist.ReduceOp.PRODUCT, dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR,
)  # fmt: skip


# How one rank's part is added to another's; AVG is a sum.
COMBINATIONS = (
    (dist.ReduceOp.SUM, torch.add), (dist.ReduceOp.PRODUCT, torch.mul),
    (dist.ReduceOp.MAX, torch.maximum), (dist.ReduceOp.MIN, torch.minimum),
    (dist.ReduceOp.BAND, torch.bitwise_and), (dist.ReduceOp.BOR, torch.bitwise_or),
    (dist.ReduceOp.BXOR, torch.bitwise_xor),
)  # fmt: skip

OWN = Rule(None, (NP,), 1)  # one call of torch.distributed's own
Context = Callable[[int], object]  # what a chunk's work is issued in


class WorldSizeError(RuntimeError):
    """The job, or the group, has another number of processes than the plan."""


class Layer(NamedTuple):
    """One layer, seen from this rank."""

    stride: int
    size: int
    group: dist.ProcessGroup
    trees: str = ""  # as of its rule

    def forest(self, phase: str) -> tuple[Tree, ...]:
        """The trees that it goes by in a phase; none: by the library's default call."""
        letter = self.trees[1:] if phase == "allgather" else self.trees[:1]
        return FORESTS.get(f"{phase} {letter}", ())


class Edge(NamedTuple):
    """What one rank sends or receives of a tree, counted in its layer."""

    turn: int  # of the first segment
    tree: int
    peer: int
    sends: bool
    adds: bool  # what is received


def rule_for(message_bytes: int) -> Rule:
    """The plan for a message of this size."""
    for rule in RULES:
        if rule.up_to_bytes is None or message_bytes <= rule.up_to_bytes:
            return rule
    return RULES[-1]


def _rule_of(collective: str, message_bytes: int) -> Rule:
    """RULES are for AllReduces, for reduce-scatters and allgathers, or for all-to-alls."""
    mirrored = ("reduce-scatter", "allgather")
    mine = collective == COLLECTIVE or collective in mirrored and COLLECTIVE in mirrored
    return rule_for(message_bytes) if mine else OWN


def _is_own(rule: Rule) -> bool:
    return len(rule.split) == 1 and rule.chunks == 1 and not rule.trees


def permutation(rule: Rule = RULES[-1]) -> list[int]:
    """The block that each rank of the group has between a reduce-scatter and an allgather."""
    if LAYOUT != "reversed":
        return list(range(NP))
    blocks = []
    for rank in range(NP):
        block = 0
        for size in rule.split:
            rank, digit = divmod(rank, size)
            block = block * size + digit
        blocks.append(block)
    return blocks


def arrange(whole: torch.Tensor, rule: Rule = RULES[-1]) -> torch.Tensor:
    """A copy whose blocks lie so that rank r has what is block r of `whole`."""
    out = torch.empty_like(whole, memory_format=torch.contiguous_format)
    out.view(NP, -1)[permutation(rule)] = whole.reshape(NP, -1)
    return out


def in_order(whole: torch.Tensor, rule: Rule = RULES[-1]) -> torch.Tensor:
    """A copy in which block r is that of rank r: what undoes arrange."""
    return whole.reshape(NP, -1)[permutation(rule)].view(whole.shape)


def layer_shapes(split: tuple[int, ...]) -> list[tuple[int, int]]:
    """(stride, size) of each layer, innermost first."""
    shapes, stride = [], 1
    for size in split:
        shapes.append((stride, size))
        stride *= size
    return shapes


def group_ranks(rank: int, stride: int, size: int) -> list[int]:
    """The ranks of the group of a layer that `rank` is in; all counted in the process group."""
    first = rank // (stride * size) * (stride * size) + rank % stride
    return [first + k * stride for k in range(size)]


def ranks_of(rank: int) -> list[int]:
    """The ranks of the world, in the group's order, that call together with `rank`."""
    ranks, first, stride = [0], rank, 1
    for name, size in MESH:
        if name in OVER:
            first -= rank // stride % size * stride
            ranks = [other + k * stride for k in range(size) for other in ranks]
        stride *= size
    return [first + other for other in ranks] if MESH else list(range(NP))


Group = Union[dist.ProcessGroup, DeviceMesh, None]


def _process_group(group: Group) -> Optional[dist.ProcessGroup]:
    """None is the world."""
    if not isinstance(group, DeviceMesh):
        return None if group is dist.group.WORLD else group
    if group.mesh.ndim != 1:
        raise ValueError(
            f"a DeviceMesh of {group.mesh.ndim} dimensions: give one of them, as mesh[\"dp\"]"
        )
    return group.get_group()


def check_world(group: Group = None) -> None:
    """Raises WorldSizeError for another number of processes; warns of another placement."""
    group = _process_group(group)
    world = dist.get_world_size(group)
    if world != NP:
        name = "world" if group is None else "group"
        if MESH and group is None:
            mesh = ",".join(f"{axis}={size}" for axis, size in MESH)
            raise WorldSizeError(
                f"this plan is for groups of {NP} processes over {','.join(OVER)} of {mesh}, and "
                f"the world has {world}: give the group, as Hierarchy(mesh[\"{OVER[0]}\"])"
            )
        raise WorldSizeError(
            f"this plan is for {NP} processes, but the {name} has {world}: "
            f"export a result for {world} processes, or use torch.distributed's own call"
        )
    if group is None or MESH:
        _check_placement()
    planned = ranks_of(dist.get_rank())
    if MESH and _ranks(group) != planned:
        warnings.warn(
            f"this group is ranks {_list(_ranks(group))}, the plan is for {_list(planned)}: it may "
            "be slow here",
            stacklevel=3,
        )


def _ranks(group: Optional[dist.ProcessGroup]) -> list[int]:
    """Of the world, by rank of the group."""
    return list(range(NP)) if group is None else dist.get_process_group_ranks(group)


def _list(ranks: list[int]) -> str:
    return ", ".join(str(rank) for rank in ranks[:3]) + (", ..." if len(ranks) > 3 else "")


def _check_placement() -> None:
    """What torchrun says of this process; other launchers may say nothing."""
    names = ("LOCAL_WORLD_SIZE", "LOCAL_RANK", "GROUP_RANK")
    local_world, local_rank, node = (_read_int(name) for name in names)
    rank = dist.get_rank()
    if local_world is None:
        return
    if RANKS_PER_NODE is not None and local_world != RANKS_PER_NODE:
        warnings.warn(
            f"measured with {RANKS_PER_NODE} processes on each node, but this node has "
            f"{local_world}: the plan may be slow here",
            stacklevel=4,
        )
    if node is None or local_rank is None or dist.get_world_size() % local_world != 0:
        return
    if rank != node * local_world + local_rank:
        warnings.warn(
            f"rank {rank} is process {local_rank} of node {node}: ranks are not numbered node "
            "by node, so the plan's inner layers leave the node",
            stacklevel=4,
        )


def _read_int(name: str) -> Optional[int]:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None


def make_mesh(device_type: str, rule: Rule = RULES[-1]) -> DeviceMesh:
    """The layers as a DeviceMesh: "layer1" is the innermost layer and the last dimension."""
    check_world()
    shape = tuple(reversed(rule.split))
    names = tuple(f"layer{i}" for i in range(len(shape), 0, -1))
    return init_device_mesh(device_type, shape, mesh_dim_names=names)


def _depths(parents: tuple[int, ...]) -> list[int]:
    """How far each rank is from the root."""
    depths = []
    for rank in range(len(parents)):
        depth = 0
        while parents[rank] >= 0:
            rank, depth = parents[rank], depth + 1
        depths.append(depth)
    return depths


def _heights(parents: tuple[int, ...]) -> list[int]:
    """How far the furthest leaf below each rank is."""
    heights = [0] * len(parents)
    for rank in range(len(parents)):
        height = 0
        while parents[rank] >= 0:
            rank, height = parents[rank], height + 1
            heights[rank] = max(heights[rank], height)
    return heights


@lru_cache(maxsize=None)
def edges_of(forest: tuple[Tree, ...], rank: int) -> list[Edge]:
    """What a rank of the layer does, in the order in which both ends of an edge do it."""
    edges = []
    for number, tree in enumerate(forest):
        heights = _heights(tree.up)
        for child, parent in enumerate(tree.up):
            if parent >= 0 and rank in (child, parent):
                edges.append(Edge(heights[child], number, child + parent - rank, rank == child,
                                  rank == parent))
        before, depths = max(heights, default=0), _depths(tree.down)
        for child, parent in enumerate(tree.down):
            if parent >= 0 and rank in (child, parent):
                edges.append(Edge(before + depths[child] - 1, number, child + parent - rank,
                                  rank == parent, False))
    return sorted(edges)


def parts_of(forest: tuple[Tree, ...], length: int, blocks: int) -> list[tuple[int, int]]:
    """Where each tree's part of a message begins and ends, by the shares, in one of its blocks."""
    parts, before, block = [], 0.0, length // blocks
    for number, tree in enumerate(forest):
        base = tree.root * block if blocks > 1 else 0
        if number > 0 and blocks > 1 and forest[number - 1].root != tree.root:
            before = 0.0
        first = min(int(before * block), block)
        before += tree.share
        last = number + 1 == len(forest) or blocks > 1 and forest[number + 1].root != tree.root
        parts.append((base + first, base + (block if last else min(int(before * block), block))))
    return parts


def _by_trees(whole: torch.Tensor, forest: tuple[Tree, ...], op: dist.ReduceOp.RedOpType,
              layer: Layer, blocks: int) -> None:
    """A phase over trees, in place: `whole` has a block for each rank, or is one that all share."""
    ranks = dist.get_process_group_ranks(layer.group)
    rank = dist.get_rank(layer.group)
    combine = next(function for known, function in COMBINATIONS if known == op)
    parts = parts_of(forest, whole.numel(), blocks)
    longest = max(end - first for first, end in parts) * whole.element_size()
    segments = max(1, min(MOST_SEGMENTS, longest // SEGMENT_BYTES))
    edges = edges_of(forest, rank)
    for turn in range(segments + max(edge.turn for edge in edges)):
        calls, sums = [], []
        for edge in edges:
            segment, (first, end) = turn - edge.turn, parts[edge.tree]
            if not 0 <= segment < segments:
                continue
            here = whole[first + (end - first) * segment // segments:
                         first + (end - first) * (segment + 1) // segments]
            if here.numel() == 0:
                continue
            there = torch.empty_like(here) if edge.adds else here
            calls.append(dist.P2POp(dist.isend if edge.sends else dist.irecv, there,
                                    ranks[edge.peer], layer.group, edge.tree))
            if edge.adds:
                sums.append((here, there))
        for work in dist.batch_isend_irecv(calls) if calls else ():
            work.wait()
        for here, there in sums:
            combine(here, there, out=here)


class _Done:
    """Work that was waited for."""

    def wait(self) -> None:
        pass


class _LocalReduction:
    """A reduce-scatter made of an exchange of blocks and a local reduction."""

    def __init__(self, work: dist.Work, blocks: torch.Tensor, out: torch.Tensor,
                 op: dist.ReduceOp.RedOpType) -> None:
        self.work, self.blocks, self.out, self.op = work, blocks, out, op

    def wait(self) -> None:
        self.work.wait()
        if self.op == dist.ReduceOp.SUM:
            result = self.blocks.sum(0, dtype=self.blocks.dtype)
        elif self.op == dist.ReduceOp.PRODUCT:
            result = self.blocks.prod(0, dtype=self.blocks.dtype)
        elif self.op == dist.ReduceOp.MAX:
            result = self.blocks.amax(0)
        elif self.op == dist.ReduceOp.MIN:
            result = self.blocks.amin(0)
        else:
            raise ValueError(f"{self.op} needs a backend with reduce_scatter_tensor")
        self.out.copy_(result)


Empty = Callable[[torch.Tensor, int], torch.Tensor]  # a flat tensor like one, of so many elements


def _empty(like: torch.Tensor, elements: int) -> torch.Tensor:
    return like.new_empty(elements)


def _turn(to: torch.Tensor, given: torch.Tensor, sizes: list[int]) -> None:
    """Copies blocks that lie by digits of these sizes, the slowest first, into the other order."""
    digits = range(len(sizes) - 1, -1, -1)
    to.view(*sizes[::-1], -1).copy_(given.view(*sizes, -1).permute(*digits, len(sizes)))


class Hierarchy:
    """The process groups of all layers of all plans, and the collectives through them.

    group: a process group, one dimension of a DeviceMesh, or None for the world. Ranks count in it.

    Making one is a collective call of all ranks of the group, in the same order as other calls that
    make groups; where the world has several such groups, each rank makes one for its own. Where
    init_process_group was given a device_id, NCCL splits the world's communicator: then all ranks
    of the world make one, at the same place. The groups are used by nothing else, so its messages
    mix with no others. Layers of equal (stride, size) share their groups.
    """

    def __init__(self, group: Group = None) -> None:
        check_world(group)
        self.group = _process_group(group)
        self.ranks = _ranks(self.group)
        self._layers: dict[tuple[int, int], Layer] = {}
        for rule in (*RULES, OWN):
            for shape in layer_shapes(rule.split):
                if shape not in self._layers:
                    self._layers[shape] = self._make_layer(*shape)
        self._scatters = True  # until the backend says otherwise
        # On CPUs one thread issues everything, so that all ranks issue in the same order while
        # the caller goes on with the backward pass.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hierarchy")
        self._last: Optional[Future[None]] = None  # handed to the thread
        self._streams: dict[torch.device, list[torch.cuda.Stream]] = {}
        self._met: set[tuple[dist.ProcessGroup, torch.device]] = set()

    def _make_layer(self, stride: int, size: int) -> Layer:
        # Each rank makes its own group of the layer only: as many calls as layers, not as groups.
        mine = group_ranks(dist.get_rank(self.group), stride, size)
        ranks = [self.ranks[rank] for rank in mine]
        more = {} if self.group is None else {"backend": dist.get_backend(self.group)}
        if ranks != sorted(ranks):
            more["sort_ranks"] = False  # as whoever made such a group did
        return Layer(stride, size, dist.new_group(ranks, use_local_synchronization=True, **more))

    def layers(self, rule: Rule = RULES[-1]) -> list[Layer]:
        """This rank's layers of a plan, innermost first."""
        layers = [self._layers[shape] for shape in layer_shapes(rule.split)]
        layers[0] = layers[0]._replace(trees=rule.trees)
        return layers

    def make_mesh(self, device_type: str, rule: Rule = RULES[-1]) -> DeviceMesh:
        """The layers as a DeviceMesh of these groups, as make_mesh (PyTorch 2.5 and later)."""
        names = tuple(f"layer{i}" for i in range(len(rule.split), 0, -1))
        groups = [layer.group for layer in reversed(self.layers(rule))]
        mesh = torch.tensor(self.ranks).view(tuple(reversed(rule.split)))
        return DeviceMesh.from_group(groups if len(groups) > 1 else groups[0], device_type,
                                     mesh=mesh, mesh_dim_names=names)

    def all_reduce(self, tensor: torch.Tensor,
                   op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM) -> None:
        """In place, as dist.all_reduce: any shape, also a scalar or not contiguous."""
        own = _is_own(_rule_of("allreduce", _bytes(tensor))) and op != dist.ReduceOp.AVG
        if own and op in SUPPORTED_OPS and tensor.is_contiguous() and tensor.numel() > 0:
            dist.all_reduce(tensor.detach(), op, group=self.group)  # as without this module
            return
        if tensor.device.type != "cpu" or op not in SUPPORTED_OPS:
            self.all_reduce_async(tensor, op).wait()
            return
        self._drain()
        self._reduce(tensor.detach(), op, _here)

    def all_reduce_async(
        self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM
    ) -> torch.futures.Future[torch.Tensor]:
        """Starts it; the future's value is `tensor`, not to be touched before."""
        _check_op(op)
        tensor = tensor.detach()
        return self._start(tensor, [tensor], lambda context: self._reduce(tensor, op, context))

    def reduce_scatter_tensor(
        self, output: torch.Tensor, input: torch.Tensor,
        op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM, rule: Optional[Rule] = None,
    ) -> None:
        """As dist.reduce_scatter_tensor, of any shapes; which block `output` is, LAYOUT says."""
        _check_op(op)
        _check_blocks("input", input, "output", output)
        rule = rule or _rule_of("reduce-scatter", _bytes(input))
        self._drain()
        self._scatter(output.detach(), input.detach(), op, self._layers_of(rule, op))

    def reduce_scatter_tensor_async(
        self, output: torch.Tensor, input: torch.Tensor,
        op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM, rule: Optional[Rule] = None,
    ) -> torch.futures.Future[torch.Tensor]:
        """Starts it; the future's value is `output`. Neither is to be touched before."""
        _check_op(op)
        _check_blocks("input", input, "output", output)
        layers = self.layers(rule or _rule_of("reduce-scatter", _bytes(input)))
        out, whole = output.detach(), input.detach()
        return self._start_whole(out, [out, whole], lambda: self._scatter(out, whole, op, layers))

    def all_gather_into_tensor(
        self, output_tensor: torch.Tensor, input_tensor: torch.Tensor,
        rule: Optional[Rule] = None,
    ) -> None:
        """As dist.all_gather_into_tensor, of any shapes; where a rank's block goes, LAYOUT says."""
        _check_blocks("output", output_tensor, "input", input_tensor)
        rule = rule or _rule_of("allgather", _bytes(output_tensor))
        self._drain()
        self._gather(output_tensor.detach(), input_tensor.detach(), self._layers_of(rule))

    def all_gather_into_tensor_async(
        self, output_tensor: torch.Tensor, input_tensor: torch.Tensor,
        rule: Optional[Rule] = None,
    ) -> torch.futures.Future[torch.Tensor]:
        """Starts it; the future's value is `output_tensor`. Neither is to be touched before."""
        _check_blocks("output", output_tensor, "input", input_tensor)
        layers = self.layers(rule or _rule_of("allgather", _bytes(output_tensor)))
        whole, block = output_tensor.detach(), input_tensor.detach()
        return self._start_whole(whole, [whole, block], lambda: self._gather(whole, block, layers))

    def all_to_all_single(
        self, output: torch.Tensor, input: torch.Tensor,
        output_split_sizes: Optional[list[int]] = None,
        input_split_sizes: Optional[list[int]] = None, rule: Optional[Rule] = None,
    ) -> None:
        """As dist.all_to_all_single; split sizes on all ranks or on none, equal ones, too."""
        self._drain()
        if output_split_sizes or input_split_sizes:
            dist.all_to_all_single(output, input, output_split_sizes, input_split_sizes,
                                   group=self.group)
            return
        _check_exchange(output, input)
        rule = rule or _rule_of("all-to-all", _bytes(input))
        self._exchange(output.detach(), input.detach(), self._layers_of(rule))

    def all_to_all_single_async(
        self, output: torch.Tensor, input: torch.Tensor, rule: Optional[Rule] = None,
    ) -> torch.futures.Future[torch.Tensor]:
        """Starts it; the future's value is `output`. Neither is to be touched before."""
        _check_exchange(output, input)
        layers = self.layers(rule or _rule_of("all-to-all", _bytes(input)))
        out, given = output.detach(), input.detach()
        return self._start_whole(out, [out, given], lambda: self._exchange(out, given, layers))

    def _layers_of(self, rule: Rule,
                   op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM) -> list[Layer]:
        """The library's default call is one in the caller's own group, as without this module."""
        if _is_own(rule) and op != dist.ReduceOp.AVG:
            return [Layer(1, NP, self.group)]
        return self.layers(rule)

    def _drain(self) -> None:
        """Once the thread is through: handing over to it costs more than a short message."""
        if self._last is not None:
            wait([self._last])
            self._last = None

    def _start(self, result: torch.Tensor, touched: list[torch.Tensor],
               run: Callable[[Context], None]) -> torch.futures.Future[torch.Tensor]:
        """Runs it beside the caller; the future's value is `result`."""
        if result.is_cuda:
            return self._start_cuda(result, touched, run)
        if result.device.type == "cpu":
            return self._start_cpu(result, run)
        run(_here)
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
        future.set_result(result)
        return future

    def _start_whole(self, result: torch.Tensor, touched: list[torch.Tensor],
                     call: Callable[[], None]) -> torch.futures.Future[torch.Tensor]:
        """_start for what goes in one chunk."""

        def run(context: Context) -> None:
            with context(0):
                call()

        return self._start(result, touched, run)

    def _start_cpu(self, result: torch.Tensor,
                   run: Callable[[Context], None]) -> torch.futures.Future[torch.Tensor]:
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()

        def work() -> None:
            try:
                run(_here)
            except Exception as error:  # handed to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)

        self._last = self._thread.submit(work)
        return future

    def _start_cuda(self, result: torch.Tensor, touched: list[torch.Tensor],
                    run: Callable[[Context], None]) -> torch.futures.Future[torch.Tensor]:
        # One stream per chunk, the caller's own is left free for the backward pass.
        caller = torch.cuda.current_stream(result.device)
        streams = self._streams.setdefault(result.device, [])
        while len(streams) < MOST_CHUNKS:
            streams.append(torch.cuda.Stream(result.device))
        for stream in streams:
            stream.wait_stream(caller)
            for tensor in touched:
                tensor.record_stream(stream)
        run(lambda chunk: torch.cuda.stream(streams[chunk]))
        for stream in streams[1:]:
            streams[0].wait_stream(stream)
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future(devices=[result.device])
        with torch.cuda.stream(streams[0]):
            future.set_result(result)
        return future

    def _reduce(self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType,
                context: Context) -> None:
        """The pipeline: in step t chunk c is in its phase t - c, on all ranks in this order."""
        if tensor.numel() == 0:
            return
        rule = _rule_of("allreduce", _bytes(tensor))
        layers = self.layers(rule)
        copied = not tensor.is_contiguous()
        with context(0):
            flat = tensor.contiguous().view(-1)
        if copied:
            self._join(tensor.device, rule.chunks)
        chunks = [
            self._phases(part, op, layers)
            for part in flat.split(_part_length(flat.numel(), rule))
        ]
        for step in range(2 * len(layers) + len(chunks)):
            for number, chunk in enumerate(chunks[: step + 1]):
                with context(number):
                    next(chunk, None)
        if copied:
            self._join(tensor.device, rule.chunks)
            with context(0):
                tensor.copy_(flat.view(tensor.shape))

    def _join(self, device: torch.device, chunks: int) -> None:
        """Makes the streams of all chunks wait for one another."""
        streams = self._streams.get(device, [])[:chunks]
        for stream in streams[1:]:
            streams[0].wait_stream(stream)
        for stream in streams[1:]:
            stream.wait_stream(streams[0])

    def _phases(self, part: torch.Tensor, op: dist.ReduceOp.RedOpType,
                layers: list[Layer]) -> Iterator[None]:
        """Takes one chunk through the layers; each step waits for a phase and starts the next."""
        # By trees that differ each way the last layer, too, is a reduce-scatter and an allgather.
        split = layers if _goes_two_ways(layers[-1].trees) else layers[:-1]
        inner = 1
        for layer in split:
            inner *= layer.size
        padding = -part.numel() % inner
        whole = torch.nn.functional.pad(part, (0, padding)) if padding else part
        half = part.dtype == torch.float16
        if op == dist.ReduceOp.AVG and half:
            whole.div_(NP)  # before the sum, which could be too large for 16 bits
        sum_op = dist.ReduceOp.SUM if op == dist.ReduceOp.AVG else op

        pieces = [whole]
        for layer in split:
            piece = whole.new_empty(pieces[-1].numel() // layer.size)
            work = self._reduce_scatter(piece, pieces[-1], sum_op, layer)
            yield
            work.wait()
            pieces.append(piece)
        if split is not layers:
            work = self._sum(pieces[-1], sum_op, layers[-1])
            yield
            work.wait()
        if op == dist.ReduceOp.AVG and not half:
            _divide(pieces[-1])
        for layer in reversed(split):
            piece = pieces.pop()
            whole = pieces[-1]
            work = self._all_gather(whole, piece, layer)
            yield
            work.wait()
        if padding:
            part.copy_(whole[: part.numel()])

    def _scatter(self, block: torch.Tensor, whole: torch.Tensor, op: dist.ReduceOp.RedOpType,
                 layers: list[Layer], layout: str = LAYOUT, empty: Empty = _empty) -> None:
        """A reduce-scatter, a call on each layer; each piece begins where its blocks do."""
        if whole.numel() == 0:
            return
        piece = whole.contiguous().view(-1)
        half = piece.dtype == torch.float16
        average = op == dist.ReduceOp.AVG
        if average and half:
            piece = piece / NP  # before the sum, which could be too large for 16 bits
        if layout == "packed" and len(layers) > 1:
            packed = empty(piece, piece.numel())
            _turn(packed, piece, [layer.size for layer in reversed(layers)])
            piece = packed
        target = block.view(-1) if block.is_contiguous() else empty(piece, block.numel())
        order = layers[::-1] if layout == "natural" else layers
        for layer in order:
            out = target if layer is order[-1] else empty(piece, piece.numel() // layer.size)
            self._reduce_scatter(out, piece, dist.ReduceOp.SUM if average else op, layer).wait()
            piece = out
        if average and not half:
            _divide(target)
        if not block.is_contiguous():
            block.copy_(target.view(block.shape))

    def _gather(self, whole: torch.Tensor, block: torch.Tensor, layers: list[Layer],
                layout: str = LAYOUT, empty: Empty = _empty) -> None:
        """An allgather: the mirror of _scatter."""
        if whole.numel() == 0:
            return
        piece = block.contiguous().view(-1)
        turned = layout == "packed" and len(layers) > 1
        own = whole.is_contiguous() and not turned
        target = whole.view(-1) if own else empty(piece, whole.numel())
        order = layers if layout == "natural" else layers[::-1]
        for layer in order:
            out = target if layer is order[-1] else empty(piece, piece.numel() * layer.size)
            self._all_gather(out, piece, layer).wait()
            piece = out
        if turned:
            packed = target
            target = whole.view(-1) if whole.is_contiguous() else empty(piece, whole.numel())
            _turn(target, packed, [layer.size for layer in layers])
        if not whole.is_contiguous():
            whole.copy_(target.view(whole.shape))

    def _exchange(self, output: torch.Tensor, given: torch.Tensor, layers: list[Layer]) -> None:
        """A dimension for each digit of a block's rank: where it goes, and once sent, whence."""
        if given.numel() == 0:
            return
        sizes = [layer.size for layer in reversed(layers)]
        blocks = given.contiguous().view(*sizes, -1)
        own = output.is_contiguous()
        target = output.view(*sizes, -1) if own else torch.empty_like(blocks)
        for i, layer in enumerate(layers):
            digit = len(layers) - 1 - i  # the outermost lies outside: there is nothing to move
            sent = blocks.movedim(digit, 0).contiguous()
            here = target if digit == 0 else torch.empty_like(sent)
            dist.all_to_all_single(here.view(-1), sent.view(-1), group=layer.group)
            blocks = here.movedim(0, digit)
        if not own:
            output.copy_(target.reshape(output.shape))

    def connect(self, device: Union[torch.device, str]) -> None:
        """Has the groups of all plans make their connections now. Collective."""
        for rule in RULES:
            for layer in () if _is_own(rule) else self.layers(rule):
                self._meet(torch.zeros(1, device=device), layer)

    def _meet(self, tensor: torch.Tensor, layer: Layer) -> None:
        """The first call of a group must be one of all its ranks: NCCL makes connections in it."""
        if (layer.group, tensor.device) not in self._met:
            self._met.add((layer.group, tensor.device))
            dist.all_reduce(tensor.new_zeros(1), group=layer.group)

    def _sum(self, whole: torch.Tensor, op: dist.ReduceOp.RedOpType, layer: Layer):
        forest = layer.forest("allreduce")
        if not forest:
            return dist.all_reduce(whole, op, group=layer.group, async_op=True)
        self._meet(whole, layer)
        _by_trees(whole, forest, op, layer, 1)
        return _Done()

    def _all_gather(self, whole: torch.Tensor, piece: torch.Tensor, layer: Layer):
        forest = layer.forest("allgather")
        if not forest:
            return dist.all_gather_into_tensor(whole, piece, group=layer.group, async_op=True)
        self._meet(whole, layer)
        whole.view(layer.size, -1)[dist.get_rank(layer.group)] = piece
        _by_trees(whole, forest, dist.ReduceOp.SUM, layer, layer.size)
        return _Done()

    def _reduce_scatter(self, out: torch.Tensor, whole: torch.Tensor,
                        op: dist.ReduceOp.RedOpType, layer: Layer):
        forest = layer.forest("reduce-scatter")
        if forest:
            self._meet(whole, layer)
            sums = whole.clone()  # of others' blocks, too
            _by_trees(sums, forest, op, layer, layer.size)
            out.copy_(sums.view(layer.size, -1)[dist.get_rank(layer.group)])
            return _Done()
        if self._scatters:
            try:
                return dist.reduce_scatter_tensor(
                    out, whole, op, group=layer.group, async_op=True
                )
            except RuntimeError as error:
                # Gloo before PyTorch 2.8 has none, and says so before anything is sent.
                if "support" not in str(error):
                    raise
                self._scatters = False
        blocks = torch.empty_like(whole)
        work = dist.all_to_all_single(blocks, whole, group=layer.group, async_op=True)
        return _LocalReduction(work, blocks.view(layer.size, -1), out, op)


def _part_length(length: int, rule: Rule) -> int:
    """Elements in each chunk but the last, which may be shorter: only the last needs padding."""
    inner = NP if len(rule.split) == 1 and _goes_two_ways(rule.trees) else NP // rule.split[-1]
    blocks = -(-length // inner)
    return -(-blocks // rule.chunks) * inner


def _goes_two_ways(trees: str) -> bool:
    return trees[:1] != trees[1:]


def _divide(piece: torch.Tensor) -> None:
    if piece.is_floating_point() or piece.is_complex():
        piece.div_(NP)
    else:
        piece.div_(NP, rounding_mode="trunc")  # as NCCL


def _here(_chunk: int) -> object:
    return nullcontext()


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _check_op(op: dist.ReduceOp.RedOpType) -> None:
    if op not in SUPPORTED_OPS:
        raise ValueError(f"{op} is not supported in layers")


def _check_blocks(name: str, whole: torch.Tensor, other: str, block: torch.Tensor) -> None:
    """As torch.distributed: the larger side has NP times the elements of the smaller one."""
    if whole.numel() != NP * block.numel():
        raise ValueError(
            f"{name} has {whole.numel()} elements, expected {NP * block.numel()}: {NP} times "
            f"those of {other}; pad what {NP} does not divide"
        )
    if whole.dtype != block.dtype or whole.device != block.device:
        raise ValueError(
            f"{name} is {whole.dtype} on {whole.device}, {other} {block.dtype} on {block.device}"
        )


def _check_exchange(output: torch.Tensor, input: torch.Tensor) -> None:
    """As torch.distributed: as many elements each way, in NP blocks."""
    if output.numel() != input.numel() or input.numel() % NP != 0:
        raise ValueError(
            f"input has {input.numel()} elements and output {output.numel()}, expected as many of "
            f"both, in {NP} equal blocks; pad what {NP} does not divide, or give split sizes"
        )
    if output.dtype != input.dtype or output.device != input.device:
        raise ValueError(
            f"input is {input.dtype} on {input.device}, output {output.dtype} on {output.device}"
        )


_defaults: dict[Optional[dist.ProcessGroup], Hierarchy] = {}
_default_lock = threading.Lock()


def default_hierarchy(group: Union[Hierarchy, Group] = None) -> Hierarchy:
    """That of a process group; made at the first call, a collective one."""
    if isinstance(group, Hierarchy):
        return group
    group = _process_group(group)
    with _default_lock:
        if group not in _defaults:
            _defaults[group] = Hierarchy(group)
        return _defaults[group]


def all_reduce(tensor: torch.Tensor, op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM,
               group: Union[Hierarchy, Group] = None) -> None:
    """In place, as dist.all_reduce."""
    default_hierarchy(group).all_reduce(tensor, op)


def reduce_scatter_tensor(output: torch.Tensor, input: torch.Tensor,
                          op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM,
                          group: Union[Hierarchy, Group] = None,
                          rule: Optional[Rule] = None) -> None:
    """As dist.reduce_scatter_tensor; which block a rank gets, LAYOUT says."""
    default_hierarchy(group).reduce_scatter_tensor(output, input, op, rule)


def all_gather_into_tensor(output_tensor: torch.Tensor, input_tensor: torch.Tensor,
                           group: Union[Hierarchy, Group] = None,
                           rule: Optional[Rule] = None) -> None:
    """As dist.all_gather_into_tensor; where a rank's block goes, LAYOUT says."""
    default_hierarchy(group).all_gather_into_tensor(output_tensor, input_tensor, rule)


def all_to_all_single(output: torch.Tensor, input: torch.Tensor,
                      output_split_sizes: Optional[list[int]] = None,
                      input_split_sizes: Optional[list[int]] = None,
                      group: Union[Hierarchy, Group] = None,
                      rule: Optional[Rule] = None) -> None:
    """As dist.all_to_all_single; with split sizes it is that."""
    default_hierarchy(group).all_to_all_single(output, input, output_split_sizes,
                                               input_split_sizes, rule)


def hierarchical_hook(
    state: Union[Hierarchy, Group], bucket: dist.GradBucket
) -> torch.futures.Future[torch.Tensor]:
    """For ddp.register_comm_hook: averages a bucket's gradients while the backward pass goes on.

    state: a Hierarchy, or the process group that DistributedDataParallel was given.
    """
    layers = default_hierarchy(state)
    return layers.all_reduce_async(bucket.buffer(), dist.ReduceOp.AVG)


class _FSDPCollective:
    """What both directions share: the layers, and the buffers between them.

    Rank r has block r, as FSDP lays out its shards; a plan for "reversed" runs as "packed". Other
    groups than the plan's, and what RULES leave to the library, are torch.distributed's own call.
    Buffers between layers are kept, one for each of them, each type and each stream, as large as
    the largest call; what FSDP has allocated is its own, freed when FSDP is through with it.
    """

    def __init__(self, layers: Hierarchy) -> None:
        if COLLECTIVE not in ("reduce-scatter", "allgather"):
            raise ValueError(
                f"this plan is for {COLLECTIVE}; FSDP wants one of a result with --collective "
                "reduce-scatter or allgather, and --layout packed"
            )
        self.layers = layers
        self._layout = "natural" if LAYOUT == "natural" else "packed"
        self._planned: dict[dist.ProcessGroup, bool] = {}
        self._buffers: dict[object, torch.Tensor] = {}

    def allocate(self, size: Sequence[int], *, dtype: torch.dtype,
                 device: torch.device) -> torch.Tensor:
        return torch.empty(*size, dtype=dtype, device=device)

    def _is_planned(self, group: dist.ProcessGroup, rule: Rule) -> bool:
        if group not in self._planned:
            ranks = dist.get_process_group_ranks(group)
            self._planned[group] = ranks == self.layers.ranks
            if not self._planned[group]:
                warnings.warn(
                    f"FSDP shards over ranks {_list(ranks)} too, not those of the plan, "
                    f"{_list(self.layers.ranks)}: torch.distributed's own calls there",
                    stacklevel=3,
                )
        return self._planned[group] and not _is_own(rule)

    def _kept(self) -> Empty:
        """The buffers of one call, which asks for them in the same order each time."""
        place = itertools.count()

        def empty(like: torch.Tensor, elements: int) -> torch.Tensor:
            stream = torch.cuda.current_stream(like.device) if like.is_cuda else None
            key = (next(place), like.dtype, like.device, stream)
            if key not in self._buffers or self._buffers[key].numel() < elements:
                self._buffers[key] = like.new_empty(elements)
            return self._buffers[key][:elements]

        return empty

    def _call(self, result: torch.Tensor, other: torch.Tensor, call: Callable[[], None],
              async_op: bool) -> Optional[dist.Work]:
        if async_op:
            future = self.layers._start_whole(result, [result, other], call)
            return torch._C._distributed_c10d._create_work_from_future(future)
        self.layers._drain()
        call()
        return None


class HierarchicalAllGather(_FSDPCollective):
    """For set_custom_all_gather of what fully_shard sharded: the allgather in layers."""

    def __call__(self, output_tensor: torch.Tensor, input_tensor: torch.Tensor,
                 group: dist.ProcessGroup, async_op: bool = False) -> Optional[dist.Work]:
        rule = _rule_of("allgather", _bytes(output_tensor))
        if not self._is_planned(group, rule):
            return dist.all_gather_into_tensor(output_tensor, input_tensor, group=group,
                                               async_op=async_op)
        layers = self.layers.layers(rule)
        return self._call(output_tensor, input_tensor, lambda: self.layers._gather(
            output_tensor, input_tensor, layers, self._layout, self._kept()), async_op)


class HierarchicalReduceScatter(_FSDPCollective):
    """For set_custom_reduce_scatter: the reduce-scatter in layers; AVG and PREMUL_SUM are a sum
    and one scaling of the block (of float16: of what comes in)."""

    def __call__(self, output_tensor: torch.Tensor, input_tensor: torch.Tensor,
                 group: dist.ProcessGroup, op: dist.ReduceOp.RedOpType,
                 async_op: bool = False) -> Optional[dist.Work]:
        rule = _rule_of("reduce-scatter", _bytes(input_tensor))
        if not self._is_planned(group, rule):
            return dist.reduce_scatter_tensor(output_tensor, input_tensor, op, group=group,
                                              async_op=async_op)
        layers = self.layers.layers(rule)
        # ReduceOp has no other way to say its factor in all versions.
        factor = op.__getstate__()[1] if op == dist.ReduceOp.PREMUL_SUM else None
        if factor is None:
            _check_op(op)

        def call() -> None:
            given, sum_op, after = input_tensor, op, factor
            if factor is not None:
                sum_op = dist.ReduceOp.SUM
                if given.dtype == torch.float16:
                    given, after = given * factor, None
            self.layers._scatter(output_tensor, given, sum_op, layers, self._layout, self._kept())
            if after is not None:
                output_tensor.mul_(after)

        return self._call(output_tensor, input_tensor, call, async_op)


def apply_to_fsdp(model: Union[torch.nn.Module, Iterable[torch.nn.Module]],
                  group: Union[Hierarchy, Group] = None) -> Hierarchy:
    """Has all that fully_shard sharded over `group` gather and reduce-scatter in layers.

    model: one, or those of this rank, as with pipelines. Collective, as Hierarchy is, whose groups
    are made and connected here, before the first step.
    """
    layers = default_hierarchy(group)
    gather, scatter = HierarchicalAllGather(layers), HierarchicalReduceScatter(layers)
    parts = [model] if isinstance(model, torch.nn.Module) else list(model)
    units = [unit for part in parts for unit in part.modules()
             if hasattr(unit, "set_custom_all_gather")]
    if not units:
        raise ValueError("nothing here went through fully_shard, of a PyTorch that has "
                         "set_custom_all_gather")
    for unit in units:
        try:
            unit.set_custom_all_gather(gather)
            unit.set_custom_reduce_scatter(scatter)
        except ValueError as error:  # shards over several meshes
            warnings.warn(f"left to torch.distributed: {error}", stacklevel=2)
    layers.connect(next(units[0].parameters()).device)
    return layers
