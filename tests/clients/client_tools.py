"""What the tests with real clients share: importing an exported module, and brute-force groups."""
import importlib.util
import itertools
import json
import sys
import tempfile
import textwrap
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
import export_tools  # noqa: E402


def load(text, name):
    """Exported text as an imported module."""
    folder = Path(tempfile.mkdtemp())
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.unlink()
    folder.rmdir()
    return module


def example(document, first):
    """The code of a document's block that begins so."""
    text = (export_tools.TOP / "docs" / document).read_text(encoding="utf-8")
    lines = text[text.index(f"    {first}"):].splitlines()
    return textwrap.dedent("\n".join(
        itertools.takewhile(lambda line: not line or line.startswith("    "), lines)))


@lru_cache(maxsize=None)
def load_plan(plan, form, *more):
    """The module exported for one plan, as `4x2` or `4x2/3`; small messages take it, too."""
    module = load_small(plan, form, *more)
    module.RULES = module.RULES[-1:]
    return module


def load_small(plan, form, *more):
    """The module as it is: small messages are the library's default call. `more`: predict's options."""
    text = export_tools.export(plan, form, "128MiB", export_tools.SYSTEM, *more)
    return load(text, "exported_" + plan.replace("/", "_"))


@lru_cache(maxsize=None)
def load_table(processes, sizes, form):
    """The module for a result of several sizes, and the best plan of each size by the result."""
    result = export_tools.predict(processes, sizes, "abci", "--chunks", "1,2,4")
    status, out, err = export_tools.run("export", "-", "--to", form, "--quiet", stdin=result)
    if status:
        raise RuntimeError(err)
    best = {entry["message_bytes"]: entry["best"] for entry in json.loads(result)["results"]}
    return load(out, "exported_table"), best


def sizes_of(plan):
    return [int(size.rstrip("fgr")) for size in plan.split("/")[0].split("x")]


def brute_force_groups(plan):
    """Groups of each layer, innermost first: ranks that agree in all digits but the layer's."""
    sizes = sizes_of(plan)
    total = 1
    for size in sizes:
        total *= size

    def digits(rank):
        found = []
        for size in sizes:
            rank, digit = divmod(rank, size)
            found.append(digit)
        return found

    layers = []
    for layer in range(len(sizes)):
        groups = {}
        for rank in range(total):
            others = digits(rank)
            del others[layer]
            groups.setdefault(tuple(others), []).append(rank)
        layers.append(sorted(groups.values()))
    return layers


def plan_text(rule):
    """A module's rule as the text of a plan."""
    chunks = f"/{rule.chunks}" if rule.chunks > 1 else ""
    return "x".join(str(size) for size in rule.split) + chunks
