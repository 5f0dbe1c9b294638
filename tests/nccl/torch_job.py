"""A program of PyTorch that knows nothing of hiersearch: what its collectives leave, element by element, what its trainings lose.

    torchrun --nproc-per-node N tests/nccl/torch_job.py PART...       TAP of rank 0, of what all ranks found

Parts: elements, groups, graph, ddp, fsdp, time, and leaves (the last rank does not come to a collective, after some that were
right: the program ends by PyTorch's watchdog). JOB_BOUND=1: communicators are made at the begin, and do not block. Losses of
trainings are told as `# ddp 0.123 ...`, so that two runs can be compared. JOB_BACKEND=gloo: on CPUs, to try the program itself.
"""

import datetime
import os
import sys
import time

import torch
import torch.distributed as dist

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
BACKEND = os.environ.get("JOB_BACKEND", "nccl")
ON_GPU = BACKEND == "nccl"
DEVICE = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count()) if ON_GPU else torch.device("cpu")
COUNTS = [1, 1000, 65536 + 8, 1 << 20]  # elements that a rank gives, or keeps
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8]
STEPS, WIDTH = 12, 256
TIMEOUT = 8  # seconds that `leaves` grants a collective
number = 0


def pattern(count: int, dtype: torch.dtype, rank: int, salt: int = 0) -> torch.Tensor:
    """Whole numbers from 0 to 10 that depend on the place and the rank: sums of up to 20 ranks are exact in every type."""
    return ((torch.arange(count, device=DEVICE) * 7 + rank * 13 + salt) % 11).to(dtype)


def everyone(count: int, dtype: torch.dtype, salt: int = 0) -> torch.Tensor:
    return torch.stack([pattern(count, dtype, rank, salt) for rank in range(WORLD)])


def reduced(parts: torch.Tensor, op: dist.ReduceOp.RedOpType) -> torch.Tensor:
    """What the pattern's ranks give together; averages of a power of two of ranks are exact as well."""
    wide = parts.to(torch.float64)
    if op == dist.ReduceOp.MAX:
        wide = wide.amax(0)
    elif op == dist.ReduceOp.MIN:
        wide = wide.amin(0)
    else:
        wide = wide.sum(0) / (WORLD if op == dist.ReduceOp.AVG else 1)
    return wide.to(parts.dtype)


def tell(wrong: list[str], sentence: str) -> None:
    """Rank 0 says whether it was right on all ranks, which tell each other through the store and not through what is tested."""
    global number
    number += 1
    store.set(f"wrong/{number}/{RANK}", "; ".join(wrong[:4]))
    if RANK == 0:
        all_of_them = [store.get(f"wrong/{number}/{rank}").decode() for rank in range(WORLD)]
        bad = [f"rank {rank}: {text}" for rank, text in enumerate(all_of_them) if text]
        print(f"{'not ok' if bad else 'ok'} {number} - {sentence}", flush=True)
        for text in bad:
            print(f"# {text}", flush=True)


def same(wrong: list[str], what: str, got: torch.Tensor, expected: torch.Tensor) -> None:
    if not torch.equal(got, expected):
        bad = (got != expected).nonzero()
        at = int(bad[0, 0])
        wrong.append(f"{what}: {len(bad)} of {got.numel()} elements, first {at}: {got[at].item()}, expected {expected[at].item()}")


