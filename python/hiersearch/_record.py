"""Objects of a document: attributes over what json reads, made when they are asked for; and what has a document."""
from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Iterator, Mapping, NamedTuple, Optional, TypeVar, Union

Json = Mapping[str, Any]


class Field(NamedTuple):
    """One attribute: the key of the document, what is there, and what one of its units is in SI."""

    key: str
    record: Optional[str] = None  # class of the objects there; "int": a whole number, also as text
    factor: Optional[float] = None
    default: Any = None


class Record:
    """One object of a document; `to_dict()` is what the document has."""

    __slots__ = ("_json", "_made")
    _fields: ClassVar[Mapping[str, Field]] = {}

    def __init__(self, json: Json) -> None:
        self._json = json
        self._made: dict[str, Any] = {}

    if not TYPE_CHECKING:  # checkers know the attributes from records.py

        def __getattr__(self, name: str) -> Any:
            field = self._fields.get(name)
            if field is None:
                raise AttributeError(f"{type(self).__name__} has no {name}: {', '.join(self._fields)}")
            made = self._made
            if name not in made:
                made[name] = _value(field, self._json.get(field.key, field.default))
            return made[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __iter__(self) -> Iterator[str]:
        return (name for name, field in self._fields.items() if field.key in self._json)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self._json == other._json

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [f"{name}={_short(getattr(self, name))}" for name in self]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._json,)

    def to_dict(self) -> dict[str, Any]:
        """What the document has, in the document's units."""
        return dict(self._json)


def _value(field: Field, found: Any) -> Any:
    if found is None:
        return None
    if isinstance(found, list):
        return [_value(field, one) for one in found]
    if field.factor is not None:
        return float(found) * field.factor
    if field.record == "int":
        return int(found)  # counts of more than 2^53 are text
    if field.record is not None and isinstance(found, dict):
        from .records import RECORDS

        return RECORDS[field.record](found)
    return found


def _short(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return f"[{len(value)} x {type(value[0]).__name__}]"
    if isinstance(value, Record):
        return f"{type(value).__name__}(...)"
    return repr(value)


Document = TypeVar("Document", bound=Record)


class Documented(Generic[Document]):
    """What has a file: its text, which is asked for once, what that says, and saving it."""

    __slots__ = ("_json", "_document")
    _kind: ClassVar[Any]  # class of its document

    def __init__(self, text: Optional[str] = None) -> None:
        self._json = text
        self._document: Optional[Document] = None

    def _ask(self) -> str:
        """The text, of the library."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Its document, as the program writes it."""
        if self._json is None:
            self._json = self._ask()
        return self._json

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes its document to a file, whole or not at all."""
        target = os.path.realpath(path)
        new = f"{target}.{os.getpid()}.{threading.get_ident()}.new"
        text = self.to_json()
        try:
            with open(new, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(new, target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        finally:
            if os.path.exists(new):
                os.remove(new)

    @property
    def document(self) -> Document:
        """All that its document says, in SI units."""
        if self._document is None:
            self._document = self._kind(json.loads(self.to_json()))
        return self._document
