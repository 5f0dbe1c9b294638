"""What was measured: calibrations, checks against what machines take, profiles of jobs."""
from __future__ import annotations

import contextlib
import glob
import json
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

from . import _show
from ._handles import Handle, Question, answer, call, document, encoded, lib, readable, taken, text
from ._options import CheckOptions, FitOptions
from ._record import Documented
from .records import Call, CheckDocument, ProfileDocument
from .results import Result
from .systems import Machine, System, system_of

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    from typing_extensions import Unpack

#: What was measured: a result or a profile, the path of a file (with * for several), or (name, text) of one.
Input = Union[Result, "Profile", str, "os.PathLike[str]", tuple[str, str]]


class Inputs:
    """What is fitted, checked or exported; files are recognised by their content."""

    def __init__(self, sources: Iterable[Input]) -> None:
        self.handle = Handle("inputs")
        for source in sources:
            self._add(source)

    def _add(self, source: Input) -> None:
        if isinstance(source, (Result, Profile)):
            self._add_text(type(source).__name__.lower(), source.to_json())
        elif isinstance(source, tuple):
            if len(source) != 2:
                raise TypeError(f"expected (name, text) of a file, found a tuple of {len(source)}")
            self._add_text(*source)
        else:
            for path in _paths(source):
                call(lib.hiersearch_inputs_add_file, self.handle.pointer, readable(path))

    def _add_text(self, name: str, content: str) -> None:
        call(lib.hiersearch_inputs_add_text, self.handle.pointer, encoded(name), encoded(content))

    @property
    def notes(self) -> list[str]:
        return text(lib.hiersearch_inputs_notes(self.handle.pointer)).splitlines()


def _paths(source: Union[str, "os.PathLike[str]"]) -> list[str]:
    path = os.fspath(source)
    if os.path.exists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise FileNotFoundError(f"{path}: there is no such file")
    return found


def fit(system: Machine, *inputs: Input, **options: Unpack[FitOptions]) -> System:
    """The machine calibrated by what was measured on it, `fit("p5", "logs/*.txt")`: layers of results become fits, logs of a
    library's calls (nccl-tests as text or JSON, OSU, CSV) the constants of its price.

    Options, as those of `hiersearch fit`:
    """
    measured = Inputs(inputs)
    handle = system_of(system)._handle
    with Question("fit", options) as question, handle.lock:
        arguments = handle.pointer, measured.handle.pointer, question
        return System._make(lib.hiersearch_fit, *arguments)


class Checked(Documented[CheckDocument]):
    """Whether logs are as fast as their machine should be: the verdict, where time is lost, causes, and what to do next."""

    __slots__ = ("notes",)
    _kind = CheckDocument

    def __init__(self, text: str, notes: list[str]) -> None:
        super().__init__(text)
        self.notes = notes

    @property
    def verdict(self) -> str:
        """expected, low, fast, or unjudged."""
        return self.document.verdict

    @property
    def layer(self) -> str:
        """Where time is lost: call, node, network, algorithm, or unknown."""
        return self.document.layer

    @property
    def next(self) -> Optional[str]:
        """One measurement, or one line to look for."""
        return self.document.next

    def causes(self, status: Optional[str] = None) -> list[str]:
        """The causes of a status (established, fits, not-excluded, excluded), or all, the likeliest first."""
        return [one.cause for one in self.document.causes if status in (None, one.status)]

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per size: measured, expected, its range and bound, in seconds."""
        import pandas

        return pandas.DataFrame([row.to_dict() for row in self.document.rows])

    def plot(self, ax: Optional["matplotlib.axes.Axes"] = None) -> "matplotlib.axes.Axes":
        """Measured times over sizes beside the expected ones with their range. Returns the axes."""
        from . import _plot

        return _plot.checked(self, ax)

    def _repr_html_(self) -> str:
        return _show.checked_table(self)

    def __repr__(self) -> str:
        return f"<Checked: {self.verdict}{', ' + self.layer if self.verdict == 'low' else ''}>"


def check(*logs: Input, machine: Optional[Machine] = None, **options: Unpack[CheckOptions]) -> Checked:
    """Is a log as fast as the machine should be, and if not, where is it lost: `check("all_reduce.log", machine="8xH100")`.

    machine: what it ran on; None: as the logs list their GPUs and NICs.
    Options, as those of `hiersearch check`:
    """
    measured = Inputs(logs)
    known = None if machine is None else system_of(machine)._handle
    with Question("check", options) as question, known.lock if known else contextlib.nullcontext():
        data, notes = answer(question, known.pointer if known else None, measured.handle.pointer, "json")
    return Checked(data.decode(), measured.notes + notes)


class Profile(Documented[ProfileDocument]):
    """What a job called: the profile that `hiersearch profile` wrote. Times in seconds, sizes in bytes."""

    __slots__ = ()
    _kind = ProfileDocument

    @property
    def calls(self) -> list[Call]:
        """Calls that are alike, one of each kind."""
        return self.document.calls

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per kind of call, a column per key of the file."""
        import pandas

        return pandas.DataFrame([{name: getattr(one, name) for name in one._fields} for one in self.calls])

    def changes(self, after: Union[Profile, str, "os.PathLike[str]"]) -> list[dict[str, Any]]:
        """What became of this job's calls in another run of it, whose profile or file is given, as `hiersearch profile --read after.json --compare-with before.json` says: of each
        kind of call how often, how long and how much of it waiting, in seconds and bytes."""
        both = Inputs([("before", self.to_json()), ("after", (after if isinstance(after, Profile) else read_profile(after)).to_json())])
        with Question("profile", {}) as question:
            found: list[dict[str, Any]] = json.loads(document(question, None, both.handle.pointer))["changes"]
            return found

    def __repr__(self) -> str:
        document = self.document
        return f"<Profile: {document.ranks} ranks, {document.seconds:g} s, {_show.count(len(self.calls), 'kind')} of calls>"

    def _repr_html_(self) -> str:
        return _show.profile_table(self)

    def plot(self, ax: Optional["matplotlib.axes.Axes"] = None) -> "matplotlib.axes.Axes":
        """The time of each kind of call. Returns the axes."""
        from . import _plot

        return _plot.profile(self, ax)

    def __reduce__(self) -> tuple[Any, ...]:
        return Profile, (self.to_json(),)


def read_profile(path: Union[str, "os.PathLike[str]"]) -> Profile:
    """The profile that `hiersearch profile` wrote, or that of the folder of counts that it left."""
    return Profile(taken(lib.hiersearch_profile_json, readable(path)))