def elements() -> None:
    for dtype in TYPES:
        wrong: list[str] = []
        ops = [dist.ReduceOp.SUM, dist.ReduceOp.MAX, dist.ReduceOp.MIN] if dtype in (torch.float32, torch.int32) else [dist.ReduceOp.SUM]
        if ON_GPU and dtype.is_floating_point and WORLD & (WORLD - 1) == 0:
            ops.append(dist.ReduceOp.AVG)
        for count in COUNTS:
            for salt, op in enumerate(ops):
                what = f"{op} of {count} x {dtype}"
                mine = pattern(count, dtype, RANK, salt)
                dist.all_reduce(mine, op)
                same(wrong, "allreduce " + what, mine, reduced(everyone(count, dtype, salt), op))
                out = torch.empty(count, dtype=dtype, device=DEVICE)
                dist.reduce_scatter_tensor(out, pattern(count * WORLD, dtype, RANK, salt), op)
                mine = everyone(count * WORLD, dtype, salt)[:, RANK * count : (RANK + 1) * count]
                same(wrong, "reduce-scatter " + what, out, reduced(mine, op))
            out = torch.empty(count * WORLD, dtype=dtype, device=DEVICE)
            dist.all_gather_into_tensor(out, pattern(count, dtype, RANK))
            same(wrong, f"allgather of {count} x {dtype}", out, everyone(count, dtype).flatten())
            # In place: a rank's part lies where it belongs.
            out[RANK * count : (RANK + 1) * count] = pattern(count, dtype, RANK, 3)
            dist.all_gather_into_tensor(out, out[RANK * count : (RANK + 1) * count])
            same(wrong, f"allgather in place of {count} x {dtype}", out, everyone(count, dtype, 3).flatten())
        tell(wrong, f"allreduce, reduce-scatter and allgather of {dtype}: every element")


def groups() -> None:
    """What is not one call by itself: several at once, waited for later, on other streams, of fewer ranks; other collectives."""
    wrong: list[str] = []
    tensors = [pattern(50000, torch.float32, RANK, salt) for salt in range(6)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for work in works:
        work.wait()
    for salt, tensor in enumerate(tensors):
        same(wrong, f"the {salt}th of 6 at once", tensor, reduced(everyone(50000, torch.float32, salt), dist.ReduceOp.SUM))
    if ON_GPU:
        with dist._coalescing_manager(device=DEVICE, async_ops=True) as manager:
            for salt, tensor in enumerate(tensors):
                tensor.copy_(pattern(50000, torch.float32, RANK, salt))
                dist.all_reduce(tensor)
        manager.wait()
        for salt, tensor in enumerate(tensors):
            same(wrong, f"the {salt}th of 6 in a group", tensor, reduced(everyone(50000, torch.float32, salt), dist.ReduceOp.SUM))
        streams = [torch.cuda.Stream() for _ in range(3)]
        torch.cuda.synchronize()
        for salt, tensor in enumerate(tensors):
            with torch.cuda.stream(streams[salt % 3]):
                tensor.copy_(pattern(50000, torch.float32, RANK, salt + 1))
                dist.all_reduce(tensor)
        torch.cuda.synchronize()
        for salt, tensor in enumerate(tensors):
            expected = reduced(everyone(50000, torch.float32, salt + 1), dist.ReduceOp.SUM)
            same(wrong, f"the {salt}th on 3 streams", tensor, expected)
    half = WORLD // 2
    parts = [dist.new_group(list(range(half))), dist.new_group(list(range(half, WORLD)))]
    members = range(half) if RANK < half else range(half, WORLD)
    mine = pattern(50000, torch.int64, RANK)
    dist.all_reduce(mine, group=parts[RANK >= half])
    same(wrong, "half of the ranks", mine, everyone(50000, torch.int64)[list(members)].sum(0))
    mine = pattern(50000, torch.int64, RANK)
    dist.broadcast(mine, WORLD - 1)
    same(wrong, "a broadcast", mine, pattern(50000, torch.int64, WORLD - 1))
    dist.barrier()
    tell(wrong, "several at once, in a group, on three streams, among half of the ranks, a broadcast: every element")


def graph() -> None:
    if not ON_GPU:
        return
    wrong: list[str] = []
    given, result = torch.zeros(1 << 18, device=DEVICE), torch.empty(WORLD << 18, device=DEVICE)
    part = torch.empty(1 << 18, device=DEVICE)

    def step() -> None:
        dist.all_gather_into_tensor(result, given)
        dist.all_reduce(given)
        dist.reduce_scatter_tensor(part, result)

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured, stream=side):
        step()
    for salt in range(5):
        given.copy_(pattern(1 << 18, torch.float32, RANK, salt))
        captured.replay()
        torch.cuda.synchronize()
        whole = everyone(1 << 18, torch.float32, salt)
        same(wrong, f"launch {salt}: allgather", result, whole.flatten())
        same(wrong, f"launch {salt}: allreduce", given, whole.sum(0))
        same(wrong, f"launch {salt}: reduce-scatter", part, whole[RANK] * WORLD)
    captured.reset()
    tell(wrong, "a graph of an allgather, an allreduce and a reduce-scatter, launched five times: every element")


