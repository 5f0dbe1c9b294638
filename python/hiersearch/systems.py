"""Systems: machines as they are described."""
from __future__ import annotations

import functools
import json
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Union

from ._handles import Handle, Question, call, document, encoded, ffi, lib, path_of, readable, taken, text
from ._record import Documented
from .records import Fits, Level, SystemDocument

if TYPE_CHECKING:
    import pandas

#: What names a machine: a System, or a text that System takes.
Machine = Union["System", str, "os.PathLike[str]"]


def bandwidth(level: Level) -> float:
    """What a child can inject into the level, in bytes per second; where single links join them, the child that can least."""
    if level.bandwidth_bytes_per_second is not None:
        return level.bandwidth_bytes_per_second
    return min(sum((link.count or 1) * link.bandwidth_bytes_per_second for link in level.links
                   if link.between[0] == child or (link.between[1] == child and not link.one_way))
               for child in range(level.arity or 0))


def figures(document: SystemDocument) -> dict[tuple[str, str], float]:
    """The numbers that a system's prices are made of, by what they are of and what they are called."""
    found: dict[tuple[str, str], float] = {}

    def add(of: str, record: Any, names: Iterable[str]) -> None:
        given = {name: getattr(record, name) for name in names}
        found.update(((of, name), value) for name, value in given.items() if type(value) in (int, float))

    add("system", document, document)
    if document.blocks:
        add("blocks", document.blocks, document.blocks)
    for level in document.levels:
        add(f"level {level.name}", level, level)
        for link in level.links:
            add(f"link {level.name} {link.between[0]}-{link.between[1]}", link, link)
    for constant in document.constants:
        add(f"constant {constant.name}", constant, ["value"])
    for fit in document.fits.layers if document.fits else []:
        words = [fit.scope, fit.level, "misaligned" if fit.misaligned else None, fit.algorithm]
        layer = [str(number) for number in (fit.stride, fit.size) if number is not None]
        add(" ".join(["fit", *filter(None, words), *([":".join(layer)] if layer else [])]), fit,
            ["latency_seconds", "bandwidth_bytes_per_second", "half_bandwidth_bytes"])
    return found


