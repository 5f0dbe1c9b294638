"""Pictures and pages that the library makes, gnuplot's; those of matplotlib are the objects' own `plot()`."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from ._handles import Question, answer
from ._options import PlotOptions, ReportOptions
from .measured import Input, Inputs

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Picture:
    """A picture, the numbers of one, or a page: `data`, and what was said of it, `notes`."""

    def __init__(self, data: bytes, notes: list[str]) -> None:
        self.data, self.notes = data, notes

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it."""
        with open(path, "wb") as file:
            file.write(self.data)

    def __str__(self) -> str:
        """Its text: of SVG, of numbers, of a page."""
        return self.data.decode()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        if b"<svg" in self.data[:1000]:
            return {"image/svg+xml": str(self)}
        return {"image/png": self.data} if self.data.startswith(b"\x89PNG") else {"text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Picture: {len(self.data)} bytes>"


def _made(kind: str, inputs: tuple[Input, ...], options: Any) -> Picture:
    read = Inputs(inputs)
    with Question(kind, options) as question:
        data, notes = answer(question, None, read.handle.pointer)
    return Picture(data, read.notes + notes)


def picture(*inputs: Input, **options: Unpack[PlotOptions]) -> Picture:
    """Results as a picture of `hiersearch plot`, which gnuplot draws: `picture(result, kind="layers").save("layers.svg")`.

    Options, as those of `hiersearch plot`:
    """
    return _made("plot", inputs, options)


def report(*inputs: Input, **options: Unpack[ReportOptions]) -> Picture:
    """The page of `hiersearch report` about the first result: HTML that loads nothing.

    Options, as those of `hiersearch report`:
    """
    return _made("report", inputs, options)
