"""Exports: results as files for other libraries."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._handles import Handle, Question, ffi, lib, taken, text
from ._options import ExportOptions
from .measured import Input, Inputs

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Export(dict[str, str]):
    """Files by name, and what was said of them. Bytes that are no UTF-8 (ASTRA-sim's workloads) are surrogates of the text."""

    def __init__(self, files: dict[str, str], notes: list[str]) -> None:
        super().__init__(files)
        self.notes = notes  #: what the format could not express, and what that costs

    def save(self, folder: Union[str, "os.PathLike[str]"] = ".") -> list[Path]:
        """Writes the files into a folder, which is made where there is none; their paths."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = [Path(folder, name) for name in self]
        for path, content in zip(paths, self.values()):
            path.write_bytes(content.encode(errors="surrogateescape"))
        return paths


def export(*inputs: Input, **options: Unpack[ExportOptions]) -> Export:
    """Results as files for another library: {name: text}, `export(result, to="pytorch")`.

    Options, as those of `hiersearch export`:
    """
    results = Inputs(inputs)
    with Question("export", options) as question:
        return files_of(Handle("exports", lib.hiersearch_export, results.handle.pointer, question), results.notes)


def files_of(handle: Handle, notes: list[str]) -> Export:
    """The files of a handle, with what was said before."""
    made = handle.pointer
    length = ffi.new("size_t *")
    files = {}
    for i in range(lib.hiersearch_exports_count(made)):
        start = lib.hiersearch_exports_text(made, i, length)
        files[text(lib.hiersearch_exports_name(made, i))] = bytes(ffi.buffer(start, length[0])).decode(errors="surrogateescape")
    return Export(files, notes + text(lib.hiersearch_exports_notes(made)).splitlines())


def formats() -> list[dict[str, Any]]:
    """The formats of `export`: name, library, versions, summary, layers (0: any number), exact, several."""
    found: list[dict[str, Any]] = json.loads(taken(lib.hiersearch_formats_json))
    return found
