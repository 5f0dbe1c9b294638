#!/usr/bin/python3
"""The program is a client of the library: three questions, and the same text and JSON from both. Prints TAP.

usage: tests/api/test_against_cli.py BUILD
"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
QUESTIONS = [
    ("predict", "8xH100, 8xNDR400, 32:2", [], {"np": "512", "size": "64MiB"}),
    ("compare", "abci", ["tests/golden/fit/4x8x4.json", "tests/golden/fit/8x4x2x2.json"], {"plans": "worst"}),
    ("systems", "dgx1-v100", [], {}),
]
lib = ctypes.CDLL(str(BUILD / "libhiersearch.so.1"))
for name in "error_new", "error_text", "answer_notes", "system_notes":
    getattr(lib, "hiersearch_" + name).restype = ctypes.c_void_p
error = ctypes.c_void_p(lib.hiersearch_error_new())


def call(name, *arguments):
    """A function with an error last; text becomes bytes."""
    given = [a.encode() if isinstance(a, str) else a for a in arguments]
    if getattr(lib, "hiersearch_" + name)(*given, error):
        sys.exit(f"hiersearch_{name}: {ctypes.string_at(lib.hiersearch_error_text(error)).decode()}")


def made(name, *arguments):
    """What a function writes first."""
    out = ctypes.c_void_p()
    call(name, ctypes.byref(out), *arguments)
    return out


def asked(kind, system_text, paths, options, form):
    """Its text and what is said of it, by the library."""
    question, system = made("question_new", kind), made("system_find", system_text)
    inputs = made("inputs_new") if paths else None
    for key, value in options.items():
        call("question_set", question, key, value)
    for path in paths:
        call("inputs_add_file", inputs, path)
    answer = made("ask", question, system, inputs)
    text = made("answer_text", None, answer, form)
    notes = b"".join(ctypes.string_at(one) for one in (lib.hiersearch_system_notes(system), lib.hiersearch_answer_notes(answer)))
    found = ctypes.string_at(text).decode(), notes.decode()
    lib.hiersearch_text_free(text)
    for noun, handle in ("answer", answer), ("inputs", inputs), ("system", system), ("question", question):
        getattr(lib, f"hiersearch_{noun}_free")(handle)
    return found


def printed(kind, system_text, paths, options, form):
    """The same by the program, where nobody's terminal is."""
    words = [*paths, "--predict", system_text] if paths else [system_text]
    words += [word for key, value in options.items() for word in ("--" + key, value)]
    ran = subprocess.run([BUILD / "hiersearch", kind, *words, "--format", form], capture_output=True, text=True, check=True,
                         env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, cwd=ROOT)
    return ran.stdout, ran.stderr.replace(f"hiersearch {kind}: ", "")


def plain(text, form):
    """A document without what differs by nature: how it was asked, and when."""
    found = json.loads(text) if form == "json" else text
    if form == "json":
        found = {key: value for key, value in found.items() if key not in ("command", "created")}
    return found


os.chdir(ROOT)
failed = count = 0
for one in QUESTIONS:
    for form in "text", "json":
        ours, theirs = asked(*one, form), printed(*one, form)
        same = plain(ours[0], form) == plain(theirs[0], form) and ours[1] == theirs[1]
        count, failed = count + 1, failed + (not same)
        print(f"{'ok' if same else 'not ok'} {count} - {one[0]} {one[1]} as {form} is the program's")
        if not same:
            print(f"# got      {str(ours)[:600]}\n# expected {str(theirs)[:600]}")
print(f"1..{count}")
sys.exit(failed > 0)
