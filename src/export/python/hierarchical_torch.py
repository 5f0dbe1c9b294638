"""AllReduce, or ReduceScatter and AllGather, in layers for PyTorch, and a DDP communication hook.

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

With a MESH the plan is for the groups along its axes OVER, ranks_of(rank), and says so where it is
given another group, or none.

COLLECTIVE says what RULES are for. A reduce-scatter and an allgather mirror each other and share
them; what they are not for is torch.distributed's own call, here as without this module.

An AllReduce's message is reduce-scattered in the groups of the innermost layer, what is left in
those of the next, and so on; allreduced in the outermost layer; then allgathered back in reverse
order. The ranks of a layer's groups are {b + k * stride : k < size}, counted in the process group.

A reduce-scatter goes over the layers once, and so does an allgather. ORDER says which of the NP
blocks of the whole tensor a rank has:

  "in-place"  rank r has block r, as in torch.distributed. A reduce-scatter begins with the
              outermost layer, an allgather with the innermost.
  "permuted"  rank r = k0 + k1 p0 + k2 p0 p1 + ... has the block of the same digits the other way
              round, k0 NP / p0 + k1 NP / (p0 p1) + ..., where p0, p1, ... are the layers' sizes: a
              reduce-scatter begins inside and has the least left for the slowest links.
              permutation(rule) lists it; arrange and in_order put a tensor's blocks by it. It
              depends on the plan, and that on the size: give both calls `rule=` where a
              reduce-scatter and an allgather of other bytes (of another type) belong together.

The layers follow the machine only if ranks are numbered node by node, as torchrun and
`srun --distribution=block` do. Needs PyTorch 2.2 or later and nothing else.
"""
import os
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from typing import Callable, Iterator, NamedTuple, Optional, Union

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


class Rule(NamedTuple):
    """The plan for messages of at most `up_to_bytes` bytes (None: of any size)."""

    up_to_bytes: Optional[int]
    split: tuple[int, ...]  # layer sizes, innermost first
    chunks: int  # parts of a message that travel through the layers one behind the other


@CONSTANTS@