def train(name: str, sharded: bool) -> None:
    """A step's data differs by rank; what is learnt does not, so the losses of two runs are the same up to rounding."""
    torch.manual_seed(1)
    layers = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)]
    model = torch.nn.Sequential(*[m for layer in layers for m in (layer, torch.nn.Tanh())]).to(DEVICE)
    if sharded:
        from torch.distributed.fsdp import fully_shard

        for layer in model:
            if isinstance(layer, torch.nn.Linear):
                fully_shard(layer)
        fully_shard(model)
        trained = model
    else:
        trained = torch.nn.parallel.DistributedDataParallel(model, device_ids=[DEVICE] if ON_GPU else None)
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.02)
    generator = torch.Generator().manual_seed(100 + RANK)
    losses = []
    for _ in range(STEPS):
        x = torch.randn(64, WIDTH, generator=generator).to(DEVICE)
        loss = (trained(x) - x.tanh() / 2).square().sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach().double()
        dist.all_reduce(total)
        losses.append(total.item() / WORLD)
    if RANK == 0:
        print(f"# {name}", *[f"{loss:.6f}" for loss in losses], flush=True)
    tell([] if losses[-1] < losses[0] else [f"losses {losses}"], f"{name}: {STEPS} steps, and the loss gets less")


def host_time() -> None:
    """What a call takes the host: the median of 5 times 100 calls one behind the other."""
    small = torch.ones(256, device=DEVICE)
    times = []
    for _ in range(5):
        dist.all_reduce(small)
        if ON_GPU:
            torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(100):
            dist.all_reduce(small)
        times.append((time.perf_counter() - begin) / 100)
        if ON_GPU:
            torch.cuda.synchronize()
    if RANK == 0:
        print(f"# {sorted(times)[2] * 1e6:.1f} us of the host per call of PyTorch's all_reduce, 1 KiB", flush=True)
    tell([], "calls one behind the other")


def leaves() -> None:
    wrong: list[str] = []
    for salt in range(3):
        mine = pattern(100000, torch.float32, RANK, salt)
        dist.all_reduce(mine)
        same(wrong, f"call {salt}", mine, reduced(everyone(100000, torch.float32, salt), dist.ReduceOp.SUM))
    tell(wrong, "before a rank stays away: every element")
    if RANK == WORLD - 1:
        time.sleep(120)
    begin = time.monotonic()
    dist.all_reduce(mine)
    torch.cuda.synchronize()
    seconds = time.monotonic() - begin  # PyTorch aborts communicators after its timeout, and ends the program a while later
    how = "not ok" if seconds < TIMEOUT / 2 else "#"
    print(f"{how} {number + 1} - rank {RANK} came back from a collective that one rank does not come to, {seconds:.1f} s", flush=True)
    time.sleep(120)


PARTS = {
    "elements": elements,
    "groups": groups,
    "graph": graph,
    "ddp": lambda: train("ddp", False),
    "fsdp": lambda: train("fsdp", True),
    "time": host_time,
    "leaves": leaves,
}

if ON_GPU:
    torch.cuda.set_device(DEVICE)
bound = {"device_id": DEVICE} if ON_GPU and os.environ.get("JOB_BOUND") == "1" else {}
dist.init_process_group(BACKEND, timeout=datetime.timedelta(seconds=TIMEOUT if "leaves" in sys.argv else 300), **bound)
store = dist.distributed_c10d._get_default_store()
for name in sys.argv[1:]:
    PARTS[name]()
dist.barrier()
dist.destroy_process_group()
