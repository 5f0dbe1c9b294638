"""hiersearch.torch on gloo processes, against torch.distributed's own calls."""
import os
import socket
import sys

import pytest

import hiersearch as hs

torch = pytest.importorskip("torch")
multiprocessing = pytest.importorskip("torch.multiprocessing")
RANKS = 4


def work(rank, port, path, folder):
    import torch.distributed as dist

    import hiersearch.torch as hierarchical

    dist.init_process_group("gloo", rank=rank, world_size=RANKS, init_method=f"tcp://127.0.0.1:{port}")
    try:
        said = str(hierarchical.Hierarchy)
    except AttributeError as error:
        said = str(error)
    first = hierarchical.configure(path, plan="2x2")
    layers = hierarchical.Hierarchy()
    tensor = torch.arange(1000, dtype=torch.float64) * (rank + 1)
    want = tensor.clone()
    dist.all_reduce(want)
    layers.all_reduce(tensor)
    whole = torch.arange(RANKS * 6, dtype=torch.float32) + rank
    block, plain = torch.empty(6), torch.empty(6)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2, bias=False))
    model.register_comm_hook(layers, hierarchical.hierarchical_hook)
    model(torch.full((1, 3), float(rank + 1))).sum().backward()
    gradient = model.module.weight.grad
    scattered = hierarchical.configure(hs.predict("abci", np=RANKS, size="1MiB", collective="reduce-scatter"), plan="2x2")
    hierarchical.Hierarchy().reduce_scatter_tensor(block, whole, rule=hierarchical.RULES[-1])
    dist.reduce_scatter_tensor(plain, whole)
    found = {"refused": "before configure" in said, "sum": torch.equal(tensor, want), "shapes": first.SPLIT == (2, 2),
             "block": torch.equal(block, plain), "again": hierarchical.COLLECTIVE == "reduce-scatter" == scattered.COLLECTIVE,
             "apart": first.COLLECTIVE == "allreduce", "gradient": torch.allclose(gradient, torch.full((2, 3), 2.5))}
    torch.save(found, os.path.join(folder, f"{rank}.pt"))
    dist.destroy_process_group()


def test_gloo(tmp_path):
    """hiersearch.torch, configured by a result, gives the sums of torch.distributed on 4 gloo processes."""
    result = hs.predict("abci", np=RANKS, size="1KiB:64MiB")
    result.save(tmp_path / "result.json")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    multiprocessing.spawn(work, (port, str(tmp_path / "result.json"), str(tmp_path)), RANKS)
    found = [torch.load(tmp_path / f"{rank}.pt") for rank in range(RANKS)]
    assert [[name for name, holds in one.items() if not holds] for one in found] == [[]] * RANKS


def test_same_text():
    """What is run is the text that export writes, and tracebacks show its lines."""
    import linecache

    import hiersearch.torch as hierarchical

    result = hs.predict("abci", np=8, size="1MiB")
    module = hierarchical.configure(result)
    text = hs.export(result, to="pytorch")["hierarchical_torch.py"]
    assert "".join(linecache.getlines(module.__file__)) == text
    assert hierarchical.NP == 8 and sys.modules[module.__name__] is module
    with pytest.raises(hs.InvalidError):
        hierarchical.configure(result, plan="3x3")
    assert hierarchical.NP == 8
