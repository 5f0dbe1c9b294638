"""Plans in torch.distributed: the module that `hiersearch export --to pytorch` writes, for a result at hand.

    import hiersearch.torch as hierarchical
    dist.init_process_group("nccl")
    hierarchical.configure("results/here.json")    # the same result in every process
    layers = hierarchical.Hierarchy()
    layers.all_reduce(tensor)                      # in place, as dist.all_reduce(tensor)
    ddp.register_comm_hook(layers, hierarchical.hierarchical_hook)

Before configure there is nothing else in it; configured again, it is another result's, and what was made before stays as
it is. What is run is the text of the export itself (docs/export-frameworks.md): a file that was exported does the same.
"""
from __future__ import annotations

import linecache
import sys
from types import ModuleType
from typing import Any, Optional

from .exports import export
from .results import Source, result_of

_current: Optional[ModuleType] = None
_count = 0


def configure(result: Source, plan: Optional[str] = None) -> ModuleType:
    """Makes this module that of a result, or of the path of one; with `plan`, of that plan alone. Needs PyTorch 2.2.

    Returns the module by itself, for programs that need those of several results at a time.
    """
    global _current, _count
    files = export(result_of(result), to="pytorch", plan=plan)
    (text,) = files.values()
    name = f"{__name__}_{_count}"
    module = ModuleType(name)
    module.__file__ = f"<{name}>"
    # So that tracebacks show its lines.
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(True), module.__file__)
    sys.modules[name] = module
    try:
        exec(compile(text, module.__file__, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    _count += 1
    _current = module
    return module


def __getattr__(name: str) -> Any:
    if _current is not None:
        return getattr(_current, name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"hiersearch.torch has no {name} before configure(result)")


def __dir__() -> list[str]:
    return sorted({"configure", *(dir(_current) if _current else ())})
