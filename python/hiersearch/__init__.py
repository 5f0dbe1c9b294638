"""How a job should communicate on a machine: predictions, calibrations and exports of hiersearch.

    >>> import hiersearch as hs
    >>> result = hs.predict("perlmutter", np=64, size="16MiB", collective="allgather", layout="reversed")
    >>> result.messages[0].verdict.advice, result.best.plan, round(result.best.seconds, 5)
    ('plan', '16x4', 0.00056)
    >>> table, axes = result.to_pandas(), result.plot()
    >>> [path.name for path in hs.export(result, to="pytorch").save("plans")]
    ['hierarchical_torch.py']
    >>> here = hs.fit("8xH100, 8xNDR400", "logs/*.txt", force=True)    # nccl-tests' logs, though not met at each size
    >>> hs.predict(here, np=16, size="1MiB").best.plan                  # keep NCCL's default call
    'default'

Times are in seconds, sizes in bytes per process, rates in bytes per second. What is wrong raises InvalidError (a
ValueError), FileError (an OSError) or another HiersearchError, with the one line of the command line.
"""
from __future__ import annotations

import inspect
import json
import keyword
from typing import Any, Callable

from . import records
from ._handles import FileError, HiersearchError, InvalidError, NoFileError, OutOfMemory, encoded, lib, taken, text
from .exports import Export, export, formats
from .jobs import Gains, Placement, Sharding, place, predict_job, predict_measured, shard
from .measured import Checked, Profile, check, fit, read_profile
from .pages import (Page, fit_page, formats_page, place_page, predict_page, profile_page, shard_page, simulate_page,
                    simulation, systems_page)
from .pictures import Picture, picture, report
from .results import Best, Result, Stage, predict, predict_each, read
from .systems import System, parts, systems

__version__ = text(lib.hiersearch_version())
__all__ = [
    "Best", "Checked", "Export", "FileError", "Gains", "HiersearchError", "InvalidError", "NoFileError", "OutOfMemory", "Page", "Picture", "Placement",
    "Profile", "Result", "Sharding", "Stage", "System", "check", "export", "fit", "fit_page", "formats", "formats_page", "options",
    "parts", "picture", "place", "place_page", "predict", "predict_each", "predict_job", "predict_measured", "predict_page", "profile_page", "read",
    "read_profile", "records", "report", "shard", "shard_page", "simulate_page", "simulation", "systems", "systems_page",
]  # fmt: skip


def options(kind: str) -> list[dict[str, Any]]:
    """The options of "predict", "place", "shard", "fit", "check", "export", "plot", "report", "simulate", "systems" or "profile": name, argument, default, words and help of each."""
    found: list[dict[str, Any]] = json.loads(taken(lib.hiersearch_options_json, encoded(kind)))
    return found


def _describe(function: Callable[..., Any], kind: str) -> None:
    """Help and signature by the options that the library has."""
    lines, added = [], []
    for option in options(kind):
        name = option["name"].replace("-", "_") + "_" * keyword.iskeyword(option["name"])
        default = f" (default {option['default']})" if option.get("default") else ""
        lines.append(f"    {name}: {option['help']}{default}")
        added.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None))
    function.__doc__ = "\n".join([(function.__doc__ or "").rstrip(), *lines])
    own = inspect.signature(function)
    named = [one for one in own.parameters.values() if one.kind != inspect.Parameter.VAR_KEYWORD]
    function.__signature__ = own.replace(parameters=[*named, *added])  # type: ignore[attr-defined]


for _function, _kind in ((predict, "predict"), (predict_each, "predict"), (predict_job, "predict"), (place, "place"),
                         (shard, "shard"), (place_page, "place"), (shard_page, "shard"), (fit, "fit"), (check, "check"),
                         (export, "export"), (picture, "plot"), (report, "report"), (predict_page, "predict"),
                         (fit_page, "fit"), (simulation, "simulate"), (systems_page, "systems"),
                         (profile_page, "profile")):
    _describe(_function, _kind)
del _function, _kind