class System(Documented[SystemDocument]):
    """A machine as it is described.

    System("abci")                                            a name of systems(), or the path of a system file
    System("8xH100, 8xNDR400, 32:2")                          the parts of a node
    System("nvlink:4@111.6GB/s~3.4us,ib:32@18.6GB/s~14us")    levels from the inside out

    It may be used by many threads, which wait for one another; `copy()` is for those that are not to wait.
    """

    __slots__ = ("_handle",)
    _kind = SystemDocument

    def __init__(self, text: Union[str, "os.PathLike[str]"], *, _handle: Optional[Handle] = None) -> None:
        super().__init__()
        if _handle is None and not isinstance(text, (str, bytes, os.PathLike)):
            raise TypeError(f"expected a System, or the text or path of one, found {type(text).__name__}")
        self._handle = _handle or Handle("system", lib.hiersearch_system_find, path_of(text))

    @classmethod
    def _make(cls, function: Callable[..., int], *arguments: Any) -> System:
        return cls("", _handle=Handle("system", function, *arguments))

    @classmethod
    def parse(cls, text: str, name: str = "text") -> System:
        """Of a system file's text, hiersearch-system(5); `name` is what errors call it."""
        return cls._make(lib.hiersearch_system_parse, encoded(text), encoded(name))

    @classmethod
    def from_files(cls, *paths: Union[str, "os.PathLike[str]"]) -> System:
        """Of what nvidia-smi topo -m, ibstat, scontrol show topology and their like printed, NCCL's and hwloc's XML."""
        names = [ffi.new("char[]", readable(path)) for path in paths]
        return cls._make(lib.hiersearch_system_from_files, ffi.new("char *[]", names), len(names))

    @classmethod
    def here(cls) -> System:
        """Proposed from the node on which this runs, by NVML and hwloc where they can be loaded."""
        return cls._make(lib.hiersearch_system_here)

    def copy(self) -> System:
        """The same machine once more, for another thread."""
        with self._handle.lock:
            return self._make(lib.hiersearch_system_copy, self._handle.pointer)

    def named(self, name: str) -> System:
        """The same machine under another name, of a-z, 0-9, '_', '-' and '.', such as for one that was read from files."""
        with Question("systems", {"name": encoded(name).decode(), "format": "json"}) as question, self._handle.lock:
            renamed = document(question, self._handle.pointer)
        return System.parse(renamed, name)

    @property
    def name(self) -> str:
        """Its name."""
        with self._handle.lock:
            return text(lib.hiersearch_system_name(self._handle.pointer))

    @property
    def processes(self) -> int:
        """How many processes its description covers."""
        with self._handle.lock:
            return int(lib.hiersearch_system_processes(self._handle.pointer))

    @property
    def line(self) -> str:
        """Its levels as one line, which System() takes; without the fits of a calibration."""
        with self._handle.lock:
            return taken(lib.hiersearch_system_line, self._handle.pointer).rstrip("\n")

    @property
    def notes(self) -> list[str]:
        """What was said when it was made: "note: ...", "warning: ..."."""
        with self._handle.lock:
            return text(lib.hiersearch_system_notes(self._handle.pointer)).splitlines()

    def check(self) -> dict[str, Any]:
        """Figures of it that cannot be true, as `hiersearch systems --check SYSTEM --json` says them."""
        with Question("systems", {"check": True}) as question, self._handle.lock:
            found: dict[str, Any] = json.loads(document(question, self._handle.pointer))
            return found

    def changes(self, after: Machine) -> list[dict[str, Any]]:
        """What differs between this description and another one, such as a calibration of it, or a later one: a row per figure
        with `of` ("system", "level ib", "fit layer ib 4:8", "constant step"), `figure`, `before` and `after`, in SI units; None
        where one of them has no such figure. What both predict is compared by predict_page(compare_with=...)."""
        old, new = figures(self.document), figures(system_of(after).document)
        return [{"of": of, "figure": figure, "before": old.get((of, figure)), "after": new.get((of, figure))}
                for of, figure in {**old, **new} if old.get((of, figure)) != new.get((of, figure))]

    def _ask(self) -> str:
        with self._handle.lock:
            return taken(lib.hiersearch_system_json, self._handle.pointer)

    @property
    def levels(self) -> list[Level]:
        """Its levels, innermost first."""
        return self.document.levels

    @property
    def fits(self) -> Optional[Fits]:
        """Its calibration; None: it is described, not calibrated."""
        return self.document.fits

    def to_pandas(self) -> "pandas.DataFrame":
        """A row per level: name, arity, latency_seconds, bandwidth_bytes_per_second, fabric."""
        import pandas

        return pandas.DataFrame([{"name": level.name, "arity": level.arity,
                                  "latency_seconds": level.latency_seconds,
                                  "bandwidth_bytes_per_second": bandwidth(level), "fabric": level.fabric}
                                 for level in self.levels])

    def __repr__(self) -> str:
        return f"System({self.name!r}, {self.line!r})"

    def _repr_html_(self) -> str:
        from ._show import bytes_per_second, seconds, table

        rows = [[level.name, "any" if level.arity is None else str(level.arity), seconds(level.latency_seconds),
                 bytes_per_second(bandwidth(level))] for level in self.levels]
        title = f"{self.name}: {self.document.title or self.document.parts or 'levels, innermost first'}"
        return table(title, ["level", "units in it", "latency", "bandwidth"], rows, self.notes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, System) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return System.parse, (self.to_json(), self.name)


def systems() -> list[str]:
    """Names of the systems that come with the package, or stand in the folders of $HIERSEARCH_CONFIGS."""
    return taken(lib.hiersearch_system_names).split()


def parts() -> dict[str, Any]:
    """The parts that a line such as "8xH100, 8xNDR400" is made of: GPUs and NICs, with the ranges of their figures."""
    with Question("systems", {"parts": True}) as question:
        found: dict[str, Any] = json.loads(document(question))
        return found


@functools.lru_cache(maxsize=64)
def _known(machine: str, _thread: int) -> System:
    return System(machine)


def system_of(machine: Machine) -> System:
    """The System of a text. What no file or folder of the user's can change is made once for a thread, with its draws."""
    if isinstance(machine, System):
        return machine
    if not isinstance(machine, str) or "HIERSEARCH_CONFIGS" in os.environ or os.path.exists(machine):
        return System(machine)
    return _known(machine, threading.get_ident())


def locked(handle: Handle, function: Callable[..., int], *arguments: Any) -> None:
    """A call that uses a handle, which waits for those of other threads."""
    with handle.lock:
        call(function, *arguments)
