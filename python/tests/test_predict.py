"""Predictions beside the command line: the same numbers."""
import html
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest
from conftest import PROGRAM, plain

import hiersearch as hs
from hiersearch import _handles, _show

QUESTIONS = {
    "issue": ("8xH100, 8xNDR400", {"np": 512, "size": "1GiB", "collective": "reduce-scatter", "mesh": {"tp": 8, "dp": 64},
                                   "group": "dp"},
              ["--np", "512", "--size", "1GiB", "--collective", "reduce-scatter", "--mesh", "tp=8,dp=64", "--group", "dp"]),
    "sizes": ("abci", {"np": 128, "size": [2**16, "1MiB", 1e8], "chunks": [1, 2], "top": 2},
              ["--np", "128", "--size", "65536,1MiB,100000000", "--chunks", "1,2", "--top", "2"]),
    "flags": ("tsubame3", {"np": 96, "search": "containment", "beam": 2, "widen": True, "group": None},
              ["--np", "96", "--search", "containment", "--beam", "2", "--widen"]),
    "sweep": ("nvlink:8@300GB/s~3us,ib@200GB/s~12us", {"np": 64, "size": "1KiB:1GiB", "samples": 0},
              ["--np", "64", "--size", "1KiB:1GiB", "--samples", "0"]),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_as_the_command_line(name, program):
    """predict gives the document of the command line, with details: hints and what to measure take many times longer."""
    system, options, words = QUESTIONS[name]
    result = hs.predict(system, **options, details=True)
    document = plain(program("predict", system, *words, "--json"))
    assert plain(result.to_json()) == document
    assert len(result) == len(document["results"])
    for i, message in enumerate(document["results"]):
        best = next(plan for plan in message["candidates"] if plan["plan"] == message["best"])
        assert result.best_of(i) == (message["best"], message["message_bytes"], best["predicted_seconds"])
        found = result.messages[i]
        assert [plan.plan for plan in found.candidates] == [plan["plan"] for plan in message["candidates"]]
        assert [[layer.seconds for layer in plan.layers] for plan in found.candidates] == [
            [layer["seconds"] for layer in plan.get("layers", [])] for plan in message["candidates"]]
        assert found.verdict.advice == message["verdict"]["advice"] and found.verdict.plan == message["best"]
        assert (found.default.seconds if found.default else None) == message.get("default", {}).get("seconds")
        assert found.next == message["next"] and found.evidence == message["evidence"]


def test_several_counts(program):
    """predict_each gives a result for each process count."""
    words = ["predict", "abci", "--np", "64,96,128", "--size", "1MiB", "--json"]
    lines = program(*words).splitlines()
    results = hs.predict_each("abci", np=[64, 96, 128], size="1MiB")
    assert [plain(one.to_json()) for one in results] == [plain(line) for line in lines]
    assert [one.processes for one in hs.predict_each("abci", np=64)] == [64]


@pytest.mark.parametrize("system, options, said", [
    ("8xH100, 8xNDR400", {"np": 64, "size": "1MiB"}, "Keep NCCL's default"),
    ("dgx-h100-superpod", {"np": 512, "size": "1GiB", "collective": "all-to-all"}, None),
    ("perlmutter", {"np": 64, "size": "16MiB", "collective": "allgather", "layout": "reversed"}, "Use 16x4"),
    ("abci", {"np": 128, "size": "128MiB"}, "Cannot tell whether 4x4x8 is faster than the flat plan 128"),
    ("abci", {"np": 128, "size": "1GiB", "samples": 0}, "Use the flat plan, 128"),
    ("abci", {"np": 128, "size": "1MiB", "chunks": [1, 2, 4]}, None),
    ("marenostrum5", {"np": 448, "size": "64KiB"}, None), ("frontier", {"np": 64, "size": "4MiB"}, None),
    ("summit", {"np": 96, "size": "4MiB", "mesh": {"tp": 6, "dp": 16}, "group": "dp"}, None),
    ("nvlink:8@300GB/s~3us,ib@200GB/s~12us;library=mpich", {"np": 64, "size": "64KiB"}, None),
], ids=str)
def test_one_verdict(system, options, said):
    """The text, the document, the report's title and Python name the same plan."""
    result = hs.predict(system, **options)
    message = result.messages[0]
    verdict, advice = message.verdict, _show.advice(message)
    title = advice.split(", ")[0] if advice.startswith("Use ") and not advice.startswith("Use the flat") else advice
    assert result.best.plan == message.best == verdict.plan == message.candidates[0].plan
    assert verdict.plan in advice or (verdict.advice, verdict.plan) == ("default", "default")
    assert said in (None, title)
    text = hs.predict_page(system, **options)
    assert re.search(rf"\n{re.escape(title)}(:| \()", text)
    assert re.search(rf"^ *1  {re.escape(verdict.plan)} ", text, re.M)
    assert f"<h1>{title}</h1>" in html.unescape(str(hs.report(result)))
    assert title in html.unescape(result._repr_html_())
    if verdict.gain_low is not None:
        assert verdict.gain_low <= verdict.gain <= verdict.gain_high


def test_default_call():
    """The library's default call is a candidate without layers, and one stage of all processes."""
    result = hs.predict("8xH100, 8xNDR400", np=64, size="1MiB")
    default, [stage] = result.candidates[0], result.stages()
    assert default.plan == result.best.plan == "default" and default.layers == []
    assert default.predicted_seconds == result.messages[0].default.seconds
    assert stage == result.stages(plan="default")[0] and result.groups(5)[0][1] == list(range(64))
    assert stage[:5] == ("allreduce", "native", 1, 64, 2**20)
    assert math.isclose(stage.seconds, default.predicted_seconds, rel_tol=1e-9)


def test_stages():
    """Stages take what the plan takes, and the groups of a stage have all ranks once."""
    result = hs.predict("abci", np=32, size="16MiB", samples=0, top=8)
    plans = {one.plan: one.predicted_seconds for one in result.candidates}
    assert len(plans) >= 8 and result.stages() == result.stages(plan=result.best.plan)
    for plan, seconds in plans.items():
        stages = result.stages(plan=plan)
        assert math.isclose(sum(stage.seconds for stage in stages), seconds, rel_tol=1e-9)
        for i, stage in enumerate(stages):
            groups = {tuple(result.groups(rank, plan=plan)[i][1]) for rank in range(32)}
            assert sorted(rank for group in groups for rank in group) == list(range(32))
            assert all(b - a == stage.stride for group in groups for a, b in zip(group, group[1:]))


@pytest.mark.parametrize("options", [{"np": 0}, {"nq": 1}, {}, {"np": 8, "size": -1}, {"np": 8, "collective": "x"}], ids=str)
def test_errors(options):
    """What is wrong raises one line, that of the command line."""
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    said = subprocess.run([PROGRAM, "predict", "abci", *words], capture_output=True, text=True, check=False).stderr
    with pytest.raises(hs.InvalidError) as raised:
        hs.predict("abci", **options)
    assert f"hiersearch predict: {raised.value}\n" == said
    assert isinstance(raised.value, ValueError)
    assert traceback.format_exception_only(hs.InvalidError, raised.value) == [f"hiersearch.InvalidError: {raised.value}\n"]


@pytest.mark.parametrize("ask, kind, line", [
    (lambda: hs.System(5), TypeError, "expected a System, or the text or path of one, found int"),
    (lambda: hs.System("no-such.json"), FileNotFoundError, "no-such.json: cannot be read: No such file or directory"),
    (lambda: hs.System("abci\0"), hs.InvalidError, "zero byte"),
    (lambda: hs.predict("\ud800", np=4), hs.InvalidError, "expected a path"),
    (lambda: hs.predict("abci", np=4, size="1\udcffMiB"), hs.InvalidError, "UTF-8"),
    (lambda: hs.predict("abci", mesh={"\udfff": 4}, group="x"), hs.InvalidError, "UTF-8"),
    (lambda: hs.predict("abci", np=4, **{"si\ud800ze": "1MiB"}), hs.InvalidError, "UTF-8"),
    (lambda: hs.System.parse("\ud800"), hs.InvalidError, "UTF-8"),
    (lambda: hs.System.parse(None), TypeError, "expected a text, found NoneType"),
    (lambda: hs.System.from_files("no-such.txt"), FileNotFoundError, "'no-such.txt'$"),
    (lambda: hs.System("abci").named("A b"), hs.InvalidError, 'of a-z, 0-9, .*found "A b"'),
    (lambda: hs.System("abci").save("no-such/x.json"), FileNotFoundError, "'no-such/x.json'$"),
    (lambda: hs.System("-"), hs.InvalidError, 'expected the text of a system, found "-"'),
    (lambda: hs.options(None), TypeError, "expected a text, found NoneType"),
    (lambda: hs.predict(None, np=8), TypeError, "expected a System"),
    (lambda: hs.predict("abci", np=8, size="1MiB\0"), hs.InvalidError, "zero byte"),
    (lambda: hs.predict("abci", np=[8, 16]), hs.InvalidError, "several, which predict_each takes"),
    (lambda: hs.predict("abci", np=8, explain="best"), hs.InvalidError, "no result, predict_page has it"),
    (lambda: hs.predict_job("abci", np=[8, 16]), hs.InvalidError, "expected profile=FILE"),
    (lambda: hs.place("abci", mesh={"tp": 4}), hs.InvalidError, "expected one of --messages"),
    (lambda: hs.shard("abci", np=[8, 16], parameters="1B"), hs.InvalidError, "expected one process count, found a sweep"),
    (lambda: hs.predict("abci", profile="no-such.json"), FileNotFoundError, "no-such.json"),
    (lambda: hs.predict("abci", np=8).best_of("x"), TypeError, "integer"),
    (lambda: hs.predict("abci", np=8).stages(plan=5), TypeError, "expected a text, found int"),
    (lambda: hs.predict("abci", np=8).plot(message=9), IndexError, "there is no message 9 among 1"),
    (lambda: hs.read(5), TypeError, "expected str, bytes or os.PathLike object, not int"),
    (lambda: hs.fit("abci"), hs.InvalidError, "expected results of measure or simulate, or logs"),
    (lambda: hs.fit("abci", ("a", "b", "c")), TypeError, "found a tuple of 3"),
    (lambda: hs.fit("abci", ("log", "1024\0 2048")), hs.InvalidError, "found one behind '1024'"),
    (lambda: hs.export(hs.predict("abci", np=8), list=True), hs.InvalidError, "--list: stands alone"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_lines_of_errors(ask, kind, line):
    """What is wrong is said in Python's words, with what would be right."""
    with pytest.raises(kind, match=line):
        ask()


def test_older_library(tmp_path):
    """A library that is older than the package is refused when the package is imported, not by a call that it lacks."""
    shutil.copytree(Path(hs.__file__).parent, tmp_path / "hiersearch", ignore=shutil.ignore_patterns("tree", "__pycache__"))
    made = tmp_path / "hiersearch/_options.py"
    made.write_text(re.sub(r"^API = \d+", "API = 99", made.read_text(), flags=re.MULTILINE))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "HIERSEARCH_LIBRARY": _handles.library_path}
    ran = subprocess.run([sys.executable, "-c", "import hiersearch"], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and ran.stderr.endswith(f"ImportError: {_handles.library_path}: expected libhiersearch of API 99 or later, "
                                                       f"found {_handles.API}\n")


@pytest.mark.parametrize("command, option, what", [("measure", "", "your MPI what measures"),
                                                   ("simulate", " --smpicc", "SimGrid what simulates")])
def test_programs_that_are_built(command, option, what, tmp_path):
    """What a command needs that no wheel has is said, with what builds it."""
    if (_handles.TREE / "libexec").exists():
        pytest.skip("they were built")
    words = [sys.executable, Path(hs.__file__).with_name("_program.py"), command, "abci", "--np", "8"]
    ran = subprocess.run(words, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert ran.returncode and ran.stderr.startswith(f"hiersearch: note: `hiersearch build-measure{option}` builds with {what}\n")


def test_after_an_error():
    """A question that failed leaves nothing behind for the next one."""
    want = hs.predict("abci", np=64, size="1MiB").to_json()
    for wrong in ({"collective": "allgather", "np": "x"}, {"np": 64, "size": "1MiB", "top": 0}, {"top": 1, "np": [1, 2]}):
        with pytest.raises(hs.HiersearchError):
            hs.predict("abci", **wrong)
    assert plain(hs.predict("abci", np=64, size="1MiB").to_json()) == plain(want)


def test_files(tmp_path):
    """Results are written and read again, and what cannot be raises OSError."""
    result = hs.predict("abci", np=64, size="1MiB:8MiB")
    result.save(tmp_path / "result.json")
    assert hs.read(tmp_path / "result.json").document == result.document
    assert pickle.loads(pickle.dumps(result)).document == result.document
    with pytest.raises(OSError):
        result.save(tmp_path / "none" / "result.json")
    with pytest.raises(FileNotFoundError, match="no-such.json"):
        hs.read(tmp_path / "no-such.json")
    with pytest.raises(IndexError):
        result.best_of(4)
    assert result.best_of(-1).bytes == 8 * 2**20


def test_threads():
    """Threads that share a system, and a result, get what one gets alone."""
    system, sizes = hs.System("dgx-h100"), [2**20 + 4096 * i for i in range(12)]
    want = [hs.predict(system, np=64, size=size).best for size in sizes]
    shared = hs.predict(system, np=64, size=sizes[0])
    found, wrong = {}, []

    def work(name):
        try:
            for i in range(name, len(sizes), 2):
                for _ in range(3):
                    found[i] = hs.predict(system if name % 2 else "dgx-h100", np=64, size=sizes[i]).best
                    assert shared.stages() and shared.best == want[0]
        except BaseException as error:  # is told below
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and [found[i] for i in range(len(sizes))] == want


def test_systems(program, tmp_path, monkeypatch):
    """Systems are those of the command line; figures of their files are in SI units."""
    assert hs.systems() == program("systems", "--names").split()
    for name in ("abci", "summit"):
        system = hs.System(name)
        assert system.to_json() == program("systems", name, "--json") and system.name == name
        for level, said in zip(system.levels, plain(system.to_json())["levels"]):
            assert math.isclose(level.latency_seconds, said["latency_us"] * 1e-6)
            assert math.isclose(level.bandwidth_bytes_per_second, said["bandwidth_GBps"] * 1e9)
        system.save(tmp_path / "copy.json")
        assert hs.System(tmp_path / "copy.json") == system == system.copy() == pickle.loads(pickle.dumps(system))
    graph = hs.System("dgx1-v100")
    assert graph.levels[0].relays == 6 and len(graph.levels[0].links) == 29
    assert list(graph.to_pandas()["bandwidth_bytes_per_second"]) == [132e9, 48e9]  # 6 NVLinks and PCIe 3
    part = hs.predict(graph, gpus=[0, 1, 4, 6], size="64MiB", samples=0)
    assert part.document.np == 4 and part.document.system.levels[0].arity == 4
    assert [hs.predict(graph, gpus=chosen, size="64MiB", samples=0).document.system.name for chosen in ("0-2,6", ["0-1", 2, 6])] == [
        "dgx1-v100-0.1.2.6"] * 2
    # What a file says now counts, not what it said when it was first read.
    mine = tmp_path / "mine.json"
    monkeypatch.chdir(tmp_path)
    for one in ("abci", "summit"):
        mine.write_text(hs.System(one).to_json(), encoding="utf-8")
        assert hs.predict("mine.json", np=12, samples=0).document.system.name == one


def test_systems_of_ones_own(tmp_path, monkeypatch):
    """A name means the system in the folder that HIERSEARCH_CONFIGS names, as long as it does."""
    (tmp_path / "abci.json").write_text(hs.System("summit").to_json(), encoding="utf-8")
    names = [hs.predict("abci", np=12, samples=0).document.system.name]
    monkeypatch.setenv("HIERSEARCH_CONFIGS", str(tmp_path))
    names.append(hs.predict("abci", np=12, samples=0).document.system.name)
    monkeypatch.delenv("HIERSEARCH_CONFIGS")
    names.append(hs.predict("abci", np=12, samples=0).document.system.name)
    assert names == ["abci", "summit", "abci"]


def test_options():
    """Every option of the library stands in signature and help, and nothing else does."""
    import inspect

    for function, kind in ((hs.predict, "predict"), (hs.place, "place"), (hs.shard, "shard"), (hs.place_page, "place"),
                           (hs.shard_page, "shard"), (hs.fit, "fit"), (hs.check, "check"), (hs.export, "export"),
                           (hs.picture, "plot"), (hs.report, "report"), (hs.predict_page, "predict"),
                           (hs.fit_page, "fit"), (hs.simulation, "simulate"), (hs.systems_page, "systems"),
                           (hs.profile_page, "profile")):
        names = {{"for": "for_"}.get(option["name"], option["name"].replace("-", "_")) for option in hs.options(kind)}
        given = {name for name, one in inspect.signature(function).parameters.items() if one.kind == one.KEYWORD_ONLY}
        assert names <= given and given - names <= {"machine", "compare_with"}
        assert all(f"\n    {name}: " in function.__doc__ for name in names)
