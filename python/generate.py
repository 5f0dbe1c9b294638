"""Writes what of the package is made from files of the tree, so that nothing is said twice.

    _abi.py       what cffi knows of include/hiersearch.h (its out-of-line ABI mode: no compiler, nothing to parse at import)
    records.py    a class for each object of the documents, from docs/*.schema.json, in SI units
    _options.py   types and help of the options of each kind of question, as the library lists them
    torch.pyi     types of hiersearch.torch, from the module that `export --to pytorch` writes

usage: python/generate.py LIBRARY FOLDER      LIBRARY is libhiersearch.so.1
"""
import ast
import contextlib
import ctypes
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("predict", "place", "shard", "fit", "check", "export", "plot", "report", "simulate", "systems", "profile")
# Units of files -> (end of the attribute, factor to SI).
UNITS = (("_us", "_seconds", 1e-6), ("GBps", "bytes_per_second", 1e9), ("_percent", "", 0.01))


# ---- the header ----------------------------------------------------------------------------------
def declarations():
    """include/hiersearch.h as cffi takes it: without what is for the preprocessor and for C++."""
    text = (ROOT / "include/hiersearch.h").read_text(encoding="utf-8")
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def write_abi(folder):
    import cffi

    builder = cffi.FFI()
    builder.cdef(declarations())
    builder.set_source("hiersearch._abi", None)
    with contextlib.redirect_stdout(sys.stderr):
        builder.emit_python_code(str(folder / "_abi.py"))


# ---- the documents -------------------------------------------------------------------------------
def class_name(name):
    return "".join(part.capitalize() for part in re.split(r"[_-]", name))


def singular(name):
    return re.sub(r"(?<=[^s])s$", "", name)


class Records:
    """Classes of one schema after the other; the first that takes a name has it, later ones say whose they are."""

    def __init__(self):
        self.classes, self.taken = [], {}

    def schema(self, document):
        schema = json.loads((ROOT / f"docs/{document}.schema.json").read_text(encoding="utf-8"))
        self.document, self.definitions = document, schema.get("$defs", {})
        self.add(class_name(document) + "Document", schema)

    def name(self, wanted, schema, owner):
        """The name of a class of this schema; made where it is new."""
        key = json.dumps(schema, sort_keys=True)
        for name in (wanted, owner + wanted, class_name(self.document) + wanted):
            if self.taken.setdefault(name, key) == key:
                if all(made[0] != name for made in self.classes):
                    self.add(name, schema)
                return name
        raise SystemExit(f"{self.document}: no name left for {wanted}")

    def add(self, name, schema):
        self.taken.setdefault(name, json.dumps(schema, sort_keys=True))
        place = len(self.classes)
        self.classes.append((name, None, None))
        required = schema.get("required", [])
        fields = [self.field(name, key, value, key in required) for key, value in schema["properties"].items()]
        self.classes[place] = (name, schema.get("description", ""), fields)

    def field(self, owner, key, schema, required):
        """(attribute, key, type, record class or None, factor, default, description)."""
        attribute, factor = key, None
        for end, replaced, value in UNITS:
            if attribute.endswith(end):
                attribute, factor = attribute[:-len(end)] + replaced, value
        attribute += "_" if keyword.iskeyword(attribute) else ""
        kind, record = self.kind(owner, key, schema)
        if factor is not None:
            kind = "float"
        default = schema.get("default")
        if default is None and not required and kind.startswith(("list[", "dict[")):
            default = [] if kind.startswith("list[") else {}
        if default is None and not required and not kind.startswith("Optional"):
            kind = f"Optional[{kind}]"
        described = schema.get("description", "")
        if factor is not None:
            described = f"In SI units; of the file's {key}: {described or 'no more is said.'}"
        return attribute, key, kind, record, factor, default, described

    def kind(self, owner, key, schema):
        if "$ref" in schema:
            reference = schema["$ref"]
            if not reference.startswith("#"):
                return class_name(reference.split("/")[-2]) + "Document", class_name(reference.split("/")[-2]) + "Document"
            name = reference.split("/")[-1]
            made = self.name(class_name(name), self.definitions[name], owner)
            return made, made
        if "properties" in schema:
            made = self.name(class_name(key), schema, owner)
            return made, made
        kind = schema.get("type")
        if kind == "array":
            inner, record = self.kind(owner, singular(key), schema["items"])
            return f"list[{inner}]", record
        if kind == "object":
            return f"dict[str, {self.kind(owner, key, schema['additionalProperties'])[0]}]", None
        if "oneOf" in schema:
            kinds = [one.get("type", "number") for one in schema["oneOf"]]
            if "null" in kinds:
                return "Optional[int]", None
            return ("int" if "integer" in kinds else "float"), "int" if "string" in kinds else None
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", None: "str"}[kind], None


HEAD = '''"""The objects of the documents, hiersearch-result(5) and its like: made from their schemas, in SI units.

Attributes are the documents' keys; what a file gives in us, GB/s or per cent is in seconds, bytes per second and parts
of one here. What a document leaves out is None, or its default.
"""
from __future__ import annotations

from typing import Optional

from ._record import Field, Record

'''


