"""The library: where it lies, its errors as exceptions, handles that free themselves, and questions."""
from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union

from ._abi import ffi as _ffi  # made from hiersearch.h by generate.py
from ._options import API, TIMES

ffi: Any = _ffi
#: The installed tree that came with the package: programs, library, systems, plugins.
TREE = Path(os.path.abspath(__file__)).parent / "tree"  # links are those of `pip install -e`


class HiersearchError(Exception):
    """Something failed in the library; its text is the library's one line."""

    __module__ = "hiersearch"


class InvalidError(HiersearchError, ValueError):
    """What was given is wrong: place, what was found, what was expected."""

    __module__ = "hiersearch"


class FileError(HiersearchError, OSError):
    """The operating system refused a file."""

    __module__ = "hiersearch"


class NoFileError(FileError, FileNotFoundError):
    """There is no such file."""

    __module__ = "hiersearch"


class OutOfMemory(HiersearchError, MemoryError):
    """Out of memory."""

    __module__ = "hiersearch"


_NAMES = {"HIERSEARCH_INVALID": InvalidError, "HIERSEARCH_IO": FileError, "HIERSEARCH_MEMORY": OutOfMemory}


def _find() -> str:
    """The library's file: $HIERSEARCH_LIBRARY, that of the package, else the system's."""
    bundled = TREE / "lib" / "libhiersearch.so.1"
    named = os.environ.get("HIERSEARCH_LIBRARY")
    return named or (str(bundled) if bundled.exists() else "libhiersearch.so.1")


library_path = _find()
lib: Any = ffi.dlopen(library_path)
if lib.hiersearch_api() < API:  # of the system, older than the package
    raise ImportError(f"{library_path}: expected libhiersearch of API {API} or later, found {lib.hiersearch_api()}")
_ERRORS = {getattr(lib, name): kind for name, kind in _NAMES.items()}
_NO_FILE = ": No such file or directory"  # as C has it, whatever the locale
# What has the answer, where a function of the library has not.
_OURS = {"several, which hiersearch_ask takes": "several, which predict_each takes"}
_kept = threading.local()


def _error() -> Any:
    """The error handle of this thread."""
    try:
        return _kept.error
    except AttributeError:
        _kept.error = ffi.gc(lib.hiersearch_error_new(), lib.hiersearch_error_free)
        return _kept.error


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls what returns a status and takes an error handle last; raises what it says."""
    error = _error()
    status = function(*arguments, error)
    if status:
        said = ffi.string(lib.hiersearch_error_text(error)).decode()
        kind = _ERRORS.get(status, HiersearchError)
        for theirs, ours in _OURS.items():
            said = said.replace(theirs, ours)
        said = said.replace("result, hiersearch_ask has it",
                            f"result, {'predict_job' if said.startswith('--profile') else 'predict_page'} has it")
        raise (NoFileError if kind is FileError and said.endswith(_NO_FILE) else kind)(said)


def text(value: Any) -> str:
    """A `const char *`; NULL is the empty text."""
    return str(ffi.string(value).decode()) if value else ""


def taken(function: Callable[..., int], *arguments: Any) -> str:
    """A text that is the caller's: what a function writes to a `char **`."""
    out = ffi.new("char **")
    call(function, out, *arguments)
    try:
        return str(ffi.string(out[0]).decode())
    finally:
        lib.hiersearch_text_free(out[0])


def answer(question: Any, system: Any = None, inputs: Any = None, format: Optional[str] = None) -> tuple[bytes, list[str]]:
    """The answer to a question (pointers): its bytes, and what was said of it, a line each. Hold the system's lock."""
    out, text_, length = ffi.new("struct hiersearch_answer **"), ffi.new("char **"), ffi.new("size_t *")
    call(lib.hiersearch_ask, out, question, system or ffi.NULL, inputs or ffi.NULL)
    try:
        call(lib.hiersearch_answer_text, text_, length, out[0], ffi.NULL if format is None else format.encode())
        try:
            return bytes(ffi.buffer(text_[0], length[0])), text(lib.hiersearch_answer_notes(out[0])).splitlines()
        finally:
            lib.hiersearch_text_free(text_[0])
    finally:
        lib.hiersearch_answer_free(out[0])


