"""Answers as the commands print them, and simulations: what people read, or tables as text."""
from __future__ import annotations

import contextlib
from html import escape
from typing import TYPE_CHECKING, Any, Optional

from . import exports
from ._handles import Handle, Question, answer, lib
from ._options import (FitOptions, PlaceOptions, PredictOptions, ProfileOptions, ShardOptions, SimulateOptions, SystemsOptions)
from .measured import Input, Inputs
from .systems import Machine, system_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Page(str):
    """A text of 80 columns (width=120: of more), or tables (format="csv", "md" or "json"); and what was said of it, `notes`."""

    notes: list[str]

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self)}</pre>"


def _shown(kind: str, options: Any, system: Optional[Machine], inputs: tuple[Input, ...]) -> Page:
    read = Inputs(inputs) if inputs else None
    known = None if system is None else system_of(system)._handle
    with Question(kind, options) as question, known.lock if known else contextlib.nullcontext():
        text, notes = answer(question, known.pointer if known else None, read.handle.pointer if read else None)
    page = Page(text.decode())
    page.notes = (read.notes if read else []) + notes
    return page


def predict_page(system: Optional[Machine], *measured: Input, **options: Unpack[PredictOptions]) -> Page:
    """What `hiersearch predict` prints: plans, sweeps, why a plan takes as long as it does (explain="best"), what a measurement
    changed (before=SYSTEM).

    system: a System, or a text that System takes; or None, and results that measured the calls of a job (profile=FILE).
    Options, as those of `hiersearch predict`:
    """
    return _shown("predict", options, system, measured)


def place_page(system: Machine, **options: Unpack[PlaceOptions]) -> Page:
    """What `hiersearch place` prints: the order to use, or the placement as a launcher or a framework takes it (format="srun",
    hosts=["n1", "n2"]).

    Options, as those of `hiersearch place`:
    """
    return _shown("place", options, system, ())


def shard_page(system: Machine, **options: Unpack[ShardOptions]) -> Page:
    """What `hiersearch shard` prints: how many ways to shard a model.

    Options, as those of `hiersearch shard`:
    """
    return _shown("shard", options, system, ())


def fit_page(system: Machine, *inputs: Input, **options: Unpack[FitOptions]) -> Page:
    """What `hiersearch fit` prints: the answer before and with what was measured, what changed, and what to measure next.

    Options, as those of `hiersearch fit`:
    """
    return _shown("fit", options, system, inputs)


def simulate_page(result: Input, **options: Unpack[SimulateOptions]) -> Page:
    """What `hiersearch simulate` prints of a result that was simulated. Of the options the format alone is looked at."""
    return _shown("simulate", options, None, (result,))


def systems_page(system: Optional[Machine] = None, **options: Unpack[SystemsOptions]) -> Page:
    """What `hiersearch systems` prints: a machine in full, with the source of every figure; of none the list, the node on which
    this runs (here=True), the parts that are known (parts=True), or what of all of them cannot be true (check=True).

    Options, as those of `hiersearch systems`:
    """
    return _shown("systems", options, system, ())


def profile_page(profile: Input, *, compare_with: Optional[Input] = None, **options: Unpack[ProfileOptions]) -> Page:
    """What `hiersearch profile --read` prints of a job's profile: the kinds of calls that took longest.

    compare_with: the profile before; what became of each kind of calls since.
    Options, as those of `hiersearch profile`:
    """
    return _shown("profile", options, None, (profile,) if compare_with is None else (compare_with, profile))


def formats_page(format: Optional[str] = None, width: Optional[int] = None, color: Optional[str] = None) -> Page:
    """What `hiersearch export --list` prints: the formats of `export`."""
    return _shown("export", {"list": True, "format": format, "width": width, "color": color}, None, ())


def simulation(system: Machine, **options: Unpack[SimulateOptions]) -> exports.Export:
    """The files of a simulation by SimGrid: `simulation("abci", np=16, plans=["4x4", "16"]).save(folder)`; `sh simulate.sh` in
    the folder, with smpirun and hiersearch-simulate in PATH, puts times into result.json, which `read` reads.

    Options, as those of `hiersearch simulate`:
    """
    handle = system_of(system)._handle
    with Question("simulate", options) as question, handle.lock:
        return exports.files_of(Handle("exports", lib.hiersearch_simulation, handle.pointer, question), [])