def write_records(folder):
    records = Records()
    for document in ("system", "result", "profile", "placement", "sharding", "gains", "check"):
        records.schema(document)
    out = [HEAD]
    for name, description, fields in records.classes:
        out.append(f"\nclass {name}(Record):\n")
        out.append(quoted(description or f"{name}.", "    "))
        out.append("    _fields = {\n")
        for attribute, key, _, record, factor, default, _ in fields:
            known = {"record": record, "factor": factor, "default": default}
            given = "".join(f", {word}={value!r}" for word, value in known.items() if value is not None)
            out.append(f'        "{attribute}": Field("{key}"{given}),\n')
        out.append("    }\n")
        for attribute, _, kind, _, _, _, described in fields:
            out.append(f"    {attribute}: {kind}\n")
            if described:
                out.append(quoted(described, "    "))
        out.append("\n")
    out.append("\nRECORDS = {kind.__name__: kind for kind in Record.__subclasses__()}\n")
    (folder / "records.py").write_text("".join(out), encoding="utf-8")


def quoted(text, indent):
    body = textwrap.fill(text.replace("\\", "\\\\"), 98 - len(indent)).replace("\n", "\n" + indent)
    return f'{indent}"""{body}"""\n'


# ---- the options ---------------------------------------------------------------------------------
def listed(library, kind):
    text = ctypes.c_char_p()
    if library.hiersearch_options_json(ctypes.byref(text), kind.encode(), None) != 0:
        raise SystemExit(f"{kind}: the library does not list its options")
    return json.loads(text.value)


def type_of(option):
    """What the option takes, by what its argument is called. Anything may be text."""
    if option.get("argument") is None:
        return "bool"
    kinds = {"N": "int", "K": "int", "PERCENT": "float", "TIME": "float", "SIZE": "int",
             "P[:P]": "Union[int, Sequence[int]]", "SIZE[:SIZE]": "Union[int, Sequence[Union[int, str]]]",
             "LIST": "Union[int, Sequence[Union[int, str]]]", "AXES": "Union[Mapping[str, int], Sequence[str]]",
             "FILE": '"os.PathLike[str]"', "NAMES": "Sequence[str]", "P": "int"}
    if option.get("words"):
        return "Literal[" + ", ".join(f'"{word}"' for word in option["words"]) + "]"
    return f"Union[str, {kinds[option['argument']]}]" if option["argument"] in kinds else "str"


def write_options(library, folder):
    out = ['"""Options by kind of question, as hiersearch_options_json lists them: types for checkers, help for people."""\n'
           "import os\nfrom typing import Literal, Mapping, Optional, Sequence, TypedDict, Union\n"]
    for kind in KINDS:
        out.append(f"\n\nclass {kind.capitalize()}Options(TypedDict, total=False):\n")
        out.append(quoted(f"What {kind} takes by keyword.", "    ") + "\n")
        for option in listed(library, kind):
            name = option["name"].replace("-", "_") + "_" * keyword.iskeyword(option["name"])
            out.append(f"    {name}: Optional[{type_of(option)}]\n")
            default = f" (default {option['default']})" if option.get("default") else ""
            out.append(quoted(option["help"] + default, "    "))
    times = {option["name"] for kind in KINDS for option in listed(library, kind) if option.get("argument") == "TIME"}
    api = re.search(r"^#define HIERSEARCH_API (\d+)$", (ROOT / "include/hiersearch.h").read_text(encoding="utf-8"), re.MULTILINE)
    out.append(f"\n\nAPI = {api[1]}  # that the library has at least")
    out.append(f"\nTIMES = frozenset({sorted(times)!r})  # numbers are seconds\n")
    (folder / "_options.py").write_text("".join(out), encoding="utf-8")


# ---- hiersearch.torch ----------------------------------------------------------------------------
CONSTANTS = '''NP: int
MESH: tuple[tuple[str, int], ...]
OVER: tuple[str, ...]
COLLECTIVE: str
LAYOUT: str
RULES: tuple[Rule, ...]
SPLIT: tuple[int, ...]
MESH_SHAPE: tuple[int, ...]
MOST_CHUNKS: int
FORESTS: dict[str, tuple[Tree, ...]]
RANKS_PER_NODE: Optional[int]
'''


class Stub(ast.NodeTransformer):
    """Leaves signatures and what is said of them."""

    def visit_FunctionDef(self, node):
        if node.name.startswith("_") and not node.name.endswith("__"):
            return None
        said = node.body[:1] if ast.get_docstring(node) else []
        node.body = [*said, ast.Expr(ast.Constant(...))]
        return node


def write_torch(folder):
    text = (ROOT / "src/export/python/hierarchical_torch.py").read_text(encoding="utf-8")
    ours = ast.parse((folder / "torch.py").read_text(encoding="utf-8"))
    configure = next(node for node in ours.body if getattr(node, "name", "") == "configure")
    stub = ast.parse(text.replace("@CONSTANTS@\n", CONSTANTS))
    stub.body += [*ast.parse("from types import ModuleType\nfrom .results import Source").body, configure]
    (folder / "torch.pyi").write_text(ast.unparse(Stub().visit(stub)) + "\n", encoding="utf-8")


def main(library_path, folder_name):
    library, folder = ctypes.CDLL(str(Path(library_path).resolve())), Path(folder_name)
    write_abi(folder)
    write_records(folder)
    write_options(library, folder)
    write_torch(folder)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
