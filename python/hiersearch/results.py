"""Results: what plans take on a machine, predicted or measured."""
from __future__ import annotations

import json
import operator
import os
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Union

from . import _show
from ._handles import Handle, InvalidError, Question, call, document, encoded, ffi, lib, readable, taken, text
from ._options import PredictOptions
from ._record import Documented
from .records import Candidate, Message, ResultDocument
from .systems import Machine, System, system_of

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    from typing_extensions import Unpack

#: What is a result: one, or the path of a result file.
Source = Union["Result", str, "os.PathLike[str]"]


class Best(NamedTuple):
    """The best plan of a message."""

    plan: str  #: layer sizes, innermost first: "4x8x4"; "default": the library's default call
    bytes: int  #: of the message, per process
    seconds: float  #: that it takes: measured where it was, else predicted


class Stage(NamedTuple):
    """One stage of a plan: calls of one phase in groups of `size` processes that are `stride` apart, all at once."""

    phase: str  #: "reduce-scatter", "allreduce", "allgather", ...
    algorithm: str  #: "ring", "halving", "direct", "tree", "native"
    stride: int
    size: int
    bytes: float  #: that enter it per process
    seconds: float  #: that it takes by the result's system; NaN where there is none


class Result(Documented[ResultDocument]):
    """What plans take, predicted or measured: hiersearch-result(5). Times in seconds, sizes in bytes per process.

    `best` and `stages` ask the library; everything else is read from the result's document when it is first asked for.
    """

    __slots__ = ("_handle",)
    _kind = ResultDocument

    def __init__(self, handle: Handle) -> None:
        super().__init__()
        self._handle = handle

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> Result:
        """A result file of predict, measure or simulate."""
        return cls(Handle("result", lib.hiersearch_result_load, readable(path)))

    @classmethod
    def parse(cls, text: str, name: str = "text") -> Result:
        """The same of its text; `name` is what errors call it."""
        return cls(Handle("result", lib.hiersearch_result_parse, encoded(text), encoded(name)))

    @property
    def processes(self) -> int:
        """How many processes it is about."""
        with self._handle.lock:
            return int(lib.hiersearch_result_processes(self._handle.pointer))

    @property
    def notes(self) -> list[str]:
        """What was said when it was made: "note: ...", "warning: ..."."""
        with self._handle.lock:
            return text(lib.hiersearch_result_notes(self._handle.pointer)).splitlines()

    def __len__(self) -> int:
        """How many message sizes it has."""
        with self._handle.lock:
            return int(lib.hiersearch_result_count(self._handle.pointer))

    def best_of(self, message: int = 0) -> Best:
        """The best plan of a message, 0 .. len - 1, or from the end as -1."""
        plan, size, seconds = ffi.new("char **"), ffi.new("uint64_t *"), ffi.new("double *")
        index = self._index(message)
        with self._handle.lock:
            call(lib.hiersearch_result_best, plan, size, seconds, self._handle.pointer, index)
        try:
            return Best(ffi.string(plan[0]).decode(), int(size[0]), float(seconds[0]))
        finally:
            lib.hiersearch_text_free(plan[0])

    @property
    def best(self) -> Best:
        """That of its first message: the only one where one size was asked for."""
        return self.best_of(0)

    def stages(self, message: int = 0, plan: Optional[str] = None) -> list[Stage]:
        """The stages of a plan (None: the best) for a message, in the order in which they run."""
        return [stage for stage, _ in self._stages(message, plan, None)]

    def groups(self, rank: int, message: int = 0, plan: Optional[str] = None) -> list[tuple[Stage, list[int]]]:
        """The same, each with the processes that process `rank` is with, itself among them, in their order."""
        return [(stage, ranks or []) for stage, ranks in self._stages(message, plan, rank)]

    def _stages(self, message: int, plan: Optional[str], rank: Optional[int]) -> Iterator[tuple[Stage, Optional[list[int]]]]:
        named = ffi.NULL if plan is None else encoded(plan)
        index = self._index(message)
        with self._handle.lock:
            stages = Handle("stages", lib.hiersearch_stages_new, self._handle.pointer, index, named)
            found = ffi.new("struct hiersearch_stage *")
            for i in range(lib.hiersearch_stages_count(stages.pointer)):
                call(lib.hiersearch_stages_get, found, stages.pointer, i)
                ranks = None
                if rank is not None:
                    out = ffi.new("int64_t[]", found.size)
                    call(lib.hiersearch_stages_group, out, stages.pointer, i, rank)
                    ranks = list(out)
                yield Stage(text(found.phase), text(found.algorithm), found.stride, found.size, found.bytes,
                            found.seconds), ranks

    def _index(self, message: int) -> int:
        count, message = len(self), operator.index(message)
        if not -count <= message < count:
            raise IndexError(f"there is no message {message} among {count}")
        return message % count

    def _ask(self) -> str:
        with self._handle.lock:
            return taken(lib.hiersearch_result_json, self._handle.pointer)

    @property
    def messages(self) -> list[Message]:
        """One per message size, each with its candidates and their layers."""
        return self.document.results

    @property
    def candidates(self) -> list[Candidate]:
        """The plans of its first message, in the order of the file: the best first."""
        return self.messages[0].candidates

    @property
    def system(self) -> Optional[System]:
        """The machine that it is about; None where it says none."""
        found = self.document.system
        return System.parse(json.dumps(found.to_dict()), "the result's system") if found else None

    @property
    def measured(self) -> bool:
        """Whether its plans were run."""
        return self.document.backend is not None

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per message and plan; see columns for their names, all in SI units.

        message_bytes, plan, best (bool), layers (count; 0: the library's default call), seconds (measured where it was,
        else predicted), predicted_seconds, predicted_low_seconds, predicted_high_seconds, probability_best,
        measured_seconds, status.
        """
        import pandas

        return pandas.DataFrame([_row(message, plan) for message in self.messages for plan in message.candidates])

    def plot(self, message: Optional[int] = None, ax: Optional["matplotlib.axes.Axes"] = None) -> "matplotlib.axes.Axes":
        """Draws, by matplotlib: of several sizes the time of the best plan and of the library over the size; of one, or of
        `message`, its plans with where their time goes. Returns the axes."""
        from . import _plot

        return _plot.sizes(self, ax) if message is None and len(self) > 1 else _plot.plans(self, self._index(message or 0), ax)

    def __repr__(self) -> str:
        document = self.document
        kind = "measured" if self.measured else "predicted"
        on = f" on {_show.machine(document)}" if document.system else ""
        return f"<Result: {_show.collective(document)}, {document.np} processes{on}, {kind}, {_show.count(len(self), 'size')}>"

    def _repr_html_(self) -> str:
        return _show.result_table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Result.parse, (self.to_json(),)


def _row(message: Message, plan: Candidate) -> dict[str, Any]:
    measured = plan.measured
    median = measured.median_seconds if measured else None
    return {
        "message_bytes": message.message_bytes,
        "plan": plan.plan,
        "best": plan.plan == message.best,
        "layers": _show.layers(plan.plan),
        "seconds": plan.predicted_seconds if median is None else median,
        "predicted_seconds": plan.predicted_seconds,
        "predicted_low_seconds": plan.predicted_low_seconds,
        "predicted_high_seconds": plan.predicted_high_seconds,
        "probability_best": plan.probability_best,
        "measured_seconds": median,
        "status": measured.status if measured else None,
    }


def read(path: Union[str, "os.PathLike[str]"]) -> Result:
    """A result file of predict, measure or simulate."""
    return Result.load(path)


def result_of(source: Source) -> Result:
    """A result, or that of a file."""
    return source if isinstance(source, Result) else Result.load(source)


def predict(system: Machine, **options: Unpack[PredictOptions]) -> Result:
    """What to do on a machine: use a plan or keep the library's default call, what both take, and how sure that is.

    system: a System, or a text that System takes. Options, as those of `hiersearch predict`:
    """
    known = system_of(system)
    handle = known._handle
    with Question("predict", options) as question, handle.lock:
        return Result(Handle("result", lib.hiersearch_predict, handle.pointer, question))


def predict_each(system: Machine, **options: Unpack[PredictOptions]) -> list[Result]:
    """The same of several process counts, np="64:1024" or np=[96, 128]: a result for each. Options:"""
    handle = system_of(system)._handle
    with Question("predict", options) as question, handle.lock:
        lines = document(question, handle.pointer)
    if '"hiersearch.result/' not in lines[:200]:
        raise InvalidError("this is what plans gain a job: predict_job has it")
    whole = [lines] if lines.startswith("{\n") else lines.splitlines()
    return [Result.parse(line, "prediction") for line in whole]