def document(question: Any, system: Any = None, inputs: Any = None) -> str:
    """The same as JSON."""
    return answer(question, system, inputs, "json")[0].decode()


def encoded(text: str) -> bytes:
    """A text for the library, which takes it up to the first zero: there must be none."""
    if not isinstance(text, str):
        raise TypeError(f"expected a text, found {type(text).__name__}")
    if "\0" in text:
        raise InvalidError(f"expected a text without zero bytes, found one behind {text.partition(chr(0))[0][-40:]!r}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidError(f"expected a text of UTF-8, found {text[error.start : error.end][:40]!r} at {error.start}") from None


def path_of(path: Union[str, "os.PathLike[str]"]) -> bytes:
    """A path, or what is a path perhaps, for the library."""
    try:
        found = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise InvalidError(f"expected a path, found {error.object[error.start : error.end][:40]!r} at {error.start}") from None
    if b"\0" in found:
        raise InvalidError(f"expected a path without zero bytes, found {found!r}")
    return found


def readable(path: Union[str, "os.PathLike[str]"]) -> bytes:
    """The path of a file, for the library; where there is none, FileNotFoundError and its like, as by open()."""
    found = path_of(path)
    os.stat(path)  # which says the path as it was given
    return found


class Handle:
    """A handle of the library, which frees itself; `lock` is held while it is used, as one is for one thread at a time."""

    __slots__ = ("pointer", "lock")

    def __init__(self, noun: str, function: Optional[Callable[..., int]] = None, *arguments: Any) -> None:
        """`noun`: "system" for a struct hiersearch_system; the function makes it, hiersearch_NOUN_new if none is named."""
        out = ffi.new(f"struct hiersearch_{noun} **")
        call(function or getattr(lib, f"hiersearch_{noun}_new"), out, *arguments)
        self.pointer = ffi.gc(out[0], getattr(lib, f"hiersearch_{noun}_free"))
        self.lock = threading.Lock()


def word(value: Any) -> bytes:
    """A value as the command line takes it: True, 4, 0.5, {"tp": 8}, ["1MiB", "1GiB"], a path."""
    if isinstance(value, str):
        return encoded(value)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, float) and value.is_integer():
        return b"%d" % int(value)
    if isinstance(value, Mapping):
        return encoded(",".join(f"{key}={one}" for key, one in value.items()))
    if isinstance(value, os.PathLike):
        return path_of(value)
    if isinstance(value, (list, tuple, range)):
        return b",".join(map(word, value))
    return encoded(str(value))


class Question:
    """A question of a kind, for one `with`, which gives its pointer; None leaves an option as it is by default.

    A thread keeps one handle of each kind, whose options are taken back: its rows are then not made again.
    """

    __slots__ = ("kind", "handle", "names")

    def __init__(self, kind: str, options: Mapping[str, Any]) -> None:
        handles: dict[str, Handle] = _kept.__dict__.setdefault("questions", {})
        self.kind = kind
        self.handle = handles.pop(kind) if kind in handles else Handle("question", None, kind.encode())
        self.names: list[bytes] = []
        for name, value in options.items():
            if value is not None:
                given = encoded(name.rstrip("_").replace("_", "-"))  # for_: a word of Python's
                unit = b"s" if name in TIMES and not isinstance(value, str) else b""
                call(lib.hiersearch_question_set, self.handle.pointer, given, word(value) + unit)
                self.names.append(given)

    def __enter__(self) -> Any:
        return self.handle.pointer

    def __exit__(self, *_: object) -> None:
        for name in self.names:
            call(lib.hiersearch_question_set, self.handle.pointer, name, ffi.NULL)
        _kept.questions[self.kind] = self.handle
