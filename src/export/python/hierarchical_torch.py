"""AllReduce in layers for PyTorch, and a DDP communication hook.

    import torch.distributed as dist
    import hierarchical_torch as hierarchical

    dist.init_process_group("nccl")
    layers = hierarchical.Hierarchy()            # once, on every rank
    layers.all_reduce(tensor)                    # in place, as dist.all_reduce(tensor)

    ddp = torch.nn.parallel.DistributedDataParallel(model)
    ddp.register_comm_hook(layers, hierarchical.hierarchical_hook)

A message is reduce-scattered in the groups of the innermost layer, what is left in those of the
next, and so on; allreduced in the outermost layer; then allgathered back in reverse order. The
ranks of a layer's groups are {b + k * stride : k < size}.

The layers follow the machine only if ranks are numbered node by node, as torchrun and
`srun --distribution=block` do. Needs PyTorch 2.2 or later and nothing else.
"""
import os
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from typing import Callable, Iterator, NamedTuple, Optional

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


class WorldSizeError(RuntimeError):
    """The job has another number of processes than the plan."""


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


def layer_shapes(split: tuple[int, ...]) -> list[tuple[int, int]]:
    """(stride, size) of each layer, innermost first."""
    shapes, stride = [], 1
    for size in split:
        shapes.append((stride, size))
        stride *= size
    return shapes


def group_ranks(rank: int, stride: int, size: int) -> list[int]:
    """The ranks of the group of a layer that `rank` is in."""
    first = rank // (stride * size) * (stride * size) + rank % stride
    return [first + k * stride for k in range(size)]


def check_world() -> None:
    """Raises WorldSizeError for another number of processes; warns of another placement."""
    world = dist.get_world_size()
    if world != NP:
        raise WorldSizeError(
            f"this plan is for {NP} processes, but the world has {world}: "
            f"export a result for {world} processes, or use dist.all_reduce"
        )
    _check_placement()


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
    if node is None or local_rank is None or NP % local_world != 0:
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
    """The process groups of all layers of all plans, and AllReduce through them.

    Making one is a collective call of all ranks, in the same order as other calls that make
    groups. The groups are used by nothing else, so its messages mix with no others. Layers of
    equal (stride, size) share their groups.
    """

    def __init__(self) -> None:
        check_world()
        self._layers: dict[tuple[int, int], Layer] = {}
        for rule in RULES:
            for shape in layer_shapes(rule.split):
                if shape not in self._layers:
                    self._layers[shape] = self._make_layer(*shape)
        self._scatters = True  # until the backend says otherwise
        # On CPUs one thread issues everything, so that all ranks issue in the same order while
        # the caller goes on with the backward pass.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hierarchy")
        self._last: Optional[Future[None]] = None  # handed to the thread
        self._streams: dict[torch.device, list[torch.cuda.Stream]] = {}

    @staticmethod
    def _make_layer(stride: int, size: int) -> Layer:
        # Each rank makes its own group of the layer only: as many calls as layers, not as groups.
        ranks = group_ranks(dist.get_rank(), stride, size)
        group = dist.new_group(ranks, use_local_synchronization=True)
        return Layer(stride, size, group)

    def layers(self, rule: Rule = RULES[-1]) -> list[Layer]:
        """This rank's layers of a plan, innermost first."""
        return [self._layers[shape] for shape in layer_shapes(rule.split)]

    def all_reduce(self, tensor: torch.Tensor,
                   op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM) -> None:
        """In place, as dist.all_reduce: any shape, also a scalar or not contiguous."""
        rule = rule_for(tensor.numel() * tensor.element_size())
        own = len(rule.split) == 1 and rule.chunks == 1 and op != dist.ReduceOp.AVG
        if own and op in SUPPORTED_OPS and tensor.is_contiguous() and tensor.numel() > 0:
            dist.all_reduce(tensor.detach(), op, group=dist.group.WORLD)  # as without this module
            return
        if tensor.device.type != "cpu" or op not in SUPPORTED_OPS:
            self.all_reduce_async(tensor, op).wait()
            return
        # Here, once the thread is through: handing over to it costs more than a short message.
        if self._last is not None:
            wait([self._last])
            self._last = None
        self._reduce(tensor.detach(), op, lambda chunk: nullcontext())

    def all_reduce_async(
        self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM
    ) -> torch.futures.Future[torch.Tensor]:
        """Starts it; the future's value is `tensor`, not to be touched before."""
        if op not in SUPPORTED_OPS:
            raise ValueError(f"{op} is not supported in layers")
        tensor = tensor.detach()
        if tensor.is_cuda:
            return self._start_cuda(tensor, op)
        if tensor.device.type == "cpu":
            return self._start_cpu(tensor, op)
        self._reduce(tensor, op, lambda chunk: nullcontext())
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
        future.set_result(tensor)
        return future

    def _start_cpu(
        self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType
    ) -> torch.futures.Future[torch.Tensor]:
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()

        def work() -> None:
            try:
                self._reduce(tensor, op, lambda chunk: nullcontext())
            except Exception as error:  # handed to whoever waits
                future.set_exception(error)
            else:
                future.set_result(tensor)

        self._last = self._thread.submit(work)
        return future

    def _start_cuda(
        self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType
    ) -> torch.futures.Future[torch.Tensor]:
        # One stream per chunk, the caller's own is left free for the backward pass.
        caller = torch.cuda.current_stream(tensor.device)
        streams = self._streams.setdefault(tensor.device, [])
        while len(streams) < MOST_CHUNKS:
            streams.append(torch.cuda.Stream(tensor.device))
        for stream in streams:
            stream.wait_stream(caller)
            tensor.record_stream(stream)
        self._reduce(tensor, op, lambda chunk: torch.cuda.stream(streams[chunk]))
        for stream in streams[1:]:
            streams[0].wait_stream(stream)
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future(devices=[tensor.device])
        with torch.cuda.stream(streams[0]):
            future.set_result(tensor)
        return future

    def _reduce(self, tensor: torch.Tensor, op: dist.ReduceOp.RedOpType,
                context: Callable[[int], object]) -> None:
        """The pipeline: in step t chunk c is in its phase t - c, on all ranks in this order."""
        if tensor.numel() == 0:
            return
        rule = rule_for(tensor.numel() * tensor.element_size())
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


_default: Optional[Hierarchy] = None
_default_lock = threading.Lock()


def default_hierarchy() -> Hierarchy:
    """The one that is used where none is given; made at the first call, a collective one."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Hierarchy()
        return _default


def all_reduce(tensor: torch.Tensor, op: dist.ReduceOp.RedOpType = dist.ReduceOp.SUM,
               groups: Optional[Hierarchy] = None) -> None:
    """In place, as dist.all_reduce over the whole world."""
    (groups or default_hierarchy()).all_reduce(tensor, op)


def hierarchical_hook(
    state: Optional[Hierarchy], bucket: dist.GradBucket
) -> torch.futures.Future[torch.Tensor]:
    """For ddp.register_comm_hook: averages a bucket's gradients while the backward pass goes on."""
    return (state or default_hierarchy()).all_reduce_async(bucket.buffer(), dist.ReduceOp.AVG)
