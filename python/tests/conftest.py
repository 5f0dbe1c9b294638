"""What the tests share: where the tree is, the command line beside the package, and TAP (--tap)."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import hiersearch

ROOT = Path(os.environ.get("HIERSEARCH_SOURCE", Path(__file__).resolve().parents[2]))
PROGRAM = Path(hiersearch.__file__).parent / "tree/bin/hiersearch"


@pytest.fixture
def data():
    """tests/ of the tree."""
    return ROOT / "tests"


@pytest.fixture
def program():
    """Runs the command line: stdout."""
    def run(*words, status=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stdout
    return run


def plain(document):
    """Without what differs by nature: how it was asked, and when."""
    document = json.loads(document) if isinstance(document, str) else dict(document)
    return {key: value for key, value in document.items() if key not in ("command", "created")}


# ---- TAP -----------------------------------------------------------------------------------------
def pytest_addoption(parser):
    parser.addoption("--tap", action="store_true", help="a line of TAP per test, on descriptor 3")


class Tap:
    """Sentences are the tests' docstrings."""

    def __init__(self):
        self.count, self.sentences = 0, {}
        self.out = os.fdopen(3, "w", buffering=1)

    def pytest_collection_modifyitems(self, items):
        for item in items:
            parameters = f" ({item.callspec.id})" if hasattr(item, "callspec") else ""
            self.sentences[item.nodeid] = item.function.__doc__.splitlines()[0].rstrip(".").replace("#", "") + parameters

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        self.count += 1
        skipped = f" # SKIP {report.longrepr[2]}" if report.skipped else ""
        self.out.write(f"{'not ok' if report.failed else 'ok'} {self.count} - python: {self.sentences[report.nodeid]}{skipped}\n")
        if report.failed:
            self.out.write("".join(f"# {line}\n" for line in report.longreprtext.splitlines()[-25:]))

    def pytest_sessionfinish(self):
        self.out.write(f"1..{self.count}\n")


def pytest_configure(config):
    if config.getoption("--tap"):
        config.pluginmanager.register(Tap())
