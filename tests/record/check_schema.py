#!/usr/bin/env python3
"""Checks result files against docs/result.schema.json; prints TAP.

usage: tests/record/check_schema.py [FILE...]

Checked are results/*.json, tests/record/good/*.json and the files named. Of the cases of tests/record/bad.txt,
whose names say who has to find the fault, the schema refuses schema-* and lets reader-* pass:
those break rules that a schema cannot state. (test_result_read has the reader refuse them all.)
The documents of these formats have the fields of their schemas. (test_schema has the schemas be those of the
tables.)
"""
import json
import re
import sys
import warnings
from pathlib import Path

import jsonschema

TOP = Path(__file__).resolve().parents[2]


def decode(text):
    """A text's JSON, in which no key may be there twice and no number may be NaN or infinite."""

    def object_of(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f"a key is there twice among {keys}")
        return dict(pairs)

    def no_constant(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, object_pairs_hook=object_of, parse_constant=no_constant)


def read(path):
    return decode(Path(path).read_text(encoding="utf-8"))


def broken():
    """Name and text of each case of the table of changes to the files in good/."""
    folder = TOP / "tests/record"
    for case in (folder / "bad.txt").read_text(encoding="utf-8").split("\n\n")[1:]:
        head, _, *lines = case.rstrip("\n").split("\n")
        name, base = head.split()
        was, now = ("".join(line[1:] + "\n" for line in lines if line[0] == sign) for sign in "-+")
        text = (folder / "good" / base).read_text(encoding="utf-8")
        if text.count(was) != 1:
            raise ValueError(f"{name}: what is replaced stands not once in {base}")
        yield name, text.replace(was, now)


def validator():
    """A validator in which the result schema's reference to the system schema leads to our file."""
    result, system = (read(TOP / "docs" / f"{name}.schema.json") for name in ("result", "system"))
    for schema in (result, system):
        jsonschema.Draft202012Validator.check_schema(schema)
    try:
        from referencing import Registry, Resource
    except ImportError:  # jsonschema before 4.18
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            resolver = jsonschema.RefResolver.from_schema(result, store={system["$id"]: system})
        return jsonschema.Draft202012Validator(result, resolver=resolver)
    registry = Registry().with_resource(system["$id"], Resource.from_contents(system))
    return jsonschema.Draft202012Validator(result, registry=registry)


def fault(schema, text):
    """What is wrong with a file's text, in one line, or None."""
    try:
        error = jsonschema.exceptions.best_match(schema.iter_errors(decode(text)))
    except (OSError, ValueError) as problem:
        return str(problem)
    if error is None:
        return None
    return f"{error.json_path}: {' '.join(error.message.split())[:200]}"


def open_objects(schema, path="schema"):
    """Places where the schema lists an object's properties but lets others pass."""
    found = []
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties", True) is True:
            found.append(path)
        for key, value in schema.items():
            found += open_objects(value, f"{path}.{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            found += open_objects(value, f"{path}[{index}]")
    return found


def fields(schema):
    """Names of all properties that the schema defines."""
    if isinstance(schema, list):
        return {name for item in schema for name in fields(item)}
    if not isinstance(schema, dict):
        return set()
    own = {name for name, value in schema.get("properties", {}).items() if isinstance(value, dict)}
    return own | {name for value in schema.values() for name in fields(value)}


def names_in(text):
    """Names in a document's text: `a`, `a.b[]`, **a**, and keys of its examples."""
    found = re.findall(r'`([^`]+)`|\*\*(\w+)\*\*|"(\w+)":', text.replace("```", ""))
    return {name for groups in found for group in groups for name in re.findall(r"\w+", group)}


def listed(text):
    """Fields in the first column of the document's tables of fields."""
    names, in_table = set(), False
    for line in text.splitlines():
        cells = line.split("|")
        in_table = line.startswith("|") and (in_table or cells[1].strip() == "field")
        if in_table:
            names |= names_in(cells[1])
    return names


def documented(name):
    """A check that a format's document has all its fields, and lists no others."""
    schema = read(TOP / "docs" / f"{name}.schema.json")
    path = TOP / "docs" / {"result": "result.md", "system": "systems.md"}[name]
    text = path.read_text(encoding="utf-8")
    known, mentioned = fields(schema), names_in(text)
    yield (known <= mentioned, f"docs/{path.name} has every field of its schema",
           sorted(known - mentioned))
    yield (listed(text) <= known, f"docs/{path.name} lists no field that its schema has not",
           sorted(listed(text) - known))


def main():
    schema = validator()
    paths = [*sorted((TOP / "results").glob("*.json")), *sorted((TOP / "tests/record/good").glob("*.json")),
             *(Path(name).resolve() for name in sys.argv[1:])]
    cases = [(path.relative_to(TOP) if path.is_relative_to(TOP) else path, path.read_text(encoding="utf-8"), True)
             for path in paths]
    cases += [(name, text, name.startswith("reader-")) for name, text in broken()]
    checks = []
    for name, text, right in cases:
        why = fault(schema, text)
        verb = "accepts" if right else "refuses"
        checks.append(((why is None) == right, f"the schema {verb} {name}", why))
    strays = open_objects(read(TOP / "docs/result.schema.json"))
    checks.append((not strays, "every object of the result schema says what it may hold", strays))
    checks += [*documented("result"), *documented("system")]

    print(f"1..{len(checks)}")
    for number, (passed, sentence, why) in enumerate(checks, 1):
        print(f"{'ok' if passed else 'not ok'} {number} - {sentence}")
        if not passed:
            print(f"# {why or 'no fault was found'}")
    return 0 if all(passed for passed, _, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
