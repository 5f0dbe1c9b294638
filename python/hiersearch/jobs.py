"""Whole jobs: which axis of a mesh goes inside a node, how many ways to shard a model, what plans gain what was counted."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from . import _show
from ._handles import Handle, InvalidError, Question, answer, document
from ._options import PlaceOptions, PredictOptions, ShardOptions
from ._record import Documented
from .measured import Input, Inputs
from .records import GainsDocument, JobVerdict, PlacementDocument, PlacementOrder, ShardingDocument, ShardingWay
from .systems import Machine, system_of

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Placement(Documented[PlacementDocument]):
    """Which order of a mesh's axes to use: orders by communication time per step, the verdict's first."""

    __slots__ = ("notes",)
    _kind = PlacementDocument

    def __init__(self, text: str, notes: list[str]) -> None:
        super().__init__(text)
        self.notes = notes

    @property
    def verdict(self) -> JobVerdict:
        """use, keep or undecided, with the gain over the order of the mesh."""
        return self.document.verdict

    @property
    def orders(self) -> list[PlacementOrder]:
        """Orders of the axes, the verdict's first."""
        return self.document.orders

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per order: order, given, split, seconds, low_seconds, high_seconds, ratio (its time over that of the mesh)."""
        import pandas

        names = ["order", "given", "split", "seconds", "low_seconds", "high_seconds", "ratio"]
        return pandas.DataFrame([{name: getattr(one, name) for name in names} for one in self.orders])

    def __repr__(self) -> str:
        first = self.orders[0]
        return f"<Placement: {self.verdict.advice} {first.order}, {_show.seconds(first.seconds)} of communication per step>"


class Sharding(Documented[ShardingDocument]):
    """How many ways to shard a model: ways by communication time per step, the verdict's first, those that do not fit last."""

    __slots__ = ("notes",)
    _kind = ShardingDocument

    def __init__(self, text: str, notes: list[str]) -> None:
        super().__init__(text)
        self.notes = notes

    @property
    def verdict(self) -> JobVerdict:
        """use, keep, undecided or none (nothing fits), with the gain over full sharding."""
        return self.document.verdict

    @property
    def ways(self) -> list[ShardingWay]:
        """Ways to shard, the verdict's first."""
        return self.document.ways

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per way, a column per key of the document."""
        import pandas

        return pandas.DataFrame([{name: getattr(one, name) for name in one._fields} for one in self.ways])

    def __repr__(self) -> str:
        first = self.ways[0]
        return (f"<Sharding: {self.verdict.advice} {first.shards} shards x {first.replicas} replicas, "
                f"{_show.seconds(first.seconds)} of communication per step>")


class Gains(Documented[GainsDocument]):
    """What the best plans gain a job that was counted, kind of call by kind of call, in seconds of a rank."""

    __slots__ = ()
    _kind = GainsDocument

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per kind of call, a column per key of the document."""
        import pandas

        return pandas.DataFrame([{name: getattr(one, name) for name in one._fields} for one in self.document.gains])

    def __repr__(self) -> str:
        document = self.document
        return f"<Gains: {document.advice}, {_show.seconds(document.gain_seconds_per_rank)} per rank>"


def _answered(question: Any, handle: Handle) -> tuple[str, list[str]]:
    """The document, and what was said of it."""
    data, notes = answer(question, handle.pointer, None, "json")
    return data.decode(), notes


def place(system: Machine, **options: Unpack[PlaceOptions]) -> Placement:
    """Which axis of a job's mesh goes inside a node: place("8xH100, 8xNDR400", mesh={"dp": 64, "tp": 8}, messages="tp:allreduce:64MiB*160").

    system: a System, or a text that System takes. Options, as those of `hiersearch place`:
    """
    handle = system_of(system)._handle
    with Question("place", options) as question, handle.lock:
        return Placement(*_answered(question, handle))


def shard(system: Machine, **options: Unpack[ShardOptions]) -> Sharding:
    """How many ways to shard a model: shard("8xH100, 8xNDR400", np=512, parameters=70e9, dtype="bf16").

    system: a System, or a text that System takes. Options, as those of `hiersearch shard`:
    """
    handle = system_of(system)._handle
    with Question("shard", options) as question, handle.lock:
        return Sharding(*_answered(question, handle))


def predict_job(system: Machine, **options: Unpack[PredictOptions]) -> Gains:
    """What the best plans gain a job, of which there is a profile (profile=FILE), by the model of a machine.

    Options, as those of `hiersearch predict`:
    """
    handle = system_of(system)._handle
    if not options.get("profile"):
        raise InvalidError("expected profile=FILE; predict and predict_page have other answers")
    with Question("predict", options) as question, handle.lock:
        return Gains(document(question, handle.pointer))


def predict_measured(*inputs: Input, profile: Union[str, "os.PathLike[str]"]) -> Gains:
    """What the best plans gain the job of a profile, by the times that results measured."""
    measured = Inputs(inputs)
    asked: dict[str, Any] = {"profile": profile}
    with Question("predict", asked) as question:
        return Gains(document(question, None, measured.handle.pointer))