SUPPORTED_OPS = (
    dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX, dist.ReduceOp.MIN,
    dist.ReduceOp.PRODUCT, dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR,
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


def rule_for(message_bytes: int) -> Rule:
    """The plan for a message of this size."""
    for rule in RULES:
        if rule.up_to_bytes is None or message_bytes <= rule.up_to_bytes:
            return rule
    return RULES[-1]


def _rule_of(collective: str, message_bytes: int) -> Rule:
    """RULES are for AllReduces, or for reduce-scatters and allgathers."""
    mine = (collective == "allreduce") == (COLLECTIVE == "allreduce")
    return rule_for(message_bytes) if mine else OWN


def _is_own(rule: Rule) -> bool:
    return len(rule.split) == 1 and rule.chunks == 1


def permutation(rule: Rule = RULES[-1]) -> list[int]:
    """The block that each rank of the group has between a reduce-scatter and an allgather."""
    if ORDER == "in-place":
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


class Hierarchy:
    """The process groups of all layers of all plans, and the collectives through them.

    group: a process group, one dimension of a DeviceMesh, or None for the world. Ranks count in it.

    Making one is a collective call of all ranks of the group, in the same order as other calls that
    make groups; where the world has several such groups, each rank makes one for its own. The
    groups are used by nothing else, so its messages mix with no others. Layers of equal (stride,
    size) share their groups.
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
        return [self._layers[shape] for shape in layer_shapes(rule.split)]

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
        """As dist.reduce_scatter_tensor, of any shapes; which block `output` is, ORDER says."""
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

        def run(context: Context) -> None:
            with context(0):
                self._scatter(out, whole, op, layers)

        return self._start(out, [out, whole], run)

    def all_gather_into_tensor(
        self, output_tensor: torch.Tensor, input_tensor: torch.Tensor,
        rule: Optional[Rule] = None,
    ) -> None:
        """As dist.all_gather_into_tensor, of any shapes; where a rank's block goes, ORDER says."""
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

        def run(context: Context) -> None:
            with context(0):
                self._gather(whole, block, layers)

        return self._start(whole, [whole, block], run)

    def _layers_of(self, rule: Rule,
                   op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM) -> list[Layer]:
        """The library's own call is one in the caller's own group, as without this module."""
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
        for step in range(2 * len(layers) + len(chunks) - 1):
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
        inner = 1
        for layer in layers[:-1]:
            inner *= layer.size
        padding = -part.numel() % inner
        whole = torch.nn.functional.pad(part, (0, padding)) if padding else part
        half = part.dtype == torch.float16
        if op == dist.ReduceOp.AVG and half:
            whole.div_(NP)  # before the sum, which could be too large for 16 bits
        sum_op = dist.ReduceOp.SUM if op == dist.ReduceOp.AVG else op

        pieces = [whole]
        for layer in layers[:-1]:
            piece = whole.new_empty(pieces[-1].numel() // layer.size)
            work = self._reduce_scatter(piece, pieces[-1], sum_op, layer)
            yield
            work.wait()
            pieces.append(piece)
        work = dist.all_reduce(pieces[-1], sum_op, group=layers[-1].group, async_op=True)
        yield
        work.wait()
        if op == dist.ReduceOp.AVG and not half:
            _divide(pieces[-1])
        for layer in reversed(layers[:-1]):
            piece = pieces.pop()
            whole = pieces[-1]
            work = dist.all_gather_into_tensor(whole, piece, group=layer.group, async_op=True)
            yield
            work.wait()
        if padding:
            part.copy_(whole[: part.numel()])

    def _scatter(self, block: torch.Tensor, whole: torch.Tensor, op: dist.ReduceOp.RedOpType,
                 layers: list[Layer]) -> None:
        """A reduce-scatter, a call on each layer; each piece begins where its blocks do."""
        if whole.numel() == 0:
            return
        piece = whole.contiguous().view(-1)
        half = piece.dtype == torch.float16
        average = op == dist.ReduceOp.AVG
        if average and half:
            piece = piece / NP  # before the sum, which could be too large for 16 bits
        target = block.view(-1) if block.is_contiguous() else piece.new_empty(block.numel())
        order = layers if ORDER == "permuted" else layers[::-1]
        for layer in order:
            out = target if layer is order[-1] else piece.new_empty(piece.numel() // layer.size)
            self._reduce_scatter(out, piece, dist.ReduceOp.SUM if average else op, layer).wait()
            piece = out
        if average and not half:
            _divide(target)
        if not block.is_contiguous():
            block.copy_(target.view(block.shape))

    def _gather(self, whole: torch.Tensor, block: torch.Tensor, layers: list[Layer]) -> None:
        """An allgather: the mirror of _scatter."""
        if whole.numel() == 0:
            return
        piece = block.contiguous().view(-1)
        target = whole.view(-1) if whole.is_contiguous() else piece.new_empty(whole.numel())
        order = layers[::-1] if ORDER == "permuted" else layers
        for layer in order:
            out = target if layer is order[-1] else piece.new_empty(piece.numel() * layer.size)
            dist.all_gather_into_tensor(out, piece, group=layer.group, async_op=True).wait()
            piece = out
        if not whole.is_contiguous():
            whole.copy_(target.view(whole.shape))

    def _reduce_scatter(self, out: torch.Tensor, whole: torch.Tensor,
                        op: dist.ReduceOp.RedOpType, layer: Layer):
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
    inner = NP // rule.split[-1]
    blocks = -(-length // inner)
    return -(-blocks // rule.chunks) * inner


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
    """As dist.reduce_scatter_tensor; which block a rank gets, ORDER says."""
    default_hierarchy(group).reduce_scatter_tensor(output, input, op, rule)


def all_gather_into_tensor(output_tensor: torch.Tensor, input_tensor: torch.Tensor,
                           group: Union[Hierarchy, Group] = None,
                           rule: Optional[Rule] = None) -> None:
    """As dist.all_gather_into_tensor; where a rank's block goes, ORDER says."""
    default_hierarchy(group).all_gather_into_tensor(output_tensor, input_tensor, rule)


def hierarchical_hook(
    state: Union[Hierarchy, Group], bucket: dist.GradBucket
) -> torch.futures.Future[torch.Tensor]:
    """For ddp.register_comm_hook: averages a bucket's gradients while the backward pass goes on.

    state: a Hierarchy, or the process group that DistributedDataParallel was given.
    """
    layers = default_hierarchy(state)
    return layers.all_reduce_async(bucket.buffer(), dist.ReduceOp.AVG)
